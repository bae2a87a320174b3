//! Checks extern objects and functions.

use super::Checker;
use super::scope::{Callable, Symbol, TypeSymbol};
use crate::hir::{self, ItemKind, Type, TypeId, Types};
use rustc_hash::FxHashMap;
use weir_syntax::{Diagnostic, Span, ast};

use super::signature::ParamOwner;

impl Checker<'_> {
    pub(super) fn extern_object(
        &mut self,
        declaration: &ast::Declaration,
        name: &ast::Name,
        object: &ast::ExternObjectDecl,
    ) -> hir::ExternId {
        let annotations = self.annotations_of(declaration, ItemKind::Extern);
        let id = self.program.externs.push(hir::Extern {
            name: self.hir_name(name),
            annotations,
            type_params: Vec::new(),
            constructors: Vec::new(),
            methods: Vec::new(),
        });
        self.scopes.open();
        let type_params = self.declare_type_params(&object.type_params);
        self.program.externs[id].type_params = type_params;
        // Bind the name first: methods may refer to the extern itself.
        self.scopes.bind(
            name.as_str(),
            super::Binding {
                symbol: Symbol::Type(TypeSymbol::Extern(id)),
                span: name.span,
                used: true,
                watch: None,
            },
        );
        for method in &object.methods {
            self.method(id, method);
        }
        self.distinct_methods(id);
        self.no_self_reference(id);
        self.scopes.close();
        self.declare(name, Symbol::Type(TypeSymbol::Extern(id)), None);
        id
    }

    /// Reports constructor parameters with the extern's own type, because no object could be
    /// constructed first.
    pub(super) fn no_self_reference(&mut self, id: hir::ExternId) {
        let object = &self.program.externs[id];
        let is_own_type =
            |ty: TypeId| matches!(self.program.types[ty], Type::Extern { decl, .. } if decl == id);
        let constructors =
            object.constructors.iter().map(|signature| ("the constructor".to_owned(), signature));
        let methods = object.methods.iter().map(|method| (format!("method `{}`", method.name.text), method));
        let own_type_params: Vec<(String, hir::Name)> = constructors
            .chain(methods)
            .flat_map(|(what, signature)| signature.params.iter().map(move |param| (what.clone(), param.var)))
            .filter(|(_, var)| is_own_type(self.program.vars[*var].ty))
            .map(|(what, var)| (what, self.program.vars[var].name.clone()))
            .collect();
        let declared = object.name.clone();
        for (what, name) in own_type_params {
            let message = format!("{what} of `{}` takes a parameter of its own type", declared.text);
            let diagnostic = Diagnostic::error("bad-parameter", message)
                .primary(name.span, format!("this is of type `{}`", declared.text))
                .secondary(declared.span, "extern declared here");
            self.report(diagnostic);
        }
    }

    /// Reports methods and constructors that calls cannot distinguish.
    pub(super) fn distinct_methods(&mut self, id: hir::ExternId) {
        let object = &self.program.externs[id];
        let shape = |signature: &hir::Signature| -> Vec<&str> {
            signature.params.iter().map(|param| self.program.vars[param.var].name.text.as_str()).collect()
        };
        let mut duplicates = Vec::new();
        let mut abstract_overloads = Vec::new();
        for list in [&object.constructors, &object.methods] {
            let mut shapes: FxHashMap<(&str, Vec<&str>), Span> = FxHashMap::default();
            let mut names: FxHashMap<&str, &hir::Signature> = FxHashMap::default();
            for signature in list {
                let (name, span) = (signature.name.text.as_str(), signature.name.span);
                let duplicate = shapes.get(&(name, shape(signature))).copied();
                match (duplicate, names.get(name)) {
                    (Some(first), _) => duplicates.push((signature.name.clone(), first)),
                    (None, Some(first)) if first.is_abstract || signature.is_abstract => {
                        abstract_overloads.push((signature.name.clone(), first.name.span));
                    }
                    _ => {}
                }
                shapes.entry((name, shape(signature))).or_insert(span);
                names.entry(name).or_insert(signature);
            }
        }
        for (name, first) in abstract_overloads {
            let message = format!("abstract method `{}` cannot be overloaded", name.text);
            let diagnostic = Diagnostic::error("duplicate-declaration", message)
                .primary(name.span, "declared again here")
                .secondary(first, "first declared here")
                .note("implementations are matched to abstract methods by name only");
            self.report(diagnostic);
        }
        for (name, first) in duplicates {
            let message = format!("calls of the two overloads of `{}` would be ambiguous", name.text);
            let diagnostic = Diagnostic::error("duplicate-declaration", message)
                .primary(name.span, "has the same number and names of parameters")
                .secondary(first, "first declared here");
            self.report(diagnostic);
        }
    }

    /// Checks the declaration of an extern's method or constructor.
    pub(super) fn method(&mut self, id: hir::ExternId, method: &ast::MethodDecl) {
        match &method.kind {
            ast::MethodKind::Constructor(params) => {
                // The parser has already reported a constructor whose name differs from its
                // extern's.
                let checked = self.signature(
                    method,
                    Vec::new(),
                    Types::VOID,
                    params,
                    ParamOwner::ExternConstructor,
                    false,
                );
                self.program.externs[id].constructors.push(checked);
            }
            ast::MethodKind::Method(signature) | ast::MethodKind::Abstract(signature) => {
                let is_abstract = matches!(method.kind, ast::MethodKind::Abstract(_));
                if self.program.externs[id].name.text == method.name.as_str() {
                    let message = format!("constructor `{}` cannot have a return type", method.name);
                    let diagnostic = Diagnostic::error("bad-constructor", message)
                        .primary(signature.return_type.span, "remove the return type");
                    self.report(diagnostic);
                }
                self.scopes.open();
                let type_params = self.declare_type_params(&signature.type_params);
                let return_type = self.return_type(&signature.return_type, ParamOwner::Extern);
                let checked = self.signature(
                    method,
                    type_params,
                    return_type,
                    &signature.params,
                    ParamOwner::Extern,
                    is_abstract,
                );
                self.scopes.close();
                self.program.externs[id].methods.push(checked);
            }
        }
    }

    /// Checks the parameters of a method or constructor, whose types may contain `_`.
    pub(super) fn signature(
        &mut self,
        method: &ast::MethodDecl,
        mut type_params: Vec<hir::TypeVarId>,
        return_type: TypeId,
        params: &[ast::Parameter],
        owner: ParamOwner,
        is_abstract: bool,
    ) -> hir::Signature {
        self.scopes.open();
        let (params, wildcards) = self.with_wildcards(|c| c.params(params, owner));
        self.scopes.close();
        type_params.extend(wildcards);
        let annotations = self.annotations(&method.annotations, ItemKind::Method, method.span);
        self.record_deprecated(&method.name, &annotations, method.span);
        hir::Signature {
            name: self.hir_name(&method.name),
            annotations,
            type_params,
            return_type,
            params,
            is_abstract,
            span: method.span,
        }
    }

    pub(super) fn extern_function(
        &mut self,
        declaration: &ast::Declaration,
        name: &ast::Name,
        signature: &ast::Signature,
    ) -> hir::ExternFunctionId {
        let annotations = self.annotations_of(declaration, ItemKind::Function);
        self.scopes.open();
        let mut type_params = self.declare_type_params(&signature.type_params);
        let return_type = self.return_type(&signature.return_type, ParamOwner::Extern);
        let (params, wildcards) = self.with_wildcards(|c| c.params(&signature.params, ParamOwner::Extern));
        type_params.extend(wildcards);
        self.scopes.close();
        let id = self.program.extern_functions.push(hir::ExternFunction(hir::Signature {
            name: self.hir_name(name),
            annotations,
            type_params,
            return_type,
            params,
            is_abstract: false,
            span: declaration.span,
        }));
        self.declare_callable(name, Callable::Extern(id), None);
        id
    }
}
