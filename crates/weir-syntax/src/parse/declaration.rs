//! Top-level declarations: the program, types, externs.

use super::{Abort, Parsed, Parser};
use crate::ast::*;
use crate::diagnostic::Diagnostic;
use crate::span::Span;
use crate::token::{Keyword, TokenKind};

impl Parser<'_> {
    pub(super) fn program(&mut self) -> Vec<Declaration> {
        let mut list = Vec::new();
        while !self.at_end() {
            if self.accept(TokenKind::Semicolon) {
                continue;
            }
            let start = self.at;
            match self.declaration() {
                Ok(declaration) => list.push(declaration),
                Err(Abort) => self.skip_declaration(start),
            }
        }
        list
    }

    fn declaration(&mut self) -> Parsed<Declaration> {
        let start = self.peek().span;
        let annotations = self.annotations()?;
        match self.keyword() {
            Some(Keyword::Const) => self.constant(start, annotations),
            Some(Keyword::Extern) => self.extern_declaration(start, annotations),
            Some(Keyword::Action) => self.action(start, annotations),
            Some(Keyword::Parser) => self.parser_declaration(start, annotations),
            Some(Keyword::Control) => self.control_declaration(start, annotations),
            Some(Keyword::Package) => self.package_type(start, annotations),
            Some(Keyword::Header | Keyword::HeaderUnion | Keyword::Struct | Keyword::Enum) => {
                self.derived_type(start, annotations)
            }
            Some(Keyword::Typedef) => self.typedef(start, annotations),
            Some(Keyword::Type) => self.new_type(start, annotations),
            Some(Keyword::Error) if self.peek_nth(1).kind == TokenKind::LBrace => {
                self.bump();
                let members = self.enum_members()?;
                Ok(self.declaration_node(start, annotations, None, DeclKind::Error(members)))
            }
            Some(Keyword::MatchKind) if self.peek_nth(1).kind == TokenKind::LBrace => {
                self.bump();
                let members = self.enum_members()?;
                Ok(self.declaration_node(start, annotations, None, DeclKind::MatchKind(members)))
            }
            Some(Keyword::ValueSet) => self.value_set(start, annotations),
            Some(Keyword::Table) => {
                let diagnostic =
                    Diagnostic::error("syntax-misplaced-table", "tables are only allowed in controls")
                        .primary(self.peek().span, "expected a top-level declaration");
                self.report(diagnostic);
                Err(Abort)
            }
            _ => self.function_or_top_level_instance(start, annotations),
        }
    }

    fn function_or_top_level_instance(
        &mut self,
        start: Span,
        annotations: Vec<Annotation>,
    ) -> Parsed<Declaration> {
        let Some(end) = self.scan_type(self.at) else {
            if self.is(TokenKind::RBrace) {
                let diagnostic = Diagnostic::error("syntax-unexpected-token", "unmatched `}`")
                    .primary(self.peek().span, "expected a declaration");
                self.report(diagnostic);
                return Err(Abort);
            }
            let words = self.declaration_keywords();
            return Err(self.unexpected_word("a declaration", words));
        };
        let next = self.token_at(end);
        if next.kind == TokenKind::LParen {
            return self.instantiation(start, annotations);
        }
        if !Parser::is_name(next) {
            let words = self.declaration_keywords();
            if self.at + 1 == end {
                return Err(self.unexpected_word("a declaration", words));
            }
            self.type_ref()?;
            return Err(self.unexpected_token("a name"));
        }
        match self.token_at(end + 1).kind {
            TokenKind::LParen | TokenKind::Lt if !self.is_misspelt_declaration() => {
                self.function(start, annotations)
            }
            TokenKind::Semicolon | TokenKind::Assign => {
                let diagnostic =
                    Diagnostic::error("syntax-global-variable", "variables are not allowed at the top level")
                        .primary(next.span, "expected a constant, or a variable in a control or parser")
                        .suggest(
                            "declare a constant with `const`",
                            Span { end: start.start, ..start },
                            "const ",
                        );
                self.report(diagnostic);
                Err(Abort)
            }
            TokenKind::LBrace if self.is_older_language() => Err(self.older_language()),
            _ => {
                let words = self.declaration_keywords();
                Err(self.unexpected_word("a declaration", words))
            }
        }
    }

    /// Returns whether a declaration begins with a misspelt keyword, as in `contrl c(inout H h) {`:
    /// that is, with a word that is similar to a keyword and is not a type.
    fn is_misspelt_declaration(&self) -> bool {
        let word = self.peek();
        word.kind == TokenKind::Identifier
            && word.keyword().is_none()
            && !self.types.contains(word.text)
            && weir_suggest::misspelt_word(
                self.interner.text(word.text),
                self.declaration_keywords().iter().map(|k| k.text()).filter(|k| k.len() > 4),
            )
            .is_some()
    }

    fn declared_type_name(&mut self, what: &str) -> Parsed<Name> {
        let symbol = self.peek().text;
        let name = self.name(what)?;
        self.types.declare(symbol);
        Ok(name)
    }

    fn derived_type(&mut self, start: Span, annotations: Vec<Annotation>) -> Parsed<Declaration> {
        let keyword = self.keyword();
        self.bump();
        if keyword == Some(Keyword::Enum) {
            return self.enum_declaration(start, annotations);
        }
        let name = self.declared_type_name("the name of the type")?;
        let scope = self.types.enter();
        let fields = self.type_parameters().and_then(|type_params| {
            let fields = self.fields()?;
            Ok(FieldsDecl { type_params, fields })
        });
        self.types.leave(scope);
        let kind = match keyword {
            Some(Keyword::Header) => DeclKind::Header(fields?),
            Some(Keyword::HeaderUnion) => DeclKind::HeaderUnion(fields?),
            _ => DeclKind::Struct(fields?),
        };
        Ok(self.declaration_node(start, annotations, Some(name), kind))
    }

    fn fields(&mut self) -> Parsed<Vec<Field>> {
        let open = self.expect(TokenKind::LBrace)?.span;
        let mut list = Vec::new();
        while !self.is(TokenKind::RBrace) && !self.at_end() && !self.starts_top_level() {
            let begin = self.at;
            match self.field() {
                Ok(field) => list.push(field),
                Err(Abort) => self.skip_element(begin),
            }
        }
        self.close_block(open)?;
        Ok(list)
    }

    fn field(&mut self) -> Parsed<Field> {
        let start = self.peek().span;
        let annotations = self.annotations()?;
        let ty = self.type_ref()?;
        let (ty, name) = self.declarator(ty, "the name of the field")?;
        self.expect_semicolon()?;
        Ok(Field { id: self.next_id(), span: self.span_from(start), annotations, ty, name })
    }

    fn enum_declaration(&mut self, start: Span, annotations: Vec<Annotation>) -> Parsed<Declaration> {
        if Parser::is_name(self.peek()) && self.peek_nth(1).kind == TokenKind::LBrace {
            let name = self.declared_type_name("the name of the enum")?;
            let members = self.enum_members()?;
            return Ok(self.declaration_node(
                start,
                annotations,
                Some(name),
                DeclKind::Enum(EnumDecl { members }),
            ));
        }
        let ty = self.type_ref()?;
        let name = self.declared_type_name("the name of the enum")?;
        let open = self.expect(TokenKind::LBrace)?.span;
        let mut members = Vec::new();
        while !self.is(TokenKind::RBrace) && !self.at_end() {
            let name = self.name("the name of a member")?;
            self.expect(TokenKind::Assign)?;
            let value = self.expression()?;
            members.push(SerializableEnumMember { id: self.next_id(), name, value });
            if !self.accept(TokenKind::Comma) {
                break;
            }
        }
        self.close_members(open)?;
        let kind = DeclKind::SerializableEnum(SerializableEnumDecl { ty, members });
        Ok(self.declaration_node(start, annotations, Some(name), kind))
    }

    /// Parses `{ a, b }`.
    fn enum_members(&mut self) -> Parsed<Vec<EnumMember>> {
        let open = self.expect(TokenKind::LBrace)?.span;
        let mut members = Vec::new();
        while !self.is(TokenKind::RBrace) && !self.at_end() {
            let name = self.name("the name of a member")?;
            members.push(EnumMember { id: self.next_id(), name });
            if !self.accept(TokenKind::Comma) {
                break;
            }
        }
        self.close_members(open)?;
        Ok(members)
    }

    fn close_members(&mut self, open: Span) -> Parsed<()> {
        if self.is(TokenKind::RBrace) || self.at_end() {
            return self.close_block(open);
        }
        Err(self.unexpected_token("`,` or `}`"))
    }

    fn typedef(&mut self, start: Span, annotations: Vec<Annotation>) -> Parsed<Declaration> {
        self.bump();
        let inner_start = self.peek().span;
        let inner_annotations = self.annotations()?;
        let target = match self.keyword() {
            Some(Keyword::Header | Keyword::HeaderUnion | Keyword::Struct | Keyword::Enum) => {
                AliasTarget::Declared(Box::new(self.derived_type(inner_start, inner_annotations)?))
            }
            _ if !inner_annotations.is_empty() => {
                return Err(self.unexpected_token("an inline type declaration"));
            }
            _ => AliasTarget::Type(self.type_ref()?),
        };
        let name = self.declared_type_name("the new name of the type")?;
        self.expect_semicolon()?;
        Ok(self.declaration_node(start, annotations, Some(name), DeclKind::Typedef(target)))
    }

    fn new_type(&mut self, start: Span, annotations: Vec<Annotation>) -> Parsed<Declaration> {
        self.bump();
        let ty = self.type_ref()?;
        let name = self.declared_type_name("the name of the new type")?;
        self.expect_semicolon()?;
        Ok(self.declaration_node(start, annotations, Some(name), DeclKind::Type(ty)))
    }

    fn extern_declaration(&mut self, start: Span, annotations: Vec<Annotation>) -> Parsed<Declaration> {
        self.bump();
        let after_name = match self.peek_nth(1).kind {
            TokenKind::Lt => self.scan_type_args(self.at + 1),
            _ => Some(self.at + 1),
        };
        let is_object = Parser::is_name(self.peek())
            && after_name.is_some_and(|at| self.token_at(at).kind == TokenKind::LBrace);
        let scope = self.types.enter();
        let declared = if is_object { self.extern_object() } else { self.extern_function() };
        self.types.leave(scope);
        let (name, kind) = declared?;
        Ok(self.declaration_node(start, annotations, Some(name), kind))
    }

    fn extern_function(&mut self) -> Parsed<(Name, DeclKind)> {
        let (name, signature) = self.prototype()?;
        self.expect_semicolon()?;
        Ok((name, DeclKind::ExternFunction(signature)))
    }

    fn extern_object(&mut self) -> Parsed<(Name, DeclKind)> {
        let name = self.declared_type_name("the name of the extern")?;
        let type_params = self.type_parameters()?;
        let open = self.expect(TokenKind::LBrace)?.span;
        let mut methods = Vec::new();
        while !self.is(TokenKind::RBrace) && !self.at_end() && !self.starts_top_level() {
            let begin = self.at;
            let scope = self.types.enter();
            let method = self.method(&name);
            self.types.leave(scope);
            match method {
                Ok(method) => methods.push(method),
                Err(Abort) => self.skip_element(begin),
            }
        }
        self.close_block(open)?;
        Ok((name, DeclKind::ExternObject(ExternObjectDecl { type_params, methods })))
    }

    fn method(&mut self, of_extern: &Name) -> Parsed<MethodDecl> {
        let start = self.peek().span;
        let annotations = self.annotations()?;
        let is_abstract = self.accept_keyword(Keyword::Abstract);
        let (name, kind) = if Parser::is_name(self.peek()) && self.peek_nth(1).kind == TokenKind::LParen {
            let name = self.take_name();
            if name.text != of_extern.text || is_abstract {
                let diagnostic =
                    Diagnostic::error("syntax-missing-return-type", format!("method `{name}` has no return type"))
                        .primary(name.span, "expected a type before this name")
                        .note(format!("a constructor has the name of its extern, `{of_extern}`; a method that returns nothing has the type `void`"));
                self.report(diagnostic);
            }
            let params = self.parameters()?;
            (name, MethodKind::Constructor(params))
        } else {
            let (name, signature) = self.prototype()?;
            (name, if is_abstract { MethodKind::Abstract(signature) } else { MethodKind::Method(signature) })
        };
        self.expect_semicolon()?;
        Ok(MethodDecl { id: self.next_id(), span: self.span_from(start), annotations, name, kind })
    }
}
