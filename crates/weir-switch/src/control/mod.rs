//! The one control interface: what a program offers, and how to read and change it.
//!
//! P4Runtime, the runtime CLI, JSON entries, STF and Python are translators on this. Names are control-plane names or
//! unambiguous suffixes of them at a dot: `ipv4_lpm` for `MyIngress.ipv4_lpm`, `dstAddr` for `hdr.ipv4.dstAddr`.

mod batch;
mod cells;
mod entries;
mod entry;
mod error;
mod names;
mod profiles;
mod queues;
mod read;
mod replication;
mod request;
mod schema;
mod value_sets;
mod words;
mod write;

use std::collections::BTreeSet;

use weir_device::{Nanos, Port};
use weir_ir::Program;

pub(crate) use batch::Batch;
pub use entry::{
    Call, Entry, EntryRef, EntryState, GroupMember, IdleNotice, MemberState, ProfileState, QueueState,
    TableState, Target, Update, WeightedCall,
};
pub use error::{BatchError, ControlError};
pub use names::resolve;
pub use schema::{
    ActionSchema, CounterSchema, KeySchema, MeterSchema, ParamSchema, ProfileSchema, RegisterSchema, Schema,
    TableActionSchema, TableSchema, ValueSetSchema,
};

pub use crate::externs::{CounterUnit, CounterValue, CrcParameters, MeterConfig};
pub use crate::state::{CloneSession, Digest, LogLine, Replica};
pub use crate::tables::{Match, MatchKind};

use crate::state::ControlState;
use crate::traffic_manager::TrafficManager;

/// Access to everything that can be controlled in a switch, at any time, also while packets are in flight. A packet's ingress or
/// egress sees all of a batch or nothing of it, also on other threads ([`Worker`](crate::Worker)s); each single change is a batch of its own.
pub struct Control<'a> {
    pub(crate) program: &'a Program,
    pub(crate) schema: &'a Schema,
    pub(crate) state: &'a mut ControlState,
    pub(crate) batch: &'a mut Batch,
    pub(crate) queues: &'a mut TrafficManager,
    pub(crate) ports: &'a BTreeSet<Port>,
    pub(crate) now: Nanos,
}

impl Control<'_> {
    /// Makes the changes visible to packets on other threads.
    fn publish(&mut self) {
        if let Some(publisher) = &self.state.publisher {
            if !self.queues.hold_nothing_up() {
                publisher.shared.open_fast_path(false);
            }
            self.state.publish();
        }
    }
}
