//! The P4 programs of the repository.

#![expect(clippy::disallowed_methods, reason = "tests read their programs")]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, OnceLock};

use weir_exec::Executor;
use weir_ir::ValidProgram;

use crate::bench::{compile, executor};

/// A P4 program of the repository. It is compiled once for all tests.
pub struct TestProgram {
    pub name: String,
    pub text: String,
    program: OnceLock<ValidProgram>,
    executor: OnceLock<Arc<dyn Executor>>,
}

impl TestProgram {
    pub fn program(&self) -> &ValidProgram {
        self.program.get_or_init(|| compile(&self.text, &[]))
    }

    pub fn executor(&self) -> &Arc<dyn Executor> {
        self.executor.get_or_init(|| executor(self.program().clone()))
    }
}

/// Returns all P4 programs of the repository that run in a switch.
pub fn programs() -> &'static [TestProgram] {
    static PROGRAMS: LazyLock<Vec<TestProgram>> = LazyLock::new(|| {
        let program =
            |(name, text)| TestProgram { name, text, program: OnceLock::new(), executor: OnceLock::new() };
        found().into_iter().map(program).collect()
    });
    &PROGRAMS
}

/// Returns the names and texts of all programs.
fn found() -> Vec<(String, String)> {
    fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).expect("a folder of programs") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                collect(&path, found);
            } else if path.extension().is_some_and(|extension| extension == "p4") {
                found.push(path);
            }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut found = Vec::new();
    for folder in [
        "testdata/programs",
        "testdata/switch",
        "testdata/psa",
        "testdata/pna",
        "testdata/tna",
        "testdata/bpf",
        "testdata/stf",
        "labs/weir_labs",
    ] {
        collect(&root.join(folder), &mut found);
    }
    // The common part of the switch's tests is not a program by itself.
    found.retain(|path| !path.ends_with("testdata/stf/rest.p4"));
    found.sort();
    let name = |path: &Path| path.strip_prefix(&root).expect("below the root").display().to_string();
    let mut programs: Vec<_> = found.iter().map(|path| (name(path), with_parts(path))).collect();
    // Some files are parts of others.
    programs.retain(|(_, text)| text.contains(" main;"));
    assert!(programs.len() > 150, "{} programs", programs.len());
    programs
}

/// Returns a program's text with the files of its own folders that it includes.
fn with_parts(path: &Path) -> String {
    let text = fs::read_to_string(path).expect("a P4 file");
    let expand = |line: &str| {
        let part = line.strip_prefix("#include \"").and_then(|rest| rest.strip_suffix('"'));
        let part = part.map(|name| path.with_file_name(name)).filter(|part| part.is_file());
        part.map_or_else(|| line.to_owned(), |part| with_parts(&part))
    };
    text.lines().map(expand).collect::<Vec<_>>().join("\n") + "\n"
}
