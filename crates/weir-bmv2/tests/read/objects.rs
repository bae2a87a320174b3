//! Extern objects, calculations, and primitives that use them.

use crate::bench::{Parts, RUN, assign, field_value, hex_value, operation, run, send_to_port_1};

fn primitive(name: &str, parameters: &[&str]) -> String {
    format!(r#"{{"op": "{name}", "parameters": [{}]}}"#, parameters.join(","))
}

fn named_value(ty: &str, name: &str) -> String {
    format!(r#"{{"type": "{ty}", "value": "{name}"}}"#)
}

#[test]
fn registers_keep_values_in_their_width() {
    let register = named_value("register_array", "I.r");
    let primitives = [
        send_to_port_1(),
        primitive("register_read", &[&field_value("c"), &register, &field_value("a")]),
        primitive(
            "register_write",
            &[&register, &field_value("a"), &operation("+", &field_value("c"), &hex_value("0x1ff"))],
        ),
    ];
    let parts = Parts {
        members: r#""register_arrays": [{"name": "I.r", "id": 0, "size": 4, "bitwidth": 8}],"#,
        actions: run(&primitives.join(",")),
        ingress: RUN,
        ..Parts::default()
    };
    parts.test(
        "packet 0 0100 0000\nexpect 1 0100 0000$\npacket 0 0100 0000\nexpect 1 0100 00ff$\n\
         packet 0 0100 0000\nexpect 1 0100 00fe$\npacket 0 0200 0000\nexpect 1 0200 0000$\n",
    );
}

#[test]
fn counters_and_meters() {
    let primitives = [
        send_to_port_1(),
        primitive("count", &[&named_value("counter_array", "I.n"), &field_value("a")]),
        primitive(
            "execute_meter",
            &[&named_value("meter_array", "I.m"), &field_value("a"), &field_value("c")],
        ),
    ];
    let parts = Parts {
        members: r#""counter_arrays": [{"name": "I.n", "id": 0, "size": 4, "is_direct": false}],
            "meter_arrays": [{"name": "I.m", "id": 0, "size": 4, "is_direct": false, "type": "packets",
                "rate_count": 2}],"#,
        actions: run(&primitives.join(",")),
        ingress: RUN,
        ..Parts::default()
    };
    parts.test(
        "packet 0 0100 ffff\nexpect 1 0100 0000$\npacket 0 0100 ffff\nexpect 1 0100 0000$\n\
         check_counter I.n(1) packets == 2\ncheck_counter I.n(1) bytes == 8\ncheck_counter I.n(0) packets == 0\n",
    );
}

#[test]
fn hashes_and_checksums() {
    // The crc16 of 01 02, scaled to numbers below 0x100, and to numbers from 0x300 on; and the
    // checksum of the header over a and b.
    let calculation = named_value("calculation", "calc");
    let hash = primitive(
        "modify_field_with_hash_based_offset",
        &[&field_value("c"), &hex_value("0x300"), &calculation, &hex_value("0x100")],
    );
    let inputs = format!(
        r#"[{}, {}, {{"type": "hexstr", "value": "0x0", "bitwidth": 8}}]"#,
        field_value("a"),
        field_value("b")
    );
    let sum_inputs = format!("[{}, {}]", field_value("a"), field_value("b"));
    let calculations = format!(
        r#""calculations": [{{"name": "calc", "id": 0, "algo": "identity", "input": {inputs}}},
            {{"name": "sum", "id": 1, "algo": "csum16", "input": {sum_inputs}}}],"#
    );
    let parts = Parts {
        members: Box::leak(calculations.clone().into_boxed_str()),
        actions: run(&[send_to_port_1(), hash].join(",")),
        ingress: RUN,
        ..Parts::default()
    };
    // `identity` returns the data itself, 0x010200.
    parts.test("packet 0 0102 0000\nexpect 1 0102 0300$\n");

    let condition = operation("==", &field_value("a"), &hex_value("0x1"));
    let checksums = format!(
        r#"{calculations} "checksums": [{{"name": "cksum", "id": 0, "target": ["h", "c"], "type": "generic",
            "calculation": "sum", "verify": false, "update": true, "if_cond": {condition}}},
          {{"name": "cksum_0", "id": 1, "target": ["h", "c"], "type": "generic",
            "calculation": "sum", "verify": true, "update": false, "if_cond": null}}],"#
    );
    let wrong = r#"{"type": "field", "value": ["standard_metadata", "checksum_error"]}"#;
    let parts = Parts {
        members: Box::leak(checksums.into_boxed_str()),
        actions: run(&[send_to_port_1(), assign("h", "b", wrong)].join(",")),
        ingress: RUN,
        ..Parts::default()
    };
    // The checksum of 0101 is fefe. The checksum of 0201 is right in the second packet and stays
    // unchanged, because it must not be updated there.
    parts.test("packet 0 0101 0000\nexpect 1 0101 fefe$\npacket 0 0201 fdfe\nexpect 1 0200 fdfe$\n");
}

#[test]
fn clones_keep_the_fields_of_a_list() {
    let session = hex_value("0x5");
    let primitives = [
        send_to_port_1(),
        assign("meta", "x", &field_value("c")),
        primitive("clone_ingress_pkt_to_egress", &[&session, &hex_value("0x2")]),
    ];
    let parts = Parts {
        members: r#""field_lists": [{"name": "fl", "id": 2, "elements": [{"type": "field", "value": ["meta", "x"]}]}],"#,
        actions: run(&primitives.join(",")),
        ingress: RUN,
        ..Parts::default()
    };
    let document = weir_json::Document::parse("test.json", parts.json()).unwrap();
    let program = weir_bmv2::read(&document).unwrap();
    let x = program.vars.values().find(|var| var.name == "meta.x").unwrap();
    assert_eq!(x.annotations[0].name, "field_list");
    let text = weir_ir::text::print(&program);
    assert!(
        text.contains(
            "clone_preserving_field_list(in `type` = CloneType::I2E, in session = 3w5, in index = 8w2)"
        ),
        "{text}"
    );
    parts.test("mirroring_add 5 3\npacket 0 0101 1234\nexpect 1 0101 1234$\nexpect 3 0101 1234$\n");
}

#[test]
fn digests_random_numbers_messages_and_the_rest() {
    let text = r#"{"type": "string", "value": "a is {}"}"#;
    let values = format!(r#"{{"type": "parameters_vector", "value": [{}]}}"#, field_value("a"));
    let primitives = [
        send_to_port_1(),
        primitive("generate_digest", &[&hex_value("0x1"), &hex_value("0x7")]),
        primitive("modify_field_rng_uniform", &[&field_value("c"), &hex_value("0x9"), &hex_value("0x0009")]),
        primitive("log_msg", &[text, &values]),
        primitive("assert", &[&operation("!=", &field_value("a"), &hex_value("0x2"))]),
        primitive("truncate", &[&hex_value("0x5")]),
        primitive("no_op", &[]),
    ];
    let lists = format!(
        r#""learn_lists": [{{"name": "learn_t", "id": 7, "elements": [{}, {}]}}],"#,
        field_value("a"),
        r#"{"type": "field", "value": ["standard_metadata", "ingress_port"]}"#
    );
    let parts = Parts {
        members: Box::leak(lists.into_boxed_str()),
        actions: run(&primitives.join(",")),
        ingress: RUN,
        ..Parts::default()
    };
    let document = weir_json::Document::parse("test.json", parts.json()).unwrap();
    let program = weir_bmv2::read(&document).unwrap();
    assert!(weir_ir::text::print(&program).contains("digest<bit<8>, bit<9>> as <learn_t>"));
    parts.test("packet 0 0100 0000 aabb\nexpect 1 0100 0009 aa$\npacket 0 0200 0000\n");
}

#[test]
fn packets_are_marked_to_be_dropped() {
    let drop = primitive("mark_to_drop", &[&named_value("header", "standard_metadata")]);
    let parts = Parts { actions: run(&[send_to_port_1(), drop].join(",")), ingress: RUN, ..Parts::default() };
    parts.test("packet 0 0100 0000\n");
}
