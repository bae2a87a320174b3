//! Mistakes in quantities.

use std::fmt;

/// A mistake in a quantity, in one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// A description of the mistake and of the expected value.
    pub message: String,
    /// The quantity that was probably meant.
    pub suggestion: Option<String>,
}

impl Error {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), suggestion: None }
    }

    /// Returns the same error with a suggestion.
    #[must_use]
    pub(crate) fn suggesting(self, suggestion: impl Into<String>) -> Self {
        Self { suggestion: Some(suggestion.into()), ..self }
    }
}

impl fmt::Display for Error {
    /// Writes `MESSAGE; did you mean "SUGGESTION"?`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        weir_suggest::write_message(f, &self.message, self.suggestion.as_deref())
    }
}

impl std::error::Error for Error {}

/// Prepares a text of the user for a message: escapes control characters, and shortens a long text.
pub(crate) fn show_text(text: &str) -> String {
    const MAX_SHOWN_CHARACTERS: usize = 40;
    let mut line = String::new();
    for c in text.chars().take(MAX_SHOWN_CHARACTERS) {
        if c.is_control() { line.extend(c.escape_default()) } else { line.push(c) }
    }
    if text.chars().nth(MAX_SHOWN_CHARACTERS).is_some() { line + "…" } else { line }
}
