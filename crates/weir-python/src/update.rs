//! One change to a switch, as Python asks for it. Numbers are big-endian bytes.

use pyo3::prelude::*;
use weir_control::by_name::{
    self as control, CloneSession, CounterValue, CrcParameters, EntryRef, GroupMember, MeterConfig, Replica,
};
use weir_switch::Rate;

use crate::control::{Args, MatchParts, Rates, Target, bits, call, read_match, read_matches};

/// One change to a switch.
#[pyclass(frozen)]
pub struct Update(pub control::Update);

/// How Python names an entry that is there.
#[derive(FromPyObject)]
pub enum EntryKey {
    /// By its handle.
    Handle(u64),
    /// By its matches and priority.
    Key(Vec<MatchParts>, Option<u32>),
}

impl EntryKey {
    /// As the control interface takes it.
    pub fn read(self) -> PyResult<EntryRef> {
        Ok(match self {
            EntryKey::Handle(handle) => EntryRef::Handle(handle),
            EntryKey::Key(matches, priority) => EntryRef::Key { matches: read_matches(matches)?, priority },
        })
    }
}

#[pymethods]
impl Update {
    #[staticmethod]
    #[pyo3(signature = (table, matches, target, priority, idle_timeout_ns=None))]
    fn insert(
        table: String,
        matches: Vec<MatchParts>,
        target: &Target,
        priority: Option<u32>,
        idle_timeout_ns: Option<u64>,
    ) -> PyResult<Self> {
        let matches = read_matches(matches)?;
        let entry =
            control::Entry { matches, priority, action: target.0.clone(), idle_timeout: idle_timeout_ns };
        Ok(Update(control::Update::Insert { table, entry }))
    }

    #[staticmethod]
    fn modify(table: String, entry: EntryKey, target: &Target) -> PyResult<Self> {
        Ok(Update(control::Update::Modify { table, entry: entry.read()?, action: target.0.clone() }))
    }

    #[staticmethod]
    fn delete(table: String, entry: EntryKey) -> PyResult<Self> {
        Ok(Update(control::Update::Delete { table, entry: entry.read()? }))
    }

    #[staticmethod]
    fn clear(table: String) -> Self {
        Update(control::Update::Clear { table })
    }

    #[staticmethod]
    fn set_default(table: String, target: &Target) -> Self {
        Update(control::Update::SetDefault { table, action: target.0.clone() })
    }

    #[staticmethod]
    fn reset_default(table: String) -> Self {
        Update(control::Update::ResetDefault { table })
    }

    #[staticmethod]
    fn set_idle_timeout(table: String, entry: EntryKey, timeout_ns: Option<u64>) -> PyResult<Self> {
        Ok(Update(control::Update::SetIdleTimeout { table, entry: entry.read()?, timeout: timeout_ns }))
    }

    #[staticmethod]
    fn insert_member(profile: String, member: Option<u32>, action: String, args: Args) -> Self {
        Update(control::Update::InsertMember { profile, member, action: call(action, args) })
    }

    #[staticmethod]
    fn modify_member(profile: String, member: u32, action: String, args: Args) -> Self {
        Update(control::Update::ModifyMember { profile, member, action: call(action, args) })
    }

    #[staticmethod]
    fn delete_member(profile: String, member: u32) -> Self {
        Update(control::Update::DeleteMember { profile, member })
    }

    #[staticmethod]
    fn insert_group(profile: String, group: Option<u32>, members: Vec<(u32, u32)>) -> Self {
        Update(control::Update::InsertGroup { profile, group, members: group_members(members) })
    }

    #[staticmethod]
    fn modify_group(profile: String, group: u32, members: Vec<(u32, u32)>) -> Self {
        Update(control::Update::ModifyGroup { profile, group, members: group_members(members) })
    }

    #[staticmethod]
    fn delete_group(profile: String, group: u32) -> Self {
        Update(control::Update::DeleteGroup { profile, group })
    }

    #[staticmethod]
    fn set_crc(
        algorithm: String,
        polynomial: u32,
        initial: u32,
        final_xor: u32,
        reflect_in: bool,
        reflect_out: bool,
    ) -> Self {
        let parameters = CrcParameters { polynomial, initial, final_xor, reflect_in, reflect_out };
        Update(control::Update::SetCrc { algorithm, parameters })
    }

    #[staticmethod]
    fn write_counter(counter: String, index: u64, packets: u64, bytes: u64) -> Self {
        let value = CounterValue { packets, bytes };
        Update(control::Update::WriteCounter { counter, index, value })
    }

    #[staticmethod]
    fn write_direct_counter(table: String, entry: EntryKey, packets: u64, bytes: u64) -> PyResult<Self> {
        let value = CounterValue { packets, bytes };
        Ok(Update(control::Update::WriteDirectCounter { table, entry: entry.read()?, value }))
    }

    #[staticmethod]
    fn reset_counter(counter: String) -> Self {
        Update(control::Update::ResetCounter { counter })
    }

    #[staticmethod]
    fn reset_direct_counter(table: String) -> Self {
        Update(control::Update::ResetDirectCounter { table })
    }

    #[staticmethod]
    fn write_register(register: String, index: u64, value: &[u8]) -> Self {
        Update(control::Update::WriteRegister { register, index, value: bits(value) })
    }

    #[staticmethod]
    fn reset_register(register: String) -> Self {
        Update(control::Update::ResetRegister { register })
    }

    #[staticmethod]
    fn write_meter(meter: String, index: u64, rates: Option<Rates>) -> Self {
        Update(control::Update::WriteMeter { meter, index, config: rates.map(config) })
    }

    #[staticmethod]
    fn write_direct_meter(table: String, entry: EntryKey, rates: Option<Rates>) -> PyResult<Self> {
        let config = rates.map(config);
        Ok(Update(control::Update::WriteDirectMeter { table, entry: entry.read()?, config }))
    }

    #[staticmethod]
    fn write_meter_array(meter: String, rates: Option<Rates>) -> Self {
        Update(control::Update::WriteMeterArray { meter, config: rates.map(config) })
    }

    #[staticmethod]
    fn write_direct_meter_array(table: String, rates: Option<Rates>) -> Self {
        Update(control::Update::WriteDirectMeterArray { table, config: rates.map(config) })
    }

    /// Members as matches of the set's fields in order; their names are not looked at.
    #[staticmethod]
    fn set_value_set(set: String, members: Vec<Vec<MatchParts>>) -> PyResult<Self> {
        let member = |member: Vec<MatchParts>| member.into_iter().map(read_match).collect();
        let members = members.into_iter().map(member).collect::<PyResult<_>>()?;
        Ok(Update(control::Update::SetValueSet { set, members }))
    }

    /// A group of copies, each a port and a replication id; none takes it away.
    #[staticmethod]
    fn set_multicast_group(group: u16, replicas: Option<Vec<(u32, u16)>>) -> Self {
        let replica = |(port, rid)| Replica { port, rid };
        let replicas = replicas.map(|all| all.into_iter().map(replica).collect());
        Update(control::Update::SetMulticastGroup { group, replicas })
    }

    #[staticmethod]
    fn set_clone_session(
        session: u32,
        port: Option<u32>,
        group: Option<u16>,
        truncate: Option<usize>,
    ) -> Self {
        let config = Some(CloneSession { port, group, truncate });
        Update(control::Update::SetCloneSession { session, config })
    }

    #[staticmethod]
    fn delete_clone_session(session: u32) -> Self {
        Update(control::Update::SetCloneSession { session, config: None })
    }

    #[staticmethod]
    fn set_queue_depth(depth: usize, port: Option<u32>, priority: Option<usize>) -> Self {
        Update(control::Update::SetQueueDepth { port, priority, depth })
    }

    /// In packets or bits per second; none means at once.
    #[staticmethod]
    fn set_queue_rate(rate: Option<u64>, in_bits: bool, port: Option<u32>, priority: Option<usize>) -> Self {
        let unit = if in_bits { Rate::BitsPerSecond } else { Rate::PacketsPerSecond };
        Update(control::Update::SetQueueRate { port, priority, rate: rate.map(unit) })
    }

    #[staticmethod]
    fn reset() -> Self {
        Update(control::Update::Reset)
    }
}

fn group_members(members: Vec<(u32, u32)>) -> Vec<GroupMember> {
    members.into_iter().map(|(member, weight)| GroupMember { member, weight }).collect()
}

fn config((committed_rate, committed_burst, peak_rate, peak_burst): Rates) -> MeterConfig {
    MeterConfig { committed_rate, committed_burst, peak_rate, peak_burst }
}
