//! Action profiles: actions with their data that table entries share. A profile with a selector
//! also has groups of actions.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use weir_device::Port;
use weir_ir::{ActionCall, Bits, TableId};
use weir_tables::{WeightedMember, select_member};

use super::hash::HashKind;

/// The largest sum of the weights of a group. The limit is needed because the time to choose a
/// member is proportional to the sum.
pub(crate) const MAX_WEIGHT: u64 = 4096;

/// The outcome of a lookup, as an entry or a default action specifies it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The entry's own action.
    Call(Arc<ActionCall>),
    /// The action of this member of the table's profile.
    Member(u32),
    /// The action of one of the members of this group.
    Group(u32),
    /// One of these actions.
    OneOf(List),
}

/// A member in a group of an action selector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct GroupMember {
    /// The member's number.
    pub member: u32,
    /// The member's weight relative to the other members, at least 1. The sum of all weights is at
    /// most 4096.
    pub weight: u32,
    /// The port that must be up for the member to take part. `None` if the member always takes
    /// part.
    pub watch: Option<Port>,
}

impl GroupMember {
    /// Creates a member that always takes part.
    pub const fn new(member: u32, weight: u32) -> Self {
        Self { member, weight, watch: None }
    }
}

/// A shared list of actions, from which an entry chooses.
pub(crate) type List = Arc<ActionList>;

/// The actions from which an entry chooses.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ActionList {
    pub actions: Vec<WeightedAction>,
    /// Whether each packet's action is chosen at random. Otherwise, the selector keys choose it.
    pub at_random: bool,
    /// The action that runs before the chosen action.
    pub first: Option<Arc<ActionCall>>,
}

/// An action in a list, with its weight and watched port, like a [`GroupMember`] in a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WeightedAction {
    pub call: Arc<ActionCall>,
    /// The action, composed with the action that runs before it.
    pub runs: Arc<ActionCall>,
    pub weight: u32,
    pub watch: Option<Port>,
}

/// An action profile.
#[derive(Clone, Debug)]
pub(crate) struct Profile {
    /// The maximum number of members; 0 means no limit.
    pub size: u64,
    /// The hash function for the selector keys, if the profile is a selector.
    pub hash: Option<HashKind>,
    /// The number of low bits of the hash that are used. If it exceeds the width of the hash, all
    /// bits are used.
    pub hash_bits: u32,
    /// The tables that share the profile.
    pub tables: Vec<TableId>,
    pub members: BTreeMap<u32, Arc<ActionCall>>,
    /// The members of each group, in the order of their numbers.
    pub groups: BTreeMap<u32, Vec<GroupMember>>,
}

impl Profile {
    /// Creates an action profile without groups.
    pub(crate) fn new(size: u64, tables: Vec<TableId>) -> Self {
        Self { size, hash: None, hash_bits: 0, tables, members: BTreeMap::new(), groups: BTreeMap::new() }
    }

    /// Returns an action selector, which has groups.
    pub(crate) fn with_selector(size: u64, hash: HashKind, hash_bits: u32, tables: Vec<TableId>) -> Self {
        Self { hash: Some(hash), hash_bits, ..Self::new(size, tables) }
    }

    /// Creates the same profile without members and groups.
    pub(crate) fn initial(&self) -> Self {
        Self { members: BTreeMap::new(), groups: BTreeMap::new(), ..self.clone() }
    }

    /// Returns the bits of a hash that are used.
    pub(crate) fn flow(&self, hash: u64) -> u64 {
        hash & 1u64.checked_shl(self.hash_bits).map_or(u64::MAX, |end| end - 1)
    }
}

/// Chooses a member for a flow among the members that take part, and returns its position.
pub(crate) fn choose_member(members: &[GroupMember], flow: u64, down: &BTreeSet<Port>) -> Option<usize> {
    let member = |one: &GroupMember| WeightedMember {
        id: u64::from(one.member),
        weight: if is_up(one.watch, down) { one.weight } else { 0 },
    };
    select_member(flow, members.iter().map(member))
}

/// Chooses an action for a flow among the actions that take part, and returns its position. The
/// hash of an action depends only on the action itself, and not on the other actions.
pub(crate) fn choose_one(actions: &[WeightedAction], flow: u64, down: &BTreeSet<Port>) -> Option<usize> {
    let same_before = |position: usize| {
        actions[..position].iter().filter(|one| one.call == actions[position].call).count() as u64
    };
    let member = |position: usize| WeightedMember {
        id: fingerprint(&actions[position].call) ^ same_before(position) << 48,
        weight: if is_up(actions[position].watch, down) { actions[position].weight } else { 0 },
    };
    select_member(flow, (0..actions.len()).map(member))
}

/// Returns whether a member or action takes part, given the port that it watches.
pub(crate) fn is_up(watch: Option<Port>, down: &BTreeSet<Port>) -> bool {
    watch.is_none_or(|port| !down.contains(&port))
}

/// Computes the FNV-1a hash of an action and its data.
fn fingerprint(call: &ActionCall) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    let action = (call.action.index() as u64).to_be_bytes();
    let data = call.args.iter().flat_map(Bits::to_be_bytes);
    action.into_iter().chain(data).fold(0xcbf2_9ce4_8422_2325, step)
}
