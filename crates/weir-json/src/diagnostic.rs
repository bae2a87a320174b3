//! Diagnostics: mistakes in a document, with their places.

use std::fmt;

/// A mistake in a document, with its place and a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The file; `None` if the document was not read from a file.
    pub file: Option<String>,
    /// Line and column in characters, both counted from 1; `None` if the document was not read from
    /// text.
    pub place: Option<(usize, usize)>,
    /// The JSON path, such as `$.links[0]`; `None` if the text is not JSON.
    pub path: Option<String>,
    /// A description of the mistake and of the expected value, in one line.
    pub message: String,
    /// The most similar valid name or spelling.
    pub suggestion: Option<String>,
}

impl Diagnostic {
    /// Returns the place in the file, as far as it is known: `12:7: $.links[0]`.
    pub fn location(&self) -> Option<String> {
        let place = self.place.map(|(line, column)| format!("{line}:{column}"));
        match (place, &self.path) {
            (Some(place), Some(path)) => Some(format!("{place}: {path}")),
            (Some(place), None) => Some(place),
            (None, path) => path.clone(),
        }
    }
}

impl fmt::Display for Diagnostic {
    /// Writes `FILE:LINE:COLUMN: PATH: MESSAGE; did you mean "SUGGESTION"?`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(f, "{file}{}", if self.place.is_some() { ":" } else { ": " })?;
        }
        if let Some(location) = self.location() {
            write!(f, "{location}: ")?;
        }
        weir_suggest::write_message(f, &self.message, self.suggestion.as_deref())
    }
}

impl std::error::Error for Diagnostic {}
