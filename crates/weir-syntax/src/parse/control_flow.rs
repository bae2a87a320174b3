//! `if`, `switch` and `for`.

use super::{Abort, Parsed, Parser};
use crate::ast::*;
use crate::diagnostic::Diagnostic;
use crate::span::Span;
use crate::token::{Keyword, TokenKind};

impl Parser<'_> {
    /// Parses the `(condition)` of `if` and `switch`.
    fn condition(&mut self) -> Parsed<Expr> {
        if !self.is(TokenKind::LParen) {
            let label = format!("expected `(`, found {}", self.describe(self.peek()));
            let diagnostic =
                Diagnostic::error("syntax-unexpected-token", "missing parentheses around a condition")
                    .primary(self.peek().span, label);
            self.report(diagnostic);
            return Err(Abort);
        }
        self.bump();
        let condition = self.expression()?;
        if self.is(TokenKind::Assign) {
            return Err(self.assign_for_equals());
        }
        self.expect(TokenKind::RParen)?;
        Ok(condition)
    }

    /// Parses an `if` with its whole `else if` chain, whose length has no limit.
    pub(super) fn if_statement(&mut self) -> Parsed<StmtKind> {
        let mut links = Vec::new();
        let mut otherwise = None;
        loop {
            let span = self.expect_keyword(Keyword::If)?.span;
            let condition = self.condition()?;
            let then = self.nested(Parser::statement)?;
            links.push(IfLink { span, condition, then });
            if !self.accept_keyword(Keyword::Else) {
                break;
            }
            if !self.is_keyword(Keyword::If) {
                otherwise = Some(self.nested(Parser::statement)?);
                break;
            }
        }
        for link in &mut links {
            link.span = self.span_from(link.span);
        }
        Ok(StmtKind::If(Box::new(IfStmt { links, otherwise })))
    }

    pub(super) fn switch_statement(&mut self) -> Parsed<StmtKind> {
        self.bump();
        let subject = self.condition()?;
        let open = self.expect(TokenKind::LBrace)?.span;
        let mut cases = Vec::new();
        while !self.is(TokenKind::RBrace) && !self.at_end() && !self.starts_top_level() {
            let start = self.at;
            match self.switch_case() {
                Ok(case) => cases.push(case),
                Err(Abort) => self.skip_element(start),
            }
        }
        self.close_block(open)?;
        Ok(StmtKind::Switch(Box::new(SwitchStmt { subject, cases })))
    }

    fn switch_case(&mut self) -> Parsed<SwitchCase> {
        let start = self.peek().span;
        let is_case_keyword =
            Parser::is_name(self.peek()) && &**self.interner.text(self.peek().text) == "case";
        if is_case_keyword && self.peek_nth(1).kind != TokenKind::Colon {
            let diagnostic = Diagnostic::error("syntax-case-keyword", "unexpected `case` in a `switch`")
                .primary(start, "P4 writes labels without `case`")
                .suggest("remove `case`", start, "");
            self.report(diagnostic);
            self.bump();
        }
        if self.is(TokenKind::LBrace) {
            return Err(self.unexpected_token("a `switch` label"));
        }
        let label = if self.accept_keyword(Keyword::Default) {
            SwitchLabel::Default
        } else {
            SwitchLabel::Expr(self.expression()?)
        };
        self.expect(TokenKind::Colon)?;
        let annotations = self.annotations()?;
        let block = if self.is(TokenKind::LBrace) || !annotations.is_empty() {
            Some(self.nested(|parser| parser.block(annotations))?)
        } else {
            None
        };
        Ok(SwitchCase { label, block, span: self.span_from(start) })
    }

    pub(super) fn for_statement(&mut self, annotations: Vec<Annotation>) -> Parsed<StmtKind> {
        self.bump();
        self.expect(TokenKind::LParen)?;
        let first_start = self.peek().span;
        let first_annotations = self.annotations()?;
        let variable = self.scan_type(self.at).filter(|end| Parser::is_name(self.token_at(*end)));
        if variable.is_some_and(|end| self.token_at(end + 1).keyword() == Some(Keyword::In)) {
            return self.for_in(annotations, first_annotations);
        }
        let mut init = Vec::new();
        if !first_annotations.is_empty() || !self.is(TokenKind::Semicolon) {
            init.push(self.for_part(first_start, first_annotations, true)?);
            while self.accept(TokenKind::Comma) {
                let start = self.peek().span;
                let annotations = self.annotations()?;
                init.push(self.for_part(start, annotations, true)?);
            }
        }
        self.expect(TokenKind::Semicolon)?;
        let condition = self.expression()?;
        self.expect(TokenKind::Semicolon)?;
        let mut update = Vec::new();
        while !self.is(TokenKind::RParen) {
            let start = self.peek().span;
            update.push(self.for_part(start, Vec::new(), false)?);
            if !self.accept(TokenKind::Comma) {
                break;
            }
        }
        self.expect(TokenKind::RParen)?;
        let body = self.nested(Parser::statement)?;
        Ok(StmtKind::For(Box::new(ForStmt { annotations, init, condition, update, body })))
    }

    /// Parses a declaration, assignment or call in the parentheses of a `for`, without `;`.
    fn for_part(&mut self, start: Span, annotations: Vec<Annotation>, declares: bool) -> Parsed<Stmt> {
        let kind = if declares && (!annotations.is_empty() || self.starts_declaration()) {
            StmtKind::Declaration(Box::new(self.variable(start, annotations)?))
        } else {
            self.assignment_or_call()?
        };
        Ok(self.stmt(start, kind))
    }

    fn for_in(
        &mut self,
        annotations: Vec<Annotation>,
        variable_annotations: Vec<Annotation>,
    ) -> Parsed<StmtKind> {
        let ty = self.type_ref()?;
        let variable_id = self.next_id();
        let variable = self.name("the name of the loop variable")?;
        self.expect_keyword(Keyword::In)?;
        let first = self.expression()?;
        let collection = if self.accept(TokenKind::DotDot) {
            ForCollection::Range(first, self.expression()?)
        } else {
            ForCollection::Expr(first)
        };
        self.expect(TokenKind::RParen)?;
        let body = self.nested(Parser::statement)?;
        let kind =
            ForInStmt { annotations, variable_id, variable_annotations, ty, variable, collection, body };
        Ok(StmtKind::ForIn(Box::new(kind)))
    }
}
