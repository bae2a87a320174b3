//! Tests that the amount of code grows in proportion to the program's size, for programs that grow
//! in different ways.

#[path = "../../tests/shapes/mod.rs"]
mod shapes;

use std::sync::Arc;

use weir_device::{Device, Packet};
use weir_exec::Executor;
use weir_ir::{ValidProgram, text};
use weir_switch::{Switch, SwitchConfig, arch};
use weir_syntax::preprocess::MemoryLoader;

use crate::Native;

pub(super) fn compile(source: &str) -> ValidProgram {
    let loader = MemoryLoader::new()
        .with("main.p4", source)
        .with("core.p4", include_str!("../../../../p4include/core.p4"))
        .with("v1model.p4", include_str!("../../../../p4include/v1model.p4"));
    let result = weir_compiler::compile("main.p4", &loader, &[]);
    let Some(program) = result.program else {
        panic!("{}\n{source}", result.diagnostics.render(&result.source_map, false))
    };
    arch::bind(program).expect("it is for v1model")
}

/// Returns the length of a program as text of the IR without indentation, and the number of
/// instructions and block arguments that are made from its pipelines, including those of discarded
/// attempts and of optimisation.
fn amounts(source: &str) -> (usize, usize) {
    let program = compile(source);
    let length = text::print(&program).split_whitespace().map(str::len).sum();
    let native = Arc::new(Native::new(program).expect("the program becomes native"));
    let executor: Arc<dyn Executor> = native.clone();
    let config = SwitchConfig { pass_latency: 0, ..SwitchConfig::default().with_ports(0..2) };
    let mut switch = Switch::new(executor, config).expect("it is for v1model");
    // The code is compiled when it first runs.
    switch.receive(0, 1, Packet::new(0, vec![0; 16]));
    switch.advance(0, &mut Vec::new());
    assert_eq!(switch.stats().received, 1);
    (length, native.emitted_instructions())
}

/// The limit on the growth of code when the size doubles: 2, and a little more for parts that grow
/// with the logarithm. Quadratic growth would give a factor of 4.
const MAX_GROWTH: f64 = 2.8;

/// A member's name is as long as it is deep.
const LONG_NAMES: [&str; 1] = ["structs, one within another"];

#[test]
#[allow(clippy::disallowed_methods, reason = "code without optimisation takes more stack than tests have")]
fn code_grows_as_the_program_does() {
    let thread = std::thread::Builder::new().stack_size(64 << 20).spawn(compare_sizes);
    thread.expect("a thread").join().expect("the amounts are right");
}

fn compare_sizes() {
    let mut wrong = Vec::new();
    for (name, make) in shapes::SHAPES {
        // Programs may be nested 128 levels deep, and an `if` with its braces takes two.
        let sizes = if name.ends_with("within another") { [28, 56] } else { [48, 96] };
        let [small, large] = sizes.map(|n| amounts(&make(n)));
        let ratio = |small: usize, large: usize| large as f64 / small as f64;
        let (ir, code) = (ratio(small.0, large.0), ratio(small.1, large.1));
        let large_ir = ir > MAX_GROWTH && !LONG_NAMES.contains(&name);
        if large_ir || code > MAX_GROWTH {
            wrong.push(format!("{name}: IR {ir:.2} times, code {code:.2} times {small:?} {large:?}"));
        }
    }
    assert!(wrong.is_empty(), "with twice the size:\n{}", wrong.join("\n"));
}
