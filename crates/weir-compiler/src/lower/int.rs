//! Compile-time evaluation of `int`, the integers of arbitrary precision.

use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive, Zero};
use weir_syntax::{Diagnostic, Span};

use super::context::Binding;
use super::fold;
use super::value::Value;
use super::{Lowered, Lowerer};
use crate::hir::{BinaryOp, Expr, ExprKind, Types, UnaryOp};

/// The maximum width in bits of the result of shifting an `int`.
const MAX_BITS: u64 = 65_536;

impl Lowerer<'_> {
    /// Evaluates an expression of type `int`.
    pub(super) fn int(&mut self, expr: &Expr) -> Lowered<BigInt> {
        match &expr.kind {
            ExprKind::Int(value) => Ok(value.clone()),
            ExprKind::Const(id) => match self.constant(*id)? {
                Value::Int(value) => Ok(value),
                _ => self.not_constant(expr.span),
            },
            ExprKind::Var(var) => match self.binding(*var) {
                Some(Binding::Value(Value::Int(value))) => Ok(value.clone()),
                None if self.failed => Err(super::Refused),
                _ => self.not_constant(expr.span),
            },
            ExprKind::Unary(op, operand) => {
                let operand = self.int(operand)?;
                Ok(match op {
                    UnaryOp::Negate => -operand,
                    UnaryOp::Complement => -operand - 1,
                    UnaryOp::Plus | UnaryOp::Not => operand,
                })
            }
            ExprKind::Binary(op, left, right) => {
                let left = self.int(left)?;
                let right = self.constant_int(right)?;
                self.int_binary(*op, left, right, expr.span)
            }
            ExprKind::Conditional { condition, then, otherwise } => {
                if self.constant_bool(condition)? {
                    self.int(then)
                } else {
                    self.int(otherwise)
                }
            }
            ExprKind::Cast { operand, .. } => self.constant_int(operand),
            ExprKind::SizeOf { measure, of } => self.size_of(*measure, *of, expr.span),
            ExprKind::Field { base, field: member } | ExprKind::TupleElement { base, index: member } => {
                match self.value(base)?.member(*member) {
                    Some(Value::Int(value)) => Ok(value.clone()),
                    _ => self.not_constant(expr.span),
                }
            }
            ExprKind::Index { base, index } => {
                let index = self.int(index)?.to_usize();
                match index.and_then(|index| self.value(base).ok()?.member(index).cloned()) {
                    Some(Value::Int(value)) => Ok(value),
                    _ => self.not_constant(expr.span),
                }
            }
            _ => self.not_constant(expr.span),
        }
    }

    /// Evaluates a compile-time constant of any integer type.
    pub(super) fn constant_int(&mut self, expr: &Expr) -> Lowered<BigInt> {
        if self.ty(expr.ty) == Types::INT {
            return self.int(expr);
        }
        match self.value(expr)? {
            Value::Int(value) => Ok(value),
            Value::Scalar(value) => match fold::as_const(&value) {
                Some(bits) => Ok(bits.to_bigint(value.ty)),
                None => self.not_constant(expr.span),
            },
            _ => self.not_constant(expr.span),
        }
    }

    /// Evaluates a compile-time Boolean.
    pub(super) fn constant_bool(&mut self, expr: &Expr) -> Lowered<bool> {
        let value = self.scalar(expr)?;
        match fold::as_bool(&value) {
            Some(value) => Ok(value),
            None => self.not_constant(expr.span),
        }
    }

    /// Evaluates a compile-time scalar and returns its bits.
    pub(super) fn constant_bits(&mut self, expr: &Expr) -> Lowered<weir_ir::Bits> {
        let value = self.scalar(expr)?;
        match fold::as_const(&value) {
            Some(bits) => Ok(bits.clone()),
            None => self.not_constant(expr.span),
        }
    }

    fn not_constant<T>(&mut self, span: Span) -> Lowered<T> {
        self.refuse(
            Diagnostic::error("not-a-constant", "expected a compile-time constant")
                .primary(span, "its value depends on the packet or the control plane"),
        )
    }

    fn int_binary(&mut self, op: BinaryOp, left: BigInt, right: BigInt, span: Span) -> Lowered<BigInt> {
        let shift = || right.to_u64().filter(|&amount| amount <= MAX_BITS);
        Ok(match op {
            BinaryOp::Add | BinaryOp::SatAdd => left + right,
            BinaryOp::Sub | BinaryOp::SatSub => left - right,
            BinaryOp::Mul => left * right,
            BinaryOp::Div | BinaryOp::Mod if right.is_zero() => {
                return self
                    .refuse(Diagnostic::error("division-by-zero", "division by zero").primary(span, ""));
            }
            BinaryOp::Div => left / right,
            BinaryOp::Mod => left % right,
            BinaryOp::And => left & right,
            BinaryOp::Or => left | right,
            BinaryOp::Xor => left ^ right,
            BinaryOp::Shl => match shift() {
                Some(amount) if left.bits() + amount <= MAX_BITS => left << amount,
                _ => {
                    return self.refuse(
                        Diagnostic::error(
                            "number-too-large",
                            format!("the result has more than {MAX_BITS} bits"),
                        )
                        .primary(span, ""),
                    );
                }
            },
            BinaryOp::Shr => match shift() {
                Some(amount) => left >> amount,
                None if left.is_negative() => BigInt::from(-1),
                None => BigInt::ZERO,
            },
            _ => return self.not_constant(span),
        })
    }
}
