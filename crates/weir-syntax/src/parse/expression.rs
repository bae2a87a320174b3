//! Expressions, by precedence climbing.

use super::{Parsed, Parser, limits};
use crate::ast::*;
use crate::diagnostic::Diagnostic;
use crate::span::Span;
use crate::token::{Keyword, TokenKind};

impl Parser<'_> {
    pub(super) fn expression(&mut self) -> Parsed<Expr> {
        self.nested(Parser::ternary)
    }

    fn ternary(&mut self) -> Parsed<Expr> {
        let condition = self.binary(1)?;
        if !self.is(TokenKind::Question) {
            return Ok(condition);
        }
        let mut height = self.height;
        self.bump();
        let then = self.expression()?;
        height = height.max(self.height);
        self.expect(TokenKind::Colon)?;
        let otherwise = self.expression()?;
        self.set_height(height.max(self.height))?;
        let start = condition.span;
        Ok(self.expr(start, ExprKind::Ternary(Box::new(TernaryExpr { condition, then, otherwise }))))
    }

    fn expr(&mut self, start: Span, kind: ExprKind) -> Expr {
        Expr { id: self.next_id(), span: self.span_from(start), kind }
    }

    /// Returns the next binary operator and its number of tokens: `>>` has two.
    fn binary_operator(&self) -> Option<(BinaryOp, usize)> {
        let token = self.peek();
        let op = match token.kind {
            TokenKind::Star => BinaryOp::Mul,
            TokenKind::Slash => BinaryOp::Div,
            TokenKind::Percent => BinaryOp::Mod,
            // The `+:` of a slice.
            TokenKind::Plus if self.peek_nth(1).kind == TokenKind::Colon => return None,
            TokenKind::Plus => BinaryOp::Add,
            TokenKind::Minus => BinaryOp::Sub,
            TokenKind::PlusSat => BinaryOp::AddSat,
            TokenKind::MinusSat => BinaryOp::SubSat,
            TokenKind::PlusPlus => BinaryOp::Concat,
            TokenKind::Shl => BinaryOp::Shl,
            TokenKind::And => BinaryOp::BitAnd,
            TokenKind::Caret => BinaryOp::BitXor,
            TokenKind::Or => BinaryOp::BitOr,
            TokenKind::Lt => BinaryOp::Lt,
            TokenKind::Le => BinaryOp::Le,
            TokenKind::Ge => BinaryOp::Ge,
            TokenKind::EqEq => BinaryOp::Eq,
            TokenKind::NotEq => BinaryOp::Ne,
            TokenKind::AndAnd => BinaryOp::And,
            TokenKind::OrOr => BinaryOp::Or,
            TokenKind::Gt if self.width_end == Some(self.at) => return None,
            TokenKind::Gt => {
                let next = self.peek_nth(1);
                let adjacent = !next.has_space_before();
                match next.kind {
                    TokenKind::Gt if adjacent => return Some((BinaryOp::Shr, 2)),
                    // `>>=` is an assignment.
                    TokenKind::Ge if adjacent => return None,
                    _ => BinaryOp::Gt,
                }
            }
            _ => return None,
        };
        Some((op, 1))
    }

    fn binary(&mut self, min_precedence: u8) -> Parsed<Expr> {
        let mut left = self.unary()?;
        while let Some((op, _)) = self.binary_operator().filter(|(op, _)| op.precedence() >= min_precedence) {
            left = self.chain(left, op.precedence())?;
        }
        Ok(left)
    }

    /// Parses the operators of one precedence that follow `first`, with their right operands.
    fn chain(&mut self, first: Expr, precedence: u8) -> Parsed<Expr> {
        let start = first.span;
        let mut highest = self.height;
        // The height of the runs before the current one, and the operators of that run.
        let (mut below, mut run) = (0, 0);
        let mut links: Vec<ChainLink> = Vec::new();
        while let Some((op, length)) = self.binary_operator().filter(|(op, _)| op.precedence() == precedence)
        {
            let op_start = self.peek().span;
            for _ in 0..length {
                self.bump();
            }
            let op_span = self.span_from(op_start);
            let operand = self.nested(|parser| parser.binary(precedence + 1))?;
            highest = highest.max(self.height);
            if links.last().is_some_and(|last| !last.op.regroups_with(op)) {
                below += limits::height_of_run(run);
                run = 0;
            }
            run += 1;
            self.set_height(highest + below + limits::height_of_run(run) - 1)?;
            links.push(ChainLink { op, op_span, operand, span: self.span_from(start) });
            if op.is_ordering() {
                break;
            }
        }
        Ok(self.expr(start, ExprKind::Chain(Box::new(ChainExpr { first, links }))))
    }

    fn unary(&mut self) -> Parsed<Expr> {
        let op = match self.kind() {
            TokenKind::Bang => UnaryOp::Not,
            TokenKind::Tilde => UnaryOp::Complement,
            TokenKind::Minus => UnaryOp::Negate,
            TokenKind::Plus => UnaryOp::Plus,
            TokenKind::LParen if self.is_cast() => return self.nested(Parser::cast),
            _ => {
                let primary = self.primary()?;
                return self.postfix(primary);
            }
        };
        let start = self.bump().span;
        let operand = self.nested(Parser::unary)?;
        self.set_height(self.height)?;
        Ok(self.expr(start, ExprKind::Unary(Box::new(UnaryExpr { op, operand }))))
    }

    fn cast(&mut self) -> Parsed<Expr> {
        let start = self.bump().span;
        let ty = self.type_ref()?;
        self.expect(TokenKind::RParen)?;
        let operand = self.unary()?;
        self.set_height(self.height)?;
        Ok(self.expr(start, ExprKind::Cast(Box::new(CastExpr { ty, operand }))))
    }

    /// Parses an operand with its `.member`, `[index]` and `(arguments)`.
    pub(super) fn operand(&mut self) -> Parsed<Expr> {
        self.nested(|parser| {
            let primary = parser.primary()?;
            parser.postfix(primary)
        })
    }

    fn postfix(&mut self, mut base: Expr) -> Parsed<Expr> {
        loop {
            let start = base.span;
            let height = self.height;
            match self.kind() {
                TokenKind::Dot => {
                    self.bump();
                    if self.is(TokenKind::Integer) && matches!(base.kind, ExprKind::Integer(_)) {
                        return Err(self.dotted_number(start));
                    }
                    let member = self.name("the name of a field or method")?;
                    self.set_height(height)?;
                    base = self.expr(start, ExprKind::Member(Box::new(MemberExpr { base, member })));
                }
                TokenKind::LBracket => {
                    self.bump();
                    base = self.index_or_slice(base, height)?;
                }
                TokenKind::LParen => {
                    let args = self.arguments()?;
                    self.set_height(height.max(self.height))?;
                    let call = CallExpr { callee: base, type_args: Vec::new(), args };
                    base = self.expr(start, ExprKind::Call(Box::new(call)));
                }
                TokenKind::Lt
                    if matches!(base.kind, ExprKind::Name(_) | ExprKind::Member(_))
                        && self.is_generic_call() =>
                {
                    let (callee, type_args) = self.generic_callee(base)?;
                    let args = self.arguments()?;
                    self.set_height(height.max(self.height))?;
                    base = self.expr(start, ExprKind::Call(Box::new(CallExpr { callee, type_args, args })));
                }
                _ => return Ok(base),
            }
        }
    }

    /// Parses type arguments. They belong to the type in a constructor call, and to the call
    /// otherwise.
    fn generic_callee(&mut self, base: Expr) -> Parsed<(Expr, Vec<TypeRef>)> {
        let args = self.type_args()?;
        match &base.kind {
            ExprKind::Name(path) if self.is_type_name(&path.name) => {
                let named = NamedType { global: path.global, name: path.name.clone(), args };
                let ty =
                    TypeRef { id: base.id, span: self.span_from(base.span), kind: TypeRefKind::Named(named) };
                let start = base.span;
                Ok((self.expr(start, ExprKind::Type(Box::new(ty))), Vec::new()))
            }
            _ => Ok((base, args)),
        }
    }

    /// Parses the rest of an index or slice, after `[`.
    fn index_or_slice(&mut self, base: Expr, mut height: u32) -> Parsed<Expr> {
        let start = base.span;
        let first = self.expression()?;
        height = height.max(self.height);
        let kind = if self.accept(TokenKind::Colon) {
            let low = self.expression()?;
            ExprKind::Slice(Box::new(SliceExpr { base, high: first, low }))
        } else if self.is(TokenKind::Plus) && self.peek_nth(1).kind == TokenKind::Colon {
            self.bump();
            self.bump();
            let width = self.expression()?;
            ExprKind::PlusSlice(Box::new(PlusSliceExpr { base, low: first, width }))
        } else {
            ExprKind::Index(Box::new(IndexExpr { base, index: first }))
        };
        self.expect(TokenKind::RBracket)?;
        self.set_height(height.max(self.height))?;
        Ok(self.expr(start, kind))
    }

    /// Parses `(arguments)`.
    pub(super) fn arguments(&mut self) -> Parsed<Vec<Argument>> {
        self.expect(TokenKind::LParen)?;
        let mut height = 0;
        let mut args = Vec::new();
        while !self.is(TokenKind::RParen) {
            args.push(self.argument()?);
            height = height.max(self.height);
            if !self.accept(TokenKind::Comma) {
                break;
            }
            if self.is(TokenKind::RParen) {
                return Err(self.unexpected_token("an argument after `,`"));
            }
        }
        if !self.is(TokenKind::RParen) {
            return Err(self.unexpected_token("`,` or `)`"));
        }
        self.bump();
        self.height = height;
        Ok(args)
    }

    fn argument(&mut self) -> Parsed<Argument> {
        let start = self.peek().span;
        let named = Parser::is_name(self.peek()) && self.peek_nth(1).kind == TokenKind::Assign;
        let name = if named {
            let name = self.take_name();
            self.bump();
            Some(name)
        } else {
            None
        };
        self.height = 0;
        let value = if self.accept_keyword(Keyword::DontCare) { None } else { Some(self.expression()?) };
        Ok(Argument { name, value, span: self.span_from(start) })
    }

    pub(super) fn integer(&mut self) -> Parsed<Expr> {
        let token = self.peek();
        match IntegerLiteral::from_spelling(self.interner.text(token.text)) {
            Ok(literal) => {
                self.bump();
                self.height = 1;
                Ok(self.expr(token.span, ExprKind::Integer(literal)))
            }
            Err(why) => {
                if let Some(abort) = self.ethernet_address(token.span) {
                    return Err(abort);
                }
                let diagnostic =
                    Diagnostic::error("syntax-bad-integer", format!("invalid integer literal: {why}"))
                        .primary(token.span, "");
                self.report(diagnostic);
                self.bump();
                Ok(self.expr(token.span, ExprKind::Malformed))
            }
        }
    }

    fn primary(&mut self) -> Parsed<Expr> {
        let token = self.peek();
        let start = token.span;
        self.height = 1;
        let kind = match token.kind {
            TokenKind::Integer => return self.integer(),
            TokenKind::String => ExprKind::String(self.interner.text(token.text).clone()),
            TokenKind::Dots => ExprKind::Default,
            TokenKind::InvalidHeader => ExprKind::InvalidHeader,
            TokenKind::LBrace => {
                self.bump();
                let kind = self.braces()?;
                return Ok(self.expr(start, kind));
            }
            TokenKind::LParen => {
                self.bump();
                let mut inside = self.expression()?;
                if self.is(TokenKind::Assign) {
                    return Err(self.assign_for_equals());
                }
                self.expect(TokenKind::RParen)?;
                inside.span = self.span_from(start);
                return Ok(inside);
            }
            TokenKind::Dot => return self.name_expr(),
            TokenKind::Identifier => match token.keyword() {
                Some(Keyword::True) => ExprKind::Bool(true),
                Some(Keyword::False) => ExprKind::Bool(false),
                Some(Keyword::This) => ExprKind::This,
                Some(Keyword::Error) if self.peek_nth(1).kind == TokenKind::Dot => {
                    self.bump();
                    self.bump();
                    let name = self.name("the name of an error")?;
                    return Ok(self.expr(start, ExprKind::ErrorMember(name)));
                }
                _ if Parser::is_name(token) => return self.name_expr(),
                Some(Keyword::Bit | Keyword::Int | Keyword::Varbit | Keyword::Bool) => {
                    return Err(self.call_of_type());
                }
                _ => return Err(self.unexpected_token("an expression")),
            },
            _ => return Err(self.unexpected_token("an expression")),
        };
        self.bump();
        Ok(self.expr(start, kind))
    }

    /// Reports `bit<8>(x)`, which is probably meant as a cast.
    fn call_of_type(&mut self) -> super::Abort {
        let first = self.peek().span;
        let end = self.scan_type(self.at).filter(|end| self.token_at(*end).kind == TokenKind::LParen);
        let Some(end) = end else { return self.unexpected_token("an expression") };
        let span = self.sources.join(first, self.token_at(end - 1).span);
        let ty = self.sources.text(span).to_string();
        let diagnostic =
            Diagnostic::error("syntax-call-of-type", format!("`{ty}` is a type and cannot be called"))
                .primary(span, "")
                .suggest("to cast, put the type in parentheses", span, format!("({ty})"));
        self.report(diagnostic);
        super::Abort
    }

    fn name_expr(&mut self) -> Parsed<Expr> {
        let start = self.peek().span;
        let path = self.path_name("a name")?;
        Ok(self.expr(start, ExprKind::Name(path)))
    }

    /// Parses the rest of an expression after `{`: a struct expression if it starts with `name =`,
    /// otherwise a list.
    fn braces(&mut self) -> Parsed<ExprKind> {
        let mut height = 0;
        if Parser::is_name(self.peek()) && self.peek_nth(1).kind == TokenKind::Assign {
            let mut fields = Vec::new();
            let mut rest = None;
            while !self.is(TokenKind::RBrace) {
                if self.is(TokenKind::Dots) {
                    rest = Some(self.bump().span);
                    self.accept(TokenKind::Comma);
                    break;
                }
                fields.push(self.key_value()?);
                height = height.max(self.height);
                if !self.accept(TokenKind::Comma) {
                    break;
                }
            }
            self.close_braces()?;
            self.set_height(height)?;
            return Ok(ExprKind::Struct(StructExpr { fields, rest }));
        }
        let mut list = Vec::new();
        while !self.is(TokenKind::RBrace) {
            list.push(self.expression()?);
            height = height.max(self.height);
            if !self.accept(TokenKind::Comma) {
                break;
            }
        }
        self.close_braces()?;
        self.set_height(height)?;
        Ok(ExprKind::List(list))
    }

    fn close_braces(&mut self) -> Parsed<()> {
        if self.accept(TokenKind::RBrace) { Ok(()) } else { Err(self.unexpected_token("`,` or `}`")) }
    }

    /// Reports `=` in an expression, probably meant as `==`.
    pub(super) fn assign_for_equals(&mut self) -> super::Abort {
        let span = self.peek().span;
        let diagnostic =
            Diagnostic::error("syntax-assign-for-equals", "`=` assigns and is not allowed in an expression")
                .primary(span, "")
                .suggest("use `==` to compare", span, "==");
        self.report(diagnostic);
        super::Abort
    }

    pub(super) fn is_type_name(&self, name: &Name) -> bool {
        self.interner.find(name.as_str()).is_some_and(|symbol| self.types.contains(symbol))
    }
}
