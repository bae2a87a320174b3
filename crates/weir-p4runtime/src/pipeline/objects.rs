//! The objects that a client's P4Info describes, with both the client's and the switch's ids.

use rustc_hash::FxHashMap;
use weir_ir::{ActionId, ExternId, TableId, ValueSetId};
use weir_switch::control::{MatchKind, TableSchema};

use super::data_type::DataType;
use super::field::Field;
use super::translation::Translation;

/// An object, by its position among the objects of its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Object {
    Table(usize),
    Action(usize),
    ValueSet(usize),
    Profile(usize),
    Counter(usize),
    /// A direct counter, by the position of its table.
    DirectCounter(usize),
    Meter(usize),
    /// A direct meter, by the position of its table.
    DirectMeter(usize),
    Register(usize),
    Digest(usize),
    /// An object for which P4Runtime has no messages.
    Other(usize),
    ControllerHeader,
}

impl Object {
    pub fn kind(self) -> &'static str {
        match self {
            Self::Table(_) => "table",
            Self::Action(_) => "action",
            Self::ValueSet(_) => "value set",
            Self::Profile(_) => "action profile",
            Self::Counter(_) => "counter",
            Self::DirectCounter(_) => "direct counter",
            Self::Meter(_) => "meter",
            Self::DirectMeter(_) => "direct meter",
            Self::Register(_) => "register",
            Self::Digest(_) => "digest",
            Self::Other(_) => "extern object",
            Self::ControllerHeader => "controller header",
        }
    }
}

/// A key of a table, or a field of a value set.
#[derive(Clone, Debug)]
pub(crate) struct Key {
    pub field: Field,
    pub kind: MatchKind,
    /// The key's position among the program's keys.
    pub position: usize,
}

/// The uses that a table allows for an action (specification, "Table", `action_refs`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    Anywhere,
    TableOnly,
    DefaultOnly,
    GroupAction,
}

/// An action of a table.
#[derive(Clone, Debug)]
pub(crate) struct TableAction {
    /// The position of the action among all actions.
    pub action: usize,
    /// The id of the action in the switch's table.
    pub id: ActionId,
    pub scope: Scope,
}

/// A table: as the program declares it, and what the client's P4Info says about it.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    pub declared: TableSchema,
    pub id: u32,
    pub table: TableId,
    pub keys: Vec<Key>,
    pub actions: Vec<TableAction>,
    /// The positions in `actions` by the client's ids.
    pub by_id: FxHashMap<u32, usize>,
    /// The positions in `actions` by the switch's ids.
    pub by_action: FxHashMap<ActionId, usize>,
    pub profile: Option<usize>,
    pub meter_type: MeterType,
    pub idle_timeouts: bool,
}

impl Table {
    pub fn name(&self) -> &str {
        &self.declared.name
    }

    pub fn has_counter(&self) -> bool {
        self.declared.direct_counter.is_some()
    }

    pub fn has_meter(&self) -> bool {
        self.declared.direct_meter.is_some()
    }
}

/// An action.
#[derive(Clone, Debug)]
pub(crate) struct Action {
    pub id: u32,
    pub name: String,
    pub params: Vec<Param>,
}

/// A parameter of an action.
#[derive(Clone, Debug)]
pub(crate) struct Param {
    pub field: Field,
    /// The parameter's position among the program's parameters.
    pub position: usize,
}

/// An action profile or selector.
#[derive(Clone, Debug)]
pub(crate) struct Profile {
    pub id: u32,
    pub name: String,
    pub profile: ExternId,
    pub is_selector: bool,
    /// The positions of the tables that use this profile. Its members use the actions of the first
    /// table.
    pub tables: Vec<usize>,
    pub size: i64,
    pub max_group_size: i32,
    pub sizes: SizeSemantics,
    pub weights_disallowed: bool,
}

/// The meaning of a selector's sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SizeSemantics {
    SumOfWeights,
    SumOfMembers { max_member_weight: i32 },
}

/// The algorithm of a meter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum MeterType {
    /// Two rates and three colours (RFC 2698).
    #[default]
    TwoRates,
    /// One rate and three colours (RFC 2697).
    OneRate,
    /// One rate and two colours.
    TwoColours,
}

/// An indexed counter or meter.
#[derive(Clone, Debug)]
pub(crate) struct Cells {
    pub id: u32,
    pub name: String,
    pub cells: ExternId,
    pub size: u64,
    /// The translation of the index for controllers.
    pub index: Translation,
    /// The type of a meter; without meaning for a counter.
    pub meter_type: MeterType,
}

/// A register.
#[derive(Clone, Debug)]
pub(crate) struct Register {
    pub cells: Cells,
    /// The type of a cell.
    pub data: DataType,
}

/// A value set.
#[derive(Clone, Debug)]
pub(crate) struct ValueSet {
    pub id: u32,
    pub name: String,
    pub set: ValueSetId,
    /// The maximum number of members.
    pub size: u64,
    pub fields: Vec<Key>,
}

/// A digest.
#[derive(Clone, Debug)]
pub(crate) struct Digest {
    pub id: u32,
    pub name: String,
    pub data: DataType,
    /// The names of the members, if the data is a struct.
    pub names: Vec<String>,
}

/// The header between controller and switch.
#[derive(Clone, Debug, Default)]
pub(crate) struct ControllerHeader {
    /// The width of each field of the program's header in order, and the field if controllers see
    /// it.
    pub fields: Vec<(u32, Option<Field>)>,
}

impl ControllerHeader {
    /// Returns the length of the header in bytes.
    pub fn bytes(&self) -> usize {
        self.fields.iter().map(|(bits, _)| *bits as usize).sum::<usize>() / 8
    }
}
