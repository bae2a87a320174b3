//! Restricts which calls are allowed in which contexts (P4_16 appendix F).

use weir_syntax::{Diagnostic, Span};

use super::{Checker, Place};

/// The kind of declaration that is called.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum CalleeKind {
    Parser,
    Control,
    Table,
    Extern,
    Action,
    Function,
}

impl CalleeKind {
    /// Returns the kind of the called declaration, with its article.
    fn description(self) -> &'static str {
        match self {
            CalleeKind::Parser => "a parser",
            CalleeKind::Control => "a control",
            CalleeKind::Table => "a table",
            CalleeKind::Extern => "an extern",
            CalleeKind::Action => "an action",
            CalleeKind::Function => "a function",
        }
    }

    fn is_allowed_in(self, place: Place) -> bool {
        match self {
            CalleeKind::Parser => place == Place::ParserState,
            CalleeKind::Control | CalleeKind::Table => place == Place::ControlApply,
            CalleeKind::Action => matches!(place, Place::ControlApply | Place::Action),
            CalleeKind::Extern | CalleeKind::Function => place != Place::TopLevel,
        }
    }

    fn allowed_places(self) -> &'static str {
        match self {
            CalleeKind::Parser => "parsers can be applied only in parser states",
            CalleeKind::Control => "controls can be applied only in the `apply` block of a control",
            CalleeKind::Table => "tables can be applied only in the `apply` block of their control",
            CalleeKind::Action => "actions can be called only from tables, `apply` blocks and other actions",
            CalleeKind::Extern | CalleeKind::Function => {
                "calls are allowed only in parsers, controls, actions and functions"
            }
        }
    }
}

impl Place {
    /// Describes the place for messages, with its preposition.
    fn description(self) -> &'static str {
        match self {
            Place::TopLevel => "at the top level",
            Place::ParserLocals => "in the declarations of a parser",
            Place::ParserState => "in a parser state",
            Place::ControlLocals => "in the declarations of a control",
            Place::ControlApply => "in the `apply` block of a control",
            Place::Action => "in an action",
            Place::Function => "in a function",
        }
    }
}

impl Checker<'_> {
    /// Returns whether `callee` may be called in the current context. Reports an error if not.
    pub(super) fn may_call(&mut self, callee: CalleeKind, span: Span) -> bool {
        let place = self.context.place;
        if callee.is_allowed_in(place) {
            return true;
        }
        let message = format!("{} cannot be called {}", callee.description(), place.description());
        let mut diagnostic = Diagnostic::error("misplaced-call", message)
            .primary(span, "not allowed here")
            .note(callee.allowed_places());
        if callee == CalleeKind::Table && place == Place::Action {
            diagnostic = diagnostic
                .note("tables select actions, not the other way around: apply this table after the one that selects the action");
        }
        self.report(diagnostic);
        false
    }

    /// Reports a statement that is not allowed in the current context.
    pub(super) fn misplaced_statement(&mut self, what: &str, span: Span) {
        let message = format!("`{what}` is not allowed {}", self.context.place.description());
        self.report(Diagnostic::error("misplaced-statement", message).primary(span, "not allowed here"));
    }
}
