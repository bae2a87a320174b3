//! Parser states, transitions and keysets (specification section "Packet parsing").

use super::{Annotation, Expr, Name, NodeId, Stmt};
use crate::span::Span;

/// `state name { statements transition }`
#[derive(Clone, Debug, PartialEq)]
pub struct ParserState {
    /// The node's id.
    pub id: NodeId,
    /// The text, from `state` to `}`.
    pub span: Span,
    /// The annotations before `state`.
    pub annotations: Vec<Annotation>,
    /// The name.
    pub name: Name,
    /// The statements before the transition.
    pub statements: Vec<Stmt>,
    /// The transition; `None` is an implicit `transition reject`.
    pub transition: Option<Transition>,
}

/// `transition …;`
#[derive(Clone, Debug, PartialEq)]
pub struct Transition {
    /// The text, from `transition` to its end.
    pub span: Span,
    /// The target.
    pub kind: TransitionKind,
}

/// The forms of transitions.
#[derive(Clone, Debug, PartialEq)]
pub enum TransitionKind {
    /// `transition name;`
    Direct(Name),
    /// `transition select(keys) { cases }`
    Select(SelectExpr),
}

/// `select (keys) { cases }`
#[derive(Clone, Debug, PartialEq)]
pub struct SelectExpr {
    /// The node's id.
    pub id: NodeId,
    /// The text, from `select` to `}`.
    pub span: Span,
    /// The expressions that are matched.
    pub keys: Vec<Expr>,
    /// The cases, tried in order.
    pub cases: Vec<SelectCase>,
}

/// `keyset : state;`
#[derive(Clone, Debug, PartialEq)]
pub struct SelectCase {
    /// The text, from the keyset to `;`.
    pub span: Span,
    /// The values that it matches.
    pub keyset: Keyset,
    /// The state to go to.
    pub state: Name,
}

/// A set of values, or a tuple of such sets.
#[derive(Clone, Debug, PartialEq)]
pub struct Keyset {
    /// The node's id.
    pub id: NodeId,
    /// The location.
    pub span: Span,
    /// The kind of keyset.
    pub kind: KeysetKind,
}

/// The forms of keysets. `(x)` in parentheses is `x`.
#[derive(Clone, Debug, PartialEq)]
pub enum KeysetKind {
    /// `default`: everything.
    Default,
    /// `_`: everything.
    DontCare,
    /// One value, or the name of a value set.
    Value(Expr),
    /// `value &&& mask`
    Mask(Expr, Expr),
    /// `first .. last`, both inclusive.
    Range(Expr, Expr),
    /// `(a, b)`: one set for each key; at least two.
    Tuple(Vec<Keyset>),
}
