//! Converts updates of the control interface to updates of the protocol.

use weir_control::{Error, Names, port_too_large};
use weir_ir::{Bits, TableId};
use weir_switch::control::{
    ControlError, CounterValue, Entry, EntryRef, MeterConfig, MeterCounts, Replica, Update,
};

use super::encode::{cell, counter_data, rates, update};
use super::handles::{InsertedObject, key_of};
use super::numbers::{check_number, id_of};
use super::outcome::not_in_protocol;
use super::pending::Pending;
use super::remote::Remote;
use crate::proto::v1::{self, entity, packet_replication_engine_entry as engine, update::Type};

/// The protocol's updates for one update of the control interface.
pub(super) struct Changes {
    /// The updates, in order.
    pub updates: Vec<v1::Update>,
    /// The object that they insert.
    pub inserted: Option<InsertedObject>,
}

impl Changes {
    fn single_update(kind: Type, entity: entity::Entity) -> Self {
        Self { updates: vec![update(kind, entity)], inserted: None }
    }
}

impl Remote {
    /// Converts an update to the protocol's form. Values that the protocol needs and the update
    /// does not contain are taken from earlier updates of the batch, or are read from the switch.
    pub(super) fn changes(&mut self, change: &Update, batch: &mut Pending) -> Result<Changes, Error> {
        use entity::Entity;
        check_number(change)?;
        Ok(match change {
            Update::Insert { table, entry } => return self.insertion(*table, entry),
            Update::Modify { table, entry, action } => {
                let mut changed = self.current_entry(*table, entry, batch)?;
                changed.action = Some(self.program().target(action));
                Changes::single_update(Type::Modify, Entity::TableEntry(changed))
            }
            Update::Delete { table, entry } => {
                let key = self.entry_key(*table, entry)?;
                Changes::single_update(Type::Delete, Entity::TableEntry(key))
            }
            Update::Clear { table } => {
                if self.program().schema.tables[table.index()].const_entries {
                    return Err(self.explain(ControlError::ConstEntries(*table)));
                }
                let entries = self.read_table(*table)?.into_iter().filter(|entry| !entry.is_const);
                let updates = entries.map(|entry| update(Type::Delete, Entity::TableEntry(key_of(&entry))));
                Changes { updates: updates.collect(), inserted: None }
            }
            Update::SetDefault { table, action } => {
                self.check_default_can_change(*table)?;
                let action = Some(self.program().target(action));
                Changes::single_update(Type::Modify, Entity::TableEntry(self.default_of(*table, action)))
            }
            // It is still the program's own default.
            Update::ResetDefault { table } if self.has_fixed_default(*table) => {
                Changes { updates: Vec::new(), inserted: None }
            }
            Update::ResetDefault { table } => {
                Changes::single_update(Type::Modify, Entity::TableEntry(self.default_of(*table, None)))
            }
            Update::SetIdleTimeout { table, entry, timeout } => {
                let mut changed = self.current_entry(*table, entry, batch)?;
                changed.idle_timeout_ns =
                    timeout.map_or(0, |timeout| i64::try_from(timeout).unwrap_or(i64::MAX));
                Changes::single_update(Type::Modify, Entity::TableEntry(changed))
            }
            Update::InsertMember { profile, member, action } => {
                let number = match member {
                    Some(member) => *member,
                    None => self.next_member(*profile, batch)?,
                };
                let action = Some(self.program().call(action));
                self.member(Type::Insert, *profile, number, action, Some(number))
            }
            Update::ModifyMember { profile, member, action } => {
                let action = Some(self.program().call(action));
                self.member(Type::Modify, *profile, *member, action, None)
            }
            Update::DeleteMember { profile, member } => {
                self.member(Type::Delete, *profile, *member, None, None)
            }
            Update::InsertGroup { profile, group, members } => {
                let number = match group {
                    Some(group) => *group,
                    None => self.next_group(*profile, batch)?,
                };
                let entity = self.group(*profile, number, self.program.group_members(members));
                Changes {
                    inserted: Some(InsertedObject::Number(number)),
                    ..Changes::single_update(Type::Insert, entity)
                }
            }
            Update::ModifyGroup { profile, group, members } => Changes::single_update(
                Type::Modify,
                self.group(*profile, *group, self.program.group_members(members)),
            ),
            Update::DeleteGroup { profile, group } => {
                Changes::single_update(Type::Delete, self.group(*profile, *group, Vec::new()))
            }
            Update::WriteCounter { counter, index, value } => {
                self.counter_cell(*counter, Some(*index), *value)?
            }
            Update::ResetCounter { counter } => self.counter_cell(*counter, None, CounterValue::default())?,
            Update::WriteDirectCounter { table, entry, value } => {
                let key = self.entry_key(*table, entry)?;
                Changes::single_update(Type::Modify, direct_counter(key, *value)?)
            }
            Update::ResetDirectCounter { table } => {
                let entries = self.read_table(*table)?;
                let reset = |entry: &v1::TableEntry| {
                    Ok(update(Type::Modify, direct_counter(key_of(entry), CounterValue::default())?))
                };
                let updates = entries.iter().map(reset).collect::<Result<_, Error>>()?;
                Changes { updates, inserted: None }
            }
            Update::WriteRegister { register, index, value } => {
                self.register_cell(*register, Some(*index), value)
            }
            Update::ResetRegister { register } => self.register_cell(*register, None, &Bits::zero(0)),
            Update::WriteMeter { meter, index, config } => self.meter_cell(*meter, Some(*index), *config)?,
            Update::WriteMeterArray { meter, config } => self.meter_cell(*meter, None, *config)?,
            Update::WriteDirectMeter { table, entry, config } => {
                let key = self.entry_key(*table, entry)?;
                Changes::single_update(Type::Modify, direct_meter(key, *config)?)
            }
            Update::WriteDirectMeterArray { table, config } => {
                let entries = self.read_table(*table)?;
                let set =
                    |entry: &v1::TableEntry| Ok(update(Type::Modify, direct_meter(key_of(entry), *config)?));
                let updates = entries.iter().map(set).collect::<Result<_, Error>>()?;
                Changes { updates, inserted: None }
            }
            Update::SetValueSet { set, members } => {
                let members = members.iter().map(|member| self.program().member(*set, member)).collect();
                let value_set_id = self.program().value_set_ids(*set).id;
                Changes::single_update(
                    Type::Modify,
                    Entity::ValueSetEntry(v1::ValueSetEntry { value_set_id, members }),
                )
            }
            Update::SetMulticastGroup { group, replicas: members } => {
                self.check_ports(members.as_deref().unwrap_or_default())?;
                check_different(*group, members.as_deref().unwrap_or_default())?;
                let entry = v1::MulticastGroupEntry {
                    multicast_group_id: u32::from(*group),
                    replicas: members.as_deref().map(|all| self.program.replicas(all)).unwrap_or_default(),
                    metadata: Vec::new(),
                };
                let known = self.read_groups()?.iter().any(|(known, _)| known == group);
                if members.is_none() && !known {
                    return Err(self.explain(ControlError::NoSuchGroup(*group)));
                }
                return Ok(replacing_update(
                    known,
                    members.is_some(),
                    engine::Type::MulticastGroupEntry(entry),
                ));
            }
            Update::SetCloneSession { session, config } => {
                // The program uses the number, so it cannot be mapped to another one.
                if *session == 0 {
                    return Err(Error::new(
                        "clone session 0: P4Runtime has no session 0; use another number, here and in the program",
                    ));
                }
                let known = self.read_sessions()?.iter().any(|(known, _)| known == session);
                if config.is_none() && !known {
                    return Err(self.explain(ControlError::NoSuchSession(*session)));
                }
                let mut entry =
                    v1::CloneSessionEntry { session_id: *session, ..v1::CloneSessionEntry::default() };
                if let Some(config) = config {
                    if let Some(group) = config.group {
                        return Err(Error::new(format!(
                            "clone session {session}: P4Runtime has no clones to a multicast group ({group}), only to ports"
                        )));
                    }
                    let port = config.port.map(|port| Replica::new(port, 0));
                    let all: Vec<_> = port.into_iter().chain(config.replicas.iter().cloned()).collect();
                    self.check_ports(&all)?;
                    entry.replicas = self.program.replicas(&all);
                    entry.class_of_service =
                        config.priority.map_or(0, |priority| u32::try_from(priority).unwrap_or(u32::MAX));
                    entry.packet_length_bytes =
                        config.truncate.map_or(0, |length| i32::try_from(length).unwrap_or(i32::MAX));
                }
                return Ok(replacing_update(known, config.is_some(), engine::Type::CloneSessionEntry(entry)));
            }
            Update::WriteMeterCounts { meter, index, counts } => {
                check_all_zero(*counts)?;
                let meter_id = self.program().externs[meter.index()];
                let index = cell(*index);
                // A request without rates would remove the cell's rates.
                let config = match batch.cell_rates(meter_id, index.index) {
                    Some(config) => config,
                    None => self.cell_config(meter_id, index)?,
                };
                let (index, counter_data) = (Some(index), Some(v1::MeterCounterData::default()));
                let entry = v1::MeterEntry { meter_id, index, config, counter_data };
                Changes::single_update(Type::Modify, Entity::MeterEntry(entry))
            }
            Update::WriteDirectMeterCounts { table, entry, counts } => {
                check_all_zero(*counts)?;
                let key = self.entry_key(*table, entry)?;
                let config = match batch.entry_rates(&key) {
                    Some(config) => config,
                    None => self.entry_config(key.clone())?,
                };
                let (table_entry, counter_data) = (Some(key), Some(v1::MeterCounterData::default()));
                let entry = v1::DirectMeterEntry { table_entry, config, counter_data };
                Changes::single_update(Type::Modify, Entity::DirectMeterEntry(entry))
            }
            Update::WriteDirectRegister { .. } => return Err(not_in_protocol("direct registers")),
            Update::SetMulticastTree { .. } | Update::SetReplication { .. } => {
                return Err(not_in_protocol("trees of multicast groups"));
            }
            Update::SetHash { .. } => return Err(not_in_protocol("settings of hashes")),
            Update::SetMeterAdjustment { .. } => {
                return Err(not_in_protocol("adjustments of meters"));
            }
            Update::SetCrc { .. } => return Err(not_in_protocol("parameters of CRC calculations")),
            Update::SetQueueDepth { .. } | Update::SetQueueRate { .. } => {
                return Err(not_in_protocol("depths and rates of queues"));
            }
            Update::SetQueueDiscipline { .. } => return Err(not_in_protocol("disciplines of queues")),
            Update::SetDeflection { .. } => return Err(not_in_protocol("deflected packets")),
            Update::SetGenerator { .. }
            | Update::SetGeneratorCounts { .. }
            | Update::WriteGeneratorBuffer { .. }
            | Update::SetGeneratorPort { .. }
            | Update::RearmGenerator { .. } => return Err(not_in_protocol("packet generators")),
            Update::Reset => {
                return Err(not_in_protocol("a reset together with other changes"));
            }
        })
    }

    fn explain(&self, cause: ControlError) -> Error {
        Names::new(&self.program().schema).explain(cause)
    }

    /// Returns whether the default action of a table cannot be changed over P4Runtime.
    fn has_fixed_default(&self, table: TableId) -> bool {
        let schema = &self.program().schema.tables[table.index()];
        schema.const_default || schema.profile.is_some()
    }

    /// Refuses to change a default action that is constant in the program or in the protocol.
    fn check_default_can_change(&self, table: TableId) -> Result<(), Error> {
        let schema = &self.program().schema.tables[table.index()];
        match (schema.const_default, schema.profile) {
            (true, _) => Err(self.explain(ControlError::ConstDefault(table))),
            (false, Some(_)) => Err(Error::new(format!(
                "table `{}` has an action profile: P4Runtime, which controls this switch, cannot change the default \
                 action of such a table; choose it in the program (default_action = …)",
                schema.name
            ))),
            (false, None) => Ok(()),
        }
    }

    /// Refuses copies for ports whose numbers have more bits than the program's ports: such numbers
    /// may have a special meaning in the protocol.
    fn check_ports(&self, replicas: &[Replica]) -> Result<(), Error> {
        let Some(last) = self.program.schema.last_port else { return Ok(()) };
        let backups = |one: &Replica| one.backups.iter().map(|backup| backup.port).collect::<Vec<_>>();
        let mut ports = replicas.iter().flat_map(|one| [one.port].into_iter().chain(backups(one)));
        match ports.find(|port| *port > last) {
            Some(port) => Err(Error::new(port_too_large(port, last))),
            None => Ok(()),
        }
    }

    fn insertion(&self, table: TableId, entry: &Entry) -> Result<Changes, Error> {
        let key = self.program().entry_key(table, &entry.matches, entry.priority);
        let inserted = Some(InsertedObject::Entry(Box::new(key.clone())));
        let entry = v1::TableEntry {
            action: Some(self.program().target(&entry.action)),
            idle_timeout_ns: entry
                .idle_timeout
                .map_or(0, |timeout| i64::try_from(timeout).unwrap_or(i64::MAX)),
            ..key
        };
        Ok(Changes { inserted, ..Changes::single_update(Type::Insert, entity::Entity::TableEntry(entry)) })
    }

    /// Returns the current entry, with the values that a change must repeat so that they are not
    /// lost.
    fn current_entry(
        &mut self,
        table: TableId,
        entry: &EntryRef,
        batch: &mut Pending,
    ) -> Result<v1::TableEntry, Error> {
        let key = self.entry_key(table, entry)?;
        let schema = &self.program().schema.tables[table.index()];
        let meter_config = schema.direct_meter.as_ref().map(|_| v1::MeterConfig::default());
        let question = v1::TableEntry { meter_config, ..key.clone() };
        let current = batch.entry(&key, || {
            let current = self.read(vec![entity::Entity::TableEntry(question)])?;
            let current = current.into_iter().find_map(|entity| match entity {
                entity::Entity::TableEntry(current) => Some(current),
                _ => None,
            });
            current.ok_or_else(|| Error::new(format!("table `{}` has no entry with this key", schema.name)))
        })?;
        Ok(v1::TableEntry {
            action: current.action,
            idle_timeout_ns: current.idle_timeout_ns,
            metadata: current.metadata,
            meter_config: current.meter_config,
            ..key
        })
    }

    fn default_of(&self, table: TableId, action: Option<v1::TableAction>) -> v1::TableEntry {
        let table_id = self.program().table_ids(table).id;
        v1::TableEntry { table_id, is_default_action: true, action, ..v1::TableEntry::default() }
    }

    /// Makes the change of a member of an action profile.
    fn member(
        &self,
        kind: Type,
        profile: weir_ir::ExternId,
        member: u32,
        action: Option<v1::Action>,
        inserted: Option<u32>,
    ) -> Changes {
        let action_profile_id = self.program().externs[profile.index()];
        let member = v1::ActionProfileMember { action_profile_id, member_id: id_of(member), action };
        let changes = Changes::single_update(kind, entity::Entity::ActionProfileMember(member));
        Changes { inserted: inserted.map(InsertedObject::Number), ..changes }
    }

    /// Makes the entity of a group of an action selector.
    fn group(
        &self,
        profile: weir_ir::ExternId,
        group: u32,
        members: Vec<v1::action_profile_group::Member>,
    ) -> entity::Entity {
        let action_profile_id = self.program().externs[profile.index()];
        entity::Entity::ActionProfileGroup(v1::ActionProfileGroup {
            action_profile_id,
            group_id: id_of(group),
            members,
            max_size: 0,
        })
    }

    fn counter_cell(
        &self,
        counter: weir_ir::ExternId,
        index: Option<u64>,
        value: CounterValue,
    ) -> Result<Changes, Error> {
        let counter_id = self.program().externs[counter.index()];
        let data = Some(counter_data(value).map_err(Error::new)?);
        let entry = v1::CounterEntry { counter_id, index: index.map(cell), data };
        Ok(Changes::single_update(Type::Modify, entity::Entity::CounterEntry(entry)))
    }

    fn meter_cell(
        &self,
        meter: weir_ir::ExternId,
        index: Option<u64>,
        config: Option<MeterConfig>,
    ) -> Result<Changes, Error> {
        let meter_id = self.program().externs[meter.index()];
        let config = config.map(rates).transpose().map_err(Error::new)?;
        let entry = v1::MeterEntry { meter_id, index: index.map(cell), config, counter_data: None };
        Ok(Changes::single_update(Type::Modify, entity::Entity::MeterEntry(entry)))
    }

    fn register_cell(&self, register: weir_ir::ExternId, index: Option<u64>, value: &Bits) -> Changes {
        let program = self.program();
        let register_id = program.externs[register.index()];
        let data = program.cells[register.index()].as_ref().map(|shape| {
            let leaves = shape.leaves();
            let width = leaves.iter().map(|(_, width)| width).sum();
            let (value, mut below) = (value.resize(width), width);
            let numbers = leaves.iter().map(|(_, width)| {
                below -= width;
                value.shr(u64::from(below)).resize(*width)
            });
            shape.write(&mut numbers.collect::<Vec<_>>().into_iter())
        });
        let entry = v1::RegisterEntry { register_id, index: index.map(cell), data };
        Changes::single_update(Type::Modify, entity::Entity::RegisterEntry(entry))
    }
}

/// Checks that a change sets the counts of a meter to 0. The protocol allows no other values
/// (specification, "`MeterCounterData`").
fn check_all_zero(counts: MeterCounts) -> Result<(), Error> {
    if counts == MeterCounts::default() {
        return Ok(());
    }
    Err(Error::new("P4Runtime sets what meters have counted to 0 only"))
}

/// Returns the update that inserts, modifies or deletes an object, depending on whether it exists
/// and whether it should exist.
fn replacing_update(is_there: bool, is_wanted: bool, entry: engine::Type) -> Changes {
    let kind = match (is_there, is_wanted) {
        (false, true) => Type::Insert,
        (true, true) => Type::Modify,
        (true, false) => Type::Delete,
        (false, false) => return Changes { updates: Vec::new(), inserted: None },
    };
    let entry = v1::PacketReplicationEngineEntry { r#type: Some(entry) };
    Changes::single_update(kind, entity::Entity::PacketReplicationEngineEntry(entry))
}

fn direct_counter(key: v1::TableEntry, value: CounterValue) -> Result<entity::Entity, Error> {
    let data = Some(counter_data(value).map_err(Error::new)?);
    Ok(entity::Entity::DirectCounterEntry(v1::DirectCounterEntry { table_entry: Some(key), data }))
}

fn direct_meter(key: v1::TableEntry, config: Option<MeterConfig>) -> Result<entity::Entity, Error> {
    let config = config.map(rates).transpose().map_err(Error::new)?;
    let entry = v1::DirectMeterEntry { table_entry: Some(key), config, counter_data: None };
    Ok(entity::Entity::DirectMeterEntry(entry))
}

/// Checks that P4Runtime has a group with these copies. In a switch that runtime commands control
/// directly, a group may have several equal copies.
fn check_different(group: u16, replicas: &[Replica]) -> Result<(), Error> {
    let same = |at: usize| {
        replicas[..at].iter().any(|one| (one.port, one.rid) == (replicas[at].port, replicas[at].rid))
    };
    match (0..replicas.len()).find(|at| same(*at)).map(|at| &replicas[at]) {
        None => Ok(()),
        Some(Replica { port, rid, .. }) => Err(Error::new(format!(
            "multicast group {group} would have two copies for port {port} with replication id {rid}: P4Runtime, \
             which controls this switch, has no such groups; give one of the nodes another replication id"
        ))),
    }
}
