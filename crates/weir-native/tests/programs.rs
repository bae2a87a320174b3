//! Runs all our own P4 programs over random packets: native code gives the same results as the
//! interpreter.
#![allow(clippy::disallowed_methods, reason = "tests read files")]

mod differential;

use std::path::{Path, PathBuf};

use weir_interp::Interpreter;
use weir_ir::ValidProgram;
use weir_native::Native;
use weir_syntax::preprocess::{LoadError, LoadedSource, SourceLoader};

/// Finds includes in the program's folder, in `testdata/lower`, and in `p4include`.
struct Folders(PathBuf);

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

impl SourceLoader for Folders {
    fn load(&self, name: &str, _: bool, _: Option<&str>) -> Result<LoadedSource, LoadError> {
        for folder in [self.0.clone(), root().join("testdata/lower"), root().join("p4include")] {
            if let Ok(text) = std::fs::read_to_string(folder.join(name)) {
                return Ok(LoadedSource { name: name.to_owned(), text });
            }
        }
        Err(LoadError::NotFound { searched: Vec::new() })
    }
}

/// The P4 files below a folder, sorted.
fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder).expect("the folder exists").map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "p4") {
            found.push(path);
        }
    }
}

fn compile(path: &Path) -> Option<ValidProgram> {
    let name = path.file_name()?.to_str()?;
    let program = weir_compiler::compile(name, &Folders(path.parent()?.to_path_buf()), &[]).program?;
    // If the architecture is one of ours, with blocks that share their storage, as in a switch.
    Some(weir_switch::arch::bind(program.clone()).unwrap_or(program))
}

#[test]
fn repository_programs_agree_with_the_interpreter() {
    let mut paths = Vec::new();
    for folder in ["lower/run", "programs", "stf", "switch"] {
        files(&root().join("testdata").join(folder), &mut paths);
    }
    let mut compiled = 0;
    for path in &paths {
        // Files that are only included, and those that contain errors, are skipped.
        let Some(program) = compile(path) else { continue };
        compiled += 1;
        let native = Native::new(program.clone()).expect("the program becomes native");
        let interp = Interpreter::new(program);
        if let Some(problem) = differential::blocks::compare_packets(&native, &interp, compiled, 15) {
            panic!("{}: {problem}", path.display());
        }
    }
    assert!(compiled > 25, "only {compiled} of {} files are programs", paths.len());
}
