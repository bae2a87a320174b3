//! Program files in folders.

use std::path::PathBuf;

use weir_load::FileLoader;
use weir_syntax::preprocess::SourceLoader;

use crate::device_config::ProgramFiles;

/// The P4 files in these folders, in the order of search.
#[derive(Clone, Debug, Default)]
pub struct Folders(pub Vec<PathBuf>);

impl ProgramFiles for Folders {
    fn loader(&self, name: &str, text: &str) -> Box<dyn SourceLoader> {
        Box::new(FileLoader { root: (name.to_owned(), text.to_owned()), folders: self.0.clone() })
    }
}
