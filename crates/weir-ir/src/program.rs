//! A whole program: variables, headers, blocks, tables, externs and the package that ties them together.

use crate::arena::{Arena, Id};
use crate::bits::Bits;
use crate::expr::Expr;
use crate::loc::Loc;
use crate::stmt::Block;
use crate::table::{Action, Table, ValueSet};
use crate::types::{Enumeration, HeaderType, Type};

/// Handle of a [`Var`].
pub type VarId = Id<Var>;
/// Handle of a [`Header`].
pub type HeaderId = Id<Header>;
/// Handle of a [`Stack`].
pub type StackId = Id<Stack>;
/// Handle of a [`Parser`].
pub type ParserId = Id<Parser>;
/// Handle of a [`Control`].
pub type ControlId = Id<Control>;
/// Handle of a [`Procedure`].
pub type ProcedureId = Id<Procedure>;
/// Handle of an [`Action`].
pub type ActionId = Id<Action>;
/// Handle of a [`Table`].
pub type TableId = Id<Table>;
/// Handle of an [`ExternInstance`].
pub type ExternId = Id<ExternInstance>;
/// Handle of a [`ValueSet`].
pub type ValueSetId = Id<ValueSet>;
/// Handle of a [`ParserState`] within its [`Parser`].
pub type ParserStateId = Id<ParserState>;

/// A resolved P4 program.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Program {
    /// Paths of the source files as the user gave them; [`Loc::file`] points here.
    pub files: Vec<String>,
    /// Error codes in declaration order; `NoError` is 0.
    pub errors: Vec<String>,
    /// Enumerations without underlying type.
    pub enums: Arena<Enumeration>,
    /// Layouts of headers.
    pub header_types: Arena<HeaderType>,
    /// All storage a packet's pass has: one flat set.
    pub vars: Arena<Var>,
    /// Header instances: groups of variables that share a validity bit.
    pub headers: Arena<Header>,
    /// Header stacks: rows of header instances with a counter.
    pub stacks: Arena<Stack>,
    /// Extern objects (counters, registers, …).
    pub externs: Arena<ExternInstance>,
    /// Parser value sets.
    pub value_sets: Arena<ValueSet>,
    /// Actions, those of tables and those only called directly.
    pub actions: Arena<Action>,
    /// Functions and applied sub-controls, each with static storage (P4 has no recursion).
    pub procedures: Arena<Procedure>,
    /// Match-action tables.
    pub tables: Arena<Table>,
    /// Parsers, sub-parsers expanded.
    pub parsers: Arena<Parser>,
    /// Controls that the package uses.
    pub controls: Arena<Control>,
    /// `main`.
    pub main: Option<Package>,
    /// Whether the source asks for anything to be `@atomic` (P4_16, "Concurrency model"): then a block's execution is one step for packets
    /// on other threads, as far as extern objects go whose methods both read and write.
    pub atomic: bool,
}

/// A piece of storage that lives for one pass of one packet and starts as zero.
#[derive(Clone, Debug, PartialEq)]
pub struct Var {
    /// Unique and final: `ingress.hdr.ipv4.ttl`; after binding, the name the user wrote: `hdr.ipv4.ttl`.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// What it is part of; decides what reads and writes mean.
    pub role: VarRole,
    /// Annotations on the declaration or the struct field (`@field_list(1)` for instance), and on the fields around it.
    pub annotations: Vec<Annotation>,
    /// Where it is declared.
    pub loc: Loc,
}

/// What a variable is part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VarRole {
    /// A variable of its own: a local, a parameter, a field of a struct.
    Plain,
    /// A field of a header. While the header is invalid it reads as 0 and writes to it vanish.
    Field(HeaderId),
    /// The validity bit of a header; changed only by `SetValid`, `SetInvalid`, `Copy`, `Extract`, pushes and pops.
    Validity(HeaderId),
    /// The counter (`nextIndex`) of a stack, `bit<32>`; changed only by `Extract` to `Next`, pushes, pops and whole-stack copies.
    NextIndex(StackId),
}

/// A header instance.
#[derive(Clone, Debug, PartialEq)]
pub struct Header {
    /// `hdr.ipv4`, `hdr.mpls[2]`.
    pub name: String,
    /// Its layout.
    pub ty: Id<HeaderType>,
    /// Its validity bit.
    pub valid: VarId,
    /// One variable a field, in the layout's order.
    pub fields: Vec<VarId>,
}

/// A header stack.
#[derive(Clone, Debug, PartialEq)]
pub struct Stack {
    /// `hdr.mpls`.
    pub name: String,
    /// Its elements, all of one header type.
    pub elements: Vec<HeaderId>,
    /// `nextIndex`: how many elements were filled by `extract(stack.next)`.
    pub next_index: VarId,
}

/// `@name(body)`, kept for the control plane and the architecture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Annotation {
    /// Without the `@`.
    pub name: String,
    /// Its evaluated arguments; unstructured bodies are one `Text`.
    pub args: Vec<AnnotationArg>,
}

/// One argument of an [`Annotation`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnnotationArg {
    /// The key of a `key = value` argument.
    pub key: Option<String>,
    /// Its value.
    pub value: AnnotationValue,
}

/// The value of an [`AnnotationArg`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnnotationValue {
    /// A string, without quotes.
    Text(String),
    /// An integer.
    Int(num_bigint::BigInt),
    /// A boolean.
    Bool(bool),
}

/// Which way a parameter's value goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Read only.
    In,
    /// Written only.
    Out,
    /// Read and written.
    InOut,
}

/// A run-time parameter of a parser or control that the package uses: how the architecture reaches its data.
#[derive(Clone, Debug, PartialEq)]
pub struct Param {
    /// The name in the user's declaration (`hdr`, `meta`, `standard_metadata`).
    pub name: String,
    /// Its direction.
    pub direction: Direction,
    /// The P4 type's name, for messages (`headers_t`).
    pub type_name: String,
    /// The storage behind it. Two parameters of the same P4 type list their storage in the same order.
    pub storage: Storage,
}

/// All storage of a value of any P4 type, flattened depth first in declaration order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Storage {
    /// Every variable, fields, validity bits and stack counters among them.
    pub vars: Vec<VarId>,
    /// Every header, elements of stacks among them.
    pub headers: Vec<HeaderId>,
    /// Every stack.
    pub stacks: Vec<StackId>,
    /// For each of `vars`, its path below the parameter: `ipv4.ttl`; empty for a scalar parameter.
    pub paths: Vec<String>,
}

/// A function's or an applied sub-control's body. Arguments are copied into and out of its variables by the caller's
/// statements.
#[derive(Clone, Debug, PartialEq)]
pub struct Procedure {
    /// Unique.
    pub name: String,
    /// What it does; `Return` ends it.
    pub body: Block,
    /// Where it is declared.
    pub loc: Loc,
}

/// A parser with its sub-parsers expanded.
#[derive(Clone, Debug, PartialEq)]
pub struct Parser {
    /// The instance's name.
    pub name: String,
    /// Without `packet_in`.
    pub params: Vec<Param>,
    /// Run once before the start state: initialisation of the parser's locals.
    pub locals: Block,
    /// The states; `accept` and `reject` are [`Target`]s, not states.
    pub states: Arena<ParserState>,
    /// Where parsing begins.
    pub start: ParserStateId,
    /// Where it is declared.
    pub loc: Loc,
}

/// One state of a [`Parser`].
#[derive(Clone, Debug, PartialEq)]
pub struct ParserState {
    /// Unique within the parser; `sub.start` for states of sub-parsers.
    pub name: String,
    /// What it does before the transition.
    pub body: Block,
    /// Where it goes.
    pub transition: Transition,
    /// Where it is declared.
    pub loc: Loc,
}

/// How a state ends.
#[derive(Clone, Debug, PartialEq)]
pub enum Transition {
    /// Unconditional.
    Goto(Target),
    /// The first case whose keysets all match decides; none matching is the parser error `NoMatch`.
    Select {
        /// What is looked at.
        keys: Vec<Expr>,
        /// Tried in order; each has as many keysets as there are keys.
        cases: Vec<SelectCase>,
        /// Where the select stands.
        loc: Loc,
    },
}

/// One case of a select.
#[derive(Clone, Debug, PartialEq)]
pub struct SelectCase {
    /// One a key.
    pub keysets: Vec<Keyset>,
    /// Where to go.
    pub target: Target,
    /// Where it stands.
    pub loc: Loc,
}

/// Where a transition leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// Another state.
    State(ParserStateId),
    /// Parsing ends well.
    Accept,
    /// Parsing ends with an error (the current parser error, `NoError` if none was set).
    Reject,
}

/// A set of values of one key's type, known at compile time (but for value sets).
#[derive(Clone, Debug, PartialEq)]
pub enum Keyset {
    /// `default` or `_`.
    Any,
    /// One value.
    Value(Bits),
    /// `value &&& mask`.
    Mask(Bits, Bits),
    /// `low .. high`, both included; compared signed for signed keys.
    Range(Bits, Bits),
    /// Whether a parser value set of the control plane holds this key together with its neighbours; the set's
    /// `width` keys from this one on belong to it, the rest of them are `Any`.
    Set(ValueSetId),
}

/// A control that the package uses.
#[derive(Clone, Debug, PartialEq)]
pub struct Control {
    /// The instance's name.
    pub name: String,
    /// Without `packet_out`.
    pub params: Vec<Param>,
    /// Local initialisation, then the `apply` block. `Return` and `Exit` both end it.
    pub body: Block,
    /// Where it is declared.
    pub loc: Loc,
}

/// An extern object.
#[derive(Clone, Debug, PartialEq)]
pub struct ExternInstance {
    /// Control-plane name.
    pub name: String,
    /// The extern's P4 name: `register`, `direct_counter`, ….
    pub kind: String,
    /// Its type arguments, flattened: `register<bit<48>>` has one.
    pub type_args: Vec<Type>,
    /// The extern function that makes it, if it is no constructor's.
    pub factory: Option<String>,
    /// The evaluated arguments of the constructor or function that makes it, in order.
    pub args: Vec<ConstArg>,
    /// The program's implementations of its abstract methods, for the architecture to call back (P4_16 section 11.3.1).
    pub methods: Vec<ExternMethod>,
    /// Annotations.
    pub annotations: Vec<Annotation>,
    /// Where it is declared.
    pub loc: Loc,
}

/// A method of an extern object that the program implements. Whoever calls it assigns the parameters' variables, runs the
/// procedure, and reads the variables of `out` and `inout` parameters and the result.
#[derive(Clone, Debug, PartialEq)]
pub struct ExternMethod {
    /// The method's P4 name.
    pub name: String,
    /// What it does.
    pub procedure: ProcedureId,
    /// Its parameters with their storage.
    pub params: Vec<Param>,
    /// Where the procedure leaves what the method returns, flattened; empty for `void`.
    pub result: Vec<VarId>,
}

/// A value known at compile time that goes to an extern's or package's constructor.
#[derive(Clone, Debug, PartialEq)]
pub enum ConstArg {
    /// A number or boolean, with its type.
    Bits(Type, Bits),
    /// A string.
    Text(String),
    /// An extern object.
    Extern(ExternId),
    /// A list or struct.
    List(Vec<ConstArg>),
}

/// An evaluated package instance: which block stands in which place of the architecture.
#[derive(Clone, Debug, PartialEq)]
pub struct Package {
    /// The package's P4 name (`V1Switch`): the switch chooses its architecture by it.
    pub kind: String,
    /// The instance's name, `main` at the top.
    pub name: String,
    /// Constructor parameter names and what was given, in order.
    pub args: Vec<(String, PackageArg)>,
    /// Annotations on the instance.
    pub annotations: Vec<Annotation>,
    /// Where it is instantiated.
    pub loc: Loc,
}

/// What a package's constructor was given.
#[derive(Clone, Debug, PartialEq)]
pub enum PackageArg {
    /// A parser.
    Parser(ParserId),
    /// A control, a deparser among them.
    Control(ControlId),
    /// Another package, as PSA's pipelines are.
    Package(Box<Package>),
    /// A value.
    Const(ConstArg),
}
