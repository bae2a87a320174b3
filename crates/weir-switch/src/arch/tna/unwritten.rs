//! The numbers that `digest_type`, `resubmit_type` and `mirror_type` have before a program writes
//! them. The chip's fields are invalid then, and equal no number.

use std::collections::BTreeSet;

use weir_ir::visit::{Visitor, walk_expr, walk_program};
use weir_ir::{BinaryOp, Expr, ExprKind, Program, VarId};

/// Returns a number to which the program does not compare the field. `None` if the field may begin
/// with 0, because the program does not compare it with 0.
pub(super) fn number(program: &Program, field: VarId) -> Option<u64> {
    let mut compared = Compared { field, numbers: BTreeSet::new(), differs: false };
    walk_program(&mut compared, program);
    let last = u64::MAX.checked_shr(64 - program.vars[field].ty.width().min(64))?;
    if compared.differs || !compared.numbers.contains(&0) {
        return None;
    }
    (1..=last).rev().find(|number| !compared.numbers.contains(number))
}

/// The numbers to which a field is compared.
struct Compared {
    field: VarId,
    numbers: BTreeSet<u64>,
    /// Whether there is another comparison.
    differs: bool,
}

impl Visitor for Compared {
    fn expr(&mut self, expr: &Expr) {
        if let ExprKind::Binary(op, left, right) = &expr.kind {
            let is_field = |side: &Expr| matches!(side.kind, ExprKind::Var(var) if var == self.field);
            let number = |side: &Expr| match &side.kind {
                ExprKind::Const(bits) => Some(bits.low_u64()),
                _ => None,
            };
            let other = if is_field(left) { Some(right) } else { is_field(right).then_some(left) };
            match (op, other.map(|other| number(other))) {
                (_, None) => {}
                (BinaryOp::Eq, Some(Some(number))) => {
                    self.numbers.insert(number);
                }
                _ => self.differs = true,
            }
        }
        walk_expr(self, expr);
    }
}
