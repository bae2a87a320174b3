//! Tests reads and changes of a switch's state: the cases in `cases/`, each on a fresh switch that
//! runs `program.p4`.

mod bench;
mod case;
mod clones;
mod described;
mod other_hands;
mod pipelines;
mod random;
mod reload;
mod roles;
mod stream;
mod texts;
mod translated_keys;
mod units;

use std::fs;
use std::path::Path;

use case::Case;

#[test]
fn all_cases_pass() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/entities/cases");
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    let mut failures = Vec::new();
    let mut count = 0;
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        for case in Case::all(&text) {
            count += 1;
            if let Err(failure) = case.run() {
                failures.push(format!("{name}:{}: {}: {failure}", case.line, case.title));
            }
        }
    }
    assert!(failures.is_empty(), "{} of {count} cases fail:\n{}", failures.len(), failures.join("\n"));
    assert!(count > 0, "there are cases");
}
