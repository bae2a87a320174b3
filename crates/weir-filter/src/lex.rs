//! The tokens of a filter: words, numbers and operators.

/// A token of a filter: a word or a symbol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// A keyword, name, number, address, prefix or range: anything without operators and spaces.
    Word(&'a str),
    /// One of the operators below.
    Symbol(&'static str),
    /// A character that starts no token.
    Unknown(char),
}

/// Names that stand for numbers. Longer names come before their own prefixes.
pub(super) const FLAGS: [(&str, u32); 14] = [
    ("tcpflags", 13),
    ("tcp-fin", 1),
    ("tcp-syn", 2),
    ("tcp-rst", 4),
    ("tcp-push", 8),
    ("tcp-ack", 16),
    ("tcp-urg", 32),
    ("tcp-ece", 64),
    ("tcp-cwr", 128),
    ("icmptype", 0),
    ("icmpcode", 1),
    ("icmp-echoreply", 0),
    ("icmp-unreach", 3),
    ("icmp-echo", 8),
];

/// The operators. Longer ones come before their own prefixes.
const SIGNS: [&str; 22] = [
    "&&", "||", "!=", "==", "<=", ">=", "<<", ">>", "!", "(", ")", "[", "]", "<", ">", "=", "&", "|", "+",
    "*", ":", "-",
];

/// Returns the tokens with their byte offsets. Inside brackets, `:`, `-` and `/` are operators.
/// Outside brackets, they are parts of addresses, names and prefixes, unless they have spaces
/// around them.
pub(super) fn lex(text: &str) -> Vec<(usize, Token<'_>)> {
    let mut tokens = Vec::new();
    let mut brackets = 0usize;
    let mut offset = 0;
    while let Some(first) = text[offset..].chars().next() {
        let rest = &text[offset..];
        if first.is_whitespace() {
            offset += first.len_utf8();
            continue;
        }
        let in_word = |c: char| {
            c.is_ascii_alphanumeric()
                || matches!(c, '_' | '.')
                || (brackets == 0 && matches!(c, ':' | '/' | '-'))
        };
        let word: usize = rest.chars().take_while(|c| in_word(*c)).map(char::len_utf8).sum();
        // These are operators outside brackets only if they have spaces around them.
        let lone = matches!(&rest[..word], ":" | "/" | "-");
        // Names such as `tcp-syn` are single words also inside brackets.
        let flag = FLAGS.iter().find(|(name, _)| rest.starts_with(name)).map(|(name, _)| name.len());
        if let Some(length) = flag.filter(|length| *length >= word) {
            tokens.push((offset, Token::Word(&rest[..length])));
            offset += length;
        } else if word > 0 && !lone {
            tokens.push((offset, Token::Word(&rest[..word])));
            offset += word;
        } else if let Some(sign) = SIGNS.into_iter().chain(["/"]).find(|sign| rest.starts_with(sign)) {
            match sign {
                "[" => brackets += 1,
                "]" => brackets = brackets.saturating_sub(1),
                _ => {}
            }
            tokens.push((offset, Token::Symbol(sign)));
            offset += sign.len();
        } else {
            tokens.push((offset, Token::Unknown(first)));
            offset += first.len_utf8();
        }
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        let show = |(_, token)| match token {
            Token::Word(word) => word.to_owned(),
            Token::Symbol(sign) => format!("<{sign}>"),
            Token::Unknown(stray) => format!("?{stray}"),
        };
        lex(text).into_iter().map(show).collect()
    }

    #[test]
    fn signs_depend_on_brackets() {
        assert_eq!(words("ether[12:2]==0x0800"), ["ether", "<[>", "12", "<:>", "2", "<]>", "<==>", "0x0800"]);
        assert_eq!(words("net 10.0.0.0/8 && !arp"), ["net", "10.0.0.0/8", "<&&>", "<!>", "arp"]);
        assert_eq!(words("ether host 08:00:00:00:00:01"), ["ether", "host", "08:00:00:00:00:01"]);
        assert_eq!(words("ip[tcp-syn-1]"), ["ip", "<[>", "tcp-syn", "<->", "1", "<]>"]);
        assert_eq!(words("len - 14 / 2 ; é"), ["len", "<->", "14", "</>", "2", "?;", "?é"]);
        assert_eq!(words("portrange 5000-5010"), ["portrange", "5000-5010"]);
    }
}
