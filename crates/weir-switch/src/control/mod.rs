//! The control interface: the parts of a program that can be controlled, and the requests to read
//! and change them.
//!
//! Requests contain ids from the [`Schema`], against which they are checked. The crate
//! `weir-control` handles names and text values; [`p4info`](crate::p4info) contains the ids of
//! P4Runtime.

mod calls;
mod cells;
mod crc;
mod entries;
mod error;
mod generators;
mod hashes;
mod lookups;
mod lost_copies;
mod profiles;
mod queues;
mod read;
mod replication;
mod reply;
mod request;
mod schema;
mod scratch;
mod table_properties;
mod table_schema;
mod transaction;
mod undo;
mod update;
mod value_sets;
mod values;
mod words;
mod write;

use std::collections::BTreeSet;

use weir_device::{Nanos, Port};
use weir_ir::Program;

pub use error::{BatchError, CellsOf, ControlError, Field, ProfileUser};
pub use lost_copies::{Copier, LostCopies};
pub use reply::{DisciplineState, EntryState, IdleNotice, MemberState, ProfileState, QueueState, TableState};
pub use request::{ActionSet, Call, Entry, EntryRef, Target, WeightedCall};
pub use schema::{
    CalculationSchema, CounterSchema, HashSchema, MeterSchema, OtherSchema, ProfileSchema, RegisterSchema,
    Schema, TypeSchema, ValueSetSchema,
};
pub(crate) use scratch::Scratch;
pub use table_properties::PropertyValue;
pub use table_schema::{ActionSchema, ActionUse, KeySchema, ParamSchema, TableActionSchema, TableSchema};
pub use transaction::Transaction;
pub use update::Update;
pub use values::{TEXT_BITS, Values, bits_of_text, bytes_of_text};

pub use crate::externs::{
    Calculation, CounterUnit, CounterValue, CrcAlgorithm, CrcParameters, GroupMember, HashAlgorithm,
    HashInput, HashPart, HashSettings, MeterConfig, MeterCounts, MeterRate,
};
pub use crate::generators::{
    BUFFER_BYTES, GeneratorApp, GeneratorCounts, GeneratorError, GeneratorPort, GeneratorTrigger,
};
pub use crate::state::{
    Backup, CloneSession, CopyChoice, Digest, LogLine, MulticastBranch, MulticastLag, MulticastNode,
    MulticastTree, Replica, Replication, Subscriptions,
};
pub use crate::tables::{Match, MatchKind};
pub use crate::traffic_manager::DisciplineError;

use crate::state::ControlState;
use crate::traffic_manager::TrafficManager;

/// Access to everything that can be controlled in a switch, at any time, also while packets are in
/// flight. Ingress or egress of a packet sees either all changes of a batch or none of them, also
/// on other threads ([`Worker`](crate::Worker)s). A single change is a batch of one change.
pub struct Control<'a> {
    pub(crate) program: &'a Program,
    pub(crate) schema: &'a Schema,
    pub(crate) state: &'a mut ControlState,
    pub(crate) scratch: &'a mut Scratch,
    pub(crate) queues: &'a mut TrafficManager,
    pub(crate) ports: &'a BTreeSet<Port>,
    pub(crate) now: Nanos,
}

impl Control<'_> {
    /// Makes the changes visible to packets on other threads.
    fn publish(&mut self) {
        if let Some(publisher) = &self.state.publisher {
            if !self.queues.never_delays() {
                publisher.shared.open_fast_path(false);
            }
            self.state.publish();
        }
    }
}
