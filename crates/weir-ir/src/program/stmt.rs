//! Statements: structured control flow over flat storage.

use super::{ActionId, Direction, Expr, ExternId, HeaderId, ProcedureId, StackId, TableId, VarId};
use crate::bits::Bits;
use crate::loc::Loc;
use crate::types::declared::DataType;

/// Statements that run in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Block(pub Vec<Stmt>);

/// One statement with its place in the user's source.
#[derive(Clone, Debug, PartialEq)]
pub struct Stmt {
    /// The operation of the statement.
    pub kind: StmtKind,
    /// The place in the source.
    pub loc: Loc,
}

/// The operation of a [`Stmt`].
#[derive(Clone, Debug, PartialEq)]
pub enum StmtKind {
    /// Evaluates the expression, then writes the place. Both have the same type.
    Assign(Place, Expr),
    /// Makes a header valid. If it was invalid, its fields become 0.
    SetValid(HeaderRef),
    /// Makes a header invalid; its fields keep their values.
    SetInvalid(HeaderRef),
    /// Makes all other members of a header's union invalid, as `SetInvalid` does.
    InvalidateOthers(HeaderId),
    /// Copies validity and all fields. Both have the same header type.
    Copy {
        /// The header that is written.
        to: HeaderRef,
        /// The header that is read.
        from: HeaderRef,
    },
    /// Sets a stack's counter to a `bit<32>`. Assignments of whole stacks need this.
    SetNextIndex(StackId, Expr),
    /// Runs `stack.push_front(count)`: elements move up, the first `count` elements become invalid,
    /// and `nextIndex` grows by `count`, at most to the size.
    PushFront(StackId, u32),
    /// Runs `stack.pop_front(count)`: elements move down, the last `count` elements become invalid,
    /// and `nextIndex` shrinks by `count`, at least to 0.
    PopFront(StackId, u32),
    /// A condition with two branches.
    If {
        /// The condition, a `Bool`.
        condition: Expr,
        /// The statements if the condition is true.
        then: Block,
        /// The statements if the condition is false.
        otherwise: Block,
    },
    /// Runs the case with the scrutinee's value, or the default if there is no such case.
    Switch {
        /// The value that selects the case: `Bits`, `Error`, `Enum` or `Bool`.
        scrutinee: Expr,
        /// The cases; their values are distinct.
        cases: Vec<(Vec<Bits>, Block)>,
        /// The statements if no case has the value.
        default: Block,
    },
    /// Runs the body and then the step, as long as the condition holds. `Continue` goes to the
    /// step, `Break` ends the loop. An executor ends a run in which all loops together have more
    /// than `LOOP_LIMIT` iterations (65 536); long iterations count several times
    /// ([`Work::iteration_weight`](crate::Work::iteration_weight)).
    Loop {
        /// The condition, a `Bool`.
        condition: Expr,
        /// The repeated statements.
        body: Block,
        /// The statements that run after each body.
        step: Block,
    },
    /// Leaves the innermost loop.
    Break,
    /// Continues with the innermost loop's step.
    Continue,
    /// Ends the current action, procedure or control body.
    Return,
    /// Ends the current block of the package (through all procedures), not the pipeline pass.
    Exit,
    /// Runs a procedure.
    Call(ProcedureId),
    /// Runs an action whose parameters have been assigned.
    CallAction(ActionId),
    /// Evaluates the keys, looks up the entry, and runs its action (or the default action) with its
    /// data.
    Apply {
        /// The table that is applied.
        table: TableId,
        /// A `Bool` variable that is set to whether an entry matched.
        hit: Option<VarId>,
        /// A `bit<32>` variable that is set to the position in [`crate::Table::actions`] of the
        /// action that ran.
        action_run: Option<VarId>,
    },
    /// Reads a header from the packet and makes it valid. The parser error is `PacketTooShort` for
    /// too few bytes, `StackOutOfBounds` for a full stack, and `HeaderTooShort` for a varbit longer
    /// than its maximum. Only in parsers.
    Extract {
        /// The header that is written; `Next` is allowed in this statement only.
        to: HeaderRef,
        /// The bits of the varbit field, a `bit<32>`; present if and only if the type has such a
        /// field. If the whole header is not a multiple of 8 bits, the parser error is
        /// `ParserInvalidArgument`.
        varbit_bits: Option<Expr>,
    },
    /// Reads as many bits as the place has without consuming them. Only in parsers.
    Lookahead(Place),
    /// Skips a `bit<32>` number of bits, which must be a multiple of 8 (otherwise, the parser error
    /// is `ParserInvalidArgument`). Only in parsers.
    Advance(Expr),
    /// If the condition is false, parsing ends with the error. Only in parsers.
    Verify {
        /// The condition, a `Bool`.
        condition: Expr,
        /// The error that is set if the condition is false, of type `Error`.
        error: Expr,
    },
    /// Appends the header to the packet if it is valid. Allowed only in controls that run as
    /// deparsers.
    Emit(HeaderRef),
    /// Calls an extern that the architecture provides.
    Extern(ExternCall),
}

/// The place that a statement writes: a variable, or one that an index selects.
#[derive(Clone, Debug, PartialEq)]
pub enum Place {
    /// A variable.
    Var(VarId),
    /// The variable at an index (a `bit<32>`) among several variables of one type; a write past the
    /// end has no effect.
    Indexed(Vec<VarId>, Expr),
}

/// A reference to a header: a fixed one, or an element of a stack.
#[derive(Clone, Debug, PartialEq)]
pub enum HeaderRef {
    /// A header that is known at compile time.
    Header(HeaderId),
    /// An element of a stack, chosen at run time by a `bit<32>`. If the index is past the end, it
    /// reads as an invalid header, and writes have no effect.
    Element(StackId, Box<Expr>),
    /// The header `stack.next`, in `Extract` only.
    Next(StackId),
}

/// A call of an extern function or of an extern object's method.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ExternCall {
    /// The name of the callee: `mark_to_drop`, or `register.read` for a method.
    pub callee: String,
    /// The object whose method is called, if it is a method.
    pub instance: Option<ExternId>,
    /// The type arguments, flattened.
    pub type_args: Vec<crate::types::Type>,
    /// The type arguments as declared; empty if all are scalars, which `type_args` describes
    /// completely.
    pub declared: Vec<DataType>,
    /// The arguments in parameter order. Omitted optional arguments are missing, so arguments are
    /// identified by name.
    pub args: Vec<Arg>,
    /// The variables for the return value; empty for `void` or if it is not used.
    pub result: Vec<VarId>,
}

/// One argument of an [`ExternCall`], with its direction.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Arg {
    /// The parameter's name.
    pub name: String,
    /// The direction of the parameter.
    pub direction: Direction,
    /// The passed values or variables.
    pub value: ArgValue,
}

/// The contents of an [`Arg`]: values, or variables to write.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ArgValue {
    /// Values that are read (`In`): one value for a scalar; several values in declaration order for
    /// a struct, tuple or list.
    Leaves(Vec<Leaf>),
    /// Variables that are written (`Out`), or read and written (`InOut`), flattened in the same
    /// way. `names` are the paths below the argument (`egress_spec`), empty for a scalar.
    Vars {
        /// The variables that the call may write.
        vars: Vec<VarId>,
        /// The paths of the variables.
        names: Vec<String>,
    },
    /// A string.
    Text(String),
    /// An extern object.
    Extern(ExternId),
}

/// A value or a whole header in a flattened argument.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Leaf {
    /// A value.
    Value(Expr),
    /// A header, which contributes its fields in order if it is valid, and nothing if it is
    /// invalid.
    Header(HeaderId),
}
