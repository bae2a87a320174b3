//! The spelling of names and strings.

/// Keywords of the text form; a name that looks like one is written in backticks.
const RESERVED: &[&str] = &[
    "accept",
    "action",
    "advance",
    "apply",
    "as",
    "bit",
    "bool",
    "break",
    "call",
    "continue",
    "control",
    "copy",
    "default",
    "else",
    "emit",
    "enum",
    "error",
    "errors",
    "exit",
    "extern",
    "extract",
    "false",
    "file",
    "header",
    "header_type",
    "if",
    "in",
    "inout",
    "int",
    "invalidate_others",
    "lookahead",
    "loop",
    "next",
    "next_index",
    "on",
    "out",
    "package",
    "packet_length",
    "param",
    "parser",
    "pop_front",
    "procedure",
    "push_front",
    "reject",
    "return",
    "select",
    "set",
    "set_invalid",
    "set_valid",
    "stack",
    "state",
    "step",
    "switch",
    "table",
    "true",
    "type",
    "union",
    "value_set",
    "atomic",
    "var",
    "varbit",
    "verify",
];

/// Spells a name in the text form of the IR, in backticks if necessary.
pub(super) fn name(name: &str) -> String {
    if plain_length(name) == name.len() && !name.is_empty() && !RESERVED.contains(&name) {
        name.to_owned()
    } else {
        format!("`{}`", escape(name, '`'))
    }
}

/// Spells a string in the text form of the IR, quoted and escaped.
pub(super) fn text(text: &str) -> String {
    format!("\"{}\"", escape(text, '"'))
}

/// Escapes control characters, backslashes and the quotes.
fn escape(text: &str, quote: char) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        match c {
            '\n' => escaped.push_str("\\n"),
            '\\' => escaped.push_str("\\\\"),
            c if c == quote => escaped.extend(['\\', c]),
            c if c.is_control() => escaped.push_str(&c.escape_unicode().to_string()),
            c => escaped.push(c),
        }
    }
    escaped
}

/// Returns the length in bytes of the name at the beginning that needs no backticks: identifiers
/// joined by dots, with `[0]` for elements of stacks.
pub(super) fn plain_length(text: &str) -> usize {
    let identifier = |text: &str| -> usize {
        let ok = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '#');
        text.find(|c| !ok(c)).unwrap_or(text.len())
    };
    if text.starts_with(|c: char| c.is_ascii_digit()) {
        return 0;
    }
    let mut end = identifier(text);
    if &text[..end] == "_" {
        return 0;
    }
    while end > 0 {
        let rest = &text[end..];
        let more = if let Some(part) = rest.strip_prefix('.') {
            match identifier(part) {
                0 => 0,
                length => length + 1,
            }
        } else if let Some(index) = rest.strip_prefix('[') {
            let digits = index.find(|c: char| !c.is_ascii_digit()).unwrap_or(index.len());
            if digits > 0 && index[digits..].starts_with(']') { digits + 2 } else { 0 }
        } else {
            0
        };
        if more == 0 {
            break;
        }
        end += more;
    }
    end
}
