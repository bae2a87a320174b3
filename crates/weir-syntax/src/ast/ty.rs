//! References to types (specification section "P4 data types").

use super::{Expr, Name, NodeId};
use crate::span::Span;

/// A type as written where it is used.
#[derive(Clone, Debug, PartialEq)]
pub struct TypeRef {
    /// The node's id.
    pub id: NodeId,
    /// The location.
    pub span: Span,
    /// The kind of type.
    pub kind: TypeRefKind,
}

/// The forms of types.
#[derive(Clone, Debug, PartialEq)]
pub enum TypeRefKind {
    /// `bool`
    Bool,
    /// `error`
    Error,
    /// `match_kind`
    MatchKind,
    /// `string`
    String,
    /// `void`, as a return type or type argument only.
    Void,
    /// `int`, of unlimited precision.
    Int,
    /// `bit<W>`. The width is a literal or a parenthesised expression; `None` for `bit` alone,
    /// which is `bit<1>`.
    Bit(Option<Box<Expr>>),
    /// `int<W>`: two's complement of W bits.
    SignedInt(Box<Expr>),
    /// `varbit<W>`: at most W bits.
    Varbit(Box<Expr>),
    /// A named type, type variable or specialised generic: `T`, `.T`, `T<A, B>`.
    Named(NamedType),
    /// A header stack or array: `T[N]`.
    Stack(Box<TypeRef>, Box<Expr>),
    /// `tuple<A, B>`
    Tuple(Vec<TypeRef>),
    /// `list<T>`
    List(Box<TypeRef>),
    /// `_` as a type argument: to be inferred.
    DontCare,
}

/// A type referred to by its name.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedType {
    /// Whether the name is written `.T`, which is looked up in the top-level scope.
    pub global: bool,
    /// The name.
    pub name: Name,
    /// The type arguments; empty for none.
    pub args: Vec<TypeRef>,
}
