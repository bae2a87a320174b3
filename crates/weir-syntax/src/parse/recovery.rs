//! Reporting of syntax errors and recovery after them.

use super::{Abort, Parser};
use crate::diagnostic::Diagnostic;
use crate::token::{Keyword, Token, TokenKind};

/// Keywords that start a top-level declaration.
const DECLARATION_KEYWORDS: &[Keyword] = &[
    Keyword::Action,
    Keyword::Const,
    Keyword::Control,
    Keyword::Enum,
    Keyword::Extern,
    Keyword::Header,
    Keyword::HeaderUnion,
    Keyword::Package,
    Keyword::Parser,
    Keyword::Struct,
    Keyword::Typedef,
    Keyword::Table,
];

/// Returns whether a keyword also occurs in the bodies of parsers, controls and tables.
fn is_local_keyword(keyword: Keyword) -> bool {
    matches!(keyword, Keyword::Action | Keyword::Const | Keyword::Table)
}

impl Parser<'_> {
    /// Returns a description of a token: "`x`", "keyword `table`", "the end of the file".
    pub(super) fn describe(&self, token: Token) -> String {
        match token.kind {
            TokenKind::Eof => "the end of the file".to_string(),
            TokenKind::String => "a string".to_string(),
            TokenKind::Identifier => {
                match token.keyword().filter(|k| !k.is_contextual() && *k != Keyword::DontCare) {
                    Some(keyword) => format!("keyword `{}`", keyword.text()),
                    None => format!("`{}`", self.interner.text(token.text)),
                }
            }
            _ => format!("`{}`", token.spelling(self.interner)),
        }
    }

    /// Reports an error, unless an error was already reported at this token.
    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        if self.last_error_at != Some(self.at) {
            self.diagnostics.push(diagnostic);
        }
        self.last_error_at = Some(self.at);
    }

    /// Reports an unexpected token.
    pub(super) fn unexpected_token(&mut self, expected: &str) -> Abort {
        let next_token = self.peek();
        if next_token.kind == TokenKind::Colon
            && let Some(before) = self.at.checked_sub(1)
            && let Some(abort) = self.ethernet_address(self.token_at(before).span)
        {
            return abort;
        }
        let diagnostic = match next_token.kind {
            TokenKind::UnterminatedString => {
                Diagnostic::error("syntax-unterminated-string", "unterminated string")
                    .primary(next_token.span, "expected a closing `\"`")
            }
            TokenKind::UnterminatedComment => {
                Diagnostic::error("syntax-unterminated-comment", "unterminated comment")
                    .primary(next_token.span, "expected a closing `*/`")
            }
            TokenKind::Unknown => Diagnostic::error(
                "syntax-unknown-character",
                format!("unknown character {}", self.describe(next_token)),
            )
            .primary(next_token.span, format!("expected {expected}")),
            _ => {
                let diagnostic = Diagnostic::error(
                    "syntax-unexpected-token",
                    format!("expected {expected}, found {}", self.describe(next_token)),
                )
                .primary(next_token.span, format!("expected {expected}"));
                match self.foreign_habit(next_token) {
                    Some((what, span, replacement)) => diagnostic.suggest(what, span, replacement),
                    None => diagnostic,
                }
            }
        };
        self.report(diagnostic);
        Abort
    }

    /// Like [`Parser::unexpected_token`], for places where a name is expected.
    pub(super) fn unexpected_for_name(&mut self, what: &str) -> Abort {
        let next_token = self.peek();
        match next_token.keyword() {
            Some(keyword) => {
                let word = if keyword == Keyword::DontCare { "`_`" } else { "a keyword" };
                let message = format!("expected {what}, found {}", self.describe(next_token));
                let diagnostic = Diagnostic::error("syntax-unexpected-token", message)
                    .primary(next_token.span, format!("expected {what}"))
                    .note(format!("{word} cannot be used as a name"));
                self.report(diagnostic);
                Abort
            }
            None => self.unexpected_token(what),
        }
    }

    /// Like [`Parser::unexpected_token`], with a suggestion if the word is a misspelt keyword.
    pub(super) fn unexpected_word(&mut self, expected: &str, keywords: &[Keyword]) -> Abort {
        let next_token = self.peek();
        let word =
            if Parser::is_name(next_token) { self.interner.text(next_token.text).clone() } else { "".into() };
        match weir_suggest::misspelt_word(&word, keywords.iter().map(|k| k.text())) {
            Some(near) => {
                let diagnostic = Diagnostic::error(
                    "syntax-misspelt-keyword",
                    format!("expected {expected}, found `{word}`"),
                )
                .primary(next_token.span, "")
                .suggest(format!("did you mean `{near}`?"), next_token.span, near);
                self.report(diagnostic);
                Abort
            }
            None => self.unexpected_token(expected),
        }
    }

    /// Reports and consumes a superfluous `;` after a `}`.
    pub(super) fn stray_semicolon(&mut self, element: &str) {
        if self.is(TokenKind::Semicolon) {
            let span = self.peek().span;
            let diagnostic = Diagnostic::error(
                "syntax-stray-semicolon",
                format!("unexpected `;` after the `}}` of {element}"),
            )
            .primary(span, "")
            .suggest("remove `;`", span, "");
            self.report(diagnostic);
            self.bump();
        }
    }

    /// Skips to where the next element of a list in braces may start: after `;`, after a balanced
    /// `{…}`, before the list's own `}`, or before a keyword that only starts top-level
    /// declarations. `start` is the first token of the broken element.
    pub(super) fn skip_element(&mut self, start: usize) {
        let mut open = 0usize;
        while !self.at_end() {
            match self.kind() {
                TokenKind::Semicolon if open == 0 => {
                    self.bump();
                    return;
                }
                TokenKind::LBrace => open += 1,
                TokenKind::RBrace if open == 0 => return,
                TokenKind::RBrace => {
                    open -= 1;
                    if open == 0 && self.element_ends_after() {
                        self.bump();
                        return;
                    }
                }
                _ if self.at > start && self.starts_top_level() => return,
                _ => {}
            }
            self.bump();
        }
    }

    /// Skips to the next top-level declaration.
    pub(super) fn skip_declaration(&mut self, start: usize) {
        if self.at == start {
            self.bump();
        }
        let mut open = 0usize;
        while !self.at_end() {
            match self.kind() {
                TokenKind::Semicolon if open == 0 => {
                    self.bump();
                    return;
                }
                TokenKind::LBrace => open += 1,
                TokenKind::RBrace => {
                    open = open.saturating_sub(1);
                    if open == 0 && self.element_ends_after() && self.peek_nth(1).kind != TokenKind::RBrace {
                        self.bump();
                        return;
                    }
                }
                TokenKind::At if self.peek().at_line_start() && open == 0 => return,
                _ if self.starts_top_level() || (open == 0 && self.is_declaration_line()) => return,
                _ => {}
            }
            self.bump();
        }
    }

    /// Returns whether the broken element ends with the `}` at the cursor: a new line or the end of
    /// a list follows.
    fn element_ends_after(&self) -> bool {
        let next = self.peek_nth(1);
        next.at_line_start() || matches!(next.kind, TokenKind::RBrace | TokenKind::Eof)
    }

    fn is_declaration_line(&self) -> bool {
        let token = self.peek();
        token.at_line_start() && token.keyword().is_some_and(|k| DECLARATION_KEYWORDS.contains(&k))
    }

    /// Returns whether an unindented keyword of a top-level declaration at the start of a line is
    /// at the cursor. Unclosed `{` are considered closed there.
    pub(super) fn starts_top_level(&self) -> bool {
        let token = self.peek();
        token.at_line_start()
            && token.keyword().is_some_and(|k| DECLARATION_KEYWORDS.contains(&k) && !is_local_keyword(k))
            && self.sources.user_site(token.span) == token.span
            && self.is_unindented(token)
    }

    fn is_unindented(&self, token: Token) -> bool {
        let Some(file) = self.sources.file(token.span.file) else { return false };
        token.span.start == 0 || file.text().as_bytes().get(token.span.start as usize - 1) == Some(&b'\n')
    }

    /// Returns the keywords that start a declaration.
    pub(super) fn declaration_keywords(&self) -> &'static [Keyword] {
        DECLARATION_KEYWORDS
    }
}
