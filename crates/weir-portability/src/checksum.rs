//! The arguments of checksums.

use weir_compiler::evaluate;
use weir_compiler::hir::walk::Visitor;
use weir_compiler::hir::{Call, Expr, ExprKind, Program};

use crate::code::{Code, Role};
use crate::names::{argument, function};
use crate::report::Report;
use crate::rules::{CHECKSUM_COMPUTATION, VERIFY_CONSTANT};

pub(crate) fn run(code: &Code<'_>, report: &mut Report<'_>) {
    for block in code.blocks.iter().filter(|block| matches!(block.role, Role::Verify | Role::Update)) {
        block.visit(&mut Checksums { program: code.program, report });
    }
}

struct Checksums<'a, 'b> {
    program: &'a Program,
    report: &'a mut Report<'b>,
}

impl Visitor for Checksums<'_, '_> {
    fn call(&mut self, call: &Call) {
        let Some(name) = function(self.program, call) else { return };
        if !name.starts_with("verify_checksum") && !name.starts_with("update_checksum") {
            return;
        }
        if let Some(data) = argument(call, 1) {
            self.data(data);
        }
        if let Some(sum) = argument(call, 2).filter(|_| name.starts_with("verify"))
            && evaluate(self.program, sum).is_some()
        {
            self.report.add(&VERIFY_CONSTANT, sum.span, "a constant");
        }
    }
}

impl Checksums<'_, '_> {
    fn data(&mut self, data: &Expr) {
        if evaluate(self.program, data).is_some() {
            return;
        }
        match &data.kind {
            ExprKind::Aggregate(items) => items.iter().for_each(|item| self.data(item)),
            ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::Conditional { .. }
            | ExprKind::IndexedSlice { .. }
            | ExprKind::Call(_)
            | ExprKind::IsValid(_) => self.report.add(&CHECKSUM_COMPUTATION, data.span, "computed"),
            // A slice and a cast of all bits compute nothing.
            ExprKind::Slice { base, high, low } => {
                let whole = crate::names::bits(self.program, base.ty)
                    .is_some_and(|(_, width)| *low == 0 && high + 1 == width);
                if !whole {
                    self.report.add(&CHECKSUM_COMPUTATION, data.span, "computed");
                }
            }
            ExprKind::Cast { operand, .. } => {
                let width = |expr: &Expr| crate::names::bits(self.program, expr.ty);
                match (width(operand), width(data)) {
                    (Some(from), Some(to)) if from != to => {
                        self.report.add(&CHECKSUM_COMPUTATION, data.span, "computed");
                    }
                    _ => self.data(operand),
                }
            }
            _ => {}
        }
    }
}
