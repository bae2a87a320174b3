//! Checks aggregates: `{a, b}`, `{x = a, y = b}`, `{#}` and `...`.

use rustc_hash::FxHashMap;
use weir_syntax::{Diagnostic, Span, ast};

use super::Checker;
use super::args::count_with_verb;
use crate::hir::{AnnotationValue, Expr, ExprKind, RecordKind, Type, TypeId, Types};

impl Checker<'_> {
    /// Checks `{a, b}`. Without an expected type it is a tuple.
    pub(super) fn list_expr(&mut self, items: &[ast::Expr], wanted: Option<TypeId>, span: Span) -> Expr {
        let wanted = wanted.filter(|&ty| ty != Types::POISON);
        let has_rest = matches!(items.last(), Some(ast::Expr { kind: ast::ExprKind::Default, .. }));
        let listed = if has_rest { &items[..items.len() - 1] } else { items };
        if let Some(early) = listed.iter().find(|item| matches!(item.kind, ast::ExprKind::Default)) {
            let diagnostic =
                Diagnostic::error("misplaced-default", "`...` must be the last element of the list")
                    .primary(early.span, "other elements follow")
                    .note("`...` sets all remaining members to their default values");
            self.report(diagnostic);
            return self.poison_expr(span);
        }
        let members = wanted.and_then(|ty| self.positional(ty, listed.len()));
        let Some((target, members)) = wanted.zip(members) else {
            let items: Vec<Expr> = items.iter().map(|item| self.expr(item, None)).collect();
            if items.iter().any(|item| item.ty == Types::POISON) {
                return self.poison_expr(span);
            }
            let ty = self.program.types.intern(Type::Tuple(items.iter().map(|item| item.ty).collect()));
            return Expr { kind: ExprKind::Aggregate(items), ty, span };
        };
        if listed.len() > members.len() || (listed.len() < members.len() && !has_rest) {
            self.wrong_count(target, members.len(), listed.len(), span);
            return self.poison_expr(span);
        }
        let mut values: Vec<Expr> =
            listed.iter().zip(&members).map(|(item, &ty)| self.expr_of_type(item, ty)).collect();
        for &ty in &members[values.len()..] {
            values.push(self.default_value(ty, span));
        }
        self.aggregate(values, target, span)
    }

    /// Makes the value of a struct, header or list from its items, unless the error of an item was
    /// already reported.
    fn aggregate(&self, items: Vec<Expr>, ty: TypeId, span: Span) -> Expr {
        if items.iter().any(|item| item.ty == Types::POISON) {
            return self.poison_expr(span);
        }
        Expr { kind: ExprKind::Aggregate(items), ty, span }
    }

    fn wrong_count(&mut self, target: TypeId, wanted: usize, given: usize, span: Span) {
        let name = self.show(target);
        let mut diagnostic = Diagnostic::error(
            "wrong-member-count",
            format!("{name} needs {wanted} values, but {} given", count_with_verb(given)),
        )
        .primary(span, format!("expected {wanted} values"));
        if let Type::Record { decl, .. } = self.program.types[target] {
            diagnostic = diagnostic.secondary(self.program.records[decl].name.span, "declared here");
        }
        if given < wanted {
            diagnostic =
                diagnostic.note("add `...` at the end to set the remaining members to their default values");
        }
        self.report(diagnostic);
    }

    /// Returns the types that the members of a `{…}` of this length must have for it to be of type
    /// `ty`. Returns `None` if `ty` does not consist of members.
    fn positional(&mut self, ty: TypeId, length: usize) -> Option<Vec<TypeId>> {
        match self.program.types[ty].clone() {
            Type::Record { .. } if self.record_kind(ty) != Some(RecordKind::Union) => {
                Some(self.fields(ty)?.into_iter().map(|(_, ty)| ty).collect())
            }
            Type::Tuple(items) => Some(items),
            Type::List(element) => Some(vec![element; length]),
            Type::Stack { element, size } => Some(vec![element; size as usize]),
            _ => None,
        }
    }

    /// Checks `{x = a, y = b}`. Without an expected type it is an anonymous struct.
    pub(super) fn struct_expr(
        &mut self,
        written: &ast::StructExpr,
        wanted: Option<TypeId>,
        span: Span,
    ) -> Expr {
        let wanted = wanted.filter(|&ty| {
            matches!(self.record_kind(ty), Some(RecordKind::Struct | RecordKind::Header))
                || matches!(self.program.types[ty], Type::AnonymousStruct(_))
        });
        let Some((target, fields)) = wanted.and_then(|ty| Some((ty, self.fields(ty)?))) else {
            return self.anonymous_struct(written, span);
        };
        let positions: FxHashMap<&str, usize> =
            fields.iter().enumerate().map(|(index, (name, _))| (name.as_str(), index)).collect();
        let mut values: Vec<Option<Expr>> = vec![None; fields.len()];
        let mut poisoned = false;
        for pair in &written.fields {
            let Some(&index) = positions.get(pair.name.as_str()) else {
                self.unknown_field(target, &pair.name);
                self.expr(&pair.value, None);
                poisoned = true;
                continue;
            };
            self.warn_of_deprecated_field(&pair.name, target, index);
            let value = self.expr_of_type(&pair.value, fields[index].1);
            if let Some(previous) = &values[index] {
                let previous = previous.span;
                self.duplicate_member(&pair.name, previous, "field");
                poisoned = true;
            }
            values[index] = Some(value);
        }
        let missing: Vec<&str> = fields
            .iter()
            .zip(&values)
            .filter(|(_, v)| v.is_none())
            .map(|((name, _), _)| name.as_str())
            .collect();
        if written.rest.is_none() && !missing.is_empty() && !poisoned {
            let list = missing.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
            let message = format!("missing fields of {}: {list}", self.show(target));
            let diagnostic = Diagnostic::error("missing-field", message)
                .primary(span, "these fields have no value")
                .note("add `...` at the end to set the remaining members to their default values");
            self.report(diagnostic);
            poisoned = true;
        }
        if poisoned {
            return self.poison_expr(span);
        }
        let items = values
            .into_iter()
            .zip(fields)
            .map(|(value, (_, ty))| value.unwrap_or_else(|| self.default_value(ty, span)))
            .collect();
        self.aggregate(items, target, span)
    }

    fn anonymous_struct(&mut self, written: &ast::StructExpr, span: Span) -> Expr {
        if let Some(rest) = written.rest {
            self.unknown_default(rest);
            return self.poison_expr(span);
        }
        let mut fields: Vec<(String, TypeId)> = Vec::new();
        let mut items = Vec::new();
        for pair in &written.fields {
            let value = self.expr(&pair.value, None);
            fields.push((pair.name.text.to_string(), value.ty));
            items.push(value);
        }
        let ty = self.program.types.intern(Type::AnonymousStruct(fields));
        self.aggregate(items, ty, span)
    }

    /// Reports a field that a record does not have.
    pub(super) fn unknown_field(&mut self, ty: TypeId, name: &ast::Name) {
        let mut diagnostic =
            Diagnostic::error("unknown-field", format!("{} has no field `{name}`", self.show(ty)))
                .primary(name.span, "no such field");
        if let Type::Record { decl, .. } = self.program.types[ty] {
            diagnostic = diagnostic.secondary(self.program.records[decl].name.span, "declared here");
        }
        if let Some(what) = self.removed_field_advice(ty, name) {
            self.report(diagnostic.note(what));
            return;
        }
        let methods = match self.record_kind(ty) {
            Some(RecordKind::Header) => ["isValid", "setValid", "setInvalid"].as_slice(),
            Some(RecordKind::Union) => &["isValid"],
            _ => &[],
        };
        if methods.contains(&name.as_str()) {
            let call = format!("{name}()");
            diagnostic =
                diagnostic.suggest(format!("`{name}` is a method, call it: `{call}`"), name.span, call);
        } else if let Some(nearest) = self.nearest_name(name.as_str(), || self.field_names(ty)) {
            diagnostic = diagnostic.suggest(format!("did you mean `{nearest}`?"), name.span, nearest);
        } else {
            let fields = self.field_names(ty);
            if !fields.is_empty() {
                diagnostic =
                    diagnostic.note(format!("its fields are {}", super::habits::list_names(&fields)));
            }
        }
        self.report(diagnostic);
    }

    fn field_names(&self, ty: TypeId) -> Vec<&str> {
        match &self.program.types[ty] {
            Type::Record { decl, .. } => {
                self.program.records[*decl].fields.iter().map(|field| field.name.text.as_str()).collect()
            }
            Type::AnonymousStruct(fields) => fields.iter().map(|(name, _)| name.as_str()).collect(),
            _ => Vec::new(),
        }
    }

    /// Returns the advice of the struct's annotation `@formerly("name", "advice")`
    /// about a field that older versions of the struct had.
    fn removed_field_advice(&self, ty: TypeId, name: &ast::Name) -> Option<String> {
        let Type::Record { decl, .. } = self.program.types[ty] else { return None };
        self.program.records[decl].annotations.0.iter().filter(|a| a.name == "formerly").find_map(
            |annotation| match annotation.values() {
                [AnnotationValue::String(field), AnnotationValue::String(advice)]
                    if field == name.as_str() =>
                {
                    Some(format!("removed in this version: {advice}"))
                }
                _ => None,
            },
        )
    }

    /// Checks `{#}`, the value of an invalid header.
    pub(super) fn invalid_header(&mut self, wanted: Option<TypeId>, span: Span) -> Expr {
        match wanted {
            Some(Types::POISON) => self.poison_expr(span),
            Some(ty) if matches!(self.record_kind(ty), Some(RecordKind::Header | RecordKind::Union)) => {
                Expr { kind: ExprKind::Invalid, ty, span }
            }
            _ => {
                let diagnostic = Diagnostic::error("unknown-width", "the type of `{#}` cannot be inferred")
                    .primary(span, "allowed only where a header or header union is expected")
                    .note("name the type with a cast, as in `(ethernet_t){#}`");
                self.report(diagnostic);
                self.poison_expr(span)
            }
        }
    }

    /// Checks `...` outside of an aggregate.
    pub(super) fn default_expr(&mut self, wanted: Option<TypeId>, span: Span) -> Expr {
        match wanted {
            Some(Types::POISON) => self.poison_expr(span),
            Some(ty) => self.default_value(ty, span),
            None => {
                self.unknown_default(span);
                self.poison_expr(span)
            }
        }
    }

    fn unknown_default(&mut self, span: Span) {
        let diagnostic = Diagnostic::error("unknown-width", "the type of `...` cannot be inferred")
            .primary(span, "the expected type is not known here")
            .note("use `...` where the context gives the type: in an initializer or after a cast");
        self.report(diagnostic);
    }
}
