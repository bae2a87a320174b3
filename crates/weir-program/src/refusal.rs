//! What a switch refuses, as a diagnostic.

use weir_switch::LoadError;
use weir_syntax::span::Location;
use weir_syntax::{Diagnostic, SourceMap, Span};

/// The diagnostic for an error at loading, with the place in the source that it names.
pub fn refusal(error: &LoadError, sources: &SourceMap) -> Diagnostic {
    let span = match &error.place {
        Some(place) => {
            let (line, column) = (place.line as usize, place.column as usize);
            sources.find(&Location { file: place.file.clone(), line, column }).unwrap_or(Span::NONE)
        }
        None => sources.end_of_program(),
    };
    let diagnostic = Diagnostic::error(error.kind.id(), error.message.as_str()).primary(span, "");
    error.help.iter().fold(diagnostic, |diagnostic, help| diagnostic.note(help.as_str()))
}
