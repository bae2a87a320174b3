//! Checks the initializers of extern objects: implementations of abstract methods.

use rustc_hash::FxHashSet;
use weir_syntax::{Diagnostic, ast};

use super::Checker;
use super::members::Owner;
use crate::hir::{self, Construct, Constructor, Param, TypeId, Types};

impl Checker<'_> {
    /// Checks the initializer of an instance: the implementations of abstract methods and the
    /// declarations that they use.
    pub(super) fn object_initializer(
        &mut self,
        written: &ast::InstantiationDecl,
        construct: &Construct,
        ty: TypeId,
        name: &ast::Name,
    ) -> (Vec<hir::AbstractImplementation>, Vec<hir::InstanceId>) {
        let (mut methods, mut members) = (Vec::new(), Vec::new());
        let Constructor::Extern { decl, .. } = construct.constructor else {
            if written.initializer.is_some() {
                let diagnostic =
                    Diagnostic::error("bad-initializer", "only extern objects can have an initializer block")
                        .primary(name.span, "this type has no abstract methods");
                self.report(diagnostic);
            }
            return (methods, members);
        };
        // This includes methods whose implementation is invalid: their errors are already reported.
        let mut implemented = FxHashSet::default();
        self.scopes.open();
        for inner in written.initializer.iter().flatten() {
            let Some(inner_name) = &inner.name else { continue };
            match &inner.kind {
                ast::DeclKind::Instantiation(instance) => {
                    members.extend(self.instantiation(inner, inner_name, instance, None));
                }
                ast::DeclKind::Function(function) => {
                    let Some(method) = self.abstract_method(inner_name, decl) else { continue };
                    implemented.insert(method);
                    let object = (decl, method, ty, construct.type_args.as_slice());
                    methods.extend(self.implementation(inner, inner_name, function, object));
                }
                _ => {
                    let diagnostic = Diagnostic::error(
                        "bad-initializer",
                        "an initializer block may contain only functions and instances",
                    )
                    .primary(inner.span, "expected a function or an instance");
                    self.report(diagnostic);
                }
            }
        }
        self.scopes.close();
        let missing: Vec<String> = self.program.externs[decl]
            .methods
            .iter()
            .enumerate()
            .filter(|(_, method)| method.is_abstract && !method.annotations.contains("optional"))
            .filter(|(index, _)| !implemented.contains(index))
            .map(|(_, method)| format!("`{}`", method.name.text))
            .collect();
        if !missing.is_empty() {
            let object = self.program.externs[decl].name.clone();
            let message = format!("`{name}` does not implement {}", missing.join(", "));
            let diagnostic = Diagnostic::error("missing-method", message)
                .primary(
                    name.span,
                    format!("`{}` has abstract methods that must be implemented", object.text),
                )
                .secondary(object.span, "declared here");
            self.report(diagnostic);
        }
        (methods, members)
    }

    /// Finds the abstract method called `name`. Reports an error if there is none.
    fn abstract_method(&mut self, name: &ast::Name, decl: hir::ExternId) -> Option<usize> {
        let named = self.members_named(Owner::Extern(decl), name.as_str());
        let object = &self.program.externs[decl];
        let method = named.iter().copied().find(|&index| object.methods[index].is_abstract);
        if method.is_none() {
            let message = format!("`{}` has no abstract method `{name}`", object.name.text);
            let diagnostic = Diagnostic::error("unknown-method", message)
                .primary(name.span, "not a member of the extern")
                .secondary(object.name.span, "declared here");
            self.report(diagnostic);
        }
        method
    }

    /// Checks a function that implements an abstract method, given the extern, the method, and the
    /// object's type and type arguments.
    fn implementation(
        &mut self,
        declaration: &ast::Declaration,
        name: &ast::Name,
        function: &ast::FunctionDecl,
        (decl, method, ty, type_args): (hir::ExternId, usize, TypeId, &[TypeId]),
    ) -> Option<hir::AbstractImplementation> {
        let object = &self.program.externs[decl];
        let object_params = object.type_params.clone();
        let wanted = object.methods[method].clone();
        let id = self.function_body(declaration, name, function, Some(ty));
        let candidate = self.program.functions[id].clone();
        let Some(params) = self.implemented_params(&candidate.params, &wanted.params) else {
            let takes = wanted.params.len();
            let message = format!(
                "`{name}` has {} parameters, but the method it implements has {takes}",
                candidate.params.len()
            );
            let diagnostic = Diagnostic::error("unknown-method", message)
                .primary(name.span, "only optional parameters may be left out")
                .secondary(wanted.name.span, format!("`{name}({})`", self.describe_params(&wanted.params)));
            self.report(diagnostic);
            return None;
        };
        let mut same = candidate.type_params.len() == wanted.type_params.len();
        let pairs = candidate
            .params
            .iter()
            .zip(&params)
            .map(|(candidate, &index)| (candidate, &wanted.params[index]));
        let mut types: Vec<(TypeId, TypeId)> = pairs
            .map(|(candidate, wanted)| {
                same &= candidate.direction == wanted.direction;
                (self.program.vars[wanted.var].ty, self.program.vars[candidate.var].ty)
            })
            .collect();
        types.push((wanted.return_type, candidate.return_type));
        let type_args = self.implemented_args(&object_params, type_args, &types);
        for (wanted_ty, found) in types {
            let wanted_ty = self.program.types.substitute(wanted_ty, &object_params, &type_args);
            same &= found == wanted_ty || found == Types::POISON || wanted_ty == Types::POISON;
        }
        if !same {
            let message = format!("the signature of `{name}` differs from the abstract method");
            let diagnostic = Diagnostic::error("type-mismatch", message)
                .primary(name.span, "parameters or return type differ")
                .secondary(wanted.name.span, "abstract method declared here");
            self.report(diagnostic);
        }
        Some(hir::AbstractImplementation { method, function: id, params })
    }

    /// Maps the parameters of an implementation to those of the abstract method. The implementation
    /// has all of these parameters, or omits optional ones, as in existing programs (the
    /// specification requires the same number). The names of its parameters determine which
    /// parameters are omitted. If the names do not match, the last parameters are omitted.
    fn implemented_params(&self, candidate: &[Param], wanted: &[Param]) -> Option<Vec<usize>> {
        if candidate.len() > wanted.len() {
            return None;
        }
        let by_name: Option<Vec<usize>> =
            candidate.iter().map(|param| self.param_named(wanted, self.param_name(param))).collect();
        let params = by_name
            .filter(|params| candidate.len() < wanted.len() && params.is_sorted_by(|a, b| a < b))
            .unwrap_or_else(|| (0..candidate.len()).collect());
        let left_out = |index: &usize| !params.contains(index);
        (0..wanted.len()).filter(left_out).all(|index| wanted[index].optional).then_some(params)
    }
}
