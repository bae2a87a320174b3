//! Mistakes in the text of a test.

use std::fmt;

use weir_control::Error;

/// What is wrong with a line of a test, and with which part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// The line, from 1.
    pub line: usize,
    /// Where the wrong part begins, in characters from 1.
    pub column: usize,
    /// How many characters it has, at least 1.
    pub length: usize,
    /// The line's text.
    pub source: String,
    /// What is wrong and what was expected.
    pub error: Error,
}

impl Mistake {
    /// The line, and below it carets under the wrong part.
    pub fn snippet(&self) -> String {
        let before = self.source.chars().take(self.column - 1);
        let space: String = before.map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
        format!("{}\n{space}{}", self.source, "^".repeat(self.length))
    }
}

impl fmt::Display for Mistake {
    /// `LINE:COLUMN: MESSAGE; did you mean "SUGGESTION"?`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.error)
    }
}

impl std::error::Error for Mistake {}

/// What is wrong with a part of a line.
#[derive(Debug)]
pub(crate) struct Fault<'l> {
    pub part: &'l str,
    pub error: Error,
}

/// Errors, at the part of a line that they are about.
pub(crate) trait At<T> {
    fn at(self, part: &str) -> Result<T, Fault<'_>>;
}

impl<T> At<T> for Result<T, Error> {
    fn at(self, part: &str) -> Result<T, Fault<'_>> {
        self.map_err(|error| Fault { part, error })
    }
}
