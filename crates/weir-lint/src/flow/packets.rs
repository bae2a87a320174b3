//! Headers that are extracted twice, and headers that can be valid but are never emitted.

use weir_syntax::Diagnostic;

use super::Flow;
use super::report::source_text;
use crate::emitted::is_method;
use crate::header_as_metadata::Header;
use crate::hir::{self, Call, ControlId, Expr, ExprKind, Program, Type, TypeId, VarKind};
use crate::storage::{Part, PartId};

/// The annotation of headers that a controller adds or removes, and that need not be emitted.
const CONTROLLER_HEADER: &str = "controller_header";

impl Flow<'_> {
    /// Checks that the header of an `extract` does not already contain extracted data.
    pub(super) fn check_extract(&mut self, call: &Call) {
        if self.now.is_none() || !is_method(self.program, call, "packet_in", "extract") {
            return;
        }
        let Some(hir::ArgValue::Expr(place)) = call.args.first().map(|arg| &arg.value) else { return };
        let Some(header) = self.header(place) else { return };
        let Part::Header { valid, .. } = *self.storage.part(header) else { return };
        // For well-formed packets, a state that dispatches on types leads to each of its next
        // states at most once.
        let repeats = if self.in_loop {
            self.facts.where_fact(&self.now, valid, true).is_some()
        } else {
            self.facts.where_fact(&self.now, valid, false).is_none()
        };
        if !repeats || self.assumed.contains(&header) || is_local(self.program, place) {
            return;
        }
        let name = source_text(self.program, place);
        let diagnostic =
            Diagnostic::warning("extracted-twice", format!("`{name}` is extracted a second time"))
                .primary(
                    place.span,
                    "overwrites the header that was extracted before, so the packet loses it",
                )
                .note(
                    "to skip bytes, call `advance`; for repeated headers, use a header stack and its `.next`",
                );
        self.warn(diagnostic);
    }

    /// Checks the headers that a control emits: reports headers that come from a parser, can be
    /// valid when the control begins, and are never emitted.
    pub(super) fn check_emits(&mut self, id: ControlId) {
        let program = self.program;
        let control = &program.controls[id];
        let emits = control.params.iter().any(|param| match program.types[program.vars[param.var].ty] {
            Type::Extern { decl, .. } => program.externs[decl].name.text == "packet_out",
            _ => false,
        });
        if !emits || self.now.is_none() {
            return;
        }
        let mut lost = Vec::new();
        for param in &control.params {
            if let Some(&part) = self.bound.get(&param.var)
                && self.parsed.contains(&part)
            {
                self.never_emitted(part, program.vars[param.var].ty, &mut lost);
            }
        }
        if lost.is_empty() {
            return;
        }
        if !self.emitted.has_emits() {
            let names: Vec<String> = lost
                .iter()
                .map(|&(record, field)| format!("`{}`", program.records[record].fields[field].name.text))
                .collect();
            let message = format!("control `{}` emits nothing", control.name.text);
            let label = format!("valid headers are lost: {}", names.join(", "));
            self.warn(Diagnostic::warning("never-emitted", message).primary(control.name.span, label));
            return;
        }
        for (record, field) in lost {
            let name = &program.records[record].fields[field].name;
            let message = format!("header `{}` can be valid, but is never emitted", name.text);
            let diagnostic = Diagnostic::warning("never-emitted", message)
                .primary(name.span, "packets leave without it")
                .secondary(control.name.span, "not among the headers that are emitted here")
                .note(format!("to remove it on purpose, make that visible: `{}.setInvalid();`", name.text));
            self.warn(diagnostic);
        }
    }

    /// Adds the headers below `part` that can be valid and are not emitted.
    fn never_emitted(&mut self, part: PartId, ty: TypeId, lost: &mut Vec<Header>) {
        let program = self.program;
        let Type::Record { decl, .. } = program.types[ty] else { return };
        let (Part::Struct(members) | Part::Union(members)) = self.storage.part(part).clone() else { return };
        for (index, (field, member)) in program.records[decl].fields.iter().zip(members).enumerate() {
            let elements = match self.storage.part(member).clone() {
                // The flow analysis assumes that headers are valid after it has reported their
                // fields.
                Part::Header { .. } if !self.headers.valid.contains(&(decl, index)) => continue,
                Part::Header { .. } => vec![member],
                Part::Stack(elements) => elements,
                _ => {
                    self.never_emitted(member, field.ty, lost);
                    continue;
                }
            };
            if self.emitted.emits(program, (decl, index)) || self.is_of_controller(field.ty) {
                continue;
            }
            let can_be_valid = elements.into_iter().any(|element| match *self.storage.part(element) {
                Part::Header { valid, .. } => self.facts.where_fact(&self.now, valid, true).is_some(),
                _ => false,
            });
            if can_be_valid && !lost.contains(&(decl, index)) {
                lost.push((decl, index));
            }
        }
    }

    fn is_of_controller(&self, ty: TypeId) -> bool {
        match self.program.types[ty] {
            Type::Record { decl, .. } => self.program.records[decl].annotations.contains(CONTROLLER_HEADER),
            _ => false,
        }
    }
}

/// Returns whether a place is a local variable, or a part of one.
fn is_local(program: &Program, place: &Expr) -> bool {
    match &place.kind {
        ExprKind::Var(var) => program.vars[*var].kind == VarKind::Local,
        ExprKind::Field { base, .. } | ExprKind::Index { base, .. } | ExprKind::TupleElement { base, .. } => {
            is_local(program, base)
        }
        _ => false,
    }
}
