//! The possible values of an expression, as far as they follow from its form: its type, constants,
//! masks, shifts, slices and casts. The values of variables are not tracked.

use num_bigint::BigInt;
use num_traits::{One, Signed, ToPrimitive, Zero};

use crate::check::constant::{Value, evaluate, representation};
use crate::hir::{BinaryOp, Expr, ExprKind, Program};

/// The bounds of an expression's value, and the bits that can be 1.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct PossibleValues {
    /// The smallest value that the expression can have.
    pub least: BigInt,
    /// The largest value that the expression can have.
    pub most: BigInt,
    /// The bits that can be 1, if the values are not negative.
    ones: BigInt,
    /// Whether these are just the bounds of the type.
    pub whole_type: bool,
}

impl PossibleValues {
    /// Returns all values of an integer type.
    fn of_type(signed: bool, width: u32) -> Self {
        let ones: BigInt = (BigInt::one() << width) - 1;
        let (least, most) = match (signed, width) {
            (true, 1..) => (-(BigInt::one() << (width - 1)), &ones >> 1u32),
            _ => (BigInt::zero(), ones.clone()),
        };
        Self { least, most, ones, whole_type: true }
    }

    /// Returns the values from `least` to `most`, which are not negative, and in which only the
    /// bits of `ones` can be 1.
    fn from_bounds(least: BigInt, most: BigInt, ones: BigInt) -> Self {
        let most = most.min(ones.clone());
        Self { least, most, ones, whole_type: false }
    }

    fn only_number(number: BigInt) -> Self {
        Self { least: number.clone(), most: number.clone(), ones: number, whole_type: false }
    }

    /// Returns whether the expression's value can be this number.
    pub(super) fn contains(&self, number: &BigInt) -> bool {
        self.least <= *number && *number <= self.most && self.has_bits(number)
    }

    /// Returns whether all bits of a number can be 1.
    pub(super) fn has_bits(&self, number: &BigInt) -> bool {
        self.least.is_negative() || number & &self.ones == *number
    }

    /// Returns the union of these values and those of `other`.
    fn union(self, other: Self) -> Self {
        Self {
            least: self.least.min(other.least),
            most: self.most.max(other.most),
            ones: self.ones | other.ones,
            whole_type: self.whole_type || other.whole_type,
        }
    }

    /// Returns the possible values, for messages: "from 0 to 15".
    pub(super) fn bounds(&self) -> String {
        let bits: BigInt = (BigInt::one() << self.ones.bits()) - 1;
        if self.least.is_negative() || self.ones == bits {
            format!("from {} to {}", self.least, self.most)
        } else {
            format!("from {} to {}, with bits of {:#x}", self.least, self.most, self.ones)
        }
    }
}

/// Returns the possible numbers of `expr`; `None` if its type is not a number with a width.
pub(super) fn possible(program: &Program, expr: &Expr) -> Option<PossibleValues> {
    let (signed, width) = representation(program, expr.ty)?;
    let whole = PossibleValues::of_type(signed, width);
    if let Some(number) = constant(program, expr) {
        return Some(PossibleValues::only_number(number));
    }
    let narrowed = match &expr.kind {
        ExprKind::Cast { operand, .. } => possible(program, operand),
        ExprKind::Conditional { then, otherwise, .. } => {
            Some(possible(program, then)?.union(possible(program, otherwise)?))
        }
        ExprKind::Binary(op, left, right) if !signed => operation(program, *op, left, right, &whole),
        _ => None,
    };
    let fits = |found: &PossibleValues| found.least >= whole.least && found.most <= whole.most;
    let narrows = |found: &PossibleValues| found.least > whole.least || found.most < whole.most;
    let narrower =
        narrowed.filter(fits).map(|found| PossibleValues { whole_type: !narrows(&found), ..found });
    Some(narrower.unwrap_or(whole))
}

/// Returns the value of an expression, if it is a constant number.
pub(super) fn constant(program: &Program, expr: &Expr) -> Option<BigInt> {
    match evaluate(program, expr)? {
        Value::Int(number) => Some(number),
        Value::Member(decl, member) => program.enums[decl].members[member].value.clone(),
        _ => None,
    }
}

/// Returns the possible results of an operator on unsigned numbers, which have at most the bits of
/// `whole`.
fn operation(
    program: &Program,
    op: BinaryOp,
    left: &Expr,
    right: &Expr,
    whole: &PossibleValues,
) -> Option<PossibleValues> {
    let sides = || Some((possible(program, left)?, possible(program, right)?));
    let amount = || constant(program, right)?.to_u32();
    Some(match op {
        BinaryOp::And => {
            let (a, b) = sides()?;
            PossibleValues::from_bounds(BigInt::zero(), a.most.min(b.most), a.ones & b.ones)
        }
        BinaryOp::Or => {
            let (a, b) = sides()?;
            let ones = a.ones | b.ones;
            PossibleValues::from_bounds(a.least.max(b.least), ones.clone(), ones)
        }
        BinaryOp::Xor => {
            let (a, b) = sides()?;
            let ones = a.ones | b.ones;
            PossibleValues::from_bounds(BigInt::zero(), ones.clone(), ones)
        }
        BinaryOp::Shr => {
            let (a, amount) = (possible(program, left)?, amount()?);
            PossibleValues::from_bounds(a.least >> amount, a.most >> amount, a.ones >> amount)
        }
        BinaryOp::Shl => {
            let amount = amount().filter(|amount| u64::from(*amount) <= whole.ones.bits())?;
            let ones = (possible(program, left)?.ones << amount) & &whole.ones;
            PossibleValues::from_bounds(BigInt::zero(), ones.clone(), ones)
        }
        BinaryOp::Concat => {
            let (a, b) = sides()?;
            let (_, width) = representation(program, right.ty)?;
            if a.least.is_negative() || b.least.is_negative() {
                return None;
            }
            let low = (a.least << width) + b.least;
            PossibleValues::from_bounds(low, (a.most << width) + b.most, (a.ones << width) | b.ones)
        }
        BinaryOp::Mod => {
            let divisor = constant(program, right).filter(BigInt::is_positive)?;
            let most: BigInt = divisor - 1;
            let ones: BigInt = (BigInt::one() << most.bits()) - 1;
            PossibleValues::from_bounds(BigInt::zero(), most, ones)
        }
        _ => return None,
    })
}
