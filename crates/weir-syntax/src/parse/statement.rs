//! Statements.

use super::lookahead::always_starts_type;
use super::{Abort, Parsed, Parser};
use crate::ast::*;
use crate::diagnostic::Diagnostic;
use crate::span::Span;
use crate::token::{Keyword, Token, TokenKind};

/// Keywords that start a statement, for suggestions.
const STATEMENT_KEYWORDS: &[Keyword] = &[
    Keyword::If,
    Keyword::Else,
    Keyword::Switch,
    Keyword::For,
    Keyword::Return,
    Keyword::Exit,
    Keyword::Break,
    Keyword::Continue,
    Keyword::Const,
    Keyword::Transition,
];

impl Parser<'_> {
    /// Parses `{ statements }`, and recovers from errors in it.
    pub(super) fn block(&mut self, annotations: Vec<Annotation>) -> Parsed<Block> {
        let start = self.expect(TokenKind::LBrace)?.span;
        let statements = self.statements(|_| false);
        self.close_block(start)?;
        Ok(Block { annotations, statements, span: self.span_from(start) })
    }

    /// Expects the `}` that closes the `{` at `start`.
    pub(super) fn close_block(&mut self, start: Span) -> Parsed<()> {
        if self.accept(TokenKind::RBrace) {
            return Ok(());
        }
        let next_token = self.describe(self.peek());
        let diagnostic =
            Diagnostic::error("syntax-unclosed-brace", format!("expected `}}`, found {next_token}"))
                .primary(self.peek().span, "expected `}`")
                .secondary(start, "to close this `{`");
        self.report(diagnostic);
        Err(Abort)
    }

    /// Parses statements up to `}` or until `end` returns true. Statements with errors are reported
    /// and skipped.
    pub(super) fn statements(&mut self, end: impl Fn(&Self) -> bool) -> Vec<Stmt> {
        let mut list = Vec::new();
        while !self.at_end() && !self.is(TokenKind::RBrace) && !end(self) && !self.starts_top_level() {
            let start = self.at;
            match self.nested(Parser::statement) {
                Ok(statement) => list.push(statement),
                Err(Abort) => self.skip_element(start),
            }
            if self.at == start && !self.at_end() {
                self.bump();
            }
        }
        list
    }

    pub(super) fn stmt(&mut self, start: Span, kind: StmtKind) -> Stmt {
        Stmt { id: self.next_id(), span: self.span_from(start), kind }
    }

    pub(super) fn statement(&mut self) -> Parsed<Stmt> {
        let start = self.peek().span;
        let kind = match self.kind() {
            TokenKind::Semicolon => {
                self.bump();
                StmtKind::Empty
            }
            TokenKind::LBrace => StmtKind::Block(self.block(Vec::new())?),
            TokenKind::At => return self.annotated_statement(),
            _ => match self.keyword() {
                Some(Keyword::If) => self.if_statement()?,
                Some(Keyword::Switch) => self.switch_statement()?,
                Some(Keyword::For) => self.for_statement(Vec::new())?,
                Some(Keyword::Const) => StmtKind::Declaration(Box::new(self.constant(start, Vec::new())?)),
                Some(Keyword::Return) => {
                    self.bump();
                    let bare = matches!(self.kind(), TokenKind::Semicolon | TokenKind::RBrace);
                    let value = if bare { None } else { Some(Box::new(self.expression()?)) };
                    self.expect_semicolon()?;
                    StmtKind::Return(value)
                }
                Some(Keyword::Exit) => self.bare_statement(StmtKind::Exit)?,
                Some(Keyword::Break) => self.bare_statement(StmtKind::Break)?,
                Some(Keyword::Continue) => self.bare_statement(StmtKind::Continue)?,
                Some(Keyword::Else) => {
                    let diagnostic = Diagnostic::error(
                        "syntax-else-without-if",
                        "`else` without an `if` before it",
                    )
                    .primary(start, "")
                    .note("to put a `;` or several statements between `if (…)` and `else`, enclose them in braces");
                    self.report(diagnostic);
                    return Err(Abort);
                }
                _ if self.starts_declaration() => {
                    StmtKind::Declaration(Box::new(self.variable_or_instance(start, Vec::new())?))
                }
                _ => {
                    let kind = self.assignment_or_call()?;
                    self.expect_semicolon()?;
                    kind
                }
            },
        };
        Ok(self.stmt(start, kind))
    }

    fn bare_statement(&mut self, kind: StmtKind) -> Parsed<StmtKind> {
        self.bump();
        self.expect_semicolon()?;
        Ok(kind)
    }

    fn annotated_statement(&mut self) -> Parsed<Stmt> {
        let start = self.peek().span;
        let annotations = self.annotations()?;
        let kind = match (self.kind(), self.keyword()) {
            (TokenKind::LBrace, _) => StmtKind::Block(self.block(annotations)?),
            (_, Some(Keyword::For)) => self.for_statement(annotations)?,
            (_, Some(Keyword::Const)) => StmtKind::Declaration(Box::new(self.constant(start, annotations)?)),
            _ if self.starts_declaration() => {
                StmtKind::Declaration(Box::new(self.variable_or_instance(start, annotations)?))
            }
            _ => return Err(self.unexpected_token("a declaration, a block or `for` after the annotation")),
        };
        Ok(self.stmt(start, kind))
    }

    /// Returns whether a variable or instance is declared at the cursor: a type and a name, or
    /// `Type(…) name`.
    pub(super) fn starts_declaration(&self) -> bool {
        let token = self.peek();
        match token.keyword() {
            Some(keyword) if always_starts_type(keyword) => return true,
            Some(Keyword::Error) => return self.peek_nth(1).kind != TokenKind::Dot,
            Some(Keyword::List) if self.peek_nth(1).kind == TokenKind::Lt => return true,
            _ => {}
        }
        let Some(end) = self.scan_type(self.at) else { return false };
        let next = self.token_at(end);
        if Parser::is_name(next) {
            // In `word other(…`, the first word is a misspelt keyword or a keyword of another
            // language, not a type.
            return self.token_at(end + 1).kind != TokenKind::LParen;
        }
        if next.kind != TokenKind::LParen {
            return false;
        }
        let Some(after) = self.scan_balanced(end).filter(|b| Parser::is_name(self.token_at(*b))) else {
            return false;
        };
        match self.token_at(after + 1).kind {
            TokenKind::Semicolon => !self.token_at(after).at_line_start() || self.types.contains(token.text),
            TokenKind::Assign => self.token_at(after + 2).kind == TokenKind::LBrace,
            _ => self.types.contains(token.text),
        }
    }

    /// Parses an assignment, call or direct application, without its `;`.
    pub(super) fn assignment_or_call(&mut self) -> Parsed<StmtKind> {
        if let Some(kind) = self.direct_application()? {
            return Ok(kind);
        }
        let first = self.at;
        let starts_operand = Parser::is_name(self.peek())
            || self.is_keyword(Keyword::This)
            || matches!(self.kind(), TokenKind::Dot | TokenKind::LParen);
        if !starts_operand {
            return Err(self.unexpected_token("a statement"));
        }
        let target = self.operand()?;
        if let Some((op, length)) = self.assignment_operator() {
            let op_start = self.peek().span;
            for _ in 0..length {
                self.bump();
            }
            let op_span = self.span_from(op_start);
            self.check_assignable(&target);
            let value = self.expression()?;
            return Ok(StmtKind::Assign(Box::new(AssignStmt { target, op, op_span, value })));
        }
        if matches!(target.kind, ExprKind::Call(_)) {
            self.check_misspelt_keyword(first)?;
            return Ok(StmtKind::Call(Box::new(target)));
        }
        if self.is(TokenKind::EqEq) {
            let span = self.peek().span;
            let diagnostic =
                Diagnostic::error("syntax-equals-for-assign", "`==` compares and cannot be used to assign")
                    .primary(span, "")
                    .suggest("use `=` to assign", span, "=");
            self.report(diagnostic);
            return Err(Abort);
        }
        Err(self.incomplete_statement(first, &target))
    }

    /// Reports a misspelt keyword, as in `iff (x) {`: a call followed by `{` is a misspelt `if` or
    /// another keyword.
    fn check_misspelt_keyword(&mut self, first: usize) -> Parsed<()> {
        let name_follows = Parser::is_name(self.peek()) && !self.peek().at_line_start();
        if !self.is(TokenKind::LBrace) && !name_follows {
            return Ok(());
        }
        let word = self.interner.text(self.tokens[first].text);
        if &**word == "while" {
            return Err(self.while_loop(self.tokens[first].span));
        }
        let near = match &**word {
            "elseif" | "elif" | "elsif" => Some("else if"),
            _ => weir_suggest::misspelt_word(word, STATEMENT_KEYWORDS.iter().map(|k| k.text())),
        };
        let Some(near) = near else { return Ok(()) };
        let span = self.tokens[first].span;
        let diagnostic = Diagnostic::error("syntax-misspelt-keyword", format!("unknown statement `{word}`"))
            .primary(span, "")
            .suggest(format!("did you mean `{near}`?"), span, near);
        self.report(diagnostic);
        Err(Abort)
    }

    fn incomplete_statement(&mut self, first: usize, target: &Expr) -> Abort {
        let word = self.tokens[first];
        let near = weir_suggest::misspelt_word(
            self.interner.text(word.text),
            STATEMENT_KEYWORDS.iter().map(|k| k.text()),
        );
        if let (ExprKind::Name(_), Some(near)) = (&target.kind, near) {
            let diagnostic = Diagnostic::error(
                "syntax-misspelt-keyword",
                format!("expected a statement, found {}", self.describe(word)),
            )
            .primary(word.span, "")
            .suggest(format!("did you mean `{near}`?"), word.span, near);
            self.report(diagnostic);
            return Abort;
        }
        if self.is(TokenKind::PlusPlus) {
            let span = self.peek().span;
            let diagnostic = Diagnostic::error("syntax-no-increment", "P4 has no increment operator")
                .primary(span, "`++` concatenates bit strings")
                .suggest("use `+= 1`", span, " += 1");
            self.report(diagnostic);
            return Abort;
        }
        if self.is(TokenKind::Minus) && self.peek_nth(1).kind == TokenKind::Minus {
            let span = self.peek().span.to(self.peek_nth(1).span);
            let diagnostic = Diagnostic::error("syntax-no-increment", "P4 has no decrement operator")
                .primary(span, "")
                .suggest("use `-= 1`", span, " -= 1");
            self.report(diagnostic);
            return Abort;
        }
        if self.is(TokenKind::Semicolon) {
            return self.bare_name(word, target);
        }
        self.unexpected_token("`=` and a value, or `(` and arguments")
    }

    /// Reports a name as a statement, as in `t.apply;`, which is usually a call without
    /// parentheses.
    fn bare_name(&mut self, word: Token, target: &Expr) -> Abort {
        let span = self.peek().span;
        let is_state = matches!(target.kind, ExprKind::Name(_))
            && matches!(&**self.interner.text(word.text), "accept" | "reject");
        let diagnostic = Diagnostic::error("syntax-unexpected-token", "a name alone is not a statement");
        self.report(if is_state {
            let before = Span { end: word.span.start, ..word.span };
            diagnostic.primary(word.span, "this is a parser state").suggest(
                "use `transition` to go to the state",
                before,
                "transition ",
            )
        } else {
            diagnostic.primary(target.span, "expected a call or an assignment").suggest(
                "to call it, add `()`",
                Span { end: span.start, start: span.start, ..span },
                "()",
            )
        });
        Abort
    }

    fn check_assignable(&mut self, target: &Expr) {
        let assignable = matches!(
            target.kind,
            ExprKind::Name(_)
                | ExprKind::This
                | ExprKind::Member(_)
                | ExprKind::Index(_)
                | ExprKind::Slice(_)
                | ExprKind::PlusSlice(_)
        );
        if !assignable {
            let diagnostic = Diagnostic::error("syntax-not-assignable", "invalid assignment target")
                .primary(target.span, "expected a variable, field, element or slice");
            self.report(diagnostic);
        }
    }

    /// Returns the binary operator of the assignment operator at the cursor (`None` for `=`), and
    /// its number of tokens.
    fn assignment_operator(&self) -> Option<(Option<BinaryOp>, usize)> {
        let op = match self.kind() {
            TokenKind::Assign => return Some((None, 1)),
            TokenKind::StarAssign => BinaryOp::Mul,
            TokenKind::SlashAssign => BinaryOp::Div,
            TokenKind::PercentAssign => BinaryOp::Mod,
            TokenKind::PlusAssign => BinaryOp::Add,
            TokenKind::MinusAssign => BinaryOp::Sub,
            TokenKind::PlusSatAssign => BinaryOp::AddSat,
            TokenKind::MinusSatAssign => BinaryOp::SubSat,
            TokenKind::ShlAssign => BinaryOp::Shl,
            TokenKind::AndAssign => BinaryOp::BitAnd,
            TokenKind::OrAssign => BinaryOp::BitOr,
            TokenKind::CaretAssign => BinaryOp::BitXor,
            TokenKind::Gt => {
                let next = self.peek_nth(1);
                if next.kind == TokenKind::Ge && !next.has_space_before() {
                    return Some((Some(BinaryOp::Shr), 2));
                }
                return None;
            }
            _ => return None,
        };
        Some((Some(op), 1))
    }

    /// Parses `Type.apply(…)` of a known type, or `Type<A>.apply(…)` of any type.
    fn direct_application(&mut self) -> Parsed<Option<StmtKind>> {
        let name = self.at + usize::from(self.is(TokenKind::Dot));
        let Some(end) = self.scan_type(self.at) else { return Ok(None) };
        let applies = self.token_at(end).kind == TokenKind::Dot
            && self.token_at(end + 1).keyword() == Some(Keyword::Apply)
            && self.token_at(end + 2).kind == TokenKind::LParen;
        let specialised = self.token_at(end - 1).kind == TokenKind::Gt;
        if !applies || !(specialised || (end == name + 1 && self.types.contains(self.token_at(name).text))) {
            return Ok(None);
        }
        let ty = self.type_ref()?;
        self.bump();
        self.bump();
        let args = self.arguments()?;
        Ok(Some(StmtKind::DirectApplication(Box::new(DirectApplication { ty, args }))))
    }
}
