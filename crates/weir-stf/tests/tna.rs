//! Tests of the Tofino Native Architecture: the programs of `testdata/tna` with their packets, on
//! the interpreter and on native code.

#![expect(clippy::disallowed_methods, reason = "tests read their programs")]

#[path = "portable/files.rs"]
mod files;
#[path = "portable/mod.rs"]
mod portable;
#[path = "portable/random.rs"]
mod random;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use portable::{both_executors, compile_and_bind, load_errors, run_test};
use random::Random;
use weir_device::{Device, Packet};
use weir_exec::Executor;
use weir_ir::ValidProgram;
use weir_switch::{LoadError, Switch, SwitchConfig};
use weir_syntax::preprocess::MemoryLoader;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn text(file: &str) -> String {
    files::text(&format!("tna/{file}"))
}

fn bind(text: &str) -> Result<ValidProgram, LoadError> {
    let include = root().join("p4include");
    let read = |name: &str| fs::read_to_string(include.join(name)).expect("the file exists");
    let mut loader = MemoryLoader::new().with("program.p4", text);
    for name in ["core.p4", "tna.p4", "t2na.p4"] {
        loader = loader.with(name, read(name));
    }
    for file in fs::read_dir(include.join("tna")).expect("the folder exists") {
        let name = format!("tna/{}", file.unwrap().file_name().into_string().unwrap());
        loader = loader.with(&name, read(&name));
    }
    compile_and_bind(&loader)
}

fn executors(text: &str) -> [Arc<dyn Executor>; 2] {
    match bind(text) {
        Ok(program) => both_executors(program),
        Err(error) => panic!("{error}"),
    }
}

/// Returns the same program for Tofino 2.
fn for_tofino_2(text: &str) -> String {
    text.replace("#include <tna.p4>", "#include <t2na.p4>")
}

#[test]
fn packets_take_the_paths_of_tna_and_externs_compute() {
    assert_eq!(files::programs("tna"), ["externs.p4", "paths.p4", "registers.p4"]);
    for name in files::programs("tna") {
        let test = text(&name.replace(".p4", ".stf"));
        run_test(&name, executors(&text(&name)), &test, (6, 0));
    }
}

/// Makes a packet that the programs understand: an order, a port that does not recirculate packets,
/// and some bytes.
fn packet(random: &mut Random) -> Vec<u8> {
    let mut bytes =
        vec![random.below(16) as u8, 2 + random.below(4) as u8, random.below(8) as u8, random.below(5) as u8];
    let length = random.below(20) as usize;
    bytes.extend((0..length).map(|_| random.below(256) as u8));
    bytes.truncate(1 + random.below(27) as usize);
    bytes
}

/// Sends random packets, and returns all that leaves, and the drops.
fn traffic(executor: Arc<dyn Executor>) -> (Vec<(u64, u32, Vec<u8>)>, String) {
    let config = SwitchConfig { priorities: 4, ..SwitchConfig::default() };
    let mut switch = Switch::new(executor, config.with_ports([1, 2, 3, 4, 64])).expect("the program loads");
    let (mut random, mut left) = (Random(47), Vec::new());
    for id in 0..3000 {
        let port = 1 + random.below(4) as u32;
        switch.receive(switch.now(), port, Packet::new(id, packet(&mut random)));
        let mut out = Vec::new();
        switch.advance(switch.now() + 100_000, &mut out);
        left.extend(out.into_iter().map(|out| (out.time, out.port, out.packet.bytes)));
    }
    assert!(switch.stats().is_balanced());
    (left, format!("{:?}", switch.stats().drops))
}

#[test]
fn native_code_agrees_with_the_interpreter() {
    for name in files::programs("tna") {
        for program in [text(&name), for_tofino_2(&text(&name))] {
            let [interpreted, native] = executors(&program).map(traffic);
            assert!(interpreted.0.len() > 500, "{name}: only {} packets left", interpreted.0.len());
            assert_eq!(interpreted, native, "{name}");
        }
    }
}

/// Returns the errors that keep a variant of a program from loading.
fn errors(name: &str, from: &str, to: &str) -> String {
    let original = text(name);
    assert!(original.contains(from), "{from}");
    load_errors(bind(&original.replacen(from, to, 1)))
}

#[test]
fn what_does_not_run_is_refused_by_name() {
    let cases = [
        ("Switch(pipe) main;", "Switch(pipe, pipe) main;", "`pipe1`, a second pipe"),
        (
            "    Mirror() mirror;\n",
            "    Mirror() mirror; Wred<bit<8>, bit<8>>(8, 1, 0) wred;\n",
            "of type `Wred`",
        ),
    ];
    for (from, to, message) in cases {
        let found = errors("paths.p4", from, to);
        assert!(found.contains(message), "{to}: {found}");
    }
    assert_eq!(errors("paths.p4", "apply {", "apply {"), "");
}

#[test]
fn digests_have_the_name_of_their_object_and_time_outs_are_known() {
    let with_timeouts = text("externs.p4").replace("= selector;", "= selector; idle_timeout = true;");
    for executor in executors(&with_timeouts) {
        let config = SwitchConfig::default().with_ports([1, 3]);
        let mut switch = Switch::new(executor, config).expect("the program loads");
        let timeouts = switch.schema().tables.iter().filter(|table| table.support_timeout);
        assert_eq!(timeouts.map(|table| table.name.as_str()).collect::<Vec<_>>(), ["Work.selected"]);
        switch.receive(0, 1, Packet::new(0, vec![13, 1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 66]));
        switch.advance(1_000_000, &mut Vec::new());
        let digests = switch.control().take_digests();
        let values: Vec<_> = digests[0].values.iter().map(|value| value.low_u64()).collect();
        assert_eq!((&*digests[0].name, values), ("Leave.notes", vec![13, 66]));
        assert_eq!(digests[0].names, ["what", "result"]);
    }
}
