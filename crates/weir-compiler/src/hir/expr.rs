//! Expressions. Everything that is implicit in the language is explicit in this tree.

use num_bigint::BigInt;
use weir_syntax::Span;

use super::{Call, ConstId, Construct, EnumId, ErrorId, InstanceId, MatchKindId, TableId, TypeId, VarId};

/// An expression with its type and location.
///
/// Lowering may assume that operand types fit the operator without further conversion (every
/// implicit cast is a [`ExprKind::Cast`]), that the evaluation order is the order of the tree, left
/// to right (P4_16 section 8.1), and that an expression of type [`super::Type::Int`] is a
/// compile-time constant given the enclosing block's constructor parameters.
#[derive(Clone, Debug)]
pub struct Expr {
    /// The form of the expression.
    pub kind: ExprKind,
    /// The type. After substitution of type arguments it is the type of the value.
    pub ty: TypeId,
    /// The source location. An inserted node has the location of the expression that needed it.
    pub span: Span,
}

/// The forms of expressions, with their operands.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// An invalid expression whose error was reported. Never occurs in a program that `check`
    /// returned without errors.
    Poison,
    /// A boolean literal.
    Bool(bool),
    /// An integer literal, which fits its type (`Int` or `Bits`).
    Int(BigInt),
    /// The content of a string literal.
    String(String),
    /// The error `error.X`.
    Error(ErrorId),
    /// A match kind such as `exact`.
    MatchKind(MatchKindId),
    /// An enum member `E.M`, by position in the declaration.
    EnumMember {
        /// The enum whose member is named.
        decl: EnumId,
        /// The index of the member in the enum.
        member: usize,
    },
    /// A declared constant, whose value is the declaration's initializer.
    Const(ConstId),
    /// A variable or parameter of any kind (see [`super::VarKind`]), constructor parameters
    /// included.
    Var(VarId),
    /// A declared instance of an extern object, parser, control or package.
    Instance(InstanceId),
    /// `this` inside an implementation of an abstract method: the object itself.
    This,

    /// A unary operation. Never applied to run-time values of type [`super::Type::Int`].
    Unary(UnaryOp, Box<Expr>),
    /// A binary operation. See [`BinaryOp`] for the types of the operands.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `condition ? then : otherwise`. Only the selected branch is evaluated.
    Conditional {
        /// The condition, of type `bool`.
        condition: Box<Expr>,
        /// The value if the condition is true, of the same type as the whole expression.
        then: Box<Expr>,
        /// The value if the condition is false, of the same type as the whole expression.
        otherwise: Box<Expr>,
    },
    /// A conversion of the operand to this expression's type (P4_16 section 8.11). The possible
    /// conversions are: `bit<1>`↔`bool`; `Int`→`bool` (constants 0 and 1); `Int`→`bit`/`int`
    /// (truncates, two's complement); `bit`/`int`→`Int` (constants only); `bit<W>`↔`int<W>`;
    /// `bit`→`bit`, `int`→`int` of another width (truncate, zero- or sign-extend); serializable
    /// enum↔underlying type; newtype↔underlying type; tuple, list, anonymous struct or record →
    /// record of the same shape (member by member); tuple or list → stack; any type → itself.
    Cast {
        /// The expression to which the operator applies.
        operand: Box<Expr>,
        /// Whether the checker inserted it; otherwise it is in the source.
        implicit: bool,
    },
    /// `base[high:low]`, unsigned, with width `high - low + 1`. `high` is less than the base's
    /// width.
    Slice {
        /// The operand, of type `bit<W>` or `int<W>`.
        base: Box<Expr>,
        /// The most significant bit, inclusive.
        high: u32,
        /// The least significant bit, inclusive.
        low: u32,
    },
    /// `base[low+:width]` with a run-time `low`. Bits beyond the base's width read as 0 and are not
    /// written. (With a constant `low` the checker makes a [`ExprKind::Slice`].)
    IndexedSlice {
        /// The operand, of type `bit<W>` or `int<W>`.
        base: Box<Expr>,
        /// The least significant bit, of type `bit<N>`.
        low: Box<Expr>,
        /// The width of the result in bits.
        width: u32,
    },
    /// A member of a record or anonymous struct, by position.
    Field {
        /// The record whose field is read.
        base: Box<Expr>,
        /// The index in the declaration's fields.
        field: usize,
    },
    /// The element of a tuple: `tuple[index]`.
    TupleElement {
        /// The tuple whose element is read.
        base: Box<Expr>,
        /// The index, less than the tuple's length.
        index: usize,
    },
    /// `stack[index]`. A constant index is less than the size; a run-time index may be out of
    /// range.
    Index {
        /// The stack whose element is read.
        base: Box<Expr>,
        /// The index, of type `bit<N>` or `int<N>`, or `Int` if constant. A negative index is out
        /// of range, like one past the end.
        index: Box<Expr>,
    },
    /// `stack.next`: the element at `nextIndex`, in parsers only. Past the end it fails with
    /// `error.StackOutOfBounds`.
    StackNext(Box<Expr>),
    /// `stack.last`: the element before `nextIndex`, in parsers only and read-only. If there is
    /// none it fails with `error.StackOutOfBounds`.
    StackLast(Box<Expr>),
    /// `stack.lastIndex`, a `bit<32>`: `nextIndex - 1`, in parsers only.
    StackLastIndex(Box<Expr>),
    /// `header.isValid()` or `union.isValid()`.
    IsValid(Box<Expr>),

    /// A value with all its members, in declaration order: of type `Record` (a struct, or a header,
    /// which becomes valid), `AnonymousStruct`, `Tuple`, `List` or `Stack`.
    Aggregate(Vec<Expr>),
    /// `{#}`: an invalid header or header union, of the expression's type. Also the value of `...`
    /// for headers.
    Invalid,
    /// The default value of the expression's type (P4_16 section 8.27): zero, false,
    /// `error.NoError`, the first member of an enum, an empty varbit, invalid headers, and
    /// composites of these. Occurs only where the type still contains a type variable or where a
    /// variable is declared without an initializer but needs one. Elsewhere the value is written
    /// out.
    Default,

    /// A call that returns a value (or `void`, in a call statement).
    Call(Box<Call>),
    /// The application of a table: `t.apply()` alone, or its `.hit`, `.miss` or `.action_run`.
    Apply {
        /// The table that is applied.
        table: TableId,
        /// The part of the result that is used.
        result: ApplyResult,
    },
    /// The creation of an unnamed instance as an argument of another constructor:
    /// `V1Switch(MyParser(), …)`.
    Construct(Box<Construct>),
    /// A size in bits or bytes, of type `Int`, that depends on a type variable. All other sizes are
    /// [`ExprKind::Int`].
    SizeOf {
        /// Which size is returned.
        measure: SizeMeasure,
        /// The type whose size is returned.
        of: TypeId,
    },
}

/// The part of a table application's result that is used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ApplyResult {
    /// Nothing is used, as in the statement `t.apply();`.
    Nothing,
    /// Whether an entry matched, a `bool`.
    Hit,
    /// Whether no entry matched, a `bool`.
    Miss,
    /// The action, of type [`super::Type::ActionRun`]. Used only as the subject of a
    /// [`super::StmtKind::SwitchAction`].
    ActionRun,
}

/// The size that a method such as `minSizeInBits()` returns (P4_16 section 9).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SizeMeasure {
    /// The size in bits with empty varbits.
    MinBits,
    /// The size `MinBits` in bytes, rounded up.
    MinBytes,
    /// The size in bits with varbits of maximum size.
    MaxBits,
    /// The size `MaxBits` in bytes, rounded up.
    MaxBytes,
}

/// Unary operators. The operand and the result have the same type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UnaryOp {
    /// The logical `!` on `bool`.
    Not,
    /// The bitwise complement `~` on `bit` and `int<W>`.
    Complement,
    /// The negation `-` on numbers, which wraps around.
    Negate,
    /// The sign `+` on numbers, without effect.
    Plus,
}

/// Binary operators. Unless noted otherwise, both operands and the result have the same type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BinaryOp {
    /// The sum, which wraps around.
    Add,
    /// The difference, which wraps around.
    Sub,
    /// The product, which wraps around.
    Mul,
    /// Division of `Int` constants with a positive divisor, and on `bit`, where division by zero
    /// returns zero. Rounds down.
    Div,
    /// The remainder, with the rules of `Div`.
    Mod,
    /// `|+|`: saturates at the type's bounds.
    SatAdd,
    /// `|-|`: saturates at the type's bounds.
    SatSub,
    /// `<<`: the right operand is unsigned (`bit<N>`) with its own width, or a non-negative `Int`
    /// constant. The result has the type of the left operand.
    Shl,
    /// `>>`: like `Shl`. The shift is arithmetic if the left operand is signed.
    Shr,
    /// The bitwise and.
    And,
    /// The bitwise or.
    Or,
    /// The bitwise exclusive or.
    Xor,
    /// `++`: the left operand is most significant. The operands may have any widths and signs. The
    /// result has the sign of the left operand and the sum of the widths. Also concatenates two
    /// strings (compile time).
    Concat,
    /// Returns `bool`. Compares any comparable type; records, stacks and tuples member by member
    /// (headers are equal if both are invalid, or both valid and equal).
    Eq,
    /// Whether the operands differ.
    Ne,
    /// Whether the left operand is less, a `bool`.
    Lt,
    /// Whether the left operand is less or equal, a `bool`.
    Le,
    /// Whether the left operand is greater, a `bool`.
    Gt,
    /// Whether the left operand is greater or equal, a `bool`.
    Ge,
    /// The logical and of `bool` values. The right operand is evaluated only if the left one is
    /// true.
    LogicalAnd,
    /// The logical or of `bool` values. The right operand is evaluated only if the left one is
    /// false.
    LogicalOr,
}

impl Expr {
    /// Calls `visit` with each operand, in evaluation order. The arguments and objects of a
    /// [`Call`] are not included: callers differ in which parts of it they process.
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

    /// Returns whether this is an lvalue: an expression that can be assigned to and passed for
    /// `out` and `inout` parameters (P4_16 section 6.6).
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
