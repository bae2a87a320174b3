//! Action profiles: actions with their data that entries of tables share; with a selector, also
//! groups of them.

use std::collections::BTreeMap;
use std::sync::Arc;

use weir_ir::{ActionCall, Bits, TableId};
use weir_tables::{WeightedMember, select_member};

use super::hash::HashKind;

/// The largest sum of the weights of a group: the time to choose is proportional to it.
pub(crate) const MAX_WEIGHT: u64 = 4096;

/// What an entry or a default action does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// An action of its own.
    Call(Arc<ActionCall>),
    /// The action of this member of the table's profile.
    Member(u32),
    /// The action of one of this group's members.
    Group(u32),
    /// One of these actions.
    OneOf(List),
}

/// Actions with their weights.
pub(crate) type List = Arc<[(Arc<ActionCall>, u32)]>;

/// An action profile.
#[derive(Clone, Debug)]
pub(crate) struct Profile {
    /// Members that fit; 0 means no limit.
    pub size: u64,
    /// How the selector keys are hashed, if it is a selector.
    pub hash: Option<HashKind>,
    /// How many of the hash's low bits are used; more than the hash has means all.
    pub hash_bits: u32,
    /// The tables that share it.
    pub tables: Vec<TableId>,
    pub members: BTreeMap<u32, Arc<ActionCall>>,
    /// Members with their weights, in the order of their numbers.
    pub groups: BTreeMap<u32, Vec<(u32, u32)>>,
}

impl Profile {
    /// Without groups.
    pub(crate) fn new(size: u64, tables: Vec<TableId>) -> Self {
        Self { size, hash: None, hash_bits: 0, tables, members: BTreeMap::new(), groups: BTreeMap::new() }
    }

    /// With groups.
    pub(crate) fn with_selector(size: u64, hash: HashKind, hash_bits: u32, tables: Vec<TableId>) -> Self {
        Self { hash: Some(hash), hash_bits, ..Self::new(size, tables) }
    }

    /// Without members and groups.
    pub(crate) fn initial(&self) -> Self {
        Self { members: BTreeMap::new(), groups: BTreeMap::new(), ..self.clone() }
    }

    /// The bits of a hash that are used.
    pub(crate) fn flow(&self, hash: u64) -> u64 {
        hash & 1u64.checked_shl(self.hash_bits).map_or(u64::MAX, |end| end - 1)
    }

    /// The position in the group of a member for the flow.
    pub(crate) fn choose(&self, group: u32, flow: u64) -> Option<usize> {
        let members = self.groups.get(&group)?;
        let members =
            members.iter().map(|(member, weight)| WeightedMember { id: u64::from(*member), weight: *weight });
        select_member(flow, members)
    }
}

/// One of the actions for the flow. An action's name in the choice is made of the action itself, so
/// that it does not depend on the others.
pub(crate) fn choose_one(calls: &[(Arc<ActionCall>, u32)], flow: u64) -> Option<usize> {
    let same_before = |position: usize| {
        calls[..position].iter().filter(|(call, _)| *call == calls[position].0).count() as u64
    };
    let name = |position: usize| fingerprint(&calls[position].0) ^ same_before(position) << 48;
    let members =
        (0..calls.len()).map(|position| WeightedMember { id: name(position), weight: calls[position].1 });
    select_member(flow, members)
}

/// FNV-1a of the action and its data.
fn fingerprint(call: &ActionCall) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    let action = (call.action.index() as u64).to_be_bytes();
    let data = call.args.iter().flat_map(Bits::to_be_bytes);
    action.into_iter().chain(data).fold(0xcbf2_9ce4_8422_2325, step)
}
