//! Checks keysets in `select` cases and table entries.

use weir_syntax::{Diagnostic, Span, ast};

use super::Checker;
use super::cast::implicit;
use super::constant::is_compile_time;
use super::scope::Symbol;
use crate::hir::{Expr, ExprKind, Keyset, KeysetElement, Type, TypeId, Types, ValueSetId};

/// Where a keyset occurs: in a `select` or in a table's entry.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum KeysetContext {
    /// A `select` case, which may contain value sets.
    Select,
    /// A table entry, which may contain only constants.
    Entry,
}

impl Checker<'_> {
    /// Checks a keyset for values of the types `subjects`.
    pub(super) fn check_keyset(
        &mut self,
        keyset: &ast::Keyset,
        subjects: &[TypeId],
        context: KeysetContext,
    ) -> Option<Keyset> {
        let span = keyset.span;
        let elements = match (&keyset.kind, subjects) {
            (ast::KeysetKind::Default | ast::KeysetKind::DontCare, _) => {
                subjects.iter().map(|_| KeysetElement::Any).collect()
            }
            (ast::KeysetKind::Tuple(items), _) if items.len() == subjects.len() => {
                let checked: Vec<Option<KeysetElement>> = items
                    .iter()
                    .zip(subjects)
                    .map(|(item, &ty)| self.keyset_element(item, ty, context))
                    .collect();
                checked.into_iter().collect::<Option<Vec<_>>>()?
            }
            (ast::KeysetKind::Tuple(items), [subject]) if self.is_composite(*subject) => {
                let values: Option<Vec<ast::Expr>> = items
                    .iter()
                    .map(|item| match &item.kind {
                        ast::KeysetKind::Value(value) => Some(value.clone()),
                        _ => None,
                    })
                    .collect();
                let Some(values) = values else {
                    self.wrong_keyset_length(items.len(), 1, span);
                    return None;
                };
                let value = self.list_expr(&values, Some(*subject), span);
                vec![KeysetElement::Value(self.keyset_value(value, context)?)]
            }
            (ast::KeysetKind::Tuple(items), _) => {
                self.wrong_keyset_length(items.len(), subjects.len(), span);
                return None;
            }
            // Braces around the values of all keys are accepted in place of parentheses.
            (ast::KeysetKind::Value(ast::Expr { kind: ast::ExprKind::List(items), .. }), _)
                if items.len() == subjects.len() && !subjects.iter().any(|&ty| self.is_composite(ty)) =>
            {
                let checked: Vec<Option<KeysetElement>> = items
                    .iter()
                    .zip(subjects)
                    .map(|(item, &ty)| {
                        let value = self.keyset_number(item, ty);
                        self.keyset_value(value, context).map(KeysetElement::Value)
                    })
                    .collect();
                checked.into_iter().collect::<Option<Vec<_>>>()?
            }
            (_, [subject]) => vec![self.keyset_element(keyset, *subject, context)?],
            (ast::KeysetKind::Value(value), _) => match self.value_set_named(value) {
                Some(id) if context == KeysetContext::Select => {
                    self.check_value_set(id, subjects, span);
                    vec![KeysetElement::ValueSet(id)]
                }
                _ => {
                    self.wrong_keyset_length(1, subjects.len(), span);
                    return None;
                }
            },
            _ => {
                self.wrong_keyset_length(1, subjects.len(), span);
                return None;
            }
        };
        Some(Keyset { elements, span })
    }

    fn is_composite(&self, ty: TypeId) -> bool {
        matches!(self.program.types[ty], Type::Tuple(_) | Type::Record { .. })
    }

    fn wrong_keyset_length(&mut self, given: usize, wanted: usize, span: Span) {
        let message = format!(
            "expected {wanted} keyset elements, but {given} {} given",
            if given == 1 { "was" } else { "were" }
        );
        let diagnostic = Diagnostic::error("keyset-length", message)
            .primary(span, format!("expected {wanted} {}", if wanted == 1 { "element" } else { "elements" }))
            .note("use `_` to match any value");
        self.report(diagnostic);
    }

    fn value_set_named(&mut self, value: &ast::Expr) -> Option<ValueSetId> {
        let ast::ExprKind::Name(path) = &value.kind else { return None };
        match self.scopes.resolve_unmarked(path.name.as_str())?.symbol {
            Symbol::ValueSet(id) => {
                self.resolve_name(&path.name, path.global);
                Some(id)
            }
            _ => None,
        }
    }

    fn check_value_set(&mut self, id: ValueSetId, subjects: &[TypeId], span: Span) {
        let set = self.program.value_sets[id].clone();
        let mut members = vec![set.element];
        if subjects != [set.element] {
            members.clear();
            self.scalars(set.element, &mut members);
        }
        if members != subjects && !subjects.contains(&Types::POISON) && set.element != Types::POISON {
            let message = format!(
                "the elements of value set `{}` do not have the type of the `select` expression",
                set.name.text
            );
            let diagnostic = Diagnostic::error("type-mismatch", message)
                .primary(span, "mismatched types")
                .secondary(set.name.span, format!("its elements are {}", self.show(set.element)));
            self.report(diagnostic);
        }
    }

    /// Collects the scalar types that are compared, from the members of structs and tuples.
    fn scalars(&mut self, ty: TypeId, into: &mut Vec<TypeId>) {
        let parts: Vec<TypeId> = match self.program.types[ty].clone() {
            Type::Tuple(items) => items,
            Type::Record { .. } => {
                self.fields(ty).unwrap_or_default().into_iter().map(|(_, ty)| ty).collect()
            }
            _ => return into.push(ty),
        };
        for part in parts {
            self.scalars(part, into);
        }
    }

    fn keyset_element(
        &mut self,
        keyset: &ast::Keyset,
        subject: TypeId,
        context: KeysetContext,
    ) -> Option<KeysetElement> {
        match &keyset.kind {
            ast::KeysetKind::Default | ast::KeysetKind::DontCare => Some(KeysetElement::Any),
            ast::KeysetKind::Value(value) => {
                if let Some(id) = self.value_set_named(value) {
                    if context == KeysetContext::Entry {
                        let diagnostic = Diagnostic::error(
                            "bad-keyset",
                            "a value set can be used only in a `select` expression",
                        )
                        .primary(keyset.span, "not allowed in a table entry");
                        self.report(diagnostic);
                        return None;
                    }
                    self.check_value_set(id, &[subject], keyset.span);
                    return Some(KeysetElement::ValueSet(id));
                }
                let value = self.keyset_number(value, subject);
                Some(KeysetElement::Value(self.keyset_value(value, context)?))
            }
            ast::KeysetKind::Mask(value, mask) => {
                let ty = self.number_type(subject, "a mask", keyset.span)?;
                let (value, mask) = (self.expr_of_type(value, ty), self.expr_of_type(mask, ty));
                let (value, mask) = (
                    self.keyset_value(value, KeysetContext::Entry),
                    self.keyset_value(mask, KeysetContext::Entry),
                );
                Some(KeysetElement::Mask { value: value?, mask: mask? })
            }
            ast::KeysetKind::Range(low, high) => {
                let ty = self.number_type(subject, "a range", keyset.span)?;
                let (low, high) = (self.expr_of_type(low, ty), self.expr_of_type(high, ty));
                let (low, high) = (
                    self.keyset_value(low, KeysetContext::Entry),
                    self.keyset_value(high, KeysetContext::Entry),
                );
                let (low, high) = (low?, high?);
                self.check_range(&low, &high, keyset.span);
                Some(KeysetElement::Range { low, high })
            }
            ast::KeysetKind::Tuple(items) => {
                self.wrong_keyset_length(items.len(), 1, keyset.span);
                None
            }
        }
    }

    /// Checks a value that is compared with a subject. As in p4c, a number may be used in place of
    /// the member of a serializable enum with this value.
    fn keyset_number(&mut self, value: &ast::Expr, subject: TypeId) -> Expr {
        let value = self.expr(value, Some(subject));
        match self.program.types[subject] {
            Type::Enum(decl) => match self.program.enums[decl].underlying {
                Some(underlying) if value.ty == Types::INT || value.ty == underlying => {
                    let number = self.coerce(value, underlying);
                    implicit(number, subject)
                }
                _ => self.coerce(value, subject),
            },
            _ => self.coerce(value, subject),
        }
    }

    fn check_range(&mut self, low: &Expr, high: &Expr, span: Span) {
        use super::constant::{Value, evaluate};
        if let (Some(Value::Int(low)), Some(Value::Int(high))) =
            (evaluate(&self.program, low), evaluate(&self.program, high))
            && low > high
        {
            let diagnostic =
                Diagnostic::warning("empty-range", format!("the range {low} .. {high} is empty"))
                    .primary(span, "matches nothing");
            self.report(diagnostic);
        }
    }

    fn keyset_value(&mut self, value: Expr, context: KeysetContext) -> Option<Expr> {
        if value.ty == Types::POISON {
            return None;
        }
        if let Some(call) = call_within(&value) {
            let diagnostic = Diagnostic::error("misplaced-call", "calls are not allowed in a keyset")
                .primary(call, "not allowed here")
                .note("store the result in a variable before, and compare with the variable");
            self.report(diagnostic);
            return None;
        }
        if context == KeysetContext::Entry && !is_compile_time(&self.program, &value) {
            let diagnostic =
                Diagnostic::error("not-constant", "keysets of table entries must be compile-time constants")
                    .primary(value.span, "value not known at compile time");
            self.report(diagnostic);
            return None;
        }
        Some(value)
    }

    /// Returns the numeric type that represents a subject, for masks and ranges.
    fn number_type(&mut self, subject: TypeId, what: &str, span: Span) -> Option<TypeId> {
        match self.program.types[subject] {
            Type::Bits { .. } => Some(subject),
            Type::Enum(decl) if self.program.enums[decl].underlying.is_some() => {
                self.program.enums[decl].underlying
            }
            Type::Newtype(decl) => {
                let underlying = self.program.newtypes[decl].underlying;
                self.number_type(underlying, what, span)
            }
            Type::Poison => None,
            _ => {
                let message = format!("{what} cannot be compared with {}", self.show(subject));
                self.report(Diagnostic::error("bad-keyset", message).primary(span, "expected numbers"));
                None
            }
        }
    }
}

/// Returns the location of the first call inside an expression.
pub(super) fn call_within(expr: &Expr) -> Option<Span> {
    if matches!(expr.kind, ExprKind::Call(_) | ExprKind::Apply { .. }) {
        return Some(expr.span);
    }
    let mut call = None;
    expr.operands(|operand| call = call.or_else(|| call_within(operand)));
    call
}
