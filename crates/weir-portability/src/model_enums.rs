//! Checks values of the enums that v1model.p4 declares.
//!
//! p4c replaces the members of other enums by numbers, so variables of these types hold numbers. It
//! handles the members of v1model's enums, such as `HashAlgorithm`, only by their names. After p4c
//! has propagated constants, such a value must be a name wherever it is used.

use std::collections::BTreeMap;

use weir_compiler::evaluate;
use weir_compiler::hir::walk::Visitor;
use weir_compiler::hir::{Expr, ExprKind, Local, Program, Stmt, StmtKind, Type, TypeId, VarId, VarKind};

use crate::code::Code;
use crate::report::Report;
use crate::rules::{MODEL_ENUM, RANDOM_ALGORITHM};

/// Returns whether a type is an enum of `v1model.p4`.
pub(crate) fn is_model_enum(program: &Program, ty: TypeId) -> bool {
    match program.types[ty] {
        Type::Enum(decl) => ["HashAlgorithm", "CloneType", "CounterType", "MeterType"]
            .contains(&program.enums[decl].name.text.as_str()),
        _ => false,
    }
}

/// Checks the values of the enumerations that the architecture declares.
pub(crate) fn run(code: &Code<'_>, report: &mut Report<'_>) {
    let program = code.program;
    let mut values = Values { program, assigned: BTreeMap::new(), report };
    for block in &code.blocks {
        for &control in &block.controls {
            for local in &program.controls[control].locals {
                if let Local::Var { var, init: Some(init), .. } = local {
                    values.assign(*var, init);
                }
            }
        }
        block.visit(&mut values);
    }
    let Values { assigned, report, .. } = values;
    for values in assigned.values() {
        let differs = |value: &&Expr| match (evaluate(program, value), evaluate(program, &values[0])) {
            (Some(one), Some(other)) => one != other,
            _ => true,
        };
        // Parameters of constructors, and of functions that p4c expands, are constants after the
        // expansion.
        let varies = |value: &&Expr| differs(value) && !matches!(value.kind, ExprKind::Var(_));
        if let Some(value) = values.iter().find(varies) {
            report.add(&MODEL_ENUM, value.span, "a variable gets this value");
        }
    }
}

/// The values that local variables get.
struct Values<'a, 'b> {
    program: &'a Program,
    assigned: BTreeMap<VarId, Vec<Expr>>,
    report: &'a mut Report<'b>,
}

impl Values<'_, '_> {
    /// Notes that a value is assigned to a variable.
    fn assign(&mut self, var: VarId, value: &Expr) {
        let variable = &self.program.vars[var];
        if variable.kind == VarKind::Local && is_model_enum(self.program, variable.ty) {
            self.assigned.entry(var).or_default().push(value.clone());
        }
    }
}

impl Visitor for Values<'_, '_> {
    fn expr(&mut self, expr: &Expr) {
        if let ExprKind::EnumMember { decl, member } = expr.kind
            && is_model_enum(self.program, expr.ty)
            && self.program.enums[decl].members[member].name.text == "random"
        {
            self.report.add(&RANDOM_ALGORITHM, expr.span, "");
        }
        if let ExprKind::Conditional { condition, .. } = &expr.kind
            && is_model_enum(self.program, expr.ty)
            && evaluate(self.program, condition).is_none()
        {
            self.report.add(&MODEL_ENUM, expr.span, "chosen at run time");
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Declare { var, init: Some(init), .. } => self.assign(*var, init),
            StmtKind::Assign { target, value } => {
                if let ExprKind::Var(var) = target.kind {
                    self.assign(var, value);
                }
            }
            _ => {}
        }
    }
}
