//! Lines, and the words in them.

use crate::mistake::{Mistake, PartMistake};

/// A line of a test that is not empty, with its number.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line<'t> {
    /// The number of the line, from 1.
    pub number: usize,
    /// The line as it was written.
    raw: &'t str,
    /// The line without its comment and the white space around it.
    pub text: &'t str,
}

/// Returns the lines of a text that are not empty.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    let line = |(index, raw)| Line { number: index + 1, raw, text: without_comment(raw).trim() };
    text.lines().enumerate().map(line).filter(|line| !line.text.is_empty())
}

/// Returns a line without its comment. A comment begins with `#`, or with `//` at the start of a
/// word, but not inside double quotes.
fn without_comment(line: &str) -> &str {
    let (mut quoted, mut before) = (false, ' ');
    for (at, c) in line.char_indices() {
        match c {
            '"' => quoted = !quoted,
            '#' if !quoted => return &line[..at],
            '/' if !quoted && before.is_whitespace() && line[at..].starts_with("//") => return &line[..at],
            _ => {}
        }
        before = c;
    }
    line
}

impl Line<'_> {
    /// Makes a mistake with its place from a fault of this line.
    pub(crate) fn mistake(&self, fault: PartMistake<'_>) -> Mistake {
        let PartMistake { part, error } = fault;
        // Parts are slices of the line, so their addresses give their positions.
        let start = (part.as_ptr() as usize).checked_sub(self.raw.as_ptr() as usize);
        let inside = start.filter(|start| start + part.len() <= self.raw.len() && !part.is_empty());
        let (start, part) = match inside {
            Some(start) => (start, part),
            None => (self.raw.len() - self.raw.trim_start().len(), self.text),
        };
        Mistake {
            line: self.number,
            column: self.raw[..start].chars().count() + 1,
            length: part.chars().count().max(1),
            source: self.raw.trim_end().to_owned(),
            error,
        }
    }
}

/// Splits a text into the first word and the rest.
pub(crate) fn split_word(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    let end = match text.strip_prefix('"').and_then(|rest| rest.find('"')) {
        Some(close) => close + 2,
        None => text.find(char::is_whitespace).unwrap_or(text.len()),
    };
    (&text[..end], text[end..].trim_start())
}

/// Reads a name, which may be written in double quotes.
pub(crate) fn unquote(name: &str) -> &str {
    name.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(name)
}
