//! Operators and which types they take (P4_16 sections 8.2 to 8.10).

use num_traits::{Signed, ToPrimitive, Zero};
use weir_syntax::{Diagnostic, Span, ast};

use super::Checker;
use super::cast::implicit;
use super::constant::{Value, evaluate, is_compile_time};
use crate::hir::{BinaryOp, Expr, ExprKind, RecordKind, Type, TypeId, Types, UnaryOp};

/// The longest string that is put together, in bytes.
const MAX_TEXT: usize = 1 << 16;

impl Checker<'_> {
    /// A serializable enum as its number; other expressions stay.
    fn number(&mut self, expr: Expr) -> Expr {
        match self.program.types[expr.ty] {
            Type::Enum(decl) => match self.program.enums[decl].underlying {
                Some(underlying) if underlying != Types::POISON => implicit(expr, underlying),
                _ => expr,
            },
            _ => expr,
        }
    }

    pub(super) fn unary(&mut self, written: &ast::UnaryExpr, wanted: Option<TypeId>, span: Span) -> Expr {
        let operand = self.expr(&written.operand, wanted);
        if operand.ty == Types::POISON {
            return self.poison(span);
        }
        let (op, operand) = match written.op {
            ast::UnaryOp::Not => (UnaryOp::Not, operand),
            ast::UnaryOp::Complement => (UnaryOp::Complement, self.number(operand)),
            ast::UnaryOp::Negate => (UnaryOp::Negate, self.number(operand)),
            ast::UnaryOp::Plus => (UnaryOp::Plus, self.number(operand)),
        };
        let ty = &self.program.types[operand.ty];
        let fits = match op {
            UnaryOp::Not => *ty == Type::Bool,
            UnaryOp::Complement => matches!(ty, Type::Bits { .. }),
            UnaryOp::Negate | UnaryOp::Plus => matches!(ty, Type::Bits { .. } | Type::Int),
        };
        if !fits {
            let found = self.show(operand.ty);
            let symbol = written.op.symbol();
            let mut diagnostic =
                Diagnostic::error("bad-operand", format!("`{symbol}` does not apply to {found}"))
                    .primary(operand.span, format!("this is {found}"));
            diagnostic = match (op, ty) {
                (UnaryOp::Complement, Type::Int) => {
                    diagnostic.note("give the number a width, as in `~32w1`: its bits must be countable")
                }
                (UnaryOp::Not, Type::Bits { .. }) => {
                    diagnostic.note("`!` negates truth values; `~` flips bits, `== 0` asks for zero")
                }
                (UnaryOp::Complement, Type::Bool) => diagnostic.note("`!` negates truth values"),
                _ => diagnostic,
            };
            self.report(diagnostic);
            return self.poison(span);
        }
        let ty = operand.ty;
        Expr { kind: ExprKind::Unary(op, Box::new(operand)), ty, span }
    }

    pub(super) fn conditional(
        &mut self,
        written: &ast::TernaryExpr,
        wanted: Option<TypeId>,
        span: Span,
    ) -> Expr {
        let condition = self.condition(&written.condition);
        let then = self.expr(&written.then, wanted);
        let otherwise = self.expr(&written.otherwise, wanted);
        if [&condition, &then, &otherwise].iter().any(|part| part.ty == Types::POISON) {
            return self.poison(span);
        }
        let Some((then, otherwise)) = self.common_type(then, otherwise, wanted) else {
            return self.poison(span);
        };
        let ty = then.ty;
        let (condition, then, otherwise) = (Box::new(condition), Box::new(then), Box::new(otherwise));
        Expr { kind: ExprKind::Conditional { condition, then, otherwise }, ty, span }
    }

    /// Both branches in one type, or a report.
    fn common_type(&mut self, left: Expr, right: Expr, wanted: Option<TypeId>) -> Option<(Expr, Expr)> {
        if let Some(wanted) = wanted
            && left.ty == Types::INT
            && right.ty == Types::INT
            && matches!(self.program.types[wanted], Type::Bits { .. })
        {
            return Some((self.coerce(left, wanted), self.coerce(right, wanted)));
        }
        let (left_ty, right_ty) = (left.ty, right.ty);
        let left = match self.try_coerce(left, right_ty) {
            Ok(left) => return Some((left, right)),
            Err(left) => left,
        };
        match self.try_coerce(right, left_ty) {
            Ok(right) => Some((left, right)),
            Err(right) => {
                let (a, b) = (self.show(left_ty), self.show(right_ty));
                let message = format!("both branches must have one type, not {a} and {b}");
                let diagnostic = Diagnostic::error("type-mismatch", message)
                    .primary(right.span, format!("this is {b}"))
                    .secondary(left.span, format!("this is {a}"));
                self.report(diagnostic);
                None
            }
        }
    }

    /// An expression of type `bool`.
    pub(super) fn condition(&mut self, written: &ast::Expr) -> Expr {
        let checked = self.expr(written, Some(Types::BOOL));
        if let Type::ApplyResult(_) = self.program.types[checked.ty] {
            let diagnostic =
                Diagnostic::error("type-mismatch", "the result of `apply()` is not a truth value")
                    .primary(checked.span, "hit or miss?")
                    .suggest("ask whether an entry matched", checked.span.after(), ".hit");
            self.report(diagnostic);
            return self.poison(checked.span);
        }
        self.coerce(checked, Types::BOOL)
    }

    pub(super) fn binary(&mut self, written: &ast::BinaryExpr, wanted: Option<TypeId>, span: Span) -> Expr {
        let op = operator(written.op);
        // What is wanted of the result is wanted of the operands only where they have the result's type.
        let hint = match op {
            BinaryOp::LogicalAnd | BinaryOp::LogicalOr => Some(Types::BOOL),
            BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => None,
            BinaryOp::Concat | BinaryOp::Shl | BinaryOp::Shr => None,
            _ => wanted.filter(|&ty| !matches!(self.program.types[ty], Type::Bool)),
        };
        let mut left = self.expr(&written.left, hint);
        let right_hint = if matches!(op, BinaryOp::Eq | BinaryOp::Ne) && left.ty != Types::POISON {
            Some(left.ty)
        } else {
            hint
        };
        let right = self.expr(&written.right, right_hint);
        if left.ty == Types::POISON || right.ty == Types::POISON {
            return self.poison(span);
        }
        if let (BinaryOp::Eq | BinaryOp::Ne, ExprKind::Aggregate(_)) = (op, &left.kind) {
            left = match self.try_coerce(left, right.ty) {
                Ok(left) | Err(left) => left,
            };
        }
        let at = Operation { symbol: written.op.symbol(), op_span: written.op_span, span };
        match op {
            BinaryOp::Eq | BinaryOp::Ne => self.equality(op, left, right, at),
            BinaryOp::LogicalAnd | BinaryOp::LogicalOr => {
                let left = self.coerce(left, Types::BOOL);
                let right = self.coerce(right, Types::BOOL);
                if left.ty == Types::POISON || right.ty == Types::POISON {
                    return self.poison(span);
                }
                make(op, left, right, Types::BOOL, span)
            }
            BinaryOp::Shl | BinaryOp::Shr => self.shift(op, left, right, at),
            BinaryOp::Concat => self.concat(left, right, at),
            _ => self.arithmetic(op, left, right, at),
        }
    }

    fn bad_operands(&mut self, left: &Expr, right: &Expr, at: Operation, note: Option<&str>) -> Expr {
        let (a, b) = (self.show(left.ty), self.show(right.ty));
        let message = format!("`{}` does not apply to {a} and {b}", at.symbol);
        let mut diagnostic = Diagnostic::error("bad-operand", message)
            .primary(at.op_span, "operands do not fit")
            .secondary(left.span, format!("this is {a}"))
            .secondary(right.span, format!("this is {b}"));
        if let Some(note) = note {
            diagnostic = diagnostic.note(note);
        } else if let (Type::Bits { signed: s, width: w }, Type::Bits { signed: t, width: v }) =
            (&self.program.types[left.ty], &self.program.types[right.ty])
        {
            if s == t && w != v {
                let (narrow, wide) = if w < v { (left, b) } else { (right, a) };
                let cast = format!("({})", wide.trim_matches('`'));
                diagnostic = if matches!(narrow.kind, ExprKind::Binary(..) | ExprKind::Conditional { .. }) {
                    diagnostic.note(format!("widen the narrower operand with the cast `{cast}`"))
                } else {
                    let start = Span { end: narrow.span.start, ..narrow.span };
                    diagnostic.suggest("widen the narrower operand", start, cast)
                };
            } else if s != t {
                diagnostic = diagnostic.note("cast one operand, so that both are signed or both unsigned");
            }
        }
        self.report(diagnostic);
        self.poison(at.span)
    }

    /// Both operands as the same kind of number, if they can be.
    fn same_numbers(&mut self, left: Expr, right: Expr) -> Result<(Expr, Expr), (Expr, Expr)> {
        let (left, right) = (self.number(left), self.number(right));
        let (a, b) = (self.program.types[left.ty].clone(), self.program.types[right.ty].clone());
        match (&a, &b) {
            (Type::Bits { .. }, Type::Int) => {
                let right = self.coerce(right, left.ty);
                Ok((left, right))
            }
            (Type::Int, Type::Bits { .. }) => {
                let left = self.coerce(left, right.ty);
                Ok((left, right))
            }
            (Type::Bits { .. } | Type::Int, _) if left.ty == right.ty => Ok((left, right)),
            _ => Err((left, right)),
        }
    }

    fn arithmetic(&mut self, op: BinaryOp, left: Expr, right: Expr, at: Operation) -> Expr {
        let unfit = if matches!(op, BinaryOp::Div | BinaryOp::Mod) {
            [&left, &right].into_iter().find(|operand| {
                let negative = |value: &Value| matches!(value, Value::Int(value) if value.is_negative());
                evaluate(&self.program, operand).as_ref().is_some_and(negative)
            })
        } else {
            None
        };
        if let Some(operand) = unfit {
            let message = format!("`{}` is not defined on negative numbers", at.symbol);
            self.report(Diagnostic::error("bad-operand", message).primary(operand.span, "negative"));
            return self.poison(at.span);
        }
        let (left, right) = match self.same_numbers(left, right) {
            Ok(both) => both,
            Err((left, right)) => return self.bad_operands(&left, &right, at, None),
        };
        let unbounded = left.ty == Types::INT;
        match op {
            BinaryOp::And | BinaryOp::Or | BinaryOp::Xor | BinaryOp::SatAdd | BinaryOp::SatSub
                if unbounded =>
            {
                let note = "numbers without a width have no bits to work on: write `8w5` for 5 in 8 bits";
                let bitwise = make(op, left, right, Types::INT, at.span);
                let value = match (op, evaluate(&self.program, &bitwise)) {
                    (BinaryOp::And | BinaryOp::Or | BinaryOp::Xor, Some(Value::Int(value))) => value,
                    _ => {
                        let ExprKind::Binary(_, left, right) = &bitwise.kind else { return bitwise };
                        return self.bad_operands(left, right, at, Some(note));
                    }
                };
                let message = format!("`{}` on numbers without a width", at.symbol);
                let label = format!("taken as two's complement: {value}");
                self.report(
                    Diagnostic::warning("unbounded-bits", message).primary(at.span, label).note(note),
                );
                return Expr { kind: ExprKind::Int(value), ..bitwise };
            }
            BinaryOp::Div | BinaryOp::Mod => return self.division(op, left, right, at),
            BinaryOp::Mul if unbounded && self.too_long(&left, &right) => {
                self.report(
                    Diagnostic::error("number-too-large", "this number is too large to compute")
                        .primary(at.span, format!("numbers may have {} bits", super::constant::MAX_BITS)),
                );
                return self.poison(at.span);
            }
            _ => {}
        }
        let ty = match op {
            BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => Types::BOOL,
            _ => left.ty,
        };
        make(op, left, right, ty, at.span)
    }

    fn too_long(&self, left: &Expr, right: &Expr) -> bool {
        match (evaluate(&self.program, left), evaluate(&self.program, right)) {
            (Some(Value::Int(a)), Some(Value::Int(b))) => a.bits() + b.bits() > super::constant::MAX_BITS,
            _ => false,
        }
    }

    fn division(&mut self, op: BinaryOp, left: Expr, right: Expr, at: Operation) -> Expr {
        let divisor = match evaluate(&self.program, &right) {
            Some(Value::Int(value)) => Some(value),
            _ => None,
        };
        if divisor.as_ref().is_some_and(Zero::is_zero) {
            let diagnostic =
                Diagnostic::error("division-by-zero", "division by zero").primary(right.span, "this is 0");
            self.report(diagnostic);
            return self.poison(at.span);
        }
        let known = is_compile_time(&self.program, &left) && is_compile_time(&self.program, &right);
        if matches!(self.program.types[left.ty], Type::Bits { signed: true, .. }) {
            let message = format!("`{}` is not defined on signed numbers", at.symbol);
            let diagnostic = Diagnostic::error("bad-operand", message)
                .primary(at.op_span, "works on `bit<W>` and on numbers without a width");
            self.report(diagnostic);
            return self.poison(at.span);
        }
        if !known && !matches!(self.program.types[left.ty], Type::Var(_)) {
            let message = format!("`{}` while the program runs is beyond P4_16", at.symbol);
            let diagnostic = Diagnostic::warning("division-at-run-time", message)
                .primary(at.op_span, "other targets may refuse this; by 0 it gives 0")
                .note("shift right to divide by a power of two, mask to get the remainder");
            self.report(diagnostic);
        }
        let ty = left.ty;
        let quotient = make(op, left, right, ty, at.span);
        match evaluate(&self.program, &quotient) {
            Some(Value::Int(value)) => Expr { kind: ExprKind::Int(value), ..quotient },
            _ => quotient,
        }
    }

    fn shift(&mut self, op: BinaryOp, left: Expr, right: Expr, at: Operation) -> Expr {
        let (left, right) = (self.number(left), self.number(right));
        let amount = match evaluate(&self.program, &right) {
            Some(Value::Int(value)) => Some(value),
            _ => None,
        };
        if amount.as_ref().is_some_and(Signed::is_negative) {
            let diagnostic = Diagnostic::error("bad-shift", "a shift amount cannot be negative")
                .primary(right.span, "negative");
            self.report(diagnostic);
            return self.poison(at.span);
        }
        match (&self.program.types[left.ty], &self.program.types[right.ty]) {
            (Type::Bits { .. } | Type::Int, Type::Bits { signed: true, .. }) => {
                return self.bad_operands(&left, &right, at, Some("a shift amount must be unsigned"));
            }
            (Type::Int, _) if amount.is_none() && !is_compile_time(&self.program, &right) => {
                let note = "give the number that is shifted a width, as in `32w1 << x`";
                return self.bad_operands(&left, &right, at, Some(note));
            }
            (Type::Bits { width, .. }, Type::Bits { .. } | Type::Int) => {
                if let Some(amount) = amount
                    && amount.to_u32().is_none_or(|amount| amount >= *width)
                    && !amount.is_zero()
                {
                    let found = self.show(left.ty);
                    let message = format!("shifting {found} by {amount} leaves none of its bits");
                    let diagnostic =
                        Diagnostic::warning("shift-overflow", message).primary(right.span, "too far");
                    self.report(diagnostic);
                }
            }
            (Type::Int, Type::Bits { .. } | Type::Int) => {
                if amount.is_some_and(|amount| amount > num_bigint::BigInt::from(1 << 16)) {
                    let diagnostic = Diagnostic::error("bad-shift", "this shift is too far to compute")
                        .primary(right.span, "must be at most 65536");
                    self.report(diagnostic);
                    return self.poison(at.span);
                }
            }
            _ => return self.bad_operands(&left, &right, at, None),
        }
        let ty = left.ty;
        make(op, left, right, ty, at.span)
    }

    fn concat(&mut self, left: Expr, right: Expr, at: Operation) -> Expr {
        let (left, right) = (self.number(left), self.number(right));
        let (a, b) = (self.program.types[left.ty].clone(), self.program.types[right.ty].clone());
        match (&a, &b) {
            (Type::Bits { signed, width: high }, Type::Bits { width: low, .. }) => {
                let ty = self.program.types.intern(Type::Bits { signed: *signed, width: high + low });
                make(BinaryOp::Concat, left, right, ty, at.span)
            }
            (Type::String, Type::String) => {
                let joined = match (evaluate(&self.program, &left), evaluate(&self.program, &right)) {
                    (Some(Value::String(a)), Some(Value::String(b))) if a.len() + b.len() > MAX_TEXT => {
                        let diagnostic = Diagnostic::error("text-too-long", "this string is too long")
                            .primary(at.span, format!("strings may have {MAX_TEXT} bytes"));
                        self.report(diagnostic);
                        return self.poison(at.span);
                    }
                    (Some(Value::String(a)), Some(Value::String(b))) => ExprKind::String(a + &b),
                    _ => return make(BinaryOp::Concat, left, right, Types::STRING, at.span),
                };
                Expr { kind: joined, ty: Types::STRING, span: at.span }
            }
            (Type::Int, _) | (_, Type::Int) => {
                let note = "the width of a number must be known to append it: write `8w5` for 5 in 8 bits";
                self.bad_operands(&left, &right, at, Some(note))
            }
            _ => self.bad_operands(&left, &right, at, None),
        }
    }

    fn equality(&mut self, op: BinaryOp, left: Expr, right: Expr, at: Operation) -> Expr {
        // A number without width takes that of a serializable enum, which is compared as the number it stands for.
        let left = if right.ty == Types::INT { self.number(left) } else { left };
        let right = if left.ty == Types::INT { self.number(right) } else { right };
        let (left, right) = if left.ty == right.ty {
            (left, right)
        } else {
            let left_ty = left.ty;
            match self.try_coerce(right, left_ty) {
                Ok(right) => (left, right),
                Err(right) => {
                    let right_ty = right.ty;
                    match self.try_coerce(left, right_ty) {
                        Ok(left) => (left, right),
                        Err(left) => match self.same_numbers(left, right) {
                            Ok(both) => both,
                            Err((left, right)) => return self.bad_operands(&left, &right, at, None),
                        },
                    }
                }
            }
        };
        if left.ty == Types::POISON || right.ty == Types::POISON {
            return self.poison(at.span);
        }
        if !self.comparable(left.ty) {
            let message = format!("values of type {} cannot be compared", self.show(left.ty));
            self.report(
                Diagnostic::error("not-comparable", message).primary(at.span, "no `==` for this type"),
            );
            return self.poison(at.span);
        }
        make(op, left, right, Types::BOOL, at.span)
    }

    fn comparable(&self, ty: TypeId) -> bool {
        match &self.program.types[ty] {
            Type::Bool
            | Type::Error
            | Type::MatchKind
            | Type::Int
            | Type::String
            | Type::Bits { .. }
            | Type::Varbit { .. }
            | Type::Enum(_)
            | Type::Newtype(_)
            | Type::Poison => true,
            Type::Stack { element, .. } | Type::List(element) => self.comparable(*element),
            Type::Tuple(items) => items.iter().all(|&item| self.comparable(item)),
            Type::AnonymousStruct(fields) => fields.iter().all(|(_, ty)| self.comparable(*ty)),
            Type::Record { decl, .. } => {
                let record = &self.program.records[*decl];
                matches!(record.kind, RecordKind::Struct | RecordKind::Header | RecordKind::Union)
                    && record.fields.iter().all(|field| self.comparable(field.ty))
            }
            _ => false,
        }
    }

    /// `target op value` of a compound assignment, the target already checked.
    pub(super) fn compound(&mut self, op: ast::BinaryOp, op_span: Span, target: Expr, value: Expr) -> Expr {
        let span = target.span.to(value.span);
        let at = Operation { symbol: op.symbol(), op_span, span };
        match operator(op) {
            shift @ (BinaryOp::Shl | BinaryOp::Shr) => self.shift(shift, target, value, at),
            BinaryOp::Concat => self.concat(target, value, at),
            other => self.arithmetic(other, target, value, at),
        }
    }
}

/// Where an operator stands, for messages.
#[derive(Clone, Copy)]
struct Operation {
    symbol: &'static str,
    op_span: Span,
    span: Span,
}

fn make(op: BinaryOp, left: Expr, right: Expr, ty: TypeId, span: Span) -> Expr {
    Expr { kind: ExprKind::Binary(op, Box::new(left), Box::new(right)), ty, span }
}

fn operator(op: ast::BinaryOp) -> BinaryOp {
    match op {
        ast::BinaryOp::Mul => BinaryOp::Mul,
        ast::BinaryOp::Div => BinaryOp::Div,
        ast::BinaryOp::Mod => BinaryOp::Mod,
        ast::BinaryOp::Add => BinaryOp::Add,
        ast::BinaryOp::Sub => BinaryOp::Sub,
        ast::BinaryOp::AddSat => BinaryOp::SatAdd,
        ast::BinaryOp::SubSat => BinaryOp::SatSub,
        ast::BinaryOp::Shl => BinaryOp::Shl,
        ast::BinaryOp::Shr => BinaryOp::Shr,
        ast::BinaryOp::BitAnd => BinaryOp::And,
        ast::BinaryOp::BitXor => BinaryOp::Xor,
        ast::BinaryOp::BitOr => BinaryOp::Or,
        ast::BinaryOp::Concat => BinaryOp::Concat,
        ast::BinaryOp::Lt => BinaryOp::Lt,
        ast::BinaryOp::Le => BinaryOp::Le,
        ast::BinaryOp::Gt => BinaryOp::Gt,
        ast::BinaryOp::Ge => BinaryOp::Ge,
        ast::BinaryOp::Eq => BinaryOp::Eq,
        ast::BinaryOp::Ne => BinaryOp::Ne,
        ast::BinaryOp::And => BinaryOp::LogicalAnd,
        ast::BinaryOp::Or => BinaryOp::LogicalOr,
    }
}
