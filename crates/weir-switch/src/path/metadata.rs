//! The metadata fields of an architecture that the packet path uses.

use std::collections::BTreeMap;

use weir_ir::{Bits, Layout, State, VarId};

use super::{PacketKind, Reading};
use crate::packet::Keep;

/// The meaning of an architecture's metadata variables.
pub(crate) struct Metadata {
    /// Variables that a pass sets before its first step. All have at most 64 bits.
    pub inputs: Vec<(VarId, Reading)>,
    /// The variable that holds the number of the packet's kind.
    pub kind: Option<VarId>,
    /// The number that the architecture gives to a kind of packets.
    pub kind_number: fn(PacketKind) -> u64,
    /// The variable that holds the replication id of a copy.
    pub replication_id: Option<VarId>,
    /// All variables that clones keep only if the program requests it.
    pub all: Vec<VarId>,
    /// The field lists, by number.
    pub lists: BTreeMap<u64, Vec<VarId>>,
}

impl Metadata {
    /// The values of the fields that a packet keeps.
    pub(super) fn preserved_fields(&self, keep: &Keep, layout: &Layout, state: &State) -> Vec<(VarId, Bits)> {
        let vars = match keep {
            Keep::Nothing => None,
            Keep::List(list) => self.lists.get(list),
            Keep::Vars(vars) => Some(vars),
        };
        vars.into_iter().flatten().map(|var| (*var, layout.get(state, *var))).collect()
    }

    /// Sets all metadata to 0, but not the headers.
    pub(super) fn reset(&self, layout: &Layout, state: &mut State) {
        let zero = layout.state();
        for var in &self.all {
            let value = layout.get(&zero, *var);
            layout.set(state, *var, &value);
        }
    }

    pub(super) fn set_kind(&self, layout: &Layout, state: &mut State, kind: PacketKind) {
        if let Some(var) = self.kind {
            layout.set_u64(state, var, (self.kind_number)(kind));
        }
    }

    pub(super) fn set_replication_id(&self, layout: &Layout, state: &mut State, rid: u16) {
        if let Some(var) = self.replication_id {
            layout.set_u64(state, var, u64::from(rid));
        }
    }
}
