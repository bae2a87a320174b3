//! Tests control flow that splits and joins, in pipelines and in jumps within actions.

use std::fmt::Write as _;

use crate::bench::{Parts, RUN, action, assign, field_value, hex_value, operation, run, send_to_port_1};

/// Returns a condition of a pipeline.
fn conditional(name: &str, condition: &str, then: &str, otherwise: &str) -> String {
    let expression = operation("==", &field_value(condition), &hex_value("0x1"));
    format!(
        r#"{{"name": "{name}", "id": 0, "expression": {expression}, "true_next": {then}, "false_next": {otherwise}}}"#
    )
}

fn call(name: &str, action: u32, next: &str) -> String {
    format!(r#"{{"name": "{name}", "id": 0, "action_id": {action}, "next_node": {next}}}"#)
}

/// Returns an action that shifts a digit into the field `c`.
fn digit_action(id: u32, digit: &str) -> String {
    let shifted = operation("|", &operation("<<", &field_value("c"), &hex_value("0x4")), &hex_value(digit));
    action(id, &format!("digit{id}"), "", &assign("h", "c", &shifted))
}

fn pipeline(first: &str, conditionals: &[String], calls: &[String], actions: &[String]) -> Parts {
    let ingress = format!(
        r#""init_table": "{first}", "tables": [], "conditionals": [{}], "action_calls": [{}]"#,
        conditionals.join(","),
        calls.join(",")
    );
    let ingress = Box::leak(ingress.into_boxed_str());
    Parts { actions: actions.join(","), ingress, ..Parts::default() }
}

#[test]
fn paths_that_cross_before_they_join() {
    // a leads to x or b; b leads to x or y; x and y lead to the end, which sends.
    let conditionals = [conditional("a", "a", r#""x""#, r#""b""#), conditional("b", "b", r#""x""#, r#""y""#)];
    let calls = [call("x", 1, r#""end""#), call("y", 2, r#""end""#), call("end", 0, "null")];
    let actions = [run(&send_to_port_1()), digit_action(1, "0x1"), digit_action(2, "0x2")];
    let parts = pipeline("a", &conditionals, &calls, &actions);
    parts.test(
        "packet 0 0100 0000\nexpect 1 0100 0001$\npacket 0 0001 0000\nexpect 1 0001 0001$\n\
         packet 0 0000 0000\nexpect 1 0000 0002$\n",
    );
}

#[test]
fn a_ladder_of_crossing_paths_grows_linearly() {
    // Each level leads to both nodes of the next level, which makes 2^40 paths.
    let (mut conditionals, mut calls) = (Vec::new(), Vec::new());
    for rung in 0..40 {
        let next = |side: &str| {
            if rung == 39 { r#""end""#.to_owned() } else { format!(r#""{side}{}""#, rung + 1) }
        };
        conditionals.push(conditional(&format!("left{rung}"), "a", &next("left"), &next("right")));
        conditionals.push(conditional(&format!("right{rung}"), "b", &next("left"), &next("right")));
    }
    calls.push(call("end", 0, "null"));
    let parts = pipeline("left0", &conditionals, &calls, &[run(&send_to_port_1())]);
    let document = weir_json::Document::parse("test.json", parts.json()).unwrap();
    let program = weir_bmv2::read(&document).unwrap();
    let text = weir_ir::text::print(&program);
    assert!(text.len() < 40_000, "{} bytes", text.len());
    parts.test("packet 0 0100 0000\nexpect 1 0100 0000$\n");
}

#[test]
fn a_cycle_is_refused() {
    let conditionals = [conditional("a", "a", r#""b""#, "null"), conditional("b", "b", r#""a""#, "null")];
    let refusal = pipeline("a", &conditionals, &[], &[run("")]).refusal();
    assert!(refusal.contains("$.pipelines[0].conditionals[0]: the pipeline leads back to this"), "{refusal}");
}

fn jump(to: u32) -> String {
    format!(r#"{{"op": "_jump", "parameters": [{{"type": "hexstr", "value": "{to:#x}"}}]}}"#)
}

fn jump_if_zero(condition: &str, to: u32) -> String {
    let to = hex_value(&format!("{to:#x}"));
    format!(r#"{{"op": "_jump_if_zero", "parameters": [{}, {to}]}}"#, operation("b2d", "null", condition))
}

#[test]
fn forward_jumps_become_conditions() {
    // if (a == 1) { c = 1; } else { c = 2; if (b == 1) return; c = 3; } a = 9;
    let set = |value: &str| assign("h", "c", &hex_value(value));
    let is_1 = |name: &str| operation("==", &field_value(name), &hex_value("0x1"));
    let primitives = [
        send_to_port_1(),
        jump_if_zero(&is_1("a"), 4),
        set("0x1"),
        jump(8),
        set("0x2"),
        jump_if_zero(&is_1("b"), 7),
        jump(9),
        set("0x3"),
        assign("h", "a", &hex_value("0x9")),
    ];
    let parts = Parts { actions: run(&primitives.join(",")), ingress: RUN, ..Parts::default() };
    parts.test(
        "packet 0 0100 0000\nexpect 1 0900 0001$\npacket 0 0001 0000\nexpect 1 0001 0002$\n\
         packet 0 0000 0000\nexpect 1 0900 0003$\n",
    );
}

#[test]
fn jumps_backwards_are_loops() {
    // while (a != 0) { c = c + b; a = a - 1; }
    let primitives = [
        send_to_port_1(),
        jump_if_zero(&operation("!=", &field_value("a"), &hex_value("0x0")), 5),
        assign("h", "c", &operation("+", &field_value("c"), &field_value("b"))),
        assign("h", "a", &operation("-", &field_value("a"), &hex_value("0x1"))),
        jump(1),
        assign("h", "b", &hex_value("0xff")),
    ];
    let parts = Parts { actions: run(&primitives.join(",")), ingress: RUN, ..Parts::default() };
    parts.test("packet 0 0507 0001\nexpect 1 00ff 0024$\npacket 0 0007 0001\nexpect 1 00ff 0001$\n");
}

#[test]
fn exit_ends_the_pipeline() {
    let exit = r#"{"op": "exit", "parameters": []}"#;
    let first = run(&[
        send_to_port_1(),
        jump_if_zero(&operation("==", &field_value("a"), &hex_value("0x1")), 3),
        exit.to_owned(),
    ]
    .join(","));
    let calls = [call("first", 0, r#""second""#), call("second", 1, "null")];
    let parts = pipeline("first", &[], &calls, &[first, digit_action(1, "0x5")]);
    parts.test("packet 0 0100 0000\nexpect 1 0100 0000$\npacket 0 0000 0000\nexpect 1 0000 0005$\n");
}

#[test]
fn wrong_jumps_have_a_place() {
    let mut text = String::new();
    write!(text, "{}", jump(7)).unwrap();
    let refusal = Parts { actions: run(&text), ingress: RUN, ..Parts::default() }.refusal();
    assert!(refusal.contains("expected the position of a primitive, at most 1"), "{refusal}");
}
