//! The parts of control requests, in any [`Naming`].

use weir_device::{Nanos, Port};

use super::naming::{Ids, Naming};

/// An action with its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call<N: Naming = Ids> {
    /// The action.
    pub action: N::Action,
    /// A value for each of its parameters.
    pub args: N::Args,
}

/// What an entry does on a hit, or a default action on a miss.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target<N: Naming = Ids> {
    /// This action: for entries of tables without action profile, and for the default of any table.
    Action(Call<N>),
    /// The action of this member of the table's action profile or selector.
    Member(u32),
    /// The action of one of this group's members, which the selector keys choose. If the group is
    /// empty or no member takes part, it is the program's default action of the table.
    Group(u32),
    /// One of these actions, which belong to the entry alone; chosen as a group's members are. For
    /// tables with a selector.
    OneOf(ActionSet<N>),
}

impl<N: Naming> From<Call<N>> for Target<N> {
    fn from(call: Call<N>) -> Self {
        Self::Action(call)
    }
}

/// Actions of an entry; each packet runs one of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActionSet<N: Naming = Ids> {
    /// The actions.
    pub actions: Vec<WeightedCall<N>>,
    /// Whether the choice is made for each packet at random: whatever the selector keys are, each
    /// action is as likely as its weight says. Otherwise the selector keys choose, as in a group.
    pub at_random: bool,
    /// What runs before the chosen action, whichever it is: an action that the table lists with
    /// `@groupaction`. If no action takes part, the program's default action of the table runs
    /// alone.
    pub group_action: Option<Call<N>>,
}

impl<N: Naming> From<Vec<WeightedCall<N>>> for ActionSet<N> {
    fn from(actions: Vec<WeightedCall<N>>) -> Self {
        Self { actions, at_random: false, group_action: None }
    }
}

impl<N: Naming> From<Vec<WeightedCall<N>>> for Target<N> {
    fn from(actions: Vec<WeightedCall<N>>) -> Self {
        Self::OneOf(actions.into())
    }
}

/// An action and its share of the flows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WeightedCall<N: Naming = Ids> {
    /// The action.
    pub action: Call<N>,
    /// The share relative to the others', at least 1; the sum of all is at most 4096.
    pub weight: u32,
    /// It takes part only while this port is up; always if none.
    pub watch: Option<Port>,
}

impl<N: Naming> WeightedCall<N> {
    /// An action that always takes part.
    pub const fn new(action: Call<N>, weight: u32) -> Self {
        Self { action, weight, watch: None }
    }
}

/// An entry of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry<N: Naming = Ids> {
    /// What the table's keys accept.
    pub matches: N::Matches,
    /// Larger is preferred. Given if and only if the table's
    /// [`needs_priority`](super::TableSchema::needs_priority).
    pub priority: Option<u32>,
    /// What happens on a hit.
    pub action: Target<N>,
    /// The number of nanoseconds without a hit after which a notice is sent, see
    /// [`IdleNotice`](super::IdleNotice); none means never. For tables with `support_timeout`.
    pub idle_timeout: Option<Nanos>,
}

/// Which entry of a table a request is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EntryRef<N: Naming = Ids> {
    /// The default. Only its direct counters and meters are read and changed in this way.
    Default,
    /// The one with this handle.
    Handle(u64),
    /// The one that matches this.
    Key {
        /// As in [`Entry::matches`].
        matches: N::Matches,
        /// As in [`Entry::priority`].
        priority: Option<u32>,
    },
}
