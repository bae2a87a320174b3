//! Errors and warnings of a program that is loaded into a switch.

use weir_ir::{Loc, Program};

/// The reason why a switch cannot load a program, with its place in the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadError {
    /// The kind of problem.
    pub kind: LoadErrorKind,
    /// The place in the source, by the numbers of [`Program::files`]; [`Loc::NONE`] if the problem
    /// has no place.
    pub loc: Loc,
    /// The same place with the file's name.
    pub place: Option<Place>,
    /// A description of the mistake, without its place.
    pub message: String,
    /// A suggestion: an alternative, or the known names.
    pub help: Option<String>,
}

/// Kinds of [`LoadError`]s.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LoadErrorKind {
    /// The program has no `main`.
    NoMain,
    /// The package of `main` belongs to an unknown architecture.
    UnknownArchitecture,
    /// The program uses something that the architecture does not have, or that is not supported
    /// yet.
    Unsupported,
    /// A call is in a block that does not allow it.
    Misplaced,
    /// The package's blocks, objects or tables do not fit the architecture.
    Malformed,
    /// The program's objects would take too much memory.
    TooLarge,
    /// The block parameters do not share their storage, because [`bind`](crate::arch::bind) was not
    /// called.
    NotBound,
}

impl LoadErrorKind {
    /// Returns the name of the kind in diagnostics.
    pub fn id(self) -> &'static str {
        match self {
            Self::NoMain => "no-main",
            Self::UnknownArchitecture => "unknown-architecture",
            Self::Unsupported => "unsupported-by-architecture",
            Self::Misplaced => "extern-in-block",
            Self::TooLarge => "program-too-large",
            Self::Malformed | Self::NotBound => "architecture-mismatch",
        }
    }
}

impl LoadError {
    pub(crate) fn new(program: &Program, kind: LoadErrorKind, loc: Loc, message: String) -> Self {
        let place = (loc.line != 0).then(|| Place::new(program, loc));
        Self { kind, loc, place, message, help: None }
    }

    /// Creates an error about something that does not fit the architecture.
    pub(crate) fn malformed(program: &Program, loc: Loc, problem: String) -> Self {
        Self::new(program, LoadErrorKind::Malformed, loc, problem)
    }

    /// Creates an error about a feature that does not exist, such as ``extern `meter` ``.
    pub(crate) fn unsupported(program: &Program, loc: Loc, feature: String, help: Option<String>) -> Self {
        let message = format!("{feature} is not supported");
        Self { help, ..Self::new(program, LoadErrorKind::Unsupported, loc, message) }
    }
}

impl std::fmt::Display for LoadError {
    /// Writes `file:line:column: message; help`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(place) = &self.place {
            write!(f, "{place}: ")?;
        }
        f.write_str(&self.message)?;
        self.help.as_ref().map_or(Ok(()), |help| write!(f, "; {help}"))
    }
}

impl std::error::Error for LoadError {}

/// A warning about a part of a program that the switch ignores, with its place in the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadWarning {
    /// The name of the warning in diagnostics.
    pub id: &'static str,
    /// The place of the ignored part; `None` if it has none.
    pub place: Option<Place>,
    /// A description of the ignored part, without its place.
    pub message: String,
    /// A suggestion of an alternative.
    pub help: String,
}

impl LoadWarning {
    /// A table without an action selector has a selector key.
    pub(crate) const IGNORED_SELECTOR: &'static str = "ignored-selector";
    /// A table has a property that no table of the architecture has.
    pub(crate) const UNKNOWN_PROPERTY: &'static str = "unknown-property";
    /// A property has no effect because of the other properties of its table.
    pub(crate) const IGNORED_PROPERTY: &'static str = "ignored-property";
    /// A table has several lpm keys, so none of an entry's prefixes is the longest and entries need
    /// priorities.
    pub(crate) const SEVERAL_LPM_KEYS: &'static str = "several-lpm-keys";
    /// An action profile, or the hash of a selector, has size 0.
    pub(crate) const ZERO_SIZE: &'static str = "zero-size";
    /// A direct counter does not belong to a table, or is called for another table.
    pub(crate) const DETACHED_COUNTER: &'static str = "detached-counter";
    /// A counter array that should take any index takes only those below its size.
    pub(crate) const SPARSE_COUNTER: &'static str = "sparse-counter";
    /// A packet may use a register of a chip twice.
    pub(crate) const REPEATED_REGISTER: &'static str = "repeated-register";
    /// An action uses several registers of a chip.
    pub(crate) const SEVERAL_REGISTERS: &'static str = "several-registers";
    /// A call of `log_msg` has more or fewer placeholders than values.
    pub(crate) const LOG_PLACES: &'static str = "log-places";

    pub(crate) fn new(program: &Program, id: &'static str, loc: Loc, message: String, help: String) -> Self {
        let place = (loc.line != 0).then(|| Place::new(program, loc));
        Self { id, place, message, help }
    }
}

/// A place in the user's source, with the file's name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file's name as the user gave it.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
}

impl Place {
    /// Finds the place of `loc` in the source of `program`.
    pub fn new(program: &Program, loc: Loc) -> Self {
        let file = program.files.get(loc.file as usize).cloned().unwrap_or_default();
        Self { file, line: loc.line, column: loc.column }
    }
}

impl std::fmt::Display for Place {
    /// Writes `file:line:column`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}
