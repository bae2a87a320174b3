//! Expressions and calls. Everything the language leaves implicit is explicit here.

use num_bigint::BigInt;
use weir_syntax::Span;

use super::{
    ConstId, ControlId, EnumId, ErrorId, ExternFunctionId, ExternId, FunctionId, InstanceId, MatchKindId,
    PackageId, ParserId, TableId, TypeId, VarId,
};

/// An expression with its type and place.
///
/// Lowering may rely on: operand types fit the operator without further conversion (every implicit
/// cast is a [`ExprKind::Cast`]); evaluation order is that of the tree, left to right (P4_16
/// section 8.1); an expression of type [`super::Type::Int`] is a compile-time constant, given the
/// enclosing block's constructor parameters.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Its type; after substitution of type arguments the type of the value.
    pub ty: TypeId,
    /// The source it came from; for inserted nodes, the expression that needed them.
    pub span: Span,
}

/// The forms of expressions.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// Stands for an expression with a reported mistake. Never in a program that `check` returned
    /// without errors.
    Poison,
    /// A truth value.
    Bool(bool),
    /// An integer literal; fits its type (`Int` or `Bits`).
    Int(BigInt),
    /// A string literal's content.
    String(String),
    /// `error.X`.
    Error(ErrorId),
    /// A match kind such as `exact`.
    MatchKind(MatchKindId),
    /// `E.M`, by position in the declaration.
    EnumMember {
        /// The enum.
        decl: EnumId,
        /// Index into its members.
        member: usize,
    },
    /// A declared constant; its value is the declaration's initializer.
    Const(ConstId),
    /// A variable or parameter of any kind (see [`super::VarKind`]), constructor parameters
    /// included.
    Var(VarId),
    /// A declared instance of an extern object, parser, control or package.
    Instance(InstanceId),
    /// `this` inside an implementation of an abstract method: the object itself.
    This,

    /// One operand. Never on [`super::Type::Int`]-typed run-time values.
    Unary(UnaryOp, Box<Expr>),
    /// Two operands; see [`BinaryOp`] for their types.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `condition ? then : otherwise`; only the chosen branch is evaluated.
    Conditional {
        /// Of type `bool`.
        condition: Box<Expr>,
        /// Same type as the whole.
        then: Box<Expr>,
        /// Same type as the whole.
        otherwise: Box<Expr>,
    },
    /// Conversion of the operand to this expression's type (P4_16 section 8.11). The pairs that
    /// occur: `bit<1>`↔`bool`; `Int`→`bool` (constants 0 and 1); `Int`→`bit`/`int` (truncates,
    /// two's complement); `bit`/`int`→`Int` (constants only); `bit<W>`↔`int<W>`; `bit`→`bit`,
    /// `int`→`int` of another width (truncate, zero- or sign-extend); serializable enum↔underlying
    /// type; newtype↔underlying type; tuple, list, anonymous struct or record → record of the same
    /// shape (member by member); tuple or list → stack; anything → itself.
    Cast {
        /// What is converted.
        operand: Box<Expr>,
        /// Inserted by the checker rather than written.
        implicit: bool,
    },
    /// `base[high:low]`, unsigned, width `high - low + 1`; `high` is below the base's width.
    Slice {
        /// Of type `bit<W>` or `int<W>`.
        base: Box<Expr>,
        /// Most significant bit, inclusive.
        high: u32,
        /// Least significant bit, inclusive.
        low: u32,
    },
    /// `base[low+:width]` with a run-time `low`; bits past the base's width read as 0 and are not
    /// written. (With a constant `low` the checker makes a [`ExprKind::Slice`].)
    IndexedSlice {
        /// Of type `bit<W>` or `int<W>`.
        base: Box<Expr>,
        /// Of type `bit<N>`.
        low: Box<Expr>,
        /// The result's width.
        width: u32,
    },
    /// A member of a record or anonymous struct, by position.
    Field {
        /// The record.
        base: Box<Expr>,
        /// Index into the declaration's fields.
        field: usize,
    },
    /// `tuple[index]`.
    TupleElement {
        /// The tuple.
        base: Box<Expr>,
        /// Below the tuple's length.
        index: usize,
    },
    /// `stack[index]`; a constant index is below the size, a run-time index may not be.
    Index {
        /// The stack.
        base: Box<Expr>,
        /// Of type `bit<N>` or `int<N>`, or `Int` if constant. Below 0 is out of range as past the
        /// end is.
        index: Box<Expr>,
    },
    /// `stack.next`: the element at `nextIndex`; parsers only; `error.StackOutOfBounds` past the
    /// end.
    StackNext(Box<Expr>),
    /// `stack.last`: the element before `nextIndex`; parsers only; `error.StackOutOfBounds` if
    /// there is none. Read-only.
    StackLast(Box<Expr>),
    /// `stack.lastIndex`, `bit<32>`: `nextIndex - 1`; parsers only.
    StackLastIndex(Box<Expr>),
    /// `header.isValid()` or `union.isValid()`.
    IsValid(Box<Expr>),

    /// A value given member by member, in the declared order, complete: of type `Record` (struct,
    /// or header, which becomes valid), `AnonymousStruct`, `Tuple`, `List` or `Stack`.
    Aggregate(Vec<Expr>),
    /// `{#}`: an invalid header or header union, of the expression's type; also what `...` gives
    /// for headers.
    Invalid,
    /// The default value of the expression's type (P4_16 section 8.27): zero, false,
    /// `error.NoError`, the first member of an enum, an empty varbit, invalid headers, and these
    /// member by member. Only where the type still holds a variable or where a variable is declared
    /// without initializer but needs one; elsewhere it is written out.
    Default,

    /// A call that yields a value (or `void`, in a call statement).
    Call(Box<Call>),
    /// `t.apply()` for its effect, and `.hit`, `.miss` or `.action_run` of it.
    Apply {
        /// The table.
        table: TableId,
        /// What is taken of the result.
        result: ApplyResult,
    },
    /// Creation of an instance without a name, as an argument of another constructor:
    /// `V1Switch(MyParser(), …)`.
    Construct(Box<Construct>),
    /// A size that depends on a type variable, in bits or bytes; all others are [`ExprKind::Int`].
    /// Of type `Int`.
    SizeOf {
        /// Which size.
        measure: SizeMeasure,
        /// Of what.
        of: TypeId,
    },
}

/// What is taken of a table application.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ApplyResult {
    /// The statement `t.apply();`.
    Nothing,
    /// `bool`.
    Hit,
    /// `bool`.
    Miss,
    /// Type [`super::Type::ActionRun`]; only as the subject of a [`super::StmtKind::SwitchAction`].
    ActionRun,
}

/// `minSizeInBits()` and its kin (P4_16 section 9).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SizeMeasure {
    /// Without varbits' bits.
    MinBits,
    /// Rounded up.
    MinBytes,
    /// With varbits full.
    MaxBits,
    /// Rounded up.
    MaxBytes,
}

/// Operators with one operand. Operand and result have the same type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UnaryOp {
    /// `!` on `bool`.
    Not,
    /// `~` on `bit` and `int<W>`.
    Complement,
    /// `-` on numbers; wraps.
    Negate,
    /// `+` on numbers.
    Plus,
}

/// Operators with two operands. Unless said otherwise both operands and the result have the same
/// type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BinaryOp {
    /// Wraps.
    Add,
    /// Wraps.
    Sub,
    /// Wraps.
    Mul,
    /// On `Int` constants, where the divisor is positive, and on `bit`, where dividing by zero
    /// gives zero; rounding down.
    Div,
    /// As `Div`.
    Mod,
    /// `|+|`: clamps to the type's bounds.
    SatAdd,
    /// `|-|`: clamps to the type's bounds.
    SatSub,
    /// `<<`: the right operand is unsigned (`bit<N>`) or a non-negative `Int` constant, of its own
    /// width; result as left.
    Shl,
    /// `>>`: as `Shl`; arithmetic if the left operand is signed.
    Shr,
    /// Bitwise.
    And,
    /// Bitwise.
    Or,
    /// Bitwise.
    Xor,
    /// `++`: left is most significant; any widths and signs; result signed as left, width the sum.
    /// Also joins two strings (compile time).
    Concat,
    /// Result `bool`; on any comparable type, records, stacks and tuples member by member (headers:
    /// both invalid, or both valid and equal).
    Eq,
    /// Negated `Eq`.
    Ne,
    /// Result `bool`.
    Lt,
    /// Result `bool`.
    Le,
    /// Result `bool`.
    Gt,
    /// Result `bool`.
    Ge,
    /// On `bool`; the right operand is evaluated only if the left is true.
    LogicalAnd,
    /// On `bool`; the right operand is evaluated only if the left is false.
    LogicalOr,
}

/// A call.
///
/// Lowering may rely on: overloads are resolved; `args` has exactly one item for each parameter, in
/// parameter order (evaluation order is by [`Arg::order`]); calls are allowed where they stand.
#[derive(Clone, Debug)]
pub struct Call {
    /// What is called.
    pub callee: Callee,
    /// One for each type parameter of the function or method (not of the extern object: those are
    /// in the object's type).
    pub type_args: Vec<TypeId>,
    /// One for each parameter.
    pub args: Vec<Arg>,
    /// The whole call.
    pub span: Span,
}

/// What a [`Call`] calls.
#[derive(Clone, Debug)]
pub enum Callee {
    /// A function with a body.
    Function(FunctionId),
    /// An action, called directly. Directionless parameters are given like `in` ones.
    Action(ActionRef),
    /// A function of the architecture.
    ExternFunction(ExternFunctionId),
    /// A method of an extern object.
    Method {
        /// The object: `Instance`, `Var` (a parameter such as `packet_in b`, or a constructor
        /// parameter) or `This`.
        object: Expr,
        /// Declared in.
        decl: ExternId,
        /// Index into the extern's methods.
        method: usize,
    },
    /// `p.apply(…)` of a parser with a body or a block type: the object is `Instance` or a
    /// constructor parameter.
    ApplyParser(Expr),
    /// `c.apply(…)` of a control with a body or a block type: the object is `Instance` or a
    /// constructor parameter.
    ApplyControl(Expr),
    /// `header.setValid()`; no arguments. The place is a header.
    SetValid(Expr),
    /// `header.setInvalid()`; no arguments. The place is a header.
    SetInvalid(Expr),
    /// `stack.push_front(count)`; no arguments.
    PushFront {
        /// The stack, a place.
        stack: Expr,
        /// Constant, positive.
        count: u32,
    },
    /// `stack.pop_front(count)`; no arguments.
    PopFront {
        /// The stack, a place.
        stack: Expr,
        /// Constant, positive.
        count: u32,
    },
}

/// An action by its id (an alias that keeps signatures readable).
pub type ActionRef = super::ActionId;

/// The argument for one parameter.
#[derive(Clone, Debug)]
pub struct Arg {
    /// What is passed.
    pub value: ArgValue,
    /// Position in the source's argument list, by which arguments are evaluated; those filled in
    /// come last.
    pub order: usize,
    /// Its place; for those filled in, the call's.
    pub span: Span,
}

/// What is passed for a parameter.
#[derive(Clone, Debug)]
pub enum ArgValue {
    /// A value for an `in` or directionless parameter (also filled in from the parameter's
    /// default); a place ([`Expr::is_place`]) of exactly the parameter's type for `out` and
    /// `inout`.
    Expr(Expr),
    /// `_` for an `out` parameter: the result is dropped.
    DontCare,
    /// An `@optional` parameter that was left out.
    Omitted,
}

/// What is instantiated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Constructor {
    /// An extern object through one of its constructors.
    Extern {
        /// The declaration.
        decl: ExternId,
        /// Index into its constructors.
        constructor: usize,
    },
    /// A parser with a body.
    Parser(ParserId),
    /// A control with a body.
    Control(ControlId),
    /// A package.
    Package(PackageId),
}

/// An instantiation: constructor and its arguments, one for each constructor parameter, in order.
/// Arguments are compile-time constants given the enclosing block's constructor parameters.
#[derive(Clone, Debug)]
pub struct Construct {
    /// What is made.
    pub constructor: Constructor,
    /// One for each type parameter of what is made.
    pub type_args: Vec<TypeId>,
    /// One for each constructor parameter.
    pub args: Vec<Arg>,
    /// The whole instantiation.
    pub span: Span,
}

impl Expr {
    /// Calls `visit` with each operand, in the order of evaluation. What a [`Call`] is given is not
    /// among them: callers differ in which parts of it they look at.
    pub fn operands<'a>(&'a self, mut visit: impl FnMut(&'a Expr)) {
        match &self.kind {
            ExprKind::Unary(_, operand)
            | ExprKind::Cast { operand, .. }
            | ExprKind::Slice { base: operand, .. }
            | ExprKind::Field { base: operand, .. }
            | ExprKind::TupleElement { base: operand, .. }
            | ExprKind::StackNext(operand)
            | ExprKind::StackLast(operand)
            | ExprKind::StackLastIndex(operand)
            | ExprKind::IsValid(operand) => visit(operand),
            ExprKind::Binary(_, left, right)
            | ExprKind::IndexedSlice { base: left, low: right, .. }
            | ExprKind::Index { base: left, index: right } => {
                visit(left);
                visit(right);
            }
            ExprKind::Conditional { condition, then, otherwise } => {
                visit(condition);
                visit(then);
                visit(otherwise);
            }
            ExprKind::Aggregate(members) => members.iter().for_each(visit),
            _ => {}
        }
    }

    /// Whether this is an lvalue: something that can be assigned and passed for `out` and `inout`
    /// (P4_16 section 6.6).
    pub fn is_place(&self) -> bool {
        match &self.kind {
            ExprKind::Var(_) => true,
            ExprKind::Field { base, .. }
            | ExprKind::TupleElement { base, .. }
            | ExprKind::Index { base, .. }
            | ExprKind::StackNext(base)
            | ExprKind::Slice { base, .. }
            | ExprKind::IndexedSlice { base, .. } => base.is_place(),
            _ => false,
        }
    }
}
