//! Checks top-level declarations, each kind in a separate module, and finds `main`.

use weir_syntax::Diagnostic;
use weir_syntax::ast::{self, AliasTarget, DeclKind};

use super::scope::Symbol;
use super::{Checker, Place};
use crate::hir::{self, Declaration, ItemKind, Type};

impl Checker<'_> {
    /// Checks a top-level declaration and adds it to the program.
    pub(super) fn top_level(&mut self, declaration: &ast::Declaration) {
        if let Some(made) = self.declaration(declaration) {
            self.program.declarations.push(made);
        }
    }

    /// Checks one declaration, which may have been entered into scope before.
    pub(super) fn declaration(&mut self, declaration: &ast::Declaration) -> Option<Declaration> {
        match &declaration.kind {
            DeclKind::Error(members) => {
                // The other members were declared earlier.
                if !declaration.annotations.is_empty() {
                    self.error_members(members, declaration);
                }
                return None;
            }
            DeclKind::MatchKind(members) => {
                self.match_kind_members(members, declaration);
                return None;
            }
            _ => {}
        }
        let name = declaration.name.as_ref()?;
        Some(match &declaration.kind {
            DeclKind::Constant(constant) => {
                Declaration::Const(self.constant(declaration, name, constant, None)?)
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
                self.annotations_of(declaration, ItemKind::Typedef);
                let target = self.typedef_target(ty);
                self.declare(name, target, None);
                return None;
            }
            DeclKind::Typedef(AliasTarget::Declared(inner)) => {
                self.annotations_of(declaration, ItemKind::Typedef);
                self.top_level(inner);
                if let Some(inner) = &inner.name {
                    let symbol = self
                        .scopes
                        .resolve_unmarked(inner.as_str())
                        .map_or(Symbol::Poison, |b| b.symbol.clone());
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

    /// Finds the instance `main` and checks that it is an instance of a package.
    pub(super) fn check_main(&mut self) {
        debug_assert_eq!(self.context.place, Place::TopLevel);
        let Some(binding) = self.scopes.top_level().get("main") else { return };
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
