//! The control interface of a remote switch.

use std::collections::BTreeMap;
use std::sync::Arc;

use weir_control::{Controlled, Error};
use weir_device::{Nanos, Port};
use weir_ir::{Bits, ExternId, TableId, ValueSetId};
use weir_switch::control::{
    BatchError, Calculation, CloneSession, CounterValue, CrcParameters, Digest, EntryRef, EntryState,
    IdleNotice, LogLine, Match, MemberState, MeterConfig, MeterCounts, ProfileState, QueueState, Replica,
    TableState, Target, Update,
};

use super::data::VALIDITY;
use super::decode::{decode_counts, decode_meter_counts, decode_rates};
use super::encode::cell;
use super::handles::key_of;
use super::numbers::number_of;
use super::outcome::not_in_protocol;
use super::pending::Pending;
use super::remote::Remote;
use crate::proto::v1::entity::Entity;
use crate::proto::v1::{self, stream_message_request, write_request::Atomicity};

fn first_cell<T>(cells: Vec<T>, index: u64) -> Result<T, Error> {
    cells.into_iter().next().ok_or_else(|| Error::new(format!("the switch has no cell {index}")))
}

impl Controlled for Remote {
    fn write(&mut self, updates: &[Update]) -> Result<Vec<Option<u64>>, BatchError<Error>> {
        let (mut all, mut of, mut inserted) = (Pending::default(), Vec::new(), Vec::new());
        for (index, change) in updates.iter().enumerate() {
            let changes = self.changes(change, &mut all).map_err(|error| BatchError { index, error })?;
            of.resize(all.updates.len() + changes.updates.len(), index);
            all.updates.extend(changes.updates);
            inserted.push(changes.inserted);
        }
        let failed = |refused: super::Refusal| BatchError {
            index: refused.update.and_then(|at| of.get(at).copied()).unwrap_or(0),
            error: refused.into(),
        };
        self.make(all.updates, inserted, Atomicity::RollbackOnError).map_err(failed)
    }

    fn change(&mut self, change: &Update) -> Result<Option<u64>, Error> {
        if let Update::Reset = change {
            return self.reset().map(|()| None);
        }
        let changes = self.changes(change, &mut Pending::default())?;
        let single_write =
            if changes.updates.len() > 1 { Atomicity::RollbackOnError } else { Atomicity::ContinueOnError };
        if changes.updates.is_empty() {
            return Ok(None);
        }
        let inserted = self.make(changes.updates, vec![changes.inserted], single_write)?;
        Ok(inserted.into_iter().next().flatten())
    }

    fn entries(&mut self, table: TableId) -> Result<Vec<EntryState>, Error> {
        let read = self.read_table(table)?;
        let states = self.entry_states(read)?;
        let handles = states.iter().map(|state| state.handle).collect();
        self.handles.retain_handles(self.program.table_ids(table).id, &handles);
        Ok(states)
    }

    fn entry(&mut self, table: TableId, entry: &EntryRef) -> Result<EntryState, Error> {
        let mut question = self.entry_key(table, entry)?;
        question.counter_data = self.counts_request(table);
        let entry = |entity| match entity {
            Entity::TableEntry(entry) => Some(entry),
            _ => None,
        };
        let table_entry = self.read_one(Entity::TableEntry(question), entry, "entry")?;
        self.entry_states(vec![table_entry])?.pop().ok_or_else(|| Error::new("the switch has no such entry"))
    }

    fn table_state(&mut self, table: TableId) -> Result<TableState, Error> {
        // The protocol reports neither a table's hits and misses nor its memory.
        Ok(TableState { entries: self.read_table(table)?.len(), ..TableState::default() })
    }

    fn default_action(&mut self, table: TableId) -> Result<Target, Error> {
        let table_id = self.program.table_ids(table).id;
        let question = v1::TableEntry { table_id, is_default_action: true, ..v1::TableEntry::default() };
        let entry = |entity| match entity {
            Entity::TableEntry(entry) => Some(entry),
            _ => None,
        };
        let table_entry = self.read_one(Entity::TableEntry(question), entry, "default action")?;
        self.program.decode_target(table_entry.action.as_ref()).map_err(Error::new)
    }

    fn counter(&mut self, counter: ExternId, index: u64) -> Result<CounterValue, Error> {
        first_cell(self.counter_cells(counter, Some(index))?, index)
    }

    fn counters(&mut self, counter: ExternId) -> Result<Vec<CounterValue>, Error> {
        self.counter_cells(counter, None)
    }

    fn direct_counter(&mut self, table: TableId, entry: &EntryRef) -> Result<CounterValue, Error> {
        let key = self.entry_key(table, entry)?;
        let question =
            Entity::DirectCounterEntry(v1::DirectCounterEntry { table_entry: Some(key), data: None });
        let counts = |entity| match entity {
            Entity::DirectCounterEntry(cell) => Some(cell.data.map(decode_counts).unwrap_or_default()),
            _ => None,
        };
        self.read_one(question, counts, "entry")
    }

    fn register(&mut self, register: ExternId, index: u64) -> Result<Bits, Error> {
        first_cell(self.register_cells(register, Some(index))?, index)
    }

    fn registers(&mut self, register: ExternId) -> Result<Vec<Bits>, Error> {
        self.register_cells(register, None)
    }

    fn meter(&mut self, meter: ExternId, index: u64) -> Result<Option<MeterConfig>, Error> {
        first_cell(self.meter_cells(meter, Some(index))?, index)
    }

    fn meters(&mut self, meter: ExternId) -> Result<Vec<Option<MeterConfig>>, Error> {
        self.meter_cells(meter, None)
    }

    fn direct_meter(&mut self, table: TableId, entry: &EntryRef) -> Result<Option<MeterConfig>, Error> {
        let key = self.entry_key(table, entry)?;
        Ok(self.entry_config(key)?.map(decode_rates))
    }

    fn meter_counts(&mut self, meter: ExternId, index: u64) -> Result<MeterCounts, Error> {
        let meter_id = self.program.externs[meter.index()];
        let counter_data = Some(v1::MeterCounterData::default());
        let question = v1::MeterEntry { meter_id, index: Some(cell(index)), config: None, counter_data };
        let counts = |entity| match entity {
            Entity::MeterEntry(cell) => Some(decode_meter_counts(cell.counter_data)),
            _ => None,
        };
        self.read_one(Entity::MeterEntry(question), counts, "cell")
    }

    fn direct_meter_counts(&mut self, table: TableId, entry: &EntryRef) -> Result<MeterCounts, Error> {
        let counter_data = Some(v1::MeterCounterData::default());
        let table_entry = Some(self.entry_key(table, entry)?);
        let question = v1::DirectMeterEntry { table_entry, config: None, counter_data };
        let counts = |entity| match entity {
            Entity::DirectMeterEntry(cell) => Some(decode_meter_counts(cell.counter_data)),
            _ => None,
        };
        self.read_one(Entity::DirectMeterEntry(question), counts, "entry")
    }

    fn crc(&mut self, _calculation: Calculation) -> Result<CrcParameters, Error> {
        Err(not_in_protocol("parameters of CRC calculations"))
    }

    fn profile(&mut self, profile: ExternId) -> Result<ProfileState, Error> {
        let mut state = ProfileState { members: BTreeMap::new(), groups: BTreeMap::new() };
        for member in self.members(profile)? {
            let action = member
                .action
                .as_ref()
                .ok_or_else(|| Error::new("the switch answered with a member without action"))?;
            let action = self.program.decode_call(action).map_err(Error::new)?;
            state.members.insert(number_of(member.member_id), MemberState { action, users: 0 });
        }
        let profiles = &self.program.schema.profiles;
        let is_selector = profiles.iter().any(|one| one.id == profile && one.is_selector);
        for group in if is_selector { self.groups(profile)? } else { Vec::new() } {
            let members = self.program.decode_group_members(&group.members).map_err(Error::new)?;
            for one in &members {
                state.members.entry(one.member).and_modify(|member| member.users += 1);
            }
            state.groups.insert(number_of(group.group_id), (members, 0));
        }
        Ok(state)
    }

    fn value_set(&mut self, set: ValueSetId) -> Result<Vec<Vec<Match>>, Error> {
        let value_set_id = self.program.value_set_ids(set).id;
        let question = Entity::ValueSetEntry(v1::ValueSetEntry { value_set_id, members: Vec::new() });
        let members = |entity| match entity {
            Entity::ValueSetEntry(found) => Some(found.members),
            _ => None,
        };
        let members = self.read_one(question, members, "value set")?;
        self.program.decode_members(set, &members).map_err(Error::new)
    }

    fn multicast_groups(&mut self) -> Result<Vec<(u16, Vec<Replica>)>, Error> {
        self.read_groups()
    }

    fn clone_sessions(&mut self) -> Result<Vec<(u32, CloneSession)>, Error> {
        self.read_sessions()
    }

    fn queues(&mut self, _port: Port) -> Result<Vec<QueueState>, Error> {
        Err(not_in_protocol("the state of queues"))
    }

    fn ports(&mut self) -> Result<Vec<Port>, Error> {
        self.ports.clone().ok_or_else(|| not_in_protocol("the ports of a switch"))
    }

    fn now(&mut self) -> Result<Nanos, Error> {
        Err(not_in_protocol("the time of a switch"))
    }

    fn take_digests(&mut self) -> Result<Vec<Digest>, Error> {
        self.request_digests()?;
        let mut digests = Vec::new();
        for list in self.connection.inbox.take_digests() {
            let shape = self.program.digests.iter().find(|(id, _, _)| *id == list.digest_id);
            let Some((id, name, shape)) = shape else { continue };
            let leaves: Vec<String> = shape.leaves().into_iter().map(|(name, _)| name).collect();
            // Digests of the control interface have no validity bits.
            let is_field = |name: &str| name.rsplit('.').next() != Some(VALIDITY);
            let fields = |values: Vec<Bits>| {
                let (mut header, mut is_valid) = ("", true);
                let mut all = (Vec::new(), Vec::new());
                for (value, name) in values.into_iter().zip(&leaves) {
                    let (parent, _) = name.rsplit_once('.').unwrap_or_default();
                    if is_field(name) {
                        all.0.push(value);
                        all.1.push(is_valid || parent != header);
                    } else {
                        (header, is_valid) = (parent, value.is_true());
                    }
                }
                all
            };
            let names: Vec<String> = leaves.iter().filter(|name| is_field(name)).cloned().collect();
            let time = u64::try_from(list.timestamp).unwrap_or(0);
            for data in &list.data {
                let numbers = shape.read(Some(data)).map_err(Error::new)?;
                let labels = shape.labels(&numbers).into_iter().zip(&leaves);
                let labels = labels.filter(|(_, name)| is_field(name)).map(|(label, _)| label).collect();
                let (values, present) = fields(numbers);
                let (names, name) = (names.clone(), Arc::clone(name));
                let (packet, receiver) = (0, 0);
                digests.push(Digest { time, packet, receiver, values, present, names, labels, name });
            }
            let ack = v1::DigestListAck { digest_id: *id, list_id: list.list_id };
            self.connection.send(stream_message_request::Update::DigestAck(ack))?;
        }
        Ok(digests)
    }

    fn take_log(&mut self) -> Result<Vec<LogLine>, Error> {
        Err(not_in_protocol("lines of log_msg"))
    }

    fn take_idle_notices(&mut self) -> Result<Vec<IdleNotice>, Error> {
        let mut notices = Vec::new();
        for notice in self.connection.inbox.take_idle() {
            let time = u64::try_from(notice.timestamp).unwrap_or(0);
            for entry in notice.table_entry {
                // A notice identifies the entry, but its action must be read from the switch. The
                // entry may have been deleted in the meantime.
                let key = key_of(&entry);
                let asked = v1::TableEntry { counter_data: None, ..key.clone() };
                for state in self.read(vec![Entity::TableEntry(asked)])? {
                    let Entity::TableEntry(now) = state else { continue };
                    let (table, state) = self.program.entry(&now).map_err(Error::new)?;
                    let handle = self.handles.handle_of(&key);
                    notices.push(IdleNotice { time, table, handle, entry: state.entry });
                }
            }
        }
        Ok(notices)
    }
}
