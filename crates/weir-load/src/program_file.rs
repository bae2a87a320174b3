//! Reads the file that a user specifies as a program: P4 text, JSON that contains the text of a P4
//! program, or p4c's JSON for BMv2.

use std::path::{Path, PathBuf};

use weir_ir::ValidProgram;
use weir_json::Document;
use weir_syntax::preprocess::SourceLoader;
use weir_syntax::preprocess::limits::{BYTES, TOKENS};
use weir_syntax::with_stack;

use crate::carried::CarriedProgram;
use crate::files::{FileLoader, read_text};

/// A program from a file.
pub enum ProgramFile {
    /// P4 text, for the compiler.
    P4(P4File),
    /// p4c's JSON, which needs no compiler.
    Bmv2(Bmv2File),
}

/// The compiler's input for a program.
pub struct P4File {
    /// The name of the root file.
    pub name: String,
    /// The root file and the files that it includes.
    pub loader: Box<dyn SourceLoader>,
    /// The macros for the preprocessor.
    pub defines: Vec<(String, String)>,
}

/// A program that p4c compiled.
pub struct Bmv2File {
    /// The program.
    pub program: ValidProgram,
    /// The names and texts of the P4 files that the program was compiled from, as far as they
    /// exist. Traces and messages show their lines.
    pub sources: Vec<(String, String)>,
}

impl ProgramFile {
    /// Reads a program from a file with this name and text. The folders and macros are those of the
    /// command line; folders and macros from JSON come after them. p4c's JSON accepts neither
    /// folders nor macros, because p4c has already processed them.
    ///
    /// # Errors
    /// The text begins like JSON, but it neither contains a program nor is a program that Weir can
    /// run. Also if folders or macros are specified for p4c's JSON.
    pub fn new(
        name: String,
        text: String,
        folders: Vec<PathBuf>,
        mut defines: Vec<(String, String)>,
    ) -> Result<Self, String> {
        if !text.trim_start_matches('\u{feff}').trim_start().starts_with('{') {
            let loader = Box::new(FileLoader { root: (name.clone(), text), folders, is_confined: false });
            return Ok(Self::P4(P4File { name, loader, defines }));
        }
        match JsonProgram::read(&name, text)? {
            JsonProgram::Carried(program) => {
                let is_given = |name: &str| defines.iter().any(|(define, _)| define == name);
                let more: Vec<_> =
                    program.defines.iter().filter(|(name, _)| !is_given(name)).cloned().collect();
                defines.extend(more);
                Ok(Self::P4(P4File { name: program.name.clone(), loader: Box::new(program), defines }))
            }
            JsonProgram::Bmv2(program) => {
                if let Some((define, _)) = defines.first() {
                    return Err(format!(
                        "{name} is JSON that p4c compiled, so the macro {define} changes nothing: give it to \
                         p4c, or name the P4 program here"
                    ));
                }
                let sources = sources(&name, &program);
                Ok(Self::Bmv2(Bmv2File { program, sources }))
            }
        }
    }

    /// Returns the compiler's input, for a command that needs P4 text.
    ///
    /// # Errors
    /// The program is p4c's JSON.
    pub fn into_p4(self) -> Result<P4File, String> {
        match self {
            Self::P4(file) => Ok(file),
            Self::Bmv2(_) => Err("p4c has compiled this JSON: name the P4 program".to_owned()),
        }
    }
}

/// Checks the length of a program's text, in any form.
///
/// # Errors
/// The text is longer than the compiler reads.
pub fn check_length(name: &str, text: &str) -> Result<(), String> {
    if text.len() <= BYTES {
        return Ok(());
    }
    let (has, most) = (text.len(), BYTES >> 20);
    Err(format!("{name} is too large: it has {has} bytes, and a program has at most {most} MiB of text"))
}

/// A program as JSON.
pub enum JsonProgram {
    /// The texts of a P4 program.
    Carried(CarriedProgram),
    /// p4c's JSON.
    Bmv2(ValidProgram),
}

impl JsonProgram {
    /// Reads JSON where a program is expected. `name` is the JSON's name in messages.
    ///
    /// # Errors
    /// The text is not JSON, the JSON is neither a program nor contains one, or Weir cannot run the
    /// program. The message says where and why.
    pub fn read(name: &str, text: impl Into<String>) -> Result<Self, String> {
        let text = text.into();
        check_length(name, &text)?;
        // Each value but the first comes after one of these.
        if text.bytes().filter(|byte| matches!(byte, b',' | b'[' | b'{' | b':')).count() > TOKENS {
            return Err(format!(
                "{name} is too large: a program as JSON has at most {TOKENS} values and signs"
            ));
        }
        let document = Document::parse(name, text).map_err(|error| {
            format!(
                "{error}\n(it begins as JSON does; expected a P4 program, or JSON that p4c made from one)"
            )
        })?;
        if let Some(program) = CarriedProgram::read(&document).map_err(|error| error.to_string())? {
            return Ok(Self::Carried(program));
        }
        if !weir_bmv2::is_bmv2(&document) {
            let error = document.root().error(
                "this JSON carries no P4 program, and p4c did not compile it for BMv2; name a P4 file here \
                 (`weir run` takes topologies)",
            );
            return Err(error.to_string());
        }
        let program = with_stack(|| weir_bmv2::read(&document)).map_err(|error| {
            format!("{error}\n(this is JSON that p4c compiled; Weir can also run the P4 program itself)")
        });
        program.map(Self::Bmv2)
    }
}

/// Returns the P4 files that a program names. p4c writes the names as they were given to it, so the
/// files are searched for relative to the current folder, the JSON's folder and its parent.
fn sources(json: &str, program: &ValidProgram) -> Vec<(String, String)> {
    let folder = Path::new(json).parent().unwrap_or(Path::new(""));
    let is_source = |name: &Path| name.extension().is_some_and(|kind| kind == "p4" || kind == "p4i");
    let text = |name: &str| {
        let path = Path::new(name);
        let last = path.file_name().filter(|_| is_source(path))?;
        let places = [path.to_owned(), folder.join(path), folder.join(last), folder.join("..").join(last)];
        places.iter().find_map(|place| read_text(place))
    };
    program.files.iter().filter_map(|name| Some((name.clone(), text(name)?))).collect()
}
