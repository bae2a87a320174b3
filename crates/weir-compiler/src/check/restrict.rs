//! What may be called from where (P4_16 appendix F).

use weir_syntax::{Diagnostic, Span};

use super::{Checker, Place};

/// What is called.
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
            Called::Parser => "parsers are applied in parser states",
            Called::Control => "controls are applied in `apply` blocks of controls",
            Called::Table => "tables are applied in the `apply` block of their control",
            Called::Action => "actions are called by tables, in `apply` blocks and by other actions",
            Called::Extern | Called::Function => "calls belong into parsers, controls, actions and functions",
        }
    }
}

impl Place {
    fn words(self) -> &'static str {
        match self {
            Place::TopLevel => "at the top level",
            Place::ParserLocals => "among a parser's declarations",
            Place::ParserState => "in a parser state",
            Place::ControlLocals => "among a control's declarations",
            Place::ControlApply => "in a control's `apply` block",
            Place::Action => "in an action",
            Place::Function => "in a function",
        }
    }
}

impl Checker<'_> {
    /// Whether `called` may be called where the checker stands; reports if not.
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

    /// Reports a statement that does not belong where the checker stands.
    pub(super) fn misplaced_statement(&mut self, what: &str, span: Span) {
        let message = format!("`{what}` is not allowed {}", self.context.place.words());
        self.report(Diagnostic::error("misplaced-statement", message).primary(span, "not allowed here"));
    }
}
