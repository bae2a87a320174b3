//! Expressions (specification section "Expressions").

use super::{IntegerLiteral, Name, NodeId, TypeRef};
use crate::span::Span;
use std::sync::Arc;

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// The node's number.
    pub id: NodeId,
    /// From its first to its last token, parentheses around it included.
    pub span: Span,
    /// Which expression.
    pub kind: ExprKind,
}

/// The forms of expressions.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// `true`, `false`
    Bool(bool),
    /// `10`, `8w0xFF`
    Integer(IntegerLiteral),
    /// `"text"`: what stands between the quotes, escapes untouched.
    String(Arc<str>),
    /// A name or `.name`: a variable, constant, action, or (before a `.` or as a constructor) a type.
    Name(PathName),
    /// `this`
    This,
    /// `...`: the default of what stands here.
    Default,
    /// `{#}`: an invalid header or header union.
    InvalidHeader,
    /// `error.Name`
    ErrorMember(Name),
    /// A type in a place where an expression goes: the callee of a constructor call with type arguments, `T<A>(…)`.
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
    /// `-operand` and the like.
    Unary(Box<UnaryExpr>),
    /// `left + right` and the like.
    Binary(Box<BinaryExpr>),
    /// `condition ? then : otherwise`
    Ternary(Box<TernaryExpr>),
    /// Text that could not be understood; a diagnostic was given.
    Malformed,
}

/// A name or `.name`.
#[derive(Clone, Debug, PartialEq)]
pub struct PathName {
    /// True for `.name`, looked up in the top-level scope.
    pub global: bool,
    /// The name.
    pub name: Name,
}

/// `base.member`
#[derive(Clone, Debug, PartialEq)]
pub struct MemberExpr {
    /// What is looked into: a value, a type name, an extern instance.
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
    /// The bits sliced.
    pub base: Expr,
    /// The most significant bit, included.
    pub high: Expr,
    /// The least significant bit, included.
    pub low: Expr,
}

/// `base[low+:width]`
#[derive(Clone, Debug, PartialEq)]
pub struct PlusSliceExpr {
    /// The bits sliced.
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
    /// The parameter's name, if it is given.
    pub name: Option<Name>,
    /// `None` for `_`: an out-argument that is not wanted, or a constructor argument to be inferred.
    pub value: Option<Expr>,
    /// Where the argument stands.
    pub span: Span,
}

/// `{x = a, y = b}`
#[derive(Clone, Debug, PartialEq)]
pub struct StructExpr {
    /// The fields as given.
    pub fields: Vec<KeyValue>,
    /// The place of a final `...`: all other fields take their defaults.
    pub rest: Option<Span>,
}

/// `name = value`
#[derive(Clone, Debug, PartialEq)]
pub struct KeyValue {
    /// The name.
    pub name: Name,
    /// The value.
    pub value: Expr,
    /// Where the pair stands.
    pub span: Span,
}

/// `(type) operand`
#[derive(Clone, Debug, PartialEq)]
pub struct CastExpr {
    /// The type cast to.
    pub ty: TypeRef,
    /// What is cast.
    pub operand: Expr,
}

/// An operator before its operand.
#[derive(Clone, Debug, PartialEq)]
pub struct UnaryExpr {
    /// The operator.
    pub op: UnaryOp,
    /// The operand.
    pub operand: Expr,
}

/// An operator between its operands.
#[derive(Clone, Debug, PartialEq)]
pub struct BinaryExpr {
    /// The operator.
    pub op: BinaryOp,
    /// Where the operator stands.
    pub op_span: Span,
    /// The left operand.
    pub left: Expr,
    /// The right operand.
    pub right: Expr,
}

/// `condition ? then : otherwise`
#[derive(Clone, Debug, PartialEq)]
pub struct TernaryExpr {
    /// The condition.
    pub condition: Expr,
    /// The value if it holds.
    pub then: Expr,
    /// The value if not.
    pub otherwise: Expr,
}

/// Operators before an operand.
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
    /// The operator as written.
    pub fn symbol(self) -> &'static str {
        match self {
            UnaryOp::Not => "!",
            UnaryOp::Complement => "~",
            UnaryOp::Negate => "-",
            UnaryOp::Plus => "+",
        }
    }
}

/// Operators between operands. `&&&` and `..` are not among them: they belong to [keysets](super::Keyset).
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
    /// The operator as written.
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

    /// How tightly the operator binds, 1 (`||`) to 10 (`*`); all of them associate to the left.
    ///
    /// Unlike in C, `&`, `^` and `|` bind tighter than comparisons (the grammar's precedence table).
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
