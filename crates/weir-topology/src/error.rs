//! Mistakes in values.

use std::fmt;

use weir_json::{Diagnostic, Node};

/// A mistake in a value, in one line, with the nearest right spelling if there is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// A description of the mistake and of the expected value.
    pub message: String,
    /// The nearest right name or spelling.
    pub suggestion: Option<String>,
}

impl Error {
    /// Creates an error without suggestion.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), suggestion: None }
    }

    /// Returns the same error with a suggestion, if there is one.
    #[must_use]
    pub fn suggesting(self, suggestion: Option<String>) -> Self {
        Self { suggestion, ..self }
    }

    /// Returns the same error at a place in a document.
    pub fn at(self, node: Node<'_>) -> Diagnostic {
        node.error_with_suggestion(self.message, self.suggestion)
    }
}

impl From<weir_units::Error> for Error {
    fn from(error: weir_units::Error) -> Self {
        Self { message: error.message, suggestion: error.suggestion }
    }
}

impl fmt::Display for Error {
    /// Writes `MESSAGE; did you mean "SUGGESTION"?`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        weir_suggest::write_message(f, &self.message, self.suggestion.as_deref())
    }
}

impl std::error::Error for Error {}
