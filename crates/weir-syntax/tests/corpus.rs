//! Tests with the programs in the folders next to this file. To add a case, add a file.
//!
//! * `accepted/*.p4` parse without diagnostics, and printing and parsing them again gives the same
//!   tree.
//! * `printed/*.p4` also print exactly as their `.printed` file.
//! * `warned/*.p4` parse with exactly the warnings in their `.expected` file, and print as their
//!   `.printed` file.
//! * `rejected/*.p4` give exactly the diagnostics in their `.expected` file, at least one of which
//!   is an error.
//!
//! `BLESS=1` rewrites the expected outputs. Files that cases include are in `include/`.
#![expect(clippy::disallowed_methods, reason = "the cases are files, and BLESS is a setting of the tester")]

use std::path::{Path, PathBuf};
use weir_syntax::preprocess::{LoadError, LoadedSource, MemoryLoader, SourceLoader};
use weir_syntax::{Diagnostics, SourceMap, ast, print};

/// Loads cases by file name, and the included files `"x"` and `<x>` from `include/`.
struct Corpus(PathBuf);

impl SourceLoader for Corpus {
    fn load(&self, name: &str, _angled: bool, from: Option<&str>) -> Result<LoadedSource, LoadError> {
        let folder = if from.is_some() { root().join("include") } else { self.0.clone() };
        match std::fs::read_to_string(folder.join(name)) {
            Ok(text) => Ok(LoadedSource { name: name.to_string(), text }),
            Err(_) => Err(LoadError::NotFound { searched: vec!["include".to_string()] }),
        }
    }

    fn names(&self) -> Vec<String> {
        cases("include")
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
}

fn cases(folder: &str) -> Vec<String> {
    let entries = std::fs::read_dir(root().join(folder)).expect("the folder of the cases exists");
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| name.ends_with(".p4"))
        .collect();
    names.sort();
    assert!(!names.is_empty(), "no cases in {folder}");
    names
}

struct Outcome {
    program: ast::Program,
    diagnostics_text: String,
    rejected: bool,
}

fn run(name: &str, loader: &dyn SourceLoader) -> Outcome {
    let (mut sources, mut diagnostics) = (SourceMap::new(), Diagnostics::new());
    let defines = [("LEVEL".to_string(), "2".to_string())];
    let program = weir_syntax::parse(name, loader, &defines, &mut sources, &mut diagnostics);
    Outcome {
        program,
        diagnostics_text: diagnostics.render(&sources, false),
        rejected: diagnostics.has_errors(),
    }
}

/// Checks that a case is accepted and that its tree survives printing and parsing. Returns the
/// printed text.
fn round_trip(folder: &str, name: &str) -> String {
    let first = run(name, &Corpus(root().join(folder)));
    assert!(
        first.diagnostics_text.is_empty(),
        "{folder}/{name} should be accepted:\n{}",
        first.diagnostics_text
    );
    assert!(!first.program.declarations.is_empty(), "{folder}/{name} declares nothing");
    let text = print::program(&first.program);
    let second = run("printed", &MemoryLoader::new().with("printed", text.as_str()));
    assert!(
        second.diagnostics_text.is_empty(),
        "{folder}/{name} printed is rejected:\n{}\n{text}",
        second.diagnostics_text
    );
    assert!(
        ast::same_program(&first.program, &second.program),
        "{folder}/{name} changes when printed:\n{text}"
    );
    text
}

/// Compares `found` with the expected output of the case, or rewrites the expected output.
fn compare(folder: &str, name: &str, extension: &str, found: &str) -> Option<String> {
    let path = root().join(folder).join(name).with_extension(extension);
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, found).expect("the expected output can be written");
        return None;
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    (expected != found).then(|| {
        format!("{folder}/{name}: expected\n{expected}\nfound\n{found}\nrun with BLESS=1 to rewrite the expected outputs")
    })
}

#[test]
fn programs_survive_printing() {
    for name in cases("accepted") {
        round_trip("accepted", &name);
    }
}

#[test]
fn programs_print_as_expected() {
    let mismatches = cases("printed").into_iter().filter_map(|name| {
        let text = round_trip("printed", &name);
        compare("printed", &name, "printed", &text)
    });
    let failures: Vec<String> = mismatches.collect();
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

#[test]
fn warned_programs_have_warnings() {
    let mismatches = cases("warned").into_iter().flat_map(|name| {
        let outcome = run(&name, &Corpus(root().join("warned")));
        assert!(!outcome.rejected, "warned/{name} should be accepted:\n{}", outcome.diagnostics_text);
        let printed = print::program(&outcome.program);
        [
            compare("warned", &name, "expected", &outcome.diagnostics_text),
            compare("warned", &name, "printed", &printed),
        ]
    });
    let failures: Vec<String> = mismatches.flatten().collect();
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

#[test]
fn rejected_programs_have_diagnostics() {
    let mismatches = cases("rejected").into_iter().filter_map(|name| {
        let outcome = run(&name, &Corpus(root().join("rejected")));
        assert!(outcome.rejected, "rejected/{name} should be rejected");
        compare("rejected", &name, "expected", &outcome.diagnostics_text)
    });
    let failures: Vec<String> = mismatches.collect();
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}
