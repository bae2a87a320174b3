//! Tests of the simple test framework on `testdata/stf/match.p4`, without Python.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::Arc;

use weir_exec::Executor;
use weir_interp::Interpreter;
use weir_stf::{Mistake, Outcome, Pattern, Program, run};
use weir_switch::arch;
use weir_switch::trace::MAX_STEPS;
use weir_syntax::preprocess::MemoryLoader;

fn run_text(text: &str) -> Result<Outcome, Mistake> {
    run_on(include_str!("../../../testdata/stf/match.p4"), text)
}

/// Runs a test on a program.
fn run_on(program: &str, text: &str) -> Result<Outcome, Mistake> {
    run_until(program, text, &|| false).map(Option::unwrap)
}

fn run_until(program: &str, text: &str, interrupt: &dyn Fn() -> bool) -> Result<Option<Outcome>, Mistake> {
    let loader = MemoryLoader::new()
        .with("match.p4", program)
        .with("rest.p4", include_str!("../../../testdata/stf/rest.p4"))
        .with("core.p4", include_str!("../../../p4include/core.p4"))
        .with("v1model.p4", include_str!("../../../p4include/v1model.p4"));
    let program = weir_compiler::compile("match.p4", &loader, &[]).program.expect("it compiles");
    let executor: Arc<dyn Executor> = Arc::new(Interpreter::new(arch::bind(program).expect("it is v1model")));
    let (untraced, traced) = (Arc::clone(&executor), executor);
    run(&Program { file: "match.p4", untraced, traced, source: &|_| "a line".to_owned(), interrupt }, text)
}

#[test]
fn a_file_that_passes() {
    let outcome = run_text(include_str!("../../../testdata/stf/match.stf")).expect("all lines are right");
    assert_eq!(outcome.failures, []);
    assert_eq!((outcome.packets, outcome.checks), (16, 19));
}

#[test]
fn a_check_of_a_unit_that_a_counter_does_not_count() {
    let program = include_str!("../../../testdata/stf/extern/counter_units.p4");
    let program = program.replace("../rest.p4", "rest.p4");
    for (check, message) in [
        ("by_bytes(1) == 1", "by_bytes counts bytes, not packets: write \"bytes\" before the operator"),
        (
            "by_packets(1) bytes == 0",
            "by_packets counts packets, not bytes: write \"packets\" before the operator",
        ),
    ] {
        let mistake = run_on(&program, &format!("check_counter {check}")).expect_err("it is refused");
        assert_eq!(mistake.error.to_string(), message);
    }
    let outcome = run_on(&program, "check_counter by_bytes(1)").expect("it is right");
    assert_eq!(format!("{:?}", outcome.printed), "[Line(\"by_bytes[1] = 0 bytes\")]");
}

#[test]
fn a_test_ends_when_it_is_interrupted() {
    let (program, asked) = (include_str!("../../../testdata/stf/match.p4"), Cell::new(0));
    let interrupt = || {
        asked.set(asked.get() + 1);
        asked.get() > 3
    };
    let text = "packet 0 0001\n".repeat(1000);
    assert!(run_until(program, &text, &interrupt).expect("all lines are right").is_none());
    assert!(asked.get() < 10, "it went on");
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

/// A program in which each pass has a loop of some thousand steps, and a packet makes this many
/// passes.
const LOOPS: &str = "
#include <v1model.p4>
struct headers_t {}
struct meta_t { bit<32> sum; }
parser P(packet_in p, out headers_t h, inout meta_t m, inout standard_metadata_t s) {
    state start { transition accept; }
}
control C(inout headers_t h, inout meta_t m) { apply {} }
control I(inout headers_t h, inout meta_t m, inout standard_metadata_t s) {
    register<bit<32>>(1) passes;
    apply {
        bit<32> pass;
        passes.read(pass, 0);
        passes.write(0, pass + 1);
        for (bit<32> i in 32w0 .. 32w9000) { m.sum = m.sum + i; }
        if (pass < PASSES) { resubmit_preserving_field_list(0); }
        s.egress_spec = 1;
    }
}
control E(inout headers_t h, inout meta_t m, inout standard_metadata_t s) { apply {} }
control D(packet_out p, in headers_t h) { apply {} }
V1Switch(P(), C(), I(), E(), C(), D()) main;
";

#[test]
fn a_long_trace_says_what_it_leaves_out() {
    let program = LOOPS.replace("PASSES", "0");
    let outcome = run_on(&program, "packet 0 00\nexpect 1 00").expect("all lines are right");
    assert_eq!(outcome.failures, [], "steps within a block are not missed");
    let outcome = run_on(&program, "packet 0 00\nexpect 1 01").expect("all lines are right");
    let [failure] = &outcome.failures[..] else { panic!("{:?}", outcome.failures) };
    assert!(failure.lost_steps > 1000, "{failure:?}");
}

#[test]
fn a_test_whose_trace_is_full_fails() {
    let outcome = run_on(&LOOPS.replace("PASSES", "30"), "packet 0 00\nexpect 1 00").expect("it is right");
    let messages: Vec<&str> = outcome.failures.iter().map(|failure| &*failure.message).collect();
    let [full, none] = messages[..] else { panic!("{messages:?}") };
    assert!(full.starts_with("the trace is too long: ") && full.contains("after the first 131072"), "{full}");
    assert_eq!(none, "no packet left on port 1: expected 00");
    assert!(outcome.failures.iter().all(|failure| (failure.sent, failure.packet) == (1, Some(0))));
}

#[test]
fn only_packets_that_fail_keep_their_steps() {
    let outcome = run_on(&LOOPS.replace("PASSES", "0"), &"packet 0 00\nexpect 1 00\n".repeat(20));
    assert!(outcome.expect("all lines are right").steps.is_empty());
    let lines = "packet 0 00\nexpect 1 00\n".repeat(20) + "packet 0 00\nexpect 1 01\n";
    let outcome = run_on(&LOOPS.replace("PASSES", "0"), &lines).expect("all lines are right");
    assert_eq!(outcome.failures[0].packet, Some(20));
    assert!(outcome.steps.len() > 9_000 && outcome.steps.iter().all(|step| step.packet == 20));
}

#[test]
fn steps_of_many_packets_that_fail_are_left_out() {
    let lines = "packet 0 00\nexpect 1 01\n".repeat(20);
    let outcome = run_on(&LOOPS.replace("PASSES", "0"), &lines).expect("all lines are right");
    assert_eq!(outcome.failures.len(), 20);
    assert!(outcome.steps.len() <= MAX_STEPS + 20, "{}", outcome.steps.len());
    let packets: BTreeSet<u64> = outcome.steps.iter().map(|step| step.packet).collect();
    assert_eq!(packets.len(), 20, "each has its first step");
    let lost: Vec<u64> = outcome.failures.iter().map(|failure| failure.lost_steps).collect();
    assert!(lost[19] > lost[0] + 9_000, "{lost:?}");
}

#[test]
fn many_unexpected_packets_are_counted() {
    let report = |packets: usize| {
        let lines = "packet 0 00\n".repeat(packets + 1) + "expect 1 00\n";
        let outcome = run_on(&LOOPS.replace("PASSES", "0"), &lines).expect("all lines are right");
        outcome.failures.into_iter().map(|failure| failure.message).collect::<Vec<_>>()
    };
    for (packets, last) in
        [(10, "port 1: a packet"), (11, "port 1: 1 more packet "), (50, "port 1: 40 more packets ")]
    {
        let messages = report(packets);
        assert_eq!(messages.len(), packets.min(11), "{messages:?}");
        assert!(messages.last().is_some_and(|message| message.starts_with(last)), "{messages:?}");
    }
}

#[test]
fn a_mistake_has_its_place() {
    let mistake = run_text("# first\nadd by_exakt exact_field:1 drop()").unwrap_err();
    assert_eq!(mistake.to_string(), "2:5: there is no table \"by_exakt\"; did you mean \"I.by_exact\"?");
    assert_eq!(mistake.snippet(), "add by_exakt exact_field:1 drop()\n    ^^^^^^^^");
}

#[test]
fn words_that_mean_nothing_are_refused() {
    let entry = "add by_exact exact_field:1 drop()";
    for (line, expected) in [
        ("no_packet 1", "1:11: no_packet takes nothing, since it is about all ports: found \"1\""),
        ("no_packet foo bar", "found \"foo bar\""),
        ("wait 5 s more", "cannot read wait '5 s more'"),
        ("setdefault by_exact drop() = x", "a default action takes no name, found \"= x\""),
        ("setdefault by_exact 1 drop()", "expected one action, found also \"1\""),
        ("add by_exact exact_field:1 drop(,)", "expected an argument at each comma, found \",\""),
        ("remove all more", "\"all more\""),
        ("packet 1 01 zz", "found \"z\""),
        ("expect 1 01 $ 02", "found \"$\""),
        ("table_num_entries by_exact more", "more"),
        (&format!("{entry} = x\n{entry} = x"), "an entry has the name \"x\" already"),
    ] {
        let mistake = run_text(line).unwrap_err().to_string();
        assert!(mistake.contains(expected), "{line}: {mistake}");
    }
}

#[test]
fn control_characters_do_not_move_the_carets() {
    let mistake = run_text("add \u{1b}[31mby_exact x:1 y()").unwrap_err();
    let (line, below) = ("add \\u{1b}[31mby_exact x:1 y()", "    ^^^^^^^^^^^^^^^^^^");
    assert_eq!(mistake.snippet(), format!("{line}\n{below}"));
    assert!(!mistake.error.message.contains('\u{1b}'), "{mistake}");
    let mistake = run_text("\u{7}add\tby_exact\texact_field:1\tdorp()").unwrap_err();
    assert_eq!(mistake.snippet(), "\\u{7}add\tby_exact\texact_field:1\tdorp()\n^^^^^^^^");
    let mistake = run_text("add by_exact \u{7} exact_field:1 dorp()").unwrap_err();
    let (line, below) = ("add by_exact \\u{7} exact_field:1 dorp()", "             ^^^^^");
    assert_eq!(mistake.snippet(), format!("{line}\n{below}"));
}

#[test]
fn a_priority_without_effect_is_shown() {
    let add = |priority: &str| {
        let text =
            format!("add by_exact {priority} exact_field:1 drop()\nadd by_mask 5 masked_field:1 drop()");
        let printed = run_text(&text).expect("all lines are right").printed;
        printed.into_iter().map(|one| format!("{one:?}")).collect::<Vec<_>>()
    };
    let remark = "line 1: the priority 7 has no effect: entries of table I.by_exact have none";
    assert_eq!(add("7"), [format!("Line({remark:?})")]);
    assert_eq!(add("0"), [""; 0]);
    assert_eq!(add(""), [""; 0]);
}

#[test]
fn bits_outside_a_mask_are_shown() {
    let printed = |key: &str| {
        let text = format!("add by_mask 5 masked_field:{key} drop()");
        let printed = run_text(&text).expect("the line is right").printed;
        printed.into_iter().map(|one| format!("{one:?}")).collect::<Vec<_>>()
    };
    let remark = "line 1: 0x13&&&0xf0 has bits outside its mask, which do not count: 0x10 &&& 0xf0";
    assert_eq!(printed("0x13&&&0xf0"), [format!("Line({remark:?})")]);
    assert_eq!(printed("0x10&&&0xf0"), [""; 0]);
    assert_eq!(printed("0x1*"), [""; 0]);
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
