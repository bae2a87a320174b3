//! The parts of requests and answers, with names where `weir-switch` has ids.

use std::collections::BTreeMap;

use weir_device::Nanos;
use weir_ir::Bits;
use weir_switch::control::{CounterValue, GroupMember, Match};

use crate::Error;

/// An action with its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The action's name.
    pub action: String,
    /// Parameter names and values, every parameter once, in any order; read back in the order of
    /// the parameters.
    pub args: Vec<(String, Bits)>,
}

/// What an entry does; see [`weir_switch::control::Target`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// This action.
    Action(Call),
    /// The action of this member of the table's action profile or selector.
    Member(u32),
    /// The action of one of this group's members.
    Group(u32),
    /// One of these actions.
    OneOf(Vec<WeightedCall>),
}

/// An action and its share of the flows; see [`weir_switch::control::WeightedCall`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WeightedCall {
    /// The action.
    pub action: Call,
    /// The share compared with the others'.
    pub weight: u32,
}

impl From<Call> for Target {
    fn from(call: Call) -> Self {
        Self::Action(call)
    }
}

/// An entry of a table; see [`weir_switch::control::Entry`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Keys by name and what they accept, in any order; keys that are left out accept everything.
    /// Read back in the order of the keys.
    pub matches: Vec<(String, Match)>,
    /// Larger is preferred.
    pub priority: Option<u32>,
    /// What happens on a hit.
    pub action: Target,
    /// After how many nanoseconds without a hit a notice comes.
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
        matches: Vec<(String, Match)>,
        /// As in [`Entry::priority`].
        priority: Option<u32>,
    },
}

/// An entry as read back; see [`weir_switch::control::EntryState`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryState {
    /// The entry's number for as long as it is in the table.
    pub handle: u64,
    /// The entry.
    pub entry: Entry,
    /// Whether the program itself gave it as constant.
    pub is_const: bool,
    /// Hits so far, if the table has a direct counter.
    pub hits: Option<CounterValue>,
    /// When it was last hit, if the table has `support_timeout`.
    pub last_hit: Option<Nanos>,
}

/// A member of an action profile as read back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemberState {
    /// What it does.
    pub action: Call,
    /// How many groups, entries and defaults use it.
    pub users: usize,
}

/// What an action profile holds; see [`weir_switch::control::ProfileState`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProfileState {
    /// Members by number.
    pub members: BTreeMap<u32, MemberState>,
    /// Groups by number: their members, and how many entries and defaults use them.
    pub groups: BTreeMap<u32, (Vec<GroupMember>, usize)>,
}

/// An entry whose time-out has run out; see [`weir_switch::control::IdleNotice`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdleNotice {
    /// When it ran out.
    pub time: Nanos,
    /// The table's name.
    pub table: String,
    /// The entry's handle.
    pub handle: u64,
    /// The entry as it was then.
    pub entry: Entry,
}

/// What is wrong with a batch: nothing of it was done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchError {
    /// Position of the update, from 0.
    pub index: usize,
    /// What is wrong with it.
    pub error: Error,
}

impl std::fmt::Display for BatchError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "update {}: {}", self.index, self.error)
    }
}

impl std::error::Error for BatchError {}
