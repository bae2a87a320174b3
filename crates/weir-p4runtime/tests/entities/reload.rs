//! Tests that reloading files applies the files' changes and keeps the controllers' changes.

use std::sync::Arc;

use weir_control::{Names, runtime_json};
use weir_json::Document;
use weir_p4runtime::{Carried, Files, Pipeline, Reload, Reloaded, Translations};
use weir_switch::{Switch, SwitchConfig};

use crate::bench::{self, Bench, message, text};

const BEFORE: &str = r#"{
  "table_entries": [
    {"table": "timed", "match": {"hdr.flow.port": 1}, "action_name": "forward", "action_params": {"port": 1}},
    {"table": "timed", "match": {"hdr.flow.port": 2}, "action_name": "forward", "action_params": {"port": 2}},
    {"table": "timed", "match": {"hdr.flow.port": 3}, "action_name": "forward", "action_params": {"port": 3}},
    {"table": "keyless", "default_action": true, "action_name": "forward", "action_params": {"port": 3}}
  ],
  "multicast_group_entries": [
    {"multicast_group_id": 1, "replicas": [{"egress_port": 1, "instance": 0}]},
    {"multicast_group_id": 2, "replicas": [{"egress_port": 2, "instance": 0}]}
  ]
}"#;

const AFTER: &str = r#"{
  "table_entries": [
    {"table": "timed", "match": {"hdr.flow.port": 1}, "action_name": "forward", "action_params": {"port": 5}},
    {"table": "timed", "match": {"hdr.flow.port": 2}, "action_name": "forward", "action_params": {"port": 2}}
  ],
  "multicast_group_entries": [
    {"multicast_group_id": 1, "replicas": [{"egress_port": 1, "instance": 0}]}
  ]
}"#;

/// The controller's writes between the two reads of the files.
const WRITTEN: &str = r#"
  updates { type: INSERT entity { table_entry { table_id: 0x02000006
    match { field_id: 1 exact { value: "\x04" } } metadata: "mine"
    action { action { action_id: 0x01000002 params { param_id: 1 value: "\x04" } } } } } }
  updates { type: MODIFY entity { table_entry { table_id: 0x02000006
    match { field_id: 1 exact { value: "\x02" } }
    action { action { action_id: 0x01000002 params { param_id: 1 value: "\x07" } } } } } }
  updates { type: INSERT entity { packet_replication_engine_entry {
    multicast_group_entry { multicast_group_id: 5 } } } }
  updates { type: MODIFY entity { register_entry { register_id: 0x16000001
    index { index: 2 } data { bitstring: "\x2a" } } } }"#;

fn fill(switch: &mut Switch, json: &str) {
    let document = Document::parse("entries.json", json).unwrap();
    let mut control = switch.control();
    let names = Names::new(control.schema());
    runtime_json::apply(&mut control, names, &document).unwrap();
}

fn switch_from_files(executor: Arc<weir_interp::Interpreter>, json: &str) -> Switch {
    let config = SwitchConfig::default().with_ports((0..16).chain([bench::CPU_PORT]));
    let mut switch = Switch::new(executor, config).unwrap();
    fill(&mut switch, json);
    switch
}

/// Returns a switch that has run for a while, after its files were read again.
fn reloaded(is_replaced: bool) -> (Switch, Reloaded) {
    let mut bench = Bench::new();
    fill(&mut bench.switch, BEFORE);
    bench.write(&message("p4.v1.WriteRequest", WRITTEN)).unwrap();
    let before = switch_from_files(bench::executor(), BEFORE);
    let after = switch_from_files(if is_replaced { bench::compiled() } else { bench::executor() }, AFTER);
    let reload = Reload::new(
        Files { before, after },
        Translations { cpu: Some(bench::CPU_PORT), ..Translations::default() },
    )
    .unwrap();
    let reloaded = reload.apply(&mut bench.switch, 1).unwrap();
    assert_eq!(reloaded.is_replaced, is_replaced);
    (bench.switch, reloaded)
}

/// Returns the requested state of a switch, as text.
fn state(switch: Switch, request: &str) -> Vec<String> {
    let pipeline = Pipeline::new(bench::p4info(), switch.program(), switch.schema()).unwrap();
    let mut bench = Bench { switch, pipeline, now: 1 };
    let (read, _, done) = bench.read(&[message("p4.v1.Entity", request)]);
    done.unwrap();
    read.iter().map(text).collect()
}

#[test]
fn changes_of_files_and_controllers_are_combined() {
    for is_replaced in [false, true] {
        let (switch, Reloaded { kept, changed, .. }) = reloaded(is_replaced);
        assert!(kept.lost.is_empty() && changed.lost.is_empty(), "{kept:?} {changed:?}");
        let counts = |carried: &Carried| carried.written.clone().into_iter().collect::<Vec<_>>();
        let expected =
            [("default actions", 1), ("multicast groups and clone sessions", 1), ("table entries", 2)];
        assert_eq!(counts(&changed), expected);
        let entries = state(switch, "table_entry { table_id: 0x02000006 }");
        let ports = [(1, 5), (2, 7), (4, 4)];
        assert_eq!(entries.len(), ports.len(), "{entries:?}");
        for (key, port) in ports {
            let key = format!("exact{{value:\"\\{key:03o}\"}}");
            let entry = entries.iter().find(|entry| entry.replace(' ', "").contains(&key));
            let value = format!("value:\"\\{port:03o}\"");
            assert!(entry.is_some_and(|entry| entry.replace(' ', "").contains(&value)), "{entries:?}");
        }
    }
}
