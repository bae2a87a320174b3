//! Statements of actions, functions, controls and parser states (specification section "Statements").

use super::{Annotation, Argument, BinaryOp, Declaration, Expr, Name, NodeId, TypeRef};
use crate::span::Span;

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub struct Stmt {
    /// The node's number.
    pub id: NodeId,
    /// From its first to its last token, the `;` included.
    pub span: Span,
    /// Which statement.
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
    /// [`Constant`](super::DeclKind::Constant) or [`Instantiation`](super::DeclKind::Instantiation).
    Declaration(Box<Declaration>),
    /// `target = value;`, `target += value;`
    Assign(Box<AssignStmt>),
    /// A call whose value is not used: the expression is always [`ExprKind::Call`](super::ExprKind::Call).
    Call(Box<Expr>),
    /// `Type.apply(…);` or `Type<A>.apply(…);`: a control or parser applied without an instance.
    ///
    /// The parser makes this of names that it saw declared as types; other `x.apply()` are [`StmtKind::Call`].
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
    /// Annotations before the brace.
    pub annotations: Vec<Annotation>,
    /// The statements.
    pub statements: Vec<Stmt>,
    /// From `{` to `}`.
    pub span: Span,
}

/// An assignment.
#[derive(Clone, Debug, PartialEq)]
pub struct AssignStmt {
    /// What is assigned to: a name, member, index or slice.
    pub target: Expr,
    /// The operator of a compound assignment: `+` of `+=`.
    pub op: Option<BinaryOp>,
    /// Where `=` or `+=` stands.
    pub op_span: Span,
    /// What is assigned.
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

/// `if (condition) then else otherwise`
#[derive(Clone, Debug, PartialEq)]
pub struct IfStmt {
    /// The condition.
    pub condition: Expr,
    /// The statement if it holds.
    pub then: Stmt,
    /// The statement if not.
    pub otherwise: Option<Stmt>,
}

/// `switch (subject) { cases }`
#[derive(Clone, Debug, PartialEq)]
pub struct SwitchStmt {
    /// What is compared, or `table.apply().action_run`.
    pub subject: Expr,
    /// The cases in order.
    pub cases: Vec<SwitchCase>,
}

/// One label of a `switch` with its block.
#[derive(Clone, Debug, PartialEq)]
pub struct SwitchCase {
    /// The label.
    pub label: SwitchLabel,
    /// The block; `None` falls through to the next case's.
    pub block: Option<Block>,
    /// Where the case stands.
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
    /// Annotations before `for`.
    pub annotations: Vec<Annotation>,
    /// Declarations, assignments and calls before the loop.
    pub init: Vec<Stmt>,
    /// The condition.
    pub condition: Expr,
    /// Assignments and calls after each turn.
    pub update: Vec<Stmt>,
    /// The body.
    pub body: Stmt,
}

/// `for (type name in collection) body`
#[derive(Clone, Debug, PartialEq)]
pub struct ForInStmt {
    /// Annotations before `for`.
    pub annotations: Vec<Annotation>,
    /// The node of the loop variable.
    pub variable_id: NodeId,
    /// Annotations of the loop variable.
    pub variable_annotations: Vec<Annotation>,
    /// The loop variable's type.
    pub ty: TypeRef,
    /// The loop variable.
    pub variable: Name,
    /// What is gone through.
    pub collection: ForCollection,
    /// The body.
    pub body: Stmt,
}

/// What a `for … in` goes through.
#[derive(Clone, Debug, PartialEq)]
pub enum ForCollection {
    /// A list or stack.
    Expr(Expr),
    /// `first .. last`, both included.
    Range(Expr, Expr),
}
