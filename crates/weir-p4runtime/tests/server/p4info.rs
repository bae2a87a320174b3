//! Tests the P4Info of programs.
//!
//! Each program `testdata/p4info/*.p4` is next to its P4Info in text format. `BLESS=1 cargo test -p
//! weir-p4runtime` rewrites the P4Info files; check the difference.
#![allow(clippy::disallowed_methods, reason = "tests read files and BLESS")]

use std::path::{Path, PathBuf};

use weir_ir::ValidProgram;
use weir_p4runtime::format::{Format, read, write};
use weir_p4runtime::p4info::{p4info, p4info_with_view};
use weir_p4runtime::proto::config::P4Info;
use weir_switch::p4info::{ControlView, ExternView, ObjectKind};
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
        .with("psa.p4", include_str!("../../../../p4include/psa.p4"))
        .with("psa/architecture.p4", include_str!("../../../../p4include/psa/architecture.p4"))
        .with("rest.p4", include_str!("../../../../testdata/p4info/rest.p4"));
    // P4Info does not depend on whether the switch can run the program's architecture.
    let compiled = weir_compiler::compile("program.p4", &loader, &[]);
    compiled.program.unwrap_or_else(|| panic!("{}", compiled.diagnostics.render(&compiled.source_map, false)))
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

/// A program whose architecture has objects for which P4Runtime has no messages.
const TALLIES: &str = r#"
#include <v1model.p4>
struct headers_t {}
struct meta_t {}
extern Tally { Tally(bit<32> size); void add(in bit<32> index); }
parser P(packet_in p, out headers_t h, inout meta_t m, inout standard_metadata_t s) {
    state start { transition accept; }
}
control V(inout headers_t h, inout meta_t m) { apply {} }
control C(inout headers_t h, inout meta_t m, inout standard_metadata_t s) {
    Tally(4) first;
    @id(7) Tally(5) second;
    apply { first.add(1); second.add(2); }
}
control E(inout headers_t h, inout meta_t m, inout standard_metadata_t s) { apply {} }
control D(packet_out p, in headers_t h) { apply {} }
V1Switch(P(), V(), C(), E(), V(), D()) main;
"#;

#[test]
fn objects_without_messages_of_their_own_are_externs() {
    const VIEW: ControlView = ControlView {
        name: Some("tallying"),
        externs: &[&[ExternView::new("Tally", ObjectKind::Other(0x81))]],
        digest_function: None,
    };
    let program = compile(TALLIES);
    let info = p4info_with_view(&program, &VIEW).unwrap();
    assert_eq!(info.pkg_info.unwrap().arch, "tallying");
    let [tallies] = &info.externs[..] else { panic!("{:?}", info.externs) };
    assert_eq!((tallies.extern_type_id, tallies.extern_type_name.as_str()), (0x81, "Tally"));
    let objects = tallies.instances.iter().flat_map(|one| &one.preamble);
    let objects: Vec<_> = objects.map(|one| (one.id >> 24, one.id & 0xff, one.name.as_str())).collect();
    assert_eq!((objects.len(), objects[0].0, objects[0].2), (2, 0x81, "C.first"));
    assert_eq!(objects[1], (0x81, 7, "C.second"));
    // v1model has no such objects, so its programs do not show them.
    let info = p4info(&program).unwrap();
    assert_eq!((info.pkg_info.unwrap().arch.as_str(), info.externs.len()), ("v1model", 0));
}

#[test]
fn formats_have_names() {
    assert_eq!(Format::named("json"), Some(Format::Json));
    assert_eq!(Format::named("yaml"), None);
}
