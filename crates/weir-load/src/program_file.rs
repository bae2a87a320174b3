//! The file that a user names as a program: P4 text, or JSON that carries or names a P4 program.

use std::path::{Path, PathBuf};

use weir_json::Document;
use weir_syntax::preprocess::SourceLoader;

use crate::carried::CarriedProgram;
use crate::files::{FileLoader, read_source};

/// What the compiler reads for a program.
pub struct ProgramFile {
    /// The name of the root file.
    pub name: String,
    /// The root file and what it includes.
    pub loader: Box<dyn SourceLoader>,
    /// Macros for the preprocessor.
    pub defines: Vec<(String, String)>,
}

impl ProgramFile {
    /// A program from a file with this name and text. Folders and macros belong to the command line;
    /// those that JSON carries come after them.
    ///
    /// # Errors
    /// The text begins as JSON, and neither carries a program nor names one that can be found.
    pub fn new(
        name: String,
        text: String,
        folders: Vec<PathBuf>,
        mut defines: Vec<(String, String)>,
    ) -> Result<Self, String> {
        if !text.trim_start().starts_with('{') {
            let loader = Box::new(FileLoader { root: (name.clone(), text), folders });
            return Ok(Self { name, loader, defines });
        }
        let document = Document::parse(name.as_str(), text).map_err(|error| error.to_string())?;
        if let Some(program) = CarriedProgram::read(&document).map_err(|error| error.to_string())? {
            let given = |name: &str| defines.iter().any(|(given, _)| given == name);
            let carried: Vec<_> = program.defines.iter().filter(|(name, _)| !given(name)).cloned().collect();
            defines.extend(carried);
            return Ok(Self { name: program.name.clone(), loader: Box::new(program), defines });
        }
        let (source, text) = named(&name, &document, &folders)?;
        let loader = Box::new(FileLoader { root: (source.clone(), text), folders });
        Ok(Self { name: source, loader, defines })
    }
}

/// Name and text of the P4 program from which p4c made a JSON.
fn named(json: &str, document: &Document, folders: &[PathBuf]) -> Result<(String, String), String> {
    let member = document.root().require("program").and_then(|node| node.text("the P4 program's name"));
    let source = member.map_err(|error| {
        format!(
            "{json} is JSON that carries no P4 program, and does not name one: {error}; name a P4 file here \
             (`weir run` takes topologies)"
        )
    })?;
    let next_to = Path::new(json).parent().unwrap_or(Path::new("")).to_path_buf();
    let called_in = Path::new(source).parent().unwrap_or(Path::new("")).to_path_buf();
    let searched: Vec<PathBuf> = [called_in, next_to].into_iter().chain(folders.iter().cloned()).collect();
    match read_source(source, &searched) {
        Ok((path, text)) => Ok((path, text)),
        Err(why) => Err(format!(
            "{json} is BMv2 JSON, which Weir does not run: it compiles the P4 program itself. {source:?}, from \
             which the JSON was made, cannot be had: {why}. Name the P4 program instead, or make the JSON with \
             the p4c of `weir shims install`, which puts the program into it"
        )),
    }
}
