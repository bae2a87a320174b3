//! Constructors of IR expressions that fold constant operands.

use std::cmp::Ordering;

use num_bigint::BigInt;
use num_traits::ToPrimitive;
use weir_ir::{BinaryOp, Bits, Expr, ExprKind, Type, UnaryOp, VarId};

/// The type `bit<32>`.
pub(super) const U32: Type = Type::bit(32);

/// Makes a constant expression of a type.
pub(super) fn constant(ty: Type, bits: Bits) -> Expr {
    Expr { kind: ExprKind::Const(bits), ty }
}

/// Makes a constant of type `ty` from the low bits of a number.
pub(super) fn number(ty: Type, value: &BigInt) -> Expr {
    constant(ty, Bits::wrap_signed(ty.width(), value))
}

/// Makes a Boolean constant.
pub(super) fn boolean(value: bool) -> Expr {
    constant(Type::Bool, Bits::bool(value))
}

/// Makes a `bit<32>` constant.
pub(super) fn u32_const(value: u32) -> Expr {
    constant(U32, Bits::new(32, u128::from(value)))
}

/// Makes the zero value of a type: zero, false, the first member, or an empty varbit.
pub(super) fn zero(ty: Type) -> Expr {
    let width = if matches!(ty, Type::Varbit { .. }) { 0 } else { ty.width() };
    constant(ty, Bits::zero(width))
}

/// Makes an expression that reads a variable.
pub(super) fn var(var: VarId, ty: Type) -> Expr {
    Expr { kind: ExprKind::Var(var), ty }
}

/// Returns the expression's value, if it is constant.
pub(super) fn as_const(expr: &Expr) -> Option<&Bits> {
    match &expr.kind {
        ExprKind::Const(bits) => Some(bits),
        _ => None,
    }
}

/// Returns the expression's Boolean value, if it is constant.
pub(super) fn as_bool(expr: &Expr) -> Option<bool> {
    as_const(expr).map(Bits::is_true)
}

/// Makes `op operand`, folded if the operand is constant.
pub(super) fn unary(op: UnaryOp, operand: Expr) -> Expr {
    let ty = operand.ty;
    if let Some(bits) = as_const(&operand) {
        let folded = match op {
            UnaryOp::Not => Bits::bool(!bits.is_true()),
            UnaryOp::BitNot => bits.not(),
            UnaryOp::Neg => bits.neg(),
        };
        return constant(ty, folded);
    }
    if op == UnaryOp::Not
        && let ExprKind::Unary(UnaryOp::Not, inner) = operand.kind
    {
        return *inner;
    }
    Expr { kind: ExprKind::Unary(op, Box::new(operand)), ty }
}

/// Makes `!operand`, folded if the operand is constant.
pub(super) fn not(operand: Expr) -> Expr {
    unary(UnaryOp::Not, operand)
}

/// Makes `left && right`, folded if an operand is constant; both operands must be pure.
pub(super) fn and(left: Expr, right: Expr) -> Expr {
    match (as_bool(&left), as_bool(&right)) {
        (Some(false), _) | (_, Some(true)) => left,
        (Some(true), _) | (_, Some(false)) => right,
        _ => Expr { kind: ExprKind::Binary(BinaryOp::And, Box::new(left), Box::new(right)), ty: Type::Bool },
    }
}

/// Makes `left || right`, folded if an operand is constant; both operands must be pure.
pub(super) fn or(left: Expr, right: Expr) -> Expr {
    match (as_bool(&left), as_bool(&right)) {
        (Some(true), _) | (_, Some(false)) => left,
        (Some(false), _) | (_, Some(true)) => right,
        _ => Expr { kind: ExprKind::Binary(BinaryOp::Or, Box::new(left), Box::new(right)), ty: Type::Bool },
    }
}

/// Makes `left op right` of type `ty`, folded as far as the operands are constant.
pub(super) fn binary(op: BinaryOp, left: Expr, right: Expr, ty: Type) -> Expr {
    match op {
        BinaryOp::And => return and(left, right),
        BinaryOp::Or => return or(left, right),
        _ => {}
    }
    if let (Some(a), Some(b)) = (as_const(&left), as_const(&right))
        && let Some(bits) = fold_binary(op, a, b, left.ty)
    {
        return constant(ty, bits);
    }
    Expr { kind: ExprKind::Binary(op, Box::new(left), Box::new(right)), ty }
}

fn fold_binary(op: BinaryOp, a: &Bits, b: &Bits, operands: Type) -> Option<Bits> {
    let signed = operands.is_signed();
    // Shifts by larger amounts give the same result as a shift by the maximum.
    let amount = || b.to_biguint().to_u64().unwrap_or(u64::MAX);
    let compare = |wanted: fn(Ordering) -> bool| Bits::bool(wanted(a.compare(b, signed)));
    Some(match op {
        BinaryOp::Add => a.add(b),
        BinaryOp::Sub => a.sub(b),
        BinaryOp::Mul => a.mul(b),
        BinaryOp::Div => a.div(b),
        BinaryOp::Mod => a.rem(b),
        BinaryOp::SatAdd => a.saturating_add(b, signed),
        BinaryOp::SatSub => a.saturating_sub(b, signed),
        BinaryOp::BitAnd => a.and(b),
        BinaryOp::BitOr => a.or(b),
        BinaryOp::BitXor => a.xor(b),
        BinaryOp::Shl => a.shl(amount()),
        BinaryOp::Shr if signed => a.shr_signed(amount()),
        BinaryOp::Shr => a.shr(amount()),
        BinaryOp::Eq => Bits::bool(a == b),
        BinaryOp::Ne => Bits::bool(a != b),
        BinaryOp::Lt => compare(Ordering::is_lt),
        BinaryOp::Le => compare(Ordering::is_le),
        BinaryOp::Gt => compare(Ordering::is_gt),
        BinaryOp::Ge => compare(Ordering::is_ge),
        BinaryOp::Concat => a.concat(b),
        BinaryOp::And | BinaryOp::Or => return None,
    })
}

/// Makes `left == right`, folded if both operands are constant.
pub(super) fn equal(left: Expr, right: Expr) -> Expr {
    binary(BinaryOp::Eq, left, right, Type::Bool)
}

/// Makes the unsigned slice of the bits `high` down to `low`.
pub(super) fn slice(operand: Expr, high: u32, low: u32) -> Expr {
    let ty = Type::bit(high - low + 1);
    if operand.ty == ty {
        return operand;
    }
    match as_const(&operand) {
        Some(bits) => constant(ty, bits.slice(high, low)),
        None => Expr { kind: ExprKind::Slice { operand: Box::new(operand), high, low }, ty },
    }
}

/// Converts to `ty` by truncation, extension by the operand's sign, change of sign, or between
/// `bool` and `bit<1>`.
pub(super) fn cast(operand: Expr, ty: Type) -> Expr {
    if operand.ty == ty {
        return operand;
    }
    if let Some(bits) = as_const(&operand) {
        let folded =
            if operand.ty.is_signed() { bits.resize_signed(ty.width()) } else { bits.resize(ty.width()) };
        return constant(ty, folded);
    }
    Expr { kind: ExprKind::Cast(Box::new(operand)), ty }
}

/// Makes `condition ? then : otherwise`, where all parts are pure.
pub(super) fn conditional_expr(condition: Expr, then: Expr, otherwise: Expr) -> Expr {
    match as_bool(&condition) {
        Some(true) => return then,
        Some(false) => return otherwise,
        None if then == otherwise => return then,
        None => {}
    }
    let ty = then.ty;
    Expr { kind: ExprKind::Mux(Box::new(condition), Box::new(then), Box::new(otherwise)), ty }
}
