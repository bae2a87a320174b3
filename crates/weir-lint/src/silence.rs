//! `@noWarn("id")` on a declaration silences that warning inside the declaration.

use weir_syntax::{Diagnostic, Diagnostics, Severity, Span};

use crate::hir::{AnnotationValue, Program};

/// Removes the warnings that annotations in the program silence.
pub(super) fn run(program: &Program, diagnostics: &mut Diagnostics) {
    let silenced = silenced_warnings(program);
    if !silenced.is_empty() {
        let is_silenced = |d: &Diagnostic| {
            d.severity == Severity::Warning
                && silenced.iter().any(|(span, id)| *id == d.id && span.contains(d.span()))
        };
        diagnostics.retain(|diagnostic| !is_silenced(diagnostic));
    }
}

/// Returns the spans of the annotated declarations, with the ids of the silenced warnings.
fn silenced_warnings(program: &Program) -> Vec<(Span, &str)> {
    let annotations = program
        .annotated
        .iter()
        .flat_map(|item| item.annotations.0.iter().filter(|a| a.name == "noWarn").map(|a| (a, item.span)));
    annotations
        .flat_map(|(annotation, span)| {
            annotation.values().iter().filter_map(move |value| match value {
                AnnotationValue::String(id) => Some((span, id.as_str())),
                _ => None,
            })
        })
        .collect()
}
