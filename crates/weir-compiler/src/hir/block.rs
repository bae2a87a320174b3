//! Parsers, controls, actions and tables.

use weir_syntax::Span;

use super::{
    ActionId, Annotations, Block, ConstId, Expr, InstanceId, MatchKindId, Name, Param, StateId, Stmt,
    TableId, TypeVarId, ValueSetId, VarId,
};

/// A declaration at the top of a parser's or control's body, in source order.
#[derive(Clone, Debug)]
pub enum Local {
    /// Initialised at each entry into the block, in order, before the first state or the `apply`
    /// body.
    Var {
        /// The variable; in scope of the block's states, actions, tables and body.
        var: VarId,
        /// Of exactly the variable's type.
        init: Option<Expr>,
    },
    /// A constant.
    Const(ConstId),
    /// An instance (sub-parsers and sub-controls, extern objects, direct applications).
    Instance(InstanceId),
    /// An action; controls only.
    Action(ActionId),
    /// A table; controls only.
    Table(TableId),
    /// A value set; parsers only.
    ValueSet(ValueSetId),
}

/// A parser with a body; if generic, each instance has its own type arguments
/// ([`super::Construct::type_args`]).
#[derive(Clone, Debug)]
pub struct Parser {
    /// As written.
    pub name: Name,
    /// Of the declaration.
    pub annotations: Annotations,
    /// Type parameters.
    pub type_params: Vec<TypeVarId>,
    /// Run-time parameters.
    pub params: Vec<Param>,
    /// Constructor parameters.
    pub constructor_params: Vec<Param>,
    /// In order.
    pub locals: Vec<Local>,
    /// All states, in source order.
    pub states: Vec<StateId>,
    /// The state called `start`.
    pub start: StateId,
    /// The whole declaration.
    pub span: Span,
}

/// A state of a parser.
#[derive(Clone, Debug)]
pub struct State {
    /// As written.
    pub name: Name,
    /// Of the declaration.
    pub annotations: Annotations,
    /// Run on entry.
    pub stmts: Vec<Stmt>,
    /// Where to go next; a missing `transition` is one to `reject`.
    pub transition: Transition,
    /// The transition's place, or the state's.
    pub transition_span: Span,
}

/// The end of a state.
#[derive(Clone, Debug)]
pub enum Transition {
    /// Unconditional.
    Direct(Target),
    /// `select`: the first matching case; `error.NoMatch` and reject if there is none.
    Select {
        /// The compared expressions, evaluated once in order.
        subjects: Vec<Expr>,
        /// In source order.
        cases: Vec<SelectCase>,
    },
}

/// Where a transition goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    /// The parser succeeded.
    Accept,
    /// The parser failed; the error was set before, or is `NoError`'s default.
    Reject,
    /// Another state of the same parser.
    State(StateId),
}

/// A case of a `select`.
#[derive(Clone, Debug)]
pub struct SelectCase {
    /// What matches.
    pub keyset: Keyset,
    /// Where to go.
    pub target: Target,
    /// The whole case.
    pub span: Span,
}

/// A product of sets, one for each subject or table key, in order. `default` and `_` stand for as
/// many [`KeysetElement::Any`] as there are subjects; a lone value set on several subjects is one
/// element (see [`KeysetElement::ValueSet`]).
#[derive(Clone, Debug)]
pub struct Keyset {
    /// As many as subjects, except for a lone value set.
    pub elements: Vec<KeysetElement>,
    /// Its place.
    pub span: Span,
}

/// A set of values of the subject's type.
#[derive(Clone, Debug)]
pub enum KeysetElement {
    /// Everything (`_`, `default`).
    Any,
    /// One value; in table entries a compile-time constant. In an `lpm` key: the full width.
    Value(Expr),
    /// `value &&& mask`: all `x` with `x & mask == value & mask`. In an `lpm` key the mask is a
    /// prefix.
    Mask {
        /// `Bits`, or a serializable enum's underlying type.
        value: Expr,
        /// Same type.
        mask: Expr,
    },
    /// `low .. high`, inclusive.
    Range {
        /// Same type as the subject.
        low: Expr,
        /// Same type as the subject.
        high: Expr,
    },
    /// The members of a value set. If the keyset has only this element while there are several
    /// subjects, the value set's element type is a struct or tuple with one member for each
    /// subject.
    ValueSet(ValueSetId),
}

/// `value_set<T>(size) name;`.
#[derive(Clone, Debug)]
pub struct ValueSet {
    /// As written.
    pub name: Name,
    /// Type of the members: `Bits`, enum, bool, or a struct or tuple of those.
    pub element: super::TypeId,
    /// Constant.
    pub size: Expr,
    /// Of the declaration.
    pub annotations: Annotations,
    /// The match kind of each value that is compared (`@match(ternary)` of a field, default
    /// `exact`), structs and tuples taken apart in order; one for a scalar.
    pub match_kinds: Vec<Option<MatchKindId>>,
}

/// A control with a body; if generic, each instance has its own type arguments
/// ([`super::Construct::type_args`]).
#[derive(Clone, Debug)]
pub struct Control {
    /// As written.
    pub name: Name,
    /// Of the declaration.
    pub annotations: Annotations,
    /// Type parameters.
    pub type_params: Vec<TypeVarId>,
    /// Run-time parameters.
    pub params: Vec<Param>,
    /// Constructor parameters.
    pub constructor_params: Vec<Param>,
    /// In order.
    pub locals: Vec<Local>,
    /// The `apply` block.
    pub body: Block,
    /// The whole declaration.
    pub span: Span,
}

/// An action. Its body may use the locals and parameters of the control that declares it (none for
/// top-level actions).
#[derive(Clone, Debug)]
pub struct Action {
    /// As written.
    pub name: Name,
    /// Of the declaration.
    pub annotations: Annotations,
    /// First those with a direction, then those without (given by the control plane).
    pub params: Vec<Param>,
    /// What it does.
    pub body: Block,
    /// The whole declaration.
    pub span: Span,
}

impl Action {
    /// How many leading parameters have a direction; the others are the control plane's.
    pub fn directed_params(&self) -> usize {
        self.params.iter().take_while(|param| param.direction != super::Direction::None).count()
    }
}

/// A table.
#[derive(Clone, Debug)]
pub struct Table {
    /// As written.
    pub name: Name,
    /// Of the declaration.
    pub annotations: Annotations,
    /// In order; empty for a table without key.
    pub keys: Vec<TableKey>,
    /// In order; no action twice. If no default action is written and `NoAction` is not listed, it
    /// is appended with an annotation `@defaultonly` that no source has.
    pub actions: Vec<TableAction>,
    /// What runs on a miss; filled in with `NoAction` if not written and core.p4's `NoAction` is
    /// declared.
    pub default_action: Option<DefaultAction>,
    /// The `entries` property.
    pub entries: Vec<Entry>,
    /// `const entries`: the control plane may not change them nor add others.
    pub const_entries: bool,
    /// The `size` property, a constant of type `Int` or `Bits`.
    pub size: Option<Expr>,
    /// Default true: the larger number wins.
    pub largest_priority_wins: bool,
    /// Other properties (`implementation`, `counters`, `meters`, `support_timeout`, …), in source
    /// order.
    pub properties: Vec<TableProperty>,
    /// The whole declaration.
    pub span: Span,
}

/// A part of a table's key.
#[derive(Clone, Debug)]
pub struct TableKey {
    /// What is looked up; evaluated in key order at each application.
    pub expr: Expr,
    /// The control plane's name: `@name`'s string, else the expression as P4_16 section 18.3.1.3
    /// names it (`hdr.ipv4.dstAddr`, `hdr.vlan[0].id`, `h.isValid()`, `x[7:0]`, `h.src & 0xFFFF`).
    pub name: String,
    /// How it matches.
    pub match_kind: MatchKindId,
    /// Of the key element.
    pub annotations: Annotations,
    /// The whole key element.
    pub span: Span,
}

/// An action in a table's list.
#[derive(Clone, Debug)]
pub struct TableAction {
    /// The action.
    pub action: ActionId,
    /// One for each parameter with a direction; evaluated when the action runs.
    pub bound_args: Vec<super::Arg>,
    /// `@tableonly`, `@defaultonly` and others.
    pub annotations: Annotations,
    /// Its place.
    pub span: Span,
}

/// An action of a table together with the control plane's arguments, as in an entry or default
/// action.
#[derive(Clone, Debug)]
pub struct ActionCall {
    /// Index into the table's `actions`.
    pub action: usize,
    /// One constant for each directionless parameter, of exactly its type.
    pub args: Vec<Expr>,
    /// Its place.
    pub span: Span,
}

/// A table's default action.
#[derive(Clone, Debug)]
pub struct DefaultAction {
    /// Which, with which arguments.
    pub call: ActionCall,
    /// The control plane may not change it.
    pub is_const: bool,
}

/// An entry given in the program.
#[derive(Clone, Debug)]
pub struct Entry {
    /// As many elements as the table has keys.
    pub keyset: Keyset,
    /// What runs on a match.
    pub call: ActionCall,
    /// Written or computed (P4_16 section 14.2.1.4.1), at least 1 unless written otherwise.
    /// Meaningful if some key is ternary, range or optional; see [`Table::largest_priority_wins`].
    pub priority: i64,
    /// This entry alone is constant (`const` before it), or the whole list is.
    pub is_const: bool,
    /// Of the entry.
    pub annotations: Annotations,
    /// The whole entry.
    pub span: Span,
}

/// A property without a meaning in the language itself.
#[derive(Clone, Debug)]
pub struct TableProperty {
    /// As written.
    pub name: Name,
    /// Its value: a constant, an instance, or a [`super::ExprKind::Construct`].
    pub value: Expr,
    /// `const`.
    pub is_const: bool,
    /// Of the property.
    pub annotations: Annotations,
}
