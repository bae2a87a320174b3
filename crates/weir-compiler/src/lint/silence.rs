//! `@noWarn("id")` on a declaration silences that warning inside the declaration.

use weir_syntax::{Diagnostic, Diagnostics, Severity, Span};

use crate::hir::{AnnotationValue, Annotations, Program, Record};

/// Removes silenced warnings.
pub(super) fn run(program: &Program, diagnostics: &mut Diagnostics) {
    let silenced = silenced(program);
    if !silenced.is_empty() {
        let is_silenced = |d: &Diagnostic| {
            d.severity == Severity::Warning
                && silenced.iter().any(|(span, id)| *id == d.id && contains(*span, d.span()))
        };
        diagnostics.retain(|diagnostic| !is_silenced(diagnostic));
    }
}

/// The spans of the annotated declarations, with the ids of the silenced warnings.
fn silenced(program: &Program) -> Vec<(Span, &str)> {
    let mut list: Vec<(&Annotations, Span)> = Vec::new();
    list.extend(program.controls.iter().map(|(_, c)| (&c.annotations, c.span)));
    list.extend(program.parsers.iter().map(|(_, p)| (&p.annotations, p.span)));
    list.extend(program.actions.iter().map(|(_, a)| (&a.annotations, a.span)));
    list.extend(program.functions.iter().map(|(_, f)| (&f.annotations, f.span)));
    list.extend(program.tables.iter().map(|(_, t)| (&t.annotations, t.span)));
    list.extend(program.states.iter().map(|(_, s)| (&s.annotations, s.name.span.to(s.transition_span))));
    list.extend(program.tables.iter().flat_map(|(_, t)| t.keys.iter().map(|k| (&k.annotations, k.span))));
    list.extend(program.instances.iter().map(|(_, i)| (&i.annotations, i.name.span.to(i.construct.span))));
    list.extend(program.consts.iter().map(|(_, c)| (&c.annotations, c.name.span.to(c.init.span))));
    list.extend(program.vars.iter().map(|(_, v)| (&v.annotations, v.name.span)));
    let whole = |r: &Record| r.fields.last().map_or(r.name.span, |last| r.name.span.to(last.name.span));
    list.extend(program.records.iter().map(|(_, r)| (&r.annotations, whole(r))));
    let fields = program.records.iter().flat_map(|(_, r)| &r.fields);
    list.extend(fields.map(|f| (&f.annotations, f.name.span)));
    list.extend(program.value_sets.iter().map(|(_, s)| (&s.annotations, s.name.span)));
    let annotations = list.into_iter().flat_map(|(annotations, span)| {
        annotations.0.iter().filter(|a| a.name == "noWarn").map(move |a| (a, span))
    });
    annotations
        .flat_map(|(annotation, span)| {
            annotation.values().iter().filter_map(move |value| match value {
                AnnotationValue::String(id) => Some((span, id.as_str())),
                _ => None,
            })
        })
        .collect()
}

fn contains(outer: Span, inner: Span) -> bool {
    outer.file == inner.file && outer.start <= inner.start && inner.end <= outer.end
}
