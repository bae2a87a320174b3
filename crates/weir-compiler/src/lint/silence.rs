//! `@noWarn("id")` on a declaration silences that warning inside the declaration.

use weir_syntax::{Diagnostic, Diagnostics, Severity, Span};

use super::annotated::annotated;
use crate::hir::{AnnotationValue, Program};

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
    let declarations = annotated(program).into_iter().filter_map(|of| Some((of.annotations, of.span?)));
    let annotations = declarations.flat_map(|(annotations, span)| {
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
