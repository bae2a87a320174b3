//! The arguments of checksums.

use weir_compiler::evaluate;
use weir_compiler::hir::walk::Visitor;
use weir_compiler::hir::{Call, Expr, ExprKind, Program, TypeId};

use crate::code::{Code, Role};
use crate::names::{argument, at_runtime_index, bits, function, may_overlap, members};
use crate::report::Report;
use crate::rules::{
    CHECKSUM_COMPUTATION, CHECKSUM_DATA, CHECKSUM_OF_ITSELF, CHECKSUM_SLICE, CHECKSUM_TARGET, VERIFY_CONSTANT,
};

/// Checks the controls that verify and update checksums.
pub(crate) fn run(code: &Code<'_>, report: &mut Report<'_>) {
    for block in code.blocks.iter().filter(|block| matches!(block.role, Role::Verify | Role::Update)) {
        block.visit(&mut Checksums { program: code.program, report });
    }
}

/// Returns an expression without the conversions that the compiler inserted.
fn uncast(expr: &Expr) -> &Expr {
    match &expr.kind {
        ExprKind::Cast { operand, .. } => uncast(operand),
        _ => expr,
    }
}

/// Returns whether an item of a list shares bits with a place. p4c does not compare the fields
/// inside headers.
fn contains(program: &Program, item: &Expr, place: &Expr) -> bool {
    let item = uncast(item);
    match &item.kind {
        ExprKind::Aggregate(items) => items.iter().any(|item| contains(program, item, place)),
        _ => members(program, item.ty).is_none() && may_overlap(program, item, place),
    }
}

/// Returns whether p4c translates the data of a checksum to a list that `simple_switch` can read.
fn is_list(program: &Program, data: &Expr) -> bool {
    let plain = |ty: &TypeId| members(program, *ty).is_none();
    let data = uncast(data);
    matches!(data.kind, ExprKind::Aggregate(_))
        || members(program, data.ty).is_some_and(|members| members.iter().all(plain))
}

/// The state of checking checksum calls.
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
            self.check_data(data);
            if !is_list(self.program, data) {
                self.report.add(&CHECKSUM_DATA, data.span, "");
            }
        }
        if let Some(sum) = argument(call, 2) {
            // Calls with the payload are not copied: v1model declares no effects for them.
            if name == "update_checksum" {
                self.check_update(call, sum);
            }
            if evaluate(self.program, sum).is_none()
                && (bits(self.program, sum.ty).is_none() || at_runtime_index(self.program, sum))
            {
                self.report.add(&CHECKSUM_TARGET, sum.span, "");
            }
        }
        if let Some(sum) = argument(call, 2).filter(|_| name.starts_with("verify"))
            && evaluate(self.program, sum).is_some()
        {
            self.report.add(&VERIFY_CONSTANT, sum.span, "a constant");
        }
    }
}

impl Checksums<'_, '_> {
    /// Checks the place that an update of a checksum writes. If the list of data contains this
    /// place, p4c copies the list before the call changes it. The copy is a statement that p4c does
    /// not allow in this control.
    fn check_update(&mut self, call: &Call, sum: &Expr) {
        if matches!(sum.kind, ExprKind::Slice { .. } | ExprKind::IndexedSlice { .. }) {
            self.report.add(&CHECKSUM_SLICE, sum.span, "");
        }
        if let Some(ExprKind::Aggregate(items)) = argument(call, 1).map(|data| &uncast(data).kind)
            && let Some(item) = items.iter().find(|item| contains(self.program, item, sum))
        {
            self.report.add(&CHECKSUM_OF_ITSELF, item.span, "");
        }
    }

    fn check_data(&mut self, data: &Expr) {
        if evaluate(self.program, data).is_some() {
            return;
        }
        match &data.kind {
            ExprKind::Aggregate(items) => items.iter().for_each(|item| self.check_data(item)),
            ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::Conditional { .. }
            | ExprKind::IndexedSlice { .. }
            | ExprKind::Call(_)
            | ExprKind::IsValid(_) => self.report.add(&CHECKSUM_COMPUTATION, data.span, "computed"),
            // A slice and a cast of all bits compute nothing.
            ExprKind::Slice { base, high, low } => {
                let whole =
                    bits(self.program, base.ty).is_some_and(|(_, width)| *low == 0 && high + 1 == width);
                if !whole {
                    self.report.add(&CHECKSUM_COMPUTATION, data.span, "computed");
                }
            }
            ExprKind::Cast { operand, .. } => {
                let width = |expr: &Expr| bits(self.program, expr.ty);
                match (width(operand), width(data)) {
                    (Some(from), Some(to)) if from != to => {
                        self.report.add(&CHECKSUM_COMPUTATION, data.span, "computed");
                    }
                    _ => self.check_data(operand),
                }
            }
            _ => {}
        }
    }
}
