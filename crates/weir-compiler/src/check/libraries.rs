//! The files that declare a name, to suggest an `#include`. Only messages use them.

use std::cell::OnceCell;

use rustc_hash::FxHashSet;
use weir_syntax::preprocess::{LoadError, LoadedSource, SourceLoader};
use weir_syntax::{Diagnostics, SourceMap};

/// The files that come with the compiler. They are parsed when the first name is looked up.
pub(super) struct Libraries<'a> {
    loader: Option<&'a dyn SourceLoader>,
    files: OnceCell<Vec<Library>>,
}

struct Library {
    name: String,
    declared: FxHashSet<String>,
}

impl<'a> Libraries<'a> {
    pub(super) fn new(loader: Option<&'a dyn SourceLoader>) -> Self {
        Self { loader, files: OnceCell::new() }
    }

    /// Returns the files that declare `name`, each a name for `#include <…>`. Files that merely
    /// include a file of this list are left out.
    pub(super) fn declaring(&self, name: &str) -> Vec<&str> {
        let files = self.files.get_or_init(|| self.loader.map_or_else(Vec::new, libraries));
        let declaring = files.iter().filter(|file| file.declared.contains(name));
        declaring.map(|file| file.name.as_str()).collect()
    }
}

fn libraries(loader: &dyn SourceLoader) -> Vec<Library> {
    let mut core_names: FxHashSet<String> = FxHashSet::default();
    let mut files = Vec::new();
    for (position, name) in loader.libraries().into_iter().enumerate() {
        let mut declared = declared_names(&name, loader);
        // The first file is `core.p4`, which all other files include.
        declared.retain(|name| !core_names.contains(name));
        if position == 0 {
            core_names.clone_from(&declared);
        }
        files.push(Library { name, declared });
    }
    files
}

/// Returns the top-level names that a file and the files that it includes declare.
fn declared_names(file: &str, loader: &dyn SourceLoader) -> FxHashSet<String> {
    let program = Including { text: format!("#include <{file}>\n"), loader };
    let (mut sources, mut diagnostics) = (SourceMap::new(), Diagnostics::new());
    let parsed = weir_syntax::parse("", &program, &[], &mut sources, &mut diagnostics);
    parsed.declarations.iter().filter_map(|found| Some(found.name.as_ref()?.text.to_string())).collect()
}

/// Loads a program that includes files of another loader.
struct Including<'a> {
    text: String,
    loader: &'a dyn SourceLoader,
}

impl SourceLoader for Including<'_> {
    fn load(&self, name: &str, angled: bool, from: Option<&str>) -> Result<LoadedSource, LoadError> {
        match from {
            None => Ok(LoadedSource { name: name.to_owned(), text: self.text.clone() }),
            from => self.loader.load(name, angled, from),
        }
    }
}
