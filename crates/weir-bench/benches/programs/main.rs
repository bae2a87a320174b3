//! The programs of `benches/programs` on one core, from memory to memory: native code, the
//! interpreter and, where there is one, a hand-written loop; and the cost that the model of
//! [`weir_bench::programs::model`] predicts, with its steps measured in the same run.
//!
//! `cargo bench -p weir-bench --bench programs [-- NAME… SECONDS]`: all of [`BENCHMARKS`] for 2 s
//! each by default.

#![expect(clippy::print_stdout, reason = "the person who runs it wants to see the figures")]

#[path = "../by_hand/mod.rs"]
mod by_hand;
#[path = "../common/mod.rs"]
mod common;
mod memory;

use std::time::Duration;

use weir_bench::programs::Work;
use weir_bench::programs::model::{Costs, LookupCost, lookup_cost};
use weir_bench::{BENCHMARKS, Benchmark, Measured, Workload, benchmark, measure};

#[global_allocator]
static MEMORY: memory::Counting = memory::Counting;

/// Different packets in a workload.
const FLOWS: usize = 1 << 20;
/// The number of packets whose outcomes are compared before the measurement.
const COMPARED: usize = 4096;
/// The duration of the measurement of one step.
const STEP: Duration = Duration::from_millis(500);

/// Returns the number of bytes that are allocated now.
fn allocated_bytes() -> usize {
    let (allocated, freed) = memory::counted();
    allocated.saturating_sub(freed)
}

/// Measures the steps that programs consist of.
fn measure_steps() -> Costs {
    // The entries and packets come from a program that reads the same field.
    let hosts = benchmark("telemetry").expect("it is listed");
    let load = hosts.packets(1024);
    let source = include_str!("../../../../benches/programs/steps.p4");
    let time = |defines: &[&str]| {
        let [native, _] = common::executors(&common::program("steps.p4", source, defines));
        let mut switch = common::switch(&native);
        hosts.insert_entries(&mut switch.control()).expect("the steps have the same table");
        measure(&mut switch, &load, STEP).ns_undisturbed
    };
    let (nothing, headers) = (time(&[]), time(&["HEADERS"]));
    let (checksum, table) = (time(&["HEADERS", "CHECKSUM"]), time(&["HEADERS", "CHECKSUM", "TABLE"]));
    let batched = lookup_cost(&hosts.tables[0], &load).batched;
    println!(
        "steps, native: nothing {nothing:.1} ns, and headers {headers:.1}, and a checksum {checksum:.1}, and a lookup of {batched:.1} {table:.1}"
    );
    let work = Work { parsed: 34, emitted: 34, checksums: 0 };
    let costs = Costs::of_steps(nothing, (headers, work), checksum, (table, batched));
    println!(
        "  so: a packet {:.1} ns, a byte of headers {:.2}, a checksum {:.1}, a table without its lookup {:.1}",
        costs.packet, costs.byte, costs.checksum, costs.apply
    );
    costs
}

/// Prints a line of results.
fn print_line(name: &str, ns: f64, note: &str) {
    println!("  {name:<9} {ns:9.1} ns a packet  {:8.3} Mpps  {note}", 1e3 / ns);
}

fn run(benchmark: &Benchmark, costs: &Costs, span: Duration) {
    let load = benchmark.packets(FLOWS);
    println!("\n{}: {}; {FLOWS} flows of {} bytes", benchmark.name, benchmark.what, benchmark.template.len());
    let program = common::program(benchmark.file, benchmark.source, &[]);
    let by_hand = by_hand::forwarder(benchmark);
    let mut hand_ns = None;
    let mut expected = by_hand.as_ref().map(|by_hand| {
        hand_ns = Some(by_hand::measure(&**by_hand, &load, span));
        common::outcomes_by_hand(&**by_hand, &load, COMPARED)
    });
    if let Some(ns) = hand_ns {
        print_line("by hand", ns, "");
    }
    let mut native: Option<Measured> = None;
    for executor in common::executors(&program) {
        let (before, entries) = (allocated_bytes(), benchmark.entries() as f64);
        let mut switch = common::switch(&executor);
        let loaded = common::processor_seconds(|| {
            benchmark.insert_entries(&mut switch.control()).expect("entries that the program takes");
        });
        let bytes = allocated_bytes().saturating_sub(before) as f64 / entries;
        let found = common::outcomes(&mut switch, &load, COMPARED);
        if let Some(expected) = &expected {
            assert!(*expected == found, "{} does what the others do", executor.name());
        }
        expected = Some(found);
        let measured = measure(&mut switch, &load, span);
        let ns = measured.ns_undisturbed;
        let mut note = format!("{:.1} on average", measured.ns_per_packet());
        if let Some(hand) = hand_ns {
            note += &format!("; {:.3} of the rate by hand", hand / ns);
        }
        if let Some(native) = &native {
            note += &format!("; native is {:.1} times as fast", ns / native.ns_undisturbed);
        }
        print_line(executor.name(), ns, &note);
        if native.is_none() {
            println!(
                "            {} entries generated and loaded in {loaded:.3} s of the processor: {:.2} us and {bytes:.0} bytes an entry",
                benchmark.entries(),
                loaded * 1e6 / entries
            );
            native = Some(measured);
        }
    }
    if let Some(native) = native {
        model(benchmark, &load, costs, &native);
    }
}

/// Prints the predicted cost next to the measured one.
fn model(benchmark: &Benchmark, load: &Workload, costs: &Costs, native: &Measured) {
    let lookups: Vec<LookupCost> = benchmark.tables.iter().map(|table| lookup_cost(table, load)).collect();
    let passed = native.out as f64 / native.packets as f64;
    for (table, cost) in benchmark.tables.iter().zip(&lookups) {
        println!(
            "    {:<14} {:>8} entries, {:5.1} bytes each in the table: {:6.1} ns a lookup, {:6.1} in batches",
            table.name,
            table.contents.entries.len(),
            cost.bytes,
            cost.single,
            cost.batched
        );
    }
    let measured = native.ns_undisturbed;
    for (how, batched) in [("lookups one by one", false), ("the first table's in batches", true)] {
        let predicted = costs.predict(benchmark, &lookups, passed, batched);
        println!(
            "  predicted {predicted:9.1} ns a packet, {how}: measured is {:.2} of it",
            measured / predicted
        );
    }
    if passed < 1.0 {
        println!("    {:.1} % of the packets are not dropped", passed * 100.0);
    }
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    let seconds = args.iter().find_map(|arg| arg.parse::<f64>().ok()).unwrap_or(2.0);
    let names: Vec<&str> =
        args.iter().map(String::as_str).filter(|arg| arg.parse::<f64>().is_err()).collect();
    for name in &names {
        if !BENCHMARKS.contains(name) {
            println!("there is no benchmark \"{name}\"; there are {}", BENCHMARKS.join(", "));
            std::process::exit(2);
        }
    }
    let costs = measure_steps();
    for name in BENCHMARKS.iter().filter(|name| names.is_empty() || names.contains(name)) {
        if let Some(benchmark) = benchmark(name) {
            run(&benchmark, &costs, Duration::from_secs_f64(seconds));
        }
    }
}
