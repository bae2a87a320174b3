//! Expressions: typed, without side effects, and always with a value.

use super::VarId;
use crate::bits::Bits;
use crate::types::Type;

/// An expression with its type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Expr {
    /// The operation that computes the value.
    pub kind: ExprKind,
    /// The type of the expression's value.
    pub ty: Type,
}

/// The operation of an [`Expr`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ExprKind {
    /// A constant of the expression's type (`Bool`: 0 or 1; `Error`, `Enum`: the ordinal).
    Const(Bits),
    /// A variable's value.
    Var(VarId),
    /// The value of the `index`-th of several variables of one type, or 0 past the last. It reads
    /// fields of a stack's elements.
    Indexed {
        /// The variables to choose from.
        vars: Vec<VarId>,
        /// The index, a `bit<32>`.
        index: Box<Expr>,
    },
    /// An operator with one operand.
    Unary(UnaryOp, Box<Expr>),
    /// An operator with two operands.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// The bits from `high` down to `low` of a `Bits` operand, as an unsigned number.
    Slice {
        /// The operand.
        operand: Box<Expr>,
        /// The position of the slice's most significant bit.
        high: u32,
        /// The position of the slice's least significant bit.
        low: u32,
    },
    /// Conversion to the expression's type: truncation, zero extension of unsigned and sign
    /// extension of signed operands, reinterpretation of sign; `Bool` to and from `bit<1>`.
    Cast(Box<Expr>),
    /// The second operand if the first is true, otherwise the third. Both operands always have a
    /// value, so an executor may compute both.
    Mux(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `packet_in.length()`: the bytes of the packet that is parsed, as a `bit<32>`. Only parsers
    /// have it.
    PacketLength,
}

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// `!` on a `Bool`.
    Not,
    /// `~` on `Bits`.
    BitNot,
    /// `-`, modulo 2^width.
    Neg,
}

/// Operators with two operands. Both operands and the result have the same type, except where a
/// variant's documentation differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    /// `+`, modulo 2^width.
    Add,
    /// `-`, modulo 2^width.
    Sub,
    /// `*`, modulo 2^width.
    Mul,
    /// `/`, unsigned; 0 for a zero divisor (the compiler refuses constant zero divisors).
    Div,
    /// `%`, unsigned; 0 for a zero divisor.
    Mod,
    /// The saturating addition `|+|`.
    SatAdd,
    /// The saturating subtraction `|-|`.
    SatSub,
    /// The bitwise and `&`.
    BitAnd,
    /// The bitwise or `|`.
    BitOr,
    /// The bitwise exclusive or `^`.
    BitXor,
    /// `<<`; the right operand is unsigned of any width; too large shifts give 0.
    Shl,
    /// `>>`; arithmetic for signed left operands; too large shifts give 0 or all sign bits.
    Shr,
    /// `==`, on any type, gives `Bool`; varbits are equal if their lengths and bits are equal.
    Eq,
    /// `!=`; the result is a `Bool`.
    Ne,
    /// `<`, signed on signed operands; the result is a `Bool`.
    Lt,
    /// `<=`; the result is a `Bool`.
    Le,
    /// `>`; the result is a `Bool`.
    Gt,
    /// `>=`; the result is a `Bool`.
    Ge,
    /// `&&`, on `Bool`.
    And,
    /// `||`, on `Bool`.
    Or,
    /// `++`: the width is the sum of the widths, and the left operand has the upper bits.
    Concat,
}
