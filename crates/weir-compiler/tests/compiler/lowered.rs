//! Programs that lowering translates, and programs that it refuses.
//!
//! `testdata/lower/text/*.p4` are next to the IR that they lower to. `testdata/lower/refused/*.p4`
//! end with lines `//! LINE: message`. `BLESS=1 cargo test -p weir-compiler` rewrites both; check
//! the difference.

use std::fmt::Write;

use crate::pipe;
use weir_syntax::Severity;

fn bless() -> bool {
    std::env::var_os("BLESS").is_some()
}

#[test]
fn programs_lower_to_the_expected_ir() {
    let mut wrong = Vec::new();
    for path in pipe::programs("text") {
        let program = match pipe::lowered(&path) {
            Ok(program) => program,
            Err(why) => {
                wrong.push(why);
                continue;
            }
        };
        let actual = weir_ir::text::print(&program);
        let expected_path = path.with_extension("ir");
        if bless() {
            std::fs::write(&expected_path, &actual).unwrap();
        } else if std::fs::read_to_string(&expected_path).ok().as_ref() != Some(&actual) {
            wrong.push(format!("{} now becomes:\n{actual}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}\n(BLESS=1 rewrites the expectations)", wrong.join("\n\n"));
}

#[test]
fn lowered_programs_survive_their_text_form() {
    for path in pipe::programs("run").into_iter().chain(pipe::programs("text")) {
        let program = pipe::compile_file(&path).program.unwrap();
        let text = weir_ir::text::print(&program);
        let parsed =
            weir_ir::text::parse(&text).unwrap_or_else(|error| panic!("{}: {error:?}", path.display()));
        assert_eq!(weir_ir::text::print(&parsed), text, "{}", path.display());
        assert_eq!(weir_ir::violations(&parsed), [], "{}", path.display());
    }
}

#[test]
fn lowering_is_deterministic() {
    for path in pipe::programs("run") {
        assert_eq!(
            pipe::compile_file(&path).program,
            pipe::compile_file(&path).program,
            "{}",
            path.display()
        );
    }
}

#[test]
fn refusals_have_locations() {
    let mut wrong = Vec::new();
    for path in pipe::programs("refused") {
        let text = std::fs::read_to_string(&path).unwrap();
        let result = pipe::compile_file(&path);
        assert!(result.program.is_none(), "{} was accepted", path.display());
        let mut actual: String =
            text.lines().filter(|line| !line.starts_with("//! ")).map(|line| format!("{line}\n")).collect();
        for diagnostic in result.diagnostics.sorted(&result.source_map) {
            if diagnostic.severity == Severity::Error {
                let line = result.source_map.line(result.source_map.user_site(diagnostic.span()));
                writeln!(actual, "//! {line}: {}", diagnostic.message).unwrap();
            }
        }
        if actual == text {
            continue;
        }
        if bless() {
            std::fs::write(&path, actual).unwrap();
        } else {
            wrong.push(format!("{} now says:\n{actual}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}\n(BLESS=1 rewrites the expectations)", wrong.join("\n\n"));
}
