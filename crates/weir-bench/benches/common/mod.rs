//! Programs, executors and switches to measure.

#![allow(dead_code, reason = "each benchmark takes what it needs")]

use std::sync::Arc;
use std::time::Instant;

use weir_bench::Workload;
use weir_bench::programs::PORTS;
use weir_device::{Buffer, Port};
use weir_exec::Executor;
use weir_interp::Interpreter;
use weir_ir::ValidProgram;
use weir_native::Native;
use weir_switch::{Switch, SwitchConfig, arch};
use weir_syntax::preprocess::MemoryLoader;

use crate::by_hand::{Forward, Run};

/// Returns a program of `benches/programs`, ready for executors.
pub fn program(file: &str, source: &str, defines: &[&str]) -> ValidProgram {
    let loader = MemoryLoader::new()
        .with(file, source)
        .with("core.p4", include_str!("../../../../p4include/core.p4"))
        .with("v1model.p4", include_str!("../../../../p4include/v1model.p4"))
        .with("psa.p4", include_str!("../../../../p4include/psa.p4"))
        .with("psa/architecture.p4", include_str!("../../../../p4include/psa/architecture.p4"))
        .with("bmv2/pna.p4", include_str!("../../../../p4include/bmv2/pna.p4"))
        .with("pna/architecture.p4", include_str!("../../../../p4include/pna/architecture.p4"))
        .with("pna/externs.p4", include_str!("../../../../p4include/pna/externs.p4"))
        .with("pna/types.p4", include_str!("../../../../p4include/pna/types.p4"))
        .with("pna/version7.p4", include_str!("../../../../p4include/pna/version7.p4"));
    let defines: Vec<(String, String)> =
        defines.iter().map(|name| ((*name).to_owned(), "1".to_owned())).collect();
    let result = weir_compiler::compile(file, &loader, &defines);
    let Some(program) = result.program else {
        panic!("{}", result.diagnostics.render(&result.source_map, false))
    };
    arch::bind(program).expect("Weir has the architecture")
}

/// Returns the executors to compare: machine code and the interpreter.
pub fn executors(program: &ValidProgram) -> [Arc<dyn Executor>; 2] {
    let interpreter = Arc::new(Interpreter::new(program.clone()));
    let native = Native::new(program.clone()).expect("machine code for this processor");
    [Arc::new(native.with_tracer(interpreter.clone())), interpreter]
}

/// Returns a switch whose passes take no time.
pub fn switch(executor: &Arc<dyn Executor>) -> Switch {
    let config = SwitchConfig { pass_latency: 0, ..SwitchConfig::default().with_ports(0..PORTS) };
    Switch::new(Arc::clone(executor), config).expect("these programs run in switches")
}

/// Returns the processor time of this thread in seconds (Linux), or the wall-clock time on systems
/// that do not provide it.
pub fn processor_seconds(work: impl FnOnce()) -> f64 {
    let read = || {
        // Yielding adds the time up to now to the thread's account; otherwise, the kernel updates
        // the account only at its ticks, every few milliseconds.
        std::thread::yield_now();
        let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
        text.split_whitespace().next()?.parse::<u64>().ok()
    };
    let (before, start) = (read(), Instant::now());
    work();
    match (before, read()) {
        (Some(before), Some(after)) => (after - before) as f64 / 1e9,
        _ => start.elapsed().as_secs_f64(),
    }
}

/// Returns the outcomes of the workload's first packets: the port that each leaves by, and its
/// bytes.
pub fn outcomes(switch: &mut Switch, load: &Workload, packets: usize) -> Vec<(Option<Port>, Vec<u8>)> {
    let mut transmissions = Vec::new();
    let (mut found, mut buffers) = (Vec::new(), [Buffer::new(load.longest_packet())]);
    for at in 0..packets.min(load.len()) {
        let (port, bytes) = load.packet(at);
        buffers[0].receive(port, at as u64, bytes);
        switch.forward(switch.now(), &mut buffers, &mut transmissions);
        let copies = transmissions.drain(..).count();
        assert_eq!(copies, 0, "these programs make no copies of packets that meet their entries");
        let bytes =
            if buffers[0].metadata.egress_port.is_some() { buffers[0].bytes().to_vec() } else { Vec::new() };
        found.push((buffers[0].metadata.egress_port, bytes));
    }
    found
}

/// Returns the same outcomes, from a hand-written loop.
pub fn outcomes_by_hand(
    forward: &dyn Forward,
    load: &Workload,
    packets: usize,
) -> Vec<(Option<Port>, Vec<u8>)> {
    let mut run = Run::new(forward, load);
    let mut outcomes = Vec::new();
    while outcomes.len() < packets.min(load.len()) {
        outcomes.extend(run.batch().iter().map(|frame| {
            let port = frame.out.map(Port::from);
            let bytes = if port.is_some() { frame.bytes[..frame.length].to_vec() } else { Vec::new() };
            (port, bytes)
        }));
    }
    outcomes.truncate(packets.min(load.len()));
    outcomes
}
