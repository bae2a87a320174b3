//! Comparisons whose result is the same for every value of the type.

use num_bigint::BigInt;
use num_traits::Zero;
use weir_syntax::{Diagnostic, Diagnostics};

use crate::check::constant::{Value, evaluate};
use crate::hir::walk::{self, Visitor};
use crate::hir::{BinaryOp, Expr, ExprKind, Program, Type};

/// Reports constant comparisons.
pub(super) fn run(program: &Program, diagnostics: &mut Diagnostics) {
    walk::program(program, &mut Comparisons { program, diagnostics });
}

struct Comparisons<'a> {
    program: &'a Program,
    diagnostics: &'a mut Diagnostics,
}

impl Visitor for Comparisons<'_> {
    fn expr(&mut self, expr: &Expr) {
        let ExprKind::Binary(op, left, right) = &expr.kind else { return };
        let constant = |side: &Expr| match evaluate(self.program, side) {
            Some(Value::Int(number)) => Some(number),
            _ => None,
        };
        let outcome = match (constant(left), constant(right)) {
            (None, Some(number)) => self.constant_result(*op, left, &number),
            (Some(number), None) => swapped(*op).and_then(|op| self.constant_result(op, right, &number)),
            _ => None,
        };
        let Some((always, bound)) = outcome else { return };
        let variable = if constant(left).is_some() { right } else { left };
        let diagnostic =
            Diagnostic::warning("constant-comparison", format!("this comparison is always {always}"))
                .primary(expr.span, format!("always {always}"))
                .secondary(variable.span, bound);
        self.diagnostics.push(diagnostic);
    }
}

impl Comparisons<'_> {
    /// The constant result of `value op number` and the reason, or `None` if the result depends on
    /// the value.
    fn constant_result(&self, op: BinaryOp, value: &Expr, number: &BigInt) -> Option<(bool, String)> {
        let Type::Bits { signed: false, width } = self.program.types[value.ty] else { return None };
        let largest = (BigInt::from(1) << width) - 1;
        let (is_smallest, is_largest) = (number.is_zero(), *number == largest);
        let always = match op {
            BinaryOp::Lt if is_smallest => false,
            BinaryOp::Ge if is_smallest => true,
            BinaryOp::Gt if is_largest => false,
            BinaryOp::Le if is_largest => true,
            _ => return None,
        };
        let bound = if is_smallest {
            format!("`bit<{width}>` is never below 0")
        } else {
            format!("`bit<{width}>` is never above {largest}")
        };
        Some((always, bound))
    }
}

/// The operator after exchanging its operands.
fn swapped(op: BinaryOp) -> Option<BinaryOp> {
    Some(match op {
        BinaryOp::Lt => BinaryOp::Gt,
        BinaryOp::Le => BinaryOp::Ge,
        BinaryOp::Gt => BinaryOp::Lt,
        BinaryOp::Ge => BinaryOp::Le,
        _ => return None,
    })
}
