//! Annotations.

use super::{Parsed, Parser};
use crate::ast::{Annotation, AnnotationBody, AnnotationToken, AnnotationTokenKind, KeyValue, Name};
use crate::token::{Token, TokenKind};

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
            AnnotationBody::Unstructured(self.annotation_tokens()?)
        } else if self.accept(TokenKind::LBracket) {
            self.structured_body()?
        } else {
            AnnotationBody::Empty
        };
        Ok(Annotation { name, body, span: self.span_from(start) })
    }

    /// `@pragma name tokens`, up to the end of the line.
    fn pragma(&mut self, start: crate::span::Span) -> Parsed<Annotation> {
        let name: Name = self.take_name();
        let mut tokens = Vec::new();
        let mut depth = 0usize;
        while !self.at_end() && !self.peek().at_line_start() {
            match self.kind() {
                TokenKind::LParen => depth += 1,
                TokenKind::RParen if depth == 0 => {
                    return Err(self.unexpected("balanced parentheses in a pragma"));
                }
                TokenKind::RParen => depth -= 1,
                _ => {}
            }
            let token = self.annotation_token()?;
            tokens.push(token);
        }
        if depth > 0 {
            return Err(self.unexpected("`)` to close the pragma"));
        }
        let body =
            if tokens.is_empty() { AnnotationBody::Empty } else { AnnotationBody::Unstructured(tokens) };
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
                TokenKind::Eof => return Err(self.unexpected("`)` to close the annotation")),
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
            // The grammar's UNEXPECTED_TOKEN: annotations may contain characters that P4 does not
            // use.
            TokenKind::Unknown => AnnotationTokenKind::Punctuation(text()),
            _ => return Err(self.unexpected("a token of the annotation")),
        };
        self.bump();
        Ok(AnnotationToken { kind, span: token.span })
    }

    fn structured_body(&mut self) -> Parsed<AnnotationBody> {
        if Parser::is_name(self.peek()) && self.peek_nth(1).kind == TokenKind::Assign {
            let mut pairs = vec![self.key_value()?];
            while self.accept(TokenKind::Comma) && !self.is(TokenKind::RBracket) {
                pairs.push(self.key_value()?);
            }
            self.expect(TokenKind::RBracket)?;
            return Ok(AnnotationBody::KeyValues(pairs));
        }
        let mut list = Vec::new();
        while !self.is(TokenKind::RBracket) {
            list.push(self.expression()?);
            if !self.accept(TokenKind::Comma) {
                break;
            }
        }
        self.expect(TokenKind::RBracket)?;
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
