//! Diagnostics for parts of a program that a switch refuses or ignores.

use weir_switch::p4info::P4InfoError;
use weir_switch::{LoadError, LoadWarning, Place};
use weir_syntax::source_map::Location;
use weir_syntax::{Diagnostic, SourceMap, Span};

/// Returns the diagnostic for an error at loading, with the place in the source that it names.
pub fn refusal(error: &LoadError, sources: &SourceMap) -> Diagnostic {
    let span = error.place.as_ref().map_or_else(|| sources.end_of_program(), |place| find(place, sources));
    let diagnostic = Diagnostic::error(error.kind.id(), error.message.as_str()).primary(span, "");
    error.help.iter().fold(diagnostic, |diagnostic, help| diagnostic.note(help.as_str()))
}

/// Returns the diagnostic for something that a switch ignores.
pub(crate) fn warning(found: &LoadWarning, sources: &SourceMap) -> Diagnostic {
    let span = found.place.as_ref().map_or(Span::NONE, |place| find(place, sources));
    Diagnostic::warning(found.id, found.message.as_str()).primary(span, "").note(found.help.as_str())
}

/// Returns the diagnostic for something that P4Info cannot express. For headers, the switch knows
/// only the name, not the place.
pub fn p4info_problem(error: &P4InfoError, sources: &SourceMap) -> Diagnostic {
    let span = match find(&error.place, sources) {
        Span::NONE => sources.end_of_program(),
        span => span,
    };
    Diagnostic::error("p4info", error.problem.as_str()).primary(span, "")
}

fn find(place: &Place, sources: &SourceMap) -> Span {
    let (line, column) = (place.line as usize, place.column as usize);
    sources.find(&Location { file: place.file.clone(), line, column }).unwrap_or(Span::NONE)
}
