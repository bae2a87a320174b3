//! Mistakes in the text of a test.

use std::fmt;

use weir_control::Error;

/// A mistake in a line of a test, with its position in the line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// The line, from 1.
    pub line: usize,
    /// The column at which the wrong part begins, in characters from 1.
    pub column: usize,
    /// The number of characters, at least 1.
    pub length: usize,
    /// The line's text.
    pub source: String,
    /// A description of the mistake and of the expected value.
    pub error: Error,
}

impl Mistake {
    /// Returns the line, and below it carets under the wrong part. Control characters are shown as
    /// escapes, except for tabs.
    pub fn snippet(&self) -> String {
        let (mut line, mut below) = (String::new(), String::new());
        for (at, c) in self.source.chars().enumerate() {
            let character =
                if c.is_control() && c != '\t' { c.escape_default().to_string() } else { c.into() };
            let is_wrong = (self.column - 1..self.column - 1 + self.length).contains(&at);
            for c in character.chars() {
                below.push(if is_wrong {
                    '^'
                } else if c == '\t' {
                    c
                } else {
                    ' '
                });
            }
            line.push_str(&character);
        }
        // The wrong part may be missing at the end of the line.
        if !below.contains('^') {
            below.push('^');
        }
        format!("{line}\n{}", below.trim_end())
    }
}

impl fmt::Display for Mistake {
    /// Writes `LINE:COLUMN: MESSAGE; did you mean "SUGGESTION"?`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.error)
    }
}

impl std::error::Error for Mistake {}

/// A mistake in a part of a line, with that part.
#[derive(Debug)]
pub(crate) struct PartMistake<'l> {
    pub part: &'l str,
    pub error: Error,
}

/// Attaches an error to the part of a line that it is about.
pub(crate) trait AtPart<T> {
    fn at_part(self, part: &str) -> Result<T, PartMistake<'_>>;
}

impl<T> AtPart<T> for Result<T, Error> {
    fn at_part(self, part: &str) -> Result<T, PartMistake<'_>> {
        self.map_err(|error| PartMistake { part, error })
    }
}
