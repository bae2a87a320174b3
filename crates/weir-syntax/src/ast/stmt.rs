//! Statements of actions, functions, controls and parser states (specification section
//! "Statements").

use super::{Annotation, Argument, BinaryOp, Declaration, Expr, Name, NodeId, TypeRef};
use crate::span::Span;

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub struct Stmt {
    /// The node's id.
    pub id: NodeId,
    /// The text, from its first to its last token, including the `;`.
    pub span: Span,
    /// The kind of statement.
    pub kind: StmtKind,
}

/// The forms of statements.
#[derive(Clone, Debug, PartialEq)]
pub enum StmtKind {
    /// `;`
    Empty,
    /// `{ … }`
    Block(Block),
    /// A variable, constant or instance. Always [`DeclKind::Variable`](super::DeclKind::Variable),
    /// [`Constant`](super::DeclKind::Constant) or
    /// [`Instantiation`](super::DeclKind::Instantiation).
    Declaration(Box<Declaration>),
    /// `target = value;`, `target += value;`
    Assign(Box<AssignStmt>),
    /// A call whose value is not used: the expression is always
    /// [`ExprKind::Call`](super::ExprKind::Call).
    Call(Box<Expr>),
    /// `Type.apply(…);` or `Type<A>.apply(…);`: a control or parser applied without an instance.
    ///
    /// The parser uses this for names that were declared as types; any other `x.apply()` is a
    /// [`StmtKind::Call`].
    DirectApplication(Box<DirectApplication>),
    /// `if (…) … else …`
    If(Box<IfStmt>),
    /// `switch (…) { … }`
    Switch(Box<SwitchStmt>),
    /// `for (init; condition; update) …`
    For(Box<ForStmt>),
    /// `for (type name in collection) …`
    ForIn(Box<ForInStmt>),
    /// `return;`, `return value;`
    Return(Option<Box<Expr>>),
    /// `exit;`
    Exit,
    /// `break;`
    Break,
    /// `continue;`
    Continue,
}

/// `{ … }`, a scope.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// The annotations before the brace.
    pub annotations: Vec<Annotation>,
    /// The statements.
    pub statements: Vec<Stmt>,
    /// The text, from `{` to `}`.
    pub span: Span,
}

/// An assignment.
#[derive(Clone, Debug, PartialEq)]
pub struct AssignStmt {
    /// The assignment target: a name, member, index or slice.
    pub target: Expr,
    /// The operator of a compound assignment: `+` of `+=`.
    pub op: Option<BinaryOp>,
    /// The location of `=` or `+=`.
    pub op_span: Span,
    /// The assigned value.
    pub value: Expr,
}

/// `Type.apply(…);`
#[derive(Clone, Debug, PartialEq)]
pub struct DirectApplication {
    /// The control's or parser's type.
    pub ty: TypeRef,
    /// The arguments.
    pub args: Vec<Argument>,
}

/// `if (condition) then else if (condition) then … else otherwise`: a chain of any length is one
/// statement, so that only nested statements need recursion.
#[derive(Clone, Debug, PartialEq)]
pub struct IfStmt {
    /// The conditions in order, at least one.
    pub links: Vec<IfLink>,
    /// The statement that is executed if none of the conditions is true; never an `if`.
    pub otherwise: Option<Stmt>,
}

/// `if (condition) then` of a chain.
#[derive(Clone, Debug, PartialEq)]
pub struct IfLink {
    /// The text, from its `if` to the end of the chain.
    pub span: Span,
    /// The condition.
    pub condition: Expr,
    /// The statement that is executed if this condition is the first one that is true.
    pub then: Stmt,
}

/// `switch (subject) { cases }`
#[derive(Clone, Debug, PartialEq)]
pub struct SwitchStmt {
    /// The expression to compare, or `table.apply().action_run`.
    pub subject: Expr,
    /// The cases in order.
    pub cases: Vec<SwitchCase>,
}

/// One label of a `switch` with its block.
#[derive(Clone, Debug, PartialEq)]
pub struct SwitchCase {
    /// The label.
    pub label: SwitchLabel,
    /// The block; `None` falls through to the block of the next case.
    pub block: Option<Block>,
    /// The location of the case.
    pub span: Span,
}

/// A label of a `switch`.
#[derive(Clone, Debug, PartialEq)]
pub enum SwitchLabel {
    /// `default`
    Default,
    /// A value, or an action's name.
    Expr(Expr),
}

/// `for (init; condition; update) body`
#[derive(Clone, Debug, PartialEq)]
pub struct ForStmt {
    /// The annotations before `for`.
    pub annotations: Vec<Annotation>,
    /// The declarations, assignments and calls before the loop.
    pub init: Vec<Stmt>,
    /// The condition.
    pub condition: Expr,
    /// The assignments and calls after each iteration.
    pub update: Vec<Stmt>,
    /// The body.
    pub body: Stmt,
}

/// `for (type name in collection) body`
#[derive(Clone, Debug, PartialEq)]
pub struct ForInStmt {
    /// The annotations before `for`.
    pub annotations: Vec<Annotation>,
    /// The node of the loop variable.
    pub variable_id: NodeId,
    /// The annotations of the loop variable.
    pub variable_annotations: Vec<Annotation>,
    /// The loop variable's type.
    pub ty: TypeRef,
    /// The loop variable.
    pub variable: Name,
    /// The values to iterate over.
    pub collection: ForCollection,
    /// The body.
    pub body: Stmt,
}

/// The values that a `for … in` iterates over.
#[derive(Clone, Debug, PartialEq)]
pub enum ForCollection {
    /// A list or stack.
    Expr(Expr),
    /// `first .. last`, both inclusive.
    Range(Expr, Expr),
}
