//! Where included texts come from: the caller decides.

use std::collections::BTreeMap;

/// Hands over texts by name. This crate reads no file: the caller does, or has them in memory.
pub trait SourceLoader {
    /// Finds the text that `name` means.
    ///
    /// `angled` is true for `#include <name>`: system folders only. `from` is the [`LoadedSource::name`] of the
    /// including text, whose folder `#include "name"` looks in first; `None` for the root.
    fn load(&self, name: &str, angled: bool, from: Option<&str>) -> Result<LoadedSource, LoadError>;

    /// Names that `#include <…>` would find, for the reader who asked for another one. None if the loader cannot tell.
    fn names(&self) -> Vec<String> {
        Vec::new()
    }
}

/// A text that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadedSource {
    /// A name that is the same for the same text whichever way it was asked for; diagnostics show it.
    pub name: String,
    /// The text.
    pub text: String,
}

/// Why a text could not be had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoadError {
    /// There is none of that name; the folders that were searched, for the reader.
    NotFound {
        /// Folders in order of search; may be empty.
        searched: Vec<String>,
    },
    /// It is there but cannot be read: no permission, a directory, not UTF-8. Why, in words.
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

/// Texts in memory, by name; `from` plays no part.
#[derive(Clone, Debug, Default)]
pub struct MemoryLoader {
    texts: BTreeMap<String, String>,
}

impl MemoryLoader {
    /// No texts.
    pub fn new() -> MemoryLoader {
        MemoryLoader::default()
    }

    /// Adds a text.
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
