//! Evaluates operators.

use std::cmp::Ordering;

use crate::bits::Bits;
use crate::program::{BinaryOp, UnaryOp};
use crate::types::Type;

impl UnaryOp {
    /// Applies the operator to a value.
    pub fn apply(self, operand: &Bits) -> Bits {
        match self {
            Self::Not | Self::BitNot => operand.not(),
            Self::Neg => operand.neg(),
        }
    }
}

impl BinaryOp {
    /// Applies the operator to two values; `signed` says whether the left operand is two's
    /// complement.
    pub fn apply(self, a: &Bits, b: &Bits, signed: bool) -> Bits {
        let compare = |holds: fn(Ordering) -> bool| Bits::bool(holds(a.compare(b, signed)));
        let amount = || b.to_u64().unwrap_or(u64::MAX);
        match self {
            Self::Add => a.add(b),
            Self::Sub => a.sub(b),
            Self::Mul => a.mul(b),
            Self::Div => a.div(b),
            Self::Mod => a.rem(b),
            Self::SatAdd => a.saturating_add(b, signed),
            Self::SatSub => a.saturating_sub(b, signed),
            Self::BitAnd | Self::And => a.and(b),
            Self::BitOr | Self::Or => a.or(b),
            Self::BitXor => a.xor(b),
            Self::Shl => a.shl(amount()),
            Self::Shr if signed => a.shr_signed(amount()),
            Self::Shr => a.shr(amount()),
            // The width is part of the value, so varbits of different lengths differ.
            Self::Eq => Bits::bool(a == b),
            Self::Ne => Bits::bool(a != b),
            Self::Lt => compare(Ordering::is_lt),
            Self::Le => compare(Ordering::is_le),
            Self::Gt => compare(Ordering::is_gt),
            Self::Ge => compare(Ordering::is_ge),
            Self::Concat => a.concat(b),
        }
    }
}

/// Casts a value from one type to another. The value is truncated, or extended according to its old
/// type.
pub fn cast(value: &Bits, from: Type, to: Type) -> Bits {
    if from.is_signed() { value.resize_signed(to.width()) } else { value.resize(to.width()) }
}

impl Type {
    /// Returns the initial value of a variable of this type: 0, false, the first member, or empty.
    pub fn zero(self) -> Bits {
        match self {
            Self::Varbit { .. } => Bits::zero(0),
            _ => Bits::zero(self.width()),
        }
    }
}
