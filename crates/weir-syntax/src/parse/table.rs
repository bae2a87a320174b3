//! Tables.

use super::{Abort, Parsed, Parser};
use crate::ast::*;
use crate::diagnostic::Diagnostic;
use crate::span::Span;
use crate::token::{Keyword, TokenKind};

const PROPERTIES: &[&str] = &["key", "actions", "entries", "default_action", "size"];

impl Parser<'_> {
    /// Parses `table name { … }`, after its annotations.
    pub(super) fn table(&mut self, start: Span, annotations: Vec<Annotation>) -> Parsed<Declaration> {
        self.bump();
        let name = self.name("the name of the table")?;
        let open = self.expect(TokenKind::LBrace)?.span;
        let mut properties = Vec::new();
        while !self.is(TokenKind::RBrace) && !self.at_end() && !self.starts_top_level() {
            let begin = self.at;
            match self.table_property() {
                Ok(property) => properties.push(property),
                Err(Abort) => self.skip_element(begin),
            }
        }
        self.close_block(open)?;
        Ok(self.declaration_node(start, annotations, Some(name), DeclKind::Table(TableDecl { properties })))
    }

    fn table_property(&mut self) -> Parsed<TableProperty> {
        let start = self.peek().span;
        let annotations = self.annotations()?;
        let const_span = self.is_keyword(Keyword::Const).then(|| self.bump().span);
        let kind = match self.keyword() {
            Some(Keyword::Key) => {
                self.reject_const(const_span, "key");
                TablePropertyKind::Key(self.braced_property("key", Parser::key_element)?)
            }
            Some(Keyword::Actions) => {
                self.reject_const(const_span, "actions");
                TablePropertyKind::Actions(self.braced_property("actions", Parser::action_list_item)?)
            }
            Some(Keyword::Entries) => {
                let entries = self.braced_property("entries", Parser::entry)?;
                TablePropertyKind::Entries(EntriesProperty { is_const: const_span.is_some(), entries })
            }
            _ => {
                let is_const = const_span.is_some();
                TablePropertyKind::Custom(self.custom_property(is_const)?)
            }
        };
        Ok(TableProperty { id: self.next_id(), span: self.span_from(start), annotations, kind })
    }

    fn reject_const(&mut self, const_span: Option<Span>, property: &str) {
        if let Some(span) = const_span {
            let diagnostic =
                Diagnostic::error("syntax-unexpected-token", format!("`{property}` cannot be `const`"))
                    .primary(span, "")
                    .suggest("remove `const`", span, "");
            self.report(diagnostic);
        }
    }

    fn braced_property<T>(&mut self, name: &str, element: fn(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        self.bump();
        self.expect(TokenKind::Assign)?;
        let open = self.expect(TokenKind::LBrace)?.span;
        let mut list = Vec::new();
        while !self.is(TokenKind::RBrace) && !self.at_end() && !self.starts_top_level() {
            let begin = self.at;
            match element(self) {
                Ok(element) => list.push(element),
                Err(Abort) => self.skip_element(begin),
            }
        }
        self.close_block(open)?;
        self.stray_semicolon(&format!("`{name}`"));
        Ok(list)
    }

    fn custom_property(&mut self, is_const: bool) -> Parsed<CustomProperty> {
        let token = self.peek();
        let name = self.name("a table property: `key`, `actions`, `default_action`, `entries`, `size` …")?;
        if !self.is(TokenKind::Assign) {
            let mut diagnostic = Diagnostic::error(
                "syntax-unexpected-token",
                format!("expected `=` after the property `{name}`, found {}", self.describe(self.peek())),
            )
            .primary(self.peek().span, "expected `=`");
            if let Some(near) = weir_suggest::misspelt_word(name.as_str(), PROPERTIES.iter().copied()) {
                diagnostic = diagnostic.suggest(format!("did you mean `{near}`?"), token.span, near);
            }
            self.report(diagnostic);
            return Err(Abort);
        }
        self.bump();
        if self.is(TokenKind::LBrace) {
            let near = match name.as_str() {
                "entry" => Some("entries"),
                name => weir_suggest::misspelt_word(name, ["key", "actions", "entries"]),
            };
            if let Some(near) = near {
                let diagnostic =
                    Diagnostic::error("syntax-misspelt-keyword", format!("unknown table property `{name}`"))
                        .primary(token.span, "")
                        .suggest(format!("did you mean `{near}`?"), token.span, near);
                self.report(diagnostic);
                return Err(Abort);
            }
        }
        let value = self.expression()?;
        self.expect_semicolon()?;
        Ok(CustomProperty { is_const, name, value })
    }

    /// Parses the `;` of a key, an action or an entry; a `,` is reported and read as `;`.
    fn end_of_element(&mut self) -> Parsed<()> {
        if !self.is(TokenKind::Comma) {
            return self.expect_semicolon();
        }
        let span = self.peek().span;
        let diagnostic = Diagnostic::error("syntax-unexpected-token", "expected `;`, found `,`")
            .primary(span, "keys, actions and entries end with `;`")
            .suggest("use `;`", span, ";");
        self.report(diagnostic);
        self.bump();
        Ok(())
    }

    fn key_element(&mut self) -> Parsed<KeyElement> {
        let start = self.peek().span;
        let expr = self.expression()?;
        if self.is(TokenKind::Semicolon) || self.is(TokenKind::RBrace) {
            let diagnostic = Diagnostic::error("syntax-missing-match-kind", "this key has no match kind")
                .primary(expr.span, "expected `: exact`, `: lpm`, `: ternary` … after this")
                .suggest("add `: exact` for an exact match", expr.span.after(), ": exact");
            self.report(diagnostic);
            return Err(Abort);
        }
        self.expect(TokenKind::Colon)?;
        let match_kind = self.name("a match kind: `exact`, `lpm`, `ternary` …")?;
        let annotations = self.annotations()?;
        self.end_of_element()?;
        Ok(KeyElement { id: self.next_id(), span: self.span_from(start), expr, match_kind, annotations })
    }

    fn action_list_item(&mut self) -> Parsed<ActionListItem> {
        let start = self.peek().span;
        let annotations = self.annotations()?;
        let action = self.action_ref()?;
        self.end_of_element()?;
        Ok(ActionListItem { id: self.next_id(), span: self.span_from(start), annotations, action })
    }

    fn action_ref(&mut self) -> Parsed<ActionRef> {
        let start = self.peek().span;
        let name = self.path_name("the name of an action")?;
        let args = if self.is(TokenKind::LParen) { Some(self.arguments()?) } else { None };
        Ok(ActionRef { id: self.next_id(), span: self.span_from(start), name, args })
    }

    fn entry(&mut self) -> Parsed<Entry> {
        let start = self.peek().span;
        let is_const = self.accept_keyword(Keyword::Const);
        let has_priority = self.is_keyword(Keyword::Priority) && self.peek_nth(1).kind == TokenKind::Assign;
        let priority = if has_priority { Some(self.entry_priority()?) } else { None };
        let keyset = self.keyset()?;
        self.expect(TokenKind::Colon)?;
        let action = self.action_ref()?;
        let annotations = self.annotations()?;
        self.end_of_element()?;
        Ok(Entry {
            id: self.next_id(),
            span: self.span_from(start),
            is_const,
            priority,
            keyset,
            action,
            annotations,
        })
    }

    /// Parses `priority = n:`.
    fn entry_priority(&mut self) -> Parsed<EntryPriority> {
        self.bump();
        self.bump();
        let span = self.peek().span;
        let priority = match self.kind() {
            TokenKind::Integer => match self.integer()?.kind {
                ExprKind::Integer(literal) => EntryPriority::Literal(literal, span),
                _ => return Err(Abort),
            },
            TokenKind::LParen => {
                self.bump();
                let value = self.expression()?;
                self.expect(TokenKind::RParen)?;
                EntryPriority::Expr(value)
            }
            _ => return Err(self.unexpected_token("a priority: a number, or an expression in parentheses")),
        };
        self.expect(TokenKind::Colon)?;
        Ok(priority)
    }
}
