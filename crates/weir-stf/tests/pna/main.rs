//! Tests of the Portable NIC Architecture: the programs of `testdata/pna` with their packets, on
//! the interpreter and on native code, and the entries that packets add.

#![expect(clippy::disallowed_methods, reason = "tests read their programs and start threads")]

mod learning;
#[path = "../portable/mod.rs"]
mod portable;
#[path = "../portable/random.rs"]
mod random;
mod refused;

use std::fs;
use std::path::Path;
use std::sync::Arc;

use portable::{both_executors, compile_and_bind, run_test};
use random::Random;
use weir_device::{Device, Nanos, Packet};
use weir_exec::Executor;
use weir_ir::ValidProgram;
use weir_switch::stats::{DropPlace, DropReason};
use weir_switch::{LoadError, Switch, SwitchConfig, arch};
use weir_syntax::preprocess::MemoryLoader;

const SECOND: Nanos = 1_000_000_000;

/// The programs, and the files with their packets.
const PROGRAMS: [(&str, &str); 3] = [
    ("pna/externs.p4", "psa/externs.stf"),
    ("pna/learning.p4", "pna/learning.stf"),
    ("pna/paths.p4", "pna/paths.stf"),
];

fn text(file: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata");
    fs::read_to_string(folder.join(file)).expect("the file exists")
}

fn bind(text: &str) -> Result<ValidProgram, LoadError> {
    let loader = MemoryLoader::new()
        .with("program.p4", text)
        .with("core.p4", include_str!("../../../../p4include/core.p4"))
        .with("pna.p4", include_str!("../../../../p4include/pna.p4"))
        .with("bmv2/pna.p4", include_str!("../../../../p4include/bmv2/pna.p4"))
        .with("dpdk/pna.p4", include_str!("../../../../p4include/dpdk/pna.p4"))
        .with("tc/pna.p4", include_str!("../../../../p4include/tc/pna.p4"))
        .with("pna/architecture.p4", include_str!("../../../../p4include/pna/architecture.p4"))
        .with("pna/externs.p4", include_str!("../../../../p4include/pna/externs.p4"))
        .with("pna/types.p4", include_str!("../../../../p4include/pna/types.p4"))
        .with("pna/version5.p4", include_str!("../../../../p4include/pna/version5.p4"))
        .with("pna/version7.p4", include_str!("../../../../p4include/pna/version7.p4"));
    compile_and_bind(&loader)
}

fn executors(text: &str) -> [Arc<dyn Executor>; 2] {
    both_executors(bind(text).expect("the program is of PNA"))
}

#[test]
fn packets_take_the_paths_of_pna_and_externs_compute() {
    for (name, packets) in PROGRAMS {
        run_test(name, executors(&text(name)), &text(packets), (11, 10));
    }
}

/// Makes a packet that the programs understand: what to do, small numbers, and some bytes.
fn packet(random: &mut Random) -> Vec<u8> {
    let mut bytes = vec![random.below(26) as u8, 0, 0, 0, random.below(12) as u8];
    bytes.extend([random.below(3) as u8, 0, 0, random.below(3) as u8]);
    let length = random.below(20) as usize;
    bytes.extend((0..length).map(|_| random.below(256) as u8));
    bytes.truncate(1 + random.below(29) as usize);
    bytes
}

/// Sends random packets over 300 seconds, and returns all that leaves, the drops, and the entries
/// at the end.
fn traffic(executor: Arc<dyn Executor>) -> (Vec<(u64, u32, Vec<u8>)>, String) {
    let config = SwitchConfig { priorities: 4, ..SwitchConfig::default() };
    let mut switch = Switch::new(executor, config.with_ports([1, 2, 3, 5, 300])).expect("the program loads");
    let (mut random, mut left) = (Random(46), Vec::new());
    for id in 0..3000 {
        let port = [1, 2, 3, 300][random.below(4) as usize];
        switch.receive(switch.now(), port, Packet::new(id, packet(&mut random)));
        let mut transmissions = Vec::new();
        switch.advance(switch.now() + SECOND / 10, &mut transmissions);
        left.extend(transmissions.into_iter().map(|sent| (sent.time, sent.port, sent.packet.bytes)));
    }
    assert!(switch.stats().is_balanced());
    let drops = format!("{:?}", switch.stats().drops);
    let tables: Vec<_> = switch.program().tables.iter().map(|(id, _)| id).collect();
    let entries: Vec<_> = tables.into_iter().map(|id| switch.control().entries(id).unwrap()).collect();
    (left, format!("{drops} {entries:?}"))
}

#[test]
fn native_code_agrees_with_the_interpreter() {
    for (name, _) in PROGRAMS {
        let [interpreted, native] = executors(&text(name)).map(traffic);
        assert!(interpreted.0.len() > 500, "{name}: only {} packets left", interpreted.0.len());
        assert_eq!(interpreted, native, "{name}");
    }
}

#[test]
fn the_switch_itself_has_the_mirror_session_to_the_control_plane() {
    let program = text("pna/paths.p4").replace("(MirrorSessionId_t) 200", "PNA_MIRROR_SESSION_TO_CPU");
    let [interpreter, _] = executors(&program);
    let config = SwitchConfig::default().with_ports([1, 3, 0xffff_fffd]);
    let mut switch = Switch::new(interpreter, config).expect("the program loads");
    switch.receive(0, 1, Packet::new(0, vec![6, 0, 0, 0, 0, 0]));
    let mut transmissions = Vec::new();
    switch.advance(1_000_000, &mut transmissions);
    let mut ports: Vec<_> = transmissions.iter().map(|sent| sent.port).collect();
    ports.sort_unstable();
    assert_eq!(ports, [3, 0xffff_fffd]);
}

#[test]
fn the_first_port_of_the_host_is_a_setting() {
    let [interpreter, _] = executors(&text("pna/paths.p4"));
    let config = SwitchConfig { first_host_port: 2, ..SwitchConfig::default() };
    let mut switch = Switch::new(interpreter, config.with_ports([1, 2, 3])).expect("the program loads");
    for (port, direction) in [(1, b'N'), (2, b'H')] {
        switch.receive(switch.now(), port, Packet::new(0, vec![1, 0, 0, 0, 3, 0]));
        let mut transmissions = Vec::new();
        switch.advance(switch.now() + 10_000, &mut transmissions);
        assert_eq!(transmissions[0].packet.bytes[0], direction, "port {port}");
    }
}

#[test]
fn packets_without_a_decision_are_dropped() {
    let [interpreter, _] = executors(&text("pna/paths.p4"));
    let mut switch = Switch::new(interpreter, SwitchConfig::default().with_ports([1])).expect("it loads");
    // No decision, the decision to drop, a packet that cannot be decrypted, and a missing port.
    for (id, what) in [0, 2, 9, 1].into_iter().enumerate() {
        switch.receive(switch.now(), 1, Packet::new(id as u64, vec![what, 0, 0, 0, 99, 0]));
        switch.advance(switch.now() + 10_000, &mut Vec::new());
    }
    let drops = &switch.stats().drops;
    assert_eq!(drops.get(&(DropPlace::Ingress, DropReason::DropPort)), Some(&3));
    assert_eq!(drops.get(&(DropPlace::Ingress, DropReason::NoSuchPort)), Some(&1));
}

#[test]
fn controllers_know_the_port_of_an_action() {
    let with_action = text("pna/learning.p4").replace("    apply {\n        meta.profile", "    action out_of(PortId_t port) { send_to_port(port); }\n    table outputs { key = { hdr.flow.what: exact; } actions = { out_of; NoAction; } }\n    apply {\n        outputs.apply();\n        meta.profile");
    let program = bind(&with_action).expect("it binds");
    assert_eq!(arch::port_params(&program), [("Learn.out_of".to_owned(), "port".to_owned())]);
    assert_eq!(arch::port_space(&program).map(|space| (space.width, space.drop)), Some((32, None)));
    assert!(!arch::can_recirculate(&program));
    assert!(arch::can_recirculate(&bind(&text("pna/paths.p4")).expect("it binds")));
}
