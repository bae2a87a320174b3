//! Whether a program can detect how long packets wait in queues.

use std::collections::BTreeSet;

use weir_ir::visit::{Visitor, walk_program, walk_stmt};
use weir_ir::{ArgValue, ExternCall, Leaf, Param, Program, Stmt, StmtKind, VarId};

use super::{Effect, Fact, PacketPath, Step, StepSource};

impl PacketPath {
    /// Returns whether the program uses metadata with the state of a queue or the time of egress.
    /// Parameters, and metadata that a packet keeps when it is cloned or recirculated, are ignored.
    pub(crate) fn sees_queues(&self, program: &Program) -> bool {
        let facts = self.steps.iter().filter_map(|step| match step {
            Step::Set(var, StepSource::Fact(reading)) if is_of_queue(reading.fact) => Some(*var),
            _ => None,
        });
        let mut names = Names { path: self, wanted: facts.collect(), found: false };
        walk_program(&mut names, program);
        names.found
    }
}

fn is_of_queue(fact: Fact) -> bool {
    match fact {
        Fact::EgressTime
        | Fact::EnqueueTime
        | Fact::EnqueueDepth
        | Fact::QueueTime
        | Fact::DequeueDepth
        | Fact::Deflected => true,
        Fact::IngressPort
        | Fact::FromHost
        | Fact::Pass
        | Fact::Kind
        | Fact::Length
        | Fact::IngressTime
        | Fact::PassTime
        | Fact::EgressPort
        | Fact::Instance
        | Fact::Priority => false,
    }
}

/// Finds the variables that a program uses.
struct Names<'p> {
    path: &'p PacketPath,
    wanted: BTreeSet<VarId>,
    found: bool,
}

impl Names<'_> {
    /// Visits the variables that a call reads. A call that changes metadata, such as
    /// `mark_to_drop`, has all metadata as its argument.
    fn call(&mut self, call: &ExternCall) {
        if self.path.operations.effect(call) == Effect::Deferred {
            return;
        }
        for arg in &call.args {
            if let ArgValue::Leaves(leaves) = &arg.value {
                for leaf in leaves {
                    if let Leaf::Value(value) = leaf {
                        self.expr(value);
                    }
                }
            }
        }
    }
}

impl Visitor for Names<'_> {
    fn param(&mut self, _: &Param) {}

    fn var(&mut self, id: &VarId) {
        self.found |= self.wanted.contains(id);
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Extern(call) => self.call(call),
            _ => walk_stmt(self, stmt),
        }
    }
}
