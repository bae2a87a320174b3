//! `_` as a type argument.

use weir_syntax::{Span, ast};

use super::Checker;
use crate::hir::{self, Type, TypeId};

impl Checker<'_> {
    /// Resolves a type argument. Returns `None` for `_`.
    pub(super) fn type_argument(&mut self, arg: &ast::TypeRef) -> Option<TypeId> {
        match arg.kind {
            ast::TypeRefKind::DontCare => self.wildcard(arg.span),
            _ => Some(self.resolve_type(arg)),
        }
    }

    /// Returns a fresh type parameter for `_`, where a signature allows one.
    fn wildcard(&mut self, span: Span) -> Option<TypeId> {
        self.wildcards.as_ref()?;
        let name = hir::Name { text: "_".to_owned(), span };
        let var = self.program.type_vars.push(hir::TypeVar { name });
        self.wildcards.as_mut()?.push(var);
        Some(self.program.types.intern(Type::Var(var)))
    }

    /// Runs `body`, in which types may contain `_`. Also returns the type parameters created for
    /// them.
    pub(super) fn with_wildcards<R>(
        &mut self,
        body: impl FnOnce(&mut Self) -> R,
    ) -> (R, Vec<hir::TypeVarId>) {
        let outer = self.wildcards.replace(Vec::new());
        let result = body(self);
        let made = std::mem::replace(&mut self.wildcards, outer);
        (result, made.unwrap_or_default())
    }
}
