//! The parts of control requests.

use weir_device::{Nanos, Port};
use weir_ir::{ActionId, Bits};

use crate::tables::Match;

/// An action with its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The action.
    pub action: ActionId,
    /// A value for each of the action's parameters, in order.
    pub args: Vec<Bits>,
}

/// The action of an entry on a hit, or of a default on a miss.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// This action: for entries of tables without action profile, and for the default of any table.
    Action(Call),
    /// The action of this member of the table's action profile or selector.
    Member(u32),
    /// The action of one of this group's members, which the selector keys choose. If no member of
    /// the group can be chosen, the program's default action of the table.
    Group(u32),
    /// One of these actions, which only this entry uses. The action is chosen in the same way as a
    /// member of a group. Only for tables with a selector.
    OneOf(ActionSet),
}

impl From<Call> for Target {
    fn from(call: Call) -> Self {
        Self::Action(call)
    }
}

/// A set of actions of an entry; each packet runs one of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActionSet {
    /// The actions.
    pub actions: Vec<WeightedCall>,
    /// Whether each packet chooses a random action, with probabilities proportional to the weights.
    /// Otherwise, the selector keys choose the action, as in a group.
    pub at_random: bool,
    /// The action that runs before the chosen action. The table must list it with `@groupaction`.
    /// If no action can be chosen, only the program's default action of the table runs.
    pub group_action: Option<Call>,
}

impl From<Vec<WeightedCall>> for ActionSet {
    fn from(actions: Vec<WeightedCall>) -> Self {
        Self { actions, at_random: false, group_action: None }
    }
}

impl From<Vec<WeightedCall>> for Target {
    fn from(actions: Vec<WeightedCall>) -> Self {
        Self::OneOf(actions.into())
    }
}

/// An action and its share of the flows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WeightedCall {
    /// The action.
    pub action: Call,
    /// The weight relative to the other actions, at least 1. The sum of all weights is at most
    /// 4096.
    pub weight: u32,
    /// If set, the action can be chosen only while this port is up.
    pub watch: Option<Port>,
}

impl WeightedCall {
    /// Creates an action that can always be chosen.
    pub const fn new(action: Call, weight: u32) -> Self {
        Self { action, weight, watch: None }
    }
}

/// A table entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The matches of the table's keys, one for each key, in order.
    pub matches: Vec<Match>,
    /// The priority; larger priorities are preferred. Required if the table
    /// [`needs_priority`](super::TableSchema::needs_priority), and otherwise not allowed.
    pub priority: Option<u32>,
    /// The action on a hit.
    pub action: Target,
    /// The number of nanoseconds without a hit after which a notice is sent, see
    /// [`IdleNotice`](super::IdleNotice); none means never. For tables with `support_timeout`.
    pub idle_timeout: Option<Nanos>,
}

/// The entry of a table that a request is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EntryRef {
    /// The default entry. Only its direct counter and direct meter can be read and changed in this
    /// way.
    Default,
    /// The entry with this handle.
    Handle(u64),
    /// The entry with these matches.
    Key {
        /// The same matches as in [`Entry::matches`].
        matches: Vec<Match>,
        /// The same priority as in [`Entry::priority`].
        priority: Option<u32>,
    },
}
