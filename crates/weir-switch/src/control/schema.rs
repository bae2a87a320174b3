//! The objects of a program that the control plane can read and change.

use weir_device::Port;
use weir_ir::{ActionId, Annotation, DeclaredKind, ExternId, HeaderField, Loc, Program, Table, TableId};

use super::error::ControlError;
use super::values::{Values, fields_of_register, of_register, of_set as values_of_set};
use crate::externs::calls::calculations;
use crate::externs::{CounterUnit, CrcAlgorithm, ExternState};
use crate::p4info::controller_headers;
use crate::tables::{MatchKind, supports_timeout};

/// The objects of a program, in its order. The id of a table, action or value set is its position
/// here.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Schema {
    /// Tables.
    pub tables: Vec<TableSchema>,
    /// Actions, including those that no table uses.
    pub actions: Vec<ActionSchema>,
    /// Indexed counters.
    pub counters: Vec<CounterSchema>,
    /// Registers.
    pub registers: Vec<RegisterSchema>,
    /// Indexed meters.
    pub meters: Vec<MeterSchema>,
    /// Action profiles and selectors.
    pub profiles: Vec<ProfileSchema>,
    /// Parser value sets.
    pub value_sets: Vec<ValueSetSchema>,
    /// Calls that compute a CRC whose parameters can be set, at the positions that
    /// [`Calculation::One`](super::Calculation::One) has.
    pub calculations: Vec<CalculationSchema>,
    /// The largest number of a port, by the bits that the program has for ports; none if that is
    /// not known.
    pub last_port: Option<Port>,
    /// The new types that stand for numbers.
    pub types: Vec<TypeSchema>,
    /// The fields of the header in front of packets from the controller; empty without such a
    /// header.
    pub packet_out: Vec<ParamSchema>,
}

/// A new type that stands for a number.
#[derive(Clone, Debug, PartialEq)]
pub struct TypeSchema {
    /// Its name.
    pub name: String,
    /// Bits.
    pub width: u32,
    /// How people write its values.
    pub values: Values,
}

/// A table.
#[derive(Clone, Debug, PartialEq)]
pub struct TableSchema {
    /// Control-plane name, such as `MyIngress.ipv4_lpm`.
    pub name: String,
    /// Key fields in order.
    pub keys: Vec<KeySchema>,
    /// The actions of entries and of the default.
    pub actions: Vec<TableActionSchema>,
    /// The name of the program's default action.
    pub default_action: String,
    /// Whether the default action is constant.
    pub const_default: bool,
    /// Whether the entries are constant.
    pub const_entries: bool,
    /// The maximum number of entries; none if the program sets no `size`, which means no limit.
    pub size: Option<u64>,
    /// Whether entries need a priority (larger is preferred): a key is ternary, range or optional.
    /// Otherwise they must have none.
    pub needs_priority: bool,
    /// The name of its direct counter.
    pub direct_counter: Option<String>,
    /// What its direct counter counts.
    pub direct_counter_unit: Option<CounterUnit>,
    /// The name of its direct meter.
    pub direct_meter: Option<String>,
    /// Whether its direct meter counts bytes; packets if not.
    pub direct_meter_bytes: bool,
    /// Its action profile or selector.
    pub profile: Option<ExternId>,
    /// The keys of the selector, with name and bits. Entries do not match on them.
    pub selector_keys: Vec<ParamSchema>,
    /// Whether entries may have an idle time-out.
    pub support_timeout: bool,
    /// Annotations.
    pub annotations: Vec<Annotation>,
    /// The place of the declaration.
    pub loc: Loc,
}

/// A key field.
#[derive(Clone, Debug, PartialEq)]
pub struct KeySchema {
    /// Control-plane name, such as `hdr.ipv4.dstAddr`.
    pub name: String,
    /// Bits.
    pub width: u32,
    /// How it is matched.
    pub kind: MatchKind,
    /// How people write its values.
    pub values: Values,
    /// Annotations.
    pub annotations: Vec<Annotation>,
}

/// An action in a table's list.
#[derive(Clone, Debug, PartialEq)]
pub struct TableActionSchema {
    /// The action.
    pub id: ActionId,
    /// Its name.
    pub action: String,
    /// Whether only the default may use it.
    pub default_only: bool,
    /// Whether only entries may use it.
    pub table_only: bool,
    /// Whether it may only be the group action of an action set, see
    /// [`ActionSet`](super::ActionSet).
    pub group_only: bool,
}

/// What an action is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ActionUse {
    /// An entry, or a member of an action profile.
    Entry,
    /// The default of a table.
    Default,
    /// The group action of an action set, see [`ActionSet`](super::ActionSet).
    GroupAction,
}

impl TableActionSchema {
    /// Why this action of `table` does not allow this use; none if it does.
    pub fn refuses(&self, table: TableId, wanted: ActionUse) -> Option<ControlError> {
        let action = self.id;
        match wanted {
            ActionUse::GroupAction if !self.group_only => Some(ControlError::NoGroupAction { table, action }),
            ActionUse::Entry | ActionUse::Default if self.group_only => {
                Some(ControlError::GroupOnly { table, action })
            }
            ActionUse::Entry if self.default_only => Some(ControlError::DefaultOnly { table, action }),
            ActionUse::Default if self.table_only => Some(ControlError::TableOnly { table, action }),
            _ => None,
        }
    }
}

/// An action.
#[derive(Clone, Debug, PartialEq)]
pub struct ActionSchema {
    /// Control-plane name, such as `MyIngress.ipv4_forward`.
    pub name: String,
    /// The parameters of its action data, in order.
    pub params: Vec<ParamSchema>,
    /// Annotations.
    pub annotations: Vec<Annotation>,
}

/// An action parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct ParamSchema {
    /// Its name.
    pub name: String,
    /// Bits.
    pub width: u32,
    /// How people write its values.
    pub values: Values,
    /// Annotations.
    pub annotations: Vec<Annotation>,
}

/// An indexed counter.
#[derive(Clone, Debug, PartialEq)]
pub struct CounterSchema {
    /// The extern.
    pub id: ExternId,
    /// Control-plane name.
    pub name: String,
    /// Cells.
    pub size: u64,
    /// What it counts.
    pub unit: CounterUnit,
}

/// A register.
#[derive(Clone, Debug, PartialEq)]
pub struct RegisterSchema {
    /// The extern.
    pub id: ExternId,
    /// Control-plane name.
    pub name: String,
    /// Cells.
    pub size: u64,
    /// Bits of a cell.
    pub width: u32,
    /// The fields of a cell with their bits, the first one in the upper bits; one without name if a
    /// cell is a single value.
    pub fields: Vec<(String, u32)>,
    /// How people write the values of each field.
    pub values: Vec<Values>,
}

/// An indexed meter.
#[derive(Clone, Debug, PartialEq)]
pub struct MeterSchema {
    /// The extern.
    pub id: ExternId,
    /// Control-plane name.
    pub name: String,
    /// Cells.
    pub size: u64,
    /// Whether it counts bytes; packets if not.
    pub bytes: bool,
}

/// An action profile or selector.
#[derive(Clone, Debug, PartialEq)]
pub struct ProfileSchema {
    /// The extern.
    pub id: ExternId,
    /// Control-plane name.
    pub name: String,
    /// The maximum number of members; 0 means no limit.
    pub size: u64,
    /// Whether it has groups.
    pub is_selector: bool,
    /// The tables that share it.
    pub tables: Vec<TableId>,
}

/// A parser value set.
#[derive(Clone, Debug, PartialEq)]
pub struct ValueSetSchema {
    /// Control-plane name.
    pub name: String,
    /// The maximum number of members.
    pub size: u64,
    /// Fields of a member in order.
    pub fields: Vec<KeySchema>,
}

/// A call of `hash`, `update_checksum` or `verify_checksum` with `crc16_custom` or `crc32_custom`.
#[derive(Clone, Debug, PartialEq)]
pub struct CalculationSchema {
    /// Its names for `simple_switch`; several if p4c writes the call's action several times.
    pub names: Vec<String>,
    /// What it computes.
    pub algorithm: CrcAlgorithm,
}

/// The new types of a program that stand for numbers.
fn types(program: &Program) -> Vec<TypeSchema> {
    let types = program.declared.iter().filter_map(|(id, declared)| {
        let DeclaredKind::New(of) = &declared.kind else { return None };
        let ty = program.scalar(of)?;
        let name = declared.name.clone();
        Some(TypeSchema { name, width: ty.width(), values: Values::of(program, ty, Some(id)) })
    });
    types.collect()
}

/// The fields of the header that the program reads in front of packets from the controller.
fn packet_out(program: &Program) -> Vec<ParamSchema> {
    let is_used = |id| program.headers.values().any(|header| header.ty == id);
    let header = controller_headers(program).find(|(id, name)| *name == "packet_out" && is_used(*id));
    let fields = header.into_iter().flat_map(|(id, _)| &program.header_types[id].fields);
    let field = |field: &HeaderField| ParamSchema {
        name: field.name.clone(),
        width: field.ty.width(),
        values: Values::of(program, field.ty, field.declared),
        annotations: field.annotations.clone(),
    };
    fields.map(field).collect()
}

impl Schema {
    /// The schema of `program`. Tables, actions and value sets are in the program's order, one for
    /// each.
    pub(crate) fn new(program: &Program, externs: &[ExternState]) -> Self {
        let kind = |name: &str| MatchKind::from_name(name).unwrap_or(MatchKind::Exact);
        let direct = |table: &Table| {
            let objects: Vec<_> = table.attached.iter().map(|(_, object)| object.index()).collect();
            objects.into_iter().map(|object| &externs[object])
        };
        let attached = |table: &Table, wanted: fn(&ExternState) -> bool| {
            let object = table.attached.iter().find(|(_, object)| wanted(&externs[object.index()]));
            object.map(|(_, object)| program.externs[*object].name.clone())
        };
        let tables = program.tables.values().map(|table| {
            let keys: Vec<_> = table
                .keys
                .iter()
                .filter(|key| key.match_kind != "selector")
                .map(|key| KeySchema {
                    name: key.name.clone(),
                    width: key.expr.ty.width(),
                    kind: kind(&key.match_kind),
                    values: Values::of(program, key.expr.ty, key.declared),
                    annotations: key.annotations.clone(),
                })
                .collect();
            TableSchema {
                name: table.name.clone(),
                needs_priority: keys.iter().any(|key| {
                    matches!(key.kind, MatchKind::Ternary | MatchKind::Range | MatchKind::Optional)
                }) || keys.iter().filter(|key| key.kind == MatchKind::Lpm).count() > 1,
                keys,
                actions: table
                    .listed()
                    .map(|action| TableActionSchema {
                        id: action.action,
                        action: program.actions[action.action].control_plane_name().to_owned(),
                        default_only: action.default_only,
                        table_only: action.table_only,
                        group_only: action.group_only,
                    })
                    .collect(),
                default_action: program.actions[table.default_action.action].control_plane_name().to_owned(),
                const_default: table.const_default,
                const_entries: table.const_entries,
                size: table.size,
                direct_counter: attached(table, |state| matches!(state, ExternState::DirectCounter(_))),
                direct_counter_unit: direct(table).find_map(|state| match state {
                    ExternState::DirectCounter(unit) => Some(*unit),
                    _ => None,
                }),
                direct_meter: attached(table, |state| matches!(state, ExternState::DirectMeter(_))),
                direct_meter_bytes: direct(table)
                    .any(|state| matches!(state, ExternState::DirectMeter(true))),
                profile: table.implementation,
                selector_keys: table
                    .keys
                    .iter()
                    .filter(|key| key.match_kind == "selector")
                    .map(|key| ParamSchema {
                        name: key.name.clone(),
                        width: key.expr.ty.width(),
                        values: Values::of(program, key.expr.ty, key.declared),
                        annotations: key.annotations.clone(),
                    })
                    .collect(),
                support_timeout: supports_timeout(table),
                annotations: table.annotations.clone(),
                loc: table.loc,
            }
        });
        let actions = program.actions.values().map(|action| ActionSchema {
            name: action.control_plane_name().to_owned(),
            params: action
                .params
                .iter()
                .map(|param| ParamSchema {
                    name: param.name.clone(),
                    width: program.vars[param.var].ty.width(),
                    values: Values::of(program, program.vars[param.var].ty, param.declared),
                    annotations: param.annotations.clone(),
                })
                .collect(),
            annotations: action.annotations.clone(),
        });
        let value_sets = program.value_sets.iter().map(|(id, set)| ValueSetSchema {
            name: set.name.clone(),
            size: set.size,
            fields: set
                .fields
                .iter()
                .zip(values_of_set(program, id))
                .map(|(field, values)| KeySchema {
                    name: field.name.clone(),
                    width: field.width,
                    kind: kind(&field.match_kind),
                    values,
                    annotations: Vec::new(),
                })
                .collect(),
        });
        let mut schema = Self {
            tables: tables.collect(),
            actions: actions.collect(),
            value_sets: value_sets.collect(),
            calculations: calculations(program)
                .into_iter()
                .map(|(names, algorithm)| CalculationSchema { names, algorithm })
                .collect(),
            types: types(program),
            packet_out: packet_out(program),
            ..Self::default()
        };
        for ((id, object), state) in program.externs.iter().zip(externs) {
            let name = object.name.clone();
            match state {
                ExternState::Counter(counter) => {
                    schema.counters.push(CounterSchema {
                        id,
                        name,
                        size: counter.size() as u64,
                        unit: counter.unit,
                    });
                }
                ExternState::Register(register) => schema.registers.push(RegisterSchema {
                    id,
                    name,
                    size: register.size() as u64,
                    width: register.width(),
                    values: of_register(program, id, register.fields.len()),
                    fields: fields_of_register(program, id, &register.fields),
                }),
                ExternState::Meter(meter) => {
                    schema.meters.push(MeterSchema {
                        id,
                        name,
                        size: meter.size() as u64,
                        bytes: meter.bytes,
                    });
                }
                ExternState::Profile(profile) => schema.profiles.push(ProfileSchema {
                    id,
                    name,
                    size: profile.size,
                    is_selector: profile.hash.is_some(),
                    tables: profile.tables.clone(),
                }),
                ExternState::DirectCounter(_) | ExternState::DirectMeter(_) | ExternState::Checksum => {}
            }
        }
        schema
    }
}
