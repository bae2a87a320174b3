//! The parts of control requests. Tables, actions and externs are ids; keys and parameters are
//! positions.

use weir_device::Nanos;
use weir_ir::{ActionId, Bits};

use crate::tables::Match;

/// An action with its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The action.
    pub action: ActionId,
    /// A value for each of its parameters, in order.
    pub args: Vec<Bits>,
}

/// What an entry does on a hit, or a default action on a miss.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// This action: for entries of tables without action profile, and for the default of any table.
    Action(Call),
    /// The action of this member of the table's action profile or selector.
    Member(u32),
    /// The action of one of this group's members, which the selector keys choose. Of an empty
    /// group: the program's default action of the table.
    Group(u32),
    /// One of these actions, which belong to the entry alone; chosen as a group's members are. For
    /// tables with a selector.
    OneOf(Vec<WeightedCall>),
}

impl From<Call> for Target {
    fn from(call: Call) -> Self {
        Self::Action(call)
    }
}

/// An action and its share of the flows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WeightedCall {
    /// The action.
    pub action: Call,
    /// The share compared with the others', at least 1; all together at most 4096.
    pub weight: u32,
}

/// A member in a group of an action selector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupMember {
    /// Its number.
    pub member: u32,
    /// Its share of the flows compared with the others', at least 1; all together at most 4096.
    pub weight: u32,
}

/// An entry of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// What each of the table's keys accepts, in order.
    pub matches: Vec<Match>,
    /// Larger is preferred. Given exactly if the table's
    /// [`needs_priority`](super::TableSchema::needs_priority).
    pub priority: Option<u32>,
    /// What happens on a hit.
    pub action: Target,
    /// After how many nanoseconds without a hit a notice comes, see
    /// [`IdleNotice`](super::IdleNotice); none means never. For tables with `support_timeout`.
    pub idle_timeout: Option<Nanos>,
}

/// Which entry of a table a request is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EntryRef {
    /// The one with this handle.
    Handle(u64),
    /// The one that matches this.
    Key {
        /// As in [`Entry::matches`].
        matches: Vec<Match>,
        /// As in [`Entry::priority`].
        priority: Option<u32>,
    },
}

/// A hash algorithm with parameters that can be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CrcAlgorithm {
    /// `crc16_custom`.
    Crc16,
    /// `crc32_custom`.
    Crc32,
}

impl CrcAlgorithm {
    /// As P4 programs spell it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Crc16 => "crc16_custom",
            Self::Crc32 => "crc32_custom",
        }
    }

    /// Bits of its results and of the numbers among its parameters.
    pub fn width(self) -> u32 {
        match self {
            Self::Crc16 => 16,
            Self::Crc32 => 32,
        }
    }
}
