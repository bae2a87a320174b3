//! A client's view of a switch's program: the objects of its P4Info, as the control interface
//! describes them.

use std::collections::BTreeMap;
use std::sync::Arc;

use weir_device::Port;
use weir_ir::{ActionId, Bits, ExternId, Loc, TableId, ValueSetId};
use weir_switch::control::{
    ActionSchema, Call, CounterSchema, CounterUnit, KeySchema, MatchKind, MeterSchema, ParamSchema,
    ProfileSchema, RegisterSchema, Schema, TableActionSchema, TableSchema, ValueSetSchema, Values,
};

use super::data::{Shape, VALIDITY};
use super::texts::{self, Form, Ports, Types};
use crate::match_kinds;
use crate::proto::config::{self, P4NamedType, action_ref, counter_spec, meter_spec};
use crate::proto::v1::PacketMetadata;

/// The program, with the ids of its objects at their positions in the schema.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// The objects by name. Positions replace ids.
    pub schema: Schema,
    /// The ids of tables and of their keys.
    pub(super) tables: Vec<Ids>,
    /// The ids of actions and of their parameters.
    pub(super) actions: Vec<Ids>,
    /// The ids of value sets and of their fields.
    pub(super) value_sets: Vec<Ids>,
    /// The ids of counters, meters, registers and action profiles, by [`ExternId`].
    pub(super) externs: Vec<u32>,
    /// The type of a register's cells, by [`ExternId`].
    pub(super) cells: Vec<Option<Shape>>,
    /// Digests of the program: ids, names, contents.
    pub(super) digests: Vec<(u32, Arc<str>, Shape)>,
    /// The header in front of packets to the controller.
    pub packet_in: Vec<Metadata>,
    /// The header in front of packets from the controller.
    pub packet_out: Vec<Metadata>,
    /// The controllers' names of ports.
    pub(super) ports: Ports,
}

/// The id of an object, and the ids of its parts in their order.
#[derive(Clone, Debug, Default)]
pub(super) struct Ids {
    pub id: u32,
    pub parts: Vec<Part>,
}

/// A part of an object: its id, and how the protocol carries its values.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    pub id: u32,
    pub form: Form,
}

/// A field of the packet-in or packet-out header between switch and controller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Metadata {
    /// The id of the field in P4Info.
    pub id: u32,
    /// The name of the field.
    pub name: String,
    /// The width in bits.
    pub width: u32,
    /// The form in which people write the values.
    pub values: Values,
    /// The form of the values in the protocol.
    form: Form,
}

impl Metadata {
    /// Returns the value in a packet; 0 if the packet lacks it.
    ///
    /// # Errors
    /// The value is a text that stands for an unknown number.
    pub fn read(&self, metadata: &[PacketMetadata]) -> Result<Bits, String> {
        match metadata.iter().find(|one| one.metadata_id == self.id) {
            Some(given) => texts::read(&given.value, self.width, &self.values, self.form),
            None => Ok(Bits::zero(self.width)),
        }
    }

    /// Encodes a value for a packet.
    pub fn write(&self, value: &Bits) -> PacketMetadata {
        PacketMetadata { metadata_id: self.id, value: texts::encode_value(value, &self.values, self.form) }
    }
}

impl Program {
    /// Returns the program that a P4Info describes. A client that has the program itself adds its
    /// `own` objects, and the switch's `cpu` port if it has one: values then have the switch's own
    /// form in this client, although in the protocol they are texts, numbers of another width, or
    /// another number for the CPU port.
    ///
    /// # Errors
    /// A table, action or other object refers to one that does not exist.
    pub fn new(info: &config::P4Info, own: Option<&Schema>, cpu: Option<Port>) -> Result<Self, String> {
        let mut program = Self { ports: Ports::from_p4info(info, cpu), ..Self::default() };
        let types = Types { info: info.type_info.as_ref(), own: own.map_or(&[], |own| &own.types), cpu };
        let part = |field: &config::MatchField| Part {
            id: field.id,
            form: value_form(field.bitwidth, field.type_name.as_ref(), types).2,
        };
        for action in &info.actions {
            program.schema.actions.push(ActionSchema {
                name: name(action.preamble.as_ref()),
                params: action
                    .params
                    .iter()
                    .map(|param| {
                        let (width, values, _) = value_form(param.bitwidth, param.type_name.as_ref(), types);
                        ParamSchema { name: param.name.clone(), width, values, annotations: Vec::new() }
                    })
                    .collect(),
                annotations: Vec::new(),
            });
            let part = |param: &config::action::Param| Part {
                id: param.id,
                form: value_form(param.bitwidth, param.type_name.as_ref(), types).2,
            };
            let parts = action.params.iter().map(part).collect();
            program.actions.push(Ids { id: id(action.preamble.as_ref()), parts });
        }
        program.add_externs(info, types);
        for table in &info.tables {
            let schema = program.table(info, table, types)?;
            if let Some(profile) = schema.profile {
                let position = TableId::new(program.schema.tables.len());
                let owner = program.schema.profiles.iter_mut().find(|known| known.id == profile);
                owner.into_iter().for_each(|known| known.tables.push(position));
            }
            program.schema.tables.push(schema);
            let parts = table.match_fields.iter().map(part).collect();
            program.tables.push(Ids { id: id(table.preamble.as_ref()), parts });
        }
        for set in &info.value_sets {
            program.schema.value_sets.push(ValueSetSchema {
                name: name(set.preamble.as_ref()),
                size: count_or_zero(set.size.into()),
                fields: set.r#match.iter().map(|field| key(field, types)).collect(),
            });
            let parts = set.r#match.iter().map(part).collect();
            program.value_sets.push(Ids { id: id(set.preamble.as_ref()), parts });
        }
        for digest in &info.digests {
            let shape = Shape::from_spec(digest.type_spec.as_ref(), types);
            let name = name(digest.preamble.as_ref()).into();
            program.digests.push((id(digest.preamble.as_ref()), name, shape));
        }
        for header in &info.controller_packet_metadata {
            let fields = header.metadata.iter().map(|field| {
                let (width, values, form) = value_form(field.bitwidth, field.type_name.as_ref(), types);
                Metadata { id: field.id, name: field.name.clone(), width, values, form }
            });
            match name(header.preamble.as_ref()).as_str() {
                "packet_in" => program.packet_in = fields.collect(),
                "packet_out" => program.packet_out = fields.collect(),
                _ => {}
            }
        }
        if let Some(own) = own {
            program.add_server_data(own);
        }
        Ok(program)
    }

    /// Adds data that the P4Info does not contain: signs, the sizes and further properties of
    /// tables, and the largest port and clone session.
    fn add_server_data(&mut self, own: &Schema) {
        let schema = &mut self.schema;
        schema.last_port = own.last_port;
        schema.last_session = own.last_session;
        for table in &mut schema.tables {
            if let Some(own) = own.tables.iter().find(|own| own.name == table.name) {
                table.size = own.size;
                table.properties.clone_from(&own.properties);
                let keys = table.keys.iter_mut().zip(&own.keys);
                keys.for_each(|(key, own)| key.values.clone_from(&own.values));
            }
        }
        for action in &mut schema.actions {
            if let Some(own) = own.actions.iter().find(|own| own.name == action.name) {
                let params = action.params.iter_mut().zip(&own.params);
                params.for_each(|(param, own)| param.values.clone_from(&own.values));
            }
        }
    }

    fn add_externs(&mut self, info: &config::P4Info, types: Types<'_>) {
        for profile in &info.action_profiles {
            let (id, name) = self.next_extern(profile.preamble.as_ref(), None);
            let (size, is_selector) = (count_or_zero(profile.size), profile.with_selector);
            self.schema.profiles.push(ProfileSchema { id, name, size, is_selector, tables: Vec::new() });
        }
        for counter in &info.counters {
            let (id, name) = self.next_extern(counter.preamble.as_ref(), None);
            let unit = counter.spec.map_or(CounterUnit::PacketsAndBytes, counts);
            self.schema.counters.push(CounterSchema { id, name, size: count_or_zero(counter.size), unit });
        }
        for meter in &info.meters {
            let (id, name) = self.next_extern(meter.preamble.as_ref(), None);
            let bytes = meter.spec.is_some_and(measures_bytes);
            self.schema.meters.push(MeterSchema { id, name, size: count_or_zero(meter.size), bytes });
        }
        for register in &info.registers {
            let shape = Shape::from_spec(register.type_spec.as_ref(), types);
            let (fields, values) = (shape.leaves(), shape.values());
            let (id, name) = self.next_extern(register.preamble.as_ref(), Some(shape));
            let (size, width) =
                (count_or_zero(register.size.into()), fields.iter().map(|(_, width)| width).sum());
            self.schema.registers.push(RegisterSchema { id, name, size, width, fields, values });
        }
    }

    /// Returns the position of another counter, meter, register or action profile, and its name.
    fn next_extern(
        &mut self,
        preamble: Option<&config::Preamble>,
        cell: Option<Shape>,
    ) -> (ExternId, String) {
        self.externs.push(id(preamble));
        self.cells.push(cell);
        (ExternId::new(self.externs.len() - 1), name(preamble))
    }

    /// Reads the description of a table.
    fn table(
        &self,
        info: &config::P4Info,
        table: &config::Table,
        types: Types<'_>,
    ) -> Result<TableSchema, String> {
        let table_name = name(table.preamble.as_ref());
        let actions = table.action_refs.iter().map(|listed| {
            let action = self.action(listed.id).ok_or_else(|| {
                format!(
                    "the P4Info's table {table_name} has the action {:#010x}, which it does not describe",
                    listed.id
                )
            })?;
            Ok(TableActionSchema {
                id: action,
                action: self.schema.actions[action.index()].name.clone(),
                default_only: listed.scope() == action_ref::Scope::DefaultOnly,
                table_only: listed.scope() == action_ref::Scope::TableOnly,
                group_only: listed.scope() == action_ref::Scope::GroupAction,
                annotations: Vec::new(),
            })
        });
        let actions = actions.collect::<Result<Vec<_>, String>>()?;
        let is = |preamble: Option<&config::Preamble>| table.direct_resource_ids.contains(&id(preamble));
        let counter = info.direct_counters.iter().find(|counter| is(counter.preamble.as_ref()));
        let meter = info.direct_meters.iter().find(|meter| is(meter.preamble.as_ref()));
        Ok(TableSchema {
            keys: table.match_fields.iter().map(|field| key(field, types)).collect(),
            actions,
            default_action: self.default_action(table),
            const_default: table.const_default_action_id != 0,
            const_entries: table.is_const_table,
            size: u64::try_from(table.size).ok().filter(|size| *size > 0),
            direct_counter: counter.map(|counter| name(counter.preamble.as_ref())),
            direct_counter_unit: counter.and_then(|counter| counter.spec).map(counts),
            direct_meter: meter.map(|meter| name(meter.preamble.as_ref())),
            direct_meter_bytes: meter.and_then(|meter| meter.spec).is_some_and(measures_bytes),
            profile: match table.implementation_id {
                0 => None,
                profile => Some(self.extern_id(profile).ok_or_else(|| {
                    format!("the P4Info's table {table_name} has the action profile {profile:#010x}, which it does not describe")
                })?),
            },
            selector_keys: Vec::new(),
            support_timeout: table.idle_timeout_behavior
                == config::table::IdleTimeoutBehavior::NotifyControl as i32,
            properties: BTreeMap::new(),
            annotations: Vec::new(),
            loc: Loc::NONE,
            name: table_name,
        })
    }

    /// Returns the program's default action of a table, if the P4Info has it.
    fn default_action(&self, table: &config::Table) -> Option<Call> {
        let default_call = table.initial_default_action.as_ref();
        let action =
            self.action(default_call.map_or(table.const_default_action_id, |call| call.action_id))?;
        let arguments = default_call.map_or(&[][..], |call| &call.arguments);
        self.call_of(action, |id| Some(&arguments.iter().find(|one| one.param_id == id)?.value)).ok()
    }

    /// Returns an action with the bytes of its arguments by the ids of parameters; missing ones are
    /// 0.
    ///
    /// # Errors
    /// An argument is a text that stands for an unknown number.
    pub(super) fn call_of<'v>(
        &self,
        action: ActionId,
        value: impl Fn(u32) -> Option<&'v Vec<u8>>,
    ) -> Result<Call, String> {
        let params =
            self.actions[action.index()].parts.iter().zip(&self.schema.actions[action.index()].params);
        let args = params.map(|(part, param)| match value(part.id) {
            Some(given) => texts::read(given, param.width, &param.values, part.form),
            None => Ok(Bits::zero(param.width)),
        });
        Ok(Call { action, args: args.collect::<Result<_, _>>()? })
    }

    /// Returns the position of the action with this id.
    pub(super) fn action(&self, id: u32) -> Option<ActionId> {
        self.actions.iter().position(|action| action.id == id).map(ActionId::new)
    }

    /// Returns the position of the table with this id.
    pub(super) fn table_id(&self, id: u32) -> Option<TableId> {
        self.tables.iter().position(|table| table.id == id).map(TableId::new)
    }

    /// Returns the position of the counter, meter, register or action profile with this id.
    pub(super) fn extern_id(&self, id: u32) -> Option<ExternId> {
        self.externs.iter().position(|known| *known == id).map(ExternId::new)
    }

    /// Returns the ids of a table and its keys.
    pub(super) fn table_ids(&self, table: TableId) -> &Ids {
        &self.tables[table.index()]
    }

    /// Returns the ids of a value set and its fields.
    pub(super) fn value_set_ids(&self, set: ValueSetId) -> &Ids {
        &self.value_sets[set.index()]
    }
}

/// Returns the id in a preamble; 0 without a preamble.
fn id(preamble: Option<&config::Preamble>) -> u32 {
    preamble.map_or(0, |preamble| preamble.id)
}

/// Returns the name in a preamble; empty without a preamble.
fn name(preamble: Option<&config::Preamble>) -> String {
    preamble.map(|preamble| preamble.name.clone()).unwrap_or_default()
}

/// Converts a number of cells or members to an unsigned number; 0 if it is negative.
fn count_or_zero(size: i64) -> u64 {
    u64::try_from(size).unwrap_or(0)
}

/// Converts a width in bits to an unsigned number; 0 if the value is not a number.
fn width_or_zero(width: i32) -> u32 {
    u32::try_from(width).unwrap_or(0)
}

/// Returns the width of a value in this client, its form for people, and its form in the protocol.
fn value_form(width: i32, name: Option<&P4NamedType>, types: Types<'_>) -> (u32, Values, Form) {
    types.form(name.map(|name| name.name.as_str()), width_or_zero(width))
}

/// Returns the name of a key as in P4 programs and local switches: P4Info calls the validity of a
/// header `h.$valid$`.
fn key_name(name: &str) -> String {
    match name.strip_suffix(VALIDITY) {
        Some(header) if header.is_empty() || header.ends_with('.') => format!("{header}isValid()"),
        _ => name.to_owned(),
    }
}

/// Reads the description of a key.
fn key(field: &config::MatchField, types: Types<'_>) -> KeySchema {
    let kind = match_kinds::read(field.r#match.as_ref()).unwrap_or(MatchKind::Exact);
    let (width, values, _) = value_form(field.bitwidth, field.type_name.as_ref(), types);
    KeySchema { name: key_name(&field.name), width, kind, values, annotations: Vec::new() }
}

fn counts(spec: config::CounterSpec) -> CounterUnit {
    match spec.unit() {
        counter_spec::Unit::Bytes => CounterUnit::Bytes,
        counter_spec::Unit::Packets => CounterUnit::Packets,
        counter_spec::Unit::Both | counter_spec::Unit::Unspecified => CounterUnit::PacketsAndBytes,
    }
}

fn measures_bytes(spec: config::MeterSpec) -> bool {
    spec.unit() == meter_spec::Unit::Bytes
}
