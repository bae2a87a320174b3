//! The parser of filters.

mod arithmetic;
mod value;

use std::net::IpAddr;

use super::FilterError;
use super::eval::{Family, Number, Relation, Side, Test};
use super::lex::{Token, lex};
use super::view::{ARP, IPV4, IPV6};

/// The words that have a meaning in filters, for suggestions.
const WORDS: [&str; 26] = [
    "and",
    "or",
    "not",
    "src",
    "dst",
    "host",
    "net",
    "mask",
    "port",
    "portrange",
    "proto",
    "ether",
    "ip",
    "ip6",
    "arp",
    "tcp",
    "udp",
    "sctp",
    "icmp",
    "icmp6",
    "vlan",
    "len",
    "greater",
    "less",
    "broadcast",
    "multicast",
];

/// The maximum depth of nested parentheses and negations.
const MAX_DEPTH: usize = 100;

/// The maximum number of primitives and numbers in a filter. It is limited because the tree is
/// evaluated recursively.
const MAX_PARTS: usize = 1000;

/// The protocol or layer that a primitive of a filter is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Subject {
    Ether,
    Arp,
    Ipv4,
    Ipv6,
    Protocol(u8),
}

/// The kind of a qualifier's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Host,
    Net,
    Port,
    PortRange,
    Proto,
}

/// The qualifiers before a value, such as `src host`.
#[derive(Clone, Copy, Debug, Default)]
struct Qualifiers {
    subject: Option<Subject>,
    side: Option<Side>,
    kind: Option<Kind>,
}

/// The state of parsing a filter.
struct Parser<'a> {
    text: &'a str,
    tokens: Vec<(usize, Token<'a>)>,
    next: usize,
    depth: usize,
    parts: usize,
    last: Option<Qualifiers>,
}

/// Parses a filter to a test.
pub(super) fn parse(text: &str) -> Result<Test, FilterError> {
    let mut parser = Parser { text, tokens: lex(text), next: 0, depth: 0, parts: 0, last: None };
    if parser.tokens.is_empty() {
        return Ok(Test::All);
    }
    let test = parser.alternatives()?;
    match parser.peek() {
        None => Ok(test),
        Some(Token::Symbol(")")) => Err(parser.error_here("this parenthesis was never opened")),
        Some(_) => Err(parser.expected_error("`and`, `or` or the end", &WORDS)),
    }
}

/// Returns the protocol or layer that a word stands for.
fn subject(word: &str) -> Option<Subject> {
    Some(match word {
        "ether" => Subject::Ether,
        "arp" => Subject::Arp,
        "ip" => Subject::Ipv4,
        "ip6" => Subject::Ipv6,
        "icmp" => Subject::Protocol(1),
        "tcp" => Subject::Protocol(6),
        "udp" => Subject::Protocol(17),
        "icmp6" => Subject::Protocol(58),
        "sctp" => Subject::Protocol(132),
        _ => return None,
    })
}

/// Reads a number, decimal or after `0x`.
fn number(word: &str) -> Option<u32> {
    match word.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => word.bytes().all(|b| b.is_ascii_digit()).then(|| word.parse().ok())?,
    }
}

impl<'a> Parser<'a> {
    /// Returns the next token without taking it.
    fn peek(&self) -> Option<&Token<'a>> {
        self.tokens.get(self.next).map(|(_, token)| token)
    }

    fn peek_word(&self) -> Option<&'a str> {
        match self.peek() {
            Some(Token::Word(word)) => Some(word),
            _ => None,
        }
    }

    fn take_word(&mut self, wanted: &str) -> bool {
        let is_next = self.peek_word() == Some(wanted);
        self.next += usize::from(is_next);
        is_next
    }

    fn take_sign(&mut self, wanted: &str) -> bool {
        let is_next = matches!(self.peek(), Some(Token::Symbol(sign)) if *sign == wanted);
        self.next += usize::from(is_next);
        is_next
    }

    /// Returns an error at the current token.
    fn error(&self, message: String, suggestion: Option<String>) -> FilterError {
        let offset = self.tokens.get(self.next).map_or(self.text.trim_end().len(), |(offset, _)| *offset);
        let column = self.text[..offset].chars().count() + 1;
        FilterError { text: self.text.to_owned(), column, message, suggestion }
    }

    fn error_here(&self, message: impl Into<String>) -> FilterError {
        self.error(message.into(), None)
    }

    /// Returns an error at the current token, which suggests one of the words that are allowed
    /// here.
    fn expected_error(&self, what: &str, words: &[&str]) -> FilterError {
        let description = match self.peek() {
            None => "the end".to_owned(),
            Some(Token::Word(word)) => format!("`{word}`"),
            Some(Token::Symbol(sign)) => format!("`{sign}`"),
            Some(Token::Unknown(stray)) => format!("`{stray}`"),
        };
        let near = self.peek_word().and_then(|word| weir_suggest::nearest(word, words.iter().copied()));
        self.error(format!("expected {what}, found {description}"), near.map(str::to_owned))
    }

    /// Parses tests that are joined by `and` and `or`, which have the same precedence and are
    /// left-associative.
    fn alternatives(&mut self) -> Result<Test, FilterError> {
        let mut left = self.negation()?;
        loop {
            if self.take_word("and") || self.take_sign("&&") {
                left = Test::And(Box::new(left), Box::new(self.negation()?));
            } else if self.take_word("or") || self.take_sign("||") {
                left = Test::Or(Box::new(left), Box::new(self.negation()?));
            } else {
                return Ok(left);
            }
        }
    }

    /// Parses a primitive with the negations before it.
    fn negation(&mut self) -> Result<Test, FilterError> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.error_here("parentheses and negations are nested too deeply"));
        }
        let test = if self.take_word("not") || self.take_sign("!") {
            Test::Not(Box::new(self.negation()?))
        } else if self.peek() == Some(&Token::Symbol("(")) && !self.opens_arithmetic() {
            self.next += 1;
            let test = self.alternatives()?;
            if !self.take_sign(")") {
                return Err(self.expected_error("`)`, `and` or `or`", &["and", "or"]));
            }
            test
        } else {
            self.primitive()?
        };
        self.depth -= 1;
        Ok(test)
    }

    /// Returns whether the parenthesis at the current token contains an arithmetic expression, that
    /// is, whether an operator follows its closing parenthesis.
    fn opens_arithmetic(&self) -> bool {
        let mut open = 0usize;
        for (index, (_, token)) in self.tokens.iter().enumerate().skip(self.next) {
            match token {
                Token::Symbol("(") => open += 1,
                Token::Symbol(")") => open -= 1,
                _ => {}
            }
            if open == 0 {
                let after = self.tokens.get(index + 1).map(|(_, token)| token);
                return matches!(after, Some(Token::Symbol(sign)) if !matches!(*sign, ")" | "&&" | "||" | "!" | "(" | "[" | "]"));
            }
        }
        false
    }

    fn count_part(&mut self) -> Result<(), FilterError> {
        self.parts += 1;
        if self.parts > MAX_PARTS {
            Err(self.error_here("the filter has more than 1000 parts"))
        } else {
            Ok(())
        }
    }

    /// Parses a test without `and`, `or` and `not`.
    fn primitive(&mut self) -> Result<Test, FilterError> {
        self.count_part()?;
        let after = self.tokens.get(self.next + 1).map(|(_, token)| token);
        let operator =
            matches!(after, Some(Token::Symbol(sign)) if !matches!(*sign, ")" | "&&" | "||" | "(" | "!"));
        let word = match self.peek() {
            Some(Token::Word(word)) => *word,
            Some(Token::Symbol("(")) => return self.comparison(),
            _ => return Err(self.expected_error("a primitive such as `tcp port 80` or `host 10.0.0.1`", &[])),
        };
        if operator {
            return self.comparison();
        }
        match word {
            "greater" | "less" => {
                self.next += 1;
                let relation = if word == "less" { Relation::LessOrEqual } else { Relation::GreaterOrEqual };
                let bytes = self.number_within(u32::MAX, "a number of bytes")?;
                Ok(Test::Compare(Number::Length, relation, Number::Constant(bytes)))
            }
            "vlan" => {
                self.next += 1;
                let identifier = self.peek_word().is_some_and(|word| number(word).is_some());
                let identifier =
                    identifier.then(|| self.number_within(4095, "a VLAN identifier")).transpose()?;
                Ok(Test::Vlan(identifier.map(|identifier| identifier as u16)))
            }
            "broadcast" | "multicast" => {
                self.next += 1;
                Ok(Test::Group { all: word == "broadcast" })
            }
            "len" => {
                self.next += 1;
                Err(self.expected_error("a comparison such as `len > 1000`", &[]))
            }
            _ => self.qualified_test(),
        }
    }

    /// Parses `[ether|ip|…] [src|dst] [host|net|port|portrange|proto] VALUE`, or a protocol alone.
    fn qualified_test(&mut self) -> Result<Test, FilterError> {
        let mut qualifiers = Qualifiers::default();
        if let Some(found) = self.peek_word().and_then(subject) {
            self.next += 1;
            qualifiers.subject = Some(found);
            match self.peek_word() {
                Some("broadcast" | "multicast") => return self.group(found),
                Some("src" | "dst" | "host" | "net" | "port" | "portrange" | "proto") => {}
                _ => return self.unqualified_test(found),
            }
        }
        qualifiers.side = self.side()?;
        qualifiers.kind = match self.peek_word() {
            Some("host") => Some(Kind::Host),
            Some("net") => Some(Kind::Net),
            Some("port") => Some(Kind::Port),
            Some("portrange") => Some(Kind::PortRange),
            Some("proto") => Some(Kind::Proto),
            _ => None,
        };
        self.next += usize::from(qualifiers.kind.is_some());
        let bare = qualifiers.subject.is_none() && qualifiers.side.is_none() && qualifiers.kind.is_none();
        if bare {
            qualifiers = self.repeated_qualifiers()?;
        }
        self.last = Some(qualifiers);
        self.value(qualifiers)
    }

    /// Returns the qualifiers for a value without qualifiers, which are those of the previous
    /// value.
    fn repeated_qualifiers(&self) -> Result<Qualifiers, FilterError> {
        let word = self.peek_word().unwrap_or_default();
        let address = word.parse::<IpAddr>().is_ok();
        let value = address || number(word).is_some() || word.contains(['/', ':']);
        match self.last {
            Some(last) if value => Ok(last),
            _ if address => {
                Err(self.error(format!("`{word}` has no qualifier"), Some(format!("host {word}"))))
            }
            _ => Err(self.expected_error("a primitive such as `tcp port 80` or `host 10.0.0.1`", &WORDS)),
        }
    }

    /// Parses `src`, `dst`, or their combinations.
    fn side(&mut self) -> Result<Option<Side>, FilterError> {
        let first = match self.peek_word() {
            Some("src") => Side::Source,
            Some("dst") => Side::Destination,
            _ => return Ok(None),
        };
        let other = if first == Side::Source { "dst" } else { "src" };
        let ahead = |n: usize| self.tokens.get(self.next + n).map(|(_, token)| token.clone());
        let joined = match (ahead(1), ahead(2)) {
            (Some(Token::Word("or")), Some(Token::Word(word))) if word == other => Some(Side::Either),
            (Some(Token::Word("and")), Some(Token::Word(word))) if word == other => Some(Side::Both),
            _ => None,
        };
        // `src host a and dst host b` is two primitives; `src and dst host a` is one.
        self.next += if joined.is_some() { 3 } else { 1 };
        Ok(Some(joined.unwrap_or(first)))
    }

    fn unqualified_test(&self, subject: Subject) -> Result<Test, FilterError> {
        Ok(match subject {
            Subject::Ether => {
                return Err(self.expected_error(
                    "`host`, `src`, `dst`, `proto`, `broadcast` or `multicast` after `ether`",
                    &["host", "src", "dst", "proto", "broadcast", "multicast"],
                ));
            }
            Subject::Arp => Test::EtherType(ARP),
            Subject::Ipv4 => Test::EtherType(IPV4),
            Subject::Ipv6 => Test::EtherType(IPV6),
            Subject::Protocol(1) => Test::Protocol(Family::Ipv4, 1),
            Subject::Protocol(58) => Test::Protocol(Family::Ipv6, 58),
            Subject::Protocol(number) => Test::Protocol(Family::Any, number),
        })
    }

    /// Parses `broadcast` or `multicast` as a test of the subject.
    fn group(&mut self, subject: Subject) -> Result<Test, FilterError> {
        let all = self.peek_word() == Some("broadcast");
        let test =
            match subject {
                Subject::Ether => Test::Group { all },
                Subject::Ipv4 if !all => Test::IpGroup(Family::Ipv4),
                Subject::Ipv6 if !all => Test::IpGroup(Family::Ipv6),
                _ => return Err(self.error_here(
                    "only `ether broadcast`, `ether multicast`, `ip multicast` and `ip6 multicast` are known",
                )),
            };
        self.next += 1;
        Ok(test)
    }

    fn number_within(&mut self, most: u32, what: &str) -> Result<u32, FilterError> {
        let value = self.peek_word().and_then(number);
        let number = value.ok_or_else(|| self.expected_error(what, &[]))?;
        if number > most {
            return Err(self.error_here(format!("{number} is too large: expected {what} up to {most}")));
        }
        self.next += 1;
        Ok(number)
    }
}
