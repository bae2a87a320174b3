//! Tests that the work of each step from a program's text to a switch grows in proportion to the
//! program's size. Work is measured as the number of bytes that a step allocates, including bytes
//! that it frees again. (`weir-native` has the same test for machine code. Lints have separate
//! limits.)

#[path = "../../weir-bench/benches/programs/memory.rs"]
mod memory;
#[path = "../../weir-native/tests/shapes/mod.rs"]
mod shapes;

use std::sync::Arc;

use weir_compiler::CompileResult;
use weir_interp::Interpreter;
use weir_switch::{Switch, SwitchConfig, arch};
use weir_syntax::preprocess::MemoryLoader;
use weir_syntax::{Diagnostics, SourceMap};

#[global_allocator]
static ALLOCATOR: memory::Counting = memory::Counting;

const STEPS: [&str; 4] = ["parse", "check", "lower", "load"];

/// Returns the bytes that a step allocates, and its result.
fn counted<T>(step: impl FnOnce() -> T) -> (T, usize) {
    let (before, _) = memory::counted();
    let result = step();
    let (after, _) = memory::counted();
    (result, after - before)
}

fn work(source: &str) -> [usize; STEPS.len()] {
    let loader = MemoryLoader::new()
        .with("main.p4", source)
        .with("core.p4", include_str!("../../../p4include/core.p4"))
        .with("v1model.p4", include_str!("../../../p4include/v1model.p4"));
    let (mut sources, mut diagnostics) = (SourceMap::new(), Diagnostics::new());
    let (tree, parse) =
        counted(|| weir_syntax::parse("main.p4", &loader, &[], &mut sources, &mut diagnostics));
    let (program, check) = counted(|| weir_compiler::check(&tree, None, &mut diagnostics));
    let Some(program) = program else { panic!("{}\n{source}", diagnostics.render(&sources, false)) };
    let analysis = weir_compiler::Analysis { program: Some(program), diagnostics, source_map: sources };
    let (CompileResult { program, .. }, lower) = counted(|| analysis.lower());
    let program = program.expect("a program without errors");
    let (switch, load) = counted(|| {
        let bound = arch::bind(program).expect("it is for v1model");
        Switch::new(Arc::new(Interpreter::new(bound)), SwitchConfig::default().with_ports(0..2))
    });
    assert!(switch.is_ok(), "{source}");
    [parse, check, lower, load]
}

/// The maximum growth of work when the program's size grows fourfold. Linear work grows by a factor
/// of 4, or up to 8 because lists grow by doubling. Quadratic work would grow by a factor of 16.
const MAX_GROWTH: f64 = 8.0;

/// Amounts below this many bytes are rounded up to it: the list of all tokens, which contains those
/// of `v1model.p4`, can double in the last growth only.
const MIN_COUNTED_BYTES: usize = 1 << 16;

/// Programs in which the length of a member's name grows with its depth.
const LONG_NAMES: [&str; 1] = ["structs, one within another"];

/// The work that the last growth of the size adds is compared with the work that the first growth
/// adds. The totals are not compared, because each program includes `v1model.p4`.
#[test]
fn work_grows_as_the_program_does() {
    let mut wrong = Vec::new();
    for (name, make) in shapes::SHAPES.iter().filter(|(name, _)| !LONG_NAMES.contains(name)) {
        // Programs may be nested 128 levels deep, and an `if` with its braces takes two.
        let sizes = if name.ends_with("within another") { [7, 14, 28, 56] } else { [24, 48, 96, 192] };
        let amounts = sizes.map(|n| work(&make(n)));
        for (step, what) in STEPS.iter().enumerate() {
            let [a, b, c, d] = amounts.map(|amount| amount[step]);
            let (first, last) = (b.saturating_sub(a).max(MIN_COUNTED_BYTES), d.saturating_sub(c));
            let ratio = last as f64 / first as f64;
            if ratio > MAX_GROWTH {
                wrong.push(format!("{what}: {name}: {ratio:.2} times ({first}, then {last} bytes)"));
            }
        }
    }
    assert!(wrong.is_empty(), "with four times the size:\n{}", wrong.join("\n"));
}
