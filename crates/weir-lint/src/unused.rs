//! Unused parameters of actions and functions.
//!
//! Parameters of parsers and controls are not checked, because the architecture requires them.
//! Names that begin with `_` mark a parameter as unused on purpose.

use rustc_hash::FxHashSet;
use weir_syntax::{Diagnostic, Diagnostics};

use crate::hir::walk::{self, Visitor};
use crate::hir::{Direction, Expr, ExprKind, Param, Program, VarId};

/// Reports parameters that are never used.
pub(super) fn run(program: &Program, diagnostics: &mut Diagnostics) {
    let mut used = UsedVariables::default();
    walk::program(program, &mut used);
    let actions = program.actions.iter().map(|(_, action)| ("action", &action.name.text, &action.params));
    let implementations: FxHashSet<_> =
        program.instances.iter().flat_map(|(_, i)| i.methods.iter().map(|method| method.function)).collect();
    let functions = program
        .functions
        .iter()
        .filter(|(id, _)| !implementations.contains(id))
        .map(|(_, function)| ("function", &function.name.text, &function.params));
    for (kind, owner, params) in actions.chain(functions) {
        for param in params.iter().filter(|param| !used.0.contains(&param.var)) {
            diagnostics.extend(warning(program, kind, owner, param));
        }
    }
}

/// Makes the warning for a parameter that is not used.
fn warning(program: &Program, kind: &str, owner: &str, param: &Param) -> Option<Diagnostic> {
    let name = &program.vars[param.var].name;
    // The flow analysis reports `out` parameters that are never assigned.
    if name.text.starts_with('_') || param.direction == Direction::Out {
        return None;
    }
    let message = format!("parameter `{}` of {kind} `{owner}` is never used", name.text);
    let mut diagnostic = Diagnostic::warning("unused-parameter", message).primary(name.span, "");
    if kind == "action" && param.direction == Direction::None {
        diagnostic = diagnostic.note("the control plane must still supply it with each entry");
    }
    Some(diagnostic.suggest(
        format!("if this is intended, rename it to `_{}`", name.text),
        name.span,
        format!("_{}", name.text),
    ))
}

#[derive(Default)]
struct UsedVariables(FxHashSet<VarId>);

impl Visitor for UsedVariables {
    fn expr(&mut self, expr: &Expr) {
        if let ExprKind::Var(var) = expr.kind {
            self.0.insert(var);
        }
    }
}
