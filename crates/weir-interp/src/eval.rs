//! Evaluation of expressions.

use weir_ir::eval::cast;
use weir_ir::{Bits, Expr, ExprKind, VarId};

use crate::run::Machine;

impl Machine<'_> {
    /// Returns a variable's value. The fields of invalid headers also have values.
    pub(crate) fn read(&self, var: VarId) -> Bits {
        self.layout.get(self.state, var)
    }

    /// Evaluates a `Bool` expression.
    pub(crate) fn eval_bool(&self, condition: &Expr) -> bool {
        self.eval(condition).is_true()
    }

    /// Evaluates a `bit<32>` expression.
    pub(crate) fn eval_number(&self, expr: &Expr) -> u64 {
        self.eval(expr).low_u64()
    }

    /// Evaluates an expression.
    pub(crate) fn eval(&self, expr: &Expr) -> Bits {
        match &expr.kind {
            ExprKind::Const(value) => value.clone(),
            ExprKind::Var(var) => self.read(*var),
            ExprKind::Indexed { vars, index } => match vars.get(self.eval_number(index) as usize) {
                Some(var) => self.read(*var),
                None => expr.ty.zero(),
            },
            ExprKind::Unary(op, operand) => op.apply(&self.eval(operand)),
            ExprKind::Binary(op, left, right) => {
                let signed = left.ty.is_signed();
                op.apply(&self.eval(left), &self.eval(right), signed)
            }
            ExprKind::Slice { operand, high, low } => self.eval(operand).slice(*high, *low),
            ExprKind::Cast(operand) => cast(&self.eval(operand), operand.ty, expr.ty),
            ExprKind::Mux(condition, then, otherwise) => {
                if self.eval_bool(condition) {
                    self.eval(then)
                } else {
                    self.eval(otherwise)
                }
            }
            ExprKind::PacketLength => Bits::new(32, self.packet.len() as u128),
        }
    }
}
