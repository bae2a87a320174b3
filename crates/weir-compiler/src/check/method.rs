//! Checks methods of extern objects, headers and stacks, and the size methods of all types.

use num_traits::ToPrimitive;
use weir_syntax::{Diagnostic, Span, ast};

use super::Checker;
use super::args::{Constant, Invocation};
use super::habits::list_names;
use super::members::Owner;
use super::overload::Overloads;
use super::restrict::CalleeKind;
use crate::hir::{
    Call, Callee, Expr, ExprKind, ExternId, RecordKind, SizeMeasure, Type, TypeId, TypeVarId, Types,
};

impl Checker<'_> {
    /// Reports a method that values of type `ty` do not have. `known` lists the methods that the
    /// language defines for them.
    pub(super) fn no_method(&mut self, ty: TypeId, name: &ast::Name, known: &[&str]) {
        let message = format!("{} has no method `{name}`", self.show(ty));
        let mut diagnostic =
            Diagnostic::error("unknown-method", message).primary(name.span, "no such method");
        let known = || match &self.program.types[ty] {
            Type::Extern { decl, .. } => {
                self.program.externs[*decl].methods.iter().map(|method| method.name.text.as_str()).collect()
            }
            _ => known.to_vec(),
        };
        let known: Vec<&str> = known();
        let habit = match &self.program.types[ty] {
            Type::Extern { decl, .. } => {
                super::other_names::method(&self.program.externs[*decl].methods, name.as_str())
            }
            _ => super::habits::methods(name.as_str()).iter().copied().find(|word| known.contains(word)),
        };
        if let Some(nearest) = habit.or_else(|| self.nearest_name(name.as_str(), || known.iter().copied())) {
            diagnostic = diagnostic.suggest(format!("did you mean `{nearest}`?"), name.span, nearest);
        } else if !known.is_empty() {
            diagnostic = diagnostic.note(format!("its methods are {}", list_names(&known)));
        }
        self.report(diagnostic);
    }

    pub(super) fn no_arguments(&mut self, name: &ast::Name, args: &[ast::Argument], span: Span) -> bool {
        if args.is_empty() {
            return true;
        }
        let message = format!("`{name}` takes no arguments");
        self.report(
            Diagnostic::error("argument-count", message).primary(span, format!("expected `{name}()`")),
        );
        false
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of one call")]
    pub(super) fn call_method(
        &mut self,
        object: Expr,
        decl: ExternId,
        object_args: &[TypeId],
        name: &ast::Name,
        call: &ast::CallExpr,
        wanted: Option<TypeId>,
        span: Span,
    ) -> Expr {
        let named = self.members_named(Owner::Extern(decl), name.as_str());
        if named.is_empty() {
            self.no_method(object.ty, name, &[]);
            return self.poison_expr(span);
        }
        let Some(chosen) = self.choose(name, Overloads::Methods(decl, &named), &call.args, span) else {
            return self.poison_expr(span);
        };
        let method = named[chosen];
        let signature = self.program.externs[decl].methods[method].clone();
        let declared = signature.name.span;
        if !self.may_call(CalleeKind::Extern, span) {
            return self.poison_expr(span);
        }
        let Some(mut bindings) =
            self.explicit_type_args(name, &signature.type_params, &call.type_args, declared, span)
        else {
            return self.poison_expr(span);
        };
        let object_params = self.program.externs[decl].type_params.clone();
        let Some(open) = self.open_object_params(object.ty, (decl, object_args), &signature, span) else {
            return self.poison_expr(span);
        };
        bindings.extend(&open);
        let object_bindings =
            object_params.iter().zip(object_args).filter(|(param, _)| !open.contains(param));
        let (known_params, known_args): (Vec<TypeVarId>, Vec<TypeId>) = object_bindings.unzip();
        let checked = self.arguments(Invocation {
            name: name.as_str(),
            declared,
            params: &signature.params,
            object: (&known_params, &known_args),
            bindings,
            args: &call.args,
            result: signature.return_type,
            wanted,
            span,
            constant: Constant::Directionless,
        });
        let Some((args, mut type_args)) = checked else { return self.poison_expr(span) };
        let inferred = type_args.split_off(signature.type_params.len());
        let mut object_args = object_args.to_vec();
        for (arg, param) in object_args.iter_mut().zip(&object_params) {
            if let Some(position) = open.iter().position(|open| open == param) {
                *arg = inferred[position];
            }
        }
        let ty = self.program.types.intern(Type::Extern { decl, args: object_args.clone() });
        let object = Expr { ty, ..object };
        if !self.check_packet_types(decl, name, &type_args, args.len(), span) {
            return self.poison_expr(span);
        }
        self.warn_if_deprecated(name, declared);
        let ty = self.program.types.substitute(signature.return_type, &object_params, &object_args);
        let ty = self.program.types.substitute(ty, &signature.type_params, &type_args);
        let call = Call { callee: Callee::Method { object, decl, method }, type_args, args, span };
        Expr { kind: ExprKind::Call(Box::new(call)), ty, span }
    }

    /// Checks the types passed to methods of core.p4's packets: `extract` takes headers, `emit`
    /// headers and composites of them, and `lookahead` types of fixed width (P4_16 sections 13.8,
    /// 15).
    pub(super) fn check_packet_types(
        &mut self,
        decl: ExternId,
        name: &ast::Name,
        type_args: &[TypeId],
        args: usize,
        span: Span,
    ) -> bool {
        let [ty] = type_args else { return true };
        let is_header = self.record_kind(*ty) == Some(RecordKind::Header);
        let variable = self.size_of(*ty, SizeMeasure::MinBits) != self.size_of(*ty, SizeMeasure::MaxBits);
        let object = self.program.externs[decl].name.text.clone();
        let expected = match (object.as_str(), name.as_str()) {
            _ if self.holds_type_variable(*ty) => return true,
            ("packet_in", "extract") if !is_header => "expected a header",
            ("packet_in", "extract") if args == 1 && variable => {
                "headers with a `varbit` field need its size as a second argument"
            }
            ("packet_in", "extract") if self.varbits(*ty) > 1 => {
                "this header has more than one `varbit` field"
            }
            ("packet_in", "extract") if args == 2 && !variable => "expected a header with a `varbit` field",
            ("packet_in", "lookahead")
                if variable || self.holds_union(*ty) || self.size_of(*ty, SizeMeasure::MinBits).is_none() =>
            {
                "expected a type of fixed width"
            }
            ("packet_out", "emit") if !self.emittable(*ty) => {
                "expected a header, header stack, header union or a struct of these"
            }
            _ => return true,
        };
        let message = format!("`{name}` cannot be used with {}", self.show(*ty));
        self.report(Diagnostic::error("bad-packet-type", message).primary(span, expected));
        false
    }

    /// Returns whether a type is or contains a header union, which has no fixed width (P4_16
    /// section 7.2.4).
    fn holds_union(&mut self, ty: TypeId) -> bool {
        match (self.record_kind(ty), self.program.types[ty].clone()) {
            (Some(RecordKind::Union), _) => true,
            (Some(RecordKind::Struct), _) => {
                let fields = self.fields(ty).unwrap_or_default();
                fields.into_iter().any(|(_, field)| self.holds_union(field))
            }
            (_, Type::Stack { element, .. }) => self.holds_union(element),
            (_, Type::Tuple(items)) => items.into_iter().any(|item| self.holds_union(item)),
            _ => false,
        }
    }

    /// Returns the number of varbit fields in a type.
    pub(super) fn varbits(&mut self, ty: TypeId) -> usize {
        let fields = self.fields(ty).unwrap_or_default();
        fields.iter().filter(|(_, ty)| matches!(self.program.types[*ty], Type::Varbit { .. })).count()
    }

    /// Returns whether a value of this type can be emitted: a header, a union, or a struct or stack
    /// of these.
    pub(super) fn emittable(&mut self, ty: TypeId) -> bool {
        match (self.record_kind(ty), self.program.types[ty].clone()) {
            (Some(RecordKind::Header | RecordKind::Union), _) => true,
            (Some(RecordKind::Struct), _) | (_, Type::AnonymousStruct(_)) => {
                let fields = self.fields(ty).unwrap_or_default();
                fields.into_iter().all(|(_, field)| self.emittable(field))
            }
            (_, Type::Stack { element, .. }) => self.emittable(element),
            (_, Type::Tuple(items)) => items.into_iter().all(|item| self.emittable(item)),
            _ => false,
        }
    }

    pub(super) fn built_in(&self, callee: Callee, span: Span) -> Expr {
        let call = Call { callee, type_args: Vec::new(), args: Vec::new(), span };
        Expr { kind: ExprKind::Call(Box::new(call)), ty: Types::VOID, span }
    }

    pub(super) fn header_method(
        &mut self,
        base: Expr,
        name: &ast::Name,
        args: &[ast::Argument],
        span: Span,
    ) -> Expr {
        let is_header = self.record_kind(base.ty) == Some(RecordKind::Header);
        let methods: &[&str] = if is_header { &["isValid", "setValid", "setInvalid"] } else { &["isValid"] };
        if !methods.contains(&name.as_str()) {
            self.no_method(base.ty, name, methods);
            return self.poison_expr(span);
        }
        if !self.no_arguments(name, args, span) {
            return self.poison_expr(span);
        }
        if name.as_str() == "isValid" {
            return Expr { kind: ExprKind::IsValid(Box::new(base)), ty: Types::BOOL, span };
        }
        if !self.writable(&base, "made valid or invalid") {
            return self.poison_expr(span);
        }
        let valid = name.as_str() == "setValid";
        self.built_in(if valid { Callee::SetValid(base) } else { Callee::SetInvalid(base) }, span)
    }

    pub(super) fn stack_method(
        &mut self,
        base: Expr,
        name: &ast::Name,
        args: &[ast::Argument],
        span: Span,
    ) -> Expr {
        let methods = ["push_front", "pop_front"];
        if !methods.contains(&name.as_str()) {
            self.no_method(base.ty, name, &methods);
            return self.poison_expr(span);
        }
        let value = match args {
            [ast::Argument { value: Some(value), .. }] => value,
            _ => {
                let message = format!("`{name}` takes 1 argument");
                let label = format!("expected `{name}(number)`");
                self.report(Diagnostic::error("argument-count", message).primary(span, label));
                return self.poison_expr(span);
            }
        };
        let Some(count) = self.constant_integer(value, "count") else { return self.poison_expr(span) };
        let Some(count) = count.to_u32().filter(|&count| count > 0) else {
            let message = format!("the count of `{name}` must be at least 1");
            self.report(Diagnostic::error("bad-argument", message).primary(value.span, "must be positive"));
            return self.poison_expr(span);
        };
        if !self.writable(&base, "changed") {
            return self.poison_expr(span);
        }
        self.built_in(
            match name.as_str() {
                "push_front" => Callee::PushFront { stack: base, count },
                _ => Callee::PopFront { stack: base, count },
            },
            span,
        )
    }

    pub(super) fn size_expr(
        &mut self,
        owner: TypeId,
        measure: SizeMeasure,
        name: &ast::Name,
        args: &[ast::Argument],
        span: Span,
    ) -> Expr {
        if !self.no_arguments(name, args, span) {
            return self.poison_expr(span);
        }
        if let Some(size) = self.size_of(owner, measure) {
            return Expr { kind: ExprKind::Int(size.into()), ty: Types::INT, span };
        }
        if self.holds_type_variable(owner) {
            return Expr { kind: ExprKind::SizeOf { measure, of: owner }, ty: Types::INT, span };
        }
        let message = format!("{} has no fixed size", self.show(owner));
        self.report(
            Diagnostic::error("no-size", message)
                .primary(span, "the representation of this type is not specified"),
        );
        self.poison_expr(span)
    }

    pub(super) fn holds_type_variable(&self, ty: TypeId) -> bool {
        self.any_variable(ty, &|_| true)
    }
}

/// Returns the size that a method measures; `None` if it is not a size method.
pub(super) fn size_measure(name: &str) -> Option<SizeMeasure> {
    Some(match name {
        "minSizeInBits" => SizeMeasure::MinBits,
        "minSizeInBytes" => SizeMeasure::MinBytes,
        "maxSizeInBits" => SizeMeasure::MaxBits,
        "maxSizeInBytes" => SizeMeasure::MaxBytes,
        _ => return None,
    })
}
