//! Reads table entries; `read_entries` reads those of the program's tables.

use std::collections::BTreeSet;

use weir_grpc::Problem;
use weir_ir::{ExternId, ValueSetId};
use weir_p4runtime_proto::bfrt;
use weir_p4runtime_proto::bfrt::entity::Entity;
use weir_p4runtime_proto::bfrt::table_entry::Value as Named;
use weir_switch::control::{Call, ControlError};

use super::attributes::is_scoped;
use super::cells::{write_cell, write_count, write_rates};
use super::device::defaults;
use super::query::Query;
use super::read::Reader;
use super::replication::{write_group, write_node};
use super::target::ALL_PIPES;
use super::{engine, filters, generators, hashes, ports};
use crate::explain::explain;
use crate::info::{Action, Object, Table, field, fixed_ids};
use crate::matches::{self, index, write_index};
use crate::notes::merge;
use crate::values::{write_flags, write_number, write_numbers, write_uint};

impl Reader<'_> {
    pub(super) fn own(&self, error: ControlError) -> Problem {
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
        if matches!(table.object, Object::Match(_)) {
            self.check_pipe(&query, target, wanted)?;
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

    /// Refuses to read an entry for other pipes than those for which clients write it.
    fn check_pipe(
        &self,
        query: &Query<'_>,
        target: bfrt::TargetDevice,
        wanted: &bfrt::TableEntry,
    ) -> Result<(), Problem> {
        let name = &query.table.name;
        let is_for_all = target.pipe_id == ALL_PIPES;
        if is_scoped(self.notes, query.table.id) {
            // A handle belongs to one entry, so it needs no pipe.
            let advice = format!("`{name}` has entries for each pipe: name a pipe instead of {ALL_PIPES}");
            return match &wanted.value {
                Some(Named::Key(_)) if is_for_all => Err(Problem::not_found(advice)),
                None if is_for_all && wanted.is_default_entry => Err(Problem::invalid(advice)),
                _ => Ok(()),
            };
        }
        // Values that were written for all pipes are not in the copy of the values for one pipe.
        if query.is_cached && !is_for_all && wanted.value.is_some() {
            let why = format!("`{name}` has entries for all pipes, not for pipe {}", target.pipe_id);
            return Err(Problem::not_found(why));
        }
        Ok(())
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
            Object::MulticastPorts | Object::PortCounts | Object::PortsByConnector | Object::PortsByName => {
                self.control.ports().collect()
            }
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
    pub(super) fn call(&self, table: &Table, call: &Call) -> (u32, Vec<bfrt::DataField>) {
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
        let mut fields = ports::device(query.table, self.info.chip, self.control);
        fields.extend(defaults(query.table));
        merge(&mut fields, &self.notes.device);
        self.only(query, fields)
    }

    /// Sends the only entry of a table without a key, which is its default.
    fn only(&mut self, query: &Query<'_>, fields: Vec<bfrt::DataField>) -> Result<(), Problem> {
        self.emit_if(query.entry(None, 0, fields, true))
    }
}
