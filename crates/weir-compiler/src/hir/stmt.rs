//! Statements.

use weir_syntax::Span;

use super::{ActionId, Annotations, Call, Expr, TableId, VarId};

/// A sequence of statements with a scope of its own. Names are resolved, so the scope matters only
/// for a variable's lifetime: each entry into the block initializes its variables again.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// In order of execution.
    pub stmts: Vec<Stmt>,
    /// `@atomic` and others.
    pub annotations: Annotations,
}

/// A statement and its place.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// What it does.
    pub kind: StmtKind,
    /// The whole statement.
    pub span: Span,
}

/// The forms of statements. Compound assignments (`x += e`) have become plain ones, their target's
/// indices evaluated once (through a fresh variable where that matters).
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// Declares a variable; without `init` its value is unspecified (headers and stacks start
    /// invalid/empty).
    Declare {
        /// The variable.
        var: VarId,
        /// Of exactly the variable's type.
        init: Option<Expr>,
    },
    /// `target = value`; target is a place, types are equal.
    Assign {
        /// [`Expr::is_place`].
        target: Expr,
        /// Of exactly the target's type.
        value: Expr,
    },
    /// A call for its effects; a result is dropped.
    Call(Call),
    /// `t.apply();` (also of `t.apply().hit;`-like statements, which have no further effect).
    ApplyTable(TableId),
    /// `if`.
    If {
        /// Of type `bool`.
        condition: Expr,
        /// Taken if true.
        then: Block,
        /// Taken if false.
        otherwise: Option<Block>,
    },
    /// `switch (t.apply().action_run)`.
    SwitchAction {
        /// The table to apply.
        table: TableId,
        /// In source order; no action occurs twice.
        cases: Vec<ActionCase>,
        /// Where no case matches.
        default: Option<Block>,
    },
    /// `switch (expression)`.
    SwitchValue {
        /// Evaluated once; `Bits`, enum, error or bool.
        subject: Expr,
        /// In source order; first match wins.
        cases: Vec<ValueCase>,
        /// Where no case matches.
        default: Option<Block>,
    },
    /// `for (init; condition; update) body`.
    For {
        /// Run once, before.
        init: Vec<Stmt>,
        /// Of type `bool`, before each round.
        condition: Expr,
        /// Run after each round, `continue` included.
        update: Vec<Stmt>,
        /// One round.
        body: Block,
    },
    /// `for (T x in low .. high) body`, both ends inclusive; no round if `low > high`.
    ForRange {
        /// Declared by the loop.
        var: VarId,
        /// Same type as `var`.
        low: Expr,
        /// Same type as `var`.
        high: Expr,
        /// One round.
        body: Block,
    },
    /// `for (T x in collection) body` over a list or stack.
    ForEach {
        /// Declared by the loop.
        var: VarId,
        /// Of list, stack or array type.
        collection: Expr,
        /// One round.
        body: Block,
    },
    /// Leaves the innermost loop.
    Break,
    /// Goes to the innermost loop's next round.
    Continue,
    /// Leaves the enclosing function, action or control.
    Return(Option<Expr>),
    /// Ends all of the enclosing control's execution, callers within the same control tree
    /// included.
    Exit,
    /// A nested block.
    Block(Block),
}

/// Labels that share a body in a [`StmtKind::SwitchAction`]; fall-through is resolved.
#[derive(Clone, Debug)]
pub struct ActionCase {
    /// Actions of the table.
    pub actions: Vec<ActionId>,
    /// Taken if one of them ran.
    pub body: Block,
}

/// Labels that share a body in a [`StmtKind::SwitchValue`]; fall-through is resolved.
#[derive(Clone, Debug)]
pub struct ValueCase {
    /// Compile-time constants of the subject's type.
    pub values: Vec<Expr>,
    /// Taken if the subject equals one of them.
    pub body: Block,
}
