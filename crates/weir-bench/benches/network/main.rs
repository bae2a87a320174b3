//! The virtual network on one core: frames delivered over links, "hops", per second of the wall clock.
//!
//! `cargo bench -p weir-bench --bench network [-- TOPOLOGY SIZE [MILLISECONDS]]`, with `dumbbell` and its hosts or `fat-tree` and its k. Without
//! arguments: a dumbbell of 20 hosts, dumbbells of 10, 100 and 1000 for how flat it is, and a fat tree of 8.
//! `cargo bench -p weir-bench --bench network -- instructions`: instructions a hop by callgrind.
//!
//! Switches run `benches/programs/router.p4` as machine code with a pass latency of 1 us. Pairs of hosts send UDP: datagrams of 1472 bytes one
//! way, half as many of 16 bytes back.

#![expect(clippy::print_stdout, reason = "whoever runs it wants to see the figures")]

#[path = "../by_hand/mod.rs"]
mod by_hand;
#[path = "../common/mod.rs"]
mod common;
mod worlds;

use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

use weir_bench::programs::sized;
use weir_ir::exec::Executor;
use worlds::World;

const MS: u64 = 1_000_000;
/// Virtual time until all ways are full, in milliseconds.
const WARM: u64 = 30;
const ROUNDS: usize = 5;

fn router() -> Arc<dyn Executor> {
    let router = sized("router-1k", 1).expect("it is listed");
    let [native, _] = common::executors(&common::program(router.file, router.source, &[]));
    native
}

fn world(topology: &str, size: usize) -> Option<World> {
    match topology {
        "dumbbell" => Some(worlds::dumbbell(&router(), size)),
        "fat-tree" => Some(worlds::fat_tree(&router(), size)),
        _ => None,
    }
}

/// Runs for so many virtual milliseconds in a few rounds; hops per second of the processor in the best one.
fn measure(topology: &str, size: usize, milliseconds: u64) -> Option<f64> {
    let built = Instant::now();
    let mut world = world(topology, size)?;
    let built = built.elapsed().as_secs_f64();
    world.network.run_for(WARM * MS);
    let (mut best, mut wall, mut hops, mut events) = (0.0f64, 0.0, 0, 0);
    for _ in 0..ROUNDS {
        let (before, clock) = (world.hops(), Instant::now());
        let seconds = common::processor_seconds(|| {
            events += world.network.run_for(milliseconds * MS / ROUNDS as u64).events;
        });
        wall += clock.elapsed().as_secs_f64();
        let went = world.hops() - before;
        best = best.max(went as f64 / seconds);
        hops += went;
    }
    println!(
        "{topology} {size}: {} hosts, {} switches, {hops} hops in {wall:.2} s: {:.0} hops/s by the clock, {best:.0} in the best round's \
         processor time; {:.2} events a hop; built in {built:.2} s",
        world.hosts,
        world.switches,
        hops as f64 / wall,
        events as f64 / hops as f64,
    );
    Some(best)
}

/// Instructions a hop of a dumbbell: the difference between a longer and a shorter run.
fn instructions(size: usize) {
    let counted = [10, 40].map(|milliseconds: u64| {
        let own = std::env::current_exe().ok()?;
        let output = Command::new("valgrind")
            .args(["--tool=callgrind", "--callgrind-out-file=/dev/null", "--smc-check=all"])
            .arg(own)
            .args(["count", &size.to_string(), &milliseconds.to_string()])
            .output()
            .ok()?;
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        let line = text.lines().find(|line| line.contains("Collected"))?;
        let hops: u64 = String::from_utf8_lossy(&output.stdout).trim().parse().ok()?;
        Some((line.split(':').next_back()?.trim().parse::<u64>().ok()?, hops))
    });
    match counted {
        [Some((few, short)), Some((many, long))] => {
            println!(
                "dumbbell {size}: {:.0} instructions a hop",
                (many - few) as f64 / (long - short) as f64
            );
        }
        _ => println!("valgrind cannot count instructions here"),
    }
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let number = |text: &str| text.parse::<u64>().unwrap_or(0);
    match words.as_slice() {
        [] => {
            measure("dumbbell", 20, 2000);
            let flat: Vec<f64> =
                [10, 100, 1000].iter().filter_map(|hosts| measure("dumbbell", *hosts, 2000)).collect();
            if let [few, .., many] = flat[..] {
                println!("10 hosts against 1000: {:.2} times the rate", few / many);
            }
            measure("fat-tree", 8, 200);
        }
        ["instructions"] => instructions(20),
        ["count", size, milliseconds] => {
            let mut world = worlds::dumbbell(&router(), number(size) as usize);
            world.network.run_for((WARM + number(milliseconds)) * MS);
            println!("{}", world.hops());
        }
        [topology, size, rest @ ..] => {
            let milliseconds = rest.first().map_or(1000, |text| number(text));
            if measure(topology, number(size) as usize, milliseconds).is_none() {
                println!("\"{topology}\" is neither \"dumbbell\" nor \"fat-tree\"");
            }
        }
        [other] => println!("\"{other}\" is neither \"instructions\" nor a topology and its size"),
    }
}
