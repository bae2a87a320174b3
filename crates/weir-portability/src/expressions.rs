//! Operators, header stacks and header unions.

use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};
use weir_compiler::evaluate;
use weir_compiler::hir::walk::{self, Visitor};
use weir_compiler::hir::{
    BinaryOp, Block, Call, Callee, Expr, ExprKind, Program, Stmt, StmtKind, Type, TypeId, Types,
};

use crate::code::Code;
use crate::names::{
    argument, at_runtime_index, bits, has_varbit, is_union, is_union_stack, method, number, same_place,
};
use crate::report::Report;
use crate::rules::{
    DIVISION, LOOKAHEAD_BOOL, MIXED_CONCATENATION, RUNTIME_ELEMENT, SHIFT, STACK_INDEX, STACK_NEXT,
    SWITCH_KEY, SWITCH_SUBJECT, UNION_ELEMENT, UNION_MEMBER_INVALID, UNION_STACK_POP, VARBIT_EQUAL,
    VARBIT_KEPT,
};

/// The widest shift amount, and the largest constant one.
const SHIFT_WIDTH: u32 = 8;

/// Checks the expressions in all blocks.
pub(crate) fn run(code: &Code<'_>, report: &mut Report<'_>) {
    let mut invalidated = InvalidatedHeaders { types: Vec::new() };
    code.visit(&mut invalidated);
    let invalidated = invalidated.types;
    code.visit(&mut Expressions { program: code.program, invalidated: &invalidated, report });
}

/// The types of headers that the program makes invalid.
struct InvalidatedHeaders {
    types: Vec<TypeId>,
}

impl Visitor for InvalidatedHeaders {
    fn call(&mut self, call: &Call) {
        if let Callee::SetInvalid(header) = &call.callee {
            self.types.push(header.ty);
        }
    }
}

/// The state of checking expressions.
struct Expressions<'a, 'b> {
    program: &'a Program,
    invalidated: &'a [TypeId],
    report: &'a mut Report<'b>,
}

impl Visitor for Expressions<'_, '_> {
    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Binary(op, left, right) => self.binary(*op, expr, left, right),
            ExprKind::StackLast(base) if is_union_stack(self.program, base.ty) => {
                self.report.add(&UNION_ELEMENT, expr.span, "");
            }
            ExprKind::Field { base, .. } if matches!(&base.kind, ExprKind::StackNext(stack) if !is_union_stack(self.program, stack.ty)) =>
            {
                self.report.add(&STACK_NEXT, expr.span, "");
            }
            ExprKind::IsValid(union) if is_union(self.program, union.ty) => {
                if matches!(
                    union.kind,
                    ExprKind::Index { .. } | ExprKind::StackLast(_) | ExprKind::StackNext(_)
                ) {
                    self.report.add(&UNION_ELEMENT, expr.span, "");
                }
            }
            ExprKind::Index { base, index } => self.index(expr, base, index),
            _ => {}
        }
    }

    fn call(&mut self, call: &Call) {
        let program = self.program;
        match method(program, call) {
            Some(("packet_in", "extract") | ("packet_out", "emit")) => {
                argument(call, 0).iter().for_each(|header| self.whole_header(header));
            }
            Some(("packet_in", "lookahead")) if call.type_args.first() == Some(&Types::BOOL) => {
                self.report.add(&LOOKAHEAD_BOOL, call.span, "");
            }
            _ => {}
        }
        match &call.callee {
            Callee::SetInvalid(header) => {
                if matches!(&header.kind, ExprKind::Field { base, .. } if is_union(program, base.ty)) {
                    self.report.add(&UNION_MEMBER_INVALID, call.span, "");
                }
            }
            Callee::PopFront { stack, .. } if is_union_stack(program, stack.ty) => {
                self.report.add(&UNION_STACK_POP, call.span, "");
            }
            Callee::SetValid(header)
                if has_varbit(program, header.ty) && self.invalidated.contains(&header.ty) =>
            {
                self.report.add(&VARBIT_KEPT, call.span, "");
            }
            _ => {}
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        if let StmtKind::Assign { target, .. } = &stmt.kind {
            self.whole_header(target);
        }
        let StmtKind::SwitchValue { subject, cases, default } = &stmt.kind else { return };
        if matches!(self.program.types[subject.ty], Type::Error | Type::Newtype(_)) {
            self.report.add(&SWITCH_SUBJECT, subject.span, "");
        }
        if default.is_some() {
            return;
        }
        for case in cases {
            if let Some(assigned) = assigns(&case.body, subject) {
                self.report.add(&SWITCH_KEY, assigned, "the key of the `switch` is assigned");
            }
        }
    }
}

impl Expressions<'_, '_> {
    /// Records a header that is extracted, emitted or assigned as a whole.
    fn whole_header(&mut self, header: &Expr) {
        let is_header = crate::names::record_kind(self.program, header.ty).is_some();
        if is_header && at_runtime_index(self.program, header) {
            self.report.add(&RUNTIME_ELEMENT, header.span, "");
        }
    }

    /// Checks an operation on two operands.
    fn binary(&mut self, op: BinaryOp, expr: &Expr, left: &Expr, right: &Expr) {
        let program = self.program;
        let constant = |expr: &Expr| evaluate(program, expr).is_some();
        // p4c computes the result of dividing or shifting 0 itself.
        let of_zero = number(program, left).is_some_and(|number| number.is_zero());
        match op {
            BinaryOp::Div | BinaryOp::Mod
                if expr.ty != Types::INT
                    && !constant(expr)
                    && !of_zero
                    && !number(program, right).is_some_and(|number| is_power_of_two(&number)) =>
            {
                self.report.add(&DIVISION, expr.span, "");
            }
            BinaryOp::Shl | BinaryOp::Shr if !constant(expr) && !of_zero => {
                let too_much = match number(program, right) {
                    Some(amount) => amount > BigInt::one() << SHIFT_WIDTH,
                    None => bits(program, right.ty).is_some_and(|(_, width)| width > SHIFT_WIDTH),
                };
                if too_much {
                    self.report.add(&SHIFT, right.span, "the shift amount");
                }
            }
            BinaryOp::Concat if !constant(expr) => {
                let sign = |expr: &Expr| bits(program, expr.ty).map(|(signed, _)| signed);
                if sign(left).zip(sign(right)).is_some_and(|(left, right)| left != right) {
                    self.report.add(&MIXED_CONCATENATION, expr.span, "");
                }
            }
            BinaryOp::Eq | BinaryOp::Ne if has_varbit(program, left.ty) && !constant(expr) => {
                self.report.add(&VARBIT_EQUAL, expr.span, "");
            }
            _ => {}
        }
    }

    /// Records an index that is known only at run time, and can be past the end.
    fn index(&mut self, expr: &Expr, base: &Expr, index: &Expr) {
        let program = self.program;
        let Type::Stack { element, size } = program.types[base.ty] else { return };
        if evaluate(program, index).is_some() || crate::names::record_kind(program, element).is_none() {
            return;
        }
        let fits = bits(program, index.ty)
            .is_some_and(|(signed, width)| !signed && width < 32 && (1u64 << width) <= u64::from(size));
        if !fits {
            self.report.add(&STACK_INDEX, expr.span, "");
        }
    }
}

fn is_power_of_two(number: &BigInt) -> bool {
    number.is_positive() && (number & (number - BigInt::one())).is_zero()
}

/// Returns the statements in which a block assigns to a place.
fn assigns(block: &Block, place: &Expr) -> Option<weir_syntax::Span> {
    /// Searches for an assignment to a place.
    struct Search<'a> {
        place: &'a Expr,
        found: Option<weir_syntax::Span>,
    }
    impl Visitor for Search<'_> {
        fn stmt(&mut self, stmt: &Stmt) {
            if let StmtKind::Assign { target, .. } = &stmt.kind
                && self.found.is_none()
                && same_place(target, self.place)
            {
                self.found = Some(stmt.span);
            }
        }
    }
    let mut search = Search { place, found: None };
    walk::block(block, &mut search);
    search.found
}
