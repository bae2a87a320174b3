//! Handles `_` as a type argument, both in signatures, where each call determines it, and of extern
//! objects.

use weir_syntax::{Diagnostic, Span, ast};

use super::Checker;
use crate::hir::{self, Type, TypeId, TypeVarId, Types};

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
        let wildcards = std::mem::replace(&mut self.wildcards, outer);
        (result, wildcards.unwrap_or_default())
    }

    /// Returns the type parameters of an object that are `_` and that a method mentions. Each call
    /// determines them separately, which is safe for values that the object only receives, such as
    /// indices. Reports an error if the object returns values of such a type: all calls must agree
    /// on it.
    pub(super) fn open_object_params(
        &mut self,
        object: TypeId,
        (decl, args): (hir::ExternId, &[TypeId]),
        signature: &hir::Signature,
        span: Span,
    ) -> Option<Vec<TypeVarId>> {
        let types = signature.params.iter().map(|param| self.program.vars[param.var].ty);
        let types: Vec<TypeId> = types.chain([signature.return_type]).collect();
        let params = self.program.externs[decl].type_params.iter().zip(args);
        let open: Vec<TypeVarId> = params
            .filter(|(param, arg)| {
                **arg == Types::ANY && types.iter().any(|&ty| self.contains_any_param(ty, &[**param]))
            })
            .map(|(&param, _)| param)
            .collect();
        if let Some(&param) = open.iter().find(|&&param| self.program.returns_values_of(decl, param)) {
            let name = &self.program.type_vars[param].name.text;
            let message = format!("type argument `{name}` of {} is not known", self.show(object));
            let label = format!("`{}` needs this type", signature.name.text);
            let diagnostic = Diagnostic::error("cannot-infer", message)
                .primary(span, label)
                .secondary(signature.name.span, "declared here")
                .note("write the type in place of `_` where the object is declared");
            self.report(diagnostic);
            return None;
        }
        Some(open)
    }

    /// Determines the type arguments `_` of an object from a function that implements one of its
    /// methods. Each pair is a type in the method's declaration and the corresponding type of the
    /// function.
    pub(super) fn implemented_args(
        &mut self,
        params: &[TypeVarId],
        args: &[TypeId],
        pairs: &[(TypeId, TypeId)],
    ) -> Vec<TypeId> {
        let mut bindings = super::infer::Bindings::new(params);
        for &(wanted, found) in pairs {
            self.infer(wanted, found, &mut bindings);
        }
        let implemented = |(&arg, found): (&TypeId, Option<TypeId>)| {
            if arg == Types::ANY { found.unwrap_or(arg) } else { arg }
        };
        args.iter().zip(bindings.types).map(implemented).collect()
    }
}
