//! Diagnostics: the errors, warnings and notes that every stage reports, and the list that collects
//! them.

mod plain;
mod render;

pub use plain::{PlainDiagnostic, PlainLabel, PlainSuggestion};

use crate::source_map::SourceMap;
use crate::span::Span;

/// The severity of a diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// The program is rejected.
    Error,
    /// The program is accepted, but probably does not do what its author intended.
    Warning,
    /// Information; nothing is wrong.
    Note,
}

impl Severity {
    /// Returns the name as printed in diagnostics.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        }
    }
}

/// A span with a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The text that the label points at.
    pub span: Span,
    /// The message; may be empty.
    pub message: String,
    /// Whether this is the location of the error itself; false for a related location.
    pub primary: bool,
}

/// A change to the text that may fix the error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suggestion {
    /// The proposed change: "add `;`".
    pub message: String,
    /// The text to replace; empty to insert.
    pub span: Span,
    /// The replacement; empty to delete.
    pub replacement: String,
}

/// An error, warning or note about the user's program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// A stable id in kebab-case such as `syntax-unexpected-token`; `weir explain` describes it.
    pub id: &'static str,
    /// Error, warning or note.
    pub severity: Severity,
    /// The main message, without a full stop.
    pub message: String,
    /// The locations; the first primary label is the location of the diagnostic.
    pub labels: Vec<Label>,
    /// The additional notes.
    pub notes: Vec<String>,
    /// The suggested fixes.
    pub suggestions: Vec<Suggestion>,
}

impl Diagnostic {
    /// Creates an error without labels.
    pub fn error(id: &'static str, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Error, id, message.into())
    }

    /// Creates a warning without labels.
    pub fn warning(id: &'static str, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Warning, id, message.into())
    }

    /// Creates a note without labels.
    pub fn note_about(id: &'static str, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Note, id, message.into())
    }

    fn new(severity: Severity, id: &'static str, message: String) -> Diagnostic {
        let message = shorten(message);
        Diagnostic { id, severity, message, labels: Vec::new(), notes: Vec::new(), suggestions: Vec::new() }
    }

    /// Adds a label at the location of the error.
    #[must_use]
    pub fn primary(mut self, span: Span, message: impl Into<String>) -> Diagnostic {
        self.labels.push(Label { span, message: shorten(message.into()), primary: true });
        self
    }

    /// Adds a label at a related location.
    #[must_use]
    pub fn secondary(mut self, span: Span, message: impl Into<String>) -> Diagnostic {
        self.labels.push(Label { span, message: shorten(message.into()), primary: false });
        self
    }

    /// Adds a note.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Diagnostic {
        self.notes.push(shorten(note.into()));
        self
    }

    /// Adds a suggestion to replace the text of `span` with `replacement`.
    #[must_use]
    pub fn suggest(
        mut self,
        message: impl Into<String>,
        span: Span,
        replacement: impl Into<String>,
    ) -> Diagnostic {
        let message = shorten(message.into());
        self.suggestions.push(Suggestion { message, span, replacement: replacement.into() });
        self
    }

    /// Returns the location of the diagnostic: the span of the first primary label, otherwise of
    /// the first label, otherwise [`Span::NONE`].
    pub fn span(&self) -> Span {
        let label = self.labels.iter().find(|l| l.primary).or(self.labels.first());
        label.map_or(Span::NONE, |l| l.span)
    }

    /// Renders the diagnostic with source lines; ends with a newline. `colour` adds ANSI colours.
    pub fn render(&self, sources: &SourceMap, colour: bool) -> String {
        render::render(self, sources, colour)
    }

    /// Returns the diagnostic with file names, lines and columns instead of spans, for
    /// machine-readable output.
    pub fn to_plain(&self, sources: &SourceMap) -> PlainDiagnostic {
        plain::to_plain(self, sources)
    }
}

/// The longest text of a diagnostic, in bytes.
const MAX_TEXT: usize = 1_000;

/// Removes the middle of a text that is too long, since a name in it can be as long as the program.
fn shorten(text: String) -> String {
    if text.len() <= MAX_TEXT {
        return text;
    }
    let begin = text.floor_char_boundary(MAX_TEXT - 200);
    let end = text.ceil_char_boundary(text.len() - 100);
    format!("{}…{}", &text[..begin], &text[end..])
}

/// Collects diagnostics up to a limit, so that a broken file does not produce thousands of
/// diagnostics.
#[derive(Clone, Debug)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
    errors: usize,
    limit: usize,
    suppressed: usize,
}

impl Default for Diagnostics {
    fn default() -> Self {
        Diagnostics::new()
    }
}

impl Diagnostics {
    /// The limit used by [`Diagnostics::new`].
    pub const DEFAULT_LIMIT: usize = 200;

    /// Creates an empty list with the default limit.
    pub fn new() -> Diagnostics {
        Diagnostics::with_limit(Diagnostics::DEFAULT_LIMIT)
    }

    /// Creates an empty list that keeps at most `limit` errors and `limit` warnings and notes; the
    /// rest is only counted.
    pub fn with_limit(limit: usize) -> Diagnostics {
        Diagnostics { list: Vec::new(), errors: 0, limit, suppressed: 0 }
    }

    /// Adds a diagnostic, unless one with the same id, message and location was added before.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        let is_error = diagnostic.severity == Severity::Error;
        let kept_diagnostics =
            if is_error { self.kept_errors() } else { self.list.len() - self.kept_errors() };
        if kept_diagnostics >= self.limit {
            self.suppressed += 1;
            self.errors += usize::from(is_error);
            return;
        }
        let span = diagnostic.span();
        let is_duplicate =
            |d: &Diagnostic| d.id == diagnostic.id && d.span() == span && d.message == diagnostic.message;
        if self.list.iter().any(is_duplicate) {
            return;
        }
        self.errors += usize::from(is_error);
        self.list.push(diagnostic);
    }

    /// Removes warnings and notes for which `keep` returns false; errors stay.
    pub fn retain(&mut self, keep: impl Fn(&Diagnostic) -> bool) {
        self.list.retain(|diagnostic| diagnostic.severity == Severity::Error || keep(diagnostic));
    }

    fn kept_errors(&self) -> usize {
        self.list.iter().filter(|d| d.severity == Severity::Error).count()
    }

    /// Returns the number of errors, including those above the limit.
    pub fn error_count(&self) -> usize {
        self.errors
    }

    /// Returns whether the program is rejected.
    pub fn has_errors(&self) -> bool {
        self.errors > 0
    }

    /// Returns whether there are no diagnostics.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Returns the number of diagnostics that were dropped because of the limit.
    pub fn suppressed_count(&self) -> usize {
        self.suppressed
    }

    /// Returns the diagnostics in the order in which they were reported.
    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.list.iter()
    }

    /// Returns the diagnostics in source order: files in the order in which they were loaded, then
    /// by position.
    pub fn sorted(&self, sources: &SourceMap) -> Vec<&Diagnostic> {
        let mut sorted: Vec<&Diagnostic> = self.list.iter().collect();
        sorted.sort_by_key(|d| {
            let site = sources.user_site(d.span());
            (site.file, site.start)
        });
        sorted
    }

    /// Renders all diagnostics in source order, separated by empty lines, and then the number of
    /// diagnostics above the limit.
    pub fn render(&self, sources: &SourceMap, colour: bool) -> String {
        let mut text: Vec<String> = self.sorted(sources).iter().map(|d| d.render(sources, colour)).collect();
        if self.suppressed > 0 {
            text.push(format!("and {} more not shown\n", self.suppressed));
        }
        text.join("\n")
    }
}

impl Extend<Diagnostic> for Diagnostics {
    fn extend<I: IntoIterator<Item = Diagnostic>>(&mut self, diagnostics: I) {
        diagnostics.into_iter().for_each(|diagnostic| self.push(diagnostic));
    }
}

impl<'a> IntoIterator for &'a Diagnostics {
    type Item = &'a Diagnostic;
    type IntoIter = std::slice::Iter<'a, Diagnostic>;
    fn into_iter(self) -> Self::IntoIter {
        self.list.iter()
    }
}
