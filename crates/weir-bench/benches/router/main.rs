//! An IPv4 router at 64 bytes on one core, from memory to memory: compiled P4 against a
//! hand-written loop and the interpreter, in one run.
//!
//! `cargo bench -p weir-bench --bench router [-- ROUTES SECONDS]`: 1000 and 1 000 000 routes for 2
//! s each by default, and the routers for PSA and PNA compared with the one for v1model. `cargo
//! bench -p weir-bench --bench router -- instructions`: instructions per packet with 1000 routes,
//! counted by `perf stat` where the processor's counters can be read, else by valgrind.

#![expect(clippy::print_stdout, reason = "the person who runs it wants to see the figures")]

#[path = "../by_hand/mod.rs"]
mod by_hand;
#[path = "../common/mod.rs"]
mod common;
mod instructions;

use std::time::Duration;

use weir_bench::programs::reduced_benchmark;
use weir_bench::{Benchmark, benchmark, measure};

/// The number of different destinations.
const FLOWS: usize = 1 << 20;
/// The number of packets whose outcomes are compared before the measurement.
const COMPARED: usize = 1 << 16;

/// Returns the program with this many routes.
pub fn router(routes: usize) -> Benchmark {
    let part = 1_000_000 / routes.clamp(1, 1_000_000);
    reduced_benchmark("router-1m", part).expect("it is listed")
}

fn run(routes: usize, span: Duration) {
    let benchmark = router(routes);
    let load = benchmark.packets(FLOWS);
    let by_hand = by_hand::forwarder(&benchmark).expect("there is a router by hand");
    let expected = common::outcomes_by_hand(&*by_hand, &load, COMPARED);
    assert!(expected.iter().all(|(port, _)| port.is_some()), "there is a default route");
    println!("{}, {FLOWS} of them, 64 bytes", benchmark.what);
    let mut native = None;
    for executor in common::executors(&common::program(benchmark.file, benchmark.source, &[])) {
        let mut switch = common::switch(&executor);
        let loaded =
            common::processor_seconds(|| benchmark.insert_entries(&mut switch.control()).expect("routes"));
        let same = expected == common::outcomes(&mut switch, &load, COMPARED);
        assert!(same, "{} does what the loop by hand does", executor.name());
        // The loop and the executor run in turn, so that both run under the same load of the
        // machine.
        let hand = by_hand::measure(&*by_hand, &load, span);
        let measured = measure(&mut switch, &load, span);
        let ns = measured.ns_undisturbed;
        println!("  by hand   {hand:8.1} ns a packet");
        println!(
            "  {:<9} {ns:8.1} ns a packet ({:.1} on average): {:.3} of the rate by hand (entries written out and loaded in {loaded:.2} s)",
            executor.name(),
            measured.ns_per_packet(),
            hand / ns,
        );
        match native {
            None => native = Some(ns),
            Some(native) => println!("  native is {:.1} times as fast as the interpreter", ns / native),
        }
    }
}

/// The number of times that the routers of both architectures run in turn.
const TURNS: u32 = 10;

/// Compares machine code of the routers for PSA, PNA and TNA with that of the router for v1model,
/// which run in turn.
fn compare_architectures(span: Duration) {
    let benchmarks = ["router-1k", "router-psa", "router-pna", "router-tna"]
        .map(|name| benchmark(name).expect("it is listed"));
    let load = benchmarks[0].packets(FLOWS);
    let mut switches = benchmarks.each_ref().map(|benchmark| {
        let [native, _] = common::executors(&common::program(benchmark.file, benchmark.source, &[]));
        let mut switch = common::switch(&native);
        benchmark.insert_entries(&mut switch.control()).expect("routes");
        switch
    });
    let [expected, others @ ..] = switches.each_mut().map(|switch| common::outcomes(switch, &load, COMPARED));
    assert!(others.iter().all(|found| *found == expected), "all routers do the same");
    let mut least = [f64::INFINITY; 4];
    for _ in 0..TURNS {
        for (switch, least) in switches.iter_mut().zip(&mut least) {
            *least = least.min(measure(switch, &load, span / TURNS).ns_undisturbed);
        }
    }
    let [v1model, psa, pna, tna] = least;
    println!("the router with 1000 routes for v1model, PSA, PNA and TNA");
    println!("  v1model {v1model:.1} ns a packet");
    for (name, ns) in [("PSA", psa), ("PNA", pna), ("TNA", tna)] {
        println!("  {name}     {ns:.1} ns a packet, {:.3} of the time", ns / v1model);
    }
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    if let [first, rest @ ..] = args.as_slice()
        && first.parse::<f64>().is_err()
    {
        return match first.as_str() {
            "instructions" => instructions::report(),
            "count" => instructions::run_counted_work(rest),
            other => println!("\"{other}\" is neither a number of routes nor \"instructions\""),
        };
    }
    let numbers: Vec<f64> = args.iter().filter_map(|arg| arg.parse().ok()).collect();
    let sizes = numbers.first().map_or_else(|| vec![1_000, 1_000_000], |routes| vec![*routes as usize]);
    let span = Duration::from_secs_f64(numbers.get(1).copied().unwrap_or(2.0));
    for size in sizes {
        run(size, span);
    }
    compare_architectures(span);
}
