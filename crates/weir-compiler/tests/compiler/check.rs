//! Programs from `testdata/`: those in `check/ok` and `programs` are accepted, those in
//! `check/errors` are refused with exactly the text in the file next to them.
//!
//! A new case is a new file. `BLESS=1 cargo test -p weir-compiler --test check` writes the
//! expectations.

use std::fs;
use std::path::{Path, PathBuf};

use weir_compiler::Analysis;
use weir_syntax::preprocess::{LoadError, LoadedSource, SourceLoader};

/// Loads `<name>` from `p4include`, and other files from the folder of the including file.
struct Files {
    root: PathBuf,
    folder: PathBuf,
}

impl SourceLoader for Files {
    fn load(&self, name: &str, angled: bool, _from: Option<&str>) -> Result<LoadedSource, LoadError> {
        let folder = if angled { self.root.join("p4include") } else { self.folder.clone() };
        match fs::read_to_string(folder.join(name)) {
            Ok(text) => Ok(LoadedSource { name: name.to_owned(), text }),
            Err(_) => Err(LoadError::NotFound { searched: vec![folder.display().to_string()] }),
        }
    }

    fn libraries(&self) -> Vec<String> {
        ["core.p4", "pna.p4", "psa.p4", "v1model.p4"].map(str::to_owned).to_vec()
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn program_files(folder: &str) -> Vec<PathBuf> {
    let folder = root().join("testdata").join(folder);
    let mut files: Vec<PathBuf> = fs::read_dir(&folder)
        .expect("the folder of cases")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "p4"));
    files.sort();
    assert!(!files.is_empty(), "no cases in {}", folder.display());
    files
}

/// Returns whether the program was accepted, and its diagnostics.
fn check(file: &Path) -> (bool, String) {
    let loader = Files { root: root(), folder: file.parent().expect("a folder").to_owned() };
    let name = file.file_name().expect("a name").to_string_lossy();
    let result = weir_lint::analyse(&name, &loader, &[]);
    assert_eq!(result.program.is_some(), !result.diagnostics.has_errors(), "{name}");
    (result.program.is_some(), result.diagnostics.render(&result.source_map, false))
}

#[test]
fn valid_programs_have_no_diagnostics() {
    let mut refused = Vec::new();
    for file in program_files("check/ok").into_iter().chain(program_files("programs")) {
        let (_, found) = check(&file);
        if !found.is_empty() {
            refused.push(format!("{}:\n{found}", file.display()));
        }
    }
    assert!(refused.is_empty(), "{}", refused.join("\n"));
}

#[test]
fn invalid_programs_are_refused() {
    let bless = std::env::var_os("BLESS").is_some();
    let mut different = Vec::new();
    for file in program_files("check/errors") {
        let (_, found) = check(&file);
        assert!(!found.is_empty(), "{} is accepted without diagnostics", file.display());
        let expected_file = file.with_extension("expected");
        if bless {
            fs::write(&expected_file, &found).expect("a writable folder");
        } else if fs::read_to_string(&expected_file).unwrap_or_default() != found {
            different.push(format!("{}:\n{found}", file.display()));
        }
    }
    assert!(
        different.is_empty(),
        "diagnostics differ from the .expected files; BLESS=1 rewrites them\n{}",
        different.join("\n")
    );
}

/// Loads a program's text, and files from `p4include`.
struct Program(&'static str, Files);

impl SourceLoader for Program {
    fn load(&self, name: &str, angled: bool, from: Option<&str>) -> Result<LoadedSource, LoadError> {
        match from {
            None => Ok(LoadedSource { name: name.to_owned(), text: self.0.to_owned() }),
            from => self.1.load(name, angled, from),
        }
    }

    fn libraries(&self) -> Vec<String> {
        self.1.libraries()
    }
}

#[test]
fn a_program_includes_one_architecture() {
    let text = "#include <core.p4>\n#include <v1model.p4>\n#include <psa.p4>\ncontrol C() { apply { } }\n";
    let loader = Program(text, Files { root: root(), folder: root() });
    let Analysis { diagnostics, source_map: sources, .. } = weir_lint::analyse("main.p4", &loader, &[]);
    let text = diagnostics.render(&sources, false);
    let first =
        "error[duplicate-declaration]: the program includes several architectures: psa.p4 and v1model.p4\n";
    assert!(text.starts_with(first) && text.matches("error[").count() == 1, "{text}");
    assert!(text.contains("included from main.p4:3:1"), "{text}");
}

/// Each mistake in a file of wrong programs is marked by `// ERROR id` or `// WARNING id` on its
/// own line; the compiler reports nothing else. Therefore, a blessed expectation cannot hide a
/// mistake that is no longer reported.
#[test]
fn marked_lines_are_the_lines_reported() {
    let mut wrong = Vec::new();
    for file in program_files("check/errors") {
        let text = fs::read_to_string(&file).expect("a readable case");
        let mut expected: Vec<(usize, String)> = Vec::new();
        for (number, line) in text.lines().enumerate() {
            for (marker, severity) in [("// ERROR ", "error"), ("// WARNING ", "warning")] {
                if let Some((_, ids)) = line.split_once(marker) {
                    expected
                        .extend(ids.split_whitespace().map(|id| (number + 1, format!("{severity} {id}"))));
                }
            }
        }
        let loader = Files { root: root(), folder: file.parent().expect("a folder").to_owned() };
        let name = file.file_name().expect("a name").to_string_lossy();
        let Analysis { diagnostics, source_map: sources, .. } = weir_lint::analyse(&name, &loader, &[]);
        let mut found: Vec<(usize, String)> = diagnostics
            .iter()
            .map(|d| {
                let severity = format!("{:?}", d.severity).to_lowercase();
                (sources.line(sources.user_site(d.span())), format!("{severity} {}", d.id))
            })
            .collect();
        expected.sort();
        found.sort();
        if found != expected {
            wrong.push(format!("{}:\n  marked {expected:?}\n  found  {found:?}", file.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
