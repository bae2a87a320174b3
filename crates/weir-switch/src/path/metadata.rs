//! The metadata fields of an architecture that the packet path uses.

use std::collections::BTreeMap;

use weir_device::Port;
use weir_ir::{Bits, Layout, State, VarId};

use super::{PacketKind, Reading};
use crate::packet::{Deflection, Keep};
use crate::state::CopyChoice;

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
    /// The variables that packets of a kind bring along, apart from those that a call names: into
    /// their next pass, or into an egress that parses packets again.
    pub carried: Vec<(PacketKind, Vec<VarId>)>,
    /// The port on which recirculated packets arrive.
    pub recirculation: Recirculation,
    /// The variables in which ingress says which copies multicast groups make.
    pub copy_choice: Option<CopyChoiceVars>,
    /// The variable that is 1 in packets that may be deflected.
    pub deflects: Option<VarId>,
    /// Whether a packet with a priority that no queue has goes into queue 0, and has this priority
    /// in egress. Otherwise it is dropped.
    pub lowers_priorities: bool,
    /// The variables that later steps read, although bytes come before the packet in between
    /// ([`Step::Prefix`](super::Step::Prefix)). Other variables that were set before may be 0 then.
    pub kept_at_prefix: Vec<VarId>,
}

/// The variables of a [`CopyChoice`]; fields that the program does not have are 0.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CopyChoiceVars {
    pub level1_hash: Option<VarId>,
    pub level2_hash: Option<VarId>,
    pub level1_exclusion_id: Option<VarId>,
    pub level2_exclusion_id: Option<VarId>,
    pub rid: Option<VarId>,
    pub mixes_rid: bool,
}

/// The port on which recirculated packets arrive. If a program can name such a port, queues and
/// egress treat it like any other port.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Recirculation {
    /// The packets keep their port.
    KeepsPort,
    /// All packets arrive on this port.
    Port(Port),
    /// Packets that are sent to one of these ports arrive on it.
    Ports(fn(Port) -> bool),
}

impl Recirculation {
    /// Returns whether packets that are sent to this port are recirculated.
    pub(super) fn has_port(self, port: Port) -> bool {
        match self {
            Self::KeepsPort => false,
            Self::Port(of) => of == port,
            Self::Ports(has) => has(port),
        }
    }

    /// Returns the port on which a recirculated packet arrives, given the port on which it arrived
    /// before and the port through which it left.
    pub(super) fn port(self, arrived: Port, left: Port) -> Port {
        match self {
            Self::KeepsPort => arrived,
            Self::Port(of) => of,
            Self::Ports(_) => left,
        }
    }
}

impl Default for Metadata {
    /// Describes a packet path without metadata.
    fn default() -> Self {
        Self {
            inputs: Vec::new(),
            kind: None,
            kind_number: |_| 0,
            replication_id: None,
            all: Vec::new(),
            lists: BTreeMap::new(),
            carried: Vec::new(),
            recirculation: Recirculation::Port(0),
            copy_choice: None,
            deflects: None,
            lowers_priorities: false,
            kept_at_prefix: Vec::new(),
        }
    }
}

impl Metadata {
    /// Returns the variables whose values packets of a kind carry into a pass.
    pub(super) fn carried_vars(&self, kind: PacketKind) -> impl Iterator<Item = VarId> {
        let of_kind = self.carried.iter().filter(move |(other, _)| *other == kind);
        of_kind.flat_map(|(_, vars)| vars).copied()
    }

    /// Returns the variables that the slow path reads at the end of ingress or egress, apart from
    /// those of the steps.
    pub(super) fn vars_read(&self) -> impl Iterator<Item = VarId> {
        let carried = self.carried.iter().flat_map(|(_, vars)| vars);
        let listed = self.lists.values().flatten().chain(carried).chain(&self.kept_at_prefix).copied();
        let choice = self.copy_choice.into_iter().flat_map(|vars| {
            let CopyChoiceVars {
                level1_hash,
                level2_hash,
                level1_exclusion_id,
                level2_exclusion_id,
                rid,
                mixes_rid: _,
            } = vars;
            [level1_hash, level2_hash, level1_exclusion_id, level2_exclusion_id, rid]
        });
        listed.chain(choice.flatten()).chain(self.deflects)
    }

    /// Returns the values that a packet of this kind carries into a pass.
    pub(super) fn carried_values<'a>(
        &'a self,
        kind: PacketKind,
        layout: &'a Layout,
        state: &'a State,
    ) -> impl Iterator<Item = (VarId, Bits)> + 'a {
        self.carried_vars(kind).map(|var| (var, layout.get(state, var)))
    }

    /// Returns the values of the fields that a packet keeps.
    pub(super) fn preserved_fields(&self, keep: &Keep, layout: &Layout, state: &State) -> Vec<(VarId, Bits)> {
        let vars = match keep {
            Keep::Nothing => None,
            Keep::List(list) => self.lists.get(list),
            Keep::Vars(vars) => Some(vars),
        };
        vars.into_iter().flatten().map(|var| (*var, layout.get(state, *var))).collect()
    }

    /// Returns what a packet says at the end of ingress about its copies.
    pub(super) fn copy_choice(&self, layout: &Layout, state: &State) -> CopyChoice {
        let Some(vars) = self.copy_choice else { return CopyChoice::default() };
        let value = |var: Option<VarId>| var.map_or(0, |var| layout.get_u64(state, var) as u16);
        CopyChoice {
            level1_hash: value(vars.level1_hash),
            level2_hash: value(vars.level2_hash),
            level1_exclusion_id: value(vars.level1_exclusion_id),
            level2_exclusion_id: value(vars.level2_exclusion_id),
            rid: value(vars.rid),
            mixes_rid: vars.mixes_rid,
        }
    }

    /// Returns whether a packet may be deflected at the end of ingress.
    pub(super) fn deflection(&self, layout: &Layout, state: &State) -> Deflection {
        let allows = self.deflects.is_some_and(|var| layout.get_u64(state, var) == 1);
        if allows { Deflection::Allowed } else { Deflection::Forbidden }
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
