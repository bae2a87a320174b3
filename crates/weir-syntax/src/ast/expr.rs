//! Expressions (specification section "Expressions").

use super::{IntegerLiteral, Name, NodeId, TypeRef};
use crate::span::Span;
use std::sync::Arc;

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// The node's id.
    pub id: NodeId,
    /// The text, from its first to its last token, including parentheses around it.
    pub span: Span,
    /// The kind of expression.
    pub kind: ExprKind,
}

/// The forms of expressions.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// `true`, `false`
    Bool(bool),
    /// `10`, `8w0xFF`
    Integer(IntegerLiteral),
    /// `"text"`: the text between the quotes, with escapes unprocessed.
    String(Arc<str>),
    /// A name or `.name`: a variable, constant, action, or (before a `.` or as a constructor) a
    /// type.
    Name(PathName),
    /// `this`
    This,
    /// `...`: the default value.
    Default,
    /// `{#}`: an invalid header or header union.
    InvalidHeader,
    /// `error.Name`
    ErrorMember(Name),
    /// A type used as an expression: the callee of a constructor call with type arguments,
    /// `T<A>(…)`.
    Type(Box<TypeRef>),
    /// `base.name`
    Member(Box<MemberExpr>),
    /// `base[index]`
    Index(Box<IndexExpr>),
    /// `base[high:low]`
    Slice(Box<SliceExpr>),
    /// `base[low+:width]`
    PlusSlice(Box<PlusSliceExpr>),
    /// `callee<types>(arguments)`: a function, method, action, table application or constructor.
    Call(Box<CallExpr>),
    /// `{a, b}`
    List(Vec<Expr>),
    /// `{x = a, y = b}`
    Struct(StructExpr),
    /// `(type) operand`
    Cast(Box<CastExpr>),
    /// A unary operator: `-operand`.
    Unary(Box<UnaryExpr>),
    /// Binary operators of one precedence: `a + b - c`.
    Chain(Box<ChainExpr>),
    /// `condition ? then : otherwise`
    Ternary(Box<TernaryExpr>),
    /// Text with a syntax error, which was reported.
    Malformed,
}

/// A name or `.name`.
#[derive(Clone, Debug, PartialEq)]
pub struct PathName {
    /// Whether the name is written `.name`, which is looked up in the top-level scope.
    pub global: bool,
    /// The name.
    pub name: Name,
}

/// `base.member`
#[derive(Clone, Debug, PartialEq)]
pub struct MemberExpr {
    /// A value, a type name or an extern instance.
    pub base: Expr,
    /// The field, method, enum member …
    pub member: Name,
}

/// `base[index]`
#[derive(Clone, Debug, PartialEq)]
pub struct IndexExpr {
    /// The stack, list or tuple.
    pub base: Expr,
    /// The index.
    pub index: Expr,
}

/// `base[high:low]`
#[derive(Clone, Debug, PartialEq)]
pub struct SliceExpr {
    /// The sliced value.
    pub base: Expr,
    /// The most significant bit, inclusive.
    pub high: Expr,
    /// The least significant bit, inclusive.
    pub low: Expr,
}

/// `base[low+:width]`
#[derive(Clone, Debug, PartialEq)]
pub struct PlusSliceExpr {
    /// The sliced value.
    pub base: Expr,
    /// The least significant bit.
    pub low: Expr,
    /// The number of bits.
    pub width: Expr,
}

/// A call.
#[derive(Clone, Debug, PartialEq)]
pub struct CallExpr {
    /// A name, a member, or a [`ExprKind::Type`].
    pub callee: Expr,
    /// Explicit type arguments of a function or method; empty for none.
    pub type_args: Vec<TypeRef>,
    /// The arguments.
    pub args: Vec<Argument>,
}

/// An argument of a call, constructor or action reference.
#[derive(Clone, Debug, PartialEq)]
pub struct Argument {
    /// The parameter's name, if written.
    pub name: Option<Name>,
    /// `None` for `_`: an `out` argument that is discarded, or a constructor argument to be
    /// inferred.
    pub value: Option<Expr>,
    /// The location of the argument.
    pub span: Span,
}

/// `{x = a, y = b}`
#[derive(Clone, Debug, PartialEq)]
pub struct StructExpr {
    /// The fields as written.
    pub fields: Vec<KeyValue>,
    /// The location of a final `...`: all other fields have their default values.
    pub rest: Option<Span>,
}

/// `name = value`
#[derive(Clone, Debug, PartialEq)]
pub struct KeyValue {
    /// The name.
    pub name: Name,
    /// The value.
    pub value: Expr,
    /// The location of the pair.
    pub span: Span,
}

/// `(type) operand`
#[derive(Clone, Debug, PartialEq)]
pub struct CastExpr {
    /// The type to which the operand is cast.
    pub ty: TypeRef,
    /// The expression that is cast.
    pub operand: Expr,
}

/// A unary operator with its operand.
#[derive(Clone, Debug, PartialEq)]
pub struct UnaryExpr {
    /// The operator.
    pub op: UnaryOp,
    /// The operand.
    pub operand: Expr,
}

/// Binary operators of one precedence, applied from left to right. Each comparison with `<`, `<=`,
/// `>` or `>=` forms a separate chain.
#[derive(Clone, Debug, PartialEq)]
pub struct ChainExpr {
    /// The left operand of the first operator.
    pub first: Expr,
    /// The operators with their right operands, at least one.
    pub links: Vec<ChainLink>,
}

/// An operator of a chain with its right operand.
#[derive(Clone, Debug, PartialEq)]
pub struct ChainLink {
    /// The operator.
    pub op: BinaryOp,
    /// The location of the operator.
    pub op_span: Span,
    /// The right operand.
    pub operand: Expr,
    /// The text, from the start of the chain to the end of the operand.
    pub span: Span,
}

impl ChainExpr {
    /// The maximum number of operands that later stages group from left to right. The later stages
    /// divide a longer chain into two halves, so that the height of a tree grows only with the
    /// logarithm of the number of operands.
    pub const GROUP: usize = 16;

    /// Returns the operators, split into runs. Within a run, operands may be grouped in any way.
    pub fn runs(&self) -> impl Iterator<Item = &[ChainLink]> {
        self.links.chunk_by(|link, next| link.op.regroups_with(next.op))
    }
}

/// `condition ? then : otherwise`
#[derive(Clone, Debug, PartialEq)]
pub struct TernaryExpr {
    /// The condition.
    pub condition: Expr,
    /// The value if the condition is true.
    pub then: Expr,
    /// The value if the condition is false.
    pub otherwise: Expr,
}

/// Unary operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// `!`
    Not,
    /// `~`
    Complement,
    /// `-`
    Negate,
    /// `+`
    Plus,
}

impl UnaryOp {
    /// Returns the operator's spelling.
    pub fn symbol(self) -> &'static str {
        match self {
            UnaryOp::Not => "!",
            UnaryOp::Complement => "~",
            UnaryOp::Negate => "-",
            UnaryOp::Plus => "+",
        }
    }
}

/// Binary operators, except for `&&&` and `..`, which are part of [keysets](super::Keyset).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    /// `*`
    Mul,
    /// `/`
    Div,
    /// `%`
    Mod,
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `|+|`, saturating
    AddSat,
    /// `|-|`, saturating
    SubSat,
    /// `<<`
    Shl,
    /// `>>`
    Shr,
    /// `&`
    BitAnd,
    /// `^`
    BitXor,
    /// `|`
    BitOr,
    /// `++`, concatenation
    Concat,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `&&`
    And,
    /// `||`
    Or,
}

impl BinaryOp {
    /// Returns the operator's spelling.
    pub fn symbol(self) -> &'static str {
        match self {
            BinaryOp::Mul => "*",
            BinaryOp::Div => "/",
            BinaryOp::Mod => "%",
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::AddSat => "|+|",
            BinaryOp::SubSat => "|-|",
            BinaryOp::Shl => "<<",
            BinaryOp::Shr => ">>",
            BinaryOp::BitAnd => "&",
            BinaryOp::BitXor => "^",
            BinaryOp::BitOr => "|",
            BinaryOp::Concat => "++",
            BinaryOp::Lt => "<",
            BinaryOp::Le => "<=",
            BinaryOp::Gt => ">",
            BinaryOp::Ge => ">=",
            BinaryOp::Eq => "==",
            BinaryOp::Ne => "!=",
            BinaryOp::And => "&&",
            BinaryOp::Or => "||",
        }
    }

    /// Returns whether operands of this operator and of `next` may be grouped in any way: `(a + b)
    /// - c` is `a + (b - c)`.
    pub fn regroups_with(self, next: BinaryOp) -> bool {
        use BinaryOp::{Add, And, BitAnd, BitOr, BitXor, Concat, Mul, Or, Sub};
        match self {
            Add | Sub => matches!(next, Add | Sub),
            Mul | BitAnd | BitXor | BitOr | Concat | And | Or => self == next,
            _ => false,
        }
    }

    /// Returns whether the operator is `<`, `<=`, `>` or `>=`.
    pub fn is_ordering(self) -> bool {
        matches!(self, BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge)
    }

    /// Returns the operator's precedence, from 1 (`||`) to 10 (`*`); all operators are
    /// left-associative.
    ///
    /// Unlike in C, `&`, `^` and `|` bind more tightly than comparisons (the grammar's precedence
    /// table).
    pub fn precedence(self) -> u8 {
        match self {
            BinaryOp::Or => 1,
            BinaryOp::And => 2,
            BinaryOp::Eq | BinaryOp::Ne => 3,
            BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => 4,
            BinaryOp::BitOr => 5,
            BinaryOp::BitXor => 6,
            BinaryOp::BitAnd => 7,
            BinaryOp::Shl | BinaryOp::Shr => 8,
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::AddSat | BinaryOp::SubSat | BinaryOp::Concat => 9,
            BinaryOp::Mul | BinaryOp::Div | BinaryOp::Mod => 10,
        }
    }
}
