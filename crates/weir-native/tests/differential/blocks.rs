//! Runs blocks one by one: all parsers, then all controls, over one state.

use weir_exec::{Executor, Fault, Parsed};
use weir_interp::Interpreter;
use weir_ir::*;

use super::rng::{Rng, packet, select_numbers};
use super::world::{EnvironmentCall, World};

/// The result of a run.
#[derive(Clone, Debug, PartialEq)]
struct Outcome {
    parsed: Vec<Parsed>,
    ends: Vec<Result<(), Fault>>,
    values: Vec<Bits>,
    words: State,
    out: Vec<u8>,
    calls: Vec<EnvironmentCall>,
}

/// Runs all parsers, then all controls, over one state.
fn run(executor: &dyn Executor, packet: &[u8], seed: u64) -> Outcome {
    let program = executor.program();
    let layout = executor.layout();
    let mut world = World::new(program, None, seed);
    let mut rng = Rng(seed);
    let mut state = layout.state();
    if rng.number_below(2) == 0 {
        // Plain variables get any values, as if other blocks had run before.
        for (id, var) in program.vars.iter() {
            if var.role == VarRole::Plain && rng.number_below(2) == 0 {
                layout.set(&mut state, id, &rng.value(program, var.ty));
            }
        }
    }
    let mut output = vec![0xa5; rng.number_below(3)];
    let parsers = program.parsers.iter();
    let parsed = parsers.map(|(id, _)| executor.parse(id, packet, &mut state, &mut world)).collect();
    let controls = program.controls.iter();
    let ends = controls.map(|(id, _)| executor.control(id, &mut state, &mut output, &mut world)).collect();
    let values = program.vars.iter().map(|(id, _)| layout.get(&state, id)).collect();
    Outcome { parsed, ends, values, words: state, out: output, calls: world.calls }
}

/// Returns the first difference between native code and the interpreter, in words.
fn first_difference(native: &dyn Executor, interp: &Interpreter, packet: &[u8], seed: u64) -> Option<String> {
    let (actual, expected) = (run(native, packet, seed), run(interp, packet, seed));
    if actual == expected {
        return None;
    }
    if let Some(problem) = call_difference(&actual.calls, &expected.calls) {
        return Some(problem);
    }
    if (&actual.parsed, &actual.ends) != (&expected.parsed, &expected.ends) {
        let (actual, expected) = ((&actual.parsed, &actual.ends), (&expected.parsed, &expected.ends));
        return Some(format!("ended {actual:?}\ninstead of {expected:?}"));
    }
    if let Some(problem) = value_difference(interp.program(), &actual.values, &expected.values) {
        return Some(problem);
    }
    if actual.out != expected.out {
        return Some(format!("emitted {:02x?}\ninstead of {:02x?}", actual.out, expected.out));
    }
    Some("bits of the state differ above the variables' widths".to_owned())
}

/// Returns the first difference in the calls of the environment.
pub fn call_difference(actual: &[EnvironmentCall], expected: &[EnvironmentCall]) -> Option<String> {
    if let Some((actual, expected)) =
        actual.iter().zip(expected).find(|(actual, expected)| actual != expected)
    {
        return Some(format!("asked {actual:?}\ninstead of {expected:?}"));
    }
    (actual.len() != expected.len())
        .then(|| format!("asked {} times instead of {}", actual.len(), expected.len()))
}

/// Returns the first variable with another value.
pub fn value_difference(program: &Program, actual: &[Bits], expected: &[Bits]) -> Option<String> {
    let mut values = program.vars.values().zip(actual.iter().zip(expected));
    values
        .find(|(_, (actual, expected))| actual != expected)
        .map(|(var, (actual, expected))| format!("`{}` is {actual:#?} instead of {expected:#?}", var.name))
}

/// Compares the blocks of a program over random packets.
pub fn try_program(
    program: &ValidProgram,
    seed: u64,
    packets: u64,
    make: &dyn Fn(ValidProgram, u64) -> Box<dyn Executor>,
) -> Option<String> {
    let native = make(program.clone(), seed);
    let interp = Interpreter::new(program.clone());
    compare_packets(&*native, &interp, seed, packets)
}

/// Sends random packets through both executors.
pub fn compare_packets(
    native: &dyn Executor,
    interp: &Interpreter,
    seed: u64,
    packets: u64,
) -> Option<String> {
    let numbers = select_numbers(interp.program());
    let mut rng = Rng(seed);
    (0..packets).find_map(|_| {
        let packet = packet(&mut rng, &numbers);
        let world = rng.next();
        let problem = first_difference(native, interp, &packet, world)?;
        Some(format!("packet {packet:02x?}, world {world}: {problem}"))
    })
}
