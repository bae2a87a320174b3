//! Tracks `typedef` names for messages. A `typedef` resolves to its target, but users know the type
//! by the name of the `typedef`.

use rustc_hash::FxHashMap;
use weir_syntax::ast;

use super::Checker;
use crate::hir::display;
use crate::hir::{Expr, ExprKind, RecordId, Type, TypeId, Types, VarId};

/// The names with which the types of variables and fields were declared, if they differ from the
/// types' own names.
#[derive(Debug, Default)]
pub(super) struct Aliases {
    vars: FxHashMap<VarId, String>,
    fields: FxHashMap<(RecordId, usize), String>,
    /// The expected type of the value being checked, with the name it was declared with.
    wanted: Option<(TypeId, String)>,
}

impl Checker<'_> {
    /// Returns the name that `written` gives to `ty`, if it differs from the type's own name.
    fn alias(&self, written: &ast::TypeRef, ty: TypeId) -> Option<String> {
        let ast::TypeRefKind::Named(named) = &written.kind else { return None };
        let is_own_name = ty == Types::POISON
            || display::type_name(&self.program, &self.program.types, ty) == named.name.as_str();
        (!is_own_name && named.args.is_empty()).then(|| named.name.text.to_string())
    }

    pub(super) fn record_var_alias(&mut self, var: VarId, written: &ast::TypeRef) {
        if let Some(alias) = self.alias(written, self.program.vars[var].ty) {
            self.aliases.vars.insert(var, alias);
        }
    }

    pub(super) fn record_field_alias(
        &mut self,
        field: (RecordId, usize),
        ty: TypeId,
        written: &ast::TypeRef,
    ) {
        if let Some(alias) = self.alias(written, ty) {
            self.aliases.fields.insert(field, alias);
        }
    }

    fn alias_of(&self, expr: &Expr) -> Option<&str> {
        let alias = match &expr.kind {
            ExprKind::Var(var) => self.aliases.vars.get(var),
            ExprKind::Field { base, field } => match self.program.types[base.ty] {
                Type::Record { decl, .. } => self.aliases.fields.get(&(decl, *field)),
                _ => None,
            },
            _ => None,
        };
        alias.map(String::as_str)
    }

    /// Describes the type of `expr` by its declared name and by the type that this name stands for.
    pub(super) fn show_of(&self, expr: &Expr) -> String {
        let plain = self.show(expr.ty);
        self.alias_of(expr).map_or_else(|| plain.clone(), |alias| format!("`{alias}` ({plain})"))
    }

    /// Returns the expected type as a program would write it: with the name used in the declaration
    /// of the place that receives the value.
    pub(super) fn written_name(&self, target: TypeId) -> String {
        match &self.aliases.wanted {
            Some((ty, alias)) if *ty == target => alias.clone(),
            _ => display::type_name(&self.program, &self.program.types, target),
        }
    }

    /// Returns the type of `expr` as a program would write it.
    pub(super) fn written_name_of(&self, expr: &Expr) -> String {
        self.alias_of(expr)
            .map_or_else(|| display::type_name(&self.program, &self.program.types, expr.ty), str::to_owned)
    }

    /// Shows the expected type with the name used in the declaration of the place that receives the
    /// value.
    pub(super) fn format_expected_type(&self, target: TypeId) -> String {
        let plain = self.show(target);
        match &self.aliases.wanted {
            Some((ty, alias)) if *ty == target => format!("`{alias}` ({plain})"),
            _ => plain,
        }
    }

    /// Runs `body`, which checks a value for `place`.
    pub(super) fn for_place<R>(&mut self, place: &Expr, body: impl FnOnce(&mut Self) -> R) -> R {
        let wanted = self.alias_of(place).map(|alias| (place.ty, alias.to_owned()));
        self.with_expected_type(wanted, body)
    }

    /// Runs `body`, which checks a value for a variable or parameter.
    pub(super) fn for_var<R>(&mut self, var: VarId, body: impl FnOnce(&mut Self) -> R) -> R {
        let alias = self.aliases.vars.get(&var);
        let wanted = alias.map(|alias| (self.program.vars[var].ty, alias.clone()));
        self.with_expected_type(wanted, body)
    }

    /// Runs `body`, which checks a value for a variable, field or parameter declared with the type
    /// `written`.
    pub(super) fn for_type<R>(
        &mut self,
        written: &ast::TypeRef,
        ty: TypeId,
        body: impl FnOnce(&mut Self) -> R,
    ) -> R {
        let wanted = self.alias(written, ty).map(|alias| (ty, alias));
        self.with_expected_type(wanted, body)
    }

    fn with_expected_type<R>(
        &mut self,
        wanted: Option<(TypeId, String)>,
        body: impl FnOnce(&mut Self) -> R,
    ) -> R {
        let outer = std::mem::replace(&mut self.aliases.wanted, wanted);
        let result = body(self);
        self.aliases.wanted = outer;
        result
    }
}
