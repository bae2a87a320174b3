//! Measures the time of each stage for generated programs of growing length. The cost of a line
//! must not grow with the program.
//!
//! `make bench`, or `cargo bench -p weir-compiler`. Each time is the best of several runs. Long
//! runs are measured in processor time.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::print_stdout,
    reason = "a measurement reads the clock and files, and prints"
)]

#[path = "../tests/compiler/generate/mod.rs"]
mod generate;

use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

use weir_ir::{passes, text, violations};
use weir_syntax::preprocess::MemoryLoader;
use weir_syntax::{Diagnostics, SourceMap};

const STAGES: [&str; 8] = ["parse", "check", "lint", "lower", "validate", "bind", "print", "read"];

fn main() {
    println!("{:>8} {:>8}  {}", "lines", "total", STAGES.map(|stage| format!("{stage:>9}")).join(" "));
    println!("{:>8} {:>8}  {}", "", "ms", STAGES.map(|_| format!("{:>9}", "µs/line")).join(" "));
    for lines in [500, 1_000, 3_000, 10_000, 30_000, 100_000] {
        let source = generate::program(1, lines);
        let lines = source.lines().count();
        let rounds = (60_000 / lines).clamp(1, 20);
        let mut best = [Duration::MAX; STAGES.len()];
        for _ in 0..rounds {
            for (best, time) in best.iter_mut().zip(stages(&source)) {
                *best = time.min(*best);
            }
        }
        let front: Duration = best[..4].iter().sum();
        let each: Vec<String> =
            best.iter().map(|time| format!("{:>9.2}", time.as_secs_f64() * 1e6 / lines as f64)).collect();
        println!("{lines:>8} {:>8.2}  {}", front.as_secs_f64() * 1e3, each.join(" "));
    }
    println!("total: parse, check, lint and lower");
}

fn stages(source: &str) -> [Duration; STAGES.len()] {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let read = |path: &str| std::fs::read_to_string(root.join(path)).expect("the file lies there");
    let loader = MemoryLoader::new()
        .with("main.p4", source)
        .with("pipe.p4", read("testdata/lower/pipe.p4"))
        .with("core.p4", read("p4include/core.p4"));
    let (mut sources, mut found) = (SourceMap::new(), Diagnostics::new());
    let (parse, tree) = timed(|| weir_syntax::parse("main.p4", &loader, &[], &mut sources, &mut found));
    let (check, checked) =
        timed(|| weir_compiler::check(&tree, None, &mut found).expect("the program is valid"));
    let (lint, ()) = timed(|| weir_lint::lint(&checked, &mut found));
    let (lower, program) =
        timed(|| weir_compiler::lower(&checked, &sources, &mut found).expect("the program can be lowered"));
    let (valid, found) = timed(|| violations(&program));
    assert_eq!(found, [], "the compiler makes valid programs");
    let (print, listing) = timed(|| text::print(&program));
    // Without groups; the cost includes validating the result.
    let (bind, bound) = timed(|| passes::bind(program, &[]).expect("there is nothing to bind"));
    black_box(bound);
    let (read, again) = timed(|| text::parse(&listing).expect("what was printed can be read"));
    black_box(again);
    [parse, check, lint, lower, valid, bind, print, read]
}

fn timed<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let (begin, begin_cpu) = (Instant::now(), processor_time());
    let result = work();
    let elapsed = begin.elapsed();
    let time = match (begin_cpu, processor_time()) {
        // The system counts processor time in steps of some milliseconds. Shorter runs are measured
        // in wall-clock time, since they are seldom interrupted.
        (Some(begin), Some(end)) if elapsed > Duration::from_millis(50) => end.saturating_sub(begin),
        _ => elapsed,
    };
    (time, result)
}

/// Returns the processor time of this thread, where the system provides it (Linux): other programs'
/// load does not affect it.
fn processor_time() -> Option<Duration> {
    let schedule = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    schedule.split(' ').next()?.parse().ok().map(Duration::from_nanos)
}
