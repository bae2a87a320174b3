//! The files that declare a name, to suggest an `#include`. Only messages use them.

use std::cell::OnceCell;

use rustc_hash::FxHashSet;
use weir_syntax::preprocess::{LoadError, LoadedSource, SourceLoader};
use weir_syntax::{Diagnostics, SourceMap, ast};

/// The files that come with the compiler. They are parsed when the first name is looked up.
pub(super) struct Libraries<'a> {
    loader: Option<&'a dyn SourceLoader>,
    files: OnceCell<Vec<Library>>,
}

struct Library {
    name: String,
    declared: FxHashSet<String>,
    /// Whether the file describes an architecture: it declares a package.
    is_architecture: bool,
}

impl<'a> Libraries<'a> {
    pub(super) fn new(loader: Option<&'a dyn SourceLoader>) -> Self {
        Self { loader, files: OnceCell::new() }
    }

    /// Returns the files that declare `name`, each a name for `#include <…>`. Files that another
    /// file of this list includes are left out.
    pub(super) fn declaring(&self, name: &str) -> Vec<&str> {
        let declaring = self.files().iter().filter(|file| file.declared.contains(name));
        names(&largest(declaring.collect()))
    }

    /// Returns the files of the architectures that a program includes: it has all names of these
    /// files.
    pub(super) fn architectures(&self, has_name: impl Fn(&str) -> bool) -> Vec<&str> {
        let is_included =
            |file: &&Library| file.is_architecture && file.declared.iter().all(|name| has_name(name));
        names(&largest(self.files().iter().filter(is_included).collect()))
    }

    /// Returns whether this is the file of an architecture.
    pub(super) fn is_architecture(&self, name: &str) -> bool {
        self.files().iter().any(|file| file.name == name && file.is_architecture)
    }

    fn files(&self) -> &[Library] {
        self.files.get_or_init(|| self.loader.map_or_else(Vec::new, libraries))
    }
}

fn names<'f>(files: &[&'f Library]) -> Vec<&'f str> {
    files.iter().map(|file| file.name.as_str()).collect()
}

/// Leaves out the files whose names another file declares, too. Of files with the same names, the
/// first stays.
fn largest(files: Vec<&Library>) -> Vec<&Library> {
    let is_part = |(at, file): (usize, &Library)| {
        files.iter().enumerate().any(|(other_at, other)| {
            let has_more = other.declared.len() > file.declared.len();
            let is_earlier = other.declared.len() == file.declared.len() && other_at < at;
            (has_more || is_earlier) && file.declared.is_subset(&other.declared)
        })
    };
    files.iter().enumerate().filter(|(at, file)| !is_part((*at, file))).map(|(_, file)| *file).collect()
}

fn libraries(loader: &dyn SourceLoader) -> Vec<Library> {
    let mut core_names: FxHashSet<String> = FxHashSet::default();
    let mut files = Vec::new();
    for (position, name) in loader.libraries().into_iter().enumerate() {
        let (mut declared, is_architecture) = declared_names(&name, loader);
        // The first file is `core.p4`, which all other files include.
        declared.retain(|name| !core_names.contains(name));
        if position == 0 {
            core_names.clone_from(&declared);
        }
        files.push(Library { name, declared, is_architecture });
    }
    files
}

/// Returns the top-level names that a file and the files that it includes declare, and whether a
/// package is among them.
fn declared_names(file: &str, loader: &dyn SourceLoader) -> (FxHashSet<String>, bool) {
    let program = Including { text: format!("#include <{file}>\n"), loader };
    let (mut sources, mut diagnostics) = (SourceMap::new(), Diagnostics::new());
    let parsed = weir_syntax::parse("", &program, &[], &mut sources, &mut diagnostics);
    let declared = &parsed.declarations;
    let names = declared.iter().filter_map(|found| Some(found.name.as_ref()?.text.to_string())).collect();
    (names, declared.iter().any(|found| matches!(found.kind, ast::DeclKind::PackageType(_))))
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
