//! Widths and sizes, which are constants.

use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive};
use weir_ir::MAX_WIDTH;
use weir_syntax::{Diagnostic, Span, ast};

use super::Checker;
use super::constant::{Value, evaluate};
use crate::hir::{Type, TypeId, Types};

impl Checker<'_> {
    pub(super) fn sized_type(
        &mut self,
        size: &ast::Expr,
        what: &str,
        limit: u32,
        make: impl FnOnce(u32) -> Type,
    ) -> TypeId {
        match self.constant_size(size, what, limit) {
            Some(size) => self.program.types.intern(make(size)),
            None => Types::POISON,
        }
    }

    /// Returns the type `bit<width>` or `int<width>`; reports it at `span` if it is too wide.
    pub(super) fn bits_type(&mut self, signed: bool, width: u64, span: Span) -> TypeId {
        if let Some(width) = u32::try_from(width).ok().filter(|width| *width <= MAX_WIDTH) {
            return self.program.types.intern(Type::Bits { signed, width });
        }
        let label = format!("this has {width} bits; at most {MAX_WIDTH} are allowed");
        let diagnostic =
            Diagnostic::error("bad-width", format!("invalid width {width}")).primary(span, label);
        self.report(diagnostic);
        Types::POISON
    }

    /// Evaluates a constant expression that is a size, from 0 to `limit`.
    pub(super) fn constant_size(&mut self, size: &ast::Expr, what: &str, limit: u32) -> Option<u32> {
        let value = self.constant_integer(size, what)?;
        if let Some(value) = value.to_u32()
            && value <= limit
        {
            return Some(value);
        }
        let bound = if value.is_negative() { "at least 0".to_owned() } else { format!("at most {limit}") };
        let diagnostic = Diagnostic::error("bad-width", format!("invalid {what} {value}"))
            .primary(size.span, format!("must be {bound}"));
        self.report(diagnostic);
        None
    }

    /// Evaluates an expression that must be an integer known to the checker.
    pub(super) fn constant_integer(&mut self, expr: &ast::Expr, what: &str) -> Option<BigInt> {
        let checked = self.expr(expr, None);
        if checked.ty == Types::POISON {
            return None;
        }
        match evaluate(&self.program, &checked) {
            Some(Value::Int(value)) => Some(value),
            Some(Value::Member(decl, member)) if self.program.enums[decl].underlying.is_some() => {
                self.program.enums[decl].members[member].value.clone()
            }
            Some(_) => {
                let shown_type = self.show(checked.ty);
                let diagnostic = Diagnostic::error(
                    "type-mismatch",
                    format!("the {what} must be an integer, not {shown_type}"),
                )
                .primary(expr.span, format!("expected an integer, found {shown_type}"));
                self.report(diagnostic);
                None
            }
            None => {
                let diagnostic =
                    Diagnostic::error("not-constant", format!("the {what} must be known at compile time"))
                        .primary(expr.span, "not a compile-time constant");
                self.report(diagnostic);
                None
            }
        }
    }
}
