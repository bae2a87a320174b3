//! One switch's control interface: tables read and changed by handle, counters, registers, meters, queues, replication.

use pyo3::prelude::*;
use weir_ir::Bits;
use weir_switch::Rate;
use weir_switch::control::{
    self, CloneSession, ControlError, CounterValue, CrcParameters, EntryRef, GroupMember, MeterConfig,
    Replica, Target,
};

use crate::bench::Bench;
use crate::control::{Args, Entry, MatchParts, Update, args_out, call, read_matches, target_out};
use crate::errors;
use crate::network::Network;
use crate::straight::Straight;

/// A meter's rates: committed rate and burst, peak rate and burst.
type Rates = (u64, u64, u64, u64);

/// A switch, wherever it is.
#[pyclass(frozen)]
pub struct Switch(pub Home);

/// Where a switch lives.
pub enum Home {
    /// In a network, by its name.
    Network(Py<Network>, String),
    /// Alone.
    Bench(Py<Bench>),
    /// Alone, to be measured.
    Straight(Py<Straight>),
}

impl Switch {
    fn with<T>(
        &self,
        py: Python<'_>,
        act: impl FnOnce(&mut control::Control<'_>) -> PyResult<T>,
    ) -> PyResult<T> {
        match &self.0 {
            Home::Network(network, name) => network.get().with_control(name, act),
            Home::Bench(bench) => bench.bind(py).get().with_control(act),
            Home::Straight(switch) => switch.bind(py).get().with_control(act),
        }
    }

    fn read<T>(
        &self,
        py: Python<'_>,
        read: impl FnOnce(&mut control::Control<'_>) -> Result<T, ControlError>,
    ) -> PyResult<T> {
        self.with(py, |control| read(control).map_err(errors::control))
    }

    fn change(&self, py: Python<'_>, update: control::Update) -> PyResult<()> {
        self.with(py, |control| {
            control.write(&[update]).map(drop).map_err(|failed| errors::control(failed.error))
        })
    }
}

impl Switch {
    /// A change that makes something, and the number of what it made.
    fn made(&self, py: Python<'_>, update: control::Update) -> PyResult<u64> {
        self.with(py, |control| match control.write(&[update]) {
            Ok(made) => Ok(made.into_iter().flatten().next().unwrap_or_default()),
            Err(failed) => Err(errors::control(failed.error)),
        })
    }
}

#[pymethods]
impl Switch {
    fn entries(&self, py: Python<'_>, table: &str) -> PyResult<Vec<Entry>> {
        Ok(self.read(py, |control| control.entries(table))?.into_iter().map(Entry::from).collect())
    }

    /// The entries' handles with their packets and bytes, in the order of `entries`.
    fn entry_hits(&self, py: Python<'_>, table: &str) -> PyResult<Vec<(u64, u64, u64)>> {
        let entries = self.read(py, |control| control.entries(table))?;
        Ok(entries.into_iter().map(|entry| (entry.handle, entry.hits.packets, entry.hits.bytes)).collect())
    }

    fn default_action(&self, py: Python<'_>, table: &str) -> PyResult<(String, Args)> {
        Ok(target_out(self.read(py, |control| control.default_action(table))?))
    }

    /// Does all updates, or none: then the number of the one that is wrong, and why. Else the handles of the entries made.
    #[expect(clippy::type_complexity, reason = "one of two, as Python takes it")]
    fn write(
        &self,
        py: Python<'_>,
        updates: Vec<PyRef<'_, Update>>,
    ) -> PyResult<(Vec<Option<u64>>, Option<(usize, String)>)> {
        let updates: Vec<_> = updates.iter().map(|update| update.0.clone()).collect();
        self.with(py, |control| {
            Ok(match control.write(&updates) {
                Ok(handles) => (handles, None),
                Err(failed) => (Vec::new(), Some((failed.index, failed.error.to_string()))),
            })
        })
    }

    fn modify(&self, py: Python<'_>, table: String, handle: u64, action: String, args: Args) -> PyResult<()> {
        let action = call(action, args).into();
        self.change(py, control::Update::Modify { table, entry: EntryRef::Handle(handle), action })
    }

    /// Leads an entry to a member (or a group) of the table's action profile.
    fn modify_indirect(
        &self,
        py: Python<'_>,
        table: String,
        handle: u64,
        number: u32,
        group: bool,
    ) -> PyResult<()> {
        let (entry, action) = (EntryRef::Handle(handle), indirect(number, group));
        self.change(py, control::Update::Modify { table, entry, action })
    }

    /// Adds an entry that leads to a member (or a group) of the table's action profile; its handle.
    fn insert_indirect(
        &self,
        py: Python<'_>,
        table: String,
        matches: Vec<MatchParts>,
        number: u32,
        group: bool,
        priority: Option<u32>,
    ) -> PyResult<u64> {
        let matches = read_matches(matches)?;
        let entry = control::Entry { matches, priority, action: indirect(number, group), idle_timeout: None };
        self.made(py, control::Update::Insert { table, entry })
    }

    fn set_default_indirect(&self, py: Python<'_>, table: String, number: u32, group: bool) -> PyResult<()> {
        self.change(py, control::Update::SetDefault { table, action: indirect(number, group) })
    }

    fn set_idle_timeout(
        &self,
        py: Python<'_>,
        table: String,
        handle: u64,
        timeout_ns: Option<u64>,
    ) -> PyResult<()> {
        let entry = EntryRef::Handle(handle);
        self.change(py, control::Update::SetIdleTimeout { table, entry, timeout: timeout_ns })
    }

    /// A profile's members (number, action, arguments) and groups (number, members with their weights).
    #[expect(clippy::type_complexity, reason = "two lists of rows, as Python takes them")]
    fn profile(
        &self,
        py: Python<'_>,
        profile: &str,
    ) -> PyResult<(Vec<(u32, String, Args)>, Vec<(u32, Vec<(u32, u32)>)>)> {
        let state = self.read(py, |control| control.profile(profile))?;
        let member = |(number, member): (u32, control::MemberState)| {
            let args = args_out(&member.action);
            (number, member.action.action, args)
        };
        let group = |(number, (members, _)): (u32, (Vec<GroupMember>, usize))| {
            (number, members.into_iter().map(|one| (one.member, one.weight)).collect())
        };
        Ok((state.members.into_iter().map(member).collect(), state.groups.into_iter().map(group).collect()))
    }

    /// Adds a member with the first free number; its number.
    fn insert_member(&self, py: Python<'_>, profile: String, action: String, args: Args) -> PyResult<u64> {
        let action = call(action, args);
        self.made(py, control::Update::InsertMember { profile, member: None, action })
    }

    fn modify_member(
        &self,
        py: Python<'_>,
        profile: String,
        member: u32,
        action: String,
        args: Args,
    ) -> PyResult<()> {
        self.change(py, control::Update::ModifyMember { profile, member, action: call(action, args) })
    }

    fn delete_member(&self, py: Python<'_>, profile: String, member: u32) -> PyResult<()> {
        self.change(py, control::Update::DeleteMember { profile, member })
    }

    /// Adds an empty group with the first free number; its number.
    fn insert_group(&self, py: Python<'_>, profile: String) -> PyResult<u64> {
        self.made(py, control::Update::InsertGroup { profile, group: None, members: Vec::new() })
    }

    fn modify_group(
        &self,
        py: Python<'_>,
        profile: String,
        group: u32,
        members: Vec<(u32, u32)>,
    ) -> PyResult<()> {
        let member = |(member, weight)| GroupMember { member, weight };
        let members = members.into_iter().map(member).collect();
        self.change(py, control::Update::ModifyGroup { profile, group, members })
    }

    fn delete_group(&self, py: Python<'_>, profile: String, group: u32) -> PyResult<()> {
        self.change(py, control::Update::DeleteGroup { profile, group })
    }

    #[expect(clippy::too_many_arguments, reason = "the parameters of a CRC, as Python gives them")]
    fn set_crc(
        &self,
        py: Python<'_>,
        algorithm: String,
        polynomial: u32,
        initial: u32,
        final_xor: u32,
        reflect_in: bool,
        reflect_out: bool,
    ) -> PyResult<()> {
        let parameters = CrcParameters { polynomial, initial, final_xor, reflect_in, reflect_out };
        self.change(py, control::Update::SetCrc { algorithm, parameters })
    }

    fn delete(&self, py: Python<'_>, table: String, handle: u64) -> PyResult<()> {
        self.change(py, control::Update::Delete { table, entry: EntryRef::Handle(handle) })
    }

    fn clear(&self, py: Python<'_>, table: String) -> PyResult<()> {
        self.change(py, control::Update::Clear { table })
    }

    fn reset_default(&self, py: Python<'_>, table: String) -> PyResult<()> {
        self.change(py, control::Update::ResetDefault { table })
    }

    fn counter(&self, py: Python<'_>, counter: &str, index: u64) -> PyResult<(u64, u64)> {
        let value = self.read(py, |control| control.counter(counter, index))?;
        Ok((value.packets, value.bytes))
    }

    fn set_counter(
        &self,
        py: Python<'_>,
        counter: String,
        index: u64,
        packets: u64,
        bytes: u64,
    ) -> PyResult<()> {
        let value = CounterValue { packets, bytes };
        self.change(py, control::Update::WriteCounter { counter, index, value })
    }

    fn direct_counter(&self, py: Python<'_>, table: &str, handle: u64) -> PyResult<(u64, u64)> {
        let value = self.read(py, |control| control.direct_counter(table, &EntryRef::Handle(handle)))?;
        Ok((value.packets, value.bytes))
    }

    fn set_direct_counter(
        &self,
        py: Python<'_>,
        table: String,
        handle: u64,
        packets: u64,
        bytes: u64,
    ) -> PyResult<()> {
        let (entry, value) = (EntryRef::Handle(handle), CounterValue { packets, bytes });
        self.change(py, control::Update::WriteDirectCounter { table, entry, value })
    }

    fn register(&self, py: Python<'_>, register: &str, index: u64) -> PyResult<Vec<u8>> {
        Ok(self.read(py, |control| control.register(register, index))?.to_be_bytes())
    }

    fn set_register(&self, py: Python<'_>, register: String, index: u64, value: &[u8]) -> PyResult<()> {
        let value = Bits::from_be_bytes(8 * value.len() as u32, value);
        self.change(py, control::Update::WriteRegister { register, index, value })
    }

    fn meter(&self, py: Python<'_>, meter: &str, index: u64) -> PyResult<Option<Rates>> {
        Ok(self.read(py, |control| control.meter(meter, index))?.map(rates_out))
    }

    fn set_meter(&self, py: Python<'_>, meter: String, index: u64, rates: Option<Rates>) -> PyResult<()> {
        let config = rates.map(rates_in);
        self.change(py, control::Update::WriteMeter { meter, index, config })
    }

    fn direct_meter(&self, py: Python<'_>, table: &str, handle: u64) -> PyResult<Option<Rates>> {
        let config = self.read(py, |control| control.direct_meter(table, &EntryRef::Handle(handle)))?;
        Ok(config.map(rates_out))
    }

    fn set_direct_meter(
        &self,
        py: Python<'_>,
        table: String,
        handle: u64,
        rates: Option<Rates>,
    ) -> PyResult<()> {
        let (entry, config) = (EntryRef::Handle(handle), rates.map(rates_in));
        self.change(py, control::Update::WriteDirectMeter { table, entry, config })
    }

    /// A multicast group's copies as ports and replication ids, if it is configured.
    fn multicast_group(&self, py: Python<'_>, group: u16) -> PyResult<Option<Vec<(u32, u16)>>> {
        self.with(py, |control| {
            let replicas = control.multicast_group(group);
            Ok(replicas.map(|all| all.iter().map(|replica| (replica.port, replica.rid)).collect()))
        })
    }

    fn set_multicast_group(
        &self,
        py: Python<'_>,
        group: u16,
        replicas: Option<Vec<(u32, u16)>>,
    ) -> PyResult<()> {
        let replica = |(port, rid)| Replica { port, rid };
        let replicas = replicas.map(|all| all.into_iter().map(replica).collect());
        self.change(py, control::Update::SetMulticastGroup { group, replicas })
    }

    /// A clone session's port, group and length in bytes, if it is configured.
    #[expect(clippy::type_complexity, reason = "a row, as Python takes it")]
    fn clone_session(
        &self,
        py: Python<'_>,
        session: u32,
    ) -> PyResult<Option<(Option<u32>, Option<u16>, Option<usize>)>> {
        self.with(py, |control| {
            let config = control.clone_session(session);
            Ok(config.map(|config| (config.port, config.group, config.truncate)))
        })
    }

    fn delete_clone_session(&self, py: Python<'_>, session: u32) -> PyResult<()> {
        self.change(py, control::Update::SetCloneSession { session, config: None::<CloneSession> })
    }

    fn set_queue_depth(
        &self,
        py: Python<'_>,
        depth: usize,
        port: Option<u32>,
        priority: Option<usize>,
    ) -> PyResult<()> {
        self.change(py, control::Update::SetQueueDepth { port, priority, depth })
    }

    /// In packets per second; none means at once.
    fn set_queue_rate(
        &self,
        py: Python<'_>,
        packets_per_second: Option<u64>,
        port: Option<u32>,
        priority: Option<usize>,
    ) -> PyResult<()> {
        let rate = packets_per_second.map(Rate::PacketsPerSecond);
        self.change(py, control::Update::SetQueueRate { port, priority, rate })
    }
}

fn indirect(number: u32, group: bool) -> Target {
    if group { Target::Group(number) } else { Target::Member(number) }
}

fn rates_out(config: MeterConfig) -> Rates {
    (config.committed_rate, config.committed_burst, config.peak_rate, config.peak_burst)
}

fn rates_in((committed_rate, committed_burst, peak_rate, peak_burst): Rates) -> MeterConfig {
    MeterConfig { committed_rate, committed_burst, peak_rate, peak_burst }
}
