//! Procedures, parsers and controls.

use crate::annotation::Annotation;
use crate::arena::Arena;
use crate::bits::Bits;
use crate::loc::Loc;

use super::expr::Expr;
use super::stmt::Block;
use super::variable::Param;
use super::{ParserStateId, ValueSetId};

/// The body of a function, of an applied sub-control, or of an action with parameters that do not
/// come from tables. Arguments are copied into and out of its variables by the caller's statements.
#[derive(Clone, Debug, PartialEq)]
pub struct Procedure {
    /// The procedure's unique name.
    pub name: String,
    /// The action of which this procedure is the body, if there is one.
    pub action: Option<CalledAction>,
    /// The statements; `Return` ends the procedure.
    pub body: Block,
    /// The place of its declaration.
    pub loc: Loc,
}

/// An action that code calls, under its control-plane name.
#[derive(Clone, Debug, PartialEq)]
pub struct CalledAction {
    /// The control-plane name, which several actions may have.
    pub name: String,
    /// The annotations of the action.
    pub annotations: Vec<Annotation>,
}

/// A parser with its sub-parsers expanded.
#[derive(Clone, Debug, PartialEq)]
pub struct Parser {
    /// The instance's name.
    pub name: String,
    /// The parameters, without `packet_in`.
    pub params: Vec<Param>,
    /// Statements that run once before the start state: the initialisation of the parser's locals.
    pub locals: Block,
    /// The states; `accept` and `reject` are [`Target`]s, not states.
    pub states: Arena<ParserState>,
    /// The state in which parsing begins.
    pub start: ParserStateId,
    /// The place of its declaration.
    pub loc: Loc,
}

/// One state of a [`Parser`].
#[derive(Clone, Debug, PartialEq)]
pub struct ParserState {
    /// The state's name, unique within the parser; `sub.start` for states of sub-parsers.
    pub name: String,
    /// The statements before the transition.
    pub body: Block,
    /// The transition to the next state.
    pub transition: Transition,
    /// The place of its declaration.
    pub loc: Loc,
}

/// The end of a parser's state, which says where the parser continues.
#[derive(Clone, Debug, PartialEq)]
pub enum Transition {
    /// An unconditional transition.
    Goto(Target),
    /// A transition to the target of the first case whose keysets all match. If no case matches,
    /// parsing ends with the error `NoMatch`.
    Select {
        /// The expressions that the cases are compared with.
        keys: Vec<Expr>,
        /// The cases, tried in order; each has as many keysets as there are keys.
        cases: Vec<SelectCase>,
        /// The place in the source.
        loc: Loc,
    },
}

/// One case of a select: its keysets and its target.
#[derive(Clone, Debug, PartialEq)]
pub struct SelectCase {
    /// The keysets, one for each key.
    pub keysets: Vec<Keyset>,
    /// The target if the case matches.
    pub target: Target,
    /// The place in the source.
    pub loc: Loc,
}

/// Where a transition leads: to a state, or to the end of the parser.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// Another state.
    State(ParserStateId),
    /// Parsing succeeds.
    Accept,
    /// Parsing ends with an error (the current parser error, `NoError` if none was set).
    Reject,
}

/// A set of values of a key's type. It is known at compile time, except for parser value sets.
#[derive(Clone, Debug, PartialEq)]
pub enum Keyset {
    /// Every value: `default` or `_`.
    Any,
    /// One value.
    Value(Bits),
    /// The values that `value &&& mask` accepts.
    Mask(Bits, Bits),
    /// The values from `low` to `high`, both included; compared as signed numbers for signed keys.
    Range(Bits, Bits),
    /// The members of a parser value set, which the control plane fills. The set covers `width`
    /// keys, beginning with this key; the keysets of the other keys are `Any`.
    Set(ValueSetId),
}

/// A control that the package uses.
#[derive(Clone, Debug, PartialEq)]
pub struct Control {
    /// The instance's name.
    pub name: String,
    /// The parameters, without `packet_out`.
    pub params: Vec<Param>,
    /// The local initialisation, then the `apply` block. `Return` and `Exit` both end the body.
    pub body: Block,
    /// The place of its declaration.
    pub loc: Loc,
}
