//! Comparisons whose result is the same for every value that the operands can have.

use num_bigint::BigInt;
use weir_syntax::{Diagnostic, Diagnostics};

use super::possible_values::{PossibleValues, constant, possible};
use crate::hir::walk::{self, Visitor};
use crate::hir::{BinaryOp, Expr, ExprKind, Program, display};

/// Reports comparisons whose result is always the same.
pub(super) fn run(program: &Program, diagnostics: &mut Diagnostics) {
    walk::program(program, &mut Comparisons { program, diagnostics });
}

/// Reports comparisons whose result is constant.
struct Comparisons<'a> {
    program: &'a Program,
    diagnostics: &'a mut Diagnostics,
}

impl Visitor for Comparisons<'_> {
    fn expr(&mut self, expr: &Expr) {
        let ExprKind::Binary(op, left, right) = &expr.kind else { return };
        let (op, variable, number) = match (constant(self.program, left), constant(self.program, right)) {
            (None, Some(number)) => (*op, left, number),
            (Some(number), None) => (swap_operands(*op), right, number),
            _ => return,
        };
        let Some(found) = possible(self.program, variable) else { return };
        let Some(always) = constant_result(op, &found, &number) else { return };
        let bound = if found.whole_type {
            let name = display::type_name(self.program, &self.program.types, variable.ty);
            let below = number <= found.least;
            let (side, end) = if below { ("below", &found.least) } else { ("above", &found.most) };
            format!("`{name}` is never {side} {end}")
        } else {
            format!("this is {}", found.bounds())
        };
        let diagnostic =
            Diagnostic::warning("constant-comparison", format!("this comparison is always {always}"))
                .primary(expr.span, format!("always {always}"))
                .secondary(variable.span, bound);
        self.diagnostics.push(diagnostic);
    }
}

/// Returns the constant result of `value op number`, or `None` if the result depends on the value.
fn constant_result(op: BinaryOp, value: &PossibleValues, number: &BigInt) -> Option<bool> {
    let (below, above) = (value.most < *number, value.least > *number);
    let (not_above, not_below) = (value.most <= *number, value.least >= *number);
    let (yes, no) = match op {
        BinaryOp::Lt => (below, not_below),
        BinaryOp::Le => (not_above, above),
        BinaryOp::Gt => (above, not_above),
        BinaryOp::Ge => (not_below, below),
        BinaryOp::Eq => (false, !value.contains(number)),
        BinaryOp::Ne => (!value.contains(number), false),
        _ => return None,
    };
    if yes || no { Some(yes) } else { None }
}

/// Returns the operator after exchanging its operands.
fn swap_operands(op: BinaryOp) -> BinaryOp {
    match op {
        BinaryOp::Lt => BinaryOp::Gt,
        BinaryOp::Le => BinaryOp::Ge,
        BinaryOp::Gt => BinaryOp::Lt,
        BinaryOp::Ge => BinaryOp::Le,
        same => same,
    }
}
