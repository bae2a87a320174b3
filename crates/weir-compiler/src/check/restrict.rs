//! Restricts which calls are allowed in which contexts (P4_16 appendix F).

use weir_syntax::{Diagnostic, Span};

use super::{Checker, Place};

/// The kind of declaration that is called.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Called {
    Parser,
    Control,
    Table,
    Extern,
    Action,
    Function,
}

impl Called {
    fn words(self) -> &'static str {
        match self {
            Called::Parser => "a parser",
            Called::Control => "a control",
            Called::Table => "a table",
            Called::Extern => "an extern",
            Called::Action => "an action",
            Called::Function => "a function",
        }
    }

    fn allowed(self, place: Place) -> bool {
        match self {
            Called::Parser => place == Place::ParserState,
            Called::Control | Called::Table => place == Place::ControlApply,
            Called::Action => matches!(place, Place::ControlApply | Place::Action),
            Called::Extern | Called::Function => place != Place::TopLevel,
        }
    }

    fn home(self) -> &'static str {
        match self {
            Called::Parser => "parsers can be applied only in parser states",
            Called::Control => "controls can be applied only in the `apply` block of a control",
            Called::Table => "tables can be applied only in the `apply` block of their control",
            Called::Action => "actions can be called only from tables, `apply` blocks and other actions",
            Called::Extern | Called::Function => {
                "calls are allowed only in parsers, controls, actions and functions"
            }
        }
    }
}

impl Place {
    fn words(self) -> &'static str {
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
    /// Returns whether `called` may be called in the current context. Reports an error if not.
    pub(super) fn may_call(&mut self, called: Called, span: Span) -> bool {
        let place = self.context.place;
        if called.allowed(place) {
            return true;
        }
        let message = format!("{} cannot be called {}", called.words(), place.words());
        let diagnostic = Diagnostic::error("misplaced-call", message)
            .primary(span, "not allowed here")
            .note(called.home());
        self.report(diagnostic);
        false
    }

    /// Reports a statement that is not allowed in the current context.
    pub(super) fn misplaced_statement(&mut self, what: &str, span: Span) {
        let message = format!("`{what}` is not allowed {}", self.context.place.words());
        self.report(Diagnostic::error("misplaced-statement", message).primary(span, "not allowed here"));
    }
}
