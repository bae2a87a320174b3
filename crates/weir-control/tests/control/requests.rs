//! Runtime JSON and runtime commands on a switch that runs
//! `testdata/switch/control.p4`.

use crate::common;

use weir_control::commands::{self, Ran, Runtime};
use weir_control::{Names, runtime_json};
use weir_json::{Diagnostic, Document};
use weir_switch::{Switch, SwitchConfig};

fn switch() -> Switch {
    common::switch(
        include_str!("../../../../testdata/switch/control.p4"),
        SwitchConfig::default().with_ports(1..=3),
    )
}

/// Runs lines; what they print, or the first mistake.
fn run(switch: &mut Switch, lines: &str) -> Result<Vec<String>, String> {
    let ran = run_all(switch, lines);
    match ran.failed.first() {
        None => Ok(ran.printed),
        Some((line, error)) => Err(format!("{line}: {error}")),
    }
}

fn run_all(switch: &mut Switch, lines: &str) -> Ran {
    let mut runtime = Runtime::default();
    let mut control = switch.control();
    let names = Names::new(control.schema());
    commands::run_lines(&mut runtime.session(&mut control, names, "s1", "control.p4"), lines)
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
fn apply_document(switch: &mut Switch, document: &Document) -> Result<usize, Diagnostic> {
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
    assert!(error.message.contains("expected a rate in units per second, a number"), "{error}");
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
        "s1.json:3:1: $.table_entries[1]: table `I.prefixes` has this entry already, with handle 0"
    );
    assert_eq!(run(&mut switch, "table_num_entries prefixes").unwrap(), ["0"]);
    assert_eq!(apply(&mut switch, entry), Ok(1));
    assert_eq!(run(&mut switch, "table_num_entries prefixes").unwrap(), ["1"]);
}
