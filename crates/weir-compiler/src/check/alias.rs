//! Names that `typedef` gave to types, for messages: a type is what it stands for, but users know
//! it by that name.

use rustc_hash::FxHashMap;
use weir_syntax::ast;

use super::{Checker, display};
use crate::hir::{Expr, ExprKind, RecordId, Type, TypeId, Types, VarId};

/// By which names the types of variables and fields were written, where those are not the types'
/// own.
#[derive(Debug, Default)]
pub(super) struct Aliases {
    vars: FxHashMap<VarId, String>,
    fields: FxHashMap<(RecordId, usize), String>,
    /// What the value being checked is wanted for.
    wanted: Option<(TypeId, String)>,
}

impl Checker<'_> {
    /// The name that `written` gives to `ty`, if it is not the type's own.
    fn alias(&self, written: &ast::TypeRef, ty: TypeId) -> Option<String> {
        let ast::TypeRefKind::Named(named) = &written.kind else { return None };
        let own = ty == Types::POISON || display::type_name(&self.program, ty) == named.name.as_str();
        (!own && named.args.is_empty()).then(|| named.name.text.to_string())
    }

    pub(super) fn note_var_alias(&mut self, var: VarId, written: &ast::TypeRef) {
        if let Some(alias) = self.alias(written, self.program.vars[var].ty) {
            self.aliases.vars.insert(var, alias);
        }
    }

    pub(super) fn note_field_alias(&mut self, field: (RecordId, usize), ty: TypeId, written: &ast::TypeRef) {
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

    /// The type of `expr` by the name it was declared with, and what that stands for.
    pub(super) fn show_of(&self, expr: &Expr) -> String {
        let plain = self.show(expr.ty);
        self.alias_of(expr).map_or_else(|| plain.clone(), |alias| format!("`{alias}` ({plain})"))
    }

    /// How a program would write the wanted type: by the name that the place for it was declared
    /// with.
    pub(super) fn written_name(&self, target: TypeId) -> String {
        match &self.aliases.wanted {
            Some((ty, alias)) if *ty == target => alias.clone(),
            _ => display::type_name(&self.program, target),
        }
    }

    /// How a program would write the type of `expr`.
    pub(super) fn written_name_of(&self, expr: &Expr) -> String {
        self.alias_of(expr).map_or_else(|| display::type_name(&self.program, expr.ty), str::to_owned)
    }

    /// The wanted type by the name that the place for it was declared with.
    pub(super) fn show_wanted(&self, target: TypeId) -> String {
        let plain = self.show(target);
        match &self.aliases.wanted {
            Some((ty, alias)) if *ty == target => format!("`{alias}` ({plain})"),
            _ => plain,
        }
    }

    /// Runs `body`, where a value for `place` is checked.
    pub(super) fn for_place<R>(&mut self, place: &Expr, body: impl FnOnce(&mut Self) -> R) -> R {
        let wanted = self.alias_of(place).map(|alias| (place.ty, alias.to_owned()));
        self.wanting(wanted, body)
    }

    /// Runs `body`, where a value for a variable or parameter is checked.
    pub(super) fn for_var<R>(&mut self, var: VarId, body: impl FnOnce(&mut Self) -> R) -> R {
        let alias = self.aliases.vars.get(&var);
        let wanted = alias.map(|alias| (self.program.vars[var].ty, alias.clone()));
        self.wanting(wanted, body)
    }

    /// Runs `body`, where a value for something declared as `written` is checked.
    pub(super) fn for_type<R>(
        &mut self,
        written: &ast::TypeRef,
        ty: TypeId,
        body: impl FnOnce(&mut Self) -> R,
    ) -> R {
        let wanted = self.alias(written, ty).map(|alias| (ty, alias));
        self.wanting(wanted, body)
    }

    fn wanting<R>(&mut self, wanted: Option<(TypeId, String)>, body: impl FnOnce(&mut Self) -> R) -> R {
        let outer = std::mem::replace(&mut self.aliases.wanted, wanted);
        let result = body(self);
        self.aliases.wanted = outer;
        result
    }
}
