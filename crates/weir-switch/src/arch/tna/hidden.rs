//! The variables and controls that the architecture adds to a program.

use weir_ir::{ControlId, Direction, Param, Program, Storage, Type, VarId};

use crate::arch::hidden::{find, not_prepared};
use crate::error::LoadError;

use super::build::{add_var, find_control};
use super::chip::Chip;

/// The variables that the architecture adds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hidden {
    /// The data before the packet in ingress: the port, the time of arrival, whether the packet
    /// was resubmitted, and the data of the port or of the program.
    pub ingress_port: VarId,
    pub arrival: VarId,
    pub resubmitted: VarId,
    pub port_data: VarId,
    /// The position of the parser's error, and whether the packet is dropped because of it.
    pub parser_error: VarId,
    pub parser_drop: VarId,
    /// The requests of ingress: to resubmit the packet, to resubmit it again, to mirror it.
    pub resubmit: VarId,
    pub resubmit_again: VarId,
    pub mirror: VarId,
    pub mirror_session: VarId,
    /// The decisions of ingress: no unicast, a copy to the CPU, the groups, no egress.
    pub drop: VarId,
    pub copy_to_cpu: VarId,
    pub group_a: VarId,
    pub group_b: VarId,
    pub bypass: VarId,
    /// The port of egress, whether it recirculates packets, and whether it does so without egress.
    pub egress_port: VarId,
    pub recirculates: VarId,
    pub bypass_recirculates: VarId,
    pub egress_parser_error: VarId,
    /// The requests and the decision of egress.
    pub egress_mirror: VarId,
    pub egress_mirror_session: VarId,
    pub egress_drop: VarId,
    /// The port and the queue that a program without the metadata of the traffic manager chooses.
    pub port: VarId,
    pub queue: VarId,
}

/// The names of the controls that the architecture adds.
pub(super) const PORT_METADATA: &str = "$port_metadata";
pub(super) const INGRESS_PREFIX: &str = "$ingress_prefix";
pub(super) const PARSED: &str = "$parsed";
pub(super) const INGRESS_ENGINES: &str = "$ingress_engines";
pub(super) const INGRESS_MIRROR: &str = "$ingress_mirror";
pub(super) const INGRESS_DECISION: &str = "$ingress_decision";
pub(super) const EGRESS_BEGIN: &str = "$egress_begin";
pub(super) const EGRESS_PREFIX: &str = "$egress_prefix";
pub(super) const EGRESS_PARSED: &str = "$egress_parsed";
pub(super) const EGRESS_ENGINES: &str = "$egress_engines";
pub(super) const EGRESS_MIRROR: &str = "$egress_mirror";
pub(super) const EGRESS_DECISION: &str = "$egress_decision";

impl Hidden {
    /// Adds the variables to a program.
    pub(super) fn add(program: &mut Program, chip: Chip) -> Self {
        Self::from_names(chip, |name, width| Some(add_var(program, name, Type::bit(width))))
            .unwrap_or_else(|| unreachable!("every variable is added"))
    }

    /// Finds the variables in a prepared program.
    pub(super) fn find(program: &Program, chip: Chip) -> Result<Self, LoadError> {
        Self::from_names(chip, |name, _| find(program, name)).ok_or_else(|| not_prepared(program))
    }

    /// Returns a control's parameter with the variables that the packet path reads and those that
    /// packets keep. Because of this parameter, executors know that code outside of blocks uses the
    /// variables.
    pub(super) fn param(&self, program: &Program) -> Param {
        let vars = vec![
            self.resubmitted,
            self.port_data,
            self.parser_drop,
            self.resubmit,
            self.resubmit_again,
            self.mirror,
            self.mirror_session,
            self.drop,
            self.copy_to_cpu,
            self.group_a,
            self.group_b,
            self.bypass,
            self.recirculates,
            self.bypass_recirculates,
            self.egress_mirror,
            self.egress_mirror_session,
            self.egress_drop,
            self.port,
            self.queue,
        ];
        let paths = vars.iter().map(|var| program.vars[*var].name.clone()).collect();
        let storage = Storage { vars, paths, ..Storage::default() };
        let (name, type_name) = ("decisions".to_owned(), "decisions".to_owned());
        Param { name, direction: Direction::InOut, type_name, storage }
    }

    fn from_names(chip: Chip, mut var: impl FnMut(&str, u32) -> Option<VarId>) -> Option<Self> {
        Some(Self {
            ingress_port: var("$ingress_port", 9)?,
            arrival: var("$arrival", 48)?,
            resubmitted: var("$resubmitted", 1)?,
            port_data: var("$port_data", chip.port_data().0)?,
            parser_error: var("$parser_error", 32)?,
            parser_drop: var("$parser_drop", 1)?,
            resubmit: var("$resubmit", 1)?,
            resubmit_again: var("$resubmit_again", 1)?,
            mirror: var("$mirror", 1)?,
            mirror_session: var("$mirror_session", 16)?,
            drop: var("$drop", 1)?,
            copy_to_cpu: var("$copy_to_cpu", 1)?,
            group_a: var("$group_a", 16)?,
            group_b: var("$group_b", 16)?,
            bypass: var("$bypass", 1)?,
            egress_port: var("$egress_port", 9)?,
            recirculates: var("$recirculates", 1)?,
            bypass_recirculates: var("$bypass_recirculates", 1)?,
            egress_parser_error: var("$egress_parser_error", 32)?,
            egress_mirror: var("$egress_mirror", 1)?,
            egress_mirror_session: var("$egress_mirror_session", 16)?,
            egress_drop: var("$egress_drop", 1)?,
            port: var("$port", 9)?,
            queue: var("$queue", 7)?,
        })
    }
}

/// Returns whether the architecture has prepared a program.
pub(super) fn is_prepared(program: &Program) -> bool {
    find(program, "$ingress_port").is_some()
}

/// Returns a control that the architecture has added.
pub(super) fn control(program: &Program, name: &str) -> Result<ControlId, LoadError> {
    find_control(program, name).ok_or_else(|| not_prepared(program))
}
