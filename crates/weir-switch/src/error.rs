//! Why a program cannot become a switch.

use weir_ir::{Loc, Program};

/// Why a program cannot become a switch.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LoadError {
    /// There is no `main`.
    #[error("the program has no `main` package; expected one of: {}", .known.join(", "))]
    NoMain {
        /// Packages that can be loaded.
        known: Vec<String>,
    },
    /// `main` is of an architecture that is not known.
    #[error("{place}: unknown package `{package}`; known: {}{}", .known.join(", "), suggest(.suggestion))]
    UnknownPackage {
        /// `file:line:column`.
        place: Place,
        /// The package.
        package: String,
        /// Packages that can be loaded.
        known: Vec<String>,
        /// The known one that is spelt alike.
        suggestion: Option<String>,
    },
    /// The program uses something that the architecture does not know, or that is not supported yet.
    #[error("{place}: {feature} is not supported{}", hint(.note))]
    Unsupported {
        /// `file:line:column`.
        place: Place,
        /// Such as ``extern `meter` ``.
        feature: String,
        /// What to do instead, or which are known.
        note: Option<String>,
    },
    /// The package's blocks do not fit the architecture.
    #[error("{place}: {problem}")]
    Malformed {
        /// `file:line:column`.
        place: Place,
        /// What was expected and what was found.
        problem: String,
    },
    /// The blocks' parameters do not share their storage: [`bind`](crate::arch::bind) was left out.
    #[error(
        "the blocks of `{package}` do not share their parameters' storage; call `arch::bind` before making an executor"
    )]
    NotBound {
        /// The package.
        package: String,
    },
}

fn suggest(name: &Option<String>) -> String {
    name.as_ref().map_or_else(String::new, |name| format!("; did you mean `{name}`?"))
}

fn hint(note: &Option<String>) -> String {
    note.as_ref().map_or_else(String::new, |note| format!("; {note}"))
}

impl LoadError {
    /// Where in the source the cause stands, if it stands there.
    pub fn place(&self) -> Option<&Place> {
        match self {
            Self::UnknownPackage { place, .. }
            | Self::Unsupported { place, .. }
            | Self::Malformed { place, .. } => Some(place).filter(|place| place.line != 0),
            Self::NoMain { .. } | Self::NotBound { .. } => None,
        }
    }
}

/// A place in the user's source, with its file's name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// As the user gave it.
    pub file: String,
    /// From 1; 0 means no place.
    pub line: u32,
    /// In characters, from 1.
    pub column: u32,
}

impl Place {
    /// What `loc` names in `program`.
    pub fn new(program: &Program, loc: Loc) -> Self {
        let file = program.files.get(loc.file as usize).cloned().unwrap_or_default();
        Self { file, line: loc.line, column: loc.column }
    }
}

impl std::fmt::Display for Place {
    /// `file:line:column`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.line == 0 {
            write!(f, "program")
        } else {
            write!(f, "{}:{}:{}", self.file, self.line, self.column)
        }
    }
}
