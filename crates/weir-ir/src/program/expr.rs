//! Expressions: typed, without side effects, and always with a value.

use super::VarId;
use crate::bits::Bits;
use crate::types::Type;

/// A typed expression.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Expr {
    /// What it computes.
    pub kind: ExprKind,
    /// The type of its value.
    pub ty: Type,
}

/// What an [`Expr`] computes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ExprKind {
    /// A constant of the expression's type (`Bool`: 0 or 1; `Error`, `Enum`: the ordinal).
    Const(Bits),
    /// A variable's value.
    Var(VarId),
    /// The `index`-th of several variables of one type; 0 if there are fewer. Fields of a stack's
    /// elements.
    Indexed {
        /// The variables to choose from.
        vars: Vec<VarId>,
        /// `bit<32>`.
        index: Box<Expr>,
    },
    /// One operand.
    Unary(UnaryOp, Box<Expr>),
    /// Two operands.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// Bits `high` down to `low` of a `Bits` operand; unsigned.
    Slice {
        /// The operand.
        operand: Box<Expr>,
        /// Most significant bit taken.
        high: u32,
        /// Least significant bit taken.
        low: u32,
    },
    /// Conversion to the expression's type: truncation, zero extension of unsigned and sign
    /// extension of signed operands, reinterpretation of sign; `Bool` to and from `bit<1>`.
    Cast(Box<Expr>),
    /// The second operand if the first is true, otherwise the third. Both always have a value, so
    /// an executor may compute both.
    Mux(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `packet_in.length()`: bytes of the packet being parsed, `bit<32>`. Only in parsers.
    PacketLength,
}

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// `!`, on `Bool`.
    Not,
    /// `~`, on `Bits`.
    BitNot,
    /// `-`, modulo 2^width.
    Neg,
}

/// Operators with two operands. Both operands and the result have one type unless said otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    /// `+`, modulo 2^width.
    Add,
    /// `-`, modulo 2^width.
    Sub,
    /// `*`, modulo 2^width.
    Mul,
    /// `/`, unsigned; 0 for a zero divisor (the compiler refuses constant ones).
    Div,
    /// `%`, unsigned; 0 for a zero divisor.
    Mod,
    /// `|+|`, saturating.
    SatAdd,
    /// `|-|`, saturating.
    SatSub,
    /// `&`.
    BitAnd,
    /// `|`.
    BitOr,
    /// `^`.
    BitXor,
    /// `<<`; the right operand is unsigned of any width; too large shifts give 0.
    Shl,
    /// `>>`; arithmetic for signed left operands; too large shifts give 0 or all sign bits.
    Shr,
    /// `==`, on any type, gives `Bool`; varbits are equal if length and bits are.
    Eq,
    /// `!=`, gives `Bool`.
    Ne,
    /// `<`, signed on signed operands, gives `Bool`.
    Lt,
    /// `<=`, gives `Bool`.
    Le,
    /// `>`, gives `Bool`.
    Gt,
    /// `>=`, gives `Bool`.
    Ge,
    /// `&&`, on `Bool`.
    And,
    /// `||`, on `Bool`.
    Or,
    /// `++`: widths add up, the left operand is the more significant.
    Concat,
}
