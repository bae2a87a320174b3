//! Requests and answers by names.

use std::collections::BTreeMap;
use std::sync::Arc;

use weir_control::Error;
use weir_device::{Nanos, Port};
use weir_ir::Bits;
use weir_qdisc::QdiscConfig;
use weir_switch::config::Rate;
use weir_switch::control::{
    self as ids, CloneSession, CounterValue, CrcParameters, GroupMember, Match, MeterConfig, MeterCounts,
    Replica,
};

/// [`ids::Update`] by names. Counters and meters may also be direct: then their index is the handle
/// of an entry.
#[derive(Clone, Debug)]
pub enum Update {
    Insert { table: String, entry: Entry },
    Modify { table: String, entry: EntryRef, action: Target },
    Delete { table: String, entry: EntryRef },
    Clear { table: String },
    SetDefault { table: String, action: Target },
    ResetDefault { table: String },
    SetIdleTimeout { table: String, entry: EntryRef, timeout: Option<Nanos> },
    InsertMember { profile: String, member: Option<u32>, action: Call },
    ModifyMember { profile: String, member: u32, action: Call },
    DeleteMember { profile: String, member: u32 },
    InsertGroup { profile: String, group: Option<u32>, members: Vec<GroupMember> },
    ModifyGroup { profile: String, group: u32, members: Vec<GroupMember> },
    DeleteGroup { profile: String, group: u32 },
    SetCrc { calculation: String, parameters: CrcParameters },
    WriteCounter { counter: String, index: u64, value: CounterValue },
    WriteDirectCounter { table: String, entry: EntryRef, value: CounterValue },
    ResetCounter { counter: String },
    ResetDirectCounter { table: String },
    WriteRegister { register: String, index: u64, value: Bits },
    ResetRegister { register: String },
    WriteMeter { meter: String, index: u64, config: Option<MeterConfig> },
    WriteDirectMeter { table: String, entry: EntryRef, config: Option<MeterConfig> },
    WriteMeterCounts { meter: String, index: u64, counts: MeterCounts },
    WriteDirectMeterCounts { table: String, entry: EntryRef, counts: MeterCounts },
    WriteMeterArray { meter: String, config: Option<MeterConfig> },
    WriteDirectMeterArray { table: String, config: Option<MeterConfig> },
    SetValueSet { set: String, members: Vec<Vec<Match>> },
    SetMulticastGroup { group: u16, replicas: Option<Vec<Replica>> },
    SetQueueDepth { port: Option<Port>, priority: Option<usize>, depth: usize },
    SetQueueDiscipline { port: Option<Port>, priority: Option<usize>, discipline: Option<Arc<QdiscConfig>> },
    SetQueueRate { port: Option<Port>, priority: Option<usize>, rate: Option<Rate> },
    SetCloneSession { session: u32, config: Option<CloneSession> },
    Reset,
}

/// [`ids::Call`] with every parameter once, in any order; read back in the order of the parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    pub action: String,
    pub args: Vec<(String, Bits)>,
}

/// [`ids::Target`] by names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    Action(Call),
    Member(u32),
    Group(u32),
    OneOf(ActionSet),
}

/// [`ids::ActionSet`] by names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActionSet {
    pub actions: Vec<WeightedCall>,
    pub at_random: bool,
    pub group_action: Option<Call>,
}

/// [`ids::WeightedCall`] by names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WeightedCall {
    pub action: Call,
    pub weight: u32,
    pub watch: Option<Port>,
}

impl WeightedCall {
    /// Creates an action that always takes part.
    pub fn new(action: Call, weight: u32) -> Self {
        Self { action, weight, watch: None }
    }
}

impl From<Call> for Target {
    fn from(call: Call) -> Self {
        Self::Action(call)
    }
}

impl From<Vec<WeightedCall>> for ActionSet {
    fn from(actions: Vec<WeightedCall>) -> Self {
        Self { actions, at_random: false, group_action: None }
    }
}

impl From<Vec<WeightedCall>> for Target {
    fn from(actions: Vec<WeightedCall>) -> Self {
        Self::OneOf(actions.into())
    }
}

/// [`ids::Entry`] with its keys in any order; omitted keys that are not exact accept everything.
/// Keys are read back in their order in the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub matches: Vec<(String, Match)>,
    pub priority: Option<u32>,
    pub action: Target,
    pub idle_timeout: Option<Nanos>,
}

/// [`ids::EntryRef`] by names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EntryRef {
    Handle(u64),
    Key { matches: Vec<(String, Match)>, priority: Option<u32> },
}

/// [`ids::EntryState`] by names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryState {
    pub handle: u64,
    pub entry: Entry,
    pub is_const: bool,
    pub hits: Option<CounterValue>,
    pub last_hit: Option<Nanos>,
}

/// [`ids::MemberState`] by names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemberState {
    pub action: Call,
    pub users: usize,
}

/// [`ids::ProfileState`] by names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProfileState {
    pub members: BTreeMap<u32, MemberState>,
    pub groups: BTreeMap<u32, (Vec<GroupMember>, usize)>,
}

/// [`ids::IdleNotice`] by names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdleNotice {
    pub time: Nanos,
    pub table: String,
    pub handle: u64,
    pub entry: Entry,
}

/// The error of a batch, of which no update was made.
pub type BatchError = ids::BatchError<Error>;
