//! Determines the type arguments of a call from its arguments, its expected type and its
//! parameters' defaults.

use super::Checker;
use crate::hir::{Arg, ArgValue, Expr, Type, TypeId, TypeVarId, Types};
use weir_syntax::Diagnostic;

use super::args::Invocation;

impl Checker<'_> {
    pub(super) fn infer_arguments(
        &mut self,
        call: &mut Invocation<'_>,
        wanted: &[TypeId],
        values: &[Option<Expr>],
    ) -> Option<Vec<TypeId>> {
        if call.bindings.params.is_empty() {
            return Some(Vec::new());
        }
        let bindings = call.bindings.clone();
        for (&ty, value) in wanted.iter().zip(values) {
            if let Some(value) = value {
                self.infer(ty, value.ty, &mut call.bindings);
            }
        }
        for (slot, explicit) in call.bindings.types.iter_mut().zip(&bindings.types) {
            if explicit.is_some() {
                *slot = *explicit;
            }
        }
        if let Some(target) = call.wanted {
            let result = self.program.types.substitute(call.result, call.object.0, call.object.1);
            let mut from_result = call.bindings.clone();
            self.infer(result, target, &mut from_result);
            for (slot, found) in call.bindings.types.iter_mut().zip(from_result.types) {
                if slot.is_none() || *slot == Some(Types::INT) {
                    *slot = found.or(*slot);
                }
            }
        }
        self.infer_from_defaults(call, wanted, values);
        self.bind_unused(call, wanted, values);
        if let Some(position) = call.bindings.types.iter().position(Option::is_none) {
            let name = self.program.type_vars[call.bindings.params[position]].name.text.clone();
            let diagnostic = Diagnostic::error(
                "cannot-infer",
                format!("type argument `{name}` of `{}` cannot be inferred", call.name),
            )
            .primary(call.span, format!("write the type argument: `{}<...>(...)`", call.name))
            .secondary(call.declared, "declared here");
            self.report(diagnostic);
            return None;
        }
        let type_args = call.bindings.type_args()?;
        for (index, &ty) in type_args.iter().enumerate() {
            if bindings.types[index].is_none() && self.has_unbounded(ty) {
                self.unknown_width(call, wanted, values, index);
                return None;
            }
        }
        Some(type_args)
    }

    /// Binds type parameters that nothing else determines to the types of the defaults of omitted
    /// parameters.
    pub(super) fn infer_from_defaults(
        &mut self,
        call: &mut Invocation<'_>,
        wanted: &[TypeId],
        values: &[Option<Expr>],
    ) {
        if call.bindings.type_args().is_some() {
            return;
        }
        let mut from_defaults = call.bindings.clone();
        for ((&ty, value), param) in wanted.iter().zip(values).zip(call.params) {
            if let (None, Some(default)) = (value, &param.default)
                && default.ty != ty
            {
                self.infer(ty, default.ty, &mut from_defaults);
            }
        }
        let own_params = call.bindings.params.clone();
        for (slot, found) in call.bindings.types.iter_mut().zip(from_defaults.types) {
            // A default whose type contains the type parameters themselves does not determine them.
            *slot = slot.or(found.filter(|&found| !self.contains_any_param(found, &own_params)));
        }
    }

    /// Binds type parameters that no argument determines. Type parameters that only omitted
    /// parameters mention become `void`, and those created for `_` become the type `Any`.
    pub(super) fn bind_unused(
        &mut self,
        call: &mut Invocation<'_>,
        wanted: &[TypeId],
        values: &[Option<Expr>],
    ) {
        for index in 0..call.bindings.types.len() {
            let param = call.bindings.params[index];
            let used = |checker: &Self| {
                wanted.iter().zip(values).zip(call.params).any(|((&ty, value), written)| {
                    (value.is_some() || written.default.is_some()) && checker.contains_any_param(ty, &[param])
                })
            };
            if call.bindings.types[index].is_some() {
                continue;
            }
            let wildcard = self.program.type_vars[param].name.text == "_";
            let mentioned = wanted.iter().any(|&ty| self.contains_any_param(ty, &[param]));
            call.bindings.types[index] = match call.bindings.open {
                _ if wildcard => Some(Types::ANY),
                Some(open) => Some(open),
                None => (mentioned && !used(self)).then_some(Types::VOID),
            };
        }
    }

    pub(super) fn has_unbounded(&self, ty: TypeId) -> bool {
        match &self.program.types[ty] {
            Type::Int => true,
            Type::Tuple(items) => items.iter().any(|&item| self.has_unbounded(item)),
            Type::AnonymousStruct(fields) => fields.iter().any(|(_, ty)| self.has_unbounded(*ty)),
            _ => false,
        }
    }

    pub(super) fn unknown_width(
        &mut self,
        call: &Invocation<'_>,
        wanted: &[TypeId],
        values: &[Option<Expr>],
        index: usize,
    ) {
        let param = call.bindings.params[index];
        let number_without_width = wanted.iter().zip(values).find_map(|(&ty, value)| {
            let value = value.as_ref()?;
            let unbounded = self.contains_any_param(ty, &[param]) && self.has_unbounded(value.ty);
            unbounded.then(|| self.unbounded_part(value).span)
        });
        let diagnostic = Diagnostic::error(
            "unknown-width",
            format!("the width of this argument of `{}` cannot be inferred", call.name),
        )
        .primary(number_without_width.unwrap_or(call.span), "this number has no width")
        .note("write the width, as in `16w5` or `(bit<16>)5`");
        self.report(diagnostic);
    }

    pub(super) fn unbounded_part<'e>(&self, expr: &'e Expr) -> &'e Expr {
        match &expr.kind {
            crate::hir::ExprKind::Aggregate(items) => items
                .iter()
                .find(|item| self.has_unbounded(item.ty))
                .map_or(expr, |item| self.unbounded_part(item)),
            _ => expr,
        }
    }

    /// Substitutes the type arguments of a call in a parameter's default.
    pub(super) fn instantiate(&mut self, value: &mut Expr, params: &[TypeVarId], args: &[TypeId]) {
        use crate::hir::ExprKind;
        if args.len() < params.len() {
            return;
        }
        value.ty = self.program.types.substitute(value.ty, params, args);
        let inner: Vec<&mut Arg> = match &mut value.kind {
            ExprKind::Construct(construct) => {
                for arg in &mut construct.type_args {
                    *arg = self.program.types.substitute(*arg, params, args);
                }
                construct.args.iter_mut().collect()
            }
            ExprKind::Call(call) => {
                for arg in &mut call.type_args {
                    *arg = self.program.types.substitute(*arg, params, args);
                }
                call.args.iter_mut().collect()
            }
            ExprKind::Aggregate(items) => {
                items.iter_mut().for_each(|item| self.instantiate(item, params, args));
                return;
            }
            ExprKind::Cast { operand, .. } => return self.instantiate(operand, params, args),
            _ => return,
        };
        for arg in inner {
            if let ArgValue::Expr(value) = &mut arg.value {
                self.instantiate(value, params, args);
            }
        }
    }
}
