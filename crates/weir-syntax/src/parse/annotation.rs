//! Annotations.

use super::{Parsed, Parser};
use crate::ast::{Annotation, AnnotationBody, AnnotationToken, AnnotationTokenKind, KeyValue, Name};
use crate::diagnostic::Diagnostics;
use crate::token::{Symbol, Token, TokenKind};

impl Parser<'_> {
    pub(super) fn annotations(&mut self) -> Parsed<Vec<Annotation>> {
        let mut list = Vec::new();
        while self.is(TokenKind::At) {
            list.push(self.annotation()?);
        }
        Ok(list)
    }

    fn annotation(&mut self) -> Parsed<Annotation> {
        let start = self.bump().span;
        let name = self.name("an annotation name")?;
        let next = self.peek();
        let body = if name.as_str() == "pragma" && next.kind == TokenKind::Identifier && !next.at_line_start()
        {
            return self.pragma(start);
        } else if self.accept(TokenKind::LParen) {
            let from = self.at;
            let tokens = self.annotation_tokens()?;
            let structured = self.as_structured(from, from + tokens.len());
            AnnotationBody::Unstructured(tokens, structured)
        } else if self.accept(TokenKind::LBracket) {
            self.structured_body(TokenKind::RBracket)?
        } else {
            AnnotationBody::Empty
        };
        Ok(Annotation { name, body, span: self.span_from(start) })
    }

    /// Parses `@pragma name tokens`, up to the end of the line.
    fn pragma(&mut self, start: crate::span::Span) -> Parsed<Annotation> {
        let name: Name = self.take_name();
        let from = self.at;
        let mut tokens = Vec::new();
        let mut depth = 0usize;
        while !self.at_end() && !self.peek().at_line_start() {
            match self.kind() {
                TokenKind::LParen => depth += 1,
                TokenKind::RParen if depth == 0 => {
                    return Err(self.unexpected_token("balanced parentheses in a pragma"));
                }
                TokenKind::RParen => depth -= 1,
                _ => {}
            }
            let token = self.annotation_token()?;
            tokens.push(token);
        }
        if depth > 0 {
            return Err(self.unexpected_token("`)` to close the pragma"));
        }
        let body = if tokens.is_empty() {
            AnnotationBody::Empty
        } else {
            let structured = self.as_structured(from, self.at);
            AnnotationBody::Unstructured(tokens, structured)
        };
        Ok(Annotation { name, body, span: self.span_from(start) })
    }

    fn annotation_tokens(&mut self) -> Parsed<Vec<AnnotationToken>> {
        let mut tokens = Vec::new();
        let mut depth = 0usize;
        loop {
            match self.kind() {
                TokenKind::LParen => depth += 1,
                TokenKind::RParen if depth == 0 => {
                    self.bump();
                    return Ok(tokens);
                }
                TokenKind::RParen => depth -= 1,
                TokenKind::Eof => return Err(self.unexpected_token("`)` to close the annotation")),
                _ => {}
            }
            tokens.push(self.annotation_token()?);
        }
    }

    fn annotation_token(&mut self) -> Parsed<AnnotationToken> {
        let token: Token = self.peek();
        let text = || self.interner.text(token.text).clone();
        let kind = match token.kind {
            TokenKind::Identifier => AnnotationTokenKind::Word(text()),
            TokenKind::Integer => AnnotationTokenKind::Integer(text()),
            TokenKind::String => AnnotationTokenKind::String(text()),
            kind if kind.is_punctuation() => AnnotationTokenKind::Punctuation(kind.symbol().into()),
            // The grammar's token UNEXPECTED_TOKEN: annotations may contain characters that P4 does
            // not use.
            TokenKind::Unknown => AnnotationTokenKind::Punctuation(text()),
            _ => return Err(self.unexpected_token("a token of the annotation")),
        };
        self.bump();
        Ok(AnnotationToken { kind, span: token.span })
    }

    /// Reads the tokens from `from` to `to` as the expressions or pairs that they would be in
    /// brackets. Reports nothing if the tokens are neither expressions nor pairs: an unstructured
    /// annotation may contain any tokens.
    fn as_structured(&mut self, from: usize, to: usize) -> Option<Box<AnnotationBody>> {
        if from == to {
            return None;
        }
        let mut tokens = self.tokens[from..to].to_vec();
        tokens.push(Token::new(TokenKind::Eof, Symbol::EMPTY, self.tokens[to - 1].span.after()));
        let mut unreported = Diagnostics::new();
        let mut inner = Parser {
            tokens: &tokens,
            at: 0,
            interner: self.interner,
            sources: self.sources,
            diagnostics: &mut unreported,
            last_id: self.last_id,
            nesting: self.nesting,
            height: 0,
            last_error_at: None,
            width_end: None,
            types: std::mem::take(&mut self.types),
        };
        let body = inner.structured_body(TokenKind::Eof);
        (self.types, self.last_id) = (inner.types, inner.last_id);
        body.ok().filter(|_| unreported.is_empty()).map(Box::new)
    }

    fn structured_body(&mut self, end: TokenKind) -> Parsed<AnnotationBody> {
        if Parser::is_name(self.peek()) && self.peek_nth(1).kind == TokenKind::Assign {
            let mut pairs = vec![self.key_value()?];
            while self.accept(TokenKind::Comma) && !self.is(end) {
                pairs.push(self.key_value()?);
            }
            self.expect(end)?;
            return Ok(AnnotationBody::KeyValues(pairs));
        }
        let mut list = Vec::new();
        while !self.is(end) {
            list.push(self.expression()?);
            if !self.accept(TokenKind::Comma) {
                break;
            }
        }
        self.expect(end)?;
        Ok(AnnotationBody::Expressions(list))
    }

    pub(super) fn key_value(&mut self) -> Parsed<KeyValue> {
        let start = self.peek().span;
        let name = self.name("a name")?;
        self.expect(TokenKind::Assign)?;
        let value = self.expression()?;
        Ok(KeyValue { name, value, span: self.span_from(start) })
    }
}
