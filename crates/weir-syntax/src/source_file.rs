//! A file that was read, with its lines and the `#line` directives in it.

use std::sync::Arc;

use crate::span::Span;

/// A file that was read. A file included several times is in the map several times.
#[derive(Clone, Debug)]
pub struct SourceFile {
    name: Arc<str>,
    text: Arc<str>,
    included_from: Option<Span>,
    line_starts: Vec<u32>,
    /// The number of characters that begin before each block of [`BLOCK_BYTES`] bytes.
    characters: Vec<u32>,
    line_marks: Vec<LineMark>,
}

/// A column is counted from the start of a block of this number of bytes, because a line can be
/// megabytes long.
const BLOCK_BYTES: usize = 1 << 10;

/// The line number and file name that a `#line` directive sets for the text after it.
#[derive(Clone, Debug)]
struct LineMark {
    /// The first byte of the line after the directive.
    offset: u32,
    /// The line number of that line.
    line: u32,
    /// The file name, if the directive sets one.
    name: Option<Arc<str>>,
}

impl SourceFile {
    /// Creates a file with this text. Text beyond 4 GiB is cut off at a character boundary, since
    /// spans use 32-bit offsets.
    pub(crate) fn new(name: Arc<str>, mut text: Arc<str>, included_from: Option<Span>) -> Self {
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
        let mut before = 0;
        let blocks = text.as_bytes().chunks(BLOCK_BYTES).map(|block| {
            let first = before;
            before += count_characters(block);
            first
        });
        let characters = blocks.collect();
        Self { name, text, included_from, line_starts, characters, line_marks: Vec::new() }
    }

    /// Records a `#line` directive: the text from byte `offset` on starts at `line` of `name`.
    pub(crate) fn add_line_mark(&mut self, offset: u32, line: u32, name: Option<Arc<str>>) {
        self.line_marks.push(LineMark { offset, line, name });
    }

    /// Returns the file's name as returned by the loader.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the file's text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the `#include` directive that included the file; `None` for a root file.
    pub fn included_from(&self) -> Option<Span> {
        self.included_from
    }

    /// Returns the number of lines, which is at least 1.
    pub fn line_count(&self) -> usize {
        self.line_starts.len()
    }

    /// Returns the index, counted from 0, of the physical line that contains a byte offset.
    pub(crate) fn line_index(&self, offset: u32) -> usize {
        self.line_starts.partition_point(|&start| start <= offset).saturating_sub(1)
    }

    /// Returns the column, counted in characters from 1, of a byte offset at the start of a
    /// character.
    pub(crate) fn column(&self, offset: usize) -> usize {
        let start = self.line_starts[self.line_index(offset as u32)] as usize;
        (self.characters_before(offset) - self.characters_before(start)) as usize + 1
    }

    /// Returns the number of characters that begin before a byte offset.
    fn characters_before(&self, offset: usize) -> u32 {
        let block = (offset / BLOCK_BYTES).min(self.characters.len().saturating_sub(1));
        let before = self.characters.get(block).copied().unwrap_or(0);
        before + count_characters(&self.text.as_bytes()[block * BLOCK_BYTES..offset])
    }

    /// Returns the byte range of a physical line, counted from 0, without its line end.
    pub(crate) fn line_range(&self, index: usize) -> (usize, usize) {
        let start = self.line_starts[index] as usize;
        let end = self.line_starts.get(index + 1).map_or(self.text.len(), |&next| next as usize);
        (start, start + self.text[start..end].trim_end_matches(['\n', '\r']).len())
    }

    /// Returns the file name and 1-based line number of a 0-based physical line, after applying
    /// `#line` directives.
    pub(crate) fn presumed_place(&self, index: usize) -> (&str, usize) {
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

    /// Returns whether the same `#line` directive (or none) applies to the two 0-based physical
    /// lines.
    pub(crate) fn same_section(&self, first: usize, second: usize) -> bool {
        let section = |index: usize| {
            let start = self.line_starts[index];
            self.line_marks.partition_point(|mark| mark.offset <= start)
        };
        section(first) == section(second)
    }

    /// Clamps a byte offset to the text and moves it down to the start of its character.
    pub(crate) fn char_floor(&self, offset: u32) -> usize {
        let mut position = (offset as usize).min(self.text.len());
        while !self.text.is_char_boundary(position) {
            position -= 1;
        }
        position
    }
}

/// Returns the number of characters of UTF-8 text that begin in these bytes.
fn count_characters(bytes: &[u8]) -> u32 {
    bytes.iter().filter(|byte| !matches!(byte, 0x80..0xc0)).count() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters_of_lines_of_any_length() {
        let text = ["x\u{e9}\u{20ac}\u{1f30a}".repeat(700), "\n".to_owned(), "y\u{e9}".repeat(1500)].concat();
        let block = "z".repeat(BLOCK_BYTES);
        for text in ["", "x", "\n", &text, &block] {
            let file = SourceFile::new("a.p4".into(), text.into(), None);
            for offset in (0..=text.len()).filter(|offset| text.is_char_boundary(*offset)) {
                let start = text[..offset].rfind('\n').map_or(0, |end| end + 1);
                assert_eq!(file.column(offset), text[start..offset].chars().count() + 1, "{offset}");
            }
        }
    }
}
