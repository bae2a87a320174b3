//! Errors of requests, with messages for users.

use std::fmt;

use weir_json::{Diagnostic, Node};
use weir_switch::control::ControlError;

/// The error of a request: a message of one line, and the most similar valid name if there is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// A description of the mistake and of the expected value.
    pub message: String,
    /// The nearest right name or spelling.
    pub suggestion: Option<String>,
    /// The switch's own error, if the request reached the switch.
    pub cause: Option<Box<ControlError>>,
}

impl Error {
    /// Creates an error without suggestion.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: one_line(message.into()), suggestion: None, cause: None }
    }

    /// Returns the same error with a suggestion.
    #[must_use]
    pub fn suggesting(mut self, suggestion: impl Into<String>) -> Self {
        self.suggestion = Some(suggestion.into());
        self
    }

    /// Returns the same error, with the part of the request that it is about, such as `key
    /// hdr.ipv4.ttl`.
    #[must_use]
    pub fn in_part(mut self, part: impl fmt::Display) -> Self {
        self.message = one_line(format!("{part}: {}", self.message));
        self
    }

    /// Returns the same error at a place in a document.
    pub fn at_node(self, node: Node<'_>) -> Diagnostic {
        node.error_with_suggestion(self.message, self.suggestion)
    }
}

/// Returns a message with its control characters escaped: a user's text may contain them.
fn one_line(message: String) -> String {
    if !message.contains(char::is_control) {
        return message;
    }
    let escaped = |c: char| if c.is_control() { c.escape_default().to_string() } else { c.into() };
    message.chars().map(escaped).collect()
}

impl From<weir_units::Error> for Error {
    fn from(error: weir_units::Error) -> Self {
        Self { message: error.message, suggestion: error.suggestion, cause: None }
    }
}

impl fmt::Display for Error {
    /// Writes `MESSAGE; did you mean "SUGGESTION"?`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        weir_suggest::write_message(f, &self.message, self.suggestion.as_deref())
    }
}

impl std::error::Error for Error {}
