//! Quotes documents in messages. A message is one line of bounded length, whatever the document
//! contains.

/// The maximum length of a name that is shown completely, in characters.
pub(crate) const MAX_NAME_CHARACTERS: usize = 80;

/// The maximum length of a message in bytes.
pub(crate) const MAX_MESSAGE_BYTES: usize = 800;

/// Prepares a name for a message: shortens it to fit in a line, and replaces control characters.
pub(crate) fn shorten(name: &str) -> String {
    let visible = |c: char| if c.is_control() { '\u{fffd}' } else { c };
    let mut visible_name: String = name.chars().take(MAX_NAME_CHARACTERS).map(visible).collect();
    if name.chars().nth(MAX_NAME_CHARACTERS).is_some() {
        visible_name.push('…');
    }
    visible_name
}

/// Makes a message one line of limited length.
pub(crate) fn line(message: String) -> String {
    if message.len() <= MAX_MESSAGE_BYTES && !message.contains(char::is_control) {
        return message;
    }
    let mut visible_text = String::new();
    for c in message.chars() {
        if visible_text.len() >= MAX_MESSAGE_BYTES {
            visible_text.push('…');
            break;
        }
        if c.is_control() { visible_text.extend(c.escape_default()) } else { visible_text.push(c) }
    }
    visible_text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_one_line_whatever_it_quotes() {
        assert_eq!(shorten("a\nb"), "a\u{fffd}b");
        assert_eq!(shorten(&"é".repeat(1 << 20)), format!("{}…", "é".repeat(MAX_NAME_CHARACTERS)));
        assert_eq!(line("a\nb".to_owned()), "a\\nb");
        assert!(line("é".repeat(1 << 20)).len() < MAX_MESSAGE_BYTES + 8);
    }
}
