//! Statements.

use super::{Abort, Parsed, Parser, limits};
use crate::ast::*;
use crate::diagnostic::Diagnostic;
use crate::span::Span;
use crate::token::{Keyword, TokenKind};

/// Keywords that begin a statement, for suggestions.
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
    /// `{ statements }`, with recovery inside.
    pub(super) fn block(&mut self, annotations: Vec<Annotation>) -> Parsed<Block> {
        let start = self.expect(TokenKind::LBrace)?.span;
        let statements = self.statements(|_| false);
        self.close_block(start)?;
        Ok(Block { annotations, statements, span: self.span_from(start) })
    }

    /// Expects the `}` of a `{` opened at `start`.
    pub(super) fn close_block(&mut self, start: Span) -> Parsed<()> {
        if self.accept(TokenKind::RBrace) {
            return Ok(());
        }
        let found = self.describe(self.peek());
        let diagnostic = Diagnostic::error("syntax-unclosed-brace", format!("expected `}}`, found {found}"))
            .primary(self.peek().span, "expected `}`")
            .secondary(start, "to close this `{`");
        self.report(diagnostic);
        Err(Abort)
    }

    /// Statements up to `}` or where `end` says so. Broken ones are reported and left out.
    pub(super) fn statements(&mut self, end: impl Fn(&Self) -> bool) -> Vec<Stmt> {
        let mut list = Vec::new();
        while !self.at_end() && !self.is(TokenKind::RBrace) && !end(self) && !self.begins_top_level() {
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

    fn stmt(&mut self, start: Span, kind: StmtKind) -> Stmt {
        Stmt { id: self.fresh(), span: self.span_from(start), kind }
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
                Some(Keyword::If) => return self.if_statement(),
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
                    .note("a `;` or a second statement between `if (…)` and `else` needs braces around it");
                    self.report(diagnostic);
                    return Err(Abort);
                }
                _ if self.begins_declaration() => {
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
            _ if self.begins_declaration() => {
                StmtKind::Declaration(Box::new(self.variable_or_instance(start, annotations)?))
            }
            _ => return Err(self.unexpected("a declaration, a block or `for` behind the annotation")),
        };
        Ok(self.stmt(start, kind))
    }

    /// True if a variable or instance is declared here: a type stands before a name, or `Type(…) name`.
    pub(super) fn begins_declaration(&self) -> bool {
        let token = self.peek();
        match token.keyword() {
            Some(
                Keyword::Bool
                | Keyword::Bit
                | Keyword::Int
                | Keyword::Varbit
                | Keyword::String
                | Keyword::Tuple
                | Keyword::MatchKind
                | Keyword::Void,
            ) => return true,
            Some(Keyword::Error) => return self.peek_nth(1).kind != TokenKind::Dot,
            Some(Keyword::List) if self.peek_nth(1).kind == TokenKind::Lt => return true,
            _ => {}
        }
        let Some(end) = self.scan_type(self.at) else { return false };
        let next = self.token_at(end);
        if Parser::is_name(next) {
            // `word other(…`: a misspelt or foreign keyword rather than a type.
            return self.token_at(end + 1).kind != TokenKind::LParen;
        }
        if next.kind != TokenKind::LParen {
            return false;
        }
        let Some(behind) = self.scan_balanced(end).filter(|b| Parser::is_name(self.token_at(*b))) else {
            return false;
        };
        match self.token_at(behind + 1).kind {
            TokenKind::Semicolon => !self.token_at(behind).at_line_start() || self.types.contains(token.text),
            TokenKind::Assign => self.token_at(behind + 2).kind == TokenKind::LBrace,
            _ => self.types.contains(token.text),
        }
    }

    /// An assignment, call or direct application, without its `;`.
    fn assignment_or_call(&mut self) -> Parsed<StmtKind> {
        if let Some(kind) = self.direct_application()? {
            return Ok(kind);
        }
        let first = self.at;
        let begins_operand = Parser::is_name(self.peek())
            || self.is_keyword(Keyword::This)
            || matches!(self.kind(), TokenKind::Dot | TokenKind::LParen);
        if !begins_operand {
            return Err(self.unexpected("a statement"));
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
            self.check_foreign_keyword(first)?;
            return Ok(StmtKind::Call(Box::new(target)));
        }
        if self.is(TokenKind::EqEq) {
            let span = self.peek().span;
            let diagnostic =
                Diagnostic::error("syntax-equals-for-assign", "`==` compares and cannot stand here")
                    .primary(span, "")
                    .suggest("assign with `=`", span, "=");
            self.report(diagnostic);
            return Err(Abort);
        }
        Err(self.incomplete_statement(first, &target))
    }

    /// `iff (x) {`: a call followed by `{` is a misspelt `if` or the like.
    fn check_foreign_keyword(&mut self, first: usize) -> Parsed<()> {
        let names_more = Parser::is_name(self.peek()) && !self.peek().at_line_start();
        if !self.is(TokenKind::LBrace) && !names_more {
            return Ok(());
        }
        let word = self.interner.text(self.tokens[first].text);
        let Some(near) = crate::spelling::nearest(word, STATEMENT_KEYWORDS.iter().map(|k| k.text())) else {
            return Ok(());
        };
        let span = self.tokens[first].span;
        let diagnostic = Diagnostic::error("syntax-misspelt-keyword", format!("`{word}` is no statement"))
            .primary(span, "")
            .suggest(format!("did you mean `{near}`?"), span, near);
        self.report(diagnostic);
        Err(Abort)
    }

    fn incomplete_statement(&mut self, first: usize, target: &Expr) -> Abort {
        let word = self.tokens[first];
        let near = crate::spelling::nearest(
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
            let diagnostic =
                Diagnostic::error("syntax-no-increment", "`++` joins bit strings and does not count")
                    .primary(span, "")
                    .suggest("add with `+= 1`", span, " += 1");
            self.report(diagnostic);
            return Abort;
        }
        self.unexpected("`=` and a value, or `(` and arguments")
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
            let diagnostic = Diagnostic::error("syntax-not-assignable", "this cannot be assigned to")
                .primary(target.span, "expected a variable, field, element or slice");
            self.report(diagnostic);
        }
    }

    /// The assignment operator ahead, the operator within it, and its number of tokens.
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

    /// `Type.apply(…)` of a known type, or `Type<A>.apply(…)` of any.
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

    /// `(condition)` of `if` and `switch`.
    fn condition(&mut self) -> Parsed<Expr> {
        self.expect(TokenKind::LParen)?;
        let condition = self.expression()?;
        if self.is(TokenKind::Assign) {
            return Err(self.assign_for_equals());
        }
        self.expect(TokenKind::RParen)?;
        Ok(condition)
    }

    /// An `if` with its whole `else if` chain, read in a loop: chains are long where nests are not.
    fn if_statement(&mut self) -> Parsed<Stmt> {
        let before = self.chain;
        let links = self.if_links();
        self.chain = before;
        let (links, mut otherwise) = links?;
        for (start, condition, then) in links.into_iter().rev() {
            let kind = StmtKind::If(Box::new(IfStmt { condition, then, otherwise }));
            otherwise = Some(self.stmt(start, kind));
        }
        otherwise.ok_or(Abort)
    }

    #[expect(clippy::type_complexity, reason = "a list of links and the last else, used once")]
    fn if_links(&mut self) -> Parsed<(Vec<(Span, Expr, Stmt)>, Option<Stmt>)> {
        let mut links = Vec::new();
        loop {
            self.chain += 1;
            if self.chain > limits::CHAIN {
                return Err(
                    self.too_deep(&format!("`else if` may follow each other {} times", limits::CHAIN))
                );
            }
            let start = self.expect_keyword(Keyword::If)?.span;
            let condition = self.condition()?;
            let then = self.nested(Parser::statement)?;
            links.push((start, condition, then));
            if !self.accept_keyword(Keyword::Else) {
                return Ok((links, None));
            }
            if !self.is_keyword(Keyword::If) {
                return Ok((links, Some(self.nested(Parser::statement)?)));
            }
        }
    }

    fn switch_statement(&mut self) -> Parsed<StmtKind> {
        self.bump();
        let subject = self.condition()?;
        let open = self.expect(TokenKind::LBrace)?.span;
        let mut cases = Vec::new();
        while !self.is(TokenKind::RBrace) && !self.at_end() && !self.begins_top_level() {
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
        let foreign = Parser::is_name(self.peek()) && &**self.interner.text(self.peek().text) == "case";
        if foreign && self.peek_nth(1).kind != TokenKind::Colon {
            let diagnostic =
                Diagnostic::error("syntax-case-keyword", "labels of a `switch` have no `case` in P4")
                    .primary(start, "")
                    .suggest("remove `case`", start, "");
            self.report(diagnostic);
            self.bump();
        }
        if self.is(TokenKind::LBrace) {
            return Err(self.unexpected("a label of the `switch`"));
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

    fn for_statement(&mut self, annotations: Vec<Annotation>) -> Parsed<StmtKind> {
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

    /// A declaration, assignment or call of a `for`, without `;`.
    fn for_part(&mut self, start: Span, annotations: Vec<Annotation>, declares: bool) -> Parsed<Stmt> {
        let kind = if declares && (!annotations.is_empty() || self.begins_declaration()) {
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
        let variable_id = self.fresh();
        let variable = self.name("the name of the loop's variable")?;
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

    /// `const type name = value;`
    pub(super) fn constant(&mut self, start: Span, annotations: Vec<Annotation>) -> Parsed<Declaration> {
        self.bump();
        let ty = self.type_ref()?;
        let name = self.name("the name of the constant")?;
        if self.is(TokenKind::EqEq) {
            return Err(self.unexpected("`=`"));
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

    /// `type name`, `type name = value`: no `;`.
    fn variable(&mut self, start: Span, annotations: Vec<Annotation>) -> Parsed<Declaration> {
        let ty = self.type_ref()?;
        let name = self.name("the name of the variable")?;
        let init = if self.accept(TokenKind::Assign) { Some(self.expression()?) } else { None };
        Ok(self.declaration_node(
            start,
            annotations,
            Some(name),
            DeclKind::Variable(VariableDecl { ty, init }),
        ))
    }

    /// `type name = value;`, `Type(arguments) name;`
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
        self.expect_semicolon()?;
        declaration.span = self.span_from(start);
        Ok(declaration)
    }

    /// `Type(arguments) name;`, `Type(arguments) name = { … };`
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
        while !self.is(TokenKind::RBrace) && !self.at_end() && !self.begins_top_level() {
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
        Declaration { id: self.fresh(), span: self.span_from(start), annotations, name, kind }
    }
}
