//! Tests of the Portable Switch Architecture: the programs of `testdata/psa` with their packets, on
//! the interpreter and on native code.

#![expect(clippy::disallowed_methods, reason = "tests read their programs")]

#[path = "portable/files.rs"]
mod files;
#[path = "portable/mod.rs"]
mod portable;
#[path = "portable/random.rs"]
mod random;

use std::sync::Arc;

use portable::{both_executors, compile_and_bind, load_errors, run_test};
use random::Random;
use weir_device::{Device, Packet};
use weir_exec::Executor;
use weir_ir::ValidProgram;
use weir_switch::stats::{DropPlace, DropReason};
use weir_switch::{LoadError, Switch, SwitchConfig, arch};
use weir_syntax::preprocess::MemoryLoader;

fn text(file: &str) -> String {
    files::text(&format!("psa/{file}"))
}

fn bind(text: &str) -> Result<ValidProgram, LoadError> {
    let loader = MemoryLoader::new()
        .with("program.p4", text)
        .with("core.p4", include_str!("../../../p4include/core.p4"))
        .with("psa.p4", include_str!("../../../p4include/psa.p4"))
        .with("psa/architecture.p4", include_str!("../../../p4include/psa/architecture.p4"));
    compile_and_bind(&loader)
}

fn executors(text: &str) -> [Arc<dyn Executor>; 2] {
    both_executors(bind(text).expect("the program is of PSA"))
}

#[test]
fn packets_take_the_paths_of_psa_and_externs_compute() {
    assert_eq!(files::programs("psa"), ["externs.p4", "paths.p4"]);
    for name in files::programs("psa") {
        let test = text(&name.replace(".p4", ".stf"));
        run_test(&name, executors(&text(&name)), &test, (16, 13));
    }
}

/// Makes a packet that the programs understand: an order, a small number, and some bytes.
fn packet(random: &mut Random) -> Vec<u8> {
    let mut bytes = vec![random.below(26) as u8, random.below(5) as u8, 0, 0, 0, random.below(12) as u8];
    let length = random.below(20) as usize;
    bytes.extend((0..length).map(|_| random.below(256) as u8));
    bytes.truncate(1 + random.below(27) as usize);
    bytes
}

/// Sends random packets, and returns all that leaves, and the drops.
fn traffic(executor: Arc<dyn Executor>) -> (Vec<(u64, u32, Vec<u8>)>, String) {
    let config = SwitchConfig { priorities: 4, ..SwitchConfig::default() };
    let mut switch = Switch::new(executor, config.with_ports([1, 2, 3, 4, 9])).expect("the program loads");
    let (mut random, mut left) = (Random(46), Vec::new());
    for id in 0..3000 {
        let port = 1 + random.below(4) as u32;
        switch.receive(switch.now(), port, Packet::new(id, packet(&mut random)));
        let mut transmissions = Vec::new();
        switch.advance(switch.now() + 100_000, &mut transmissions);
        left.extend(transmissions.into_iter().map(|sent| (sent.time, sent.port, sent.packet.bytes)));
    }
    assert!(switch.stats().is_balanced());
    (left, format!("{:?}", switch.stats().drops))
}

#[test]
fn native_code_agrees_with_the_interpreter() {
    for name in files::programs("psa") {
        let [interpreted, native] = executors(&text(&name)).map(traffic);
        assert!(interpreted.0.len() > 500, "{name}: only {} packets left", interpreted.0.len());
        assert_eq!(interpreted, native, "{name}");
    }
}

#[test]
fn the_switch_itself_has_the_session_to_the_control_plane() {
    let [interpreter, _] = executors(&text("paths.p4"));
    let config = SwitchConfig::default().with_ports([1, 0xffff_fffd]);
    let mut switch = Switch::new(interpreter, config).expect("the program loads");
    // Ingress clones to session 0 and drops.
    switch.receive(0, 1, Packet::new(0, vec![5, 0, 0, 0, 0, 0, 7]));
    let mut transmissions = Vec::new();
    switch.advance(1_000_000, &mut transmissions);
    let ports: Vec<_> = transmissions.iter().map(|sent| sent.port).collect();
    let dropped = switch.stats().drops.get(&(DropPlace::Ingress, DropReason::DropPort));
    assert_eq!((ports, dropped), (vec![0xffff_fffd], Some(&1)));
}

#[test]
fn a_class_of_service_without_a_queue_is_class_0() {
    let [interpreter, _] = executors(&text("paths.p4"));
    for (priorities, class) in [(1, 7), (4, 0), (8, 7)] {
        let config = SwitchConfig { priorities, ..SwitchConfig::default() }.with_ports([1, 3]);
        let mut switch = Switch::new(Arc::clone(&interpreter), config).expect("the program loads");
        switch.receive(0, 1, Packet::new(0, vec![1, 0, 0, 0, 0, 3, 0]));
        let mut transmissions = Vec::new();
        switch.advance(1_000_000, &mut transmissions);
        assert_eq!(transmissions[0].packet.bytes[7], class, "{priorities} queues");
    }
}

/// Returns the errors that keep a variant of `externs.p4` from loading.
fn errors(from: &str, to: &str) -> String {
    let original = text("externs.p4");
    assert!(original.contains(from), "{from}");
    load_errors(bind(&original.replacen(from, to, 1)))
}

#[test]
fn mistakes_in_psa_programs_are_refused() {
    let cases = [
        ("psa_direct_counter = hits", "psa_direct_counter = rates", "must be a DirectCounter"),
        ("psa_direct_meter = rates", "psa_direct_meter = hits", "must be a DirectMeter"),
        ("psa_implementation = profile", "psa_implementation = plain", "must be an ActionProfile"),
        ("psa_direct_counter = hits;", "", "write `psa_direct_counter = hits;`"),
        (
            "psa_implementation = profile",
            "psa_direct_counter = hits",
            "has a cell for each entry of one table, but tables",
        ),
        (
            "psa_direct_meter = rates;",
            "psa_direct_meter = rates; psa_idle_timeout = true;",
            "must be a PSA_IdleTimeout_t",
        ),
    ];
    for (from, to, message) in cases {
        let reported = errors(from, to);
        assert!(reported.contains(message), "{to}: {reported}");
    }
    assert_eq!(errors("apply {", "apply {"), "");
}

#[test]
fn a_checksum_belongs_to_one_block() {
    let original = text("externs.p4");
    let moved = original
        .replace("    InternetChecksum() sum;\n", "")
        .replace("parser Read(", "InternetChecksum() sum;\n\nparser Read(");
    let errors = arch::check(&bind(&moved).expect("the blocks are PSA's"));
    let texts: Vec<_> = errors.iter().map(ToString::to_string).collect();
    assert!(
        texts.iter().any(|text| text.contains("the InternetChecksum `sum` is used by several blocks")),
        "{texts:?}"
    );
}

#[test]
fn tables_have_time_outs_and_digests_have_the_name_of_their_object() {
    let with_timeouts = text("externs.p4").replace(
        "psa_direct_meter = rates;",
        "psa_direct_meter = rates; psa_idle_timeout = PSA_IdleTimeout_t.NOTIFY_CONTROL;",
    );
    let [interpreter, _] = executors(&with_timeouts);
    let config = SwitchConfig::default().with_ports([1, 2]);
    let mut switch = Switch::new(interpreter, config).expect("the program loads");
    let timeouts = switch.schema().tables.iter().filter(|table| table.support_timeout);
    assert_eq!(timeouts.map(|table| table.name.as_str()).collect::<Vec<_>>(), ["Serve.coloured"]);
    switch.receive(0, 1, Packet::new(0, vec![22, 1, 2, 3, 4, 0, 0, 0, 0]));
    switch.advance(1_000_000, &mut Vec::new());
    let digests = switch.control().take_digests();
    let values: Vec<_> = digests[0].values.iter().map(|value| value.low_u64()).collect();
    assert_eq!((&*digests[0].name, values), ("Pass.messages", vec![22, 0x0102_0304]));
    assert_eq!(digests[0].names, ["what", "argument"]);
}
