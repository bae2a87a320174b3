//! Tests the P4Info of programs.
//!
//! Each program `testdata/p4info/*.p4` is next to its P4Info in text format. `BLESS=1 cargo test -p
//! weir-p4runtime` rewrites the P4Info files; check the difference.
#![allow(clippy::disallowed_methods, reason = "tests read files and BLESS")]

use std::path::{Path, PathBuf};

use weir_ir::ValidProgram;
use weir_p4runtime::format::{Format, read, write};
use weir_p4runtime::p4info::p4info;
use weir_p4runtime::proto::config::P4Info;
use weir_syntax::preprocess::MemoryLoader;

/// Returns the programs of the folder; those without `main` are included by others.
fn programs() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/p4info");
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|end| end == "p4") && !file.ends_with("rest.p4"));
    files.sort();
    assert!(!files.is_empty());
    files
}

fn compile(text: &str) -> ValidProgram {
    let loader = MemoryLoader::new()
        .with("program.p4", text)
        .with("core.p4", include_str!("../../../../p4include/core.p4"))
        .with("v1model.p4", include_str!("../../../../p4include/v1model.p4"))
        .with("rest.p4", include_str!("../../../../testdata/p4info/rest.p4"));
    let compiled = weir_load::compile("program.p4", &loader, &[]);
    compiled.program.unwrap_or_else(|| panic!("{}", compiled.diagnostics.render(&compiled.sources, false)))
}

fn info_of(text: &str) -> P4Info {
    p4info(&compile(text)).unwrap_or_else(|errors| panic!("{errors:?}"))
}

#[test]
fn programs_have_the_p4info_next_to_them() {
    let mut wrong = Vec::new();
    for file in programs() {
        let info = info_of(&std::fs::read_to_string(&file).unwrap());
        let actual = String::from_utf8(write(&info, Format::Text)).unwrap();
        let expected = file.with_extension("txtpb");
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(&expected, &actual).unwrap();
        } else if std::fs::read_to_string(&expected).ok().as_ref() != Some(&actual) {
            wrong.push(format!("{} now has:\n{actual}", file.display()));
        }
    }
    assert!(wrong.is_empty(), "{}\n(BLESS=1 rewrites the expectations)", wrong.join("\n\n"));
}

#[test]
fn all_formats_carry_the_same_message() {
    for file in programs() {
        let info = info_of(&std::fs::read_to_string(&file).unwrap());
        for (name, format) in Format::NAMES {
            let written = write(&info, format);
            assert_eq!(read::<P4Info>(&written, format).as_ref(), Ok(&info), "{} as {name}", file.display());
        }
    }
}

#[test]
fn texts_that_are_not_messages_are_refused() {
    for (format, text, part) in [
        (Format::Text, "tables { preamble { id: 1 nme: \"t\" } }", "nme"),
        (Format::Text, "tables {", ""),
        (Format::Json, "{\"tables\": [{\"preamble\": {\"id\": \"x\"}}]}", "invalid"),
        (Format::Json, "{} {}", "trailing"),
        (Format::Binary, "\u{7f}", ""),
    ] {
        let error = read::<P4Info>(text.as_bytes(), format).unwrap_err().to_string();
        assert!(error.contains(part), "{text}: {error}");
    }
    assert!(read::<P4Info>(b"\xff\xfe", Format::Text).is_err());
}

#[test]
fn formats_have_names() {
    assert_eq!(Format::named("json"), Some(Format::Json));
    assert_eq!(Format::named("yaml"), None);
}
