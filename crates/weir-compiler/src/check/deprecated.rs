//! Uses of declarations that are marked `@deprecated`.

use rustc_hash::FxHashMap;
use weir_syntax::{Diagnostic, Span, ast};

use super::Checker;
use super::scope::Symbol;
use crate::hir::{self, Type, TypeId};

/// The deprecated declarations so far, by the places of their names: the advice, and the whole
/// declaration.
pub(super) type Deprecated = FxHashMap<Span, (String, Span)>;

impl Checker<'_> {
    /// Records whether the declaration of `name` is deprecated.
    pub(super) fn record_deprecated(
        &mut self,
        name: &ast::Name,
        annotations: &hir::Annotations,
        whole: Span,
    ) {
        if let Some(annotation) = annotations.get("deprecated") {
            let advice = annotation.string().unwrap_or_default().to_owned();
            self.deprecated.insert(name.span, (advice, whole));
        }
    }

    /// Resolves a name. Returns its meaning and the place of its declaration, and marks it as used.
    ///
    /// If the name stands for functions or actions, the caller passes the one that it has chosen to
    /// [`Self::warn_if_deprecated`].
    pub(super) fn resolve_name(&mut self, name: &ast::Name, top_only: bool) -> Option<(Symbol, Span)> {
        let binding = self.scopes.resolve(name.as_str(), top_only)?;
        let resolved = (binding.symbol.clone(), binding.span);
        if !matches!(resolved.0, Symbol::Callables(_)) {
            self.warn_if_deprecated(name, resolved.1);
        }
        Some(resolved)
    }

    /// Warns if `name` stands for a deprecated declaration, whose own name is at `declared`.
    pub(super) fn warn_if_deprecated(&mut self, name: &ast::Name, declared: Span) {
        let Some((advice, whole)) = self.deprecated.get(&declared) else { return };
        if whole.contains(name.span) {
            return;
        }
        let mut diagnostic = Diagnostic::warning("deprecated", format!("`{name}` is deprecated"))
            .primary(name.span, "")
            .secondary(declared, "declared here");
        if !advice.is_empty() {
            diagnostic = diagnostic.note(advice);
        }
        self.report(diagnostic);
    }

    /// Warns if `name` stands for a deprecated field of a type; `field` is the field's position.
    pub(super) fn warn_of_deprecated_field(&mut self, name: &ast::Name, ty: TypeId, field: usize) {
        if let Type::Record { decl, .. } = self.program.types[ty] {
            self.warn_if_deprecated(name, self.program.records[decl].fields[field].name.span);
        }
    }
}
