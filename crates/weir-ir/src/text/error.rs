//! Mistakes in the text form.

use std::fmt;

/// The error for a text that is not a program in the IR's text form.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct ParseError {
    /// Line in the text, from 1.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
    /// The message, with the expected and the found word, or the unknown name.
    pub message: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}
