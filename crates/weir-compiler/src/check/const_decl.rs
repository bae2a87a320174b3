//! Checks constants, in any scope.

use weir_syntax::{Diagnostic, ast};

use super::Checker;
use super::constant::{Value, evaluate, is_compile_time};
use super::scope::Symbol;
use crate::hir::{self, ItemKind, Type, TypeId, Types};

impl Checker<'_> {
    /// Checks `const T x = e;` in any scope.
    pub(super) fn constant(
        &mut self,
        declaration: &ast::Declaration,
        name: &ast::Name,
        constant: &ast::ConstantDecl,
        watch: Option<&'static str>,
    ) -> Option<hir::ConstId> {
        let ty = self.constant_type(&constant.ty);
        let value = self.expr(&constant.value, Some(ty));
        let value = if ty == Types::INT { self.without_width(value) } else { value };
        let value = self.for_type(&constant.ty, ty, |c| c.coerce(value, ty));
        if value.ty != Types::POISON && !is_compile_time(&self.program, &value) {
            let diagnostic = Diagnostic::error(
                "not-constant",
                format!("the value of constant `{name}` is not a compile-time constant"),
            )
            .primary(constant.value.span, "value not known at compile time");
            self.report(diagnostic);
            self.declare(name, Symbol::Poison, None);
            return None;
        }
        if value.ty == Types::POISON || ty == Types::POISON {
            self.declare(name, Symbol::Poison, None);
            return None;
        }
        // The value is folded here, so that a constant that is defined by other constants costs no
        // more to evaluate.
        let value = match evaluate(&self.program, &value) {
            Some(known) => super::constant::literal(&self.program, known, value),
            None => value,
        };
        let annotations = self.annotations_of(declaration, ItemKind::Constant);
        let hir_name = self.hir_name(name);
        let id = self.program.consts.push(hir::Const { name: hir_name, ty, init: value, annotations });
        self.declare(name, Symbol::Const(id), watch);
        Some(id)
    }

    /// Converts a value with a width to a value without, for a constant declared as `int`. Warns
    /// about this.
    pub(super) fn without_width(&mut self, value: hir::Expr) -> hir::Expr {
        if !matches!(self.program.types[value.ty], Type::Bits { .. }) {
            return value;
        }
        let Some(Value::Int(number)) = evaluate(&self.program, &value) else { return value };
        let message = format!("implicit conversion of {} to `int`", self.show(value.ty));
        let diagnostic = Diagnostic::warning("width-dropped", message)
            .primary(value.span, "P4_16 requires the cast `(int)` here");
        self.report(diagnostic);
        hir::Expr { kind: hir::ExprKind::Int(number), ty: Types::INT, span: value.span }
    }

    pub(super) fn constant_type(&mut self, written: &ast::TypeRef) -> TypeId {
        let ty = self.resolve_type(written);
        if self.is_constant_type(ty) {
            return ty;
        }
        let message = format!("a constant cannot have type {}", self.show(ty));
        self.report(
            Diagnostic::error("bad-constant-type", message)
                .primary(written.span, "this type has no compile-time values"),
        );
        Types::POISON
    }

    pub(super) fn is_constant_type(&self, ty: TypeId) -> bool {
        match &self.program.types[ty] {
            Type::Int | Type::String | Type::MatchKind => true,
            Type::List(element) => self.is_constant_type(*element),
            Type::Tuple(items) => items.iter().all(|&item| self.is_constant_type(item)),
            _ => self.is_value_type(ty),
        }
    }
}
