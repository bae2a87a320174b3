//! Measures how long one pass through parser, ingress and deparser of the router in
//! `tests/programs/router.ir` takes.
//!
//! `cargo run --release -p weir-interp --example speed`
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::print_stdout,
    reason = "a measurement reads the clock and prints"
)]

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use weir_exec::{Environment, Executor, Fault, Lookup, Value};
use weir_interp::Interpreter;
use weir_ir::{ActionCall, Bits, ExternCall, Id, State, TableId, ValueSetId, text, validate};

/// Every lookup finds the same entry.
struct OneEntry(Arc<ActionCall>);

impl Environment for OneEntry {
    fn lookup(&mut self, _: TableId, keys: &[Bits]) -> Lookup {
        black_box(keys);
        Lookup { hit: true, call: self.0.clone(), entry: Some(0) }
    }

    fn in_value_set(&mut self, _: ValueSetId, _: &[Bits]) -> bool {
        false
    }

    fn call(
        &mut self,
        _: &ExternCall,
        _: &mut [Value],
        _: &dyn Executor,
        _: &mut State,
    ) -> Result<Vec<Bits>, Fault> {
        Err(Fault::AssertionFailed)
    }
}

fn main() {
    let program = text::parse(include_str!("../tests/programs/router.ir")).expect("the program reads");
    let program = validate(program).expect("the program is valid");
    let mut env = OneEntry(Arc::new(program.tables[Id::new(0)].entries[0].call.clone()));
    let interpreter = Interpreter::new(program);
    let mut packet = vec![0x0a; 12];
    packet.extend([0x08, 0x00, 0x45, 0, 0, 20, 0, 0, 0, 0, 64, 6, 0, 0, 10, 0, 9, 1, 10, 0, 1, 7]);
    packet.resize(1228, 0);

    let mut state = interpreter.layout().state();
    let mut output = Vec::with_capacity(packet.len());
    for (label, passes) in [("warm-up", 100_000u32), ("measured", 1_000_000)] {
        let begin = Instant::now();
        for _ in 0..passes {
            state.clear();
            output.clear();
            let parsed = interpreter.parse(Id::new(0), black_box(&packet), &mut state, &mut env);
            for control in 0..interpreter.program().controls.len() {
                let end = interpreter.control(Id::new(control), &mut state, &mut output, &mut env);
                assert_eq!(end, Ok(()));
            }
            output.extend_from_slice(&packet[parsed.consumed..]);
            black_box(&output);
        }
        println!("{label}: {:.0} ns per pass", begin.elapsed().as_nanos() as f64 / f64::from(passes));
    }
}
