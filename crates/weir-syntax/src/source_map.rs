//! All files and macro expansions of a compilation. They turn spans into names, lines, columns and
//! text.

use std::sync::Arc;

use crate::source_file::SourceFile;
use crate::span::{ExpansionId, FileId, Span};

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
    /// Writes `FILE:LINE:COLUMN` on one line. Control characters in the name are escaped as in the
    /// other output of commands.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for c in self.file.chars() {
            match c {
                '\t' | '\n' | '\r' => write!(f, "{}", c.escape_default())?,
                '\0'..' ' => write!(f, "\\x{:02x}", u32::from(c))?,
                _ if c.is_control() => write!(f, "\\u{:04x}", u32::from(c))?,
                _ => write!(f, "{c}")?,
            }
        }
        write!(f, ":{}:{}", self.line, self.column)
    }
}

/// All files and macro expansions of one compilation.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    files: Vec<SourceFile>,
    expansions: Vec<Expansion>,
}

impl SourceMap {
    /// Returns an empty map.
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
        self.files.push(SourceFile::new(name.into(), text.into(), included_from));
        id
    }

    /// Records a `#line` directive: the text from byte `offset` on starts at `line` of `name`.
    pub fn add_line_mark(&mut self, file: FileId, offset: u32, line: u32, name: Option<Arc<str>>) {
        if let Some(file) = self.files.get_mut(file.0 as usize) {
            file.add_line_mark(offset, line, name);
        }
    }

    /// Records a macro expansion.
    pub fn add_expansion(&mut self, expansion: Expansion) -> ExpansionId {
        self.expansions.push(expansion);
        ExpansionId(self.expansions.len() as u32)
    }

    /// Returns the file with this id; `None` for the id of [`Span::NONE`].
    pub fn file(&self, id: FileId) -> Option<&SourceFile> {
        self.files.get(id.0 as usize)
    }

    /// Returns all files in the order in which they were loaded.
    pub fn files(&self) -> &[SourceFile] {
        &self.files
    }

    /// Returns the expansion with this id; `None` for [`ExpansionId::NONE`].
    pub fn expansion(&self, id: ExpansionId) -> Option<&Expansion> {
        self.expansions.get((id.0 as usize).checked_sub(1)?)
    }

    /// Returns the number of recorded expansions.
    pub fn expansion_count(&self) -> usize {
        self.expansions.len()
    }

    /// Returns the outermost macro call that a span comes from, or the span itself if it does not
    /// come from a macro.
    pub fn user_site(&self, span: Span) -> Span {
        let mut site = span;
        while let Some(expansion) = self.expansion(site.ctx) {
            site = expansion.call_site;
        }
        site
    }

    /// Returns the smallest span from `first` to `last`; if their macro expansions differ, between
    /// their user sites.
    pub fn join(&self, first: Span, last: Span) -> Span {
        if first.ctx == last.ctx { first.to(last) } else { self.user_site(first).to(self.user_site(last)) }
    }

    /// Returns the file, line and column of a span's first byte, or `None` for [`Span::NONE`].
    pub fn location(&self, span: Span) -> Option<Location> {
        let file = self.file(span.file)?;
        let start = file.char_floor(span.start);
        let (name, line) = file.presumed_place(file.line_index(start as u32));
        Some(Location { file: name.to_string(), line, column: file.column(start) })
    }

    /// Returns the span of the word, including member access (`hdr.ipv4.ttl`), at a location from
    /// [`SourceMap::location`]; a span of one character if there is no word. `None` if no file has
    /// that line.
    pub fn find(&self, location: &Location) -> Option<Span> {
        let presumed = (location.file.as_str(), location.line);
        let (id, file, index) = (0..).zip(&self.files).find_map(|(id, file)| {
            let index = (0..file.line_count()).find(|index| file.presumed_place(*index) == presumed)?;
            Some((FileId(id), file, index))
        })?;
        let (start, end) = file.line_range(index);
        let line = &file.text()[start..end];
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

    /// Returns the end of the last non-blank line of the root file, for errors about a part that is
    /// missing in the program.
    pub fn end_of_program(&self) -> Span {
        // Macros from the command line are in separate files, which come first.
        let roots = (0..).zip(&self.files).filter(|(_, file)| file.included_from().is_none());
        roots.last().map_or(Span::NONE, |(id, file)| {
            let end = file.text().trim_end().len() as u32;
            Span::new(FileId(id), end, end)
        })
    }

    /// Returns the line, counted from 1, of a span's first byte, or 0 for [`Span::NONE`].
    pub fn line(&self, span: Span) -> usize {
        self.file(span.file)
            .map_or(0, |file| file.presumed_place(file.line_index(file.char_floor(span.start) as u32)).1)
    }

    /// Returns the column, counted in characters from 1, of a span's first byte, or 0 for
    /// [`Span::NONE`].
    pub fn column(&self, span: Span) -> usize {
        self.location(span).map_or(0, |l| l.column)
    }

    /// Returns the source text of a span; empty for [`Span::NONE`].
    pub fn text(&self, span: Span) -> &str {
        self.file(span.file).map_or("", |file| {
            let (start, end) = (file.char_floor(span.start), file.char_floor(span.end));
            &file.text()[start..end.max(start)]
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
        assert_eq!(map.text(span), "y");
    }

    #[test]
    fn line_marks_rename_and_renumber_later_text() {
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
        let location = |line, column| Location { file: "b.p4".to_owned(), line, column };
        let word = map.find(&location(40, 3)).unwrap();
        assert_eq!((map.text(word), map.location(word)), ("hdr.eth.type", Some(location(40, 3))));
        assert_eq!(map.text(map.find(&location(40, 16)).unwrap()), "=");
        assert_eq!(map.text(map.find(&location(40, 99)).unwrap()), "");
        assert_eq!(map.find(&location(50, 1)), None);
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
