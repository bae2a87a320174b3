//! The virtual network: frames delivered over links, "hops", per second of the wall clock.
//!
//! `cargo bench -p weir-bench --bench network [-- TOPOLOGY SIZE [udp|tcp [MILLISECONDS
//! [THREADS]]]]`, with `dumbbell` and its hosts, `rated` and its hosts (the routers' queues are as
//! fast as the links, so that no packet takes the fast path), or `fat-tree` and its k. Without
//! arguments: a dumbbell of 20 hosts, dumbbells of 10, 100 and 1000 to see how the cost depends on
//! the size, a fat tree of 8, and a rated dumbbell of 20, each with UDP and with TCP. `cargo bench
//! -p weir-bench --bench network -- instructions`: instructions per hop, counted by callgrind.
//! `cargo bench -p weir-bench --bench network -- threads [MILLISECONDS]`: fat trees of 8, with 128
//! hosts, in one thread and in two, and what the threads did.
//!
//! Switches run `benches/programs/router.p4` as machine code with a pass latency of 1 us. Pairs of
//! hosts send UDP, datagrams of 1472 bytes one way and half as many of 16 bytes back, or TCP with
//! CUBIC for the whole run.

#![expect(clippy::print_stdout, reason = "the person who runs it wants to see the figures")]

#[path = "../by_hand/mod.rs"]
mod by_hand;
#[path = "../common/mod.rs"]
mod common;
mod stream;
mod worlds;

use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

use weir_bench::programs::reduced_benchmark;
use weir_exec::Executor;
use worlds::{Traffic, World};

/// The allocator that the Python package uses (decision 21).
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const MS: u64 = 1_000_000;
/// Virtual milliseconds until packets are on all links.
const WARM: u64 = 30;
const ROUNDS: usize = 5;

fn router() -> Arc<dyn Executor> {
    let router = reduced_benchmark("router-1k", 1).expect("it is listed");
    let [native, _] = common::executors(&common::program(router.file, router.source, &[]));
    native
}

fn world(topology: &str, size: usize, traffic: Traffic) -> Option<World> {
    match topology {
        "dumbbell" => Some(worlds::dumbbell(&router(), traffic, size)),
        "rated" => Some(worlds::rate_limited_dumbbell(&router(), traffic, size)),
        "fat-tree" => Some(worlds::fat_tree(&router(), traffic, size)),
        _ => None,
    }
}

/// Runs for this many virtual milliseconds in a few rounds. Returns the hops per second of
/// processor time in the fastest round.
fn measure(topology: &str, size: usize, traffic: Traffic, milliseconds: u64) -> Option<f64> {
    measure_in(1, topology, size, traffic, milliseconds).map(|rates| rates.by_processor)
}

/// The hops per second of the wall clock and of processor time.
struct Rates {
    by_clock: f64,
    by_processor: f64,
}

/// Like [`measure`], in this number of threads.
fn measure_in(
    threads: usize,
    topology: &str,
    size: usize,
    traffic: Traffic,
    milliseconds: u64,
) -> Option<Rates> {
    let built = Instant::now();
    let mut world = world(topology, size, traffic)?;
    world.network.set_threads(threads, worlds::run_in_threads);
    let built = built.elapsed().as_secs_f64();
    world.network.run_for(WARM * MS);
    let (mut best, mut wall, mut busy, mut hops, mut events) = (0.0f64, 0.0, 0.0, 0, 0);
    for _ in 0..ROUNDS {
        let (before, clock) = (world.hops(), Instant::now());
        let seconds = common::processor_seconds(|| {
            events += world.network.run_for(milliseconds * MS / ROUNDS as u64).events;
        });
        wall += clock.elapsed().as_secs_f64();
        busy += seconds;
        let went = world.hops() - before;
        best = best.max(went as f64 / seconds);
        hops += went;
    }
    println!(
        "{topology} {size} {traffic:?}: {} hosts, {} switches, {hops} hops in {wall:.2} s, {:.0} hops/s by the clock, {:.0} by processor \
         time ({best:.0} in the best of {ROUNDS} rounds); {:.2} events a hop, memory for {} frames; built in {built:.2} s",
        world.hosts,
        world.switches,
        hops as f64 / wall,
        hops as f64 / busy,
        events as f64 / hops as f64,
        world.network.frames().1,
    );
    if threads > 1 {
        let work = world.network.parallel_work();
        let in_windows: u64 = work.events.iter().sum();
        let share = |part: u64, all: u64| part as f64 / all.max(1) as f64;
        println!(
            "  {threads} threads: taken apart {} times, {} windows of {:.0} events, {:.1} % of the events in windows, {:.1} bytes a \
             message, {:.1} % of the events are messages; events by thread {:?}, at most {:.2} times as fast as one",
            work.runs,
            work.windows,
            share(in_windows, work.windows),
            100.0 * share(in_windows, world.network.events_handled()),
            share(work.message_bytes, work.messages),
            100.0 * share(work.messages, in_windows),
            work.events,
            share(in_windows, work.critical_events),
        );
    }
    Some(Rates { by_clock: hops as f64 / wall, by_processor: hops as f64 / busy })
}

/// Compares one thread with two in fat trees of 128 hosts.
fn compare_threads(milliseconds: u64) {
    for traffic in [Traffic::Udp, Traffic::Tcp] {
        let rates = [1, 2].map(|threads| measure_in(threads, "fat-tree", 8, traffic, milliseconds));
        if let [Some(one), Some(two)] = rates {
            println!("two threads: {:.2} times the rate of one", two.by_clock / one.by_clock);
        }
    }
}

/// The instructions per hop in a dumbbell: the difference between a longer and a shorter run.
fn instructions(size: usize, traffic: &str) {
    let counted = [50, 150].map(|milliseconds: u64| {
        let own = std::env::current_exe().ok()?;
        let output = Command::new("valgrind")
            .args(["--tool=callgrind", "--callgrind-out-file=/dev/null", "--smc-check=all"])
            .arg(own)
            .args(["count", &size.to_string(), traffic, &milliseconds.to_string()])
            .output()
            .ok()?;
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        let line = text.lines().find(|line| line.contains("Collected"))?;
        let hops: u64 = String::from_utf8_lossy(&output.stdout).trim().parse().ok()?;
        Some((line.split(':').next_back()?.trim().parse::<u64>().ok()?, hops))
    });
    match counted {
        [Some((few, short)), Some((many, long))] => {
            let each = (many - few) as f64 / (long - short) as f64;
            println!("dumbbell {size} {traffic}: {each:.0} instructions a hop");
        }
        _ => println!("valgrind cannot count instructions here"),
    }
}

fn traffic(name: &str) -> Traffic {
    if name == "tcp" { Traffic::Tcp } else { Traffic::Udp }
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let number = |text: &str| text.parse::<u64>().unwrap_or(0);
    match words.as_slice() {
        [] => {
            for traffic in [Traffic::Udp, Traffic::Tcp] {
                measure("dumbbell", 20, traffic, 2000);
                let sizes = [10, 100, 1000];
                let flat: Vec<f64> =
                    sizes.iter().filter_map(|hosts| measure("dumbbell", *hosts, traffic, 2000)).collect();
                if let [few, .., many] = flat[..] {
                    println!("10 hosts against 1000: {:.2} times the rate", few / many);
                }
                measure("fat-tree", 8, traffic, 200);
                measure("rated", 20, traffic, 500);
            }
        }
        ["instructions"] => ["udp", "tcp"].iter().for_each(|traffic| instructions(20, traffic)),
        ["count", size, name, milliseconds] => {
            let mut world = worlds::dumbbell(&router(), traffic(name), number(size) as usize);
            world.network.run_for((WARM + number(milliseconds)) * MS);
            println!("{}", world.hops());
        }
        ["threads"] => compare_threads(200),
        ["threads", milliseconds] => compare_threads(number(milliseconds)),
        [topology, size, rest @ ..] => {
            let name = rest.first().copied().unwrap_or("udp");
            let milliseconds = rest.get(1).map_or(1000, |text| number(text));
            let threads = rest.get(2).map_or(1, |text| number(text) as usize);
            if measure_in(threads, topology, number(size) as usize, traffic(name), milliseconds).is_none() {
                println!("\"{topology}\" is neither \"dumbbell\" nor \"rated\" nor \"fat-tree\"");
            }
        }
        [other] => println!("\"{other}\" is neither \"instructions\" nor a topology and its size"),
    }
}
