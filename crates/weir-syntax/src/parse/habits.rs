//! Advice about words from other languages, and about numbers in notations that P4 does not have.

use super::{Abort, Parser};
use crate::diagnostic::Diagnostic;
use crate::span::Span;
use crate::token::{Token, TokenKind};

/// The length of an Ethernet address such as `08:00:00:00:01:11`.
const ETHERNET_ADDRESS: usize = 17;

impl Parser<'_> {
    /// Returns advice if the unexpected token or the previous token is a habit from another
    /// language: a sentence, the text to replace, and its replacement.
    pub(super) fn foreign_habit(&self, found: Token) -> Option<(String, Span, &'static str)> {
        let before = self.at.checked_sub(1).map(|at| self.token_at(at));
        let word = |token: Token| (Parser::is_name(token), self.interner.text(token.text).clone());
        let operator = |span, operator| Some((format!("use `{operator}` in P4"), span, operator));
        match (word(found), before) {
            ((true, text), _) if &*text == "and" => operator(found.span, "&&"),
            ((true, text), _) if &*text == "or" => operator(found.span, "||"),
            (_, Some(before)) if word(before) == (true, "not".into()) => operator(before.span, "!"),
            (_, Some(before)) if found.kind == TokenKind::Colon && before.kind == TokenKind::RParen => {
                Some(("remove `:`".to_owned(), found.span, ""))
            }
            _ => None,
        }
    }

    /// Reports `1.5` or an IPv4 address when the parser is at the number after the first dot.
    pub(super) fn dotted_number(&mut self, first: Span) -> Abort {
        let mut parts = vec![self.interner.text(self.tokens[self.at - 2].text).to_string()];
        while self.is(TokenKind::Integer) {
            parts.push(self.interner.text(self.peek().text).to_string());
            self.bump();
            if !self.is(TokenKind::Dot) || self.peek_nth(1).kind != TokenKind::Integer {
                break;
            }
            self.bump();
        }
        let span = self.span_from(first);
        let written = parts.join(".");
        let address: Option<Vec<u8>> = parts.iter().map(|part| part.parse().ok()).collect();
        let diagnostic = match address.as_deref() {
            Some([a, b, c, d]) => {
                let number = format!("0x{a:02x}{b:02x}{c:02x}{d:02x}");
                Diagnostic::error("syntax-bad-integer", "P4 has no notation for IPv4 addresses")
                    .primary(span, "")
                    .suggest(format!("write the address as a number: `{number}`"), span, number)
            }
            _ => Diagnostic::error("syntax-bad-integer", format!("`{written}` is not a whole number"))
                .primary(span, "expected a whole number")
                .note("P4 has no fractions: to scale a value, multiply by a whole number and shift right"),
        };
        self.report(diagnostic);
        Abort
    }

    /// Reports an Ethernet address such as `08:00:00:00:01:11` that begins with the token at
    /// `start`, if there is one.
    pub(super) fn ethernet_address(&mut self, start: Span) -> Option<Abort> {
        let file = self.sources.file(start.file)?;
        let begin = start.start as usize;
        let text = file.text().get(begin..begin + ETHERNET_ADDRESS)?;
        let parts: Vec<&str> = text.split(':').collect();
        let is_byte = |part: &&str| part.len() == 2 && part.bytes().all(|byte| byte.is_ascii_hexdigit());
        if parts.len() != 6 || !parts.iter().all(is_byte) {
            return None;
        }
        let number = format!("0x{}", parts.concat());
        let span = Span { end: start.start + ETHERNET_ADDRESS as u32, ..start };
        let diagnostic = Diagnostic::error("syntax-bad-integer", "P4 has no notation for Ethernet addresses")
            .primary(span, "")
            .suggest(format!("write the address as a number: `{number}`"), span, number);
        self.report(diagnostic);
        Some(Abort)
    }

    /// Returns whether the cursor is at `header_type h {`, a declaration that all P4_14 programs
    /// have.
    pub(super) fn is_older_language(&self) -> bool {
        Parser::is_name(self.peek()) && &**self.interner.text(self.peek().text) == "header_type"
    }

    /// Reports a program in P4_14, and stops reading.
    pub(super) fn older_language(&mut self) -> Abort {
        let diagnostic = Diagnostic::error("syntax-unexpected-token", "this is P4_14, an older language")
            .primary(self.peek().span, "expected a declaration of P4_16")
            .note("p4c translates it: `p4test --std p4-14 --pp new.p4 old.p4`");
        self.report(diagnostic);
        while !self.at_end() {
            self.bump();
        }
        Abort
    }

    /// Reports `while (…) {`.
    pub(super) fn while_loop(&mut self, keyword: Span) -> Abort {
        let diagnostic = Diagnostic::error("syntax-misspelt-keyword", "P4 has no `while`")
            .primary(keyword, "")
            .note("`for (bit<8> i in 0..3) { … }` repeats statements a known number of times")
            .note("parser states can repeat until a header says that it is the last one");
        self.report(diagnostic);
        Abort
    }
}
