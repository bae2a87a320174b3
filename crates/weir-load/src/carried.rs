//! Reads programs inside JSON. Weir's `p4c` writes a document in place of BMv2's JSON, and this
//! document contains the texts of the P4 program.
//!
//! The member `weir` of such a document:
//!
//! ```json
//! {"program": "a.p4", "files": {"a.p4": "…", "include/b.p4": "…"}, "folders": ["include"], "defines": {"N": "1"}}
//! ```
//!
//! `files` contains the files that the program includes, under the names that the search in
//! `folders` found, except Weir's own files such as `v1model.p4`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use weir_json::{Diagnostic, Document, Node};
use weir_syntax::preprocess::{LoadError, LoadedSource, SourceLoader};

use crate::files::{candidates, own_file, own_files, searched_folders};

/// The member of a JSON document that contains a program.
pub const MEMBER: &str = "weir";

/// A program with the texts of all its files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CarriedProgram {
    /// The name of the file with `main`.
    pub name: String,
    /// The macros with which the program is compiled.
    pub defines: Vec<(String, String)>,
    files: BTreeMap<String, String>,
    folders: Vec<PathBuf>,
}

impl CarriedProgram {
    /// Returns the program that a document contains, if it contains one.
    ///
    /// # Errors
    /// The member does not have the form that this module describes; the diagnostic says where, and
    /// what was expected.
    pub fn read(document: &Document) -> Result<Option<Self>, Diagnostic> {
        document.root().get(MEMBER).map(Self::from_member).transpose()
    }

    fn from_member(node: Node<'_>) -> Result<Self, Diagnostic> {
        let texts = |key, what: &str| -> Result<Vec<(String, String)>, Diagnostic> {
            let pair = |(name, text): (&str, Node<'_>)| Ok((name.to_owned(), text.text(what)?.to_owned()));
            node.require(key)?.members()?.map(pair).collect()
        };
        let program = node.require("program")?;
        let name = program.text("the name of the P4 program's file")?.to_owned();
        let files: BTreeMap<_, _> = texts("files", "a file's text")?.into_iter().collect();
        if !files.contains_key(&name) {
            return Err(program.error(format!("\"{name}\" is not among the files")));
        }
        let folder = |folder: Node<'_>| folder.text("a folder").map(PathBuf::from);
        let folders = node.require("folders")?.items()?.map(folder).collect::<Result<_, _>>()?;
        Ok(Self { name, defines: texts("defines", "a macro's text")?, files, folders })
    }
}

impl SourceLoader for CarriedProgram {
    fn load(&self, name: &str, angled: bool, from: Option<&str>) -> Result<LoadedSource, LoadError> {
        let paths = match from {
            Some(from) => candidates(name, angled, from, &self.folders),
            None => vec![PathBuf::from(&self.name)],
        };
        let loaded = paths.iter().filter_map(|path| path.to_str()).find_map(|path| {
            let text = self.files.get(path)?.clone();
            Some(LoadedSource { name: path.to_owned(), text })
        });
        loaded.or_else(|| own_file(name)).ok_or_else(|| LoadError::NotFound {
            searched: searched_folders(paths.iter().filter_map(|path| path.parent().map(Path::to_owned))),
        })
    }

    fn names(&self) -> Vec<String> {
        self.files.keys().cloned().collect()
    }

    fn libraries(&self) -> Vec<String> {
        own_files()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Option<CarriedProgram>, String> {
        let document = Document::parse("a.json", text).map_err(|error| error.to_string())?;
        CarriedProgram::read(&document).map_err(|error| error.to_string())
    }

    #[test]
    fn a_program_finds_its_files_as_on_disk() {
        let text = r#"{"weir": {"program": "p4/a.p4", "folders": ["lib"], "defines": {"N": "2"},
            "files": {"p4/a.p4": "main", "p4/b.p4": "next to it", "lib/b.p4": "in a folder"}}}"#;
        let program = read(text).unwrap().unwrap();
        assert_eq!(program.defines, [("N".to_owned(), "2".to_owned())]);
        let load = |name, angled, from| program.load(name, angled, from).map(|found| found.text);
        assert_eq!(load("anything", false, None).unwrap(), "main");
        assert_eq!(load("b.p4", false, Some("p4/a.p4")).unwrap(), "next to it");
        assert_eq!(load("b.p4", true, Some("p4/a.p4")).unwrap(), "in a folder");
        assert!(load("core.p4", true, Some("p4/a.p4")).unwrap().contains("packet_in"));
        let Err(LoadError::NotFound { searched }) = load("c.p4", false, Some("p4/a.p4")) else { panic!() };
        assert_eq!(searched, ["p4", "lib"]);
    }

    #[test]
    fn mistakes_have_a_place() {
        assert_eq!(read("{}").unwrap(), None);
        for (text, expected) in [
            (r#"{"weir": 1}"#, "expected an object"),
            (r#"{"weir": {"program": "a.p4", "files": {}}}"#, "not among the files"),
            (r#"{"weir": {"program": "a.p4", "files": {"a.p4": 1}}}"#, "a file's text (a string)"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
    }
}
