//! Checks of reads and writes, and the warnings they report.

use weir_syntax::{Diagnostic, Span};

use super::Flow;
use crate::facts::States;
use crate::hir::{Expr, ExprKind, Program, Type};
use crate::storage::{Part, PartId, TrackedPlace};

/// The id for reads of a header that is invalid in all states.
const ALWAYS_INVALID_ID: &str = "invalid-header-read";

/// The id for reads of a header that is invalid in some states.
const MAYBE_INVALID_ID: &str = "maybe-invalid-header";

impl Flow<'_> {
    /// Records a warning, at most one for each place.
    pub(super) fn warn(&mut self, diagnostic: Diagnostic) {
        if !self.reporting {
            return;
        }
        let site = self.sites.last().cloned();
        let place = diagnostic.span();
        let diagnostic = match site {
            Some((span, what)) if span != place => diagnostic.secondary(span, what),
            _ => diagnostic,
        };
        match self.found_at.get(&place) {
            None => {
                self.found_at.insert(place, self.found.len());
                self.found.push(diagnostic);
            }
            // A header that is never valid in one call and possibly valid in another call counts as
            // possibly valid.
            Some(&known)
                if self.found[known].id == ALWAYS_INVALID_ID && diagnostic.id == MAYBE_INVALID_ID =>
            {
                self.found[known] = diagnostic;
            }
            Some(_) => {}
        }
    }

    /// Checks a read of a field of the header `base` at `span`.
    pub(super) fn check_valid(&mut self, header: PartId, base: &Expr, span: Span) {
        let Part::Header { valid, invalid_on_entry } = *self.storage.part(header) else { return };
        if self.now.is_none() || self.lenient || self.trusted.contains(&header) || self.is_reported(base) {
            return;
        }
        let mut invalid = self.facts.where_fact(&self.now, valid, false);
        if invalid.is_none() {
            return;
        }
        let good = self.facts.where_fact(&self.now, valid, true);
        let name = source_text(self.program, base);
        if good.is_none() {
            let mut diagnostic =
                Diagnostic::warning(ALWAYS_INVALID_ID, format!("`{name}` is never valid here"))
                    .primary(span, "reads a field of an invalid header: the value is undefined")
                    .note("a header becomes valid by `extract`, by `setValid()` or by an assignment");
            if let Some(declared) = self.declaration_span(base) {
                diagnostic = diagnostic.secondary(declared, "the header is declared here");
            }
            self.warn(diagnostic);
            self.assumed.insert(header);
            self.now = self.facts.set_fact(&self.now, valid, true);
            return;
        }
        if let Some(given) = invalid_on_entry {
            invalid = self.facts.where_fact(&invalid, given, false);
        }
        if !invalid.is_some() {
            return;
        }
        let mut diagnostic = Diagnostic::warning(MAYBE_INVALID_ID, format!("`{name}` may be invalid here"))
            .primary(span, "if the header is invalid, the value is undefined");
        if let Some(accept) = self.find_accepting_transition(&invalid, valid) {
            diagnostic = diagnostic
                .secondary(accept, format!("the parser can accept a packet here with `{name}` invalid"));
        }
        self.warn(diagnostic.note(format!("check validity first: `if ({name}.isValid()) {{ ... }}`")));
        self.now = good;
    }

    /// Returns the place of a transition to `accept` that leads to one of `states` with an invalid
    /// header.
    fn find_accepting_transition(&mut self, states: &States, valid: crate::facts::Fact) -> Option<Span> {
        let mut accepting = None;
        for index in 0..self.accepts.len() {
            let without = self.facts.where_fact(&self.accepts[index].states, valid, false);
            if without.is_none() {
                continue;
            }
            accepting = accepting.or(Some(self.accepts[index].span));
            if !self.facts.intersection(&without, states).is_none() {
                return Some(self.accepts[index].span);
            }
        }
        accepting
    }

    /// Returns whether a warning about the header `base` as a whole exists.
    fn is_reported(&self, base: &Expr) -> bool {
        let ExprKind::Field { base, field } = &base.kind else { return false };
        matches!(self.program.types[base.ty], Type::Record { decl, .. } if self.headers.reported.contains(&(decl, *field)))
    }

    /// Checks a write of a field of the header `base` at `span`.
    pub(super) fn check_write(&mut self, header: PartId, base: &Expr, span: Span) {
        let Part::Header { valid, .. } = *self.storage.part(header) else { return };
        if self.now.is_none() || self.trusted.contains(&header) || self.is_reported(base) {
            return;
        }
        if self.facts.where_fact(&self.now, valid, true).is_none() {
            let name = source_text(self.program, base);
            let diagnostic = Diagnostic::warning(
                "invalid-header-write",
                format!("`{name}` is never valid here, so the packet will not contain this value"),
            )
            .primary(span, "writes a field of an invalid header")
            .note(format!("make it valid first: `{name}.setValid();`"));
            self.warn(diagnostic);
            self.assumed.insert(header);
            self.now = self.facts.set_fact(&self.now, valid, true);
        }
    }

    /// Checks a read of the scalar `expr`.
    pub(super) fn check_set(&mut self, expr: &Expr) {
        if self.now.is_none() {
            return;
        }
        let Some(TrackedPlace::Part(part)) = self.tracked_place(expr) else { return };
        let Part::Scalar { set: Some(set), .. } = *self.storage.part(part) else { return };
        let unset = self.facts.where_fact(&self.now, set, false);
        if unset.is_none() {
            return;
        }
        let good = self.facts.where_fact(&self.now, set, true);
        if !good.is_none() && !unset.is_some() {
            return;
        }
        let name = source_text(self.program, expr);
        let (message, label) = if good.is_none() {
            (format!("`{name}` is read before it is assigned"), "not assigned on any path to here")
        } else {
            (format!("`{name}` may be read before it is assigned"), "not assigned on every path to here")
        };
        let mut diagnostic = Diagnostic::warning("uninitialised", message).primary(expr.span, label);
        if let Some(declared) = self.declaration_span(expr) {
            diagnostic = diagnostic.secondary(declared, "declared without an initial value");
        }
        self.warn(diagnostic);
        self.now = if good.is_none() { self.facts.set_fact(&self.now, set, true) } else { good };
    }

    /// Checks an `out` parameter at the end of its body.
    pub(super) fn check_out_param(&mut self, var: crate::hir::VarId, part: PartId, owner: &str) {
        if self.now.is_none() {
            return;
        }
        let mut unset = self.now.clone();
        let mut scalars = 0;
        for (_, leaf) in self.storage.leaves(part) {
            match *self.storage.part(leaf) {
                Part::Scalar { set: Some(set), .. } => {
                    unset = self.facts.where_fact(&unset, set, false);
                    scalars += 1;
                }
                _ => return,
            }
        }
        let every = self.facts.except(&self.now, &unset).is_none();
        if scalars == 0 || !every && !unset.is_some() {
            return;
        }
        let name = &self.program.vars[var].name;
        let (message, label) = if every {
            (format!("`{owner}` never assigns its `out` parameter `{}`", name.text), "never assigned")
        } else {
            (
                format!("`{owner}` can return without assigning its `out` parameter `{}`", name.text),
                "not assigned on every path",
            )
        };
        let (message, span) = (message, name.span);
        let sites = std::mem::take(&mut self.sites);
        self.warn(Diagnostic::warning("unset-out", message).primary(span, label));
        self.sites = sites;
    }

    /// Returns where the variable or field that `expr` names is declared.
    fn declaration_span(&self, expr: &Expr) -> Option<Span> {
        match &expr.kind {
            ExprKind::Var(var) => Some(self.program.vars[*var].name.span),
            ExprKind::Field { base, field } => match &self.program.types[base.ty] {
                Type::Record { decl, .. } => Some(self.program.records[*decl].fields.get(*field)?.name.span),
                _ => None,
            },
            ExprKind::Index { base, .. } => self.declaration_span(base),
            _ => None,
        }
    }
}

/// Returns the source form of a place, for messages.
pub(super) fn source_text(program: &Program, expr: &Expr) -> String {
    match &expr.kind {
        ExprKind::Var(var) => program.vars[*var].name.text.clone(),
        ExprKind::Field { base, field } => {
            let name = match &program.types[base.ty] {
                Type::Record { decl, .. } => {
                    program.records[*decl].fields.get(*field).map(|f| f.name.text.clone())
                }
                Type::AnonymousStruct(fields) => fields.get(*field).map(|(name, _)| name.clone()),
                _ => None,
            };
            format!("{}.{}", source_text(program, base), name.unwrap_or_default())
        }
        ExprKind::TupleElement { base, index } => format!("{}[{index}]", source_text(program, base)),
        ExprKind::Index { base, index } => {
            let index = match &index.kind {
                ExprKind::Int(number) => number.to_string(),
                _ => source_text(program, index),
            };
            format!("{}[{index}]", source_text(program, base))
        }
        ExprKind::Const(id) => program.consts[*id].name.text.clone(),
        ExprKind::Cast { operand, .. } => source_text(program, operand),
        ExprKind::StackNext(base) => format!("{}.next", source_text(program, base)),
        ExprKind::StackLast(base) => format!("{}.last", source_text(program, base)),
        ExprKind::Slice { base, high, low } => format!("{}[{high}:{low}]", source_text(program, base)),
        _ => "...".to_owned(),
    }
}
