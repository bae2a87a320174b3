//! Locations in source text: files, spans, macro expansions and `#include`s.

use std::sync::Arc;

/// A file of a [`SourceMap`], numbered from 0 in order of loading.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct FileId(pub u32);

/// A macro expansion of a [`SourceMap`]; 0 means "not from a macro".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct ExpansionId(pub u32);

impl ExpansionId {
    /// Text that does not come from a macro.
    pub const NONE: ExpansionId = ExpansionId(0);
}

/// A range of bytes in the file where a token is spelled.
///
/// For a token of a macro body this is in the `#define`; `ctx` then identifies the place of use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Span {
    /// The file that contains the token.
    pub file: FileId,
    /// First byte, counted from the file's start.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
    /// The macro expansion that the token comes from.
    pub ctx: ExpansionId,
}

impl Span {
    /// The span of nodes and macros without source text (predefined macros, trees built in tests).
    pub const NONE: Span = Span { file: FileId(u32::MAX), start: 0, end: 0, ctx: ExpansionId::NONE };

    /// A span outside of any macro expansion; `start` and `end` are byte offsets.
    pub fn new(file: FileId, start: u32, end: u32) -> Span {
        Span { file, start, end, ctx: ExpansionId::NONE }
    }

    /// True for [`Span::NONE`].
    pub fn is_none(self) -> bool {
        self.file == Span::NONE.file
    }

    /// The span from the start of `self` to the end of `other`.
    ///
    /// Returns `self` if the two are in different files or expansions. [`SourceMap::join`] also
    /// joins spans of different expansions.
    pub fn to(self, other: Span) -> Span {
        if self.file == other.file && self.ctx == other.ctx {
            Span { start: self.start.min(other.start), end: self.end.max(other.end), ..self }
        } else {
            self
        }
    }

    /// An empty span directly after this one, for something that is missing there.
    pub fn after(self) -> Span {
        Span { start: self.end, ..self }
    }
}

/// A file that was read. A file included several times is in the map several times.
#[derive(Clone, Debug)]
pub struct SourceFile {
    name: Arc<str>,
    text: Arc<str>,
    included_from: Option<Span>,
    line_starts: Vec<u32>,
    line_marks: Vec<LineMark>,
}

/// The line number and file name that a `#line` directive sets for the text after it.
#[derive(Clone, Debug)]
struct LineMark {
    /// First byte of the line after the directive.
    offset: u32,
    /// The line number of that line.
    line: u32,
    /// The file name, if the directive sets one.
    name: Option<Arc<str>>,
}

impl SourceFile {
    /// The file's name as returned by the loader.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The file's text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The `#include` directive that included the file; `None` for a root file.
    pub fn included_from(&self) -> Option<Span> {
        self.included_from
    }

    /// Number of lines, at least 1.
    pub fn line_count(&self) -> usize {
        self.line_starts.len()
    }

    /// 0-based index of the physical line that contains a byte offset.
    pub(crate) fn line_index(&self, offset: u32) -> usize {
        self.line_starts.partition_point(|&start| start <= offset).saturating_sub(1)
    }

    /// Byte range of a 0-based physical line, without its line end.
    pub(crate) fn line_range(&self, index: usize) -> (usize, usize) {
        let start = self.line_starts[index] as usize;
        let end = self.line_starts.get(index + 1).map_or(self.text.len(), |&next| next as usize);
        (start, start + self.text[start..end].trim_end_matches(['\n', '\r']).len())
    }

    /// The file name and 1-based line number of a 0-based physical line, after applying `#line`
    /// directives.
    pub(crate) fn presumed(&self, index: usize) -> (&str, usize) {
        let start = self.line_starts[index];
        let count = self.line_marks.partition_point(|mark| mark.offset <= start);
        match self.line_marks[..count].last() {
            None => (&self.name, index + 1),
            Some(mark) => {
                let named = self.line_marks[..count].iter().rev().find_map(|m| m.name.as_deref());
                let distance = index - self.line_index(mark.offset);
                (named.unwrap_or(&self.name), mark.line as usize + distance)
            }
        }
    }

    /// True if the same `#line` directive (or none) applies to the two 0-based physical lines.
    pub(crate) fn same_section(&self, first: usize, second: usize) -> bool {
        let section = |index: usize| {
            let start = self.line_starts[index];
            self.line_marks.partition_point(|mark| mark.offset <= start)
        };
        section(first) == section(second)
    }

    /// Clamps a byte offset to the text and moves it down to the start of its character.
    pub(crate) fn char_floor(&self, offset: u32) -> usize {
        let mut at = (offset as usize).min(self.text.len());
        while !self.text.is_char_boundary(at) {
            at -= 1;
        }
        at
    }
}

/// One use of a macro.
#[derive(Clone, Debug)]
pub struct Expansion {
    /// The macro's name.
    pub macro_name: Arc<str>,
    /// The macro's name (and arguments) where it is used. Its `ctx` is the enclosing expansion.
    pub call_site: Span,
    /// The macro's name in its `#define`; [`Span::NONE`] for predefined macros.
    pub definition: Span,
}

/// A file name, line and column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// File name from the loader or a `#line` directive.
    pub file: String,
    /// 1-based line, after applying `#line` directives.
    pub line: usize,
    /// 1-based column, in characters.
    pub column: usize,
}

impl std::fmt::Display for Location {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// All files and macro expansions of one compilation.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    files: Vec<SourceFile>,
    expansions: Vec<Expansion>,
}

impl SourceMap {
    /// An empty map.
    pub fn new() -> SourceMap {
        SourceMap::default()
    }

    /// Adds a file. Text beyond 4 GiB is cut off at a character boundary, since spans use 32-bit
    /// offsets.
    pub fn add_file(
        &mut self,
        name: impl Into<Arc<str>>,
        text: impl Into<Arc<str>>,
        included_from: Option<Span>,
    ) -> FileId {
        let id = FileId(self.files.len() as u32);
        let mut text: Arc<str> = text.into();
        if text.len() >= u32::MAX as usize {
            let mut end = u32::MAX as usize - 1;
            while !text.is_char_boundary(end) {
                end -= 1;
            }
            text = text[..end].into();
        }
        let mut line_starts = vec![0];
        line_starts
            .extend(text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(at, _)| at as u32 + 1));
        self.files.push(SourceFile {
            name: name.into(),
            text,
            included_from,
            line_starts,
            line_marks: Vec::new(),
        });
        id
    }

    /// Records a `#line` directive: the text from byte `offset` on starts at `line` of `name`.
    pub fn add_line_mark(&mut self, file: FileId, offset: u32, line: u32, name: Option<Arc<str>>) {
        if let Some(file) = self.files.get_mut(file.0 as usize) {
            file.line_marks.push(LineMark { offset, line, name });
        }
    }

    /// Records a macro expansion.
    pub fn add_expansion(&mut self, expansion: Expansion) -> ExpansionId {
        self.expansions.push(expansion);
        ExpansionId(self.expansions.len() as u32)
    }

    /// The file with this id; `None` for that of [`Span::NONE`].
    pub fn file(&self, id: FileId) -> Option<&SourceFile> {
        self.files.get(id.0 as usize)
    }

    /// All files in the order in which they were loaded.
    pub fn files(&self) -> &[SourceFile] {
        &self.files
    }

    /// The expansion with this id; `None` for [`ExpansionId::NONE`].
    pub fn expansion(&self, id: ExpansionId) -> Option<&Expansion> {
        self.expansions.get((id.0 as usize).checked_sub(1)?)
    }

    /// Number of expansions recorded.
    pub fn expansion_count(&self) -> usize {
        self.expansions.len()
    }

    /// The outermost macro call that a span comes from, or the span itself if it comes from no
    /// macro.
    pub fn user_site(&self, span: Span) -> Span {
        let mut site = span;
        while let Some(expansion) = self.expansion(site.ctx) {
            site = expansion.call_site;
        }
        site
    }

    /// The smallest span from `first` to `last`; if their macro expansions differ, between their
    /// user sites.
    pub fn join(&self, first: Span, last: Span) -> Span {
        if first.ctx == last.ctx { first.to(last) } else { self.user_site(first).to(self.user_site(last)) }
    }

    /// File, line and column of a span's first byte; `None` for [`Span::NONE`].
    pub fn location(&self, span: Span) -> Option<Location> {
        let file = self.file(span.file)?;
        let start = file.char_floor(span.start);
        let index = file.line_index(start as u32);
        let (name, line) = file.presumed(index);
        let column = file.text[file.line_starts[index] as usize..start].chars().count() + 1;
        Some(Location { file: name.to_string(), line, column })
    }

    /// The span of the word, including member access (`hdr.ipv4.ttl`), at a location from
    /// [`SourceMap::location`]; a span of one character if there is no word. `None` if no file has
    /// that line.
    pub fn find(&self, location: &Location) -> Option<Span> {
        let presumed = (location.file.as_str(), location.line);
        let (id, file, index) = (0..).zip(&self.files).find_map(|(id, file)| {
            let index = (0..file.line_count()).find(|index| file.presumed(*index) == presumed)?;
            Some((FileId(id), file, index))
        })?;
        let (start, end) = file.line_range(index);
        let line = &file.text[start..end];
        let column =
            line.char_indices().nth(location.column.saturating_sub(1)).map_or(line.len(), |(at, _)| at);
        let rest = &line[column..];
        let word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
        let length = match rest.find(|c| !word(c)).unwrap_or(rest.len()) {
            0 => rest.chars().next().map_or(0, char::len_utf8),
            length => length,
        };
        let start = (start + column) as u32;
        Some(Span::new(id, start, start + length as u32))
    }

    /// The end of the last non-blank line of the root file, for errors about something that the
    /// program as a whole lacks.
    pub fn end_of_program(&self) -> Span {
        // Macros from the command line are in files of their own, which come first.
        let roots = (0..).zip(&self.files).filter(|(_, file)| file.included_from.is_none());
        roots.last().map_or(Span::NONE, |(id, file)| {
            let end = file.text.trim_end().len() as u32;
            Span::new(FileId(id), end, end)
        })
    }

    /// 1-based line of a span's first byte; 0 for [`Span::NONE`].
    pub fn line(&self, span: Span) -> usize {
        self.location(span).map_or(0, |l| l.line)
    }

    /// 1-based column, in characters, of a span's first byte; 0 for [`Span::NONE`].
    pub fn column(&self, span: Span) -> usize {
        self.location(span).map_or(0, |l| l.column)
    }

    /// The source line that contains the span's first byte, without its line end.
    pub fn line_text(&self, span: Span) -> &str {
        self.file(span.file).map_or("", |file| {
            let (start, end) = file.line_range(file.line_index(file.char_floor(span.start) as u32));
            &file.text[start..end]
        })
    }

    /// The source text of a span; empty for [`Span::NONE`].
    pub fn text(&self, span: Span) -> &str {
        self.file(span.file).map_or("", |file| {
            let (start, end) = (file.char_floor(span.start), file.char_floor(span.end));
            &file.text[start..end.max(start)]
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters() {
        let mut map = SourceMap::new();
        let file = map.add_file("a.p4", "x\n/*é*/ y\r\nz", None);
        let y = map.file(file).unwrap().text().find('y').unwrap() as u32;
        let span = Span::new(file, y, y + 1);
        assert_eq!(map.location(span).unwrap().to_string(), "a.p4:2:7");
        assert_eq!(map.line_text(span), "/*é*/ y");
        assert_eq!(map.text(span), "y");
    }

    #[test]
    fn line_marks_rename_and_renumber_what_follows() {
        let mut map = SourceMap::new();
        let file = map.add_file("a.p4", "one\n#line 40 \"b.p4\"\ntwo\nthree\n", None);
        map.add_line_mark(file, 20, 40, Some("b.p4".into()));
        assert_eq!(map.location(Span::new(file, 0, 1)).unwrap().to_string(), "a.p4:1:1");
        assert_eq!(map.location(Span::new(file, 24, 25)).unwrap().to_string(), "b.p4:41:1");
    }

    #[test]
    fn locations_map_back_to_spans() {
        let mut map = SourceMap::new();
        map.add_file("<command line>", "é x\n", None);
        let file = map.add_file("a.p4", "one\n#line 40 \"b.p4\"\né hdr.eth.type = 1;\n", None);
        map.add_line_mark(file, 20, 40, Some("b.p4".into()));
        let at = |line, column| Location { file: "b.p4".to_owned(), line, column };
        let word = map.find(&at(40, 3)).unwrap();
        assert_eq!((map.text(word), map.location(word)), ("hdr.eth.type", Some(at(40, 3))));
        assert_eq!(map.text(map.find(&at(40, 16)).unwrap()), "=");
        assert_eq!(map.text(map.find(&at(40, 99)).unwrap()), "");
        assert_eq!(map.find(&at(50, 1)), None);
        assert_eq!(map.location(map.end_of_program()).unwrap().to_string(), "b.p4:40:20");
    }

    #[test]
    fn user_site_leaves_nested_expansions() {
        let mut map = SourceMap::new();
        let file = map.add_file("a.p4", "outer inner body", None);
        let call = Span::new(file, 0, 5);
        let outer = map.add_expansion(Expansion {
            macro_name: "outer".into(),
            call_site: call,
            definition: Span::NONE,
        });
        let inner_call = Span { ctx: outer, ..Span::new(file, 6, 11) };
        let inner = map.add_expansion(Expansion {
            macro_name: "inner".into(),
            call_site: inner_call,
            definition: Span::NONE,
        });
        assert_eq!(map.user_site(Span { ctx: inner, ..Span::new(file, 12, 16) }), call);
    }
}
