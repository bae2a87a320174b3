//! Checks declarations of types: `typedef`, `type`, structs, headers and header unions.

use rustc_hash::FxHashMap;
use weir_syntax::{Diagnostic, Span, ast};

use super::Checker;
use super::scope::{Symbol, TypeSymbol};
use super::types::Resolved;
use crate::hir::{self, ItemKind, Type, Types};

impl Checker<'_> {
    pub(super) fn typedef_target(&mut self, ty: &ast::TypeRef) -> Symbol {
        // A `typedef` may name a generic type without arguments, as in `typedef register R;`.
        match self.resolve_with_wildcards(ty) {
            Resolved::Open { symbol, args }
                if args.is_empty() && !matches!(symbol, TypeSymbol::Record(_)) =>
            {
                Symbol::Type(symbol)
            }
            Resolved::Complete(Types::POISON) => Symbol::Poison,
            Resolved::Complete(id @ (Types::VOID | Types::MATCH_KIND | Types::STRING)) => {
                let message = format!("`typedef` cannot name {}", self.show(id));
                self.report(Diagnostic::error("bad-typedef", message).primary(ty.span, "not allowed here"));
                Symbol::Poison
            }
            Resolved::Complete(id) => Symbol::Type(TypeSymbol::Plain(id)),
            Resolved::Open { .. } => {
                self.resolve_type(ty);
                Symbol::Poison
            }
        }
    }

    /// Checks the declaration of a type with `type`.
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
        let annotations = self.annotations_of(declaration, ItemKind::NewType);
        let hir_name = self.hir_name(name);
        let id = self.program.newtypes.push(hir::Newtype { name: hir_name, underlying, annotations });
        let ty = self.program.types.intern(Type::Newtype(id));
        let symbol = match self.check_type_size(ty, name.span) {
            Types::POISON => Symbol::Poison,
            ty => Symbol::Type(TypeSymbol::Plain(ty)),
        };
        self.declare(name, symbol, None);
        Some(id)
    }

    /// Checks the declaration of a struct, header or union.
    pub(super) fn record(
        &mut self,
        declaration: &ast::Declaration,
        name: &ast::Name,
        decl: &ast::FieldsDecl,
        kind: hir::RecordKind,
    ) -> Option<hir::RecordId> {
        let (item, member) = match kind {
            hir::RecordKind::Struct => (ItemKind::Struct, ItemKind::StructField),
            hir::RecordKind::Header => (ItemKind::Header, ItemKind::HeaderField),
            hir::RecordKind::Union => (ItemKind::Union, ItemKind::UnionField),
        };
        let annotations = self.annotations_of(declaration, item);
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
            let annotations = self.annotations(&field.annotations, member, field.span);
            self.record_deprecated(&field.name, &annotations, field.span);
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
            self.record_field_alias((id, position), ty, written);
        }
        let symbol = if self.type_params(TypeSymbol::Record(id)).is_empty() {
            let ty = self.program.types.intern(Type::Record { decl: id, args: Vec::new() });
            match self.check_type_size(ty, name.span) {
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
        let is_valid = match &found.body {
            hir::AnnotationBody::Unstructured { tokens, .. } => {
                matches!(tokens.as_slice(), [kind] if self.match_kinds.contains_key(kind))
            }
            _ => false,
        };
        if !is_valid {
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
}
