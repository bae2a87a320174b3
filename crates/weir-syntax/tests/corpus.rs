//! The corpus of programs beside this file. To add a case, add a file.
//!
//! * `accepted/*.p4` parse without a finding, and printing and parsing them again gives the same tree.
//! * `printed/*.p4` also print exactly as the `.printed` file beside them.
//! * `rejected/*.p4` give exactly the findings in the `.expected` file beside them, an error among them.
//!
//! `BLESS=1` rewrites the expectations. Files that cases include lie in `include/`.
#![expect(clippy::disallowed_methods, reason = "the corpus is files, and BLESS is a setting of the tester's")]

use std::path::{Path, PathBuf};
use weir_syntax::preprocess::{LoadError, LoadedSource, MemoryLoader, SourceLoader};
use weir_syntax::{Diagnostics, SourceMap, ast, print};

/// Cases by their file name, `"x"` and `<x>` from `include/`.
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
    let entries = std::fs::read_dir(root().join(folder)).expect("the corpus lies beside the test");
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
    findings: String,
    rejected: bool,
}

fn run(name: &str, loader: &dyn SourceLoader) -> Outcome {
    let (mut sources, mut diagnostics) = (SourceMap::new(), Diagnostics::new());
    let defines = [("LEVEL".to_string(), "2".to_string())];
    let program = weir_syntax::parse(name, loader, &defines, &mut sources, &mut diagnostics);
    Outcome { program, findings: diagnostics.render(&sources, false), rejected: diagnostics.has_errors() }
}

/// Accepts a case, and checks that printing loses nothing. Returns the printed text.
fn round_trip(folder: &str, name: &str) -> String {
    let first = run(name, &Corpus(root().join(folder)));
    assert!(first.findings.is_empty(), "{folder}/{name} should be accepted:\n{}", first.findings);
    assert!(!first.program.declarations.is_empty(), "{folder}/{name} declares nothing");
    let text = print::program(&first.program);
    let second = run("printed", &MemoryLoader::new().with("printed", text.as_str()));
    assert!(second.findings.is_empty(), "{folder}/{name} printed is rejected:\n{}\n{text}", second.findings);
    assert!(
        ast::same_program(&first.program, &second.program),
        "{folder}/{name} changes when printed:\n{text}"
    );
    text
}

/// Compares with the expectation beside the case, or rewrites it.
fn compare(folder: &str, name: &str, extension: &str, found: &str) -> Option<String> {
    let path = root().join(folder).join(name).with_extension(extension);
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, found).expect("the corpus can be written");
        return None;
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    (expected != found).then(|| {
        format!("{folder}/{name}: expected\n{expected}\nfound\n{found}\nrun with BLESS=1 to rewrite the expectations")
    })
}

#[test]
fn accepted_programs_survive_printing() {
    for name in cases("accepted") {
        round_trip("accepted", &name);
    }
}

#[test]
fn printed_programs_look_as_expected() {
    let found = cases("printed").into_iter().filter_map(|name| {
        let text = round_trip("printed", &name);
        compare("printed", &name, "printed", &text)
    });
    let mistakes: Vec<String> = found.collect();
    assert!(mistakes.is_empty(), "{}", mistakes.join("\n\n"));
}

#[test]
fn rejected_programs_are_explained() {
    let found = cases("rejected").into_iter().filter_map(|name| {
        let outcome = run(&name, &Corpus(root().join("rejected")));
        assert!(outcome.rejected, "rejected/{name} should be rejected");
        compare("rejected", &name, "expected", &outcome.findings)
    });
    let mistakes: Vec<String> = found.collect();
    assert!(mistakes.is_empty(), "{}", mistakes.join("\n\n"));
}
