//! Programs of the Tofino Native Architecture.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use weir_exec::Executor;
use weir_ir::ValidProgram;
use weir_switch::LoadError;
use weir_syntax::preprocess::MemoryLoader;

use crate::files;
use crate::portable::{both_executors, compile_and_bind};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Returns the text of a file of `testdata/tna`.
pub fn text(file: &str) -> String {
    files::text(&format!("tna/{file}"))
}

/// Returns the loader of a program with TNA's files.
pub fn loader(text: &str) -> MemoryLoader {
    let include = root().join("p4include");
    let read = |name: &str| fs::read_to_string(include.join(name)).expect("the file exists");
    let mut loader = MemoryLoader::new().with("program.p4", text);
    for name in ["core.p4", "tna.p4", "t2na.p4"] {
        loader = loader.with(name, read(name));
    }
    for file in fs::read_dir(include.join("tna")).expect("the folder exists") {
        let name = format!("tna/{}", file.unwrap().file_name().into_string().unwrap());
        loader = loader.with(&name, read(&name));
    }
    loader
}

/// Compiles a program and binds it to TNA.
pub fn bind(text: &str) -> Result<ValidProgram, LoadError> {
    compile_and_bind(&loader(text))
}

/// Returns both executors of a program.
pub fn executors(text: &str) -> [Arc<dyn Executor>; 2] {
    match bind(text) {
        Ok(program) => both_executors(program),
        Err(error) => panic!("{error}"),
    }
}

/// Returns the same program for Tofino 2.
pub fn for_tofino_2(text: &str) -> String {
    text.replace("#include <tna.p4>", "#include <t2na.p4>")
}
