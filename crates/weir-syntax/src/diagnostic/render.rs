//! Renders diagnostics as text with source lines, carets and labels.

use std::ops::Range;

use super::{Diagnostic, Severity};
use crate::source_file::SourceFile;
use crate::source_map::SourceMap;
use crate::span::{FileId, Span};
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet, renderer::DecorStyle};

/// Maximum number of lines in an include trail.
const MAX_TRAIL_LINES: usize = 8;

/// A label at its location in user text.
struct Mark {
    span: Span,
    message: String,
    primary: bool,
}

/// Consecutive source lines of one file that are rendered as one block.
struct Block {
    file: FileId,
    first_line: usize,
    last_line: usize,
    /// The bytes of these lines from the first marked one to the last.
    columns: Range<usize>,
    marks: Vec<Mark>,
}

/// Marked lines that are further apart than this number of lines go into separate blocks, so that
/// the cost does not grow with the file.
const MAX_GAP_IN_BLOCK: usize = 40;

/// The maximum number of marked bytes of a line. Marks further apart go into separate blocks: all
/// text between marks is shown, and a line can be megabytes long.
const MAX_COLUMNS: usize = 400;

pub(super) fn render(diagnostic: &Diagnostic, sources: &SourceMap, colour: bool) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let mut group = Group::with_title(level.primary_title(diagnostic.message.as_str()).id(diagnostic.id));
    let blocks = blocks(marks(diagnostic, sources), sources);
    for block in &blocks {
        if let Some(file) = sources.file(block.file) {
            group = group.element(snippet(block, file));
        }
    }
    for note in include_trail(diagnostic, sources).into_iter().chain(diagnostic.notes.iter().cloned()) {
        group = group.element(Level::NOTE.message(note));
    }
    for suggestion in &diagnostic.suggestions {
        group = group.element(Level::HELP.message(suggestion_text(suggestion, sources)));
    }
    let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
    let mut text = renderer.decor_style(DecorStyle::Ascii).render(&[group]);
    text.push('\n');
    text
}

/// Returns the labels at their user sites, and an additional one at the macro definition for each
/// primary label in an expansion.
fn marks(diagnostic: &Diagnostic, sources: &SourceMap) -> Vec<Mark> {
    let mut marks: Vec<Mark> = Vec::new();
    for label in diagnostic.labels.iter().filter(|l| !l.span.is_none()) {
        let site = sources.user_site(label.span);
        marks.push(Mark { span: site, message: label.message.clone(), primary: label.primary });
        let spelled = Span { ctx: site.ctx, ..label.span };
        if let (true, Some(expansion)) = (label.primary, sources.expansion(label.span.ctx))
            && spelled != site
            && sources.file(spelled.file).is_some()
        {
            let message = format!("in this expansion of macro `{}`", expansion.macro_name);
            marks.push(Mark { span: spelled, message, primary: false });
        }
    }
    marks.sort_by_key(|m| !m.primary);
    marks
}

/// Groups marks into blocks of nearby lines; the block of the first mark, the primary one, comes
/// first.
fn blocks(marks: Vec<Mark>, sources: &SourceMap) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    for mut mark in marks {
        let Some(file) = sources.file(mark.span.file) else { continue };
        mark.span = shorten_span(mark.span, file);
        let (first, start) = place(file, mark.span.start);
        let (last, end) = place(file, mark.span.end);
        let columns = start.min(end)..start.max(end);
        let fits = |b: &&mut Block| {
            b.file == mark.span.file
                && b.columns.end.max(columns.end) - b.columns.start.min(columns.start) <= MAX_COLUMNS
                && first <= b.last_line + MAX_GAP_IN_BLOCK
                && b.first_line <= last + MAX_GAP_IN_BLOCK
                && file.same_section(first, b.first_line)
        };
        match blocks.iter_mut().find(fits) {
            Some(block) => {
                block.first_line = block.first_line.min(first);
                block.last_line = block.last_line.max(last);
                block.columns.start = block.columns.start.min(columns.start);
                block.columns.end = block.columns.end.max(columns.end);
                block.marks.push(mark);
            }
            None => blocks.push(Block {
                file: mark.span.file,
                first_line: first,
                last_line: last,
                columns,
                marks: vec![mark],
            }),
        }
    }
    blocks
}

/// Returns the line that contains an offset, and the number of its bytes before the offset.
fn place(file: &SourceFile, offset: u32) -> (usize, usize) {
    let offset = file.char_floor(offset);
    let line = file.line_index(offset as u32);
    (line, offset - file.line_range(line).0)
}

/// Shortens a span to its start if the span's end is too far to the right, or to the left of its
/// start.
fn shorten_span(span: Span, file: &SourceFile) -> Span {
    let span = Span { end: span.end.max(span.start), ..span };
    let ((first, start), (last, end)) = (place(file, span.start), place(file, span.end));
    if start.abs_diff(end) <= MAX_COLUMNS {
        return span;
    }
    let begin = span.start.saturating_add(MAX_COLUMNS as u32);
    let line_end = if first == last { span.end } else { file.line_range(first).1 as u32 };
    Span { end: begin.min(line_end).max(span.start), ..span }
}

fn snippet<'a>(block: &'a Block, file: &'a SourceFile) -> Snippet<'a, annotate_snippets::Annotation<'a>> {
    let begin = file.line_range(block.first_line).0;
    let end = file.line_range(block.last_line).1;
    let (name, line) = file.presumed_place(block.first_line);
    let text = &file.text()[begin..end];
    let annotations = block.marks.iter().map(|mark| {
        let start = file.char_floor(mark.span.start).clamp(begin, end) - begin;
        let stop = file.char_floor(mark.span.end).clamp(begin, end) - begin;
        let kind = if mark.primary { AnnotationKind::Primary } else { AnnotationKind::Context };
        let annotation = kind.span(start..stop.max(start));
        if mark.message.is_empty() { annotation } else { annotation.label(mark.message.as_str()) }
    });
    Snippet::source(text).line_start(line).path(name).annotations(annotations)
}

/// Returns the notes of the include trail: one note for each `#include` between the file of the
/// diagnostic and the root file.
fn include_trail(diagnostic: &Diagnostic, sources: &SourceMap) -> Vec<String> {
    let mut trail = Vec::new();
    let mut file = sources.file(sources.user_site(diagnostic.span()).file);
    while let Some(span) = file.and_then(SourceFile::included_from) {
        if let Some(location) = sources.location(span) {
            trail.push(format!("included from {location}"));
        }
        file = sources.file(span.file);
    }
    // An include cycle makes the trail long without adding information.
    if trail.len() > MAX_TRAIL_LINES {
        let skipped = trail.len() - MAX_TRAIL_LINES;
        trail
            .splice(MAX_TRAIL_LINES - 1..trail.len() - 1, [format!("included through {skipped} more files")]);
    }
    trail
}

fn suggestion_text(suggestion: &super::Suggestion, sources: &SourceMap) -> String {
    let site = sources.user_site(suggestion.span);
    if suggestion.replacement.is_empty()
        || site.is_none()
        || suggestion.message.contains(suggestion.replacement.trim())
    {
        suggestion.message.clone()
    } else {
        format!("{}: `{}`", suggestion.message, suggestion.replacement)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source_map::Expansion;

    #[test]
    fn labels_and_notes_are_rendered() {
        let mut sources = SourceMap::new();
        let file = sources.add_file("a.p4", "const bit<8> x = 1\n", None);
        let span = Span::new(file, 18, 18);
        let text = Diagnostic::error("syntax-unexpected-token", "expected `;`")
            .primary(span, "here")
            .secondary(Span::new(file, 0, 5), "this declaration")
            .note("declarations end in `;`")
            .suggest("add", span, ";")
            .render(&sources, false);
        insta::assert_snapshot!(text, @r#"
        error[syntax-unexpected-token]: expected `;`
         --> a.p4:1:19
          |
        1 | const bit<8> x = 1
          | -----             ^ here
          | |
          | this declaration
          |
          = note: declarations end in `;`
          = help: add: `;`
        "#);
    }

    /// Returns a diagnostic with two marks in a file.
    fn marked(text: &str, primary: Range<u32>, secondary: Range<u32>) -> String {
        let mut sources = SourceMap::new();
        let file = sources.add_file("a.p4", text, None);
        Diagnostic::error("syntax-unclosed-brace", "expected `}`")
            .primary(Span::new(file, primary.start, primary.end), "here")
            .secondary(Span::new(file, secondary.start, secondary.end), "there")
            .render(&sources, false)
    }

    #[test]
    fn long_lines_are_shown_around_their_marks() {
        let text = format!("{{{}é{}\n{{}}\n", "x ".repeat(50_000), "y ".repeat(50_000));
        let end = text.len() as u32;
        for (primary, secondary) in [
            (end - 4..end - 3, 0..1),
            (0..1, end - 4..end - 3),
            (10..90_000, 100_002..end - 2),
            (end - 6..end - 2, 5..end),
            (0..end, 0..end),
            (3..4, 99_999..100_400),
        ] {
            let rendered = marked(&text, primary.clone(), secondary.clone());
            assert!(rendered.len() < 4000, "{primary:?} {secondary:?}: {} bytes", rendered.len());
            assert!(rendered.contains("here") && rendered.contains("there"), "{rendered}");
        }
    }

    #[test]
    fn marks_far_apart_in_a_line_are_shown_by_themselves() {
        let text = format!("control {{ {} if", "x; ".repeat(1000));
        let end = text.len() as u32;
        let rendered = marked(&text, end..end, 8..9);
        assert!(
            rendered.contains(" --> a.p4:1:3014\n") && rendered.contains(" ::: a.p4:1:9\n"),
            "{rendered}"
        );
        assert!(rendered.lines().all(|line| line.len() < 200), "{rendered}");
    }

    #[test]
    fn macro_errors_show_macro_and_include() {
        let mut sources = SourceMap::new();
        let root = sources.add_file("main.p4", "#include \"lib.p4\"\n", None);
        let lib = sources.add_file("lib.p4", "#define W(x) bad x\nW(1)\n", Some(Span::new(root, 0, 8)));
        let ctx = sources.add_expansion(Expansion {
            macro_name: "W".into(),
            call_site: Span::new(lib, 19, 23),
            definition: Span::new(lib, 8, 9),
        });
        let text = Diagnostic::error("syntax-unexpected-token", "unexpected `bad`")
            .primary(Span { ctx, ..Span::new(lib, 13, 16) }, "")
            .render(&sources, false);
        insta::assert_snapshot!(text, @r#"
        error[syntax-unexpected-token]: unexpected `bad`
         --> lib.p4:2:1
          |
        1 | #define W(x) bad x
          |              --- in this expansion of macro `W`
        2 | W(1)
          | ^^^^
          |
          = note: included from main.p4:1:1
        "#);
    }
}
