//! Blocks one by one: all parsers, then all controls, over one state.

use weir_exec::{Executor, Fault, Parsed};
use weir_interp::Interpreter;
use weir_ir::*;

use super::dice::{Dice, numbers, packet};
use super::world::{Question, World};

/// What a run leaves.
#[derive(Clone, Debug, PartialEq)]
struct Outcome {
    parsed: Vec<Parsed>,
    ends: Vec<Result<(), Fault>>,
    values: Vec<Bits>,
    words: State,
    out: Vec<u8>,
    asked: Vec<Question>,
}

/// Runs all parsers, then all controls, over one state.
fn run(executor: &dyn Executor, packet: &[u8], seed: u64) -> Outcome {
    let program = executor.program();
    let layout = executor.layout();
    let mut world = World::new(program, None, seed);
    let mut dice = Dice(seed);
    let mut state = layout.state();
    if dice.below(2) == 0 {
        // As if blocks had run before: anything in variables of their own.
        for (id, var) in program.vars.iter() {
            if var.role == VarRole::Plain && dice.below(2) == 0 {
                layout.set(&mut state, id, &dice.value(program, var.ty));
            }
        }
    }
    let mut out = vec![0xa5; dice.below(3)];
    let parsers = program.parsers.iter();
    let parsed = parsers.map(|(id, _)| executor.parse(id, packet, &mut state, &mut world)).collect();
    let controls = program.controls.iter();
    let ends = controls.map(|(id, _)| executor.control(id, &mut state, &mut out, &mut world)).collect();
    let values = program.vars.iter().map(|(id, _)| layout.get(&state, id)).collect();
    Outcome { parsed, ends, values, words: state, out, asked: world.asked }
}

/// What differs first between native code and the interpreter, in words.
fn difference(native: &dyn Executor, interp: &Interpreter, packet: &[u8], seed: u64) -> Option<String> {
    let (is, should) = (run(native, packet, seed), run(interp, packet, seed));
    if is == should {
        return None;
    }
    if let Some(problem) = asked_otherwise(&is.asked, &should.asked) {
        return Some(problem);
    }
    if (&is.parsed, &is.ends) != (&should.parsed, &should.ends) {
        let (is, should) = ((&is.parsed, &is.ends), (&should.parsed, &should.ends));
        return Some(format!("ended {is:?}\ninstead of {should:?}"));
    }
    if let Some(problem) = valued_otherwise(interp.program(), &is.values, &should.values) {
        return Some(problem);
    }
    if is.out != should.out {
        return Some(format!("emitted {:02x?}\ninstead of {:02x?}", is.out, should.out));
    }
    Some("bits of the state differ above the variables' widths".to_owned())
}

/// The first difference in what was asked.
pub fn asked_otherwise(is: &[Question], should: &[Question]) -> Option<String> {
    if let Some((is, should)) = is.iter().zip(should).find(|(is, should)| is != should) {
        return Some(format!("asked {is:?}\ninstead of {should:?}"));
    }
    (is.len() != should.len()).then(|| format!("asked {} times instead of {}", is.len(), should.len()))
}

/// The first variable with another value.
pub fn valued_otherwise(program: &Program, is: &[Bits], should: &[Bits]) -> Option<String> {
    let mut values = program.vars.values().zip(is.iter().zip(should));
    values
        .find(|(_, (is, should))| is != should)
        .map(|(var, (is, should))| format!("`{}` is {is:#?} instead of {should:#?}", var.name))
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

/// Sends random packets through both.
pub fn compare_packets(
    native: &dyn Executor,
    interp: &Interpreter,
    seed: u64,
    packets: u64,
) -> Option<String> {
    let numbers = numbers(interp.program());
    let mut dice = Dice(seed);
    (0..packets).find_map(|_| {
        let packet = packet(&mut dice, &numbers);
        let world = dice.next();
        let problem = difference(native, interp, &packet, world)?;
        Some(format!("packet {packet:02x?}, world {world}: {problem}"))
    })
}
