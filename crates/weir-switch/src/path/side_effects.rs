//! Determines whether the steps after the queues depend only on the packet. If so, the time at
//! which they run does not matter.

use std::collections::BTreeSet;

use weir_ir::{Block, ControlId, ExternCall, Program, StmtKind};

use super::{Effect, PacketPath, Step};

impl PacketPath {
    /// Whether the controls after the queues depend on the packet alone: they apply no table, and
    /// call no extern that depends on, or changes, anything but the packet.
    pub(crate) fn is_egress_pure(&self, program: &Program) -> bool {
        let is_pure = |call: &ExternCall| self.operations.effect(call) == Effect::None;
        let mut controls = self.steps[self.first_of_egress..].iter().filter_map(|step| match step {
            Step::Control { control, .. } | Step::Deparse { control, .. } => Some(*control),
            _ => None,
        });
        controls.all(|control| Walk::new(program).finds_only(control, &is_pure))
    }
}

/// Visits all code that a control may run.
struct Walk<'a> {
    program: &'a Program,
    pending: Vec<&'a Block>,
    procedures: BTreeSet<usize>,
    actions: BTreeSet<usize>,
}

impl<'a> Walk<'a> {
    fn new(program: &'a Program) -> Self {
        Walk { program, pending: Vec::new(), procedures: BTreeSet::new(), actions: BTreeSet::new() }
    }

    /// Whether the control applies no table and calls no other externs than these.
    fn finds_only(mut self, control: ControlId, call: &impl Fn(&ExternCall) -> bool) -> bool {
        self.pending.push(&self.program.controls[control].body);
        while let Some(block) = self.pending.pop() {
            for stmt in &block.0 {
                match &stmt.kind {
                    StmtKind::Apply { .. } => return false,
                    StmtKind::Extern(of) if !call(of) => return false,
                    StmtKind::If { then, otherwise, .. } => self.pending.extend([then, otherwise]),
                    StmtKind::Switch { cases, default, .. } => {
                        self.pending.push(default);
                        self.pending.extend(cases.iter().map(|(_, block)| block));
                    }
                    StmtKind::Loop { body, step, .. } => self.pending.extend([body, step]),
                    StmtKind::Call(id) if self.procedures.insert(id.index()) => {
                        self.pending.push(&self.program.procedures[*id].body);
                    }
                    StmtKind::CallAction(id) if self.actions.insert(id.index()) => {
                        self.pending.push(&self.program.actions[*id].body);
                    }
                    _ => {}
                }
            }
        }
        true
    }
}
