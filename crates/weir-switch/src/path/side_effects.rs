//! Determines whether the steps after the queues depend only on the packet. If so, the time at
//! which they run does not matter.

use std::collections::BTreeSet;

use weir_ir::{Block, ControlId, ExternCall, Keyset, Program, StmtKind, Transition};

use super::{Effect, PacketPath, Step};

impl PacketPath {
    /// Returns whether the blocks after the queues depend on the packet alone. Such blocks apply no
    /// table, use no value set, and call no extern that depends on, or changes, anything but the
    /// packet.
    pub(crate) fn is_egress_pure(&self, program: &Program) -> bool {
        self.steps[self.first_of_egress..].iter().all(|step| match step {
            Step::Control { control, .. } | Step::Deparse { control, .. } | Step::Prefix { control, .. } => {
                let body = &program.controls[*control].body;
                self.finds_no_effects(program, [body], true)
            }
            Step::Parse { parser, .. } => {
                let parser = &program.parsers[*parser];
                let states = parser.states.values();
                let no_sets = states.clone().all(|state| !uses_value_sets(&state.transition));
                no_sets
                    && self.finds_no_effects(
                        program,
                        states.map(|state| &state.body).chain([&parser.locals]),
                        true,
                    )
            }
            Step::Set(..) | Step::Decide(_) => true,
        })
    }

    /// Returns whether a packet that is dropped after a control need not run through the control.
    /// This is so if the control depends on the packet alone and cannot fail.
    pub(super) fn may_be_skipped(&self, program: &Program, control: ControlId) -> bool {
        self.finds_no_effects(program, [&program.controls[control].body], false)
    }

    /// Returns whether these blocks, and all code that they run, apply no table and call only
    /// externs that depend on the packet alone. `with_loops` allows loops.
    fn finds_no_effects<'p>(
        &self,
        program: &'p Program,
        blocks: impl IntoIterator<Item = &'p Block>,
        with_loops: bool,
    ) -> bool {
        let is_pure =
            |call: &ExternCall| matches!(self.operations.effect(call), Effect::None | Effect::Local);
        Walk::new(program, blocks.into_iter().collect()).finds_only(&is_pure, with_loops)
    }
}

/// Returns whether a transition depends on a value set, which the control plane fills.
fn uses_value_sets(transition: &Transition) -> bool {
    let Transition::Select { cases, .. } = transition else { return false };
    let is_set = |keyset: &Keyset| matches!(keyset, Keyset::Set(..));
    cases.iter().any(|case| case.keysets.iter().any(is_set))
}

/// Visits all code that blocks may run.
struct Walk<'a> {
    program: &'a Program,
    pending: Vec<&'a Block>,
    procedures: BTreeSet<usize>,
    actions: BTreeSet<usize>,
}

impl<'a> Walk<'a> {
    fn new(program: &'a Program, pending: Vec<&'a Block>) -> Self {
        Walk { program, pending, procedures: BTreeSet::new(), actions: BTreeSet::new() }
    }

    /// Returns whether the code applies no table, and calls only externs that `call` accepts.
    /// `with_loops` allows loops.
    fn finds_only(mut self, call: &impl Fn(&ExternCall) -> bool, with_loops: bool) -> bool {
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
                    StmtKind::Loop { .. } if !with_loops => return false,
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
