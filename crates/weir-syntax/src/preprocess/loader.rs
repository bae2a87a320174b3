//! Loading of the root file and of included files.

use std::collections::BTreeMap;

/// Loads source text by name. This crate does not read files itself; the caller implements this
/// trait.
pub trait SourceLoader {
    /// Loads the file `name`.
    ///
    /// `angled` is true for `#include <name>`: search system folders only. `from` is the
    /// [`LoadedSource::name`] of the including file, whose folder is searched first for `#include
    /// "name"`; `None` for the root file.
    fn load(&self, name: &str, angled: bool, from: Option<&str>) -> Result<LoadedSource, LoadError>;

    /// Returns the names that `#include <…>` would find, for error messages. Empty if the loader
    /// does not know them.
    fn names(&self) -> Vec<String> {
        Vec::new()
    }

    /// Returns the names of the files that come with the compiler, for error messages: those of
    /// architectures after the language's own. `#include <…>` finds each of them.
    fn libraries(&self) -> Vec<String> {
        Vec::new()
    }
}

/// A loaded file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadedSource {
    /// A name that identifies the file, however it was included; shown in diagnostics.
    pub name: String,
    /// The text.
    pub text: String,
}

/// The reason why a file could not be loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoadError {
    /// There is no file with this name.
    NotFound {
        /// The folders that were searched, in order; may be empty.
        searched: Vec<String>,
    },
    /// The file exists but cannot be read (no permission, a directory, not text), with the reason.
    Unreadable(String),
}

impl std::fmt::Display for LoadError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            LoadError::NotFound { searched } if searched.is_empty() => f.write_str("no such file"),
            LoadError::NotFound { searched } => write!(f, "no such file in {}", searched.join(", ")),
            LoadError::Unreadable(why) => f.write_str(why),
        }
    }
}

/// Files in memory, by name; `from` is ignored.
#[derive(Clone, Debug, Default)]
pub struct MemoryLoader {
    texts: BTreeMap<String, String>,
}

impl MemoryLoader {
    /// Creates a loader without files.
    pub fn new() -> MemoryLoader {
        MemoryLoader::default()
    }

    /// Adds a file.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, text: impl Into<String>) -> MemoryLoader {
        self.texts.insert(name.into(), text.into());
        self
    }
}

impl SourceLoader for MemoryLoader {
    fn load(&self, name: &str, _angled: bool, _from: Option<&str>) -> Result<LoadedSource, LoadError> {
        match self.texts.get(name) {
            Some(text) => Ok(LoadedSource { name: name.to_string(), text: text.clone() }),
            None => Err(LoadError::NotFound { searched: Vec::new() }),
        }
    }

    fn names(&self) -> Vec<String> {
        self.texts.keys().cloned().collect()
    }
}
