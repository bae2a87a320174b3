//! Parsers and controls with their bodies.

use super::{Abort, Parsed, Parser};
use crate::ast::*;
use crate::diagnostic::Diagnostic;
use crate::span::Span;
use crate::token::{Keyword, TokenKind};

/// Keywords that start statements.
const STATEMENT_STARTS: [Keyword; 6] =
    [Keyword::If, Keyword::Switch, Keyword::For, Keyword::Return, Keyword::Exit, Keyword::Else];

impl Parser<'_> {
    /// Parses `name<types>(parameters)` after the keyword, and declares the name as a type. The
    /// type parameters stay in scope.
    fn apply_signature(&mut self, what: &str) -> Parsed<(Name, ApplySignature)> {
        let symbol = self.peek().text;
        let name = self.name(what)?;
        self.types.declare(symbol);
        let type_params = self.type_parameters()?;
        if !self.is(TokenKind::LParen) {
            return Err(self.unexpected_token("`(` and parameters"));
        }
        let params = self.parameters()?;
        Ok((name, ApplySignature { type_params, params }))
    }

    fn constructor_parameters(&mut self) -> Parsed<Option<Vec<Parameter>>> {
        if self.is(TokenKind::LParen) { self.parameters().map(Some) } else { Ok(None) }
    }

    pub(super) fn package_type(&mut self, start: Span, annotations: Vec<Annotation>) -> Parsed<Declaration> {
        self.bump();
        let scope = self.types.enter();
        let signature = self.apply_signature("the name of the package");
        self.types.leave(scope);
        let (name, signature) = signature?;
        self.expect_semicolon()?;
        Ok(self.declaration_node(start, annotations, Some(name), DeclKind::PackageType(signature)))
    }

    /// Parses a parser or control in a new scope; `rest` parses the part after the keyword.
    fn block_declaration(
        &mut self,
        start: Span,
        annotations: Vec<Annotation>,
        rest: fn(&mut Self) -> Parsed<(Name, DeclKind)>,
    ) -> Parsed<Declaration> {
        self.bump();
        let scope = self.types.enter();
        let declared = rest(self);
        self.types.leave(scope);
        let (name, kind) = declared?;
        Ok(self.declaration_node(start, annotations, Some(name), kind))
    }

    pub(super) fn parser_declaration(
        &mut self,
        start: Span,
        annotations: Vec<Annotation>,
    ) -> Parsed<Declaration> {
        self.block_declaration(start, annotations, Self::parser_rest)
    }

    fn parser_rest(&mut self) -> Parsed<(Name, DeclKind)> {
        let (name, signature) = self.apply_signature("the name of the parser")?;
        if self.accept(TokenKind::Semicolon) {
            return Ok((name, DeclKind::ParserType(signature)));
        }
        let constructor_params = self.constructor_parameters()?;
        if !self.is(TokenKind::LBrace) {
            return Err(self.unexpected_token("`{` and the parser's body, or `;`"));
        }
        let open = self.bump().span;
        let mut locals = Vec::new();
        let mut states = Vec::new();
        while !self.is(TokenKind::RBrace) && !self.at_end() && !self.starts_top_level() {
            let begin = self.at;
            if let Err(Abort) = self.parser_element(&mut locals, &mut states) {
                self.skip_element(begin);
            }
        }
        self.close_block(open)?;
        Ok((name, DeclKind::Parser(ParserDecl { signature, constructor_params, locals, states })))
    }

    fn parser_element(&mut self, locals: &mut Vec<Declaration>, states: &mut Vec<ParserState>) -> Parsed<()> {
        let start = self.peek().span;
        let annotations = self.annotations()?;
        match self.keyword() {
            Some(Keyword::State) => states.push(self.state(annotations)?),
            Some(Keyword::Const) => locals.push(self.constant(start, annotations)?),
            Some(Keyword::ValueSet) => locals.push(self.value_set(start, annotations)?),
            _ if self.is(TokenKind::Semicolon) => self.stray_semicolon("a state"),
            _ if self.is_misspelt_keyword(&[Keyword::State]) => {
                return Err(self.unexpected_word("a state or a declaration", &[Keyword::State]));
            }
            _ if self.starts_declaration() => locals.push(self.variable_or_instance(start, annotations)?),
            _ => return Err(self.statement_outside_state()),
        }
        Ok(())
    }

    /// Returns whether a word that is similar to one of the keywords is followed by a name and a
    /// bracket: `sate start {`.
    fn is_misspelt_keyword(&self, keywords: &[Keyword]) -> bool {
        let word = self.peek();
        word.kind == TokenKind::Identifier
            && word.keyword().is_none()
            && Parser::is_name(self.peek_nth(1))
            && matches!(self.peek_nth(2).kind, TokenKind::LBrace | TokenKind::LParen)
            && weir_suggest::misspelt_word(self.interner.text(word.text), keywords.iter().map(|k| k.text()))
                .is_some()
    }

    pub(super) fn value_set(&mut self, start: Span, annotations: Vec<Annotation>) -> Parsed<Declaration> {
        self.bump();
        self.expect(TokenKind::Lt)?;
        let ty = self.type_ref()?;
        self.expect(TokenKind::Gt)?;
        self.expect(TokenKind::LParen)?;
        let size = self.expression()?;
        self.expect(TokenKind::RParen)?;
        let name = self.name("the name of the value set")?;
        self.expect_semicolon()?;
        Ok(self.declaration_node(
            start,
            annotations,
            Some(name),
            DeclKind::ValueSet(ValueSetDecl { ty, size }),
        ))
    }

    pub(super) fn control_declaration(
        &mut self,
        start: Span,
        annotations: Vec<Annotation>,
    ) -> Parsed<Declaration> {
        self.block_declaration(start, annotations, Self::control_rest)
    }

    fn control_rest(&mut self) -> Parsed<(Name, DeclKind)> {
        let (name, signature) = self.apply_signature("the name of the control")?;
        if self.accept(TokenKind::Semicolon) {
            return Ok((name, DeclKind::ControlType(signature)));
        }
        let constructor_params = self.constructor_parameters()?;
        if !self.is(TokenKind::LBrace) {
            return Err(self.unexpected_token("`{` and the control's body, or `;`"));
        }
        let open = self.bump().span;
        let mut locals = Vec::new();
        let mut apply = None;
        while !self.is(TokenKind::RBrace) && !self.at_end() && !self.starts_top_level() {
            let begin = self.at;
            if let Err(Abort) = self.control_element(&mut locals, &mut apply) {
                self.skip_element(begin);
            }
        }
        if apply.is_none() && self.is(TokenKind::RBrace) {
            self.missing_apply(&name);
        }
        self.close_block(open)?;
        let span = self.previous_span();
        let apply = apply.unwrap_or(Block { annotations: Vec::new(), statements: Vec::new(), span });
        Ok((name, DeclKind::Control(ControlDecl { signature, constructor_params, locals, apply })))
    }

    fn control_element(&mut self, locals: &mut Vec<Declaration>, apply: &mut Option<Block>) -> Parsed<()> {
        let start = self.peek().span;
        let next = self.peek_nth(1).kind;
        if self.is_keyword(Keyword::Apply) && matches!(next, TokenKind::LBrace | TokenKind::At) {
            self.bump();
            return self.apply_block(start, apply);
        }
        if apply.is_none() && self.is(TokenKind::LBrace) {
            self.block_without_apply();
            return self.apply_block(start, apply);
        }
        if apply.is_none() && self.is_misspelt_apply() {
            self.unexpected_word("a declaration or `apply`", &[Keyword::Apply]);
            self.bump();
            return self.apply_block(start, apply);
        }
        let annotations = self.annotations()?;
        if apply.is_some() && !self.is(TokenKind::Semicolon) {
            return Err(self.unexpected_token("`}` (`apply` must come last in a control)"));
        }
        let words = &[Keyword::Action, Keyword::Table];
        match self.keyword() {
            Some(Keyword::Action) => locals.push(self.action(start, annotations)?),
            Some(Keyword::Table) => locals.push(self.table(start, annotations)?),
            Some(Keyword::Const) => locals.push(self.constant(start, annotations)?),
            _ if self.is(TokenKind::Semicolon) => self.stray_semicolon("a declaration"),
            _ if self.is_misspelt_keyword(words) => {
                return Err(self.unexpected_word("a declaration or `apply`", words));
            }
            _ if self.starts_declaration() => locals.push(self.variable_or_instance(start, annotations)?),
            _ if self.keyword().is_some_and(|word| STATEMENT_STARTS.contains(&word)) => {
                let message = "statements are only allowed in the control's `apply` block";
                let diagnostic = Diagnostic::error("syntax-unexpected-token", message)
                    .primary(self.peek().span, "expected an action, a table, a declaration or `apply {`");
                self.report(diagnostic);
                return Err(Abort);
            }
            Some(Keyword::Apply) => {
                self.bump();
                let span = self.peek().span;
                // The block exists, although it has errors, so it is not reported as missing.
                apply.get_or_insert(Block { annotations: Vec::new(), statements: Vec::new(), span });
                return Err(self.unexpected_token("`{` after `apply`"));
            }
            _ => return Err(self.unexpected_token("an action, a table, a declaration or `apply {`")),
        }
        Ok(())
    }

    /// Parses the block after `apply`.
    fn apply_block(&mut self, start: Span, apply: &mut Option<Block>) -> Parsed<()> {
        let annotations = self.annotations()?;
        let block = self.block(annotations)?;
        if apply.is_some() {
            let diagnostic = Diagnostic::error("syntax-second-apply", "duplicate `apply` block in a control")
                .primary(start, "a control can have only one `apply` block");
            self.report(diagnostic);
        }
        apply.get_or_insert(block);
        Ok(())
    }

    fn is_misspelt_apply(&self) -> bool {
        Parser::is_name(self.peek())
            && self.peek_nth(1).kind == TokenKind::LBrace
            && weir_suggest::misspelt_word(self.interner.text(self.peek().text), ["apply"]).is_some()
    }

    fn block_without_apply(&mut self) {
        let span = self.peek().span;
        let diagnostic =
            Diagnostic::error("syntax-missing-apply", "missing `apply` before a block in a control")
                .primary(span, "expected `apply` before this")
                .suggest("add `apply`", Span { end: span.start, ..span }, "apply ");
        self.report(diagnostic);
    }

    fn missing_apply(&mut self, name: &Name) {
        let diagnostic =
            Diagnostic::error("syntax-missing-apply", format!("control `{name}` has no `apply` block"))
                .primary(self.peek().span, "expected `apply { … }` before this")
                .secondary(name.span, "in this control")
                .note("an empty block is enough: `apply { }`");
        self.report(diagnostic);
    }

    pub(super) fn action(&mut self, start: Span, annotations: Vec<Annotation>) -> Parsed<Declaration> {
        self.bump();
        let name = self.name("the name of the action")?;
        if !self.is(TokenKind::LParen) {
            return Err(self.unexpected_token("`(` and parameters"));
        }
        let params = self.parameters()?;
        let body = self.block(Vec::new())?;
        Ok(self.declaration_node(
            start,
            annotations,
            Some(name),
            DeclKind::Action(ActionDecl { params, body }),
        ))
    }
}
