//! Whether what happens to a packet behind the queues depends on the packet alone: then nobody can tell when it was done.

use std::collections::BTreeSet;

use weir_exec::ExternSemantics;
use weir_ir::{Block, ControlId, ExternCall, Program, StmtKind};

use super::meanings::WordCall;
use super::path::V1Path;

impl V1Path {
    /// Whether egress, the update of checksums and the deparser look nothing up, keep nothing and tell nothing to anyone: no table, and no extern
    /// call but sums, hashes and marks.
    pub(super) fn looks_at_nothing_late(&self, program: &Program) -> bool {
        let meanings = self.calls.meanings(program, 0);
        let is_alone = |call: &ExternCall| {
            let known = meanings.iter().find(|(known, _)| known == call).map(|(_, meaning)| meaning);
            match known {
                Some(
                    ExternSemantics::Set(_)
                    | ExternSemantics::VerifyChecksum { .. }
                    | ExternSemantics::UpdateChecksum { .. },
                ) => true,
                Some(ExternSemantics::Words(number)) => matches!(
                    self.calls.words.get(*number as usize),
                    Some(WordCall::Hash { .. } | WordCall::Update { .. } | WordCall::Sum { .. })
                ),
                Some(ExternSemantics::Call) | None => false,
            }
        };
        let blocks = &self.blocks;
        [blocks.egress, blocks.update, blocks.deparser]
            .into_iter()
            .all(|control| Walk::new(program).finds_only(control, &is_alone))
    }
}

/// Over all that a control may run.
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
