//! Values and lists of names in messages.

use weir_json::{Kind, Value};

use crate::Error;

/// Prepares a text of the user for a message of one line: control characters are escaped, and a
/// long text is cut.
pub(crate) fn show_text(text: &str) -> String {
    /// The maximum number of characters of a text that a message shows.
    const MAX_CHARACTERS: usize = 200;
    let mut visible = String::new();
    for c in text.chars().take(MAX_CHARACTERS) {
        if c.is_control() { visible.extend(c.escape_default()) } else { visible.push(c) }
    }
    if text.chars().nth(MAX_CHARACTERS).is_some() {
        visible.push('…');
    }
    visible
}

/// Lists names for a message: the first eight, and the number of the others.
pub(crate) fn listing<S: AsRef<str>>(names: &[S]) -> String {
    /// The maximum number of names that a list in a message shows.
    const MAX_NAMES: usize = 8;
    if names.is_empty() {
        return "none".to_owned();
    }
    let first: Vec<_> = names.iter().take(MAX_NAMES).map(AsRef::as_ref).collect();
    let first = first.join(", ");
    if names.len() > MAX_NAMES { format!("{first} and {} more", names.len() - MAX_NAMES) } else { first }
}

/// Returns the known name nearest to a wrong one. A topology can have so many nodes that comparing
/// all takes too much time, so only the first ones are compared.
pub(crate) fn nearest<S: AsRef<str>>(wrong: &str, known: &[S]) -> Option<String> {
    /// The maximum number of names that are compared with a wrong name.
    const MAX_COMPARED_NAMES: usize = 10_000;
    weir_suggest::nearest(wrong, known.iter().take(MAX_COMPARED_NAMES).map(AsRef::as_ref)).map(str::to_owned)
}

/// Reads a string; `expected` describes it.
pub(crate) fn string<'v>(value: &'v Value, expected: &str) -> Result<&'v str, Error> {
    match &value.kind {
        Kind::Text(text) => Ok(text),
        _ => Err(Error::new(format!("expected {expected}, found {}", value.describe()))),
    }
}

/// Returns whether a text consists of decimal digits, at least one.
pub(crate) fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}
