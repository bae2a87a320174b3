//! Types of expressions.

use crate::program::{BinaryOp, Expr, ExprKind, UnaryOp, VarId};
use crate::text;
use crate::types::Type;

use super::Validator;

impl Validator<'_> {
    /// Checks an expression and all its parts.
    pub(super) fn expr(&mut self, expr: &Expr) {
        self.width(expr.ty);
        match &expr.kind {
            ExprKind::Const(value) => self.check_constant(value, expr.ty, "the constant"),
            ExprKind::Var(id) => self.result(expr, self.program.vars[*id].ty),
            ExprKind::Indexed { vars, index } => {
                if let Some(ty) = self.candidates(vars, index) {
                    self.result(expr, ty);
                }
            }
            ExprKind::Unary(op, operand) => {
                self.expr(operand);
                match op {
                    UnaryOp::Not => self.has_type(operand, Type::Bool, "the operand"),
                    UnaryOp::BitNot | UnaryOp::Neg => self.is_bits(operand),
                }
                self.result(expr, operand.ty);
            }
            ExprKind::Binary(op, left, right) => self.binary(expr, *op, left, right),
            ExprKind::Slice { operand, high, low } => {
                self.expr(operand);
                self.is_bits(operand);
                let within = low <= high && *high < operand.ty.width();
                self.check(within, |program| {
                    format!(
                        "the slice `{}` is not within {}",
                        text::expr(program, expr),
                        text::ty(program, operand.ty)
                    )
                });
                if within {
                    self.result(expr, Type::bit(high + 1 - low));
                }
            }
            ExprKind::Cast(operand) => {
                self.expr(operand);
                let bit = Type::bit(1);
                let allowed = match (operand.ty, expr.ty) {
                    (Type::Bits { .. }, Type::Bits { .. }) => true,
                    (Type::Bool, to) => to == bit,
                    (from, Type::Bool) => from == bit,
                    _ => false,
                };
                self.check(allowed, |program| {
                    format!(
                        "there is no cast from {} to {}",
                        text::ty(program, operand.ty),
                        text::ty(program, expr.ty)
                    )
                });
            }
            ExprKind::Mux(condition, then, otherwise) => {
                [condition, then, otherwise].into_iter().for_each(|part| self.expr(part));
                self.has_type(condition, Type::Bool, "the condition");
                self.has_type(otherwise, then.ty, "the other value");
                self.result(expr, then.ty);
            }
            ExprKind::PacketLength => self.result(expr, Type::bit(32)),
        }
    }

    /// Checks an operation on two operands.
    fn binary(&mut self, expr: &Expr, op: BinaryOp, left: &Expr, right: &Expr) {
        self.expr(left);
        self.expr(right);
        match op {
            BinaryOp::Eq | BinaryOp::Ne => {}
            BinaryOp::And | BinaryOp::Or => self.has_type(left, Type::Bool, "the operand"),
            _ => self.is_bits(left),
        }
        match op {
            BinaryOp::Concat => self.is_bits(right),
            BinaryOp::Shl | BinaryOp::Shr => {
                self.is_bits(right);
                self.is_unsigned(right);
            }
            BinaryOp::Div | BinaryOp::Mod => {
                self.is_unsigned(left);
                self.has_type(right, left.ty, "the right operand");
            }
            _ => self.has_type(right, left.ty, "the right operand"),
        }
        let result = match op {
            BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => {
                Type::Bool
            }
            BinaryOp::Concat => Type::Bits {
                width: left.ty.width().saturating_add(right.ty.width()),
                signed: left.ty.is_signed(),
            },
            _ => left.ty,
        };
        self.result(expr, result);
    }

    /// Checks the variables and the index of an indexed access, and returns the type of the result.
    pub(super) fn candidates(&mut self, vars: &[VarId], index: &Expr) -> Option<Type> {
        self.expr(index);
        self.has_type(index, Type::bit(32), "the index");
        let ty = vars.first().map(|id| self.program.vars[*id].ty);
        self.check(ty.is_some(), |_| "the index has nothing to choose from".into());
        self.check(vars.iter().all(|id| Some(self.program.vars[*id].ty) == ty), |program| {
            let names: Vec<_> = vars.iter().map(|id| program.vars[*id].name.as_str()).collect();
            format!("{} have different types", names.join(", "))
        });
        ty
    }

    /// Checks that an expression has the type of its result.
    fn result(&mut self, expr: &Expr, ty: Type) {
        self.check(expr.ty == ty, |program| {
            format!(
                "`{}` is said to be {}, but gives {}",
                text::expr(program, expr),
                text::ty(program, expr.ty),
                text::ty(program, ty)
            )
        });
    }

    fn is_bits(&mut self, operand: &Expr) {
        self.check(matches!(operand.ty, Type::Bits { .. }), |program| {
            format!(
                "the operand `{}` is {}, not `bit` or `int`",
                text::expr(program, operand),
                text::ty(program, operand.ty)
            )
        });
    }

    fn is_unsigned(&mut self, operand: &Expr) {
        self.check(!operand.ty.is_signed(), |program| {
            format!(
                "the operand `{}` is {}, which is signed",
                text::expr(program, operand),
                text::ty(program, operand.ty)
            )
        });
    }
}
