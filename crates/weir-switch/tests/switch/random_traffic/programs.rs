//! The P4 programs of the repository.

#![expect(clippy::disallowed_methods, reason = "tests read their programs")]

use std::fs;
use std::path::{Path, PathBuf};

/// All P4 programs of the repository that are for v1model: their names and their text.
pub fn programs() -> Vec<(String, String)> {
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
    for folder in ["testdata/programs", "testdata/switch", "testdata/stf", "python/weir/labs"] {
        collect(&root.join(folder), &mut found);
    }
    // What the tests of the switch have in common is no program by itself.
    found.retain(|path| !path.ends_with("testdata/stf/rest.p4"));
    found.sort();
    let name = |path: &Path| path.strip_prefix(&root).expect("below the root").display().to_string();
    let mut programs: Vec<_> = found.iter().map(|path| (name(path), with_parts(path))).collect();
    // Some files are parts of others.
    programs.retain(|(_, text)| text.contains(" main;"));
    assert!(programs.len() > 150, "{} programs", programs.len());
    programs
}

/// A program's text with the files of its own folders that it includes.
fn with_parts(path: &Path) -> String {
    let text = fs::read_to_string(path).expect("a P4 file");
    let expand = |line: &str| {
        let part = line.strip_prefix("#include \"").and_then(|rest| rest.strip_suffix('"'));
        let part = part.map(|name| path.with_file_name(name)).filter(|part| part.is_file());
        part.map_or_else(|| line.to_owned(), |part| with_parts(&part))
    };
    text.lines().map(expand).collect::<Vec<_>>().join("\n") + "\n"
}
