//! Tests that a switch that has compiled its program ahead compiles nothing while packets pass.

use std::sync::Arc;

use weir_device::{Buffer, Device, Packet};
use weir_exec::Executor;
use weir_switch::{Switch, SwitchConfig};

use super::growth::compile;
use crate::Native;

const PROGRAM: &str = r#"
#include <core.p4>
#include <v1model.p4>
header h_t { bit<8> a; bit<8> b; }
struct headers { h_t h; }
struct meta { }
parser P(packet_in p, out headers hdr, inout meta m, inout standard_metadata_t s) {
    state start { p.extract(hdr.h); transition accept; }
}
control V(inout headers hdr, inout meta m) { apply { } }
control I(inout headers hdr, inout meta m, inout standard_metadata_t s) {
    apply { s.egress_spec = 1; if (hdr.h.a == 1) { clone(CloneType.I2E, 5); } }
}
control E(inout headers hdr, inout meta m, inout standard_metadata_t s) { apply { hdr.h.b = hdr.h.b + 1; } }
control D(packet_out p, in headers hdr) { apply { p.emit(hdr.h); } }
V1Switch(P(), V(), I(), E(), V(), D()) main;
"#;

/// Lets packets pass a switch, on a worker's thread and one step at a time. Returns the amounts of
/// code before and after.
fn amounts(is_ahead: bool) -> (usize, usize) {
    let native = Arc::new(Native::new(compile(PROGRAM)).expect("the program becomes native"));
    let executor: Arc<dyn Executor> = native.clone();
    let config = || SwitchConfig { pass_latency: 0, ..SwitchConfig::default().with_ports(0..2) };
    let mut switch = Switch::new(executor.clone(), config()).expect("it is for v1model");
    if is_ahead {
        switch.compile_ahead();
    }
    // A prepared switch replaces the running one, as when a controller sends a program.
    let mut running = Switch::new(executor, config()).expect("it is for v1model");
    switch.take_place_of(&mut running, 0);
    let before = native.emitted_instructions();
    let mut worker = running.worker();
    let mut buffer = Buffer::new(64);
    buffer.receive(0, 0, &[0, 2]);
    worker.forward(0, &mut [buffer], &mut Vec::new(), &mut Vec::new());
    // While drops are recorded, packets run block by block.
    running.record_drops(true);
    running.receive(0, 1, Packet::new(0, vec![1, 2]));
    running.advance(0, &mut Vec::new());
    assert!(running.stats().received > 0);
    (before, native.emitted_instructions())
}

#[test]
fn nothing_is_compiled_after_the_program_was_compiled_ahead() {
    let (before, after) = amounts(false);
    assert_eq!(before, 0, "blocks are compiled when they first run");
    assert!(after > 0);
    let (before, later) = amounts(true);
    assert_eq!(before, later);
    assert!(before >= after);
}
