//! Runtime JSON, runtime commands and table lines of STF on a switch that runs
//! `testdata/switch/control.p4`.

use std::sync::Arc;

use weir_control::commands::{self, Runtime};
use weir_control::runtime_json;
use weir_control::stf::{self, NamedEntries};
use weir_interp::Interpreter;
use weir_json::Document;
use weir_switch::{Switch, SwitchConfig, arch};
use weir_syntax::preprocess::MemoryLoader;

fn switch() -> Switch {
    let loader = MemoryLoader::new()
        .with("control.p4", include_str!("../../../testdata/switch/control.p4"))
        .with("core.p4", include_str!("../../../p4include/core.p4"))
        .with("v1model.p4", include_str!("../../../p4include/v1model.p4"));
    let program = weir_compiler::compile("control.p4", &loader, &[]).program.expect("it compiles");
    let program = arch::bind(program).expect("it is a v1model program");
    let config = SwitchConfig::default().with_ports(1..=3);
    Switch::new(Arc::new(Interpreter::new(program)), config).expect("it loads")
}

/// Runs lines; what they print, or the first mistake.
fn run(switch: &mut Switch, lines: &str) -> Result<Vec<String>, String> {
    let mut runtime = Runtime::default();
    let mut control = switch.control();
    let session = &mut runtime.session(&mut control, "s1", "control.p4");
    commands::run_lines(session, lines).map_err(|(line, error)| format!("{line}: {error}"))
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
fn documents_are_applied_whole_or_not_at_all() {
    let mut switch = switch();
    let entry =
        "{\"table\": \"prefixes\", \"match\": {\"answer\": \"10.0.0.0/8\"}, \"action_name\": \"drop\"}";
    let apply = |switch: &mut Switch, entries: &str| {
        let text = format!("{{\"table_entries\": [\n{entries}\n]}}");
        let document = Document::parse("s1.json", text).map_err(|error| error.to_string())?;
        runtime_json::apply(&mut switch.control(), &document).map_err(|error| error.to_string())
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

#[test]
fn lines_of_the_test_framework_fill_tables() {
    let mut switch = switch();
    let mut runtime = Runtime::default();
    let mut control = switch.control();
    let session = &mut runtime.session(&mut control, "s1", "control.p4");
    let mut entries = NamedEntries::default();
    entries.add(session, "prefixes answer:0x0a****** to(port:2) = $ten").unwrap();
    stf::set_default(session, "prefixes answer(what:3)").unwrap();
    assert_eq!(
        commands::run(session, "table_dump prefixes").unwrap(),
        ["0: 167772160/8 => I.to 2", "default => I.answer 3"]
    );
    assert_eq!(entries.handle("$ten"), Ok(Some(0)));
    assert_eq!(
        entries.add(session, "prefixes answer:1 to(prot:2)").unwrap_err().to_string(),
        "action I.to has no parameter \"prot\"; did you mean \"port\"?"
    );
    assert_eq!(
        entries.remove(session, "$tne").unwrap_err().to_string(),
        "no entry was added with the name \"tne\" (there are: ten); did you mean \"ten\"?"
    );
    entries.remove(session, "$ten").unwrap();
    assert_eq!(commands::run(session, "table_num_entries prefixes").unwrap(), ["0"]);
}
