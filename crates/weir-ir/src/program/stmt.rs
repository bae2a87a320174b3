//! Statements: structured control flow over flat storage.

use super::{ActionId, Direction, Expr, ExternId, HeaderId, ProcedureId, StackId, TableId, VarId};
use crate::bits::Bits;
use crate::loc::Loc;
use crate::types::declared::DataType;

/// Statements in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Block(pub Vec<Stmt>);

/// One statement with its place in the user's source.
#[derive(Clone, Debug, PartialEq)]
pub struct Stmt {
    /// What it does.
    pub kind: StmtKind,
    /// The place in the source.
    pub loc: Loc,
}

/// What a [`Stmt`] does.
#[derive(Clone, Debug, PartialEq)]
pub enum StmtKind {
    /// Evaluates the expression, then writes the place. Both have the same type.
    Assign(Place, Expr),
    /// Makes a header valid; the fields of one that was invalid become 0.
    SetValid(HeaderRef),
    /// Makes a header invalid; its fields keep their values.
    SetInvalid(HeaderRef),
    /// Makes all other members of a header's union invalid, as `SetInvalid` does.
    InvalidateOthers(HeaderId),
    /// Copies validity and all fields. Both have the same header type.
    Copy {
        /// The header written.
        to: HeaderRef,
        /// The header read.
        from: HeaderRef,
    },
    /// Sets a stack's counter, as a whole-stack assignment does. The value is `bit<32>`.
    SetNextIndex(StackId, Expr),
    /// `stack.push_front(count)`: elements move up, the first `count` become invalid, `nextIndex`
    /// grows, at most to the size.
    PushFront(StackId, u32),
    /// `stack.pop_front(count)`: elements move down, the last `count` become invalid, `nextIndex`
    /// shrinks, at least to 0.
    PopFront(StackId, u32),
    /// A condition with two branches.
    If {
        /// `Bool`.
        condition: Expr,
        /// The statements if the condition is true.
        then: Block,
        /// The statements if the condition is false.
        otherwise: Block,
    },
    /// Runs the case that has the scrutinee's value, otherwise the default.
    Switch {
        /// `Bits`, `Error`, `Enum` or `Bool`.
        scrutinee: Expr,
        /// Values are distinct.
        cases: Vec<(Vec<Bits>, Block)>,
        /// The statements if no case has the value.
        default: Block,
    },
    /// While the condition holds: the body, then the step. `Continue` goes to the step, `Break`
    /// ends the loop. An executor ends a run in which all loops iterate more than `LOOP_LIMIT`
    /// times (65 536); long iterations count several times ([`Work::turn`](crate::Work::turn)).
    Loop {
        /// `Bool`.
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
        /// The table.
        table: TableId,
        /// Set to whether an entry matched; `Bool`.
        hit: Option<VarId>,
        /// Set to the position in [`crate::Table::actions`] of the action that ran; `bit<32>`.
        action_run: Option<VarId>,
    },
    /// Reads a header from the packet and makes it valid. Too few bytes: parser error
    /// `PacketTooShort`; a full stack: `StackOutOfBounds`; a varbit longer than its maximum:
    /// `HeaderTooShort`. Only in parsers.
    Extract {
        /// The header written; `Next` is allowed here only.
        to: HeaderRef,
        /// Bits of the varbit field, `bit<32>`; present exactly if the type has one. If the whole
        /// header is not a multiple of 8 bits, the parser error is `ParserInvalidArgument`.
        varbit_bits: Option<Expr>,
    },
    /// Reads as many bits as the place has without consuming them. Only in parsers.
    Lookahead(Place),
    /// Skips bits; a `bit<32>` multiple of 8 (else `ParserInvalidArgument`). Only in parsers.
    Advance(Expr),
    /// If the condition is false, parsing ends with the error. Only in parsers.
    Verify {
        /// `Bool`.
        condition: Expr,
        /// `Error`.
        error: Expr,
    },
    /// Appends the header to the packet if it is valid. Only in controls run as deparsers.
    Emit(HeaderRef),
    /// Calls something that the architecture provides.
    Extern(ExternCall),
}

/// The target of a write.
#[derive(Clone, Debug, PartialEq)]
pub enum Place {
    /// A variable.
    Var(VarId),
    /// The `index`-th (`bit<32>`) of several variables of one type; a write past the end has no
    /// effect.
    Indexed(Vec<VarId>, Expr),
}

/// A reference to a header.
#[derive(Clone, Debug, PartialEq)]
pub enum HeaderRef {
    /// A header that is known at compile time.
    Header(HeaderId),
    /// An element of a stack, chosen at run time by a `bit<32>`. Past the end it reads as an
    /// invalid header, and writes have no effect.
    Element(StackId, Box<Expr>),
    /// `stack.next`, in `Extract` only.
    Next(StackId),
}

/// A call of an extern function or of an extern object's method.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ExternCall {
    /// `mark_to_drop`, or `register.read` for a method.
    pub callee: String,
    /// The object of a method.
    pub instance: Option<ExternId>,
    /// Type arguments, flattened.
    pub type_args: Vec<crate::types::Type>,
    /// Type arguments as declared; empty if all are scalars, which `type_args` describes
    /// completely.
    pub declared: Vec<DataType>,
    /// All arguments in parameter order; omitted optional ones are missing, so arguments are
    /// identified by name.
    pub args: Vec<Arg>,
    /// The variables for the return value; empty for `void` or if it is not used.
    pub result: Vec<VarId>,
}

/// One argument of an [`ExternCall`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Arg {
    /// The parameter's name.
    pub name: String,
    /// Its direction.
    pub direction: Direction,
    /// Its value.
    pub value: ArgValue,
}

/// The value of an [`Arg`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ArgValue {
    /// Values read (`In`): one for a scalar, several for a struct, tuple or list, in declaration
    /// order.
    Leaves(Vec<Leaf>),
    /// Variables written (`Out`), or read and written (`InOut`), with the same flattening. `names`
    /// are the paths below the argument (`egress_spec`), empty for a scalar.
    Vars {
        /// The variables.
        vars: Vec<VarId>,
        /// Their paths.
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
    /// A header: its fields in order if valid, nothing if not.
    Header(HeaderId),
}
