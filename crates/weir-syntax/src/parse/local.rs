//! Constants, variables and instances, at the top level and local.

use super::{Abort, Parsed, Parser};
use crate::ast::*;
use crate::diagnostic::Diagnostic;
use crate::span::Span;
use crate::token::TokenKind;

impl Parser<'_> {
    /// Parses `const type name = value;`.
    pub(super) fn constant(&mut self, start: Span, annotations: Vec<Annotation>) -> Parsed<Declaration> {
        self.bump();
        let ty = self.type_ref()?;
        if self.is(TokenKind::Assign) {
            let before = Span { end: ty.span.start, ..ty.span };
            let diagnostic = Diagnostic::error("syntax-unexpected-token", "this constant has no type")
                .primary(ty.span, "expected a type and a name")
                .suggest("write its type first, such as `bit<16>`", before, "bit<16> ");
            self.report(diagnostic);
            return Err(Abort);
        }
        let (ty, name) = self.declarator(ty, "the name of the constant")?;
        if self.is(TokenKind::EqEq) {
            return Err(self.unexpected_token("`=`"));
        }
        self.expect(TokenKind::Assign)?;
        let value = self.expression()?;
        self.expect_semicolon()?;
        Ok(self.declaration_node(
            start,
            annotations,
            Some(name),
            DeclKind::Constant(ConstantDecl { ty, value }),
        ))
    }

    /// Parses `type name` or `type name = value`, without the `;`.
    pub(super) fn variable(&mut self, start: Span, annotations: Vec<Annotation>) -> Parsed<Declaration> {
        let ty = self.type_ref()?;
        let (ty, name) = self.declarator(ty, "the name of the variable")?;
        let init = if self.accept(TokenKind::Assign) { Some(self.expression()?) } else { None };
        Ok(self.declaration_node(
            start,
            annotations,
            Some(name),
            DeclKind::Variable(VariableDecl { ty, init }),
        ))
    }

    /// Parses `type name = value;` or `Type(arguments) name;`.
    pub(super) fn variable_or_instance(
        &mut self,
        start: Span,
        annotations: Vec<Annotation>,
    ) -> Parsed<Declaration> {
        let end = self.scan_type(self.at);
        if end.is_some_and(|end| self.token_at(end).kind == TokenKind::LParen) {
            return self.instantiation(start, annotations);
        }
        let mut declaration = self.variable(start, annotations)?;
        if self.is(TokenKind::LParen) {
            let diagnostic = Diagnostic::error("syntax-unexpected-token", "functions are not allowed here")
                .primary(self.peek().span, "expected `;` or `=`")
                .note("declare functions at the top level; in a control, declare an action instead: `action name() { … }`");
            self.report(diagnostic);
            return Err(Abort);
        }
        self.expect_semicolon()?;
        declaration.span = self.span_from(start);
        Ok(declaration)
    }

    /// Parses `Type(arguments) name;` or `Type(arguments) name = { … };`.
    pub(super) fn instantiation(&mut self, start: Span, annotations: Vec<Annotation>) -> Parsed<Declaration> {
        let ty = self.type_ref()?;
        let args = self.arguments()?;
        let name = self.name("the name of the instance")?;
        let initializer =
            if self.accept(TokenKind::Assign) { Some(self.object_initializer()?) } else { None };
        self.expect_semicolon()?;
        let kind = DeclKind::Instantiation(InstantiationDecl { ty, args, initializer });
        Ok(self.declaration_node(start, annotations, Some(name), kind))
    }

    fn object_initializer(&mut self) -> Parsed<Vec<Declaration>> {
        let open = self.expect(TokenKind::LBrace)?.span;
        let mut list = Vec::new();
        while !self.is(TokenKind::RBrace) && !self.at_end() && !self.starts_top_level() {
            let begin = self.at;
            match self.nested(Parser::function_or_instance) {
                Ok(declaration) => list.push(declaration),
                Err(Abort) => self.skip_element(begin),
            }
        }
        self.close_block(open)?;
        Ok(list)
    }

    fn function_or_instance(&mut self) -> Parsed<Declaration> {
        let start = self.peek().span;
        let annotations = self.annotations()?;
        match self.scan_type(self.at) {
            Some(end) if self.token_at(end).kind == TokenKind::LParen => {
                self.instantiation(start, annotations)
            }
            _ => self.function(start, annotations),
        }
    }

    pub(super) fn declaration_node(
        &mut self,
        start: Span,
        annotations: Vec<Annotation>,
        name: Option<Name>,
        kind: DeclKind,
    ) -> Declaration {
        Declaration { id: self.next_id(), span: self.span_from(start), annotations, name, kind }
    }
}
