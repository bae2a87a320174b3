//! The one control interface: what a program offers, and how to read and change it.
//!
//! P4Runtime, the runtime CLI, JSON entries, STF and Python are translators on this. Names are control-plane names or
//! unambiguous suffixes of them at a dot: `ipv4_lpm` for `MyIngress.ipv4_lpm`, `dstAddr` for `hdr.ipv4.dstAddr`.

mod entry;
mod error;
mod names;
mod schema;

pub use entry::{
    Call, CloneSession, CounterValue, Entry, EntryRef, EntryState, Match, Replica, TableState, Update,
};
pub use error::{BatchError, ControlError};
pub use names::{nearest, resolve};
pub use schema::{
    ActionSchema, CounterSchema, CounterUnit, KeySchema, MatchKind, ParamSchema, RegisterSchema, Schema,
    TableActionSchema, TableSchema, ValueSetSchema,
};
