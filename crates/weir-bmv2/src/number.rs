//! Translates BMv2's unbounded numbers to expressions of fixed widths.
//!
//! BMv2 computes without limits and truncates values that it writes to a field. p4c puts a mask or
//! `two_comp_mod` around numbers that must not grow. So only the low bits of most operands matter.
//! [`low_bits`] returns these bits in the wanted width. If the whole number matters, as in
//! comparisons, divisions and shifts to the right, [`exact_value`] returns an expression that is
//! wide enough for every value.

use num_bigint::{BigInt, BigUint, Sign};
use weir_ir::{BinaryOp, Bits, Expr, ExprKind, MAX_WIDTH, Type, UnaryOp};

/// A number that has no width yet.
#[derive(Clone, Debug)]
pub(crate) enum Number {
    Const(BigInt),
    /// A value of type `bit` or `int`.
    Value(Expr),
    /// A Boolean, which is 1 if it is true.
    Bool(Expr),
    Neg(Box<Number>),
    Not(Box<Number>),
    Binary(BinaryOp, Box<Number>, Box<Number>),
    Mux(Expr, Box<Number>, Box<Number>),
    /// `two_comp_mod`: the low bits as a signed number.
    Wrap(Box<Number>, u32),
    /// `sat_cast`, and `usat_cast` if it is not signed.
    Clamp(Box<Number>, Type),
}

/// The reason why there is no expression for a number.
pub(crate) type NumberError = String;

/// Returns the low bits of a number, in this width.
pub(crate) fn low_bits(number: &Number, width: u32) -> Result<Expr, NumberError> {
    let ty = Type::bit(width);
    Ok(match number {
        _ if width == 0 => constant(ty, &BigInt::from(0)),
        Number::Const(value) => constant(ty, value),
        Number::Value(value) => cast(value.clone(), ty),
        Number::Bool(value) => cast(bit(value.clone()), ty),
        Number::Neg(operand) => unary(UnaryOp::Neg, low_bits(operand, width)?),
        Number::Not(operand) => unary(UnaryOp::BitNot, low_bits(operand, width)?),
        Number::Binary(op, left, right) => match op {
            BinaryOp::BitAnd => match mask(left, right) {
                Some((operand, mask)) => cast(mask_bits(operand, mask, width)?, ty),
                None => binary(*op, low_bits(left, width)?, low_bits(right, width)?),
            },
            BinaryOp::Shl => binary(*op, low_bits(left, width)?, shift_amount(right)?),
            BinaryOp::Shr => match (&**right, exact_value(left)?) {
                // The bits from `by` on, if the value is wide enough.
                (Number::Const(by), shifted) if fits_width(by, &shifted, width) => {
                    let low = u32::try_from(by).map_err(|_| too_wide())?;
                    let high = low + width - 1;
                    Expr { kind: ExprKind::Slice { operand: Box::new(shifted), high, low }, ty }
                }
                (_, shifted) => cast(binary(*op, shifted, shift_amount(right)?), ty),
            },
            BinaryOp::Div | BinaryOp::Mod => cast(exact_value(number)?, ty),
            _ => binary(*op, low_bits(left, width)?, low_bits(right, width)?),
        },
        Number::Mux(condition, then, otherwise) => {
            mux(condition.clone(), low_bits(then, width)?, low_bits(otherwise, width)?)
        }
        Number::Wrap(operand, signed) if width <= *signed => low_bits(operand, width)?,
        Number::Wrap(..) | Number::Clamp(..) => cast(exact_value(number)?, ty),
    })
}

/// Returns a whole number, in a type that can hold all its possible values.
pub(crate) fn exact_value(number: &Number) -> Result<Expr, NumberError> {
    Ok(match number {
        Number::Const(value) => {
            let bits = u32::try_from(value.bits()).map_err(|_| too_wide())?.max(1);
            let ty = if value.sign() == Sign::Minus {
                wide_type(bits + 1, true)?
            } else {
                wide_type(bits, false)?
            };
            constant(ty, value)
        }
        Number::Value(value) => value.clone(),
        Number::Bool(value) => bit(value.clone()),
        Number::Neg(operand) => {
            let operand = cast_to_signed(exact_value(operand)?)?;
            let ty = wide_type(operand.ty.width() + 1, true)?;
            unary(UnaryOp::Neg, cast(operand, ty))
        }
        Number::Not(operand) => unary(UnaryOp::BitNot, cast_to_signed(exact_value(operand)?)?),
        Number::Binary(op, left, right) => exact_binary(*op, left, right)?,
        Number::Mux(condition, then, otherwise) => {
            let (then, otherwise) = same_type(exact_value(then)?, exact_value(otherwise)?)?;
            mux(condition.clone(), then, otherwise)
        }
        Number::Wrap(operand, width) => cast(low_bits(operand, *width)?, wide_type(*width, true)?),
        Number::Clamp(operand, ty) => clamp(operand, *ty)?,
    })
}

/// Returns a whole number if it cannot be negative; otherwise its bits, at least 64 of them.
pub(crate) fn unsigned(number: &Number) -> Result<Expr, NumberError> {
    let value = exact_value(number)?;
    let width = value.ty.width();
    Ok(if value.ty.is_signed() { cast(value, Type::bit(width.max(64))) } else { value })
}

/// Returns an expression that compares two numbers.
pub(crate) fn compare(op: BinaryOp, left: &Number, right: &Number) -> Result<Expr, NumberError> {
    let (left, right) = same_type(exact_value(left)?, exact_value(right)?)?;
    Ok(Expr { kind: ExprKind::Binary(op, Box::new(left), Box::new(right)), ty: Type::Bool })
}

/// Returns whether a number is not 0.
pub(crate) fn is_not_zero(number: &Number) -> Result<Expr, NumberError> {
    match number {
        Number::Bool(value) => Ok(value.clone()),
        Number::Value(value) if value.ty == Type::bit(1) => Ok(cast(value.clone(), Type::Bool)),
        other => compare(BinaryOp::Ne, other, &Number::Const(BigInt::from(0))),
    }
}

fn exact_binary(op: BinaryOp, left: &Number, right: &Number) -> Result<Expr, NumberError> {
    if op == BinaryOp::BitAnd
        && let Some((operand, mask)) = mask(left, right)
    {
        let width = u32::try_from(mask.bits()).map_err(|_| too_wide())?.max(1);
        return mask_bits(operand, mask, wide_type(width, false)?.width());
    }
    if op == BinaryOp::Shr {
        return Ok(binary(op, exact_value(left)?, shift_amount(right)?));
    }
    if op == BinaryOp::Shl {
        let (shifted, by) = (exact_value(left)?, shift_amount(right)?);
        let most = match (&by.kind, by.ty.width()) {
            (ExprKind::Const(by), _) => by.to_u64().unwrap_or(u64::MAX),
            (_, width @ 0..=11) => (1 << width) - 1,
            _ => return Err(too_wide()),
        };
        let most = u32::try_from(most).map_err(|_| too_wide())?;
        let ty = wide_type(shifted.ty.width().saturating_add(most), shifted.ty.is_signed())?;
        return Ok(binary(op, cast(shifted, ty), by));
    }
    combine(op, exact_value(left)?, exact_value(right)?)
}

/// Combines two numbers with an operation in a type that is wide enough for the result.
fn combine(op: BinaryOp, left: Expr, right: Expr) -> Result<Expr, NumberError> {
    let (left, right) = same_type(left, right)?;
    let (width, is_signed) = (left.ty.width(), left.ty.is_signed());
    let ty = match op {
        BinaryOp::Add => wide_type(width + 1, is_signed)?,
        // One more bit holds the sign of a difference of unsigned numbers.
        BinaryOp::Sub => wide_type(width + 1, true)?,
        BinaryOp::Mul => wide_type(2 * width, is_signed)?,
        BinaryOp::Div | BinaryOp::Mod if is_signed => {
            return Err("numbers that can be negative are divided".to_owned());
        }
        _ => left.ty,
    };
    Ok(binary(op, cast(left, ty), cast(right, ty)))
}

/// Converts `sat_cast` and `usat_cast`. Saturated sums and differences of values of the type itself
/// become P4's operators for them.
fn clamp(number: &Number, ty: Type) -> Result<Expr, NumberError> {
    let value = match number {
        Number::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), left, right) => {
            let (left, right) = (exact_value(left)?, exact_value(right)?);
            let holds = |operand: &Expr| -> bool {
                operand.ty.is_signed() == ty.is_signed() && operand.ty.width() <= ty.width()
                    || !operand.ty.is_signed() && operand.ty.width() < ty.width()
            };
            if holds(&left) && holds(&right) {
                let op = if *op == BinaryOp::Add { BinaryOp::SatAdd } else { BinaryOp::SatSub };
                return Ok(binary(op, cast(left, ty), cast(right, ty)));
            }
            combine(*op, left, right)?
        }
        _ => exact_value(number)?,
    };
    // The value is needed three times here.
    if clamp_depth(number) > MAX_CLAMPS {
        return Err("casts with saturation are nested too deeply".to_owned());
    }
    let width = ty.width();
    let most = if ty.is_signed() { width - 1 } else { width };
    let largest: BigInt = (BigInt::from(1) << most) - 1;
    let least = if ty.is_signed() { -largest.clone() - 1 } else { BigInt::from(0) };
    let whole = Number::Value(value.clone());
    let above = compare(BinaryOp::Gt, &whole, &Number::Const(largest.clone()))?;
    let below = compare(BinaryOp::Lt, &whole, &Number::Const(least.clone()))?;
    let within = mux(above, constant(ty, &largest), cast(value, ty));
    Ok(mux(below, constant(ty, &least), within))
}

/// The maximum nesting of saturating casts of values other than sums and differences. It is limited
/// because the operand is copied three times.
const MAX_CLAMPS: usize = 4;

/// Returns the nesting depth of casts with saturation in a number.
fn clamp_depth(number: &Number) -> usize {
    match number {
        Number::Const(_) | Number::Value(_) | Number::Bool(_) => 0,
        Number::Neg(operand) | Number::Not(operand) | Number::Wrap(operand, _) => clamp_depth(operand),
        Number::Binary(_, left, right) | Number::Mux(_, left, right) => {
            clamp_depth(left).max(clamp_depth(right))
        }
        Number::Clamp(operand, _) => clamp_depth(operand) + 1,
    }
}

/// Splits a bitwise and into an operand and its mask, a constant that is not negative.
fn mask<'n>(left: &'n Number, right: &'n Number) -> Option<(&'n Number, &'n BigUint)> {
    let constant = |number: &'n Number| match number {
        Number::Const(value) if value.sign() != Sign::Minus => Some(value.magnitude()),
        _ => None,
    };
    constant(right).map(|mask| (left, mask)).or_else(|| constant(left).map(|mask| (right, mask)))
}

/// Returns the bits of a number that a mask selects, in at most this width.
fn mask_bits(number: &Number, mask: &BigUint, width: u32) -> Result<Expr, NumberError> {
    let bits = u32::try_from(mask.bits()).unwrap_or(u32::MAX).clamp(1, width);
    let value = low_bits(number, bits)?;
    let mask = Bits::wrap(bits, mask.clone());
    if mask == Bits::ones(bits) {
        return Ok(value);
    }
    let mask = Expr { kind: ExprKind::Const(mask), ty: Type::bit(bits) };
    Ok(binary(BinaryOp::BitAnd, value, mask))
}

/// Returns whether an unsigned value has at least `width` bits from the bit `from` on.
fn fits_width(from: &BigInt, value: &Expr, width: u32) -> bool {
    let is_value = !matches!(value.kind, ExprKind::Const(_));
    is_value
        && width > 0
        && !value.ty.is_signed()
        && u32::try_from(from)
            .is_ok_and(|from| u64::from(from) + u64::from(width) <= u64::from(value.ty.width()))
}

/// Returns the amount of a shift as an expression without a sign.
fn shift_amount(number: &Number) -> Result<Expr, NumberError> {
    unsigned(number)
}

/// Converts two values to one type that holds both.
fn same_type(left: Expr, right: Expr) -> Result<(Expr, Expr), NumberError> {
    let is_signed = left.ty.is_signed() || right.ty.is_signed();
    let needed = |ty: Type| ty.width() + u32::from(is_signed && !ty.is_signed());
    let ty = wide_type(needed(left.ty).max(needed(right.ty)), is_signed)?;
    Ok((cast(left, ty), cast(right, ty)))
}

/// Converts a value to a type with a sign.
fn cast_to_signed(value: Expr) -> Result<Expr, NumberError> {
    if value.ty.is_signed() {
        return Ok(value);
    }
    let ty = wide_type(value.ty.width() + 1, true)?;
    Ok(cast(value, ty))
}

fn wide_type(width: u32, signed: bool) -> Result<Type, NumberError> {
    if width > MAX_WIDTH { Err(too_wide()) } else { Ok(Type::Bits { width, signed }) }
}

fn too_wide() -> NumberError {
    format!("this needs numbers of more than {MAX_WIDTH} bits")
}

/// Converts a value to `bit<1>`.
fn bit(value: Expr) -> Expr {
    cast(value, Type::bit(1))
}

/// Makes a constant of a type, truncated to its width.
pub(crate) fn constant(ty: Type, value: &BigInt) -> Expr {
    Expr { kind: ExprKind::Const(Bits::wrap_signed(ty.width(), value)), ty }
}

/// Converts a value to another type.
pub(crate) fn cast(value: Expr, ty: Type) -> Expr {
    if value.ty == ty {
        return value;
    }
    match &value.kind {
        ExprKind::Const(bits) => {
            let (width, is_signed) = (ty.width(), value.ty.is_signed());
            let bits = if is_signed { bits.resize_signed(width) } else { bits.resize(width) };
            Expr { kind: ExprKind::Const(bits), ty }
        }
        _ => Expr { kind: ExprKind::Cast(Box::new(value)), ty },
    }
}

/// Makes an operation on one operand, of the operand's type.
fn unary(op: UnaryOp, operand: Expr) -> Expr {
    Expr { ty: operand.ty, kind: ExprKind::Unary(op, Box::new(operand)) }
}

/// Makes an operation on two operands, of the left operand's type.
fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    Expr { ty: left.ty, kind: ExprKind::Binary(op, Box::new(left), Box::new(right)) }
}

/// Makes an expression that chooses between two values of one type.
pub(crate) fn mux(condition: Expr, then: Expr, otherwise: Expr) -> Expr {
    let ty = then.ty;
    Expr { kind: ExprKind::Mux(Box::new(condition), Box::new(then), Box::new(otherwise)), ty }
}
