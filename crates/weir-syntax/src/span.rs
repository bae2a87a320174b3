//! Ranges of bytes in files, with the macro expansion that they come from.

/// A file of a [`SourceMap`](crate::SourceMap), numbered from 0 in order of loading.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct FileId(pub u32);

/// A macro expansion of a [`SourceMap`](crate::SourceMap); 0 means "not from a macro".
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

    /// Returns a span outside of any macro expansion; `start` and `end` are byte offsets.
    pub fn new(file: FileId, start: u32, end: u32) -> Span {
        Span { file, start, end, ctx: ExpansionId::NONE }
    }

    /// Returns whether this is [`Span::NONE`].
    pub fn is_none(self) -> bool {
        self.file == Span::NONE.file
    }

    /// Returns the span from the start of `self` to the end of `other`.
    ///
    /// Returns `self` if the two are in different files or expansions.
    /// [`SourceMap::join`](crate::SourceMap::join) also joins spans of different expansions.
    pub fn to(self, other: Span) -> Span {
        if self.file == other.file && self.ctx == other.ctx {
            Span { start: self.start.min(other.start), end: self.end.max(other.end), ..self }
        } else {
            self
        }
    }

    /// Returns whether all bytes of `inner` are in this span.
    pub fn contains(self, inner: Span) -> bool {
        self.file == inner.file && self.start <= inner.start && inner.end <= self.end
    }

    /// Returns an empty span directly after this span, for text that is missing there.
    pub fn after(self) -> Span {
        Span { start: self.end, ..self }
    }
}
