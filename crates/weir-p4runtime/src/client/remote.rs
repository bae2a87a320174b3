//! The control interface of a switch that P4Runtime reaches.

use std::collections::BTreeMap;
use std::sync::Arc;

use weir_control::{Controlled, Error};
use weir_device::{Nanos, Port};
use weir_ir::{Bits, ExternId, TableId, ValueSetId};
use weir_switch::control::{
    BatchError, Calculation, CloneSession, CounterValue, CrcParameters, Digest, EntryRef, EntryState,
    GroupMember, IdleNotice, LogLine, Match, MemberState, MeterConfig, ProfileState, QueueState, Replica,
    TableState, Target, Update,
};

use super::changes::{cell, not_in_protocol};
use super::connection::Connection;
use super::decode::{counts_read, group_members_read, rates_read, replicas_read};
use super::encode::update;
use super::handles::{Handles, key_of};
use super::program::Program;
use crate::proto::v1::entity::Entity;
use crate::proto::v1::update::Type;
use crate::proto::v1::{
    self, packet_replication_engine_entry as engine, stream_message_request, write_request::Atomicity,
};

/// A switch at the other end of a connection.
pub struct Remote {
    connection: Arc<Connection>,
    program: Arc<Program>,
    pub(super) handles: Handles,
    /// Whether this client has asked the switch to send digests.
    gets_digests: bool,
}

impl Remote {
    /// The switch of a connection, which runs this program.
    pub fn new(connection: Arc<Connection>, program: Arc<Program>) -> Self {
        Self { connection, program, handles: Handles::default(), gets_digests: false }
    }

    /// What it runs.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Reads entities.
    pub(super) fn read(&self, entities: Vec<Entity>) -> Result<Vec<Entity>, Error> {
        let entities = entities.into_iter().map(|entity| v1::Entity { entity: Some(entity) }).collect();
        let found = self.connection.read(entities)?;
        Ok(found.into_iter().filter_map(|entity| entity.entity).collect())
    }

    /// The key of an entry.
    pub(super) fn entry_key(&self, table: TableId, entry: &EntryRef) -> Result<v1::TableEntry, Error> {
        match entry {
            EntryRef::Key { matches, priority } => Ok(self.program.key(table, matches, *priority)),
            EntryRef::Handle(handle) => self.handles.key(table, *handle).cloned().ok_or_else(|| {
                let name = &self.program.schema.tables[table.index()].name;
                Error::new(format!(
                    "this client knows no entry {handle} of table `{name}`: it numbers the entries that it inserted or \
                     read; name others by what they match"
                ))
            }),
        }
    }

    /// The entries of a table without its default.
    pub(super) fn read_table(&self, table: TableId) -> Result<Vec<v1::TableEntry>, Error> {
        let all = v1::TableEntry {
            table_id: self.program.table_ids(table).id,
            counter_data: self.counts(table),
            ..v1::TableEntry::default()
        };
        let found = self.read(vec![Entity::TableEntry(all)])?.into_iter().filter_map(|entity| match entity {
            Entity::TableEntry(entry) if !entry.is_default_action => Some(entry),
            _ => None,
        });
        Ok(found.collect())
    }

    /// Asks for the counts of entries, if the table has them.
    fn counts(&self, table: TableId) -> Option<v1::CounterData> {
        let counter = &self.program.schema.tables[table.index()].direct_counter;
        counter.as_ref().map(|_| v1::CounterData::default())
    }

    pub(super) fn next_member(&self, profile: ExternId) -> Result<u32, Error> {
        Ok(self.members(profile)?.iter().map(|member| member.member_id + 1).max().unwrap_or(1))
    }

    pub(super) fn next_group(&self, profile: ExternId) -> Result<u32, Error> {
        Ok(self.groups(profile)?.iter().map(|group| group.group_id + 1).max().unwrap_or(1))
    }

    fn members(&self, profile: ExternId) -> Result<Vec<v1::ActionProfileMember>, Error> {
        let action_profile_id = self.program.externs[profile.index()];
        let all = v1::ActionProfileMember { action_profile_id, ..v1::ActionProfileMember::default() };
        let found = self.read(vec![Entity::ActionProfileMember(all)])?.into_iter();
        Ok(found
            .filter_map(|entity| match entity {
                Entity::ActionProfileMember(member) => Some(member),
                _ => None,
            })
            .collect())
    }

    fn groups(&self, profile: ExternId) -> Result<Vec<v1::ActionProfileGroup>, Error> {
        let action_profile_id = self.program.externs[profile.index()];
        let all = v1::ActionProfileGroup { action_profile_id, ..v1::ActionProfileGroup::default() };
        let found = self.read(vec![Entity::ActionProfileGroup(all)])?.into_iter();
        Ok(found
            .filter_map(|entity| match entity {
                Entity::ActionProfileGroup(group) => Some(group),
                _ => None,
            })
            .collect())
    }

    fn engine(&self, all: engine::Type) -> Result<impl Iterator<Item = engine::Type>, Error> {
        let all = v1::PacketReplicationEngineEntry { r#type: Some(all) };
        let found = self.read(vec![Entity::PacketReplicationEngineEntry(all)])?.into_iter();
        Ok(found.filter_map(|entity| match entity {
            Entity::PacketReplicationEngineEntry(entry) => entry.r#type,
            _ => None,
        }))
    }

    pub(super) fn read_groups(&self) -> Result<Vec<(u16, Vec<Replica>)>, Error> {
        let found = self.engine(engine::Type::MulticastGroupEntry(v1::MulticastGroupEntry::default()))?;
        Ok(found
            .filter_map(|entry| match entry {
                engine::Type::MulticastGroupEntry(group) => {
                    Some((u16::try_from(group.multicast_group_id).ok()?, replicas_read(&group.replicas)))
                }
                engine::Type::CloneSessionEntry(_) => None,
            })
            .collect())
    }

    pub(super) fn read_sessions(&self) -> Result<Vec<(u32, CloneSession)>, Error> {
        let found = self.engine(engine::Type::CloneSessionEntry(v1::CloneSessionEntry::default()))?;
        Ok(found
            .filter_map(|entry| match entry {
                engine::Type::CloneSessionEntry(session) => {
                    let replicas = replicas_read(&session.replicas);
                    let truncate =
                        usize::try_from(session.packet_length_bytes).ok().filter(|length| *length > 0);
                    let priority =
                        usize::try_from(session.class_of_service).ok().filter(|priority| *priority > 0);
                    let config = match &replicas[..] {
                        [Replica { port, rid: 0, backups }] if backups.is_empty() => {
                            CloneSession { port: Some(*port), truncate, priority, ..CloneSession::default() }
                        }
                        _ => CloneSession { replicas, truncate, priority, ..CloneSession::default() },
                    };
                    Some((session.session_id, config))
                }
                engine::Type::MulticastGroupEntry(_) => None,
            })
            .collect())
    }

    /// Has the switch send each digest at once; without it, it sends none.
    fn ask_for_digests(&mut self) -> Result<(), Error> {
        if self.gets_digests {
            return Ok(());
        }
        for (digest_id, _, _) in &self.program.digests {
            let config = v1::digest_entry::Config { max_timeout_ns: 0, max_list_size: 1, ack_timeout_ns: 0 };
            let entry = Entity::DigestEntry(v1::DigestEntry { digest_id: *digest_id, config: Some(config) });
            let asked = self.connection.write(vec![update(Type::Insert, entry)], Atomicity::ContinueOnError);
            match asked {
                Err(refused) if !refused.is_already_there() => return Err(refused.into()),
                _ => {}
            }
        }
        self.gets_digests = true;
        Ok(())
    }

    fn states(&mut self, read: Vec<v1::TableEntry>) -> Result<Vec<EntryState>, Error> {
        let state = |entry: v1::TableEntry| {
            let (table, state) = self.program.entry(&entry).map_err(Error::new)?;
            Ok(EntryState { handle: self.handles.of(table, &key_of(&entry)), ..state })
        };
        read.into_iter().map(state).collect()
    }

    /// The answer to a question about one entity.
    fn answer<T>(&self, question: Entity, of: impl Fn(Entity) -> Option<T>, what: &str) -> Result<T, Error> {
        let found = self.read(vec![question])?.into_iter().find_map(of);
        found.ok_or_else(|| Error::new(format!("the switch has no such {what}")))
    }

    fn counter_cells(&self, counter: ExternId, index: Option<u64>) -> Result<Vec<CounterValue>, Error> {
        let counter_id = self.program.externs[counter.index()];
        let question = v1::CounterEntry { counter_id, index: index.map(cell), data: None };
        let found = self.read(vec![Entity::CounterEntry(question)])?.into_iter();
        Ok(found
            .filter_map(|entity| match entity {
                Entity::CounterEntry(cell) => Some(cell.data.map(counts_read).unwrap_or_default()),
                _ => None,
            })
            .collect())
    }

    fn meter_cells(&self, meter: ExternId, index: Option<u64>) -> Result<Vec<Option<MeterConfig>>, Error> {
        let meter_id = self.program.externs[meter.index()];
        let question = v1::MeterEntry { meter_id, index: index.map(cell), config: None, counter_data: None };
        let found = self.read(vec![Entity::MeterEntry(question)])?.into_iter();
        Ok(found
            .filter_map(|entity| match entity {
                Entity::MeterEntry(cell) => Some(cell.config.map(rates_read)),
                _ => None,
            })
            .collect())
    }

    fn register_cells(&self, register: ExternId, index: Option<u64>) -> Result<Vec<Bits>, Error> {
        let register_id = self.program.externs[register.index()];
        let shape = self.program.cells[register.index()].as_ref();
        let question = v1::RegisterEntry { register_id, index: index.map(cell), data: None };
        let found = self.read(vec![Entity::RegisterEntry(question)])?.into_iter();
        let value = |data: Option<v1::P4Data>| {
            let numbers = shape.map(|shape| shape.read(data.as_ref())).unwrap_or_default();
            numbers.iter().fold(Bits::zero(0), |all, number| all.concat(number))
        };
        Ok(found
            .filter_map(|entity| match entity {
                Entity::RegisterEntry(cell) => Some(value(cell.data)),
                _ => None,
            })
            .collect())
    }
}

fn first<T>(cells: Vec<T>, index: u64) -> Result<T, Error> {
    cells.into_iter().next().ok_or_else(|| Error::new(format!("the switch has no cell {index}")))
}

impl Controlled for Remote {
    fn write(&mut self, updates: &[Update]) -> Result<Vec<Option<u64>>, BatchError<Error>> {
        let (mut all, mut of, mut inserted) = (Vec::new(), Vec::new(), Vec::with_capacity(updates.len()));
        for (index, change) in updates.iter().enumerate() {
            let changes = self.changes(change).map_err(|error| BatchError { index, error })?;
            of.resize(all.len() + changes.updates.len(), index);
            all.extend(changes.updates);
            inserted.push(changes.inserted);
        }
        let written = self.connection.write(all, Atomicity::RollbackOnError);
        let failed = |refused: super::Refused| BatchError {
            index: refused.update.and_then(|at| of.get(at).copied()).unwrap_or(0),
            error: refused.into(),
        };
        written.map_err(failed)?;
        Ok(inserted)
    }

    fn change(&mut self, change: &Update) -> Result<Option<u64>, Error> {
        let changes = self.changes(change)?;
        let one =
            if changes.updates.len() > 1 { Atomicity::RollbackOnError } else { Atomicity::ContinueOnError };
        if let Update::Delete { table, entry } = change {
            let key = self.entry_key(*table, entry)?;
            self.connection.write(changes.updates, one)?;
            self.handles.remove(&key);
        } else if !changes.updates.is_empty() {
            self.connection.write(changes.updates, one)?;
        }
        Ok(changes.inserted)
    }

    fn entries(&mut self, table: TableId) -> Result<Vec<EntryState>, Error> {
        let read = self.read_table(table)?;
        self.states(read)
    }

    fn entry(&mut self, table: TableId, entry: &EntryRef) -> Result<EntryState, Error> {
        let mut question = self.entry_key(table, entry)?;
        question.counter_data = self.counts(table);
        let entry = |entity| match entity {
            Entity::TableEntry(entry) => Some(entry),
            _ => None,
        };
        let found = self.answer(Entity::TableEntry(question), entry, "entry")?;
        self.states(vec![found])?.pop().ok_or_else(|| Error::new("the switch has no such entry"))
    }

    fn table_state(&mut self, table: TableId) -> Result<TableState, Error> {
        // The protocol says neither hits and misses of a table nor its memory.
        Ok(TableState { entries: self.read_table(table)?.len(), ..TableState::default() })
    }

    fn default_action(&mut self, table: TableId) -> Result<Target, Error> {
        let table_id = self.program.table_ids(table).id;
        let question = v1::TableEntry { table_id, is_default_action: true, ..v1::TableEntry::default() };
        let entry = |entity| match entity {
            Entity::TableEntry(entry) => Some(entry),
            _ => None,
        };
        let found = self.answer(Entity::TableEntry(question), entry, "default action")?;
        self.program.target_read(found.action.as_ref()).map_err(Error::new)
    }

    fn counter(&mut self, counter: ExternId, index: u64) -> Result<CounterValue, Error> {
        first(self.counter_cells(counter, Some(index))?, index)
    }

    fn counters(&mut self, counter: ExternId) -> Result<Vec<CounterValue>, Error> {
        self.counter_cells(counter, None)
    }

    fn direct_counter(&mut self, table: TableId, entry: &EntryRef) -> Result<CounterValue, Error> {
        let key = self.entry_key(table, entry)?;
        let question =
            Entity::DirectCounterEntry(v1::DirectCounterEntry { table_entry: Some(key), data: None });
        let counts = |entity| match entity {
            Entity::DirectCounterEntry(cell) => Some(cell.data.map(counts_read).unwrap_or_default()),
            _ => None,
        };
        self.answer(question, counts, "entry")
    }

    fn register(&mut self, register: ExternId, index: u64) -> Result<Bits, Error> {
        first(self.register_cells(register, Some(index))?, index)
    }

    fn registers(&mut self, register: ExternId) -> Result<Vec<Bits>, Error> {
        self.register_cells(register, None)
    }

    fn meter(&mut self, meter: ExternId, index: u64) -> Result<Option<MeterConfig>, Error> {
        first(self.meter_cells(meter, Some(index))?, index)
    }

    fn meters(&mut self, meter: ExternId) -> Result<Vec<Option<MeterConfig>>, Error> {
        self.meter_cells(meter, None)
    }

    fn direct_meter(&mut self, table: TableId, entry: &EntryRef) -> Result<Option<MeterConfig>, Error> {
        let key = self.entry_key(table, entry)?;
        let question = v1::DirectMeterEntry { table_entry: Some(key), config: None, counter_data: None };
        let rates = |entity| match entity {
            Entity::DirectMeterEntry(cell) => Some(cell.config.map(rates_read)),
            _ => None,
        };
        self.answer(Entity::DirectMeterEntry(question), rates, "entry")
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
            let action = self.program.call_read(action).map_err(Error::new)?;
            state.members.insert(member.member_id, MemberState { action, users: 0 });
        }
        for group in self.groups(profile)? {
            let members: Vec<GroupMember> = group_members_read(&group.members);
            for one in &members {
                state.members.entry(one.member).and_modify(|member| member.users += 1);
            }
            state.groups.insert(group.group_id, (members, 0));
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
        let members = self.answer(question, members, "value set")?;
        Ok(self.program.members_read(set, &members))
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
        Err(not_in_protocol("the ports of a switch"))
    }

    fn now(&mut self) -> Result<Nanos, Error> {
        Err(not_in_protocol("the time of a switch"))
    }

    fn take_digests(&mut self) -> Result<Vec<Digest>, Error> {
        self.ask_for_digests()?;
        let mut found = Vec::new();
        for list in self.connection.inbox.take_digests() {
            let shape = self.program.digests.iter().find(|(id, _, _)| *id == list.digest_id);
            let Some((id, name, shape)) = shape else { continue };
            let names: Vec<String> = shape.leaves().into_iter().map(|(name, _)| name).collect();
            let time = u64::try_from(list.timestamp).unwrap_or(0);
            found.extend(list.data.iter().map(|data| Digest {
                time,
                packet: 0,
                receiver: 0,
                values: shape.read(Some(data)),
                names: names.clone(),
                name: Arc::clone(name),
            }));
            let ack = v1::DigestListAck { digest_id: *id, list_id: list.list_id };
            self.connection.send(stream_message_request::Update::DigestAck(ack))?;
        }
        Ok(found)
    }

    fn take_log(&mut self) -> Result<Vec<LogLine>, Error> {
        Err(not_in_protocol("lines of log_msg"))
    }

    fn take_idle_notices(&mut self) -> Result<Vec<IdleNotice>, Error> {
        let mut found = Vec::new();
        for notice in self.connection.inbox.take_idle() {
            let time = u64::try_from(notice.timestamp).unwrap_or(0);
            for entry in notice.table_entry {
                let (table, state) = self.program.entry(&entry).map_err(Error::new)?;
                let handle = self.handles.of(table, &key_of(&entry));
                found.push(IdleNotice { time, table, handle, entry: state.entry });
            }
        }
        Ok(found)
    }
}
