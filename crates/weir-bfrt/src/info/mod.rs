//! The tables of a program and of a switch as BfRt describes them ("BfRt schema 1.0"): keys, data,
//! actions, and their numbers.

mod cells;
mod filters;
mod fixed;
mod generators;
mod hashes;
mod json;
mod program;
mod selectors;

use rustc_hash::FxHashMap;
use weir_grpc::Problem;
use weir_ir::{ExternId, TableId, ValueSetId};
use weir_switch::Switch;
use weir_switch::arch::{Chip, chip_of};

pub use filters::LPF_KINDS;
pub use fixed::{ids as fixed_ids, tables as fixed_tables};
pub use generators::ids as generator_ids;
pub use hashes::{algorithm, ids as hash_ids};
pub use json::text;

/// The numbers of fields that have the same meaning in all tables ("BfRt schema 1.0": they begin at
/// 65537, in this order).
pub mod field {
    /// The place of an entry among those that match; 0 is preferred.
    pub const MATCH_PRIORITY: u32 = 65537;
    /// A member of an action profile.
    pub const ACTION_MEMBER_ID: u32 = 65539;
    /// A group of a selector.
    pub const SELECTOR_GROUP_ID: u32 = 65540;
    /// Whether each member of a group can be chosen.
    pub const ACTION_MEMBER_STATUS: u32 = 65541;
    /// The maximum number of members of a group.
    pub const MAX_GROUP_SIZE: u32 = 65542;
    /// The time-out of an entry in milliseconds.
    pub const ENTRY_TTL: u32 = 65543;
    /// Whether an entry was hit recently.
    pub const ENTRY_HIT_STATE: u32 = 65544;
    /// The first of the four rates and bursts of a meter that counts bytes.
    pub const METER_CIR_KBPS: u32 = 65545;
    /// The first of the four rates and bursts of a meter that counts packets.
    pub const METER_CIR_PPS: u32 = 65549;
    /// A count of bytes.
    pub const COUNTER_BYTES: u32 = 65553;
    /// A count of packets.
    pub const COUNTER_PACKETS: u32 = 65554;
    /// The index of a meter's cell.
    pub const METER_INDEX: u32 = 65555;
    /// The index of a counter's cell.
    pub const COUNTER_INDEX: u32 = 65556;
    /// The index of a register's cell.
    pub const REGISTER_INDEX: u32 = 65557;
    /// The index of the cell of an `Lpf`.
    pub const LPF_INDEX: u32 = 65558;
    /// The index of the cell of a `Wred`.
    pub const WRED_INDEX: u32 = 65559;
    /// Whether an `Lpf` measures rates.
    pub const LPF_TYPE: u32 = 65560;
    /// The time constant of an `Lpf` for inputs above its level, in nanoseconds.
    pub const LPF_GAIN: u32 = 65561;
    /// The time constant of an `Lpf` for inputs below its level, in nanoseconds.
    pub const LPF_DECAY: u32 = 65562;
    /// The shift of an `Lpf`'s level to the right, in bits.
    pub const LPF_SCALE: u32 = 65563;
    /// The time constant of a `Wred` in nanoseconds.
    pub const WRED_TIME: u32 = 65564;
    /// The level up to which a `Wred` drops no packet.
    pub const WRED_MIN: u32 = 65565;
    /// The level from which a `Wred` drops all packets.
    pub const WRED_MAX: u32 = 65566;
    /// The probability with which a `Wred` drops packets just below its maximum.
    pub const WRED_PROBABILITY: u32 = 65567;
    /// The first field of a direct register.
    pub const DIRECT_REGISTER: u32 = 65600;
}

/// The attribute of tables whose keys have masks that clients change.
pub const KEY_MASKS: &str = "DynamicKeyMask";

/// The size of tables and groups whose programs set no size.
const DEFAULT_SIZE: u64 = 1024;

/// The attribute of tables with meters that measure bytes.
pub const BYTE_ADJUSTMENT: &str = "MeterByteCountAdjust";

/// The object of the program or device that a BfRt table shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Object {
    /// A table of the program.
    Match(TableId),
    /// The members of an action profile or selector.
    Members(ExternId),
    /// The groups of a selector.
    Groups(ExternId),
    /// The cells of a counter.
    Counter(ExternId),
    /// The cells of a meter.
    Meter(ExternId),
    /// The cells of a register.
    Register(ExternId),
    /// The cells of a filter: an `Lpf` or a `Wred`.
    Filter(ExternId),
    /// A parameter of register actions: a register with a single cell, which is the default entry
    /// of its table.
    Parameter(ExternId),
    /// The inputs of a hash.
    HashInputs(ExternId),
    /// The function of a hash.
    HashFunction(ExternId),
    /// The values of a hash.
    HashValue(ExternId),
    /// The members of a selector's groups that hashes choose.
    MemberOfHash(ExternId),
    /// A parser value set.
    ValueSet(ValueSetId),
    /// The multicast groups.
    MulticastGroups,
    /// The nodes of which multicast groups consist.
    MulticastNodes,
    /// The ECMP groups of multicast nodes.
    MulticastEcmps,
    /// The link aggregation groups of multicast nodes.
    MulticastLags,
    /// The ports that get no copies, by level 2 exclusion id.
    PrunedPorts,
    /// The ports' settings for multicast.
    MulticastPorts,
    /// The mirror sessions.
    MirrorSessions,
    /// The ports.
    Ports,
    /// The counts of ports.
    PortCounts,
    /// The ports by connector and channel.
    PortsByConnector,
    /// The ports by name.
    PortsByName,
    /// The ports of packet generators.
    GeneratorPorts,
    /// The applications of packet generators.
    GeneratorApps,
    /// The buffer of the packet generator.
    GeneratorBuffer,
    /// The device.
    Device,
}

/// A table.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// The full name, such as `pipe.Ingress.routes`.
    pub name: String,
    /// The number.
    pub id: u32,
    /// The object that the table shows.
    pub object: Object,
    /// The kind in the schema, such as `MatchAction_Direct`.
    pub kind: &'static str,
    /// The maximum number of entries.
    pub size: u64,
    /// The maximum number of members of a group, if the program has one.
    pub group_size: Option<u32>,
    /// The fields of the key, in order.
    pub keys: Vec<KeyField>,
    /// The actions of entries and of the default.
    pub actions: Vec<Action>,
    /// The action of all entries, which clients do not see; the data are its parameters.
    pub fixed_action: Option<Action>,
    /// The data that entries have in addition to an action.
    pub data: Vec<DataField>,
    /// The tables to which entries of this table refer.
    pub depends_on: Vec<u32>,
    /// The operations.
    pub operations: Vec<&'static str>,
    /// The attributes.
    pub attributes: Vec<&'static str>,
    /// Whether the default action is constant; `None` if the table has no actions.
    pub const_default: Option<bool>,
}

/// A field of a key.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyField {
    /// The number.
    pub id: u32,
    /// The name.
    pub name: String,
    /// The match kind in the schema, such as `LPM`.
    pub match_type: &'static str,
    /// Whether each key must have the field. Others have a match for all values.
    pub mandatory: bool,
    /// The type.
    pub ty: FieldType,
}

/// A field of the data.
#[derive(Clone, Debug, PartialEq)]
pub struct DataField {
    /// The number.
    pub id: u32,
    /// The name.
    pub name: String,
    /// The type.
    pub ty: FieldType,
    /// Whether the field is a list.
    pub repeated: bool,
    /// Whether new entries must have the field.
    pub mandatory: bool,
    /// Whether the field can only be read.
    pub read_only: bool,
    /// Whether the field is a choice: each entry has exactly one of the table's choices.
    pub one_of: bool,
    /// The value of the annotation `$bfrt_field_class`, if any.
    pub class: Option<&'static str>,
}

/// The type of a field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FieldType {
    /// A number of this many bits.
    Bytes(u32),
    /// A number of 8, 16, 32 or 64 bits, with its default.
    Uint(u32, Option<u64>),
    /// A truth value, with its default.
    Bool(Option<bool>),
    /// A number with a fraction.
    Float,
    /// Parts of a number of this many bits.
    Parts(u32),
    /// A text, which must be one of these if there are any.
    Text(&'static [&'static str]),
}

/// An action of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Action {
    /// The name.
    pub name: String,
    /// The number.
    pub id: u32,
    /// The action of the program; `None` for actions of tables that no program declares.
    pub action: Option<weir_ir::ActionId>,
    /// The scope in the schema, such as `TableAndDefault`; `None` for actions of tables that no
    /// program declares.
    pub scope: Option<&'static str>,
    /// The parameters.
    pub data: Vec<DataField>,
}

/// A digest.
#[derive(Clone, Debug, PartialEq)]
pub struct Learn {
    /// The full name.
    pub name: String,
    /// The number.
    pub id: u32,
    /// The name of the switch's messages.
    pub digest: String,
    /// The fields, in the order of the values in the switch's messages.
    pub fields: Vec<DataField>,
}

/// The tables and digests of a program.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProgramInfo {
    /// The tables.
    pub tables: Vec<Table>,
    /// The digests.
    pub learns: Vec<Learn>,
}

impl DataField {
    /// Creates a field that new entries may leave out.
    fn new(id: u32, name: impl Into<String>, ty: FieldType) -> Self {
        let (repeated, mandatory, read_only, one_of, class) = Default::default();
        Self { id, name: name.into(), ty, repeated, mandatory, read_only, one_of, class }
    }

    /// Makes the field a list.
    fn list(self) -> Self {
        Self { repeated: true, ..self }
    }

    /// Makes the field mandatory.
    fn mandatory(self) -> Self {
        Self { mandatory: true, ..self }
    }

    /// Makes the field readable only.
    fn read_only(self) -> Self {
        Self { read_only: true, ..self }
    }
}

/// Numbers fields from `first` on.
fn numbered<const N: usize>(first: u32, fields: [(&str, FieldType); N]) -> Vec<DataField> {
    (first..).zip(fields).map(|(id, (name, ty))| DataField::new(id, name, ty)).collect()
}

impl KeyField {
    /// Creates a mandatory field with an exact match.
    fn exact(id: u32, name: &str, bits: u32) -> Self {
        let ty = FieldType::Uint(bits, None);
        Self { id, name: name.to_owned(), match_type: "Exact", mandatory: true, ty }
    }
}

impl FieldType {
    /// Returns the width of a number in bits; `None` for other types.
    pub fn bits(self) -> Option<u32> {
        match self {
            Self::Bytes(bits) | Self::Uint(bits, _) | Self::Parts(bits) => Some(bits),
            Self::Bool(_) | Self::Float | Self::Text(_) => None,
        }
    }
}

impl Table {
    /// Creates a table without actions, operations, attributes.
    fn new(name: impl Into<String>, id: u32, object: Object, kind: &'static str, size: u64) -> Self {
        let (keys, actions, data, depends_on, operations, attributes) = Default::default();
        let (name, group_size, fixed_action, const_default) = (name.into(), None, None, None);
        Self {
            name,
            id,
            object,
            kind,
            size,
            group_size,
            keys,
            actions,
            fixed_action,
            data,
            depends_on,
            operations,
            attributes,
            const_default,
        }
    }

    /// Returns the action with this number.
    pub fn action(&self, id: u32) -> Option<&Action> {
        self.actions.iter().find(|action| action.id == id)
    }

    /// Returns the number of a data field, or 0 if the field does not exist. No field has the
    /// number 0.
    pub fn data_id(&self, name: &str) -> u32 {
        self.data.iter().find(|field| field.name == name).map_or(0, |field| field.id)
    }

    /// Returns the place of a key field with this number.
    pub fn key(&self, id: u32) -> Option<usize> {
        self.keys.iter().position(|key| key.id == id)
    }
}

/// All tables of a switch: those of its program, and those that every switch has.
#[derive(Clone, Debug)]
pub struct DeviceInfo {
    tables: Vec<Table>,
    /// The digests of the program.
    pub learns: Vec<Learn>,
    /// The tables and digests of the program as JSON.
    pub program: String,
    /// The tables that every switch has as JSON.
    pub fixed: String,
    /// The chip that the switch stands for.
    pub chip: Chip,
    /// Whether the program is for the chip. Some ports of the chip have no interface.
    is_of_chip: bool,
    places: FxHashMap<u32, usize>,
}

impl DeviceInfo {
    /// Creates the tables of a switch that has a program.
    pub fn new(program: ProgramInfo, of: Option<Chip>) -> Self {
        let (chip, is_of_chip) = (of.unwrap_or(Chip::Tofino1), of.is_some());
        let fixed = fixed_tables(chip);
        let texts = (text(&program.tables, &program.learns), text(&fixed, &[]));
        let mut tables = program.tables;
        tables.extend(fixed);
        let places = tables.iter().enumerate().map(|(place, table)| (table.id, place)).collect();
        Self { tables, learns: program.learns, program: texts.0, fixed: texts.1, chip, is_of_chip, places }
    }

    /// Creates the tables of a switch.
    ///
    /// # Errors
    /// The program cannot be shown to clients.
    pub fn of_switch(switch: &Switch) -> Result<Self, String> {
        let program = ProgramInfo::new(switch.program(), switch.schema()).map_err(|problems| {
            let first = problems.first().map(ToString::to_string).unwrap_or_default();
            format!("the program has no tables for clients: {first}")
        })?;
        Ok(Self::new(program, chip_of(switch.program())))
    }

    /// Returns whether the program is for a chip that has this port.
    pub fn has_port(&self, port: u32) -> bool {
        self.is_of_chip && port < 512 && port % 128 < self.chip.ports_per_pipe()
    }

    /// Returns the ports of the chip that recirculate packets, which may belong to packet
    /// generators.
    pub fn generator_ports(&self) -> impl Iterator<Item = u32> + use<> {
        let (recirculates, is_of_chip) = (self.chip.recirculates(), self.is_of_chip);
        (0..512).filter(move |port| is_of_chip && recirculates(*port))
    }

    /// Finds a table by its number.
    ///
    /// # Errors
    /// There is no such table.
    pub fn table(&self, id: u32) -> Result<&Table, Problem> {
        let place = self.places.get(&id);
        let missing = || Problem::not_found(format!("the switch has no table {id} ({id:#010x})"));
        place.map(|place| &self.tables[*place]).ok_or_else(missing)
    }

    /// Returns the table of an object of the program.
    pub fn table_of(&self, object: Object) -> Option<&Table> {
        self.tables.iter().find(|table| table.object == object)
    }

    /// Returns all tables.
    pub fn tables(&self) -> &[Table] {
        &self.tables
    }
}
