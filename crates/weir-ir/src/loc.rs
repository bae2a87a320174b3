//! Places in the user's source.

/// A resolved place in the user's P4 source, so that messages need no source map.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Loc {
    /// The index of the file in [`crate::Program::files`].
    pub file: u32,
    /// Line, from 1; 0 means the construct has no place in the source.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
}

impl Loc {
    /// The location of a construct that the compiler made, which has no place in the source.
    pub const NONE: Self = Self { file: 0, line: 0, column: 0 };

    /// Returns whether the location names a place in the source.
    pub fn is_some(self) -> bool {
        self.line != 0
    }
}
