//! Quotes documents in messages. A message is one line of bounded length, whatever the document
//! contains.

/// Characters of the longest name that is shown whole.
pub(crate) const SHORT: usize = 80;

/// Bytes of the longest message.
pub(crate) const LONGEST: usize = 800;

/// A name in a message: cut to fit in a line, with control characters replaced.
pub(crate) fn short(name: &str) -> String {
    let visible = |c: char| if c.is_control() { '\u{fffd}' } else { c };
    let mut shown: String = name.chars().take(SHORT).map(visible).collect();
    if name.chars().nth(SHORT).is_some() {
        shown.push('…');
    }
    shown
}

/// A message as one line: a text that it quotes is cut to fit.
pub(crate) fn line(message: String) -> String {
    if message.len() <= LONGEST && !message.contains(char::is_control) {
        return message;
    }
    let mut shown = String::new();
    for c in message.chars() {
        if shown.len() >= LONGEST {
            shown.push('…');
            break;
        }
        if c.is_control() { shown.extend(c.escape_default()) } else { shown.push(c) }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_one_line_whatever_it_quotes() {
        assert_eq!(short("a\nb"), "a\u{fffd}b");
        assert_eq!(short(&"é".repeat(1 << 20)), format!("{}…", "é".repeat(SHORT)));
        assert_eq!(line("a\nb".to_owned()), "a\\nb");
        assert!(line("é".repeat(1 << 20)).len() < LONGEST + 8);
    }
}
