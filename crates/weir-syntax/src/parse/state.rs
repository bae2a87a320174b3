//! Parser states, transitions and keysets.

use super::{Abort, Parsed, Parser};
use crate::ast::*;
use crate::diagnostic::Diagnostic;
use crate::token::{Keyword, TokenKind};

impl Parser<'_> {
    /// Parses `state name { … }`, after its annotations.
    pub(super) fn state(&mut self, annotations: Vec<Annotation>) -> Parsed<ParserState> {
        let start = self.bump().span;
        let name = self.name("the name of the state")?;
        let open = self.expect(TokenKind::LBrace)?.span;
        let statements = self.statements(|parser| parser.is_keyword(Keyword::Transition));
        let transition = if self.is_keyword(Keyword::Transition) {
            match self.transition() {
                Ok(transition) => Some(transition),
                Err(Abort) => {
                    self.skip_element(self.at);
                    None
                }
            }
        } else {
            None
        };
        let next_state = self.is_keyword(Keyword::State) && Parser::is_name(self.peek_nth(1));
        if transition.is_some() && !self.is(TokenKind::RBrace) && !self.at_end() && !next_state {
            let _ = self.unexpected_token("`}` (`transition` must come last in a state)");
            self.statements(|_| false);
        }
        // If the next state follows, only the brace is missing.
        let closed = self.close_block(open);
        if !next_state {
            closed?;
        }
        Ok(ParserState {
            id: self.next_id(),
            span: self.span_from(start),
            annotations,
            name,
            statements,
            transition,
        })
    }

    fn transition(&mut self) -> Parsed<Transition> {
        let start = self.bump().span;
        let kind = if self.is_keyword(Keyword::Select) {
            let select = self.select()?;
            self.stray_semicolon("`select`");
            TransitionKind::Select(select)
        } else {
            let state = self.name("the name of a state, or `select`")?;
            self.expect_semicolon()?;
            TransitionKind::Direct(state)
        };
        Ok(Transition { span: self.span_from(start), kind })
    }

    fn select(&mut self) -> Parsed<SelectExpr> {
        let start = self.bump().span;
        self.expect(TokenKind::LParen)?;
        let mut keys = Vec::new();
        while !self.is(TokenKind::RParen) {
            keys.push(self.expression()?);
            if !self.accept(TokenKind::Comma) {
                break;
            }
        }
        self.expect(TokenKind::RParen)?;
        let open = self.expect(TokenKind::LBrace)?.span;
        let mut cases = Vec::new();
        while !self.is(TokenKind::RBrace) && !self.at_end() && !self.starts_top_level() {
            let begin = self.at;
            match self.select_case() {
                Ok(case) => cases.push(case),
                Err(Abort) => self.skip_element(begin),
            }
        }
        self.close_block(open)?;
        Ok(SelectExpr { id: self.next_id(), span: self.span_from(start), keys, cases })
    }

    fn select_case(&mut self) -> Parsed<SelectCase> {
        let start = self.peek().span;
        let keyset = self.keyset()?;
        self.expect(TokenKind::Colon)?;
        let state = self.name("the name of a state")?;
        self.expect_semicolon()?;
        Ok(SelectCase { span: self.span_from(start), keyset, state })
    }

    /// Parses one set, or a tuple of sets in parentheses.
    pub(super) fn keyset(&mut self) -> Parsed<Keyset> {
        // `(a) &&& b` and `(T) a` are expressions that start with `(`. A tuple is followed by `:`.
        let is_tuple = self.is(TokenKind::LParen)
            && self.scan_balanced(self.at).is_some_and(|end| self.token_at(end).kind == TokenKind::Colon);
        if !is_tuple {
            return self.simple_keyset();
        }
        let start = self.bump().span;
        let mut sets = vec![self.simple_keyset()?];
        while self.accept(TokenKind::Comma) {
            sets.push(self.simple_keyset()?);
        }
        if !self.is(TokenKind::RParen) {
            return Err(self.unexpected_token("`,` or `)`"));
        }
        self.bump();
        let span = self.span_from(start);
        match sets.pop() {
            Some(only) if sets.is_empty() => Ok(Keyset { span, ..only }),
            last => {
                sets.extend(last);
                Ok(Keyset { id: self.next_id(), span, kind: KeysetKind::Tuple(sets) })
            }
        }
    }

    fn simple_keyset(&mut self) -> Parsed<Keyset> {
        let start = self.peek().span;
        let kind = if self.accept_keyword(Keyword::Default) {
            KeysetKind::Default
        } else if self.accept_keyword(Keyword::DontCare) {
            KeysetKind::DontCare
        } else {
            let first = self.expression()?;
            if self.accept(TokenKind::Mask) {
                KeysetKind::Mask(first, self.expression()?)
            } else if self.accept(TokenKind::DotDot) {
                KeysetKind::Range(first, self.expression()?)
            } else {
                KeysetKind::Value(first)
            }
        };
        Ok(Keyset { id: self.next_id(), span: self.span_from(start), kind })
    }

    /// Reports a statement in a parser outside of its states.
    pub(super) fn statement_outside_state(&mut self) -> Abort {
        let diagnostic = Diagnostic::error(
            "syntax-unexpected-token",
            format!("expected a state or a declaration, found {}", self.describe(self.peek())),
        )
        .primary(self.peek().span, "in a parser, statements are only allowed in states");
        self.report(diagnostic);
        Abort
    }
}
