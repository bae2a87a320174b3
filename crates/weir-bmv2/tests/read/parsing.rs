//! Parsers, stacks, unions and fields of variable length.

use crate::bench::{Parts, RUN, assign, field_value, hex_value, operation, run, send_to_port_1};

/// Returns a state of the parser.
fn state(name: &str, ops: &str, key: &str, transitions: &str) -> String {
    format!(
        r#"{{"name": "{name}", "id": 0, "parser_ops": [{ops}], "transition_key": [{key}], "transitions": [{transitions}]}}"#
    )
}

fn leak_text(text: String) -> &'static str {
    Box::leak(text.into_boxed_str())
}

fn default(next: &str) -> String {
    format!(r#"{{"type": "default", "value": null, "mask": null, "next_state": {next}}}"#)
}

fn transition_case(value: &str, mask: &str, next: &str) -> String {
    format!(r#"{{"type": "hexstr", "value": "{value}", "mask": {mask}, "next_state": {next}}}"#)
}

const EXTRACT_H: &str = r#"{"op": "extract", "parameters": [{"type": "regular", "value": "h"}]}"#;

/// Returns an action that writes the parser's error to `c`.
fn error_to_c() -> String {
    let error = r#"{"type": "field", "value": ["standard_metadata", "parser_error"]}"#;
    run(&[send_to_port_1(), assign("h", "c", error)].join(","))
}

#[test]
fn transitions_match_whole_bytes_of_each_key() {
    // The keys have 4 and 12 bits, which take 1 and 2 bytes.
    let set = |value: &str| {
        format!(r#"{{"op": "set", "parameters": [{}, {}]}}"#, field_value("d"), hex_value(value))
    };
    let key = [field_value("n"), field_value("m")].join(",");
    let transitions = [
        default(r#""other""#),
        transition_case("0x010abc", "null", r#""exact""#),
        transition_case("0x020a00", "\"0x0f0f00\"", r#""masked""#),
    ];
    let states = [
        state("start", EXTRACT_H, &key, &transitions.join(",")),
        state("exact", &set("0x1"), "", &default("null")),
        state("masked", &set("0x2"), "", &default("null")),
        state("other", &set("0x3"), "", &default("null")),
    ];
    let parts = Parts {
        fields: r#"["n", 4], ["m", 12], ["d", 8]"#,
        states: leak_text(states.join(",")),
        actions: run(&send_to_port_1()),
        ingress: RUN,
        ..Parts::default()
    };
    parts.test(
        "packet 0 1abc 00\nexpect 1 1abc 01$\npacket 0 2a77 00\nexpect 1 2a77 02$\n\
         packet 0 2b77 00\nexpect 1 2b77 03$\n",
    );
}

#[test]
fn a_select_without_a_match_is_an_error() {
    let states = state("start", EXTRACT_H, &field_value("a"), &transition_case("0x07", "null", "null"));
    let parts = Parts { states: leak_text(states), actions: error_to_c(), ingress: RUN, ..Parts::default() };
    parts.test("packet 0 0700 ffff\nexpect 1 0700 0000$\npacket 0 0800 ffff\nexpect 1 0800 0002$\n");
}

#[test]
fn lookahead_verify_advance_and_shift() {
    let ops = [
        EXTRACT_H.to_owned(),
        format!(
            r#"{{"op": "set", "parameters": [{}, {{"type": "lookahead", "value": [0, 8]}}]}}"#,
            field_value("a")
        ),
        format!(
            r#"{{"op": "set", "parameters": [{}, {{"type": "lookahead", "value": [8, 8]}}]}}"#,
            field_value("b")
        ),
        format!(
            r#"{{"op": "verify", "parameters": [{}, {}]}}"#,
            operation("==", &field_value("a"), &hex_value("0x11")),
            hex_value("0x8")
        ),
        format!(r#"{{"op": "advance", "parameters": [{}]}}"#, hex_value("0x8")),
        r#"{"op": "shift", "parameters": [1]}"#.to_owned(),
    ];
    let key = r#"{"type": "lookahead", "value": [0, 8]}"#;
    let transitions = [transition_case("0x33", "null", r#""more""#), default("null")];
    let set = format!(r#"{{"op": "set", "parameters": [{}, {}]}}"#, field_value("b"), hex_value("0xee"));
    let states = [
        state("start", &ops.join(","), key, &transitions.join(",")),
        state("more", &set, "", &default("null")),
    ];
    let parts = Parts {
        members: r#""errors": [["NoError", 0], ["PacketTooShort", 1], ["NoMatch", 2], ["StackOutOfBounds", 3],
            ["HeaderTooShort", 4], ["ParserTimeout", 5], ["ParserInvalidArgument", 6], ["Spare", 7], ["Mine", 8]],"#,
        states: leak_text(states.join(",")),
        actions: error_to_c(),
        ingress: RUN,
        ..Parts::default()
    };
    parts.test(
        "packet 0 0000 ffff 11 22 33 44\nexpect 1 11ee 0000 3344$\n\
         packet 0 0000 ffff 10 22 33 44\nexpect 1 1022 0008 10223344$\n",
    );
}

const STACK: &str = r#", {"name": "s[0]", "id": 3, "header_type": "e_t", "metadata": false},
    {"name": "s[1]", "id": 4, "header_type": "e_t", "metadata": false}"#;

const ELEMENT: &str = r#", {"name": "e_t", "id": 3, "fields": [["more", 4], ["value", 4]]}"#;

#[test]
fn stacks() {
    let extract = r#"{"op": "extract", "parameters": [{"type": "stack", "value": "s"}]}"#;
    let key = r#"{"type": "stack_field", "value": ["s", "more"]}"#;
    let again = [transition_case("0x01", "null", r#""element""#), default("null")].join(",");
    let states =
        [state("start", EXTRACT_H, "", &default(r#""element""#)), state("element", extract, key, &again)];
    // `c` is the value of the element that `a` selects, `b` is the index of the last element, and
    // `a` then is the number of elements.
    let element = r#"{"type": "expression", "value": {"op": "dereference_header_stack",
        "left": {"type": "header_stack", "value": "s"}, "right": {"type": "field", "value": ["h", "a"]}}}"#;
    let value = format!(
        r#"{{"type": "expression", "value": {{"op": "access_field", "left": {element}, "right": 1}}}}"#
    );
    let stack = r#"{"type": "header_stack", "value": "s"}"#;
    let primitives = [
        send_to_port_1(),
        assign("h", "c", &value),
        assign("h", "b", &operation("last_stack_index", "null", stack)),
        format!(r#"{{"op": "push", "parameters": [{stack}, {}]}}"#, hex_value("0x1")),
        r#"{"op": "add_header", "parameters": [{"type": "header", "value": "s[0]"}]}"#.to_owned(),
        assign("s[0]", "value", &operation("size_stack", "null", stack)),
    ];
    let parts = Parts {
        types: ELEMENT,
        headers: STACK,
        members: r#""header_stacks": [{"name": "s", "id": 0, "header_type": "e_t", "header_ids": [3, 4]}],"#,
        states: leak_text(states.join(",")),
        actions: run(&primitives.join(",")),
        ingress: RUN,
        order: r#""h", "s[0]", "s[1]""#,
        ..Parts::default()
    };
    // With one element of two, it moves up. With two, the last one is lost. Three elements do not
    // fit, which is an error.
    parts.test(
        "packet 0 0000 0000 05\nexpect 1 0000 0005 02 05$\n\
         packet 0 0100 0000 15 06\nexpect 1 0101 0006 02 15$\n\
         packet 0 0100 0000 15 16 07\nexpect 1 0101 0006 02 15 07$\n",
    );
}

#[test]
fn unions_have_one_valid_header() {
    let types = r#", {"name": "e_t", "id": 3, "fields": [["value", 8]]}, {"name": "f_t", "id": 4, "fields": [["value", 16]]}"#;
    let headers = r#", {"name": "u.e", "id": 3, "header_type": "e_t", "metadata": false},
        {"name": "u.f", "id": 4, "header_type": "f_t", "metadata": false}"#;
    let members = r#""header_union_types": [{"name": "u_t", "id": 0, "headers": [["e", "e_t"], ["f", "f_t"]]}],
        "header_unions": [{"name": "u", "id": 0, "union_type": "u_t", "header_ids": [3, 4]}],"#;
    let extract = r#"{"op": "extract", "parameters": [{"type": "regular", "value": "u.e"}]}"#;
    let states = state("start", &[EXTRACT_H, extract].join(","), "", &default("null"));
    let union = r#"{"type": "header_union", "value": "u"}"#;
    let primitives = [
        send_to_port_1(),
        assign("h", "c", &operation("b2d", "null", &operation("valid_union", "null", union))),
        r#"{"op": "add_header", "parameters": [{"type": "header", "value": "u.f"}]}"#.to_owned(),
        assign("u.f", "value", &hex_value("0xabcd")),
    ];
    let parts = Parts {
        types,
        headers,
        members,
        states: leak_text(states),
        actions: run(&primitives.join(",")),
        ingress: RUN,
        order: r#""h", "u.e", "u.f""#,
        ..Parts::default()
    };
    parts.test("packet 0 0000 0000 77\nexpect 1 0000 0001 abcd$\n");
}

#[test]
fn stacks_of_unions() {
    let types = r#", {"name": "e_t", "id": 3, "fields": [["value", 8]]}, {"name": "f_t", "id": 4, "fields": [["value", 16]]}"#;
    let headers = r#", {"name": "u[0].e", "id": 3, "header_type": "e_t", "metadata": false},
        {"name": "u[0].f", "id": 4, "header_type": "f_t", "metadata": false},
        {"name": "u[1].e", "id": 5, "header_type": "e_t", "metadata": false},
        {"name": "u[1].f", "id": 6, "header_type": "f_t", "metadata": false}"#;
    let members = r#""header_union_types": [{"name": "u_t", "id": 0, "headers": [["e", "e_t"], ["f", "f_t"]]}],
        "header_unions": [{"name": "u[0]", "id": 0, "union_type": "u_t", "header_ids": [3, 4]},
            {"name": "u[1]", "id": 1, "union_type": "u_t", "header_ids": [5, 6]}],
        "header_union_stacks": [{"name": "u", "id": 0, "union_type": "u_t", "header_union_ids": [0, 1]}],"#;
    let extract = |member: &str| {
        format!(
            r#"{{"op": "extract", "parameters": [{{"type": "union_stack", "value": ["u", "{member}"]}}]}}"#
        )
    };
    let key = r#"{"type": "union_stack_field", "value": ["u", "f", "value"]}"#;
    let transitions = [transition_case("0x1111", "null", r#""second""#), default("null")].join(",");
    let states = [
        state("start", &[EXTRACT_H.to_owned(), extract("f")].join(","), key, &transitions),
        state("second", &extract("e"), "", &default("null")),
    ];
    let last = operation("last_stack_index", "null", r#"{"type": "header_union_stack", "value": "u"}"#);
    let parts = Parts {
        types,
        headers,
        members,
        states: leak_text(states.join(",")),
        actions: run(&[send_to_port_1(), assign("h", "c", &last)].join(",")),
        ingress: RUN,
        order: r#""h", "u[1].e", "u[1].f", "u[0].e", "u[0].f""#,
        ..Parts::default()
    };
    parts.test(
        "packet 0 0000 0000 2222 33\nexpect 1 0000 0000 2222 33$\n\
         packet 0 0000 0000 1111 33\nexpect 1 0000 0001 33 1111$\n",
    );
}

#[test]
fn fields_of_variable_length() {
    let types = r#", {"name": "v_t", "id": 3, "fields": [["size", 8], ["rest", "*"]], "max_length": 4}"#;
    let headers = r#", {"name": "v", "id": 3, "header_type": "v_t", "metadata": false},
        {"name": "w", "id": 4, "header_type": "v_t", "metadata": false}"#;
    let bits = r#"{"type": "expression", "value": {"type": "expression", "value": {"op": "<<",
        "left": {"type": "field", "value": ["h", "a"]}, "right": {"type": "hexstr", "value": "0x3"}}}}"#;
    let extract =
        format!(r#"{{"op": "extract_VL", "parameters": [{{"type": "regular", "value": "v"}}, {bits}]}}"#);
    let states = state("start", &[EXTRACT_H, &extract].join(","), "", &default("null"));
    let rest = |of: &str| format!(r#"{{"type": "field", "value": ["{of}", "rest"]}}"#);
    let primitives = [
        send_to_port_1(),
        r#"{"op": "add_header", "parameters": [{"type": "header", "value": "w"}]}"#.to_owned(),
        format!(r#"{{"op": "assign_VL", "parameters": [{}, {}]}}"#, rest("w"), rest("v")),
        assign("h", "c", &operation("b2d", "null", &operation("==", &rest("w"), &rest("v")))),
    ];
    let parts = Parts {
        types,
        headers,
        states: leak_text(states),
        actions: run(&primitives.join(",")),
        ingress: RUN,
        order: r#""h", "v", "w""#,
        ..Parts::default()
    };
    parts.test("packet 0 0200 0000 07 aabb cc\nexpect 1 0200 0001 07 aabb 00 aabb cc$\n");
}

#[test]
fn value_sets() {
    let case = r#"{"type": "parse_vset", "value": "P.set", "mask": null, "next_state": "found"}"#;
    let transitions = [case.to_owned(), default("null")].join(",");
    let set = format!(r#"{{"op": "set", "parameters": [{}, {}]}}"#, field_value("b"), hex_value("0x1"));
    let states = [
        state("start", EXTRACT_H, &field_value("c"), &transitions),
        state("found", &set, "", &default("null")),
    ];
    let parts = Parts {
        members: r#""parse_vsets": [{"name": "P.set", "id": 0, "compressed_bitwidth": 16, "max_size": 4}],"#,
        states: leak_text(states.join(",")),
        actions: run(&send_to_port_1()),
        ingress: RUN,
        ..Parts::default()
    };
    let document = weir_json::Document::parse("test.json", parts.json()).unwrap();
    let program = weir_bmv2::read(&document).unwrap();
    let set = program.value_sets.values().next().unwrap();
    assert_eq!((set.name.as_str(), set.fields[0].width, set.size), ("P.set", 16, 4));
    parts.test("packet 0 0000 1234\nexpect 1 0000 1234$\n");
}
