//! Repairs a text after a syntax error, so that the rest of the text can be read. A repair keeps
//! the length of the text, so that the places of later mistakes are right.

use jsonc_parser::errors::ParseErrorKind;

/// Replaces the characters that caused a syntax error at a byte offset. Returns whether the text
/// changed.
pub(crate) fn repair(text: &mut String, kind: &ParseErrorKind, at: usize) -> bool {
    use ParseErrorKind as Error;
    let rest = &text[at..];
    let (length, replacement) = match kind {
        Error::CommentsNotAllowed => {
            let length = comment_length(rest);
            let spaces = rest.as_bytes()[..length].iter().map(|byte| if *byte == b'\n' { '\n' } else { ' ' });
            (length, spaces.collect())
        }
        Error::TrailingCommasNotAllowed | Error::UnexpectedComma => (1, " ".to_owned()),
        Error::ExpectedComma if rest.starts_with(|c: char| c.is_ascii_whitespace()) => (1, ",".to_owned()),
        Error::SingleQuotedStringsNotAllowed => match rest[1..].find(['\'', '\n']) {
            Some(inner) if rest[1 + inner..].starts_with('\'') => {
                (inner + 2, format!("\"{}\"", " ".repeat(inner)))
            }
            _ => return false,
        },
        Error::BareDecimalPointNumbersNotAllowed
        | Error::HexadecimalNumbersNotAllowed
        | Error::NonFiniteNumbersNotAllowed
        | Error::UnaryPlusNumbersNotAllowed
        | Error::UnexpectedToken
        | Error::UnexpectedWord => {
            let is_part = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '+' | '-');
            let length = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
            let next = rest[length..].trim_start();
            // A number would be another mistake if it were a key or at the end of the text.
            if length == 0 || next.is_empty() || next.starts_with(':') {
                return false;
            }
            (length, "1".repeat(length))
        }
        _ => return false,
    };
    text.replace_range(at..at + length, &replacement);
    true
}

fn comment_length(text: &str) -> usize {
    let end = |mark: &str, own: usize| text.find(mark).map_or(text.len(), |length| length + own);
    if text.starts_with("/*") { end("*/", 2) } else { end("\n", 0) }
}
