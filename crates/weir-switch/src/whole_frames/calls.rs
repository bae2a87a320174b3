//! Finds the effects of extern calls besides their results.

use std::collections::BTreeSet;

use weir_exec::ExternSemantics;
use weir_ir::visit::extern_calls;
use weir_ir::{ArgValue, Direction, Expr, ExprKind, ExternCall, ExternId, Leaf, Loc, Program, VarId};

use super::{Offload, Reason};
use crate::path::{Effect, Operations};

/// The extern calls of a program.
pub(super) struct Calls<'a> {
    program: &'a Program,
    operations: &'a Operations,
    offload: Offload,
    /// The objects that packets read and never change.
    read_only: BTreeSet<ExternId>,
}

impl<'a> Calls<'a> {
    pub(super) fn new(program: &'a Program, operations: &'a Operations, offload: Offload) -> Self {
        let mut read_only: BTreeSet<_> = program.externs.iter().map(|(id, _)| id).collect();
        for (call, _) in extern_calls(program) {
            if operations.effect(call) != Effect::Read {
                call.instance.iter().for_each(|id| {
                    read_only.remove(id);
                });
            }
        }
        Self { program, operations, offload, read_only }
    }

    /// Refuses a call that has an effect for each packet, or that uses data which an offload leaves
    /// incomplete.
    pub(super) fn effect(&self, call: &ExternCall, loc: Loc) -> Result<(), Reason> {
        let refused = |what: String| Err(Reason::new(self.program, loc, what));
        let name = &call.callee;
        if self.operations.reads_payload(call) {
            return refused(format!("`{name}` covers the payload"));
        }
        match (self.operations.effect(call), self.offload) {
            (Effect::None, _) | (Effect::Local | Effect::Read | Effect::State, Offload::Checksum) => Ok(()),
            (Effect::Local | Effect::Read | Effect::State, Offload::Whole) => match call.instance {
                Some(object) if self.read_only.contains(&object) => Ok(()),
                Some(object) => refused(changes(self.program, object)),
                None => refused(format!("`{name}` acts once for each packet")),
            },
            (Effect::Entries, _) => refused(format!("`{name}` changes the entries of a table")),
            (Effect::Deferred, _) => refused(format!("`{name}` copies, repeats or cuts the packet")),
        }
    }

    /// Returns the effect of a call in terms of the IR, if it is known.
    pub(super) fn semantics(&self, call: &ExternCall) -> Option<&ExternSemantics> {
        self.operations.known_semantics(call)
    }

    /// Returns the expressions that a call reads.
    pub(super) fn read(program: &Program, call: &ExternCall) -> Vec<Expr> {
        let var = |id: VarId| Expr { kind: ExprKind::Var(id), ty: program.vars[id].ty };
        let mut exprs = Vec::new();
        for arg in &call.args {
            match &arg.value {
                ArgValue::Leaves(leaves) => leaves.iter().for_each(|leaf| match leaf {
                    Leaf::Value(expr) => exprs.push(expr.clone()),
                    Leaf::Header(id) => exprs.extend(program.headers[*id].fields.iter().map(|id| var(*id))),
                }),
                ArgValue::Vars { vars, .. } if arg.direction == Direction::InOut && !is_struct(vars) => {
                    exprs.extend(vars.iter().map(|id| var(*id)));
                }
                ArgValue::Vars { .. } | ArgValue::Text(_) | ArgValue::Extern(_) => {}
            }
        }
        exprs
    }

    /// Returns the variables that a call may write.
    pub(super) fn written(call: &ExternCall) -> impl Iterator<Item = VarId> {
        let vars = call.args.iter().filter_map(|arg| match &arg.value {
            ArgValue::Vars { vars, .. } if arg.direction != Direction::In => Some(vars),
            _ => None,
        });
        vars.flatten().chain(&call.result).copied()
    }
}

/// Returns whether an argument is a whole struct, such as the metadata of `mark_to_drop`. Calls
/// write some fields of such an argument and read none.
fn is_struct(vars: &[VarId]) -> bool {
    vars.len() > 1
}

/// Describes why an object prevents whole frames.
pub(super) fn changes(program: &Program, object: ExternId) -> String {
    let object = &program.externs[object];
    format!("the {} `{}` works packet by packet", object.kind, object.name)
}
