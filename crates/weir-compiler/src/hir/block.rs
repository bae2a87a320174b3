//! Parsers, controls, actions and tables.

use weir_syntax::Span;

use super::{
    ActionId, Annotations, Block, ConstId, Expr, InstanceId, MatchKindId, Name, Param, StateId, Stmt,
    TableId, TypeVarId, ValueSetId, VarId,
};

/// A declaration at the start of a parser's or control's body.
#[derive(Clone, Debug)]
pub enum Local {
    /// A variable. It is initialized at each entry into the block, in declaration order, before the
    /// first state or the `apply` body.
    Var {
        /// The variable, which is in scope in the block's states, actions, tables and body.
        var: VarId,
        /// The initial value, of exactly the variable's type.
        init: Option<Expr>,
    },
    /// A constant of the block.
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

/// A parser with a body. Each instance of a generic parser has its own type arguments
/// ([`super::Construct::type_args`]).
#[derive(Clone, Debug)]
pub struct Parser {
    /// The name as written.
    pub name: Name,
    /// The annotations of the declaration.
    pub annotations: Annotations,
    /// The type parameters of the parser.
    pub type_params: Vec<TypeVarId>,
    /// The parameters at run time.
    pub params: Vec<Param>,
    /// The constructor's parameters.
    pub constructor_params: Vec<Param>,
    /// The local declarations, in source order.
    pub locals: Vec<Local>,
    /// All states, in source order.
    pub states: Vec<StateId>,
    /// The state called `start`.
    pub start: StateId,
    /// The location of the whole declaration.
    pub span: Span,
}

/// A state of a parser: its statements and its transition.
#[derive(Clone, Debug)]
pub struct State {
    /// The name as written.
    pub name: Name,
    /// The annotations of the declaration.
    pub annotations: Annotations,
    /// The statements that run when the parser enters the state.
    pub stmts: Vec<Stmt>,
    /// The transition to the next state. A missing `transition` is a transition to `reject`.
    pub transition: Transition,
    /// The location of the transition, or of the state if it has none.
    pub transition_span: Span,
}

/// The end of a parser's state, which says where the parser continues.
#[derive(Clone, Debug)]
pub enum Transition {
    /// An unconditional transition.
    Direct(Target),
    /// `select`: takes the first matching case. If none matches, sets `error.NoMatch` and rejects.
    Select {
        /// The expressions to compare, evaluated once in order.
        subjects: Vec<Expr>,
        /// The cases, in source order.
        cases: Vec<SelectCase>,
    },
}

/// Where a transition leads: to a state, or to the end of the parser.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    /// The parser succeeds.
    Accept,
    /// The parser fails. The error was set before; otherwise it is the default `NoError`.
    Reject,
    /// Another state of the same parser.
    State(StateId),
}

/// A case of a `select`: a keyset and its target.
#[derive(Clone, Debug)]
pub struct SelectCase {
    /// The values that select the case.
    pub keyset: Keyset,
    /// The target if the case matches.
    pub target: Target,
    /// The location of the whole case.
    pub span: Span,
}

/// The product of one set for each subject or table key, in order. `default` and `_` become one
/// [`KeysetElement::Any`] for each subject. A single value set for several subjects is one element
/// (see [`KeysetElement::ValueSet`]).
#[derive(Clone, Debug)]
pub struct Keyset {
    /// One element for each subject, except for a single value set.
    pub elements: Vec<KeysetElement>,
    /// The keyset's place in the source.
    pub span: Span,
}

/// A set of values of the subject's type.
#[derive(Clone, Debug)]
pub enum KeysetElement {
    /// All values (`_`, `default`).
    Any,
    /// One value; a compile-time constant in table entries. In an `lpm` key it matches the full
    /// width.
    Value(Expr),
    /// `value &&& mask`: all `x` with `x & mask == value & mask`. In an `lpm` key the mask is a
    /// prefix.
    Mask {
        /// The value, of type `Bits` or a serializable enum's underlying type.
        value: Expr,
        /// The mask, of the same type.
        mask: Expr,
    },
    /// `low .. high`, inclusive.
    Range {
        /// The lower bound, of the same type as the subject.
        low: Expr,
        /// The upper bound, of the same type as the subject.
        high: Expr,
    },
    /// The members of a value set. If the keyset consists of this element but there are several
    /// subjects, the value set's element type is a struct or tuple with one member for each
    /// subject.
    ValueSet(ValueSetId),
}

/// The declaration of a parser value set: `value_set<T>(size) name;`.
#[derive(Clone, Debug)]
pub struct ValueSet {
    /// The name as written.
    pub name: Name,
    /// The type of the members: `Bits`, enum, bool, or a struct or tuple of those.
    pub element: super::TypeId,
    /// The maximum number of members, a constant.
    pub size: Expr,
    /// The annotations of the declaration.
    pub annotations: Annotations,
    /// The match kind of each scalar value that is compared (`@match(ternary)` of a field, default
    /// `exact`): one for a scalar, one for each nested member of a struct or tuple, in order.
    pub match_kinds: Vec<Option<MatchKindId>>,
}

/// A control with a body. Each instance of a generic control has its own type arguments
/// ([`super::Construct::type_args`]).
#[derive(Clone, Debug)]
pub struct Control {
    /// The name as written.
    pub name: Name,
    /// The annotations of the declaration.
    pub annotations: Annotations,
    /// The type parameters of the control.
    pub type_params: Vec<TypeVarId>,
    /// The parameters at run time.
    pub params: Vec<Param>,
    /// The constructor's parameters.
    pub constructor_params: Vec<Param>,
    /// The local declarations, in source order.
    pub locals: Vec<Local>,
    /// The `apply` block.
    pub body: Block,
    /// The location of the whole declaration.
    pub span: Span,
}

/// An action. Its body may use the locals and parameters of the control that declares it (a
/// top-level action has none).
#[derive(Clone, Debug)]
pub struct Action {
    /// The name as written.
    pub name: Name,
    /// The annotations of the declaration.
    pub annotations: Annotations,
    /// The parameters with a direction, followed by those without (set by the control plane).
    pub params: Vec<Param>,
    /// The statements of the action.
    pub body: Block,
    /// The location of the whole declaration.
    pub span: Span,
}

impl Action {
    /// Returns the number of parameters with a direction, which come first. The control plane sets
    /// the others.
    pub fn directed_params(&self) -> usize {
        self.params.iter().take_while(|param| param.direction != super::Direction::None).count()
    }
}

/// A table with its keys, actions, entries and properties.
#[derive(Clone, Debug)]
pub struct Table {
    /// The name as written.
    pub name: Name,
    /// The annotations of the declaration.
    pub annotations: Annotations,
    /// The keys, in order; empty for a table without a key.
    pub keys: Vec<TableKey>,
    /// The actions, in order and without duplicates. If the program specifies no default action and
    /// does not list `NoAction`, the checker appends `NoAction` with an annotation `@defaultonly`
    /// that is not in the source.
    pub actions: Vec<TableAction>,
    /// The action that runs on a miss. If the program specifies none and declares core.p4's
    /// `NoAction`, it is `NoAction`.
    pub default_action: Option<DefaultAction>,
    /// The entries of the `entries` property.
    pub entries: Vec<Entry>,
    /// `const entries`: the control plane can neither change these entries nor add others.
    pub const_entries: bool,
    /// The `size` property, a constant of type `Int` or `Bits`.
    pub size: Option<Expr>,
    /// Whether the entry with the largest priority wins; true by default.
    pub largest_priority_wins: bool,
    /// The other properties (`implementation`, `counters`, `meters`, `support_timeout`, …), in
    /// source order.
    pub properties: Vec<TableProperty>,
    /// The other properties that call an action, such as PSA's `psa_empty_group_action`.
    pub action_properties: Vec<ActionProperty>,
    /// The location of the whole declaration.
    pub span: Span,
}

/// An element of a table's key: an expression and its match kind.
#[derive(Clone, Debug)]
pub struct TableKey {
    /// The expression to look up, evaluated in key order at each application.
    pub expr: Expr,
    /// The name for the control plane: the string of `@name`, otherwise the name that P4_16 section
    /// 18.3.1.3 derives from the expression (`hdr.ipv4.dstAddr`, `hdr.vlan[0].id`, `h.isValid()`,
    /// `x[7:0]`, `h.src & 0xFFFF`).
    pub name: String,
    /// How the key is matched.
    pub match_kind: MatchKindId,
    /// The annotations of the key element.
    pub annotations: Annotations,
    /// The location of the whole key element.
    pub span: Span,
}

/// An action in a table's list.
#[derive(Clone, Debug)]
pub struct TableAction {
    /// The action that entries may run.
    pub action: ActionId,
    /// The arguments for the parameters with a direction, evaluated when the action runs.
    pub bound_args: Vec<super::Arg>,
    /// The annotations such as `@tableonly` and `@defaultonly`.
    pub annotations: Annotations,
    /// The place of the list's element in the source.
    pub span: Span,
}

/// A call of one of a table's actions with the control plane's arguments, in an entry or as the
/// default action.
#[derive(Clone, Debug)]
pub struct ActionCall {
    /// The index in the table's `actions`.
    pub action: usize,
    /// One constant for each directionless parameter, of exactly the parameter's type.
    pub args: Vec<Expr>,
    /// The place of the call in the source.
    pub span: Span,
}

/// A table's default action, and whether it is constant.
#[derive(Clone, Debug)]
pub struct DefaultAction {
    /// The action and its arguments.
    pub call: ActionCall,
    /// Whether the control plane is not allowed to change it.
    pub is_const: bool,
}

/// An entry that the program gives a table.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The keyset, with one element for each key of the table.
    pub keyset: Keyset,
    /// The action that runs on a match.
    pub call: ActionCall,
    /// The priority, written or computed (P4_16 section 14.2.1.4.1); at least 1 unless written
    /// otherwise. It has a meaning if some key is ternary, range or optional; see
    /// [`Table::largest_priority_wins`].
    pub priority: i64,
    /// Whether this entry (`const` before it) or the whole list is constant.
    pub is_const: bool,
    /// The annotations of the entry.
    pub annotations: Annotations,
    /// The location of the whole entry.
    pub span: Span,
}

/// A property that calls an action, to which the language itself assigns no meaning.
#[derive(Clone, Debug)]
pub struct ActionProperty {
    /// The name as written.
    pub name: Name,
    /// The action and its arguments.
    pub call: ActionCall,
}

/// A property to which the language itself assigns no meaning.
#[derive(Clone, Debug)]
pub struct TableProperty {
    /// The name as written.
    pub name: Name,
    /// The value: a constant, an instance, or a [`super::ExprKind::Construct`].
    pub value: Expr,
    /// Whether the property is `const`.
    pub is_const: bool,
    /// The annotations of the property.
    pub annotations: Annotations,
}
