//! One switch's control interface: what is read of it, and changes handed on.

use pyo3::prelude::*;
use weir_control::by_name::{self as control, GroupMember, Match};
use weir_control::{Error, runtime_json};
use weir_ir::Bits;
use weir_json::Document;

use crate::control::{Args, Entry, MatchParts, QueueRate, Rates, Target, args_out, match_out};
use crate::control::{rate_out, rates_out};
use crate::errors;
use crate::step::Step;
use crate::update::{EntryKey, Update};
use crate::value;

/// A digest: time, packet, receiver, and its values with names, bits and big-endian bytes.
type DigestRow = (u64, u64, u64, Vec<(String, u32, Vec<u8>)>);

/// An object that holds a switch.
pub trait SwitchHolder: Send + Sync {
    /// Calls `act` with the switch and the current time in nanoseconds.
    fn with_switch(&self, act: &mut dyn FnMut(&mut weir_switch::Switch, u64)) -> PyResult<()>;
}

/// The control interface of a switch.
#[pyclass(frozen)]
pub struct Switch(pub Box<dyn SwitchHolder>);

/// A profile's member: number, action, arguments, how many groups, entries and defaults name it.
type MemberRow = (u32, String, Args, usize);

/// A profile's group: number, members with their weights, how many entries and defaults name it.
type GroupRow = (u32, Vec<(u32, u32)>, usize);

/// A queue: packets waiting, packets that it holds, its own rate, its port's.
type QueueRow = (usize, usize, Option<QueueRate>, Option<QueueRate>);

/// A clone session: number, port, group, length in bytes.
type SessionRow = (u32, Option<u32>, Option<u16>, Option<usize>);

/// A CRC's polynomial, initial value, final xor, and whether data and remainder are reflected.
type CrcRow = (u32, u32, u32, bool, bool);

impl Switch {
    fn with<T>(&self, act: impl FnOnce(&mut control::Control<'_>) -> PyResult<T>) -> PyResult<T> {
        self.with_switch(|switch, now| act(&mut control::Control::from(switch.control_at(now))))?
    }

    fn apply(&self, document: &Document) -> PyResult<usize> {
        self.with(|control| {
            runtime_json::apply(control.by_id(), document).map_err(|error| errors::document(&error))
        })
    }

    /// Calls `act` with the switch and the current time in nanoseconds.
    pub fn with_switch<T>(&self, act: impl FnOnce(&mut weir_switch::Switch, u64) -> T) -> PyResult<T> {
        let (mut act, mut result) = (Some(act), None);
        self.0.with_switch(&mut |switch, now| {
            if let Some(act) = act.take() {
                result = Some(act(switch, now));
            }
        })?;
        result.ok_or_else(|| errors::network("the switch was not called"))
    }

    fn read<T>(&self, read: impl FnOnce(&mut control::Control<'_>) -> Result<T, Error>) -> PyResult<T> {
        self.with(|control| read(control).map_err(|error| errors::request(&error)))
    }
}

#[pymethods]
impl Switch {
    /// Does all updates, or none: then the number of the one that is wrong, and why. Else for each the handle of the entry, or the number
    /// of the member or group, that it made.
    #[expect(clippy::type_complexity, reason = "one of two, as Python takes it")]
    fn write(
        &self,
        updates: Vec<PyRef<'_, Update>>,
    ) -> PyResult<(Vec<Option<u64>>, Option<(usize, String)>)> {
        let updates: Vec<_> = updates.iter().map(|update| update.0.clone()).collect();
        self.with(|control| {
            Ok(match control.write(&updates) {
                Ok(made) => (made, None),
                Err(failed) => (Vec::new(), Some((failed.index, failed.error.to_string()))),
            })
        })
    }

    /// Applies runtime JSON: all of it, or nothing if anything in it is wrong. Returns the number of changes.
    fn load(&self, file: String, text: String) -> PyResult<usize> {
        let document = Document::parse(file, text).map_err(|error| errors::document(&error))?;
        self.apply(&document)
    }

    /// The same for a document of Python's values.
    fn load_values(&self, document: &Bound<'_, PyAny>) -> PyResult<usize> {
        self.apply(&Document::of(value::read(document)?))
    }

    /// A table's entries in the order in which they were inserted.
    fn entries(&self, py: Python<'_>, table: &str) -> PyResult<Vec<Entry>> {
        let entries = self.read(|control| control.entries(table))?;
        entries.into_iter().map(|entry| Entry::new(py, entry)).collect()
    }

    /// One entry.
    fn entry(&self, py: Python<'_>, table: &str, entry: EntryKey) -> PyResult<Entry> {
        let entry = entry.read()?;
        Entry::new(py, self.read(|control| control.entry(table, &entry))?)
    }

    fn default_action(&self, table: &str) -> PyResult<Target> {
        Ok(Target(self.read(|control| control.default_action(table))?))
    }

    /// A table's entries now, look-ups that found one, look-ups that found none, bytes of memory.
    fn table_state(&self, table: &str) -> PyResult<(usize, u64, u64, usize)> {
        let state = self.read(|control| control.table_state(table))?;
        Ok((state.entries, state.hits, state.misses, state.memory))
    }

    fn profile(&self, profile: &str) -> PyResult<(Vec<MemberRow>, Vec<GroupRow>)> {
        let state = self.read(|control| control.profile(profile))?;
        let member = |(number, member): (u32, control::MemberState)| {
            let args = args_out(&member.action);
            (number, member.action.action, args, member.users)
        };
        let group = |(number, (members, users)): (u32, (Vec<GroupMember>, usize))| {
            (number, members.into_iter().map(|one| (one.member, one.weight)).collect(), users)
        };
        Ok((state.members.into_iter().map(member).collect(), state.groups.into_iter().map(group).collect()))
    }

    /// A counter cell's packets and bytes.
    fn counter(&self, counter: &str, index: u64) -> PyResult<(u64, u64)> {
        let value = self.read(|control| control.counter(counter, index))?;
        Ok((value.packets, value.bytes))
    }

    fn counters(&self, counter: &str) -> PyResult<Vec<(u64, u64)>> {
        let values = self.read(|control| control.counters(counter))?;
        Ok(values.into_iter().map(|value| (value.packets, value.bytes)).collect())
    }

    fn direct_counter(&self, table: &str, entry: EntryKey) -> PyResult<(u64, u64)> {
        let entry = entry.read()?;
        let value = self.read(|control| control.direct_counter(table, &entry))?;
        Ok((value.packets, value.bytes))
    }

    fn register(&self, register: &str, index: u64) -> PyResult<Vec<u8>> {
        Ok(self.read(|control| control.register(register, index))?.to_be_bytes())
    }

    fn registers(&self, register: &str) -> PyResult<Vec<Vec<u8>>> {
        let cells = self.read(|control| control.registers(register))?;
        Ok(cells.iter().map(weir_ir::Bits::to_be_bytes).collect())
    }

    fn meter(&self, meter: &str, index: u64) -> PyResult<Option<Rates>> {
        Ok(self.read(|control| control.meter(meter, index))?.map(rates_out))
    }

    fn meters(&self, meter: &str) -> PyResult<Vec<Option<Rates>>> {
        let cells = self.read(|control| control.meters(meter))?;
        Ok(cells.into_iter().map(|cell| cell.map(rates_out)).collect())
    }

    fn direct_meter(&self, table: &str, entry: EntryKey) -> PyResult<Option<Rates>> {
        let entry = entry.read()?;
        Ok(self.read(|control| control.direct_meter(table, &entry))?.map(rates_out))
    }

    fn crc(&self, algorithm: &str) -> PyResult<CrcRow> {
        let crc = self.read(|control| control.crc(algorithm))?;
        Ok((crc.polynomial, crc.initial, crc.final_xor, crc.reflect_in, crc.reflect_out))
    }

    /// A parser value set's members, a match for each field.
    fn value_set(&self, set: &str) -> PyResult<Vec<Vec<MatchParts>>> {
        let members = self.read(|control| control.value_set(set))?;
        let member =
            |member: Vec<Match>| member.into_iter().map(|one| match_out(String::new(), one)).collect();
        Ok(members.into_iter().map(member).collect())
    }

    /// Nanoseconds since the start.
    fn now(&self) -> PyResult<u64> {
        self.with(|control| Ok(control.now()))
    }

    fn ports(&self) -> PyResult<Vec<u32>> {
        self.with(|control| Ok(control.ports().collect()))
    }

    /// All multicast groups: number, and ports with replication ids.
    #[expect(clippy::type_complexity, reason = "rows, as Python takes them")]
    fn multicast_groups(&self) -> PyResult<Vec<(u16, Vec<(u32, u16)>)>> {
        let replicas = |all: &[control::Replica]| all.iter().map(|one| (one.port, one.rid)).collect();
        self.with(|control| {
            Ok(control.multicast_groups().map(|(group, all)| (group, replicas(all))).collect())
        })
    }

    fn clone_sessions(&self) -> PyResult<Vec<SessionRow>> {
        self.with(|control| {
            let sessions = control.clone_sessions();
            Ok(sessions.map(|(session, s)| (session, s.port, s.group, s.truncate)).collect())
        })
    }

    /// A port's queues by priority.
    fn queues(&self, port: u32) -> PyResult<Vec<QueueRow>> {
        let queues = self.read(|control| control.queues(port))?;
        let row = |queue: control::QueueState| {
            (queue.waiting, queue.depth, queue.rate.map(rate_out), queue.port_rate.map(rate_out))
        };
        Ok(queues.into_iter().map(row).collect())
    }

    /// Traces the next packets that come in; none: no more, and forgets what was traced.
    fn trace(&self, packets: u64) -> PyResult<()> {
        self.with_switch(|switch, _| match packets {
            0 => switch.stop_trace(),
            packets => switch.trace_next(packets),
        })
    }

    /// Takes the steps traced since the last call, how many were lost, and how many packets are still to be traced.
    fn take_steps(&self) -> PyResult<(Vec<Step>, u64, u64)> {
        self.with_switch(|switch, _| {
            let (steps, lost) = switch.take_trace();
            (steps.into_iter().map(Step).collect(), lost, switch.trace_left())
        })
    }

    /// Takes the digests since the last call: time, packet, receiver, values.
    fn take_digests(&self) -> PyResult<Vec<DigestRow>> {
        self.with(|control| Ok(control.take_digests().into_iter().map(digest_out).collect()))
    }

    /// Takes the lines of `log_msg` since the last call: time, packet, text.
    fn take_log(&self) -> PyResult<Vec<(u64, u64, String)>> {
        let row = |line: control::LogLine| (line.time, line.packet, line.text);
        self.with(|control| Ok(control.take_log().into_iter().map(row).collect()))
    }

    /// Takes the notices of idle entries since the last call: time, table, the entry as it was.
    fn take_idle_notices(&self, py: Python<'_>) -> PyResult<Vec<(u64, String, Entry)>> {
        let entry = |handle, entry| control::EntryState {
            handle,
            entry,
            is_const: false,
            hits: None,
            last_hit: None,
        };
        let row = |notice: control::IdleNotice| {
            Ok((notice.time, notice.table, Entry::new(py, entry(notice.handle, notice.entry))?))
        };
        self.with(|control| control.take_idle_notices().into_iter().map(row).collect())
    }
}

fn digest_out(digest: control::Digest) -> DigestRow {
    let mut names = digest.names.into_iter();
    let value = |value: Bits| (names.next().unwrap_or_default(), value.width(), value.to_be_bytes());
    (digest.time, digest.packet, digest.receiver, digest.values.into_iter().map(value).collect())
}
