//! The parser's position in the tokens: peeking, consuming, expecting.

use super::{Abort, Parsed, Parser, limits};
use crate::ast::{Name, PathName};
use crate::diagnostic::Diagnostic;
use crate::span::Span;
use crate::token::{Keyword, Token, TokenKind};

impl Parser<'_> {
    pub(super) fn peek(&self) -> Token {
        self.tokens[self.at]
    }

    /// Returns the token `n` positions ahead; the end of the file if there are fewer.
    pub(super) fn peek_nth(&self, n: usize) -> Token {
        self.token_at(self.at + n)
    }

    pub(super) fn token_at(&self, index: usize) -> Token {
        self.tokens[index.min(self.tokens.len() - 1)]
    }

    pub(super) fn kind(&self) -> TokenKind {
        self.peek().kind
    }

    pub(super) fn keyword(&self) -> Option<Keyword> {
        self.peek().keyword()
    }

    pub(super) fn is(&self, kind: TokenKind) -> bool {
        self.kind() == kind
    }

    pub(super) fn is_keyword(&self, keyword: Keyword) -> bool {
        self.keyword() == Some(keyword)
    }

    pub(super) fn at_end(&self) -> bool {
        self.is(TokenKind::Eof)
    }

    /// Consumes a token, except for the end of the file.
    pub(super) fn bump(&mut self) -> Token {
        let token = self.peek();
        if token.kind != TokenKind::Eof {
            self.at += 1;
        }
        token
    }

    pub(super) fn accept(&mut self, kind: TokenKind) -> bool {
        let is_next = self.is(kind);
        if is_next {
            self.bump();
        }
        is_next
    }

    pub(super) fn accept_keyword(&mut self, keyword: Keyword) -> bool {
        let is_next = self.is_keyword(keyword);
        if is_next {
            self.bump();
        }
        is_next
    }

    pub(super) fn expect(&mut self, kind: TokenKind) -> Parsed<Token> {
        if self.is(kind) {
            Ok(self.bump())
        } else {
            Err(self.unexpected_token(&format!("`{}`", kind.symbol())))
        }
    }

    pub(super) fn expect_keyword(&mut self, keyword: Keyword) -> Parsed<Token> {
        if self.is_keyword(keyword) {
            Ok(self.bump())
        } else {
            Err(self.unexpected_token(&format!("`{}`", keyword.text())))
        }
    }

    /// Expects `;`. A missing `;` at the end of a line or block is reported, and parsing continues
    /// as if it were there.
    pub(super) fn expect_semicolon(&mut self) -> Parsed<()> {
        if self.accept(TokenKind::Semicolon) {
            return Ok(());
        }
        let next = self.peek();
        if next.at_line_start() || matches!(next.kind, TokenKind::RBrace | TokenKind::Eof) {
            self.missing_semicolon();
            return Ok(());
        }
        Err(self.unexpected_token("`;`"))
    }

    fn missing_semicolon(&mut self) {
        let place = self.sources.user_site(self.previous_span()).after();
        let next_token = self.describe(self.peek());
        let diagnostic =
            Diagnostic::error("syntax-missing-semicolon", format!("expected `;`, found {next_token}"))
                .primary(place, "expected `;` here")
                .suggest("add `;`", place, ";");
        self.report(diagnostic);
    }

    /// Returns whether the token is allowed as a name.
    pub(super) fn is_name(token: Token) -> bool {
        token.kind == TokenKind::Identifier && token.keyword().is_none_or(Keyword::is_contextual)
    }

    pub(super) fn take_name(&mut self) -> Name {
        let token = self.bump();
        Name { text: self.interner.text(token.text).clone(), span: token.span }
    }

    /// Expects a name; `what` describes it in the error: "the name of the field".
    pub(super) fn name(&mut self, what: &str) -> Parsed<Name> {
        if Parser::is_name(self.peek()) { Ok(self.take_name()) } else { Err(self.unexpected_for_name(what)) }
    }

    /// Expects a name with an optional `.` before it.
    pub(super) fn path_name(&mut self, what: &str) -> Parsed<PathName> {
        let global = self.accept(TokenKind::Dot);
        Ok(PathName { global, name: self.name(what)? })
    }

    /// Returns the span of the last consumed token.
    pub(super) fn previous_span(&self) -> Span {
        self.at.checked_sub(1).map_or(Span::NONE, |at| self.tokens[at].span)
    }

    /// Returns the span from `start` to the last consumed token.
    pub(super) fn span_from(&self, start: Span) -> Span {
        self.sources.join(start, self.previous_span())
    }

    /// Runs a parsing function one nesting level deeper, if the limit allows it.
    pub(super) fn nested<T>(&mut self, inner: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.nesting >= limits::NESTING {
            return Err(self.too_deep(&format!(
                "brackets, statements and types may be nested {} levels deep",
                limits::NESTING
            )));
        }
        self.nesting += 1;
        let result = inner(self);
        self.nesting -= 1;
        result
    }

    /// Reports nesting beyond a limit and skips the rest of the program, where further errors would
    /// only be noise.
    pub(super) fn too_deep(&mut self, limit: &str) -> Abort {
        let diagnostic = Diagnostic::error("syntax-too-deep", "the program is nested too deeply")
            .primary(self.peek().span, "the rest of the program is skipped")
            .note(limit);
        self.report(diagnostic);
        self.at = self.tokens.len() - 1;
        self.last_error_at = Some(self.at);
        Abort
    }

    /// Sets the height of the current expression to one more than that of its highest operand.
    pub(super) fn set_height(&mut self, operands: u32) -> Parsed<()> {
        self.height = operands + 1;
        if self.height > limits::HEIGHT {
            return Err(
                self.too_deep(&format!("an expression may nest at most {} operators", limits::HEIGHT))
            );
        }
        Ok(())
    }
}
