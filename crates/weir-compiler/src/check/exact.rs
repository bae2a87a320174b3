//! Casts of values at run time to `int` and back, as in `(bit<8>)((int)x + 1)`.
//!
//! In the specification, `int` exists at compile time only; p4c accepts such casts. Here, run-time
//! values never have type `int`: the expression between the two casts is computed in an `int<W>`
//! that is wide enough for every result.

use num_bigint::BigInt;
use weir_syntax::{Diagnostic, Span, ast};

use super::Checker;
use super::chain::{Terms, group};
use super::constant::{Value, evaluate};
use super::operator::{make, operator};
use super::scope::Symbol;
use crate::hir::{BinaryOp, Expr, ExprKind, Type, TypeId, Types, UnaryOp};

impl Checker<'_> {
    /// Checks a cast of an expression with casts to `int`. Returns `None` if the expression does
    /// not cast a run-time value, or if the target is not a number with a width.
    pub(super) fn exact_cast(&mut self, operand: &ast::Expr, target: TypeId, span: Span) -> Option<Expr> {
        let Type::Bits { signed, width: width @ 1.. } = self.program.types[target] else { return None };
        if !self.casts_value_to_int(operand) {
            return None;
        }
        let Some(exact) = self.exact_expr(operand) else { return Some(self.poison_expr(span)) };
        let sized = self.resize(exact, width);
        Some(if signed { Expr { span, ..sized } } else { cast(sized, target, span) })
    }

    /// Returns whether an operand in a chain of sums, differences and products casts a run-time
    /// value to `int`. Looks only at names, so that no expression is checked twice.
    fn casts_value_to_int(&mut self, expr: &ast::Expr) -> bool {
        match &expr.kind {
            ast::ExprKind::Cast(cast) if matches!(cast.ty.kind, ast::TypeRefKind::Int) => {
                !self.names_constant(&cast.operand)
            }
            ast::ExprKind::Chain(chain) => operands(chain).any(|operand| self.casts_value_to_int(operand)),
            ast::ExprKind::Unary(unary) => self.casts_value_to_int(&unary.operand),
            _ => false,
        }
    }

    fn names_constant(&mut self, expr: &ast::Expr) -> bool {
        match &expr.kind {
            ast::ExprKind::Integer(_) => true,
            ast::ExprKind::Name(path) => {
                let binding_of_name = self.scopes.resolve(path.name.as_str(), path.global);
                binding_of_name.is_none_or(|binding| !matches!(binding.symbol, Symbol::Var(_)))
            }
            ast::ExprKind::Cast(cast) => self.names_constant(&cast.operand),
            ast::ExprKind::Unary(unary) => self.names_constant(&unary.operand),
            ast::ExprKind::Chain(chain) => operands(chain).all(|operand| self.names_constant(operand)),
            _ => false,
        }
    }

    /// Checks an expression that is computed as a number of unlimited size. Its type becomes an
    /// `int<W>` that holds every possible value.
    fn exact_expr(&mut self, written: &ast::Expr) -> Option<Expr> {
        match &written.kind {
            ast::ExprKind::Cast(cast) if matches!(cast.ty.kind, ast::TypeRefKind::Int) => {
                let value = self.expr(&cast.operand, None);
                let value = self.enum_to_number(value);
                self.exact_value(value)
            }
            ast::ExprKind::Unary(unary) if matches!(unary.op, ast::UnaryOp::Negate | ast::UnaryOp::Plus) => {
                let operand = self.exact_expr(&unary.operand)?;
                if unary.op == ast::UnaryOp::Plus {
                    return Some(operand);
                }
                let width = self.width_of(&operand) + 1;
                let ty = self.exact_type(width, written.span)?;
                let operand = cast(operand, ty, written.span);
                Some(Expr {
                    kind: ExprKind::Unary(UnaryOp::Negate, Box::new(operand)),
                    ty,
                    span: written.span,
                })
            }
            ast::ExprKind::Chain(chain) => self.exact_chain(chain, written.span),
            _ => {
                let value = self.expr(written, None);
                match (value.ty, evaluate(&self.program, &value)) {
                    (Types::POISON, _) => None,
                    (Types::INT, Some(Value::Int(number))) => self.exact_constant(number, written.span),
                    _ => self.no_exact(written.span),
                }
            }
        }
    }

    fn exact_chain(&mut self, chain: &ast::ChainExpr, span: Span) -> Option<Expr> {
        let first = self.exact_expr(&chain.first);
        let mut terms = Terms::new();
        for link in &chain.links {
            match operator(link.op) {
                op @ (BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul) => {
                    terms.push((op, self.exact_expr(&link.operand)?));
                }
                _ => return self.no_exact(link.op_span),
            }
        }
        let count = terms.len() + 1;
        let mut terms = std::iter::once((BinaryOp::Add, first?)).chain(terms);
        let (_, joined) = group(&mut terms, count, &mut |op, left, right| {
            let (a, b) = (self.width_of(&left), self.width_of(&right));
            let width = if op == BinaryOp::Mul { a + b } else { a.max(b) + 1 };
            let ty = self.exact_type(width, span)?;
            let (from, to) = (left.span, right.span);
            Some(make(op, cast(left, ty, from), cast(right, ty, to), ty, from.to(to)))
        })?;
        Some(Expr { span, ..joined })
    }

    fn exact_value(&mut self, value: Expr) -> Option<Expr> {
        let span = value.span;
        if let (Types::INT, Some(Value::Int(number))) = (value.ty, evaluate(&self.program, &value)) {
            return self.exact_constant(number, span);
        }
        match self.program.types[value.ty] {
            Type::Poison => None,
            Type::Bits { signed: true, .. } => Some(value),
            Type::Bits { signed: false, width } => {
                let wider = self.bits_type(false, u64::from(width) + 1, span);
                let ty = self.exact_type(u64::from(width) + 1, span)?;
                Some(cast(cast(value, wider, span), ty, span))
            }
            _ => {
                let shown_type = self.show_of(&value);
                let diagnostic =
                    Diagnostic::error("bad-cast", format!("{shown_type} cannot be cast to `int`"));
                self.report(diagnostic.primary(span, format!("this is {shown_type}")));
                None
            }
        }
    }

    fn exact_constant(&mut self, number: BigInt, span: Span) -> Option<Expr> {
        let ty = self.exact_type(number.bits() + 1, span)?;
        Some(Expr { kind: ExprKind::Int(number), ty, span })
    }

    /// Returns the type `int<width>`; `None` if it is too wide.
    fn exact_type(&mut self, width: u64, span: Span) -> Option<TypeId> {
        Some(self.bits_type(true, width, span)).filter(|ty| *ty != Types::POISON)
    }

    fn width_of(&self, expr: &Expr) -> u64 {
        match self.program.types[expr.ty] {
            Type::Bits { width, .. } => u64::from(width),
            _ => 0,
        }
    }

    /// Converts a number to an `int` of `width` bits, at least 1.
    fn resize(&mut self, value: Expr, width: u32) -> Expr {
        let span = value.span;
        let ty = self.program.types.intern(Type::Bits { signed: true, width });
        cast(value, ty, span)
    }

    fn no_exact(&mut self, span: Span) -> Option<Expr> {
        let message = "only sums, differences and products of `int` are computed at run time";
        let diagnostic = Diagnostic::error("bad-cast", message)
            .primary(span, "")
            .note("cast to an `int<W>` that is wide enough instead of `int`");
        self.report(diagnostic);
        None
    }
}

/// Returns the operands of a chain of operators in the order of the source.
fn operands(chain: &ast::ChainExpr) -> impl Iterator<Item = &ast::Expr> {
    std::iter::once(&chain.first).chain(chain.links.iter().map(|link| &link.operand))
}

/// Casts an operand implicitly to a type; returns the operand itself if it already has this type.
fn cast(operand: Expr, ty: TypeId, span: Span) -> Expr {
    if operand.ty == ty {
        return operand;
    }
    Expr { kind: ExprKind::Cast { operand: Box::new(operand), implicit: true }, ty, span }
}
