//! What a program offers to the control plane.

use weir_ir::{Annotation, Loc};

/// Everything that can be controlled, in the program's order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Schema {
    /// Tables.
    pub tables: Vec<TableSchema>,
    /// Actions that tables use.
    pub actions: Vec<ActionSchema>,
    /// Indexed counters.
    pub counters: Vec<CounterSchema>,
    /// Registers.
    pub registers: Vec<RegisterSchema>,
    /// Parser value sets.
    pub value_sets: Vec<ValueSetSchema>,
}

/// How a key field is matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MatchKind {
    /// `exact`.
    Exact,
    /// `lpm`.
    Lpm,
    /// `ternary`.
    Ternary,
    /// `range`.
    Range,
    /// `optional`.
    Optional,
}

impl MatchKind {
    /// As P4 spells it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Lpm => "lpm",
            Self::Ternary => "ternary",
            Self::Range => "range",
            Self::Optional => "optional",
        }
    }

    /// From P4's spelling.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Exact, Self::Lpm, Self::Ternary, Self::Range, Self::Optional]
            .into_iter()
            .find(|k| k.name() == name)
    }
}

/// A table.
#[derive(Clone, Debug, PartialEq)]
pub struct TableSchema {
    /// Control-plane name, such as `MyIngress.ipv4_lpm`.
    pub name: String,
    /// Key fields in order.
    pub keys: Vec<KeySchema>,
    /// Actions that entries and the default may have.
    pub actions: Vec<TableActionSchema>,
    /// The name of the program's default action.
    pub default_action: String,
    /// Whether the default is the program's for good.
    pub const_default: bool,
    /// Whether the entries are the program's for good.
    pub const_entries: bool,
    /// Entries that fit; none if the program gives no size: then there is no limit.
    pub size: Option<u64>,
    /// Whether entries need a priority (larger is preferred): a key is ternary, range or optional. Otherwise they must have none.
    pub needs_priority: bool,
    /// The name of its direct counter.
    pub direct_counter: Option<String>,
    /// Annotations.
    pub annotations: Vec<Annotation>,
    /// Where it is declared.
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
    /// Annotations.
    pub annotations: Vec<Annotation>,
}

/// An action in a table's list.
#[derive(Clone, Debug, PartialEq)]
pub struct TableActionSchema {
    /// Its name.
    pub action: String,
    /// Not for entries.
    pub default_only: bool,
    /// Not for the default.
    pub table_only: bool,
}

/// An action.
#[derive(Clone, Debug, PartialEq)]
pub struct ActionSchema {
    /// Control-plane name, such as `MyIngress.ipv4_forward`.
    pub name: String,
    /// What an entry gives with it, in order.
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
    /// Annotations.
    pub annotations: Vec<Annotation>,
}

/// What a counter counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CounterUnit {
    /// Packets.
    Packets,
    /// Bytes.
    Bytes,
    /// Both.
    PacketsAndBytes,
}

/// An indexed counter.
#[derive(Clone, Debug, PartialEq)]
pub struct CounterSchema {
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
    /// Control-plane name.
    pub name: String,
    /// Cells.
    pub size: u64,
    /// Bits of a cell.
    pub width: u32,
}

/// A parser value set.
#[derive(Clone, Debug, PartialEq)]
pub struct ValueSetSchema {
    /// Control-plane name.
    pub name: String,
    /// Members that fit.
    pub size: u64,
    /// Fields of a member in order.
    pub fields: Vec<KeySchema>,
}
