//! Refused documents, with the place of each mistake.

use crate::bench::{Parts, RUN, assign, field_value, hex_value, operation, run};

#[test]
fn unknown_names_have_a_suggestion() {
    let refusal =
        |primitives: &str| Parts { actions: run(primitives), ingress: RUN, ..Parts::default() }.refusal();
    for (primitives, expected) in [
        (
            assign("h", "aa", &hex_value("0x1")),
            "$.actions[0].primitives[0].parameters[0].value[1]: there is no field \"aa\"",
        ),
        (assign("hh", "a", &hex_value("0x1")), "there is no header \"hh\""),
        (
            assign("h", "a", &operation("<<<", &field_value("a"), &field_value("b"))),
            "there is no operator \"<<<\"",
        ),
        (
            r#"{"op": "asign", "parameters": []}"#.to_owned(),
            "there is no primitive \"asign\"; did you mean \"assign\"?",
        ),
        (r#"{"op": "assign", "parameters": []}"#.to_owned(), "\"assign\" takes 2 parameters, found 0"),
        (assign("h", "a", &hex_value("12x")), "expected a number in hexadecimal digits"),
        (assign("h", "a", r#"{"type": "local", "value": 0}"#), "the action has no parameter 0"),
        (assign("h", "$valid$", &hex_value("0x1")), "the validity of a header is assigned like a field"),
        (
            r#"{"op": "resubmit", "parameters": [{"type": "hexstr", "value": "0x1ff"}]}"#.to_owned(),
            "the number of a field list, a constant from 0 to 255",
        ),
    ] {
        let message = refusal(&primitives);
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn parts_of_the_document() {
    let refusal = |parts: Parts| parts.refusal();
    let parts = || Parts { actions: run(""), ingress: RUN, ..Parts::default() };
    for (made, expected) in [
        (Parts { order: r#""meta""#, ..parts() }, "metadata is put into the packet"),
        (Parts { order: r#""g""#, ..parts() }, "$.deparsers[0].order[0]: there is no header \"g\""),
        (Parts { ingress: r#""init_table": "x""#, ..parts() }, "there is no table or condition \"x\""),
        (Parts { fields: r#"["v", "*"]"#, ..parts() }, "missing key \"max_length\""),
        (
            Parts { members: r#""extern_instances": [{"name": "e", "id": 0, "type": "x"}],"#, ..parts() },
            "v1model has no extern objects of other types",
        ),
        (
            Parts {
                members: r#""field_lists": [{"id": 1, "elements": [{"type": "field", "value": ["h", "a"]}]}],"#,
                ..parts()
            },
            "a field list keeps a field of a header",
        ),
        (
            Parts {
                members: r#""header_union_types": [{"name": "u_t", "id": 0, "headers": [["a", "h_t"]]}],
                    "header_unions": [{"name": "u", "id": 0, "union_type": "u_t", "header_ids": [0]},
                        {"name": "w", "id": 1, "union_type": "u_t", "header_ids": [0]}],"#,
                ..parts()
            },
            "$.header_unions[1].header_ids[0]: the header \"h\" is already in a union",
        ),
        (
            Parts { members: r#""errors": [["Other", 0]],"#, ..parts() },
            "the error with the number 0 is not \"NoError\"",
        ),
    ] {
        let message = refusal(made);
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn objects_with_one_name_or_id() {
    let parts = || Parts { actions: run(""), ingress: RUN, ..Parts::default() };
    let twice = |list: &str, object: &str| format!("\"{list}\": [{object}, {object}],");
    for (list, object, expected) in [
        ("learn_lists", r#"{"id": 1, "name": "l", "elements": []}"#, "two lists of digests with the id 1"),
        ("calculations", r#"{"name": "c", "id": 0}"#, "two calculations \"c\""),
        ("errors", r#"["NoError", 0]"#, "two errors with the number 0"),
        ("field_aliases", r#"["x", ["h", "a"]]"#, "two aliases \"x\""),
        ("header_stacks", r#"{"name": "s", "id": 0, "header_ids": [0]}"#, "two header stacks \"s\""),
        ("header_union_types", r#"{"name": "u", "id": 0, "headers": []}"#, "two union types \"u\""),
        ("header_unions", r#"{"name": "u", "id": 0, "header_ids": []}"#, "two header unions with the id 0"),
    ] {
        let message = Parts { members: twice(list, object).leak(), ..parts() }.refusal();
        assert!(message.contains(&format!("there are {expected}")), "{message}");
    }
    let header = r#", {"name": "g", "id": 0, "header_type": "h_t", "metadata": false}"#;
    for (made, expected) in [
        (Parts { actions: format!("{}, {}", run(""), run("")), ..parts() }, "two actions with the id 0"),
        (Parts { headers: header, ..parts() }, "two headers with the id 0"),
        (
            Parts { types: r#", {"name": "h_t", "id": 3, "fields": []}"#, ..parts() },
            "two header types \"h_t\"",
        ),
    ] {
        let message = made.refusal();
        assert!(message.contains(&format!("there are {expected}")), "{message}");
    }
}

#[test]
fn other_documents_and_versions() {
    let document = |text: &str| weir_json::Document::parse("x.json", text.to_owned()).unwrap();
    assert!(!weir_bmv2::is_bmv2(&document(r#"{"hosts": {}, "links": []}"#)));
    assert!(weir_bmv2::is_bmv2(&document(&Parts::default().json())));
    let old = Parts::default().json().replace(r#""version": [2, 23]"#, r#""version": [1, 0]"#);
    let message = weir_bmv2::read(&document(&old)).map(drop).unwrap_err().to_string();
    assert!(
        message.contains("$.__meta__.version[0]: Weir cannot run this: the format has the version 1, not 2"),
        "{message}"
    );
    let psa = Parts::default().json().replace(r#""name": "egress""#, r#""name": "egress_pipe""#);
    let message = weir_bmv2::read(&document(&psa)).map(drop).unwrap_err().to_string();
    assert!(message.contains("v1model has no pipeline \"egress_pipe\""), "{message}");
}

#[test]
fn expressions_that_would_grow_without_end() {
    let mut value = field_value("a");
    for _ in 0..30 {
        value = operation("usat_cast", &operation("*", &value, &field_value("b")), &hex_value("0x8"));
    }
    let refusal =
        Parts { actions: run(&assign("h", "a", &value)), ingress: RUN, ..Parts::default() }.refusal();
    assert!(refusal.contains("casts with saturation are nested too deeply"), "{refusal}");
    // Sums as p4c writes them for `|+|` may be long.
    let mut value = field_value("a");
    for _ in 0..30 {
        value = operation("usat_cast", &operation("+", &value, &field_value("b")), &hex_value("0x8"));
    }
    let actions = run(&assign("h", "a", &value));
    let parts = Parts { actions, ingress: RUN, ..Parts::default() };
    parts.test("packet 0 0101 0000\nexpect 0 1f01 0000$\npacket 0 01 10 0000\nexpect 0 ff10 0000$\n");
}

#[test]
fn fields_without_bits() {
    let parts = Parts {
        fields: r#"["none", 0], ["a", 8]"#,
        actions: run(&assign("h", "none", &operation("&", &field_value("a"), &hex_value("0xf")))),
        ingress: RUN,
        ..Parts::default()
    };
    parts.test("packet 0 07\nexpect 0 07$\n");
}
