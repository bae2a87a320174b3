//! The objects of a program that the control plane can read and change.

use weir_device::Port;
use weir_ir::{DeclaredKind, ExternId, HeaderField, Program, TableId};

use super::table_schema::{ActionSchema, KeySchema, ParamSchema, TableSchema};
use super::values::{Values, fields_of_register, of_register, of_set};
use crate::externs::calls::calculations;
use crate::externs::{CounterUnit, CrcAlgorithm, ExternState, HashInput};
use crate::p4info::{ControlView, ObjectKind, controller_headers};

/// The objects of a program, in the program's order. The id of a table, action or value set is its
/// position here.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Schema {
    /// The tables.
    pub tables: Vec<TableSchema>,
    /// The actions, including those that no table uses.
    pub actions: Vec<ActionSchema>,
    /// The indexed counters.
    pub counters: Vec<CounterSchema>,
    /// The registers.
    pub registers: Vec<RegisterSchema>,
    /// The indexed meters.
    pub meters: Vec<MeterSchema>,
    /// The hashes whose function and inputs can be set.
    pub hashes: Vec<HashSchema>,
    /// The action profiles and selectors.
    pub profiles: Vec<ProfileSchema>,
    /// The parser value sets.
    pub value_sets: Vec<ValueSetSchema>,
    /// The objects that controllers see, but can neither read nor change.
    pub other_objects: Vec<OtherSchema>,
    /// The calls that compute a CRC with settable parameters.
    /// [`Calculation::One`](super::Calculation::One) contains positions in this list.
    pub calculations: Vec<CalculationSchema>,
    /// The largest number that a port of the program can have; `None` if it is not known.
    pub last_port: Option<Port>,
    /// The largest number that a clone session of the program can have; `None` if it is not known.
    pub last_session: Option<u32>,
    /// The largest class of service that a packet of the program can have; `None` if it is not
    /// known or packets have no classes.
    pub last_class: Option<usize>,
    /// Whether the program recirculates packets.
    pub recirculates: bool,
    /// The new types that stand for numbers.
    pub types: Vec<TypeSchema>,
    /// The fields of the header in front of packets from the controller; empty without such a
    /// header.
    pub packet_out: Vec<ParamSchema>,
}

/// A new type that stands for a number.
#[derive(Clone, Debug, PartialEq)]
pub struct TypeSchema {
    /// The type's name.
    pub name: String,
    /// The width in bits.
    pub width: u32,
    /// The form in which people write the values.
    pub values: Values,
}

/// An indexed counter.
#[derive(Clone, Debug, PartialEq)]
pub struct CounterSchema {
    /// The extern.
    pub id: ExternId,
    /// The control-plane name.
    pub name: String,
    /// The number of cells.
    pub size: u64,
    /// The unit that the counter counts.
    pub unit: CounterUnit,
}

/// A register.
#[derive(Clone, Debug, PartialEq)]
pub struct RegisterSchema {
    /// The extern.
    pub id: ExternId,
    /// The control-plane name.
    pub name: String,
    /// The number of cells.
    pub size: u64,
    /// The width of a cell in bits.
    pub width: u32,
    /// The fields of a cell with their widths in bits. The first field is in the upper bits. If a
    /// cell is a single value, it has one field without a name.
    pub fields: Vec<(String, u32)>,
    /// The form in which people write the values of each field.
    pub values: Vec<Values>,
}

/// An indexed meter.
#[derive(Clone, Debug, PartialEq)]
pub struct MeterSchema {
    /// The extern.
    pub id: ExternId,
    /// The control-plane name.
    pub name: String,
    /// The number of cells.
    pub size: u64,
    /// Whether the meter counts bytes; otherwise it counts packets.
    pub bytes: bool,
}

/// A hash whose function and inputs can be set.
#[derive(Clone, Debug, PartialEq)]
pub struct HashSchema {
    /// The extern.
    pub id: ExternId,
    /// The control-plane name.
    pub name: String,
    /// The width of the result in bits.
    pub width: u32,
    /// The names and widths of the values that the program passes, in order.
    pub fields: Vec<(String, u32)>,
    /// The inputs of the function, unless a controller changes them.
    pub inputs: Vec<HashInput>,
}

/// An action profile or selector.
#[derive(Clone, Debug, PartialEq)]
pub struct ProfileSchema {
    /// The extern.
    pub id: ExternId,
    /// The control-plane name.
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
    /// The control-plane name.
    pub name: String,
    /// The maximum number of members.
    pub size: u64,
    /// The fields of a member, in order.
    pub fields: Vec<KeySchema>,
}

/// An object of an extern type for which there are no requests.
#[derive(Clone, Debug, PartialEq)]
pub struct OtherSchema {
    /// The control-plane name.
    pub name: String,
    /// The name of its type.
    pub of_type: String,
    /// The number of its type, the first byte of its id for P4Runtime.
    pub type_number: u8,
}

/// A call of `hash`, `update_checksum` or `verify_checksum` with `crc16_custom` or `crc32_custom`.
#[derive(Clone, Debug, PartialEq)]
pub struct CalculationSchema {
    /// The names of the calculation in `simple_switch`. There are several names if p4c writes the
    /// action of the call several times.
    pub names: Vec<String>,
    /// The algorithm of the calculation.
    pub algorithm: CrcAlgorithm,
}

/// Returns the types that the program declares with `type` and that stand for numbers.
fn types(program: &Program) -> Vec<TypeSchema> {
    let types = program.declared.iter().filter_map(|(id, declared)| {
        let DeclaredKind::New(of) = &declared.kind else { return None };
        let ty = program.scalar(of)?;
        let name = declared.name.clone();
        Some(TypeSchema { name, width: ty.width(), values: Values::for_type(program, ty, Some(id)) })
    });
    types.collect()
}

/// Returns the fields of the header that the program reads at the start of packets from the
/// controller.
fn packet_out(program: &Program) -> Vec<ParamSchema> {
    let is_used = |id| program.headers.values().any(|header| header.ty == id);
    let header = controller_headers(program).find(|(id, name)| *name == "packet_out" && is_used(*id));
    let fields = header.into_iter().flat_map(|(id, _)| &program.header_types[id].fields);
    let field = |field: &HeaderField| ParamSchema {
        name: field.name.clone(),
        width: field.ty.width(),
        values: Values::for_type(program, field.ty, field.declared),
        annotations: field.annotations.clone(),
    };
    fields.map(field).collect()
}

impl Schema {
    /// Returns the schema of `program` in the program's order, without the objects whose state
    /// comes from an architecture. [`arch::control_view`](crate::arch::control_view) returns what
    /// controllers see of the program's architecture.
    pub fn from_program(program: &Program, view: &ControlView) -> Self {
        let sets = program.value_sets.iter().map(|(id, set)| ValueSetSchema {
            name: set.name.clone(),
            size: set.size,
            fields: set.fields.iter().zip(of_set(program, id)).map(KeySchema::of_field).collect(),
        });
        let calculations = calculations(program).into_iter();
        let others = program.externs.values().filter_map(|object| match view.kind_of(&object.kind)? {
            ObjectKind::Other(type_number) => {
                Some(OtherSchema { name: object.name.clone(), of_type: object.kind.clone(), type_number })
            }
            _ => None,
        });
        Self {
            tables: program
                .tables
                .values()
                .map(|table| TableSchema::from_table(program, view, table))
                .collect(),
            actions: program
                .actions
                .values()
                .map(|action| ActionSchema::from_action(program, action))
                .collect(),
            value_sets: sets.collect(),
            other_objects: others.collect(),
            calculations: calculations
                .map(|(names, algorithm)| CalculationSchema { names, algorithm })
                .collect(),
            types: types(program),
            packet_out: packet_out(program),
            ..Self::default()
        }
    }

    /// Returns the schema of `program`, whose objects have these states.
    pub(crate) fn new(program: &Program, view: &ControlView, externs: &[ExternState]) -> Self {
        let mut schema = Self::from_program(program, view);
        for ((id, object), state) in program.externs.iter().zip(externs) {
            let name = object.name.clone();
            match state {
                ExternState::Counter(counter) => {
                    let (size, unit) = (counter.size() as u64, counter.unit);
                    schema.counters.push(CounterSchema { id, name, size, unit });
                }
                ExternState::Register(register) => {
                    let (size, width) = (register.size() as u64, register.width());
                    let values = of_register(program, id, register.fields.len());
                    let fields = fields_of_register(program, id, &register.fields);
                    schema.registers.push(RegisterSchema { id, name, size, width, fields, values });
                }
                ExternState::Meter(meter) => {
                    let (size, bytes) = (meter.size() as u64, meter.bytes);
                    schema.meters.push(MeterSchema { id, name, size, bytes });
                }
                ExternState::Hash(hash) => {
                    let (width, fields, inputs) = (hash.width, hash.fields.clone(), hash.own.1.clone());
                    schema.hashes.push(HashSchema { id, name, width, fields, inputs });
                }
                ExternState::Profile(profile) => {
                    let (size, is_selector, tables) =
                        (profile.size, profile.hash.is_some(), profile.tables.clone());
                    schema.profiles.push(ProfileSchema { id, name, size, is_selector, tables });
                }
                ExternState::DirectCounter { .. }
                | ExternState::DirectMeter { .. }
                | ExternState::DirectRegister { .. }
                | ExternState::Stateless
                | ExternState::Own(_) => {}
            }
        }
        schema
    }
}
