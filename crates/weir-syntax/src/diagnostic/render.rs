//! Renders diagnostics as text with source lines, carets and labels.

use std::borrow::Cow;
use std::ops::{Range, RangeInclusive};

use super::{Diagnostic, Severity};
use crate::source_file::SourceFile;
use crate::source_map::SourceMap;
use crate::span::{FileId, Span};
use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Renderer, Snippet, renderer::DecorStyle};

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

/// The number of bytes of a line that the renderer gets before the first mark of its block and
/// after the last one. The renderer shows fewer, but reads all that it gets.
const AROUND: usize = 1000;

/// Characters that Unicode reserves for programs: they are in no text that people write.
const NO_TEXT: RangeInclusive<char> = '\u{fdd0}'..='\u{fdef}';

pub(super) fn render(diagnostic: &Diagnostic, sources: &SourceMap, colour: bool) -> String {
    let blocks = blocks(marks(diagnostic, sources), sources);
    let shown: Vec<_> =
        blocks.iter().filter_map(|block| Shown::of(block, sources.file(block.file)?)).collect();
    let cut: Vec<_> = shown.iter().filter(|shown| shown.is_cut()).collect();
    // The renderer counts columns in the text that it gets. Where lines are cut, a character that
    // is in no other text stands for the place, which is written afterwards.
    let rendered = |mark| (mark, rendered(diagnostic, sources, colour, &shown, mark));
    let is_clear = |(mark, text): &(char, String)| cut.is_empty() || text.matches(*mark).count() == cut.len();
    let tried = NO_TEXT.map(rendered).find(is_clear);
    let (mark, mut text) = tried.unwrap_or_else(|| rendered(*NO_TEXT.start()));
    for shown in cut {
        shown.write_place(&mut text, mark);
    }
    text
}

fn rendered(
    diagnostic: &Diagnostic,
    sources: &SourceMap,
    colour: bool,
    shown: &[Shown<'_>],
    mark: char,
) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let mut group = Group::with_title(level.primary_title(diagnostic.message.as_str()).id(diagnostic.id));
    for shown in shown {
        group = group.element(shown.snippet(mark));
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

/// The text of a block as the renderer gets it.
struct Shown<'a> {
    block: &'a Block,
    file: &'a SourceFile,
    text: Cow<'a, str>,
    /// The lines, or all of them as one piece if none is cut: their bytes in the file, and where
    /// they begin in `text`.
    pieces: Vec<(Range<usize>, usize)>,
}

impl<'a> Shown<'a> {
    fn of(block: &'a Block, file: &'a SourceFile) -> Option<Self> {
        let whole = file.line_range(block.first_line).0..file.line_range(block.last_line).1;
        let columns = block.columns.start.saturating_sub(AROUND)..block.columns.end + AROUND;
        let lines = (block.first_line..=block.last_line).map(|line| file.line_range(line));
        if lines.clone().all(|(start, end)| end - start <= columns.end) && columns.start == 0 {
            let text = Cow::Borrowed(file.text().get(whole.clone())?);
            return Some(Self { block, file, text, pieces: vec![(whole, 0)] });
        }
        let (mut text, mut pieces) = (String::new(), Vec::new());
        for (start, end) in lines {
            let bounded = |column: usize| file.char_floor((start + column).min(end) as u32);
            let piece = bounded(columns.start)..bounded(columns.end);
            pieces.push((piece.clone(), text.len()));
            text.push_str(file.text().get(piece)?);
            text.push('\n');
        }
        Some(Self { block, file, text: Cow::Owned(text), pieces })
    }

    /// Returns the place in the text of a byte of the file.
    fn offset(&self, byte: u32) -> usize {
        let byte = self.file.char_floor(byte);
        let after = self.pieces.partition_point(|(piece, _)| piece.start <= byte).max(1);
        let (piece, at) = &self.pieces[after - 1];
        at + byte.clamp(piece.start, piece.end) - piece.start
    }

    fn is_cut(&self) -> bool {
        matches!(self.text, Cow::Owned(_))
    }

    /// Returns the block for the renderer. `mark` stands for the place of a block that is cut.
    fn snippet(&self, mark: char) -> Snippet<'_, Annotation<'_>> {
        let (name, line) = self.file.presumed_place(self.block.first_line);
        let name = if self.is_cut() { Cow::Owned(mark.to_string()) } else { Cow::Borrowed(name) };
        Snippet::source(&*self.text).line_start(line).path(name).annotations(self.annotations())
    }

    /// Writes the place of this block in the rendered text, instead of the first `mark`.
    fn write_place(&self, text: &mut String, mark: char) {
        let first = self.block.marks.iter().min_by_key(|mark| (!mark.primary, mark.span.start));
        let (Some(first), Some(begin)) = (first, text.find(mark)) else { return };
        let end = begin + text[begin..].find(['\n', '\u{1b}']).unwrap_or(0);
        let (name, line) = self.file.presumed_place(self.block.first_line);
        let offset = self.file.char_floor(first.span.start);
        let line = line + self.file.line_index(offset as u32) - self.block.first_line;
        text.replace_range(begin..end, &format!("{name}:{line}:{}", self.file.column(offset)));
    }

    fn annotations(&self) -> impl Iterator<Item = Annotation<'_>> {
        self.block.marks.iter().map(|mark| {
            let start = self.offset(mark.span.start);
            let kind = if mark.primary { AnnotationKind::Primary } else { AnnotationKind::Context };
            let annotation = kind.span(start..self.offset(mark.span.end).max(start));
            if mark.message.is_empty() { annotation } else { annotation.label(mark.message.as_str()) }
        })
    }
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
    fn places_in_cut_lines_are_those_in_the_file() {
        let long = "é".repeat(3000);
        let name = "a\u{fdd0}.p4";
        let mut sources = SourceMap::new();
        let file = sources.add_file(name, format!("x\n{long}y\n{long}z{long}\n"), None);
        let char_at = |offset: u32| Span::new(file, offset, offset + 1);
        let (second, third) = (2 + 6000, 2 + 6002 + 6000);
        for colour in [false, true] {
            let text = Diagnostic::error("syntax-unclosed-brace", "a \u{fdd1} in the text")
                .primary(char_at(third), "here")
                .secondary(char_at(second), "there")
                .secondary(char_at(0), "first")
                .render(&sources, colour);
            assert!(text.contains(&format!("{name}:3:3001")), "{text}");
            assert!(text.contains(&format!("{name}:1:1")), "{text}");
            assert!(text.contains("here") && text.contains("there"), "{text}");
            assert!(text.len() < 4000, "{} bytes", text.len());
        }
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
