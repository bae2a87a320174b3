//! Statements.

use weir_syntax::Span;

use super::{ActionId, Annotations, Call, Expr, TableId, VarId};

/// A sequence of statements with its own scope. Names are resolved, so the scope affects only the
/// lifetimes of variables: each entry into the block initializes its variables again.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// The statements, in order of execution.
    pub stmts: Vec<Stmt>,
    /// The annotations such as `@atomic`.
    pub annotations: Annotations,
}

/// A statement with its location.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// The kind of statement.
    pub kind: StmtKind,
    /// The location of the whole statement.
    pub span: Span,
}

/// The forms of statements. A compound assignment (`x += e`) becomes a plain one that evaluates the
/// indices of its target once, using fresh variables where necessary.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// Declares a variable. Without `init` its value is unspecified (headers and stacks start
    /// invalid/empty).
    Declare {
        /// The variable that is declared.
        var: VarId,
        /// The initial value, of exactly the variable's type.
        init: Option<Expr>,
    },
    /// `target = value`. The target is a place, and both types are equal.
    Assign {
        /// The target, for which [`Expr::is_place`] is true.
        target: Expr,
        /// The value, of exactly the target's type.
        value: Expr,
    },
    /// A call whose result is discarded.
    Call(Call),
    /// `t.apply();`, or a statement like `t.apply().hit;`, which has no further effect.
    ApplyTable(TableId),
    /// `if`, with the whole of its `else if` chain.
    If {
        /// The conditions in source order, at least one. Evaluation ends with the first true one.
        links: Vec<IfLink>,
        /// Executed if no condition is true.
        otherwise: Option<Block>,
    },
    /// `switch (t.apply().action_run)`.
    SwitchAction {
        /// The table to apply.
        table: TableId,
        /// The cases, in source order. No action occurs twice.
        cases: Vec<ActionCase>,
        /// The statements that run if no case matches.
        default: Option<Block>,
    },
    /// `switch (expression)`.
    SwitchValue {
        /// The value to compare, evaluated once: `Bits`, enum, error or bool.
        subject: Expr,
        /// The cases, in source order. The first match is executed.
        cases: Vec<ValueCase>,
        /// The statements that run if no case matches.
        default: Option<Block>,
    },
    /// `for (init; condition; update) body`.
    For {
        /// The statements that run once before the loop.
        init: Vec<Stmt>,
        /// The condition, of type `bool`, evaluated before each iteration.
        condition: Expr,
        /// Executed after each iteration, also after `continue`.
        update: Vec<Stmt>,
        /// The body of the loop.
        body: Block,
    },
    /// `for (T x in low .. high) body`, with both bounds inclusive. If `low > high`, there are no
    /// iterations.
    ForRange {
        /// The variable that the loop declares.
        var: VarId,
        /// The lower bound, of the same type as `var`.
        low: Expr,
        /// The upper bound, of the same type as `var`.
        high: Expr,
        /// The body of the loop.
        body: Block,
    },
    /// `for (T x in collection) body` over a list or stack.
    ForEach {
        /// The variable that the loop declares.
        var: VarId,
        /// The collection, of list, stack or array type.
        collection: Expr,
        /// The body of the loop.
        body: Block,
    },
    /// Exits the innermost loop.
    Break,
    /// Continues with the next iteration of the innermost loop.
    Continue,
    /// Returns from the enclosing function, action or control.
    Return(Option<Expr>),
    /// Ends the execution of the enclosing control, including its callers within the same control
    /// tree.
    Exit,
    /// A nested block.
    Block(Block),
}

/// A condition of a [`StmtKind::If`] with its body.
#[derive(Clone, Debug)]
pub struct IfLink {
    /// The condition, of type `bool`.
    pub condition: Expr,
    /// Executed if this is the first condition that is true.
    pub then: Block,
    /// The location of the text from this `if` to the end of the chain.
    pub span: Span,
}

/// Labels with a common body in a [`StmtKind::SwitchAction`]. Fall-through is resolved.
#[derive(Clone, Debug)]
pub struct ActionCase {
    /// The actions of the table for which the case runs.
    pub actions: Vec<ActionId>,
    /// Executed if one of the actions ran.
    pub body: Block,
}

/// Labels with a common body in a [`StmtKind::SwitchValue`]. Fall-through is resolved.
#[derive(Clone, Debug)]
pub struct ValueCase {
    /// Compile-time constants of the subject's type.
    pub values: Vec<Expr>,
    /// Executed if the subject equals one of the values.
    pub body: Block,
}
