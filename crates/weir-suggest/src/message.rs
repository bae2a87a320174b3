//! Messages that end with a suggestion.

use std::fmt;

/// Writes `MESSAGE; did you mean "SUGGESTION"?`, or the message alone. A suggestion that has quotes
/// of its own is not quoted again.
pub fn write_message(f: &mut fmt::Formatter<'_>, message: &str, suggestion: Option<&str>) -> fmt::Result {
    f.write_str(message)?;
    match suggestion {
        Some(suggestion) if suggestion.contains('"') => write!(f, "; did you mean {suggestion}?"),
        Some(suggestion) => write!(f, "; did you mean \"{suggestion}\"?"),
        None => Ok(()),
    }
}
