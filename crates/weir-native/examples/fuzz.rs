//! Compares native code with the interpreter over any number of random programs and packets.
//!
//! `cargo run --release -p weir-native --example fuzz -- blocks|pipelines|hostile PROGRAMS PACKETS
//! [FIRST SEED]`
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::print_stdout,
    reason = "a command reads its arguments and a clock, and prints"
)]

#[path = "../tests/differential/mod.rs"]
mod differential;

use std::sync::Arc;
use std::time::{Duration, Instant};

use differential::pipelines::Reached;
use weir_exec::{CompiledPipeline, Executor, Pipeline};
use weir_ir::ValidProgram;
use weir_native::Native;

/// The number of programs between two looks at the clock.
const SEEDS_PER_ROUND: u64 = 10;
/// The time between two progress reports.
const REPORT_INTERVAL: Duration = Duration::from_secs(20);

fn native(program: ValidProgram) -> Native {
    Native::new(program).expect("the program becomes native")
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let number = |position: usize, default| {
        args.get(position).map_or(default, |arg| arg.parse::<u64>().expect("a number"))
    };
    let target = args.first().map_or("pipelines", String::as_str);
    assert!(
        ["blocks", "pipelines", "hostile"].contains(&target),
        "`{target}` is not `blocks`, `pipelines` or `hostile`"
    );
    let (programs, packets, first) = (number(1, 100), number(2, 100), number(3, 0));
    let mut reached = Reached::default();
    let make = |program, _| Box::new(native(program)) as Box<dyn Executor>;
    let fuse = |program, pipeline: &Pipeline| -> Box<dyn CompiledPipeline> {
        Arc::new(native(program)).compile_pipeline(pipeline.clone())
    };
    let (begin, mut reported) = (Instant::now(), Instant::now());
    let mut done = 0;
    while done < programs {
        let seeds = first + done..first + programs.min(done + SEEDS_PER_ROUND);
        let problem = match target {
            "hostile" => {
                let make = |program| Arc::new(native(program)) as Arc<dyn Executor>;
                println!("{:?}", differential::hostile::fuzz(seeds.clone(), packets, &make));
                Ok(())
            }
            "blocks" => differential::fuzz(seeds.clone(), packets, &make)
                .map_err(|found| found.smallest_program(packets, &make)),
            _ => differential::fuzz_pipelines(seeds.clone(), packets, &fuse, &mut reached)
                .map_err(|found| found.smallest_pipeline(packets, &fuse)),
        };
        if let Err(problem) = problem {
            println!("{problem}");
            std::process::exit(1);
        }
        done = seeds.end - first;
        if reported.elapsed() > REPORT_INTERVAL || done == programs {
            reported = Instant::now();
            let seconds = begin.elapsed().as_secs_f64();
            let rate = (done * packets) as f64 / seconds;
            println!(
                "{target}: {done} of {programs} programs, {} packets, {rate:.0} packets/s",
                done * packets
            );
        }
    }
    if target == "pipelines" {
        println!("{reached:?}");
    }
    println!("{target}: seeds {first}..{}, {packets} packets each: no difference", first + programs);
}
