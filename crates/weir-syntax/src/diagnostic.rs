//! The one kind of message that every stage reports, and the collector that keeps them in order.

mod plain;
mod render;

pub use plain::{PlainDiagnostic, PlainLabel, PlainSuggestion};

use crate::span::{SourceMap, Span};

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// The program is rejected.
    Error,
    /// The program is accepted, but is likely not to do what its author wants.
    Warning,
    /// Nothing is wrong; the reader should know it.
    Note,
}

impl Severity {
    /// As diagnostics print it.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        }
    }
}

/// A span with words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The text that is pointed at.
    pub span: Span,
    /// What is said about it; may be empty.
    pub message: String,
    /// True for the place of the mistake itself, false for what helps to understand it.
    pub primary: bool,
}

/// A change of the text that may mend the mistake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suggestion {
    /// What to do, in words: "add `;`".
    pub message: String,
    /// The text to replace; empty to insert.
    pub span: Span,
    /// The text to put there; empty to delete.
    pub replacement: String,
}

/// One finding about the user's program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// A stable name in kebab-case such as `syntax-unexpected-token`; `weir explain` knows it.
    pub id: &'static str,
    /// Error or warning.
    pub severity: Severity,
    /// What is wrong, in one sentence without a full stop.
    pub message: String,
    /// Where; the first primary label is the place of the whole.
    pub labels: Vec<Label>,
    /// Further sentences.
    pub notes: Vec<String>,
    /// Possible corrections.
    pub suggestions: Vec<Suggestion>,
}

impl Diagnostic {
    /// An error without a place yet.
    pub fn error(id: &'static str, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Error, id, message.into())
    }

    /// A warning without a place yet.
    pub fn warning(id: &'static str, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Warning, id, message.into())
    }

    /// A note without a place yet.
    pub fn note_about(id: &'static str, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Note, id, message.into())
    }

    fn new(severity: Severity, id: &'static str, message: String) -> Diagnostic {
        Diagnostic { id, severity, message, labels: Vec::new(), notes: Vec::new(), suggestions: Vec::new() }
    }

    /// Points at the place of the mistake.
    #[must_use]
    pub fn primary(mut self, span: Span, message: impl Into<String>) -> Diagnostic {
        self.labels.push(Label { span, message: message.into(), primary: true });
        self
    }

    /// Points at a place that helps to understand.
    #[must_use]
    pub fn secondary(mut self, span: Span, message: impl Into<String>) -> Diagnostic {
        self.labels.push(Label { span, message: message.into(), primary: false });
        self
    }

    /// Adds a sentence.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Diagnostic {
        self.notes.push(note.into());
        self
    }

    /// Adds a correction: replace the text of `span` by `replacement`.
    #[must_use]
    pub fn suggest(
        mut self,
        message: impl Into<String>,
        span: Span,
        replacement: impl Into<String>,
    ) -> Diagnostic {
        self.suggestions.push(Suggestion { message: message.into(), span, replacement: replacement.into() });
        self
    }

    /// The place of the whole: the first primary label's, else the first label's, else [`Span::NONE`].
    pub fn span(&self) -> Span {
        let label = self.labels.iter().find(|l| l.primary).or(self.labels.first());
        label.map_or(Span::NONE, |l| l.span)
    }

    /// The message as text with source lines, ending in a newline. `colour` adds ANSI colours.
    pub fn render(&self, sources: &SourceMap, colour: bool) -> String {
        render::render(self, sources, colour)
    }

    /// The message with names, lines and columns in place of spans, for machines to read.
    pub fn to_plain(&self, sources: &SourceMap) -> PlainDiagnostic {
        plain::to_plain(self, sources)
    }
}

/// Collects findings, up to a limit, so that a broken file does not bury its reader.
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
    /// The number of findings kept by [`Diagnostics::new`].
    pub const DEFAULT_LIMIT: usize = 200;

    /// An empty collector with the default limit.
    pub fn new() -> Diagnostics {
        Diagnostics::with_limit(Diagnostics::DEFAULT_LIMIT)
    }

    /// An empty collector that keeps at most `limit` errors and as many warnings; the rest is counted only.
    pub fn with_limit(limit: usize) -> Diagnostics {
        Diagnostics { list: Vec::new(), errors: 0, limit, suppressed: 0 }
    }

    /// Adds a finding. One that repeats an earlier one's id, message and place is dropped.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        let is_error = diagnostic.severity == Severity::Error;
        let kept = if is_error { self.kept_errors() } else { self.list.len() - self.kept_errors() };
        if kept >= self.limit {
            self.suppressed += 1;
            self.errors += usize::from(is_error);
            return;
        }
        let span = diagnostic.span();
        let repeats =
            |d: &Diagnostic| d.id == diagnostic.id && d.span() == span && d.message == diagnostic.message;
        if self.list.iter().any(repeats) {
            return;
        }
        self.errors += usize::from(is_error);
        self.list.push(diagnostic);
    }

    /// Keeps only the warnings that `wanted` accepts; errors stay.
    pub fn retain(&mut self, wanted: impl Fn(&Diagnostic) -> bool) {
        self.list.retain(|diagnostic| diagnostic.severity == Severity::Error || wanted(diagnostic));
    }

    fn kept_errors(&self) -> usize {
        self.list.iter().filter(|d| d.severity == Severity::Error).count()
    }

    /// Number of errors, those above the limit too.
    pub fn error_count(&self) -> usize {
        self.errors
    }

    /// True if the program is rejected.
    pub fn has_errors(&self) -> bool {
        self.errors > 0
    }

    /// True if nothing was found.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Number of findings that the limit kept out.
    pub fn suppressed(&self) -> usize {
        self.suppressed
    }

    /// The findings in the order they were made.
    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.list.iter()
    }

    /// The findings in the order of the text, as a reader meets it: files in order of loading, then by position.
    pub fn sorted(&self, sources: &SourceMap) -> Vec<&Diagnostic> {
        let mut sorted: Vec<&Diagnostic> = self.list.iter().collect();
        sorted.sort_by_key(|d| {
            let site = sources.user_site(d.span());
            (site.file, site.start)
        });
        sorted
    }

    /// All findings as text, sorted, separated by empty lines, with a last line about those beyond the limit.
    pub fn render(&self, sources: &SourceMap, colour: bool) -> String {
        let mut text: Vec<String> = self.sorted(sources).iter().map(|d| d.render(sources, colour)).collect();
        if self.suppressed > 0 {
            text.push(format!("and {} more that are not shown\n", self.suppressed));
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
