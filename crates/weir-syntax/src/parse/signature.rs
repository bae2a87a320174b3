//! Parameters, type parameters and function prototypes.

use super::{Abort, Parsed, Parser};
use crate::ast::*;
use crate::token::{Keyword, TokenKind};

impl Parser<'_> {
    /// Parses `<A, B>`, if it is there. The names are types until the caller leaves the scope.
    pub(super) fn type_parameters(&mut self) -> Parsed<Vec<TypeParameter>> {
        let mut list = Vec::new();
        if !self.accept(TokenKind::Lt) {
            return Ok(list);
        }
        loop {
            let symbol = self.peek().text;
            let name = self.name("the name of a type parameter")?;
            self.types.declare_locally(symbol);
            list.push(TypeParameter { id: self.next_id(), name });
            if !self.accept(TokenKind::Comma) {
                break;
            }
        }
        if !self.is(TokenKind::Gt) {
            return Err(self.unexpected_token("`,` or `>`"));
        }
        self.bump();
        Ok(list)
    }

    /// Parses `(parameters)`.
    pub(super) fn parameters(&mut self) -> Parsed<Vec<Parameter>> {
        self.expect(TokenKind::LParen)?;
        let mut list = Vec::new();
        while !self.is(TokenKind::RParen) {
            match self.parameter() {
                Ok(parameter) => list.push(parameter),
                Err(Abort) => self.skip_parameter()?,
            }
            if !self.accept(TokenKind::Comma) {
                break;
            }
            if self.is(TokenKind::RParen) {
                return Err(self.unexpected_token("a parameter after `,`"));
            }
        }
        if !self.is(TokenKind::RParen) {
            return Err(self.unexpected_token("`,` or `)`"));
        }
        self.bump();
        Ok(list)
    }

    fn skip_parameter(&mut self) -> Parsed<()> {
        let mut open = 0usize;
        loop {
            match self.kind() {
                TokenKind::Comma | TokenKind::RParen if open == 0 => return Ok(()),
                TokenKind::LParen => open += 1,
                TokenKind::RParen => open -= 1,
                TokenKind::LBrace | TokenKind::RBrace | TokenKind::Semicolon | TokenKind::Eof => {
                    return Err(Abort);
                }
                _ => {}
            }
            self.bump();
        }
    }

    fn parameter(&mut self) -> Parsed<Parameter> {
        let start = self.peek().span;
        let annotations = self.annotations()?;
        let direction = match self.keyword() {
            Some(Keyword::In) => Direction::In,
            Some(Keyword::Out) => Direction::Out,
            Some(Keyword::InOut) => Direction::InOut,
            _ => Direction::None,
        };
        if direction != Direction::None {
            self.bump();
        }
        let ty = self.type_ref()?;
        let (ty, name) = self.declarator(ty, "the name of the parameter")?;
        let default = if self.accept(TokenKind::Assign) { Some(self.expression()?) } else { None };
        Ok(Parameter {
            id: self.next_id(),
            span: self.span_from(start),
            annotations,
            direction,
            ty,
            name,
            default,
        })
    }

    /// Parses `type name<types>(parameters)`. Its type parameters stay in scope.
    pub(super) fn prototype(&mut self) -> Parsed<(Name, Signature)> {
        // The return type may be a type parameter declared after it, so any name is accepted.
        let return_type = self.type_ref()?;
        let name = self.name("the name of the function")?;
        let type_params = self.type_parameters()?;
        if !self.is(TokenKind::LParen) {
            return Err(self.unexpected_token("`(` and parameters"));
        }
        let params = self.parameters()?;
        Ok((name, Signature { return_type, type_params, params }))
    }

    /// Parses `type name(parameters) { … }`.
    pub(super) fn function(
        &mut self,
        start: crate::span::Span,
        annotations: Vec<Annotation>,
    ) -> Parsed<Declaration> {
        let scope = self.types.enter();
        let function = self.prototype().and_then(|(name, signature)| {
            let body = self.block(Vec::new())?;
            Ok((name, FunctionDecl { signature, body }))
        });
        self.types.leave(scope);
        let (name, function) = function?;
        Ok(self.declaration_node(start, annotations, Some(name), DeclKind::Function(function)))
    }
}
