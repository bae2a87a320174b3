//! What expressions compute.

use std::cmp::Ordering;

use weir_ir::{BinaryOp, Bits, Expr, ExprKind, Type, UnaryOp, VarId};

use crate::run::Machine;

impl Machine<'_> {
    /// A variable's value. Fields of invalid headers are 0 because whoever invalidates a header clears them.
    pub(crate) fn read(&self, var: VarId) -> Bits {
        self.layout.get(self.state, var)
    }

    /// A `Bool` expression's value.
    pub(crate) fn holds(&self, condition: &Expr) -> bool {
        self.eval(condition).is_true()
    }

    /// A `bit<32>` expression's value.
    pub(crate) fn number(&self, expr: &Expr) -> u64 {
        self.eval(expr).low_u64()
    }

    /// An expression's value.
    pub(crate) fn eval(&self, expr: &Expr) -> Bits {
        match &expr.kind {
            ExprKind::Const(value) => value.clone(),
            ExprKind::Var(var) => self.read(*var),
            ExprKind::Indexed { vars, index } => match vars.get(self.number(index) as usize) {
                Some(var) => self.read(*var),
                None if matches!(expr.ty, Type::Varbit { .. }) => Bits::zero(0),
                None => Bits::zero(expr.ty.width()),
            },
            ExprKind::Unary(op, operand) => {
                let value = self.eval(operand);
                match op {
                    UnaryOp::Not | UnaryOp::BitNot => value.not(),
                    UnaryOp::Neg => value.neg(),
                }
            }
            ExprKind::Binary(op, left, right) => self.binary(*op, left, right),
            ExprKind::Slice { operand, high, low } => self.eval(operand).slice(*high, *low),
            ExprKind::Cast(operand) => {
                let value = self.eval(operand);
                match expr.ty {
                    Type::Varbit { .. } => value,
                    _ if operand.ty.is_signed() => value.resize_signed(expr.ty.width()),
                    _ => value.resize(expr.ty.width()),
                }
            }
            ExprKind::Mux(condition, then, otherwise) => {
                if self.holds(condition) {
                    self.eval(then)
                } else {
                    self.eval(otherwise)
                }
            }
            ExprKind::PacketLength => Bits::new(32, self.packet.len() as u128),
        }
    }

    fn binary(&self, op: BinaryOp, left: &Expr, right: &Expr) -> Bits {
        let signed = left.ty.is_signed();
        let a = self.eval(left);
        match (op, a.is_true()) {
            (BinaryOp::And, false) | (BinaryOp::Or, true) => return a,
            _ => {}
        }
        let b = self.eval(right);
        let compare = |holds: fn(Ordering) -> bool| Bits::bool(holds(a.compare(&b, signed)));
        match op {
            BinaryOp::Add => a.add(&b),
            BinaryOp::Sub => a.sub(&b),
            BinaryOp::Mul => a.mul(&b),
            BinaryOp::Div => a.div(&b),
            BinaryOp::Mod => a.rem(&b),
            BinaryOp::SatAdd => a.saturating_add(&b, signed),
            BinaryOp::SatSub => a.saturating_sub(&b, signed),
            BinaryOp::BitAnd => a.and(&b),
            BinaryOp::BitOr => a.or(&b),
            BinaryOp::BitXor => a.xor(&b),
            BinaryOp::Shl => a.shl(b.to_u64().unwrap_or(u64::MAX)),
            BinaryOp::Shr if signed => a.shr_signed(b.to_u64().unwrap_or(u64::MAX)),
            BinaryOp::Shr => a.shr(b.to_u64().unwrap_or(u64::MAX)),
            // Bits compare by width too, so varbits of different lengths differ.
            BinaryOp::Eq => Bits::bool(a == b),
            BinaryOp::Ne => Bits::bool(a != b),
            BinaryOp::Lt => compare(Ordering::is_lt),
            BinaryOp::Le => compare(Ordering::is_le),
            BinaryOp::Gt => compare(Ordering::is_gt),
            BinaryOp::Ge => compare(Ordering::is_ge),
            BinaryOp::And | BinaryOp::Or => b,
            BinaryOp::Concat => a.concat(&b),
        }
    }
}
