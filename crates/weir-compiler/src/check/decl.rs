//! Checks top-level declarations and declarations allowed in any scope: constants, types, errors
//! and match kinds.

use rustc_hash::FxHashMap;
use weir_syntax::ast::{self, AliasTarget, DeclKind};
use weir_syntax::{Diagnostic, Span};

use super::constant::{Value, evaluate, is_compile_time};
use super::scope::{Symbol, TypeSymbol};
use super::{Checker, Place};
use crate::hir::{self, Declaration, Member, Type, TypeId, Types};

impl Checker<'_> {
    /// Checks a top-level declaration and adds it to the program.
    pub(super) fn top_level(&mut self, declaration: &ast::Declaration) {
        if let Some(made) = self.declaration(declaration) {
            self.program.declarations.push(made);
        }
    }

    pub(super) fn declaration(&mut self, declaration: &ast::Declaration) -> Option<Declaration> {
        match &declaration.kind {
            DeclKind::Error(members) => {
                // The others are declared already.
                if !declaration.annotations.is_empty() {
                    self.error_members(members, &declaration.annotations);
                }
                return None;
            }
            DeclKind::MatchKind(members) => {
                self.match_kind_members(members, &declaration.annotations);
                return None;
            }
            _ => {}
        }
        let name = declaration.name.as_ref()?;
        Some(match &declaration.kind {
            DeclKind::Constant(constant) => {
                Declaration::Const(self.constant(name, constant, &declaration.annotations, None)?)
            }
            DeclKind::Header(fields) => {
                Declaration::Record(self.record(declaration, name, fields, hir::RecordKind::Header)?)
            }
            DeclKind::HeaderUnion(fields) => {
                Declaration::Record(self.record(declaration, name, fields, hir::RecordKind::Union)?)
            }
            DeclKind::Struct(fields) => {
                Declaration::Record(self.record(declaration, name, fields, hir::RecordKind::Struct)?)
            }
            DeclKind::Enum(decl) => Declaration::Enum(self.enumeration(declaration, name, decl)),
            DeclKind::SerializableEnum(decl) => {
                Declaration::Enum(self.serializable_enum(declaration, name, decl))
            }
            DeclKind::Typedef(AliasTarget::Type(ty)) => {
                self.annotations(&declaration.annotations);
                let target = self.typedef_target(ty);
                self.declare(name, target, None);
                return None;
            }
            DeclKind::Typedef(AliasTarget::Declared(inner)) => {
                self.top_level(inner);
                if let Some(inner) = &inner.name {
                    let symbol =
                        self.scopes.peek(inner.as_str()).map_or(Symbol::Poison, |b| b.symbol.clone());
                    self.declare(name, symbol, None);
                }
                return None;
            }
            DeclKind::Type(ty) => Declaration::Newtype(self.newtype(declaration, name, ty)?),
            DeclKind::ExternObject(object) => {
                Declaration::Extern(self.extern_object(declaration, name, object))
            }
            DeclKind::ExternFunction(signature) => {
                Declaration::ExternFunction(self.extern_function(declaration, name, signature))
            }
            DeclKind::Function(function) => {
                Declaration::Function(self.function(declaration, name, function)?)
            }
            DeclKind::Action(action) => Declaration::Action(self.action(declaration, name, action)?),
            DeclKind::ParserType(signature) => {
                Declaration::BlockType(self.block_type(declaration, name, signature, true))
            }
            DeclKind::ControlType(signature) => {
                Declaration::BlockType(self.block_type(declaration, name, signature, false))
            }
            DeclKind::PackageType(signature) => {
                Declaration::Package(self.package(declaration, name, signature))
            }
            DeclKind::Parser(parser) => Declaration::Parser(self.parser(declaration, name, parser)?),
            DeclKind::Control(control) => Declaration::Control(self.control(declaration, name, control)?),
            DeclKind::Instantiation(instance) => {
                Declaration::Instance(self.instantiation(declaration, name, instance, None)?)
            }
            DeclKind::ValueSet(value_set) => {
                Declaration::ValueSet(self.value_set(declaration, name, value_set))
            }
            DeclKind::Variable(_) | DeclKind::Table(_) => {
                let (what, place) = match declaration.kind {
                    DeclKind::Table(_) => ("table", "controls"),
                    _ => ("variable", "parsers, controls, actions and functions"),
                };
                let diagnostic = Diagnostic::error(
                    "misplaced-declaration",
                    format!("a {what} cannot be declared at the top level"),
                )
                .primary(name.span, format!("declare it inside {place}"));
                self.report(diagnostic);
                self.declare(name, Symbol::Poison, None);
                return None;
            }
            DeclKind::Error(_) | DeclKind::MatchKind(_) => return None,
        })
    }

    pub(super) fn error_members(&mut self, members: &[ast::EnumMember], annotations: &[ast::Annotation]) {
        let annotations = self.annotations(annotations);
        for member in members {
            if let Some(&previous) = self.errors.get(member.name.as_str()) {
                let previous = self.program.errors[previous].0.name.span;
                self.duplicate_member(&member.name, previous, "error");
                continue;
            }
            let name = self.hir_name(&member.name);
            let annotations = annotations.clone();
            let id = self.program.errors.push(hir::ErrorMember(Member { name, annotations }));
            self.errors.insert(member.name.text.to_string(), id);
        }
    }

    pub(super) fn match_kind_members(
        &mut self,
        members: &[ast::EnumMember],
        annotations: &[ast::Annotation],
    ) {
        let annotations = self.annotations(annotations);
        for member in members {
            if let Some(&previous) = self.match_kinds.get(member.name.as_str()) {
                let previous = self.program.match_kinds[previous].0.name.span;
                self.duplicate_member(&member.name, previous, "match kind");
                continue;
            }
            let name = self.hir_name(&member.name);
            let annotations = annotations.clone();
            let id = self.program.match_kinds.push(hir::MatchKindMember(Member { name, annotations }));
            self.match_kinds.insert(member.name.text.to_string(), id);
        }
    }

    /// Reports a member or field that is declared twice.
    pub(super) fn duplicate_member(&mut self, name: &ast::Name, previous: Span, what: &str) {
        let diagnostic =
            Diagnostic::error("duplicate-declaration", format!("{what} `{name}` is declared twice"))
                .primary(name.span, "declared again here")
                .secondary(previous, "first declared here");
        self.report(diagnostic);
    }

    /// Checks `const T x = e;` in any scope.
    pub(super) fn constant(
        &mut self,
        name: &ast::Name,
        constant: &ast::ConstantDecl,
        annotations: &[ast::Annotation],
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
        // Fold the value here, so that evaluating a constant defined by other constants costs no
        // more than any other.
        let value = match evaluate(&self.program, &value) {
            Some(known) => super::constant::literal(&self.program, known, value),
            None => value,
        };
        let annotations = self.annotations(annotations);
        let hir_name = self.hir_name(name);
        let id = self.program.consts.push(hir::Const { name: hir_name, ty, init: value, annotations });
        self.declare(name, Symbol::Const(id), watch);
        Some(id)
    }

    /// Converts a constant with a width to one without, for a constant declared as `int`. Warns
    /// about it.
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

    pub(super) fn typedef_target(&mut self, ty: &ast::TypeRef) -> Symbol {
        // A `typedef` may name a generic type without arguments, as in `typedef register R;`.
        match self.resolve_with_wildcards(ty) {
            super::types::Resolved::Open { symbol, args }
                if args.is_empty() && !matches!(symbol, TypeSymbol::Record(_)) =>
            {
                Symbol::Type(symbol)
            }
            super::types::Resolved::Complete(Types::POISON) => Symbol::Poison,
            super::types::Resolved::Complete(id @ (Types::VOID | Types::MATCH_KIND | Types::STRING)) => {
                let message = format!("`typedef` cannot name {}", self.show(id));
                self.report(Diagnostic::error("bad-typedef", message).primary(ty.span, "not allowed here"));
                Symbol::Poison
            }
            super::types::Resolved::Complete(id) => Symbol::Type(TypeSymbol::Plain(id)),
            super::types::Resolved::Open { .. } => {
                self.resolve_type(ty);
                Symbol::Poison
            }
        }
    }

    pub(super) fn newtype(
        &mut self,
        declaration: &ast::Declaration,
        name: &ast::Name,
        ty: &ast::TypeRef,
    ) -> Option<hir::NewtypeId> {
        let underlying = self.resolve_type(ty);
        match self.program.types[underlying] {
            Type::Bits { .. } | Type::Bool | Type::Newtype(_) => {}
            Type::Poison => {
                self.declare(name, Symbol::Poison, None);
                return None;
            }
            _ => {
                let message = format!("`type` cannot be based on {}", self.show(underlying));
                let diagnostic = Diagnostic::error("bad-newtype", message)
                    .primary(ty.span, "expected `bit<W>`, `int<W>`, `bool` or a type based on one of these")
                    .note("use `typedef` to declare an alias of any type");
                self.report(diagnostic);
                self.declare(name, Symbol::Poison, None);
                return None;
            }
        }
        let annotations = self.annotations(&declaration.annotations);
        let hir_name = self.hir_name(name);
        let id = self.program.newtypes.push(hir::Newtype { name: hir_name, underlying, annotations });
        let ty = self.program.types.intern(Type::Newtype(id));
        let symbol = match self.bounded(ty, name.span) {
            Types::POISON => Symbol::Poison,
            ty => Symbol::Type(TypeSymbol::Plain(ty)),
        };
        self.declare(name, symbol, None);
        Some(id)
    }

    pub(super) fn record(
        &mut self,
        declaration: &ast::Declaration,
        name: &ast::Name,
        decl: &ast::FieldsDecl,
        kind: hir::RecordKind,
    ) -> Option<hir::RecordId> {
        let annotations = self.annotations(&declaration.annotations);
        self.scopes.open();
        let type_params = self.declare_type_params(&decl.type_params);
        let mut fields: Vec<hir::Field> = Vec::new();
        let mut seen: FxHashMap<&str, Span> = FxHashMap::default();
        let mut written = Vec::new();
        for field in &decl.fields {
            let ty = self.resolve_type(&field.ty);
            let ty = if self.may_be_field(kind, ty, field.ty.span) { ty } else { Types::POISON };
            if let Some(&previous) = seen.get(field.name.as_str()) {
                self.duplicate_member(&field.name, previous, "field");
                continue;
            }
            let annotations = self.annotations(&field.annotations);
            self.check_match_annotation(&annotations);
            seen.insert(field.name.as_str(), field.name.span);
            written.push((ty, &field.ty));
            fields.push(hir::Field { name: self.hir_name(&field.name), ty, annotations });
        }
        self.scopes.close();
        let hir_name = self.hir_name(name);
        let record = hir::Record { name: hir_name, kind, annotations, type_params, fields };
        let id = self.program.records.push(record);
        for (position, (ty, written)) in written.into_iter().enumerate() {
            self.note_field_alias((id, position), ty, written);
        }
        let symbol = if self.type_params(TypeSymbol::Record(id)).is_empty() {
            let ty = self.program.types.intern(Type::Record { decl: id, args: Vec::new() });
            match self.bounded(ty, name.span) {
                Types::POISON => Symbol::Poison,
                ty => Symbol::Type(TypeSymbol::Plain(ty)),
            }
        } else {
            Symbol::Type(TypeSymbol::Record(id))
        };
        self.declare(name, symbol, None);
        Some(id)
    }

    /// Checks that `@match(kind)` of a field, used by value sets, names a match kind.
    pub(super) fn check_match_annotation(&mut self, annotations: &hir::Annotations) {
        let Some(found) = annotations.get("match") else { return };
        let known = match &found.body {
            hir::AnnotationBody::Unstructured { tokens, .. } => {
                matches!(tokens.as_slice(), [kind] if self.match_kinds.contains_key(kind))
            }
            _ => false,
        };
        if !known {
            let diagnostic = Diagnostic::error("unknown-match-kind", "`@match` takes a match kind")
                .primary(found.span, "expected a match kind, as in `@match(ternary)`");
            self.report(diagnostic);
        }
    }

    /// Declares type parameters in the innermost scope.
    pub(super) fn declare_type_params(&mut self, params: &[ast::TypeParameter]) -> Vec<hir::TypeVarId> {
        params
            .iter()
            .map(|param| {
                let name = self.hir_name(&param.name);
                let id = self.program.type_vars.push(hir::TypeVar { name });
                let ty = self.program.types.intern(Type::Var(id));
                self.declare(&param.name, Symbol::Type(TypeSymbol::Plain(ty)), None);
                id
            })
            .collect()
    }

    /// Finds the instance `main` and checks that it is an instance of a package.
    pub(super) fn find_main(&mut self) {
        debug_assert_eq!(self.context.place, Place::TopLevel);
        let Some(binding) = self.scopes.top().get("main") else { return };
        let span = binding.span;
        match binding.symbol {
            Symbol::Instance(id)
                if matches!(self.program.types[self.program.instances[id].ty], Type::Package { .. }) =>
            {
                self.program.main = Some(id);
            }
            Symbol::Instance(_) | Symbol::Type(_) | Symbol::Const(_) => {
                let diagnostic = Diagnostic::error("bad-main", "`main` is not an instance of a package")
                    .primary(span, "`main` is reserved for the package of the program");
                self.report(diagnostic);
            }
            _ => {}
        }
    }
}
