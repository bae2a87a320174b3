//! Follows signed action data to the places that it reaches.
//!
//! `simple_switch` stores negative action data as a large positive number. The value is correct
//! again only after arithmetic that wraps around, or after a cast to another signedness or a
//! smaller width.

use std::collections::BTreeSet;

use weir_compiler::hir::walk::Visitor;
use weir_compiler::hir::{
    BinaryOp, Call, Callee, Direction, Expr, ExprKind, InstanceId, Param, Program, RecordId, Stmt, StmtKind,
    Type, TypeId, VarId,
};

use crate::code::{Code, Role};
use crate::names::{argument, bits, method};
use crate::report::Report;
use crate::rules::SIGNED_DATA;

/// Checks where signed data goes.
pub(crate) fn run(code: &Code<'_>, report: &mut Report<'_>) {
    let program = code.program;
    let mut flow = Flow { program, reached: BTreeSet::new(), has_grown: false };
    for id in code.tables() {
        for listed in &program.tables[id].actions {
            let params = program.actions[listed.action].params.iter();
            let data = params.filter(|param| param.direction == Direction::None);
            let signed = data.filter(|param| is_signed(program, program.vars[param.var].ty));
            flow.reached.extend(signed.map(|param| Holder::Var(param.var)));
        }
    }
    if flow.reached.is_empty() {
        return;
    }
    // Parsers assign new values to fields.
    let blocks = || code.blocks.iter().filter(|block| block.role != Role::Parser);
    loop {
        flow.has_grown = false;
        blocks().for_each(|block| block.visit(&mut flow));
        if !flow.has_grown {
            break;
        }
    }
    blocks().for_each(|block| block.visit(&mut Uses { flow: &flow, report }));
}

/// A place that can hold action data.
#[derive(PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Holder {
    Var(VarId),
    /// The field of all headers or structs of a type, since each block has its own name for them.
    Field(RecordId, usize),
    Register(InstanceId),
}

/// Finds the places that action data reaches.
struct Flow<'a> {
    program: &'a Program,
    reached: BTreeSet<Holder>,
    has_grown: bool,
}

impl Flow<'_> {
    /// Returns what holds the value of a place.
    fn holder(&self, place: &Expr) -> Option<Holder> {
        match &place.kind {
            ExprKind::Var(var) => Some(Holder::Var(*var)),
            ExprKind::Field { base, field } => match self.program.types[base.ty] {
                Type::Record { decl, .. } => Some(Holder::Field(decl, *field)),
                _ => None,
            },
            ExprKind::Instance(instance) => Some(Holder::Register(*instance)),
            _ => None,
        }
    }

    /// Returns whether a value may be action data outside its type's range: no operation has
    /// wrapped it.
    fn is_data(&self, value: &Expr) -> bool {
        use BinaryOp::{And, Or, Xor};
        match &value.kind {
            ExprKind::Binary(And | Or | Xor, left, right) => self.is_data(left) || self.is_data(right),
            ExprKind::Conditional { then, otherwise, .. } => self.is_data(then) || self.is_data(otherwise),
            ExprKind::Cast { operand, .. } => operand.ty == value.ty && self.is_data(operand),
            _ => is_signed(self.program, value.ty) && self.is_reached(value),
        }
    }

    fn is_reached(&self, place: &Expr) -> bool {
        self.holder(place).is_some_and(|holder| self.reached.contains(&holder))
    }

    fn mark_reached(&mut self, holder: Option<Holder>) {
        if let Some(holder) = holder {
            self.has_grown |= self.reached.insert(holder);
        }
    }

    /// Follows action data from the arguments of a call to its parameters, and from its output
    /// parameters back to the arguments.
    fn follow_call(&mut self, params: &[Param], call: &Call) {
        for (position, param) in params.iter().enumerate() {
            let Some(arg) = argument(call, position) else { continue };
            if param.direction != Direction::Out && self.is_data(arg) {
                self.mark_reached(Some(Holder::Var(param.var)));
            }
            let goes_out = matches!(param.direction, Direction::Out | Direction::InOut);
            if goes_out && self.reached.contains(&Holder::Var(param.var)) {
                self.mark_reached(self.holder(arg));
            }
        }
    }
}

impl Visitor for Flow<'_> {
    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Assign { target, value } if self.is_data(value) => {
                self.mark_reached(self.holder(target));
            }
            StmtKind::Declare { var, init: Some(init) } if self.is_data(init) => {
                self.mark_reached(Some(Holder::Var(*var)));
            }
            _ => {}
        }
    }

    fn call(&mut self, call: &Call) {
        let program = self.program;
        match (&call.callee, method(program, call)) {
            (Callee::Method { object, .. }, Some(("register", "write")))
                if argument(call, 1).is_some_and(|value| self.is_data(value)) =>
            {
                self.mark_reached(self.holder(object));
            }
            (Callee::Method { object, .. }, Some(("register", "read"))) if self.is_reached(object) => {
                self.mark_reached(argument(call, 0).and_then(|place| self.holder(place)));
            }
            (Callee::Function(id), _) => self.follow_call(&program.functions[*id].params, call),
            (Callee::Action(id), _) => self.follow_call(&program.actions[*id].params, call),
            _ => {}
        }
    }
}

fn is_signed(program: &Program, ty: TypeId) -> bool {
    bits(program, ty).is_some_and(|(signed, _)| signed)
}

/// Reports the operations that misread action data.
struct Uses<'a, 'b, 'p> {
    flow: &'a Flow<'p>,
    report: &'a mut Report<'b>,
}

impl Visitor for Uses<'_, '_, '_> {
    fn expr(&mut self, expr: &Expr) {
        use BinaryOp::{Eq, Ge, Gt, Le, Lt, Ne, SatAdd, SatSub, Shr};
        let is_data = |expr: &Expr| self.flow.is_data(expr);
        let width = |expr: &Expr| bits(self.flow.program, expr.ty).map_or(0, |(_, width)| width);
        let misread = match &expr.kind {
            ExprKind::Binary(Eq | Ne | Lt | Le | Gt | Ge | SatAdd | SatSub, left, right) => {
                is_data(left) || is_data(right)
            }
            ExprKind::Binary(Shr, left, _) => is_data(left),
            ExprKind::Cast { operand, .. } => is_data(operand) && width(expr) > width(operand),
            _ => false,
        };
        if misread {
            self.report.add(&SIGNED_DATA, expr.span, "");
        }
    }
}
