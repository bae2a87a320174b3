//! Reads table entries.

use std::collections::BTreeSet;

use weir_grpc::Problem;
use weir_ir::{ExternId, TableId, ValueSetId};
use weir_p4runtime_proto::bfrt;
use weir_p4runtime_proto::bfrt::entity::Entity;
use weir_p4runtime_proto::bfrt::table_entry::Value as Named;
use weir_switch::control::{Call, ControlError, CounterValue, EntryRef, EntryState, Match, Target};

use super::attributes::{is_scoped, tells_idle};
use super::cells::{write_cell, write_count, write_rates};
use super::match_tables::{MILLISECOND, count_key, entry_ref};
use super::replication::{write_group, write_node};
use super::{engine, filters, generators, hashes, ports};
use super::query::Query;
use super::read::Reader;
use super::target::ALL_PIPES;
use crate::explain::explain;
use crate::info::{Action, Object, Table, field, fixed_ids};
use crate::matches::{self, index, place_of, write_index};
use crate::values::{write_flags, write_number, write_numbers, write_text, write_uint};

impl Reader<'_> {
    fn own(&self, error: ControlError) -> Problem {
        explain(self.control.schema(), error)
    }

    /// Reads the entries that a request names.
    pub(super) fn entries(
        &mut self,
        target: bfrt::TargetDevice,
        wanted: &bfrt::TableEntry,
    ) -> Result<(), Problem> {
        let info = self.info;
        let table = info.table(wanted.table_id)?;
        let query = Query::read(table, target, wanted)?;
        // What was written for all pipes is not in the copy of what was written for one.
        let is_of_one = query.is_cached && target.pipe_id != ALL_PIPES && !is_scoped(self.notes, table.id);
        if is_of_one && matches!(table.object, Object::Match(_)) && wanted.value.is_some() {
            let why = format!("`{}` has entries for all pipes, not for pipe {}", table.name, target.pipe_id);
            return Err(Problem::not_found(why));
        }
        match table.object {
            Object::Match(id) => self.match_entries(&query, id, wanted),
            Object::Device if wanted.value.is_none() => self.device(&query),
            Object::Parameter(id) if wanted.value.is_none() => {
                let value = self.control.register(id, 0).map_err(|error| self.own(error))?;
                let value = write_number(table.data[0].id, &value);
                self.only(&query, vec![value])
            }
            Object::HashInputs(id) if wanted.value.is_none() => {
                let inputs = hashes::write_inputs(table, self.control, id);
                self.only(&query, inputs)
            }
            Object::HashFunction(_) if wanted.value.is_none() => {
                let (action, fields) = hashes::read_function(table, self.notes);
                self.emit_if(query.entry(None, action, fields, true))
            }
            Object::GeneratorBuffer | Object::HashValue(_) | Object::MemberOfHash(_) => {
                let Some(Named::Key(key)) = &wanted.value else {
                    return Err(Problem::invalid(format!("a read of `{}` needs a key", table.name)));
                };
                let fields = match table.object {
                    Object::HashValue(id) => hashes::compute(table, self.control, id, key)?,
                    Object::MemberOfHash(id) => hashes::member(table, self.control, id, key)?,
                    _ => generators::read_buffer(table, self.control, key)?,
                };
                self.emit_if(query.entry(Some(key.clone()), 0, fields, false))
            }
            _ if wanted.is_default_entry => {
                Err(Problem::invalid(format!("`{}` has no default entry", table.name)))
            }
            object => match &wanted.value {
                Some(Named::HandleId(_)) => {
                    Err(Problem::unsupported("only entries of the program's tables have handles"))
                }
                Some(Named::Key(key)) if !matches!(object, Object::ValueSet(_)) => {
                    let key = match object {
                        Object::PortsByConnector | Object::PortsByName => {
                            ports::read_key(table, key, self.control)?
                        }
                        _ => index(table, key)?,
                    };
                    self.look()?;
                    let (action, fields) = self.one(&query, object, key)?;
                    self.send(&query, key, action, fields)
                }
                key => self.all(&query, object, key.as_ref()),
            },
        }
    }

    fn emit_if(&mut self, entry: Option<Entity>) -> Result<(), Problem> {
        if let Some(entry) = entry {
            self.emit(entry);
        }
        Ok(())
    }

    fn send(
        &mut self,
        query: &Query<'_>,
        key: u32,
        action: u32,
        fields: Vec<bfrt::DataField>,
    ) -> Result<(), Problem> {
        let key = match query.table.object {
            Object::PortsByConnector | Object::PortsByName => ports::write_key(query.table, key),
            _ => write_index(query.table, key),
        };
        self.emit_if(query.entry(Some(key), action, fields, false))
    }

    /// Reads all entries of a table whose key is one number, or members of a value set.
    fn all(&mut self, query: &Query<'_>, object: Object, key: Option<&Named>) -> Result<(), Problem> {
        let keys: Vec<u32> = match object {
            Object::Counter(_)
            | Object::Meter(_)
            | Object::Register(_)
            | Object::Filter(_)
            | Object::MulticastLags
            | Object::PrunedPorts
            | Object::GeneratorApps => {
                // All cells have an entry.
                let size = u32::try_from(query.table.size).unwrap_or(u32::MAX);
                for index in 0..size {
                    self.look()?;
                    let (action, fields) = self.one(query, object, index)?;
                    self.send(query, index, action, fields)?;
                }
                return Ok(());
            }
            Object::Members(id) => {
                self.control.members(id).map_err(|error| self.own(error))?.map(|(member, _)| member).collect()
            }
            Object::Groups(id) => {
                self.control.groups(id).map_err(|error| self.own(error))?.map(|(group, _)| group).collect()
            }
            Object::MulticastGroups => self.notes.multicast.keys().copied().map(u32::from).collect(),
            Object::MulticastNodes => self.notes.nodes.keys().copied().collect(),
            Object::MulticastEcmps => self.notes.ecmps.keys().copied().collect(),
            Object::MirrorSessions => self.notes.mirrors.keys().copied().map(u32::from).collect(),
            Object::Ports => self.notes.ports.keys().copied().collect(),
            Object::MulticastPorts
            | Object::PortCounts
            | Object::PortsByConnector
            | Object::PortsByName => self.control.ports().collect(),
            Object::ValueSet(id) => return self.values(query, id, key),
            Object::GeneratorPorts => self.info.generator_ports().collect(),
            Object::Match(_)
            | Object::Parameter(_)
            | Object::HashInputs(_)
            | Object::HashFunction(_)
            | Object::HashValue(_)
            | Object::MemberOfHash(_)
            | Object::GeneratorBuffer
            | Object::Device => Vec::new(),
        };
        for key in keys {
            self.look()?;
            let (action, fields) = self.one(query, object, key)?;
            self.send(query, key, action, fields)?;
        }
        Ok(())
    }

    /// Returns the action and data of an entry whose key is one number.
    fn one(
        &self,
        query: &Query<'_>,
        object: Object,
        key: u32,
    ) -> Result<(u32, Vec<bfrt::DataField>), Problem> {
        let missing = || Problem::not_found(format!("`{}` has no entry {key}", query.table.name));
        let cell = u64::from(key);
        let schema = self.control.schema();
        let fields = match object {
            Object::Counter(id) => {
                let mut value = self.control.counter(id, cell).map_err(|error| self.own(error))?;
                if query.is_cached {
                    value = self.noted_count(query.table, cell);
                }
                let unit =
                    schema.counters.iter().find(|counter| counter.id == id).map(|counter| counter.unit);
                unit.map_or_else(Vec::new, |unit| write_count(unit, value))
            }
            Object::Meter(id) => {
                let config = self.control.meter(id, cell).map_err(|error| self.own(error))?;
                let bytes = schema.meters.iter().any(|meter| meter.id == id && meter.bytes);
                write_rates(bytes, self.info.chip, config)
            }
            Object::Register(id) => {
                let value = self.control.register(id, cell).map_err(|error| self.own(error))?;
                let register = schema.registers.iter().find(|register| register.id == id);
                register.map_or_else(Vec::new, |register| write_cell(register, &value))
            }
            Object::Filter(id) => {
                let value = self.control.register(id, cell).map_err(|error| self.own(error))?;
                filters::write_filter(query.table, self.control, id, &value)
            }
            Object::Members(id) => {
                let call = self.control.member(id, key).map_err(|error| self.own(error))?;
                return Ok(self.call(query.table, &call.ok_or_else(missing)?));
            }
            Object::Groups(id) => self.group(query, id, key)?.ok_or_else(missing)?,
            Object::MulticastGroups => {
                let group = u16::try_from(key).ok().and_then(|key| self.notes.multicast.get(&key));
                write_group(group.ok_or_else(missing)?)
            }
            Object::MulticastNodes => write_node(self.notes.nodes.get(&key).ok_or_else(missing)?),
            Object::MulticastEcmps => {
                let places = self.notes.ecmps.get(&key).ok_or_else(missing)?;
                vec![write_numbers(fixed_ids::ITEMS, places.iter().copied().flatten().collect())]
            }
            Object::MulticastLags | Object::PrunedPorts | Object::GeneratorApps
                if cell >= query.table.size =>
            {
                return Err(missing());
            }
            Object::GeneratorApps => {
                return Ok(generators::read_app(query.table, self.notes, self.control, key));
            }
            Object::GeneratorPorts => generators::read_port(self.info, self.control, key),
            Object::MulticastLags | Object::PrunedPorts | Object::MulticastPorts => {
                engine::write(object, self.control.replication(), key)
            }
            Object::MirrorSessions => {
                let session = u16::try_from(key).ok().and_then(|key| self.notes.mirrors.get(&key));
                return Ok((fixed_ids::NORMAL, session.ok_or_else(missing)?.clone()));
            }
            Object::Ports => {
                let noted = self.notes.ports.get(&key).ok_or_else(missing)?;
                ports::settings(query.table, noted, key, self.control)
            }
            Object::PortCounts => ports::counts(query.table, &self.port_counts(key)),
            Object::PortsByConnector | Object::PortsByName => {
                vec![write_uint(fixed_ids::FOUND_PORT, 32, key.into())]
            }
            Object::Match(_)
            | Object::Parameter(_)
            | Object::ValueSet(_)
            | Object::HashInputs(_)
            | Object::HashFunction(_)
            | Object::HashValue(_)
            | Object::MemberOfHash(_)
            | Object::GeneratorBuffer
            | Object::Device => {
                return Err(missing());
            }
        };
        Ok((0, fields))
    }

    /// Returns the data of a selector's group.
    fn group(
        &self,
        query: &Query<'_>,
        id: ExternId,
        key: u32,
    ) -> Result<Option<Vec<bfrt::DataField>>, Problem> {
        let mut groups = self.control.groups(id).map_err(|error| self.own(error))?;
        let Some((_, members)) = groups.find(|(group, _)| *group == key) else { return Ok(None) };
        // Another protocol may have changed the group.
        let noted = self.notes.groups.get(&(query.table.id, key)).filter(|noted| {
            let chosen = noted.members.iter().filter(|(_, can_be_chosen)| *can_be_chosen);
            let chosen: BTreeSet<u32> = chosen.map(|(member, _)| *member).collect();
            chosen == members.iter().map(|one| one.member).collect()
        });
        let listed = match noted {
            Some(noted) => noted.members.clone(),
            None => members.iter().map(|one| (one.member, true)).collect(),
        };
        let max_size = noted.map_or(0, |noted| noted.max_size);
        let (members, statuses) = listed.into_iter().unzip();
        Ok(Some(vec![
            write_numbers(field::ACTION_MEMBER_ID, members),
            write_flags(field::ACTION_MEMBER_STATUS, statuses),
            write_uint(field::MAX_GROUP_SIZE, 32, max_size.into()),
        ]))
    }

    /// Returns the number and the arguments of an action.
    fn call(&self, table: &Table, call: &Call) -> (u32, Vec<bfrt::DataField>) {
        // Actions of the program with the same name are one action for clients.
        let name = &self.control.schema().actions[call.action.index()].name;
        let write = |action: &Action| {
            let fields = action.data.iter().zip(&call.args);
            fields.map(|(param, value)| write_number(param.id, value)).collect()
        };
        match (&table.fixed_action, table.actions.iter().find(|action| action.name == *name)) {
            (Some(fixed), _) => (0, write(fixed)),
            (None, Some(action)) => (action.id, write(action)),
            (None, None) => (0, Vec::new()),
        }
    }

    /// Reads the members of a value set, or the one with a key.
    fn values(&mut self, query: &Query<'_>, id: ValueSetId, key: Option<&Named>) -> Result<(), Problem> {
        let fields = &self.control.schema().value_sets[id.index()].fields;
        let kinds: Vec<_> = fields.iter().map(|field| field.kind).collect();
        let wanted = match key {
            Some(Named::Key(key)) => Some(matches::read(query.table, &kinds, key)?.matches),
            _ => None,
        };
        let members = self.control.value_set(id).map_err(|error| self.own(error))?;
        let mut found = false;
        for member in members.iter().filter(|member| wanted.as_ref().is_none_or(|wanted| wanted == *member)) {
            self.look()?;
            found = true;
            if let Some(entry) =
                query.entry(Some(matches::write(query.table, member, None)), 0, Vec::new(), false)
            {
                self.emit(entry);
            }
        }
        match wanted.is_some() && !found {
            true => Err(Problem::not_found("the value set has no such member")),
            false => Ok(()),
        }
    }

    /// Reads the description of the device.
    fn device(&mut self, query: &Query<'_>) -> Result<(), Problem> {
        let fields = ports::device(query.table, self.info.chip, self.control);
        self.only(query, fields)
    }

    /// Sends the only entry of a table without a key, which is its default.
    fn only(&mut self, query: &Query<'_>, fields: Vec<bfrt::DataField>) -> Result<(), Problem> {
        self.emit_if(query.entry(None, 0, fields, true))
    }

    /// Reads entries of a table of the program.
    fn match_entries(
        &mut self,
        query: &Query<'_>,
        id: TableId,
        wanted: &bfrt::TableEntry,
    ) -> Result<(), Problem> {
        if wanted.is_default_entry {
            return self.default_entry(query, id);
        }
        if wanted.value.is_some() {
            let entry = entry_ref(self.control, query.table, id, wanted.value.as_ref())?;
            if entry == EntryRef::Default {
                return self.default_entry(query, id);
            }
            self.look()?;
            let state = self.control.entry(id, &entry).map_err(|error| self.own(error))?;
            let place = if state.is_const { self.const_place(id, state.handle) } else { None };
            return match self.match_entry(query, id, &state, place) {
                Some(entry) => {
                    self.emit(entry);
                    Ok(())
                }
                None => Err(Problem::invalid("the entry has another action")),
            };
        }
        let control = self.control;
        let mut constants = 0;
        let mut entries: Box<dyn Iterator<Item = EntryState> + '_> =
            Box::new(control.each_entry(id).map_err(|error| self.own(error))?);
        if query.table.fixed_action.is_some() {
            // The entries of ports are in the order of the ports.
            let mut of_ports: Vec<_> = entries.collect();
            of_ports.sort_by_key(|state| match state.entry.matches.first() {
                Some(Match::Exact(port)) => port.low_u64(),
                _ => 0,
            });
            entries = Box::new(of_ports.into_iter());
        }
        for state in entries {
            self.look()?;
            let place = state.is_const.then_some(constants);
            constants += u32::from(state.is_const);
            if let Some(entry) = self.match_entry(query, id, &state, place) {
                self.emit(entry);
            }
        }
        self.default_entry(query, id)
    }

    /// Returns the number of a constant entry among the constant entries.
    fn const_place(&self, id: TableId, handle: u64) -> Option<u32> {
        let mut constants = self.control.each_entry(id).ok()?.filter(|entry| entry.is_const);
        constants.position(|entry| entry.handle == handle).and_then(|place| u32::try_from(place).ok())
    }

    /// Makes the entity of an entry. `place` is its place if it is constant.
    fn match_entry(
        &self,
        query: &Query<'_>,
        id: TableId,
        state: &EntryState,
        place: Option<u32>,
    ) -> Option<Entity> {
        let place = state.entry.priority.map(|priority| place.unwrap_or_else(|| place_of(priority)));
        let key = matches::write(query.table, &state.entry.matches, place);
        let (action, mut fields) = self.target(query.table, &state.entry.action);
        fields.extend(self.resources(query, id, &EntryRef::Handle(state.handle)));
        if self.control.schema().tables[id.index()].support_timeout {
            let ttl = state.entry.idle_timeout.unwrap_or(0);
            let is_active = self.is_active(query.table.id, state, ttl);
            let hit = if is_active { "ENTRY_ACTIVE" } else { "ENTRY_IDLE" };
            fields.push(write_text(field::ENTRY_HIT_STATE, hit));
            fields.push(write_uint(
                field::ENTRY_TTL,
                32,
                self.left(query.table.id, state, ttl) / MILLISECOND,
            ));
        }
        query.entry(Some(key), action, fields, false)
    }

    /// Returns the counts of a cell or entry at the last synchronization.
    fn noted_count(&self, table: &Table, key: u64) -> CounterValue {
        self.notes.counts.get(&(table.id, key)).copied().unwrap_or_default()
    }

    /// Returns whether an entry was hit within its time-out, or without one since the last update
    /// of the hit states but one.
    fn is_active(&self, table: u32, state: &EntryState, ttl: u64) -> bool {
        match self.notes.set_states.get(&(table, state.handle)) {
            Some((true, _)) => return true,
            Some((false, time)) => return state.last_hit.is_some_and(|hit| hit > *time),
            None => {}
        }
        let since = match (ttl, self.notes.hit_states.get(&table)) {
            (0, Some((before_last, _))) => *before_last,
            (0, None) => 0,
            (ttl, _) => self.control.now().saturating_sub(ttl),
        };
        state.last_hit.is_some_and(|hit| hit >= since)
    }

    /// Returns the time until an entry with a time-out becomes idle: all of it if clients receive
    /// no messages about idle entries.
    fn left(&self, table: u32, state: &EntryState, ttl: u64) -> u64 {
        match self.notes.timed.get(&(table, state.handle)) {
            Some(since) if tells_idle(self.notes, table) => {
                let end = state.last_hit.map_or(*since, |hit| hit.max(*since)).saturating_add(ttl);
                end.saturating_sub(self.control.now())
            }
            _ => ttl,
        }
    }

    fn default_entry(&mut self, query: &Query<'_>, id: TableId) -> Result<(), Problem> {
        self.look()?;
        let action = self.control.default_action(id).map_err(|error| self.own(error))?;
        let (action, mut fields) = self.target(query.table, &action);
        fields.extend(self.resources(query, id, &EntryRef::Default));
        if let Some(entry) = query.entry(None, action, fields, true) {
            self.emit(entry);
        }
        Ok(())
    }

    /// Returns the number and arguments of an entry's action, or its member or group.
    fn target(&self, table: &Table, target: &Target) -> (u32, Vec<bfrt::DataField>) {
        match target {
            Target::Action(call) => self.call(table, call),
            Target::Member(member) => (0, vec![write_uint(field::ACTION_MEMBER_ID, 32, u64::from(*member))]),
            Target::Group(group) => (0, vec![write_uint(field::SELECTOR_GROUP_ID, 32, u64::from(*group))]),
            // BfRt has no form for the action sets of P4Runtime.
            Target::OneOf(_) => (0, Vec::new()),
        }
    }

    /// Returns the counts, the rates, and the filter or register of an entry.
    fn resources(&self, query: &Query<'_>, id: TableId, entry: &EntryRef) -> Vec<bfrt::DataField> {
        let schema = &self.control.schema().tables[id.index()];
        let mut fields = Vec::new();
        if let (Some(unit), Ok(value)) = (schema.direct_counter_unit, self.control.direct_counter(id, entry))
        {
            let noted = || self.noted_count(query.table, count_key(entry));
            fields.extend(write_count(unit, if query.is_cached { noted() } else { value }));
        }
        if schema.direct_meter.is_some()
            && let Ok(config) = self.control.direct_meter(id, entry)
        {
            fields.extend(write_rates(schema.direct_meter_bytes, self.info.chip, config));
        }
        fields.extend(filters::write_entry(query.table, self.control, id, entry));
        fields
    }
}
