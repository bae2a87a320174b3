//! Finds local variables that always have the same number, because all assignments write the same
//! constant.

use num_bigint::BigInt;
use rustc_hash::FxHashMap;

use super::possible_values::constant;
use crate::check::constant::{fits_type, representation};
use crate::hir::walk::{self, Visitor};
use crate::hir::{
    ArgValue, Call, Callee, Constructor, Direction, Expr, ExprKind, Local, Param, Program, Stmt, StmtKind,
    VarId, VarKind,
};

/// The numbers of local variables that always have the same number; `None` for variables with
/// several values.
pub(super) struct ConstantVariables<'p> {
    program: &'p Program,
    numbers: FxHashMap<VarId, Option<BigInt>>,
}

impl<'p> ConstantVariables<'p> {
    /// Finds the variables of a program that always have the same number.
    pub(super) fn collect(program: &'p Program) -> Self {
        let mut settled = Self { program, numbers: FxHashMap::default() };
        let of_controls = program.controls.iter().flat_map(|(_, control)| &control.locals);
        let of_parsers = program.parsers.iter().flat_map(|(_, parser)| &parser.locals);
        for local in of_controls.chain(of_parsers) {
            if let Local::Var { var, init: Some(init) } = local {
                settled.write(*var, constant(program, init));
            }
        }
        walk::program(program, &mut settled);
        settled
    }

    /// Returns the value of an expression that is a constant, or a variable that always has the
    /// same number.
    pub(super) fn number(&self, expr: &Expr) -> Option<BigInt> {
        match &expr.kind {
            ExprKind::Var(var) => self.numbers.get(var)?.clone(),
            ExprKind::Cast { operand, .. } => {
                let (signed, width) = representation(self.program, expr.ty)?;
                self.number(operand).filter(|number| fits_type(number, signed, width))
            }
            _ => None,
        }
        .or_else(|| constant(self.program, expr))
    }

    /// Records that a variable is given a number, or an unknown number.
    fn write(&mut self, var: VarId, number: Option<BigInt>) {
        if self.program.vars[var].kind != VarKind::Local {
            return;
        }
        let known = self.numbers.entry(var).or_insert_with(|| number.clone());
        if *known != number {
            *known = None;
        }
    }

    /// Notes that any value may be written to a place.
    fn record_write(&mut self, place: &Expr) {
        match &place.kind {
            ExprKind::Var(var) => self.write(*var, None),
            ExprKind::Field { base, .. }
            | ExprKind::TupleElement { base, .. }
            | ExprKind::Index { base, .. }
            | ExprKind::StackNext(base)
            | ExprKind::Slice { base, .. }
            | ExprKind::IndexedSlice { base, .. } => self.record_write(base),
            _ => {}
        }
    }
}

impl Visitor for ConstantVariables<'_> {
    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Declare { var, init: Some(init) } => self.write(*var, constant(self.program, init)),
            StmtKind::Assign { target: Expr { kind: ExprKind::Var(var), .. }, value } => {
                self.write(*var, constant(self.program, value));
            }
            StmtKind::Assign { target, .. } => self.record_write(target),
            StmtKind::ForRange { var, .. } | StmtKind::ForEach { var, .. } => self.write(*var, None),
            _ => {}
        }
    }

    fn call(&mut self, call: &Call) {
        let params = params(self.program, call);
        for (position, arg) in call.args.iter().enumerate() {
            let ArgValue::Expr(value) = &arg.value else { continue };
            let direction = params.and_then(|params| params.get(position)).map(|param| param.direction);
            if !matches!(direction, Some(Direction::In | Direction::None)) {
                self.record_write(value);
            }
        }
    }
}

/// Returns the parameters of a call, if its declaration is known.
pub(super) fn params<'p>(program: &'p Program, call: &Call) -> Option<&'p [Param]> {
    Some(match &call.callee {
        Callee::Function(id) => &program.functions[*id].params,
        Callee::Action(id) => &program.actions[*id].params,
        Callee::ExternFunction(id) => &program.extern_functions[*id].0.params,
        Callee::Method { decl, method, .. } => &program.externs[*decl].methods[*method].params,
        Callee::ApplyControl(object) | Callee::ApplyParser(object) => {
            let ExprKind::Instance(id) = object.kind else { return None };
            match program.instances[id].construct.constructor {
                Constructor::Control(id) => &program.controls[id].params,
                Constructor::Parser(id) => &program.parsers[id].params,
                Constructor::Extern { .. } | Constructor::Package(_) => return None,
            }
        }
        Callee::SetValid(_) | Callee::SetInvalid(_) | Callee::PushFront { .. } | Callee::PopFront { .. } => {
            return None;
        }
    })
}
