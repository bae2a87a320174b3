//! A remote switch: reads of its state, and names of its entries.

use std::sync::Arc;

use weir_control::{Controlled, Error};
use weir_device::Port;
use weir_ir::{Bits, ExternId, TableId};
use weir_switch::control::{CloneSession, CounterValue, EntryRef, EntryState, MeterConfig, Replica, Update};

use super::connection::Connection;
use super::decode::{decode_counts, decode_rates};
use super::encode::{cell, update};
use super::handles::{Handles, InsertedObject, key_of};
use super::numbers::next_free_number;
use super::outcome::Refusal;
use super::pending::{Kind, Pending};
use super::program::Program;
use crate::proto::v1::entity::Entity;
use crate::proto::v1::update::Type;
use crate::proto::v1::{self, packet_replication_engine_entry as engine, write_request::Atomicity};

/// The client's view of a remote switch.
pub struct Remote {
    pub(super) connection: Arc<Connection>,
    pub(super) program: Arc<Program>,
    pub(super) handles: Handles,
    /// The ports of the switch, if the client knows them.
    pub(super) ports: Option<Vec<Port>>,
    /// The smallest number that a new member or group gets.
    first: u32,
    /// Whether this client has requested digests from the switch.
    digests_requested: bool,
}

impl Remote {
    /// Creates a client's view of the switch of a connection, which runs this program.
    pub fn new(connection: Arc<Connection>, program: Arc<Program>) -> Self {
        Self {
            connection,
            program,
            handles: Handles::default(),
            ports: None,
            first: 1,
            digests_requested: false,
        }
    }

    /// Returns the same switch inside a network: its ports are known, and members and groups are
    /// numbered from 0.
    #[must_use]
    pub fn in_network(self, ports: Vec<Port>) -> Self {
        Self { ports: Some(ports), first: 0, ..self }
    }

    /// Restarts the program, and keeps the clone sessions; requested digests still arrive.
    pub(super) fn reset(&mut self) -> Result<(), Error> {
        let sessions = self.read_sessions()?;
        let asked_for_digests = self.digests_requested;
        self.connection.restart_program()?;
        (self.handles, self.digests_requested) = (Handles::default(), false);
        self.write_sessions(sessions)?;
        if asked_for_digests { self.request_digests() } else { Ok(()) }
    }

    /// Writes the clone sessions that a restart has removed.
    fn write_sessions(&mut self, sessions: Vec<(u32, CloneSession)>) -> Result<(), Error> {
        if sessions.is_empty() {
            return Ok(());
        }
        let numbers: Vec<_> = sessions.iter().map(|(session, _)| session.to_string()).collect();
        let again = |(session, config)| Update::SetCloneSession { session, config: Some(config) };
        let changes: Vec<_> = sessions.into_iter().map(again).collect();
        self.write(&changes).map(drop).map_err(|failed| {
            let (numbers, error) = (numbers.join(", "), failed.error);
            Error::new(format!(
                "the program has started again, but its clone sessions ({numbers}) are gone: {error}"
            ))
        })
    }

    /// Returns the program that the switch runs.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Reads entities from the switch.
    pub(super) fn read(&self, entities: Vec<Entity>) -> Result<Vec<Entity>, Error> {
        let entities = entities.into_iter().map(|entity| v1::Entity { entity: Some(entity) }).collect();
        let entities_read = self.connection.read(entities)?;
        Ok(entities_read.into_iter().filter_map(|entity| entity.entity).collect())
    }

    /// Returns the key of an entry.
    pub(super) fn entry_key(&self, table: TableId, entry: &EntryRef) -> Result<v1::TableEntry, Error> {
        let table_id = self.program.table_ids(table).id;
        match entry {
            EntryRef::Default => {
                Ok(v1::TableEntry { table_id, is_default_action: true, ..v1::TableEntry::default() })
            }
            EntryRef::Key { matches, priority } => Ok(self.program.entry_key(table, matches, *priority)),
            EntryRef::Handle(handle) => self.handles.key(table_id, *handle).cloned().ok_or_else(|| {
                let name = &self.program.schema.tables[table.index()].name;
                Error::new(format!(
                    "this client knows no entry {handle} of table `{name}`: it numbers the entries that it inserted or \
                     read; name other entries by their match fields"
                ))
            }),
        }
    }

    /// Reads the entries of a table without its default.
    pub(super) fn read_table(&self, table: TableId) -> Result<Vec<v1::TableEntry>, Error> {
        let all = v1::TableEntry {
            table_id: self.program.table_ids(table).id,
            counter_data: self.counts_request(table),
            ..v1::TableEntry::default()
        };
        let entries =
            self.read(vec![Entity::TableEntry(all)])?.into_iter().filter_map(|entity| match entity {
                Entity::TableEntry(entry) if !entry.is_default_action => Some(entry),
                _ => None,
            });
        Ok(entries.collect())
    }

    /// Returns the request for the counts of entries, if the table has them.
    pub(super) fn counts_request(&self, table: TableId) -> Option<v1::CounterData> {
        let counter = &self.program.schema.tables[table.index()].direct_counter;
        counter.as_ref().map(|_| v1::CounterData::default())
    }

    /// Returns a number for a new member, after those of the switch and of the batch.
    pub(super) fn next_member(&self, profile: ExternId, batch: &mut Pending) -> Result<u32, Error> {
        batch.next_number((self.program.externs[profile.index()], Kind::Member), || {
            next_free_number(self.first, self.members(profile)?.iter().map(|member| member.member_id))
        })
    }

    /// Returns a number for a new group, after those of the switch and of the batch.
    pub(super) fn next_group(&self, profile: ExternId, batch: &mut Pending) -> Result<u32, Error> {
        batch.next_number((self.program.externs[profile.index()], Kind::Group), || {
            next_free_number(self.first, self.groups(profile)?.iter().map(|group| group.group_id))
        })
    }

    /// Reads the members of an action profile from the switch.
    pub(super) fn members(&self, profile: ExternId) -> Result<Vec<v1::ActionProfileMember>, Error> {
        let action_profile_id = self.program.externs[profile.index()];
        let all = v1::ActionProfileMember { action_profile_id, ..v1::ActionProfileMember::default() };
        let entities = self.read(vec![Entity::ActionProfileMember(all)])?.into_iter();
        Ok(entities
            .filter_map(|entity| match entity {
                Entity::ActionProfileMember(member) => Some(member),
                _ => None,
            })
            .collect())
    }

    /// Reads the groups of an action profile from the switch.
    pub(super) fn groups(&self, profile: ExternId) -> Result<Vec<v1::ActionProfileGroup>, Error> {
        let action_profile_id = self.program.externs[profile.index()];
        let all = v1::ActionProfileGroup { action_profile_id, ..v1::ActionProfileGroup::default() };
        let entities = self.read(vec![Entity::ActionProfileGroup(all)])?.into_iter();
        Ok(entities
            .filter_map(|entity| match entity {
                Entity::ActionProfileGroup(group) => Some(group),
                _ => None,
            })
            .collect())
    }

    fn replication_entries(&self, all: engine::Type) -> Result<impl Iterator<Item = engine::Type>, Error> {
        let all = v1::PacketReplicationEngineEntry { r#type: Some(all) };
        let entities = self.read(vec![Entity::PacketReplicationEngineEntry(all)])?.into_iter();
        Ok(entities.filter_map(|entity| match entity {
            Entity::PacketReplicationEngineEntry(entry) => entry.r#type,
            _ => None,
        }))
    }

    pub(super) fn read_groups(&self) -> Result<Vec<(u16, Vec<Replica>)>, Error> {
        let entries =
            self.replication_entries(engine::Type::MulticastGroupEntry(v1::MulticastGroupEntry::default()))?;
        let mut groups = Vec::new();
        for entry in entries {
            if let engine::Type::MulticastGroupEntry(group) = entry
                && let Ok(number) = u16::try_from(group.multicast_group_id)
            {
                groups.push((number, self.program.decode_replicas(&group.replicas).map_err(Error::new)?));
            }
        }
        Ok(groups)
    }

    pub(super) fn read_sessions(&self) -> Result<Vec<(u32, CloneSession)>, Error> {
        let entries =
            self.replication_entries(engine::Type::CloneSessionEntry(v1::CloneSessionEntry::default()))?;
        let mut sessions = Vec::new();
        for entry in entries {
            let engine::Type::CloneSessionEntry(session) = entry else { continue };
            let replicas = self.program.decode_replicas(&session.replicas).map_err(Error::new)?;
            let truncate = usize::try_from(session.packet_length_bytes).ok().filter(|length| *length > 0);
            let priority = usize::try_from(session.class_of_service).ok().filter(|priority| *priority > 0);
            let config = match &replicas[..] {
                [Replica { port, rid: 0, backups }] if backups.is_empty() => {
                    CloneSession { port: Some(*port), truncate, priority, ..CloneSession::default() }
                }
                _ => CloneSession { replicas, truncate, priority, ..CloneSession::default() },
            };
            sessions.push((session.session_id, config));
        }
        Ok(sessions)
    }

    /// Requests that the switch send each digest at once; without this request, it sends none.
    pub(super) fn request_digests(&mut self) -> Result<(), Error> {
        if self.digests_requested {
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
        self.digests_requested = true;
        Ok(())
    }

    pub(super) fn entry_states(&mut self, read: Vec<v1::TableEntry>) -> Result<Vec<EntryState>, Error> {
        let state = |entry: v1::TableEntry| {
            let (_, state) = self.program.entry(&entry).map_err(Error::new)?;
            Ok(EntryState { handle: self.handles.handle_of(&key_of(&entry)), ..state })
        };
        read.into_iter().map(state).collect()
    }

    /// Makes changes. Returns the handles and numbers of the inserted objects; deleted entries no
    /// longer have a handle.
    pub(super) fn make(
        &mut self,
        updates: Vec<v1::Update>,
        inserted: Vec<Option<InsertedObject>>,
        atomicity: Atomicity,
    ) -> Result<Vec<Option<u64>>, Refusal> {
        let deleted: Vec<_> = updates.iter().filter_map(deleted_key).collect();
        self.connection.write(updates, atomicity)?;
        let mut number = |inserted| match inserted {
            InsertedObject::Entry(key) => self.handles.handle_of(&key),
            InsertedObject::Number(number) => u64::from(number),
        };
        let numbers = inserted.into_iter().map(|inserted| inserted.map(&mut number)).collect();
        deleted.iter().for_each(|key| self.handles.remove(key));
        Ok(numbers)
    }

    /// Reads the answer to a request about one entity.
    pub(super) fn read_one<T>(
        &self,
        question: Entity,
        convert: impl Fn(Entity) -> Option<T>,
        what: &str,
    ) -> Result<T, Error> {
        let answer = self.read(vec![question])?.into_iter().find_map(convert);
        answer.ok_or_else(|| Error::new(format!("the switch has no such {what}")))
    }

    pub(super) fn counter_cells(
        &self,
        counter: ExternId,
        index: Option<u64>,
    ) -> Result<Vec<CounterValue>, Error> {
        let counter_id = self.program.externs[counter.index()];
        let question = v1::CounterEntry { counter_id, index: index.map(cell), data: None };
        let entities = self.read(vec![Entity::CounterEntry(question)])?.into_iter();
        Ok(entities
            .filter_map(|entity| match entity {
                Entity::CounterEntry(cell) => Some(cell.data.map(decode_counts).unwrap_or_default()),
                _ => None,
            })
            .collect())
    }

    pub(super) fn meter_cells(
        &self,
        meter: ExternId,
        index: Option<u64>,
    ) -> Result<Vec<Option<MeterConfig>>, Error> {
        let meter_id = self.program.externs[meter.index()];
        let question = v1::MeterEntry { meter_id, index: index.map(cell), config: None, counter_data: None };
        let entities = self.read(vec![Entity::MeterEntry(question)])?.into_iter();
        Ok(entities
            .filter_map(|entity| match entity {
                Entity::MeterEntry(cell) => Some(cell.config.map(decode_rates)),
                _ => None,
            })
            .collect())
    }

    /// Reads the rates of a meter's cell, in the protocol's form.
    pub(super) fn cell_config(
        &self,
        meter_id: u32,
        index: v1::Index,
    ) -> Result<Option<v1::MeterConfig>, Error> {
        let question = v1::MeterEntry { meter_id, index: Some(index), config: None, counter_data: None };
        let rates = |entity| match entity {
            Entity::MeterEntry(cell) => Some(cell.config),
            _ => None,
        };
        self.read_one(Entity::MeterEntry(question), rates, "cell")
    }

    /// Reads the rates of the direct meter of the entry with a key.
    pub(super) fn entry_config(&self, key: v1::TableEntry) -> Result<Option<v1::MeterConfig>, Error> {
        let question = v1::DirectMeterEntry { table_entry: Some(key), config: None, counter_data: None };
        let rates = |entity| match entity {
            Entity::DirectMeterEntry(cell) => Some(cell.config),
            _ => None,
        };
        self.read_one(Entity::DirectMeterEntry(question), rates, "entry")
    }

    pub(super) fn register_cells(&self, register: ExternId, index: Option<u64>) -> Result<Vec<Bits>, Error> {
        let register_id = self.program.externs[register.index()];
        let shape = self.program.cells[register.index()].as_ref();
        let question = v1::RegisterEntry { register_id, index: index.map(cell), data: None };
        let entities = self.read(vec![Entity::RegisterEntry(question)])?.into_iter();
        let value = |data: Option<v1::P4Data>| {
            let numbers = shape.map(|shape| shape.read(data.as_ref())).transpose().map_err(Error::new)?;
            let numbers = numbers.unwrap_or_default();
            Ok(numbers.iter().fold(Bits::zero(0), |all, number| all.concat(number)))
        };
        let cells = entities.filter_map(|entity| match entity {
            Entity::RegisterEntry(cell) => Some(value(cell.data)),
            _ => None,
        });
        cells.collect()
    }
}

fn deleted_key(update: &v1::Update) -> Option<v1::TableEntry> {
    let entity = update.entity.as_ref()?.entity.as_ref()?;
    match entity {
        Entity::TableEntry(entry) if update.r#type == Type::Delete as i32 => Some(key_of(entry)),
        _ => None,
    }
}
