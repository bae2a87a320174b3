//! Diagnostics with resolved locations, for JSON and other machine-readable formats.

use super::Diagnostic;
use crate::source_map::SourceMap;
use crate::span::Span;

/// A [`Diagnostic`] whose spans are files, lines and columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlainDiagnostic {
    /// The stable id.
    pub id: &'static str,
    /// The severity: `"error"`, `"warning"` or `"note"`.
    pub severity: &'static str,
    /// The main message.
    pub message: String,
    /// The labels, primary ones first.
    pub labels: Vec<PlainLabel>,
    /// The additional notes.
    pub notes: Vec<String>,
    /// The suggested fixes; none inside a macro expansion.
    pub suggestions: Vec<PlainSuggestion>,
}

/// A range in a file. Lines and columns count from 1, columns in characters, the end is exclusive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlainLabel {
    /// File name; empty if the diagnostic has no location.
    pub file: String,
    /// First line.
    pub line: usize,
    /// First column.
    pub column: usize,
    /// Last line.
    pub end_line: usize,
    /// Column after the last character.
    pub end_column: usize,
    /// The label's message.
    pub message: String,
    /// True for the location of the error itself.
    pub primary: bool,
}

/// A replacement of a range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlainSuggestion {
    /// The proposed change.
    pub message: String,
    /// The range to replace.
    pub at: PlainLabel,
    /// The new text.
    pub replacement: String,
}

pub(super) fn to_plain(diagnostic: &Diagnostic, sources: &SourceMap) -> PlainDiagnostic {
    let mut labels: Vec<PlainLabel> =
        diagnostic.labels.iter().map(|l| label(sources, l.span, &l.message, l.primary)).collect();
    labels.sort_by_key(|l| !l.primary);
    PlainDiagnostic {
        id: diagnostic.id,
        severity: diagnostic.severity.name(),
        message: diagnostic.message.clone(),
        labels,
        notes: diagnostic.notes.clone(),
        suggestions: diagnostic
            .suggestions
            .iter()
            // Text from a macro expansion cannot be replaced at the macro's call site.
            .filter(|s| {
                let site = sources.user_site(s.span);
                (site.file, site.start, site.end) == (s.span.file, s.span.start, s.span.end)
            })
            .map(|s| PlainSuggestion {
                message: s.message.clone(),
                at: label(sources, s.span, "", false),
                replacement: s.replacement.clone(),
            })
            .collect(),
    }
}

fn label(sources: &SourceMap, span: Span, message: &str, primary: bool) -> PlainLabel {
    let site = sources.user_site(span);
    let start = sources.location(site);
    let end = sources.location(site.after());
    PlainLabel {
        line: start.as_ref().map_or(0, |l| l.line),
        column: start.as_ref().map_or(0, |l| l.column),
        end_line: end.as_ref().map_or(0, |l| l.line),
        end_column: end.as_ref().map_or(0, |l| l.column),
        file: start.map_or_else(String::new, |l| l.file),
        message: message.to_string(),
        primary,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source_map::Expansion;

    /// Suggestions inside an expansion are left out, because an editor that applies one would
    /// replace the whole macro call.
    #[test]
    fn nothing_is_suggested_inside_an_expansion() {
        let mut sources = SourceMap::new();
        let file = sources.add_file("a.p4", "#define ONE 16w1\nONE 16w1\n", None);
        let ctx = sources.add_expansion(Expansion {
            macro_name: "ONE".into(),
            call_site: Span::new(file, 17, 20),
            definition: Span::new(file, 8, 11),
        });
        let written = Span::new(file, 21, 25);
        let expanded = Span { ctx, ..Span::new(file, 12, 16) };
        for (span, count) in [(written, 1), (expanded, 0)] {
            let diagnostic = Diagnostic::error("type-mismatch", "…")
                .primary(span, "")
                .suggest("cast it", span, "(bit<8>)");
            assert_eq!(diagnostic.to_plain(&sources).suggestions.len(), count);
        }
    }
}
