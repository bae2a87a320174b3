//! Runtime JSON and runtime commands on a switch that runs
//! `testdata/switch/control.p4`.

use crate::common;

use weir_control::commands::{self, LineResults, Runtime};
use weir_control::{Names, runtime_json};
use weir_json::{Document, Mistakes};
use weir_switch::control::{CloneSession, ControlError, Replica, Update};
use weir_switch::{Switch, SwitchConfig};

fn switch() -> Switch {
    common::switch(
        include_str!("../../../../testdata/switch/control.p4"),
        SwitchConfig::default().with_ports(1..=3),
    )
}

/// Runs the lines of a text. Returns the output of the requests, or the first mistake.
fn run(switch: &mut Switch, lines: &str) -> Result<Vec<String>, String> {
    let ran = run_all(switch, lines);
    match ran.failed.first() {
        None => Ok(ran.printed),
        Some((line, error)) => Err(format!("{line}: {error}")),
    }
}

fn run_all(switch: &mut Switch, lines: &str) -> LineResults {
    let mut runtime = Runtime::default();
    let mut control = switch.control();
    let names = Names::new(control.schema());
    commands::run_lines(&mut runtime.session(&mut control, names, "s1", "control.p4"), lines)
}

#[test]
fn bits_outside_a_prefix_are_remarked_on() {
    let mut switch = switch();
    let remark = "10.1.0.0/8 has bits outside its prefix, which do not count: 10.0.0.0/8";
    let ran =
        run_all(&mut switch, "table_add prefixes to 11.0.0.0/8 => 2\ntable_add prefixes to 10.1.0.0/8 => 2");
    assert_eq!(ran.printed, ["entry 0 added", "entry 1 added"]);
    assert_eq!(ran.remarks, [(2, remark.to_owned())]);
}

#[test]
fn commands_change_and_show_tables() {
    let mut switch = switch();
    let lines = "table_add prefixes to 0.0.0.0/8 => 2  # a comment\n\ntable_dump prefixes\nmc_mgrp_create 1\n\
                 mc_node_create 7 2 1\nmc_node_associate 1 0\nmc_dump";
    assert_eq!(
        run(&mut switch, lines).unwrap(),
        [
            "entry 0 added",
            "0: 0/8 => I.to 2",
            "default => I.answer 7",
            "node 0 created",
            "group 1",
            "  node 0: rid 7, ports 1 2"
        ]
    );
    assert_eq!(
        run(&mut switch, "show_tables\ntable_delte prefixes 0").unwrap_err(),
        "2: there is no runtime command \"table_delte\" (help shows them); did you mean \"table_delete\"?"
    );
    assert_eq!(
        run(&mut switch, "table_delete prefixes 5").unwrap_err(),
        "1: table `I.prefixes` has no entry with handle 5"
    );
    assert_eq!(
        run(&mut switch, "meter_set_rates by_bytes 0 2:1 1:1").unwrap_err(),
        "1: the second rate (1:1) is below the first (2:1)"
    );
    let rates = run(&mut switch, "meter_set_rates by_bytes 0 0.5:10 16Mbit:20\nmeter_get_rates by_bytes 0");
    assert_eq!(rates.unwrap(), ["green: 0.5:10", "yellow: 2:20"]);
}

#[test]
fn lines_that_fail_do_not_stop_the_others() {
    let mut switch = switch();
    let lines = "// routes\ntable_add prefixes to 0.0.0.0/8 => 2 // to port 2\ntable_ad prefixes\n\
                 table_add prefixs to 1.0.0.0/8 => 2\ntable_num_entries prefixes";
    let ran = run_all(&mut switch, lines);
    assert_eq!(ran.printed, ["entry 0 added", "1"]);
    let failed: Vec<_> = ran.failed.iter().map(|(line, error)| format!("{line}: {error}")).collect();
    assert_eq!(
        failed,
        [
            "3: there is no runtime command \"table_ad\" (help shows them); did you mean \"table_add\"?",
            "4: there is no table \"prefixs\"; did you mean \"I.prefixes\"?",
        ]
    );
}

/// Applies runtime JSON.
fn apply_document(switch: &mut Switch, document: &Document) -> Result<usize, Mistakes> {
    let mut control = switch.control();
    let names = Names::new(control.schema());
    runtime_json::apply(&mut control, names, document)
}

#[test]
fn meters_can_be_slower_than_one_a_second() {
    let mut switch = switch();
    let slow = "meter_set_rates by_packets 0 0.0000001:1 0.25pps:2\nmeter_get_rates by_packets 0";
    assert_eq!(run(&mut switch, slow).unwrap(), ["green: 0.0000001:1", "yellow: 0.00000025:2"]);
    let bits = "meter_set_rates by_bytes 0 1bit:1 4bit:2\nmeter_get_rates by_bytes 0";
    assert_eq!(run(&mut switch, bits).unwrap(), ["green: 0.000000125:1", "yellow: 0.0000005:2"]);
    let wrong = "meter_set_rates by_packets 0 1e-16:1 1:2";
    assert_eq!(
        run(&mut switch, wrong).unwrap_err(),
        "1: 1e-16 is less than a billionth a second: no meter is that slow"
    );
    let entry = |rate| {
        let config = format!("{{\"cir\": {rate}, \"cburst\": 1, \"pir\": 1, \"pburst\": 1}}");
        let text = format!("{{\"meter_entries\": [{{\"meter\": \"by_packets\", \"config\": {config}}}]}}");
        Document::parse("s1.json", text).expect("it is JSON")
    };
    assert_eq!(apply_document(&mut switch, &entry("0.5")), Ok(1));
    assert_eq!(
        run(&mut switch, "meter_get_rates by_packets 3").unwrap(),
        ["green: 0.0000005:1", "yellow: 0.000001:1"]
    );
    let error = apply_document(&mut switch, &entry("\"fast\"")).unwrap_err();
    assert!(error.to_string().contains("expected a rate in units per second, a number"), "{error}");
}

#[test]
fn copies_can_go_to_ports_that_are_not_connected() {
    let mut switch = switch();
    let lines = "mirroring_add 1 77\nmc_mgrp_create 1\nmc_node_create 0 2 99\nmc_node_associate 1 0\nmirroring_get 1\nmc_dump";
    assert_eq!(
        run(&mut switch, lines).unwrap(),
        ["node 0 created", "session 1: port 77", "group 1", "  node 0: rid 0, ports 2 99"]
    );
}

/// v1model has 9 bits for a port.
#[test]
fn ports_for_which_the_program_has_no_bits_are_refused() {
    let mut switch = switch();
    let wrong = "there is no port 512: ports of the program have 9 bits, 0 to 511";
    for line in ["mirroring_add 5 512", "mc_node_create 1 3 512", "mc_set_lag_membership 1 512"] {
        assert_eq!(run(&mut switch, line).unwrap_err(), format!("1: {wrong}"), "{line}");
    }
    let lines = "mc_mgrp_create 1\nmc_node_create 1 3\nmc_node_associate 1 0\nmc_node_update 0 512";
    assert_eq!(run(&mut switch, lines).unwrap_err(), format!("4: {wrong}"));
    assert_eq!(run(&mut switch, "mirroring_add 5 511\nmirroring_get 5").unwrap(), ["session 5: port 511"]);
    for (section, rest) in [
        ("multicast_group_entries", "\"multicast_group_id\": 1"),
        ("clone_session_entries", "\"clone_session_id\": 1"),
    ] {
        for replica in [
            "{\"egress_port\": 512, \"instance\": 1}",
            "{\"egress_port\": 1, \"backup_replicas\": [{\"port\": 512}]}",
        ] {
            let text = format!("{{\"{section}\": [{{{rest}, \"replicas\": [{replica}]}}]}}");
            let document = Document::parse("s1.json", text).unwrap();
            let error = apply_document(&mut switch, &document).unwrap_err().to_string();
            assert!(error.ends_with("512 is out of range: expected a port from 0 to 511"), "{error}");
        }
    }
    // Code that calls the control interface directly gets the same error.
    let replicas = Some(vec![Replica::new(1, 0), Replica::new(600, 0)]);
    let error = switch.control().write(&[Update::SetMulticastGroup { group: 2, replicas }]).unwrap_err();
    assert_eq!(error.error, ControlError::PortTooLarge { port: 600, last: 511 });
    let config = Some(CloneSession { port: Some(600), ..CloneSession::default() });
    let error = switch.control().write(&[Update::SetCloneSession { session: 2, config }]).unwrap_err();
    assert_eq!(error.error, ControlError::PortTooLarge { port: 600, last: 511 });
}

#[test]
fn documents_have_all_their_mistakes_listed() {
    let mut switch = switch();
    let text = r#"{
  "target": "bmv3",
  "table_entries": [
    {"table": "prefixs", "match": {}, "action_name": "drop"},
    {"table": "prefixes", "match": {"answer": "10.0.0.0/8"}, "action_name": "drop"},
    {"table": "prefixes", "match": {"answer": "10.0.0.0/40"}, "action_name": "drop"}
  ],
  "multicast_group_entries": [{"multicast_group_id": 0, "replicas": []}],
  "counter_entries": 5
}"#;
    let error = apply_document(&mut switch, &Document::parse("s1.json", text).unwrap()).unwrap_err();
    let text = error.to_string();
    let places: Vec<&str> = text.lines().map(|line| line.split(": ").next().unwrap()).collect();
    assert_eq!(
        places,
        ["s1.json:2:13", "s1.json:4:15", "s1.json:6:47", "s1.json:8:54", "s1.json:9:22"],
        "{text}"
    );
    assert_eq!(run(&mut switch, "table_num_entries prefixes").unwrap(), ["0"]);
    // A long list of mistakes is shortened, and the other mistakes are counted.
    let wrong = vec!["{\"table\": \"x\", \"action_name\": \"drop\"}"; 25].join(",\n");
    let document = Document::parse("s1.json", format!("{{\"table_entries\": [\n{wrong}]}}")).unwrap();
    let text = apply_document(&mut switch, &document).unwrap_err().to_string();
    assert_eq!((text.lines().count(), text.lines().last()), (21, Some("and 5 more mistakes")), "{text}");
}

#[test]
fn all_mistakes_of_an_element_are_listed() {
    let mut switch = switch();
    let text = r#"{
  "tabel_entries": [],
  "table_entries": [
    {"table": "all_kinds", "match": {"hdr.request.whta": 1, "value": "x", "from": 1, "x": 2}, "priority": "1",
      "action_name": "to", "action_params": {"prt": 1}, "idle_timeout_ns": -1},
    {"table": "prefixes", "mach": {}, "action_nam": "to", "acton_params": {}, "priority": 1},
    {"table": "prefixes", "default_action": true, "match": {"answer": "1.0.0.0/8"}, "priority": 3,
      "action_name": "to", "action_params": {"port": 512, "port2": 3}},
    {"table": "nothing", "action_name": 7, "priority": true, "action_profile_member": 2},
    {"table": "balance", "match": {"hdr.request.index": 1}, "action_profile_action_set": [
      {"action_name": "to", "action_params": {}, "weight": 0}, {"action": "to", "watch_port": "x"}], "at_random": 1}
  ],
  "multicast_group_entries": [
    {"multicast_group_id": 0, "replicas": [{"egress_prt": 1, "instance": 70000}, {"egress_port": 512, "backup_replicas": [{"prt": 1}, 7]}]}
  ],
  "clone_session_entries": [{"clone_session_id": 0, "replicas": [], "packet_length_bytes": -1}],
  "counter_entries": [{"counter": "x", "index": -1, "data": {"packets": 1, "byte_count": "x"}}],
  "meter_entries": [{"meter": "by_packets", "config": {"cir": "x", "cbrst": 1, "pir": 1}}],
  "register_entries": [{"register": "x", "index": "1", "data": {}, "value": 1}],
  "value_set_entries": [{"value_set": "dropped", "members": [1, 99999, "x"]}],
  "action_profile_groups": [{"action_profile": "places", "members": [{"member_id": 1, "weight": 0}, {"member_id": 1}, {}]}]
}"#;
    let error = apply_document(&mut switch, &Document::parse("s1.json", text).unwrap()).unwrap_err();
    let listed: Vec<_> = error.all().iter().map(ToString::to_string).collect();
    let place = |line: &String| {
        let parts: Vec<_> = line.splitn(5, ':').collect();
        format!("{}:{}", parts[1], parts[3])
    };
    let expected = [
        "2: $.tabel_entries",
        "4: $.table_entries[0].match.\"hdr.request.whta\"",
        "4: $.table_entries[0].match.value",
        "4: $.table_entries[0].match.x",
        "4: $.table_entries[0].priority",
        "5: $.table_entries[0].action_params.prt",
        "5: $.table_entries[0].idle_timeout_ns",
        "6: $.table_entries[1].mach",
        "6: $.table_entries[1].action_nam",
        "6: $.table_entries[1].acton_params",
        "6: $.table_entries[1].priority",
        "7: $.table_entries[2].match",
        "7: $.table_entries[2].priority",
        "8: $.table_entries[2].action_params.port",
        "8: $.table_entries[2].action_params.port2",
        "9: $.table_entries[3].table",
        "9: $.table_entries[3].action_name",
        "9: $.table_entries[3].priority",
        "9: $.table_entries[3].action_profile_member",
        "11: $.table_entries[4].action_profile_action_set[0].action_params",
        "11: $.table_entries[4].action_profile_action_set[0].weight",
        "11: $.table_entries[4].action_profile_action_set[1].action",
        "11: $.table_entries[4].action_profile_action_set[1].watch_port",
        "11: $.table_entries[4].at_random",
        "14: $.multicast_group_entries[0].multicast_group_id",
        "14: $.multicast_group_entries[0].replicas[0].egress_prt",
        "14: $.multicast_group_entries[0].replicas[0].instance",
        "14: $.multicast_group_entries[0].replicas[1].egress_port",
        "14: $.multicast_group_entries[0].replicas[1].backup_replicas[0].prt",
        "14: $.multicast_group_entries[0].replicas[1].backup_replicas[1]",
        "16: $.clone_session_entries[0].clone_session_id",
        "16: $.clone_session_entries[0].replicas",
        "16: $.clone_session_entries[0].packet_length_bytes",
        "17: $.counter_entries[0].counter",
        "17: $.counter_entries[0].index",
        "17: $.counter_entries[0].data.packets",
        "17: $.counter_entries[0].data.byte_count",
        "18: $.meter_entries[0].config",
        "18: $.meter_entries[0].config.cir",
        "18: $.meter_entries[0].config.cbrst",
        "19: $.register_entries[0].register",
        "19: $.register_entries[0].index",
        "19: $.register_entries[0].value",
        "20: $.value_set_entries[0].members[1]",
        "20: $.value_set_entries[0].members[2]",
        "21: $.action_profile_groups[0]",
        "21: $.action_profile_groups[0].action_profile",
        "21: $.action_profile_groups[0].members[0].weight",
        "21: $.action_profile_groups[0].members[1].member_id",
        "21: $.action_profile_groups[0].members[2]",
    ];
    assert_eq!(listed.iter().map(place).collect::<Vec<_>>(), expected, "{}", listed.join("\n"));
}

/// A program with signed values in keys, parameters, a register and a value set.
const SIGNED: &str = r#"
#include <core.p4>
#include <v1model.p4>
header tag_t { int<8> shift; int<12> wide; bit<4> rest; }
struct cell_t { int<8> left; bit<8> right; }
struct headers_t { tag_t tag; }
struct metadata_t { cell_t cell; }
parser MyParser(packet_in packet, out headers_t hdr, inout metadata_t meta,
                inout standard_metadata_t standard) {
    value_set<int<8>>(4) shifts;
    state start {
        packet.extract(hdr.tag);
        transition select(hdr.tag.shift) { shifts: more; default: accept; }
    }
    state more { standard.priority = 1; transition accept; }
}
control MyVerify(inout headers_t hdr, inout metadata_t meta) { apply {} }
control MyIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    register<int<12>>(2) single;
    register<cell_t>(2) pairs;
    action add(int<12> by) { hdr.tag.wide = hdr.tag.wide + by; standard.egress_spec = 1; }
    table exact_t { key = { hdr.tag.shift: exact; } actions = { add; NoAction; } }
    table others { key = { hdr.tag.shift: ternary; hdr.tag.wide: range; } actions = { add; NoAction; } }
    apply {
        exact_t.apply();
        others.apply();
        single.write(0, hdr.tag.wide);
        pairs.read(meta.cell, 1);
        meta.cell.left = hdr.tag.shift;
        pairs.write(0, meta.cell);
    }
}
control MyEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) { apply {} }
control MyCompute(inout headers_t hdr, inout metadata_t meta) { apply {} }
control MyDeparser(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }
V1Switch(MyParser(), MyVerify(), MyIngress(), MyEgress(), MyCompute(), MyDeparser()) main;
"#;

#[test]
fn signed_values_keep_their_sign_in_commands_and_documents() {
    let mut switch = common::switch(SIGNED, SwitchConfig::default().with_ports(1..=3));
    let lines = "table_add exact_t add -5 => -3\ntable_add exact_t add 254 => 0xffd\ntable_dump exact_t\n\
                 table_add others add -5&&&0xff -9->-1 => -2048 1\n\
                 register_write single 1 -7\nregister_read single 1\nregister_read single\n\
                 pvs_add shifts -4\npvs_get shifts";
    assert_eq!(
        run(&mut switch, lines).unwrap(),
        [
            "entry 0 added",
            "entry 1 added",
            "0: -5 => MyIngress.add -3",
            "1: -2 => MyIngress.add -3",
            "default => NoAction",
            "entry 0 added",
            "single[1] = -7",
            "single = 0, -7",
            "-4",
        ]
    );
    assert_eq!(
        run(&mut switch, "table_add exact_t add -129 => 1").unwrap_err(),
        "1: key hdr.tag.shift: -129 does not fit in 8 bits (-128 to 127, or bits up to 255)"
    );
    let error = run(&mut switch, "table_add others add 0&&&0 -5->5 => 1 1").unwrap_err();
    assert!(error.contains("the range -5 to 5 goes over 0"), "{error}");
    let text = r#"{"table_entries": [{"table": "exact_t", "match": {"hdr.tag.shift": -8},
        "action_name": "add", "action_params": {"by": -1}}],
        "register_entries": [{"register": "pairs", "index": 1, "data": {"left": -6, "right": 9}}]}"#;
    assert_eq!(apply_document(&mut switch, &Document::parse("s1.json", text).unwrap()), Ok(2));
    assert!(
        run(&mut switch, "table_dump exact_t").unwrap().contains(&"2: -8 => MyIngress.add -1".to_owned())
    );
    assert_eq!(run(&mut switch, "register_read pairs 1").unwrap(), ["pairs[1] = 64009"]);
    // An entry that was written with -5 matches a packet's -5.
    let packet = weir_device::Packet::new(0, vec![0xfb, 0x00, 0x40]);
    let mut sent = Vec::new();
    weir_device::Device::receive(&mut switch, 0, 2, packet);
    weir_device::Device::advance(&mut switch, 1_000_000_000, &mut sent);
    assert_eq!(sent[0].packet.bytes, [0xfb, 0x00, 0x10]);
}

#[test]
fn documents_are_atomic() {
    let mut switch = switch();
    let entry =
        "{\"table\": \"prefixes\", \"match\": {\"answer\": \"10.0.0.0/8\"}, \"action_name\": \"drop\"}";
    let apply = |switch: &mut Switch, entries: &str| {
        let text = format!("{{\"table_entries\": [\n{entries}\n]}}");
        let document = Document::parse("s1.json", text).map_err(|error| error.to_string())?;
        apply_document(switch, &document).map_err(|error| error.to_string())
    };
    let wrong = entry.replace("prefixes", "prefixs");
    assert_eq!(
        apply(&mut switch, &format!("{entry},\n{wrong}")).unwrap_err(),
        "s1.json:3:11: $.table_entries[1].table: there is no table \"prefixs\"; did you mean \"I.prefixes\"?"
    );
    assert_eq!(
        apply(&mut switch, &format!("{entry},\n{entry}")).unwrap_err(),
        "s1.json:3:1: $.table_entries[1]: this entry of table `I.prefixes` is here twice; the first is at 2:1: \
         $.table_entries[0]"
    );
    assert_eq!(run(&mut switch, "table_num_entries prefixes").unwrap(), ["0"]);
    assert_eq!(apply(&mut switch, entry), Ok(1));
    assert_eq!(run(&mut switch, "table_num_entries prefixes").unwrap(), ["1"]);
}
