//! `@noWarn("id")` on a declaration: that warning is not given for what the declaration holds.

use weir_syntax::{Diagnostic, Diagnostics, Severity, Span};

use crate::hir::{AnnotationValue, Annotations, Program};

/// Takes out what the program does not want to hear.
pub(super) fn run(program: &Program, diagnostics: &mut Diagnostics) {
    let silenced = silenced(program);
    if !silenced.is_empty() {
        let unwanted = |d: &Diagnostic| {
            d.severity == Severity::Warning
                && silenced.iter().any(|(span, id)| *id == d.id && holds(*span, d.span()))
        };
        diagnostics.retain(|diagnostic| !unwanted(diagnostic));
    }
}

/// The declarations with the annotation, and the ids it names.
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

fn holds(outer: Span, inner: Span) -> bool {
    outer.file == inner.file && outer.start <= inner.start && inner.end <= outer.end
}
