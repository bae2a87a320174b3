//! Checks operators on numbers, and `++` (P4_16 sections 8.5 to 8.8).

use super::Checker;
use super::constant::{Value, evaluate, is_call_time};
use super::operator::{Operation, make};
use crate::hir::{BinaryOp, Expr, ExprKind, Type, Types};
use num_traits::{Signed, ToPrimitive, Zero};
use weir_syntax::Diagnostic;

/// The maximum length of a concatenated string, in bytes.
pub(super) const MAX_STRING_BYTES: usize = 1 << 16;

impl Checker<'_> {
    /// Checks an arithmetic operation.
    pub(super) fn arithmetic(&mut self, op: BinaryOp, left: Expr, right: Expr, at: Operation) -> Expr {
        let bad_operand = if matches!(op, BinaryOp::Div | BinaryOp::Mod) {
            [&left, &right].into_iter().find(|operand| {
                let negative = |value: &Value| matches!(value, Value::Int(value) if value.is_negative());
                evaluate(&self.program, operand).as_ref().is_some_and(negative)
            })
        } else {
            None
        };
        if let Some(operand) = bad_operand {
            let message = format!("`{}` is not defined for negative numbers", at.symbol);
            self.report(Diagnostic::error("bad-operand", message).primary(operand.span, "this is negative"));
            return self.poison_expr(at.span);
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
                let note = "give the number a width to fix its bits: `8w5` is 5 in 8 bits";
                let bitwise = make(op, left, right, Types::INT, at.span);
                let value = match (op, evaluate(&self.program, &bitwise)) {
                    (BinaryOp::And | BinaryOp::Or | BinaryOp::Xor, Some(Value::Int(value))) => value,
                    _ => {
                        let ExprKind::Binary(_, left, right) = &bitwise.kind else { return bitwise };
                        return self.bad_operands(left, right, at, Some(note));
                    }
                };
                let message = format!("`{}` applied to numbers without a width", at.symbol);
                let label = format!("evaluated in two's complement: {value}");
                self.report(
                    Diagnostic::warning("unbounded-bits", message).primary(at.span, label).note(note),
                );
                return Expr { kind: ExprKind::Int(value), ..bitwise };
            }
            BinaryOp::Div | BinaryOp::Mod => return self.division(op, left, right, at),
            BinaryOp::Mul if unbounded && self.too_long(&left, &right) => {
                self.report(
                    Diagnostic::error("number-too-large", "the result of this operation is too large")
                        .primary(
                            at.span,
                            format!("integers are limited to {} bits", super::constant::MAX_BITS),
                        ),
                );
                return self.poison_expr(at.span);
            }
            _ => {}
        }
        let ty = match op {
            BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => Types::BOOL,
            _ => left.ty,
        };
        make(op, left, right, ty, at.span)
    }

    pub(super) fn too_long(&self, left: &Expr, right: &Expr) -> bool {
        match (evaluate(&self.program, left), evaluate(&self.program, right)) {
            (Some(Value::Int(a)), Some(Value::Int(b))) => a.bits() + b.bits() > super::constant::MAX_BITS,
            _ => false,
        }
    }

    /// Checks a division or a remainder, including its divisor.
    pub(super) fn division(&mut self, op: BinaryOp, left: Expr, right: Expr, at: Operation) -> Expr {
        let divisor = match evaluate(&self.program, &right) {
            Some(Value::Int(value)) => Some(value),
            _ => None,
        };
        if divisor.as_ref().is_some_and(Zero::is_zero) {
            let diagnostic = Diagnostic::error("division-by-zero", "division by zero")
                .primary(right.span, "the divisor is 0");
            self.report(diagnostic);
            return self.poison_expr(at.span);
        }
        let is_constant = is_call_time(&self.program, &left) && is_call_time(&self.program, &right);
        if matches!(self.program.types[left.ty], Type::Bits { signed: true, .. }) {
            let message = format!("`{}` is not defined for `int<W>`", at.symbol);
            let diagnostic = Diagnostic::error("bad-operand", message)
                .primary(at.op_span, "expected `bit<W>` or numbers without a width");
            self.report(diagnostic);
            return self.poison_expr(at.span);
        }
        if !is_constant && !matches!(self.program.types[left.ty], Type::Var(_)) {
            let message = format!("`{}` of run-time values is an extension of P4_16", at.symbol);
            let diagnostic = Diagnostic::warning("division-at-run-time", message)
                .primary(at.op_span, "other targets may reject this; dividing by 0 gives 0")
                .note("to divide by a power of two, shift right; to get the remainder, use a mask");
            self.report(diagnostic);
        }
        let ty = left.ty;
        let quotient = make(op, left, right, ty, at.span);
        match evaluate(&self.program, &quotient) {
            Some(Value::Int(value)) => Expr { kind: ExprKind::Int(value), ..quotient },
            _ => quotient,
        }
    }

    /// Checks a shift, including its amount.
    pub(super) fn shift(&mut self, op: BinaryOp, left: Expr, right: Expr, at: Operation) -> Expr {
        let (left, right) = (self.enum_to_number(left), self.enum_to_number(right));
        let amount = match evaluate(&self.program, &right) {
            Some(Value::Int(value)) => Some(value),
            _ => None,
        };
        if amount.as_ref().is_some_and(Signed::is_negative) {
            let diagnostic = Diagnostic::error("bad-shift", "a shift amount cannot be negative")
                .primary(right.span, "this is negative");
            self.report(diagnostic);
            return self.poison_expr(at.span);
        }
        // A shift amount that is known and not negative may have any type (P4_16 section 8.9.2).
        let right = match (&self.program.types[right.ty], &amount) {
            (Type::Bits { signed: true, .. }, Some(amount)) => {
                Expr { kind: ExprKind::Int(amount.clone()), ty: Types::INT, span: right.span }
            }
            _ => right,
        };
        match (&self.program.types[left.ty], &self.program.types[right.ty]) {
            (Type::Bits { .. } | Type::Int, Type::Bits { signed: true, .. }) => {
                return self.bad_operands(&left, &right, at, Some("a shift amount must be unsigned"));
            }
            (Type::Int, _) if amount.is_none() && !is_call_time(&self.program, &right) => {
                let note = "give the left operand a width, as in `32w1 << x`";
                return self.bad_operands(&left, &right, at, Some(note));
            }
            (Type::Bits { width, .. }, Type::Bits { .. } | Type::Int) => {
                if let Some(amount) = amount
                    && amount.to_u32().is_none_or(|amount| amount >= *width)
                    && !amount.is_zero()
                {
                    let shown_type = self.show(left.ty);
                    let message = format!("shifting {shown_type} by {amount} discards all its bits");
                    let diagnostic = Diagnostic::warning("shift-overflow", message)
                        .primary(right.span, "shift amount exceeds the width");
                    self.report(diagnostic);
                }
            }
            (Type::Int, Type::Bits { .. } | Type::Int) => {
                if amount.is_some_and(|amount| amount > num_bigint::BigInt::from(1 << 16)) {
                    let diagnostic = Diagnostic::error("bad-shift", "the shift amount is too large")
                        .primary(right.span, "must be at most 65536");
                    self.report(diagnostic);
                    return self.poison_expr(at.span);
                }
            }
            _ => return self.bad_operands(&left, &right, at, None),
        }
        let ty = left.ty;
        make(op, left, right, ty, at.span)
    }

    /// Checks a concatenation with `++`.
    pub(super) fn concat(&mut self, left: Expr, right: Expr, at: Operation) -> Expr {
        let (left, right) = (self.enum_to_number(left), self.enum_to_number(right));
        let (a, b) = (self.program.types[left.ty].clone(), self.program.types[right.ty].clone());
        match (&a, &b) {
            (Type::Bits { signed, width: high }, Type::Bits { width: low, .. }) => {
                let ty = self.bits_type(*signed, u64::from(*high) + u64::from(*low), at.span);
                if ty == Types::POISON {
                    return self.poison_expr(at.span);
                }
                make(BinaryOp::Concat, left, right, ty, at.span)
            }
            (Type::String, Type::String) => {
                let joined = match (evaluate(&self.program, &left), evaluate(&self.program, &right)) {
                    (Some(Value::String(a)), Some(Value::String(b)))
                        if a.len() + b.len() > MAX_STRING_BYTES =>
                    {
                        let diagnostic = Diagnostic::error("text-too-long", "this string is too long")
                            .primary(at.span, format!("strings may have {MAX_STRING_BYTES} bytes"));
                        self.report(diagnostic);
                        return self.poison_expr(at.span);
                    }
                    (Some(Value::String(a)), Some(Value::String(b))) => ExprKind::String(a + &b),
                    _ => return make(BinaryOp::Concat, left, right, Types::STRING, at.span),
                };
                Expr { kind: joined, ty: Types::STRING, span: at.span }
            }
            (Type::Int, _) | (_, Type::Int) => {
                let note = "`++` needs operands with a width: `8w5` is 5 in 8 bits";
                self.bad_operands(&left, &right, at, Some(note))
            }
            _ => self.bad_operands(&left, &right, at, None),
        }
    }
}
