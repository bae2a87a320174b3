//! Tables: keys, entries, defaults, and their next nodes.

use crate::bench::{Parts, action, assign, hex_value, send_to_port_1};

/// Returns the actions of these tests: one sets `c` to its parameter, one does nothing.
fn actions() -> String {
    let local = r#"{"type": "runtime_data", "value": 0}"#;
    let data = r#"{"name": "value", "bitwidth": 16}"#;
    let set = [send_to_port_1(), assign("h", "c", local)].join(",");
    let mark = assign("h", "b", &hex_value("0xbb"));
    [
        action(0, "I.set", data, &set),
        action(1, "NoAction", "", ""),
        action(2, "I.mark", "", &mark),
        // p4c creates a separate action for each table.
        action(3, "I.set", data, &set),
    ]
    .join(",")
}

const DEFAULT: &str = r#""default_entry": {"action_id": 1, "action_const": false, "action_data": [],
    "action_entry_const": false}"#;

#[test]
fn entries_of_the_control_plane() {
    let ingress = r#""init_table": "I.t", "conditionals": [], "tables": [{"name": "I.t", "id": 0,
        "key": [{"match_type": "lpm", "name": "hdr.h.c", "target": ["h", "c"], "mask": null},
            {"match_type": "exact", "target": ["h", "a"], "mask": "0x0f"}],
        "match_type": "lpm", "type": "simple", "max_size": 16, "with_counters": false, "support_timeout": true,
        "direct_meters": null, "action_ids": [0, 1], "actions": ["I.set", "NoAction"],
        "base_default_next": null, "next_tables": {"I.set": null, "NoAction": null}, DEFAULT}]"#;
    let ingress = Box::leak(ingress.replace("DEFAULT", DEFAULT).into_boxed_str());
    let parts = Parts { actions: actions(), ingress, ..Parts::default() };
    parts.test(
        "add I.t hdr.h.c:0x1200/8 h.a:0x5 I.set(value:0xabcd)\n\
         packet 0 f500 1234\nexpect 1 f500 abcd$\npacket 0 f600 1234\nexpect 0 f600 1234$\n\
         packet 0 f500 1334\nexpect 0 f500 1334$\n",
    );
}

#[test]
fn entries_of_the_program_and_their_order() {
    // The smaller priority wins.
    let ingress = r#""init_table": "I.t", "conditionals": [], "tables": [{"name": "I.t", "id": 0,
        "key": [{"match_type": "ternary", "target": ["h", "a"], "mask": null},
            {"match_type": "range", "target": ["h", "b"], "mask": null},
            {"match_type": "valid", "target": "h", "mask": null}],
        "match_type": "range", "type": "simple", "max_size": 16, "action_ids": [0, 1],
        "actions": ["I.set", "NoAction"], "next_tables": {"I.set": null, "NoAction": null}, DEFAULT,
        "entries": [
            {"match_key": [{"match_type": "ternary", "key": "0x00", "mask": "0x00"},
                {"match_type": "range", "start": "0x00", "end": "0xff"}, {"match_type": "valid", "key": true}],
             "action_entry": {"action_id": 0, "action_data": ["0x1111"]}, "priority": 3},
            {"match_key": [{"match_type": "ternary", "key": "0x10", "mask": "0xf0"},
                {"match_type": "range", "start": "0x05", "end": "0x07"}, {"match_type": "valid", "key": true}],
             "action_entry": {"action_id": 0, "action_data": ["0x2222"]}, "priority": 1},
            {"match_key": [{"match_type": "ternary", "key": "0x12", "mask": "0xff"},
                {"match_type": "range", "start": "0x00", "end": "0xff"}, {"match_type": "valid", "key": true}],
             "action_entry": {"action_id": 0, "action_data": ["0x3333"]}, "priority": 2}]}]"#;
    let ingress = Box::leak(ingress.replace("DEFAULT", DEFAULT).into_boxed_str());
    let parts = Parts { actions: actions(), ingress, ..Parts::default() };
    parts.test(
        "packet 0 1206 0000\nexpect 1 1206 2222$\npacket 0 1208 0000\nexpect 1 1208 3333$\n\
         packet 0 1308 0000\nexpect 1 1308 1111$\n",
    );
}

#[test]
fn next_nodes_by_hit_and_by_action() {
    let key = r#"[{"match_type": "exact", "target": ["h", "a"], "mask": null}]"#;
    let rest = r#""match_type": "exact", "type": "simple", "max_size": 16, "base_default_next": null"#;
    let ingress = format!(
        r#""init_table": "I.one", "conditionals": [], "action_calls": [
            {{"name": "mark", "id": 0, "action_id": 2, "next_node": null}}],
        "tables": [{{"name": "I.one", "id": 0, "key": {key}, {rest}, "action_ids": [0, 1],
            "actions": ["I.set", "NoAction"], "next_tables": {{"__HIT__": "I.two", "__MISS__": "mark"}}, {DEFAULT}}},
        {{"name": "I.two", "id": 1, "key": {key}, {rest}, "action_ids": [3, 1],
            "actions": ["I.set", "NoAction"], "next_tables": {{"I.set": "mark", "NoAction": null}}, {DEFAULT}}}]"#
    );
    let parts =
        Parts { actions: actions(), ingress: Box::leak(ingress.into_boxed_str()), ..Parts::default() };
    parts.test(
        "add I.one h.a:1 I.set(value:0x1111)\nadd I.one h.a:2 I.set(value:0x2222)\n\
         add I.two h.a:2 I.set(value:0x3333)\n\
         packet 0 0100 0000\nexpect 1 0100 1111$\npacket 0 0200 0000\nexpect 1 02bb 3333$\n\
         packet 0 0300 0000\nexpect 0 03bb 0000$\n",
    );
}

#[test]
fn actions_of_one_name_are_one_for_the_control_plane() {
    let key = r#"[{"match_type": "exact", "target": ["h", "a"], "mask": null}]"#;
    let rest = r#""match_type": "exact", "type": "simple", "max_size": 16"#;
    let ingress = format!(
        r#""init_table": "I.one", "conditionals": [], "tables": [
        {{"name": "I.one", "id": 0, "key": {key}, {rest}, "action_ids": [0, 1],
            "actions": ["I.set", "NoAction"], "next_tables": {{"I.set": "I.two", "NoAction": "I.two"}}, {DEFAULT}}},
        {{"name": "I.two", "id": 1, "key": {key}, {rest}, "action_ids": [3, 1],
            "actions": ["I.set", "NoAction"], "next_tables": {{"I.set": null, "NoAction": null}}, {DEFAULT}}}]"#
    );
    let parts =
        Parts { actions: actions(), ingress: Box::leak(ingress.into_boxed_str()), ..Parts::default() };
    let document = weir_json::Document::parse("test.json", parts.json()).unwrap();
    let program = weir_bmv2::read(&document).unwrap();
    let names: Vec<_> = program
        .tables
        .values()
        .map(|table| program.actions[table.actions[0].action].control_plane_name())
        .collect();
    assert_eq!(names, ["I.set", "I.set"]);
    assert_ne!(
        program.tables.values().next().unwrap().actions[0].action,
        program.tables.values().nth(1).unwrap().actions[0].action
    );
}
