//! Loads included P4 files from an include path.

use std::io;
use std::path::{Path, PathBuf};

use include_dir::{Dir, include_dir};
use weir_syntax::preprocess::{LoadError, LoadedSource, SourceLoader};

/// Weir's own `core.p4`, `v1model.p4` and similar files.
static BUILT_IN: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../p4include");

/// The prefix of the names of Weir's own files in diagnostics.
pub const BUILT_IN_FOLDER: &str = "built-in/";

/// Searches for `#include "name"` next to the including file and then in the folders, and for
/// `#include <name>` in the folders only. If no file is found, Weir's own `core.p4`, `v1model.p4`
/// and similar files are used.
pub struct FileLoader {
    /// The name and text of the root file, which the caller has already read.
    pub root: (String, String),
    /// The folders in search order.
    pub folders: Vec<PathBuf>,
    /// Whether files that a link in the folders names are refused, unless they are in one of the
    /// folders.
    pub is_confined: bool,
}

impl FileLoader {
    /// Returns whether a file that exists is in one of the folders when all links are followed.
    fn is_inside(&self, path: &Path) -> bool {
        let real = std::fs::canonicalize(path).ok();
        let folders = || self.folders.iter().filter_map(|folder| std::fs::canonicalize(folder).ok());
        real.is_none_or(|real| folders().any(|folder| real.starts_with(folder)))
    }
}

impl SourceLoader for FileLoader {
    fn load(&self, name: &str, angled: bool, from: Option<&str>) -> Result<LoadedSource, LoadError> {
        let Some(from) = from else {
            let (name, text) = self.root.clone();
            return Ok(LoadedSource { name, text });
        };
        let paths = candidates(name, angled, from, &self.folders);
        for path in &paths {
            if self.is_confined && !self.is_inside(path) {
                // In a checkout, Weir's own files are links.
                if let Some(own) = own_file(name)
                    && read(path).is_ok_and(|bytes| bytes == own.text.as_bytes())
                {
                    return Ok(own);
                }
                return Err(LoadError::Unreadable(format!(
                    "{} is a link to a file outside of the server's folders",
                    path.display()
                )));
            }
            match read(path) {
                Ok(bytes) => return text(path, bytes),
                Err(error) if is_missing(&error) => {}
                Err(error) => return Err(LoadError::Unreadable(describe(path, &error))),
            }
        }
        own_file(name).ok_or_else(|| LoadError::NotFound {
            searched: searched_folders(folders(angled, from, &self.folders).into_iter()),
        })
    }

    fn names(&self) -> Vec<String> {
        let mut names = Vec::new();
        for folder in &self.folders {
            p4_files(folder, "", &mut names);
            for inner in entries(folder).into_iter().filter(|inner| folder.join(inner).is_dir()) {
                p4_files(&folder.join(&inner), &format!("{inner}/"), &mut names);
            }
        }
        names.sort();
        names.dedup();
        names
    }

    fn libraries(&self) -> Vec<String> {
        own_files()
    }
}

/// Returns the names of Weir's own files that programs include: `core.p4`, and those of
/// architectures.
pub fn own_files() -> Vec<String> {
    let files = BUILT_IN.files().filter_map(|file| file.path().to_str());
    let mut names: Vec<String> = files.map(str::to_owned).collect();
    names.sort_by_key(|name| (name != "core.p4", name.clone()));
    names
}

/// Returns the folders in which an included file is searched, in order.
fn folders(angled: bool, from: &str, folders: &[PathBuf]) -> Vec<PathBuf> {
    let own_folder = (!angled).then(|| Path::new(from).parent().unwrap_or(Path::new("")).to_path_buf());
    own_folder.into_iter().chain(folders.iter().cloned()).collect()
}

/// Returns the paths at which an included file may be, in order.
pub fn candidates(name: &str, angled: bool, from: &str, searched: &[PathBuf]) -> Vec<PathBuf> {
    folders(angled, from, searched).iter().map(|folder| folder.join(name)).collect()
}

/// Returns Weir's own file of this name.
pub fn own_file(name: &str) -> Option<LoadedSource> {
    let text = BUILT_IN.get_file(name)?.contents_utf8()?.to_owned();
    Some(LoadedSource { name: format!("{BUILT_IN_FOLDER}{name}"), text })
}

/// Returns the names of folders in messages.
pub fn searched_folders(folders: impl Iterator<Item = PathBuf>) -> Vec<String> {
    let folder_text = |folder: PathBuf| match folder.to_string_lossy() {
        name if name.is_empty() => ".".to_owned(),
        name => name.into_owned(),
    };
    folders.map(folder_text).collect()
}

/// Returns the text of a file, if it exists and can be read.
pub fn read_text(path: &Path) -> Option<String> {
    let bytes = read(path).ok()?;
    text(path, bytes).ok().map(|source| source.text)
}

/// The maximum number of entries of a folder that are read for suggestions.
const MAX_ENTRIES: usize = 500;

/// Returns the names in a folder; empty if the folder cannot be read.
fn entries(folder: &Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let names = entries.take(MAX_ENTRIES).filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    names.collect()
}

/// Adds the P4 files of a folder, with `prefix` before each name. Dangling links are left out.
fn p4_files(folder: &Path, prefix: &str, names: &mut Vec<String>) {
    let files =
        entries(folder).into_iter().filter(|name| name.ends_with(".p4") && folder.join(name).is_file());
    names.extend(files.map(|name| format!("{prefix}{name}")));
}

/// The maximum size of a file in bytes.
const MAX_BYTES: u64 = 16 << 20;

/// Reads an included file. Pipes and devices are refused: opening or reading them may never end.
fn read(path: &Path) -> io::Result<Vec<u8>> {
    weir_files::read_regular(path, MAX_BYTES)
}

/// Returns the text of a file: UTF-8, or otherwise ISO 8859-1, in which each byte is a character.
/// P4 allows any 8-bit characters in comments and strings (specification section "Lexical
/// constructs").
fn text(path: &Path, bytes: Vec<u8>) -> Result<LoadedSource, LoadError> {
    let name = path.to_string_lossy().into_owned();
    if weir_files::is_utf16(&bytes) {
        return Err(LoadError::Unreadable(format!("{name} is UTF-16 text: save it as UTF-8")));
    }
    if let Some(zero) = bytes.iter().position(|byte| *byte == 0) {
        return Err(LoadError::Unreadable(format!("{name} is not text (byte {zero} is 0)")));
    }
    let latin =
        |error: std::string::FromUtf8Error| error.as_bytes().iter().copied().map(char::from).collect();
    let text = String::from_utf8(bytes).map_or_else(latin, weir_files::without_byte_order_mark);
    Ok(LoadedSource { name, text })
}

fn is_missing(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory | io::ErrorKind::InvalidInput
    )
}

/// Describes why a file cannot be read.
fn describe(path: &Path, error: &io::Error) -> String {
    let name = path.display();
    match error.kind() {
        io::ErrorKind::IsADirectory => format!("{name} is a directory"),
        io::ErrorKind::PermissionDenied => format!("{name} cannot be read: no permission"),
        _ => format!("{name} cannot be read: {error}"),
    }
}
