//! Type references.

use super::{Parsed, Parser, limits};
use crate::ast::{Expr, ExprKind, Name, NamedType, TypeRef, TypeRefKind};
use crate::diagnostic::Diagnostic;
use crate::token::{Keyword, TokenKind};

impl Parser<'_> {
    pub(super) fn type_ref(&mut self) -> Parsed<TypeRef> {
        self.nested(Parser::type_ref_here)
    }

    fn type_ref_here(&mut self) -> Parsed<TypeRef> {
        let start = self.peek().span;
        let kind = match self.keyword() {
            Some(Keyword::Bool) => self.simple_type(TypeRefKind::Bool),
            Some(Keyword::Error) => self.simple_type(TypeRefKind::Error),
            Some(Keyword::MatchKind) => self.simple_type(TypeRefKind::MatchKind),
            Some(Keyword::String) => self.simple_type(TypeRefKind::String),
            Some(Keyword::Void) => self.simple_type(TypeRefKind::Void),
            Some(Keyword::Bit) => {
                self.bump();
                if self.is(TokenKind::LParen) {
                    return Err(self.unexpected_token("`<` and a width, as in `bit<8>`"));
                }
                let width = if self.is(TokenKind::Lt) { Some(self.width()?) } else { None };
                TypeRefKind::Bit(width)
            }
            Some(Keyword::Int) => {
                self.bump();
                if self.is(TokenKind::Lt) { TypeRefKind::SignedInt(self.width()?) } else { TypeRefKind::Int }
            }
            Some(Keyword::Varbit) => {
                self.bump();
                TypeRefKind::Varbit(self.width()?)
            }
            Some(Keyword::Tuple) => {
                self.bump();
                if !self.is(TokenKind::Lt) {
                    return Err(self.unexpected_token("`<` and the types of the tuple"));
                }
                TypeRefKind::Tuple(self.type_args()?)
            }
            Some(Keyword::List) if self.peek_nth(1).kind == TokenKind::Lt => {
                self.bump();
                self.expect(TokenKind::Lt)?;
                let element = self.type_arg()?;
                self.expect(TokenKind::Gt)?;
                TypeRefKind::List(Box::new(element))
            }
            _ => TypeRefKind::Named(self.named_type()?),
        };
        let ty = TypeRef { id: self.next_id(), span: self.span_from(start), kind };
        self.sizes(ty)
    }

    /// Parses `[size]` after a type, any number of times.
    fn sizes(&mut self, mut ty: TypeRef) -> Parsed<TypeRef> {
        let start = ty.span;
        let mut sizes = 0;
        while self.is(TokenKind::LBracket) {
            sizes += 1;
            if sizes > limits::NESTING {
                return Err(self.too_deep(&format!("a type may have at most {} sizes", limits::NESTING)));
            }
            self.bump();
            let size = self.expression()?;
            self.expect(TokenKind::RBracket)?;
            let kind = TypeRefKind::Stack(Box::new(ty), Box::new(size));
            ty = TypeRef { id: self.next_id(), span: self.span_from(start), kind };
        }
        Ok(ty)
    }

    /// Parses the name in a declaration with the type `ty`. Returns the name and the type: sizes
    /// may follow the name, as in `bit<8> x[4]`, which p4c reads as `bit<8>[4] x`.
    pub(super) fn declarator(&mut self, ty: TypeRef, what: &str) -> Parsed<(TypeRef, Name)> {
        let name = self.name(what)?;
        Ok((self.sizes(ty)?, name))
    }

    fn simple_type(&mut self, kind: TypeRefKind) -> TypeRefKind {
        self.bump();
        kind
    }

    fn named_type(&mut self) -> Parsed<NamedType> {
        let global = self.accept(TokenKind::Dot);
        if !Parser::is_name(self.peek()) {
            return Err(self.unexpected_token("a type"));
        }
        let name = self.take_name();
        let args = if self.is(TokenKind::Lt) { self.type_args()? } else { Vec::new() };
        Ok(NamedType { global, name, args })
    }

    /// Parses `<width>`: a literal, or an expression in parentheses.
    fn width(&mut self) -> Parsed<Box<Expr>> {
        self.expect(TokenKind::Lt)?;
        let width = match self.kind() {
            TokenKind::Integer if self.peek_nth(1).kind == TokenKind::Gt => self.integer()?,
            TokenKind::LParen if self.is_parenthesised_width() => {
                self.bump();
                let width = self.expression()?;
                self.expect(TokenKind::RParen)?;
                width
            }
            TokenKind::Integer | TokenKind::LParen => self.bare_width()?,
            TokenKind::Identifier if Parser::is_name(self.peek()) => self.bare_width()?,
            _ => {
                return Err(
                    self.unexpected_token("a width in bits: a number, or an expression in parentheses")
                );
            }
        };
        self.expect(TokenKind::Gt)?;
        Ok(Box::new(width))
    }
    /// Parses an expression without parentheses up to the next `>`, as p4c does.
    fn bare_width(&mut self) -> Parsed<Expr> {
        let Some(end) = self.scan_width(self.at - 1) else {
            let path = self.path_name("a width")?;
            return Ok(Expr { id: self.next_id(), span: path.name.span, kind: ExprKind::Name(path) });
        };
        let outer = self.width_end.replace(end - 1);
        let width = self.expression();
        self.width_end = outer;
        let width = width?;
        if self.at == end - 1 {
            let text = self.sources.text(width.span).to_owned();
            let diagnostic = Diagnostic::warning(
                "syntax-width-parentheses",
                "missing parentheses around a width that is not a literal",
            )
            .primary(width.span, "P4 asks for a number or `(`")
            .suggest("add parentheses", width.span, format!("({text})"));
            self.diagnostics.push(diagnostic);
        }
        Ok(width)
    }

    /// Parses `<types>`.
    pub(super) fn type_args(&mut self) -> Parsed<Vec<TypeRef>> {
        self.expect(TokenKind::Lt)?;
        let mut args = Vec::new();
        if self.accept(TokenKind::Gt) {
            return Ok(args);
        }
        loop {
            args.push(self.type_arg()?);
            if !self.accept(TokenKind::Comma) {
                break;
            }
        }
        if !self.is(TokenKind::Gt) {
            return Err(self.unexpected_token("`,` or `>`"));
        }
        self.bump();
        Ok(args)
    }

    fn type_arg(&mut self) -> Parsed<TypeRef> {
        if self.is_keyword(Keyword::DontCare) {
            let span = self.bump().span;
            return Ok(TypeRef { id: self.next_id(), span, kind: TypeRefKind::DontCare });
        }
        self.type_ref()
    }
}
