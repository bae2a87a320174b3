//! Tests arithmetic on unbounded numbers, which are truncated when they are written.

use crate::bench::{Parts, RUN, assign, field_value, hex_value, operation, run, send_to_port_1};

/// The packet `a b cccc` with `c` replaced by a value.
fn assert_result(value: &str, packet: &str, expected: &str) {
    let actions = run(&[send_to_port_1(), assign("h", "c", value)].join(","));
    let parts = Parts { actions, ingress: RUN, ..Parts::default() };
    parts.test(&format!("packet 0 {packet} 0000\nexpect 1 {packet} {expected}$\n"));
}

#[test]
fn sums_grow_until_they_are_truncated() {
    // 0xff + 0x02 = 0x101 fits into 16 bits.
    assert_result(&operation("+", &field_value("a"), &field_value("b")), "ff02", "0101");
    // With the mask that p4c writes for bit<8>, the sum wraps.
    assert_result(
        &operation("&", &operation("+", &field_value("a"), &field_value("b")), &hex_value("0xff")),
        "ff02",
        "0001",
    );
    // The field truncates the sum of two large constants.
    assert_result(&operation("+", &hex_value("0xffff"), &field_value("a")), "0200", "0001");
}

#[test]
fn differences_can_be_negative() {
    assert_result(&operation("-", &field_value("a"), &field_value("b")), "0103", "fffe");
    assert_result(
        &operation("&", &operation("-", &field_value("a"), &field_value("b")), &hex_value("0xff")),
        "0103",
        "00fe",
    );
    // The sign of a difference matters only in comparisons: 1 - 3 < 0.
    let smaller = operation("<", &operation("-", &field_value("a"), &field_value("b")), &hex_value("0x0"));
    assert_result(&operation("b2d", "null", &smaller), "0103", "0001");
    assert_result(&operation("b2d", "null", &smaller), "0301", "0000");
    assert_result(&operation("-", "null", &field_value("a")), "0100", "ffff");
    assert_result(&operation("~", "null", &field_value("a")), "0f00", "fff0");
    assert_result(&operation("+", "null", &field_value("a")), "0f00", "000f");
}

#[test]
fn shifts_and_slices() {
    assert_result(&operation("<<", &field_value("a"), &hex_value("0x4")), "ff00", "0ff0");
    assert_result(&operation("<<", &field_value("a"), &field_value("b")), "ff09", "fe00");
    assert_result(&operation(">>", &field_value("a"), &hex_value("0x4")), "ff00", "000f");
    // A slice as p4c writes it: a[6:3].
    assert_result(
        &operation("&", &operation(">>", &field_value("a"), &hex_value("0x3")), &hex_value("0xf")),
        "7800",
        "000f",
    );
    // A negative number shifted to the right stays negative.
    let negative = operation("two_comp_mod", &field_value("a"), &hex_value("0x8"));
    assert_result(&operation(">>", &negative, &hex_value("0x1")), "fe00", "ffff");
}

#[test]
fn products_quotients_and_bits() {
    assert_result(&operation("*", &field_value("a"), &field_value("b")), "ffff", "fe01");
    assert_result(
        &operation("/", &operation("*", &field_value("a"), &field_value("b")), &hex_value("0x2")),
        "ffff",
        "7f00",
    );
    assert_result(&operation("%", &field_value("a"), &hex_value("0x7")), "1000", "0002");
    assert_result(&operation("|", &field_value("a"), &field_value("b")), "f00f", "00ff");
    assert_result(&operation("^", &field_value("a"), &field_value("b")), "ff0f", "00f0");
    assert_result(&operation("&", &field_value("a"), &field_value("b")), "ff3c", "003c");
}

#[test]
fn casts() {
    // 0x81 in 8 bits is -127, in 16 bits 0xff81.
    assert_result(&operation("two_comp_mod", &field_value("a"), &hex_value("0x8")), "8100", "ff81");
    assert_result(
        &operation("two_comp_mod", &operation("+", &field_value("a"), &field_value("b")), &hex_value("0x8")),
        "7f01",
        "ff80",
    );
    // Saturation of bit<8>.
    assert_result(
        &operation("usat_cast", &operation("+", &field_value("a"), &field_value("b")), &hex_value("0x8")),
        "ff02",
        "00ff",
    );
    assert_result(
        &operation("usat_cast", &operation("-", &field_value("a"), &field_value("b")), &hex_value("0x8")),
        "0102",
        "0000",
    );
    assert_result(
        &operation("usat_cast", &operation("*", &field_value("a"), &field_value("b")), &hex_value("0x8")),
        "8002",
        "00ff",
    );
    // Saturation of int<8>: -128 - 1, and 127 + 1.
    let signed = |name| operation("two_comp_mod", &field_value(name), &hex_value("0x8"));
    assert_result(
        &operation("sat_cast", &operation("-", &signed("a"), &signed("b")), &hex_value("0x8")),
        "8001",
        "ff80",
    );
    assert_result(
        &operation("sat_cast", &operation("+", &signed("a"), &signed("b")), &hex_value("0x8")),
        "7f01",
        "007f",
    );
    assert_result(
        &operation("sat_cast", &operation("*", &signed("a"), &signed("b")), &hex_value("0x8")),
        "8002",
        "ff80",
    );
}

#[test]
fn choices_and_conditions() {
    let choice = r#"{"type": "expression", "value": {"op": "?", "cond": COND,
        "left": {"type": "field", "value": ["h", "a"]}, "right": {"type": "hexstr", "value": "0x1234"}}}"#;
    let equal = operation("==", &field_value("a"), &field_value("b"));
    assert_result(&choice.replace("COND", &equal), "0505", "0005");
    assert_result(&choice.replace("COND", &equal), "0506", "1234");
    let both = operation(
        "and",
        &operation(">=", &field_value("a"), &hex_value("0x5")),
        &operation("not", "null", &equal),
    );
    assert_result(&choice.replace("COND", &both), "0506", "0005");
    assert_result(&choice.replace("COND", &both), "0406", "1234");
    let either = operation(
        "or",
        &operation("!=", &field_value("a"), &hex_value("0x5")),
        &operation("d2b", "null", &operation("&", &field_value("b"), &hex_value("0x1"))),
    );
    assert_result(&choice.replace("COND", &either), "0502", "1234");
    assert_result(&choice.replace("COND", &either), "0503", "0005");
    let valid = operation("d2b", "null", r#"{"type": "field", "value": ["h", "$valid$"]}"#);
    assert_result(&choice.replace("COND", &valid), "0700", "0007");
}

#[test]
fn signed_fields_and_wide_shifts() {
    let minus_two = assign("meta", "s", &operation("-", &field_value("a"), &field_value("b")));
    let negative = operation("<", r#"{"type": "field", "value": ["meta", "s"]}"#, &hex_value("-0x1"));
    let actions =
        run(&[send_to_port_1(), minus_two, assign("h", "c", &operation("b2d", "null", &negative))].join(","));
    let parts = Parts { actions, ingress: RUN, ..Parts::default() };
    parts.test("packet 0 0103 0000\nexpect 1 0103 0001$\npacket 0 0301 0000\nexpect 1 0301 0000$\n");
    // Shifted by a field of 16 bits, a number has too many bits for any type.
    let shifted = operation("<", &operation("<<", &field_value("a"), &field_value("c")), &hex_value("0x1"));
    let actions = run(&assign("h", "a", &operation("b2d", "null", &shifted)));
    let refusal = Parts { actions, ingress: RUN, ..Parts::default() }.refusal();
    assert!(refusal.contains("numbers of more than 2048 bits"), "{refusal}");
}

#[test]
fn the_older_primitives() {
    let operation = |op: &str, values: &str| {
        format!(r#"{{"op": "{op}", "parameters": [{{"type": "field", "value": ["h", "c"]}}, {values}]}}"#)
    };
    let primitives = [
        send_to_port_1(),
        operation("modify_field", &hex_value("0xfffe")),
        operation("add_to_field", &field_value("a")),
        operation("subtract_from_field", &hex_value("0x1")),
    ];
    let parts = Parts { actions: run(&primitives.join(",")), ingress: RUN, ..Parts::default() };
    parts.test("packet 0 0500 0000\nexpect 1 0500 0002$\n");
    for (name, expected) in [
        ("add", "0009"),
        ("subtract", "fffb"),
        ("bit_and", "0002"),
        ("bit_or", "0007"),
        ("bit_xor", "0005"),
        ("shift_left", "0100"),
        ("shift_right", "0000"),
    ] {
        let primitive = operation(name, &[field_value("a"), field_value("b")].join(","));
        let parts = Parts {
            actions: run(&[send_to_port_1(), primitive].join(",")),
            ingress: RUN,
            ..Parts::default()
        };
        parts.test(&format!("packet 0 0207 0000\nexpect 1 0207 {expected}$\n"));
    }
}
