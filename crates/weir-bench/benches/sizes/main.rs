//! Measures the time to compile programs that are large in one respect, and its growth: the
//! exponent `e` in time ~ n^e, between half the size and the size.
//!
//! `cargo bench -p weir-bench --bench sizes [-- NAME… LARGEST]`: all shapes up to a size of 1024 by
//! default, each twice the one before, until a size takes ten seconds. Times are the processor time
//! of one thread. `-- FILE.p4…` measures these programs instead.

#![expect(clippy::print_stdout, reason = "the person who runs it wants to see the figures")]

#[path = "../by_hand/mod.rs"]
mod by_hand;
#[path = "../common/mod.rs"]
mod common;
#[path = "../../../weir-native/tests/shapes/mod.rs"]
mod shapes;

use std::hint::black_box;
use std::sync::Arc;

use common::processor_seconds;
use weir_device::Buffer;
use weir_exec::Executor;
use weir_interp::Interpreter;
use weir_native::Native;
use weir_switch::arch;
use weir_syntax::preprocess::MemoryLoader;
use weir_syntax::{Diagnostics, SourceMap};

const STEPS: [&str; 4] = ["check", "lower", "native", "interp"];

/// A program is not made larger once one size took this many seconds.
const ENOUGH: f64 = 10.0;

/// The exponent is not computed for times below this many seconds.
const MIN_TIME: f64 = 0.002;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let largest = words.iter().find_map(|word| word.parse().ok()).unwrap_or(1024);
    let named: Vec<&String> = words.iter().filter(|word| word.parse::<usize>().is_err()).collect();
    println!("{:<30} {:>6}  {}", "what", "n", STEPS.map(|step| format!("{step:>10} ms  e")).join(" "));
    let (files, named): (Vec<&String>, Vec<&String>) =
        named.into_iter().partition(|word| word.ends_with(".p4"));
    for file in &files {
        let text = std::fs::read_to_string(file).unwrap_or_else(|problem| panic!("{file}: {problem}"));
        let Some(times) = step_times(&text) else { continue };
        let columns = times.map(|time| format!("{:>10.1}     ", time * 1e3));
        println!("{file:<30} {:>6}  {}", "", columns.join(" "));
    }
    if !files.is_empty() {
        return;
    }
    for (name, make) in shapes::SHAPES {
        if !named.is_empty() && !named.iter().any(|word| name.contains(word.as_str())) {
            continue;
        }
        let (mut size, mut before) = (64, None);
        while size <= largest {
            let Some(times) = step_times(&make(size)) else { break };
            let columns = (0..STEPS.len()).map(|step| {
                let exponent = before.map(|before: [f64; STEPS.len()]| (times[step] / before[step]).log2());
                let note =
                    exponent.filter(|_| times[step] > MIN_TIME).map_or(String::new(), |e| format!("{e:.1}"));
                format!("{:>10.1} {note:>4}", times[step] * 1e3)
            });
            println!("{name:<30} {size:>6}  {}", columns.collect::<Vec<_>>().join(" "));
            if times.iter().sum::<f64>() > ENOUGH {
                break;
            }
            before = Some(times);
            size *= 2;
        }
    }
}

/// Returns the duration of each step in seconds. Prints a message and returns `None` if the program
/// is refused.
fn step_times(source: &str) -> Option<[f64; STEPS.len()]> {
    let loader = MemoryLoader::new()
        .with("main.p4", source)
        .with("core.p4", include_str!("../../../../p4include/core.p4"))
        .with("v1model.p4", include_str!("../../../../p4include/v1model.p4"));
    let (mut sources, mut found) = (SourceMap::new(), Diagnostics::new());
    let mut checked = None;
    let check = processor_seconds(|| {
        let tree = weir_syntax::parse("main.p4", &loader, &[], &mut sources, &mut found);
        checked = weir_compiler::check(&tree, None, &mut found);
        if let Some(program) = &checked {
            weir_lint::lint(program, &mut found);
        }
    });
    let Some(checked) = checked.filter(|_| !found.has_errors()) else {
        println!("{}", found.render(&sources, false));
        return None;
    };
    let mut program = None;
    let lower = processor_seconds(|| {
        let lowered = weir_compiler::lower(&checked, &sources, &mut found);
        program = lowered.map(|program| arch::bind(program).expect("it is for v1model"));
    });
    let Some(program) = program else { panic!("{}", found.render(&sources, false)) };
    let interpreter: Arc<dyn Executor> = Arc::new(Interpreter::new(program.clone()));
    let interp = processor_seconds(|| first_packet(&interpreter));
    let native = processor_seconds(|| match Native::new(program) {
        Ok(native) => {
            let native: Arc<dyn Executor> = Arc::new(native.with_tracer(interpreter.clone()));
            first_packet(&native);
        }
        Err(problem) => println!("{problem}"),
    });
    Some([check, lower, native, interp])
}

/// Makes a switch and sends a packet through it, because the executor compiles the pipeline for the
/// first packet.
fn first_packet(executor: &Arc<dyn Executor>) {
    let mut switch = common::switch(executor);
    let mut buffers = [Buffer::new(64)];
    buffers[0].receive(0, 0, &[0; 16]);
    let mut transmissions = Vec::new();
    switch.forward(0, &mut buffers, &mut transmissions);
    black_box(transmissions.len());
}
