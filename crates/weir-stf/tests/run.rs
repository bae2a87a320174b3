//! Tests of the simple test framework on `testdata/stf/match.p4`, without Python.

use std::sync::Arc;

use weir_exec::Executor;
use weir_interp::Interpreter;
use weir_stf::{Mistake, Outcome, Pattern, Program, run};
use weir_switch::arch;
use weir_syntax::preprocess::MemoryLoader;

fn run_text(text: &str) -> Result<Outcome, Mistake> {
    let loader = MemoryLoader::new()
        .with("match.p4", include_str!("../../../testdata/stf/match.p4"))
        .with("rest.p4", include_str!("../../../testdata/stf/rest.p4"))
        .with("core.p4", include_str!("../../../p4include/core.p4"))
        .with("v1model.p4", include_str!("../../../p4include/v1model.p4"));
    let program = weir_compiler::compile("match.p4", &loader, &[]).program.expect("it compiles");
    let executor: Arc<dyn Executor> = Arc::new(Interpreter::new(arch::bind(program).expect("it is v1model")));
    let (untraced, traced) = (Arc::clone(&executor), executor);
    run(&Program { file: "match.p4", untraced, traced, source: &|_| "a line".to_owned() }, text)
}

#[test]
fn a_file_that_passes() {
    let outcome = run_text(include_str!("../../../testdata/stf/match.stf")).expect("all lines are right");
    assert_eq!(outcome.failures, []);
    assert_eq!((outcome.packets, outcome.checks), (16, 19));
}

#[test]
fn a_field_that_differs() {
    let lines = "setdefault by_exact forward_marked(1, 0x1234)\npacket 0 01 0001 00000000 0000 00 00\n\
                 expect 1 01 1235 00000000 0*00 00 00 $";
    let outcome = run_text(lines).expect("all lines are right");
    let [failure] = &outcome.failures[..] else { panic!("{:?}", outcome.failures) };
    assert_eq!((failure.line, failure.packet, failure.sent), (3, Some(0), 2));
    assert_eq!(
        failure.differences.iter().map(ToString::to_string).collect::<Vec<_>>(),
        ["hdr.frame.exact_field (byte 1): expected 0x1235 (4661), got 0x1234 (4660)"]
    );
}

#[test]
fn a_mistake_has_its_place() {
    let mistake = run_text("# first\nadd by_exakt exact_field:1 drop()").unwrap_err();
    assert_eq!(mistake.to_string(), "2:5: there is no table \"by_exakt\"; did you mean \"I.by_exact\"?");
    assert_eq!(mistake.snippet(), "add by_exakt exact_field:1 drop()\n    ^^^^^^^^");
}

#[test]
fn patterns_match_digits() {
    let pattern = |text: &str| Pattern::read(text).expect("it is a pattern");
    assert!(pattern("01 2*").matches(&[0x01, 0x2f, 0xff]));
    assert!(!pattern("01 2* $").matches(&[0x01, 0x2f, 0xff]));
    assert!(!pattern("0123").matches(&[0x01]));
    assert!(pattern("").matches(&[]));
    assert_eq!(pattern("0123456789$").to_string(), "01234567 89 $");
}
