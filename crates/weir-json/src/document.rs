//! Documents: their values, and the text to which the places of values refer.

use crate::parse::{ParseError, parse};
use crate::path::path;
use crate::text::{MAX_MESSAGE_BYTES, line};
use crate::{Collector, Diagnostic, Kind, Mistakes, Value};

/// A JSON document that was read: its text and its root value.
#[derive(Clone, Debug)]
pub struct Document {
    file: Option<String>,
    text: String,
    pub(crate) root: Value,
}

impl Document {
    /// Reads a text. A byte order mark at its start is skipped.
    ///
    /// # Errors
    /// The text is not JSON, is nested more than 512 levels deep, or has objects in which a key
    /// occurs twice. All such mistakes are returned, up to the first syntax error that cannot be
    /// repaired.
    pub fn parse(file: impl Into<String>, text: impl Into<String>) -> Result<Self, Mistakes> {
        let (file, mut text) = (Some(file.into()), text.into());
        if text.starts_with('\u{feff}') {
            text.remove(0);
        }
        let empty = Self { file, text: String::new(), root: Kind::Null.into() };
        match parse(&text) {
            Ok(root) => Ok(Self { text, root, ..empty }),
            Err(errors) => {
                let document = Self { text, ..empty };
                let mut mistakes = Collector::default();
                mistakes.read_each(errors, |error| Err::<(), _>(document.not_read(error)));
                mistakes.finish(document)
            }
        }
    }

    /// Returns the diagnostic for a mistake that keeps the text from being read.
    fn not_read(&self, ParseError { message, offset, path }: ParseError) -> Diagnostic {
        let place = offset.map(|offset| self.line_and_column(offset));
        Diagnostic { file: self.file.clone(), place, path, message, suggestion: None }
    }

    /// Creates a document from values that a front end made itself.
    pub fn from_value(root: Value) -> Self {
        Self { file: None, text: String::new(), root }
    }

    /// Creates a diagnostic about a value of this document.
    pub(crate) fn diagnostic(&self, at: &Value, message: String, suggestion: Option<String>) -> Diagnostic {
        Diagnostic {
            file: self.file.clone(),
            place: at.offset.map(|offset| self.line_and_column(offset)),
            path: Some(path(&self.root, at)),
            message: line(message),
            suggestion: suggestion.filter(|near| near.len() <= MAX_MESSAGE_BYTES),
        }
    }

    /// Returns the line and the column in characters, from 1, of a byte offset.
    fn line_and_column(&self, offset: usize) -> (usize, usize) {
        let before = self.text.get(..offset).unwrap_or(&self.text);
        let line = before.rsplit('\n').next().unwrap_or_default();
        (before.matches('\n').count() + 1, line.chars().count() + 1)
    }
}
