//! Runs native code and the interpreter over the same packets and compares all that can be seen: how parsing ended, every word
//! of the state, the bytes out, faults, and what was asked of the environment, in order, with its arguments.
//!
//! The environment answers by a hash of the question, so that both hear the same: entries of random actions with random data,
//! value sets, externs that change their arguments and metadata beside them, and now and then a failing assertion.

#![allow(dead_code, reason = "each test uses its own part")]

use std::sync::Arc;

use weir_interp::Interpreter;
use weir_ir::exec::{Environment, Executor, Fault, Lookup, Parsed, Value};
use weir_ir::*;

/// Numbers that depend on the seed alone (splitmix64).
#[derive(Clone, Debug)]
pub struct Dice(pub u64);

impl Dice {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    pub fn below(&mut self, count: usize) -> usize {
        (self.next() % count.max(1) as u64) as usize
    }

    pub fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| self.next() as u8).collect()
    }

    /// Limits of the width, small numbers, any numbers.
    fn bits(&mut self, width: u32) -> Bits {
        match self.below(6) {
            0 => Bits::zero(width),
            1 => Bits::ones(width),
            2 => Bits::new(width, u128::from(self.next() % 8)),
            _ => {
                let bytes = self.bytes(width.div_ceil(8) as usize);
                Bits::from_be_bytes(width, &bytes)
            }
        }
    }

    fn value(&mut self, program: &Program, ty: Type) -> Bits {
        match ty {
            Type::Error => Bits::new(32, self.below(program.errors.len()) as u128),
            Type::Enum(id) => Bits::new(32, self.below(program.enums[id].members.len()) as u128),
            Type::Varbit { max } => {
                let width = self.below(max as usize + 1) as u32;
                self.bits(width)
            }
            Type::Bool | Type::Bits { .. } => self.bits(ty.width()),
        }
    }
}

/// What was asked of the environment.
#[derive(Clone, Debug, PartialEq)]
pub enum Asked {
    Table(TableId, Vec<Bits>),
    Set(ValueSetId, Vec<Bits>),
    Extern(String, Vec<Value>),
}

struct World<'a> {
    program: &'a Program,
    seed: u64,
    asked: Vec<Asked>,
}

impl World<'_> {
    fn dice(&self, keys: &[Bits]) -> Dice {
        let mut dice = Dice(self.seed);
        for key in keys {
            let mut words = vec![0; key.width().div_ceil(64) as usize];
            key.write_words(&mut words);
            for word in words.into_iter().chain([u64::from(key.width())]) {
                dice.0 ^= word;
                dice.next();
            }
        }
        dice
    }
}

impl Environment for World<'_> {
    fn lookup(&mut self, table: TableId, keys: &[Bits]) -> Lookup {
        self.asked.push(Asked::Table(table, keys.to_vec()));
        let mut dice = self.dice(keys);
        let of = &self.program.tables[table];
        let hit = dice.below(4) > 0;
        let call = if hit {
            let action = of.actions[dice.below(of.actions.len())].action;
            let params = &self.program.actions[action].params;
            let types = params.iter().map(|param| self.program.vars[param.var].ty);
            ActionCall { action, args: types.map(|ty| dice.value(self.program, ty)).collect() }
        } else {
            of.default_action.clone()
        };
        Lookup { hit, call: Arc::new(call), entry: None }
    }

    fn in_value_set(&mut self, set: ValueSetId, keys: &[Bits]) -> bool {
        self.asked.push(Asked::Set(set, keys.to_vec()));
        self.dice(keys).below(2) == 0
    }

    fn call(
        &mut self,
        call: &ExternCall,
        args: &mut [Value],
        executor: &dyn Executor,
        state: &mut State,
    ) -> Result<Vec<Bits>, Fault> {
        self.asked.push(Asked::Extern(call.callee.clone(), args.to_vec()));
        let given: Vec<Bits> = args
            .iter()
            .flat_map(|arg| match arg {
                Value::Bits(values) => values.clone(),
                Value::Text(_) | Value::Extern(_) => Vec::new(),
            })
            .collect();
        let mut dice = self.dice(&given);
        if dice.below(40) == 0 {
            return Err(Fault::AssertionFailed);
        }
        for (arg, value) in call.args.iter().zip(args) {
            if let (Direction::Out | Direction::InOut, Value::Bits(values)) = (arg.direction, value) {
                for value in values {
                    if dice.below(3) > 0 {
                        *value = dice.bits(value.width());
                    }
                }
            }
        }
        // Metadata beside the arguments.
        let plain = self.program.vars.iter().filter(|(_, var)| {
            var.role == VarRole::Plain && matches!(var.ty, Type::Bits { .. } | Type::Bool)
        });
        let plain: Vec<VarId> = plain.map(|(id, _)| id).collect();
        if !plain.is_empty() && dice.below(2) == 0 {
            let var = plain[dice.below(plain.len())];
            let value = dice.bits(self.program.vars[var].ty.width());
            executor.layout().set(state, var, &value);
        }
        Ok(call.result.iter().map(|var| dice.value(self.program, self.program.vars[*var].ty)).collect())
    }
}

/// What a run leaves.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    parsed: Vec<Parsed>,
    ends: Vec<Result<(), Fault>>,
    values: Vec<Bits>,
    words: State,
    out: Vec<u8>,
    asked: Vec<Asked>,
}

/// Runs all parsers, then all controls, over one state.
fn run(executor: &dyn Executor, packet: &[u8], seed: u64) -> Outcome {
    let program = executor.program();
    let layout = executor.layout();
    let mut world = World { program, seed, asked: Vec::new() };
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
pub fn difference(native: &dyn Executor, interp: &Interpreter, packet: &[u8], seed: u64) -> Option<String> {
    let (is, should) = (run(native, packet, seed), run(interp, packet, seed));
    if is == should {
        return None;
    }
    let asked = is.asked.iter().zip(&should.asked).find(|(is, should)| is != should);
    if let Some((is, should)) = asked {
        return Some(format!("asked {is:?}\ninstead of {should:?}"));
    }
    if is.asked.len() != should.asked.len() {
        return Some(format!("asked {} times instead of {}", is.asked.len(), should.asked.len()));
    }
    if (&is.parsed, &is.ends) != (&should.parsed, &should.ends) {
        let (is, should) = ((&is.parsed, &is.ends), (&should.parsed, &should.ends));
        return Some(format!("ended {is:?}\ninstead of {should:?}"));
    }
    for ((_, var), (is, should)) in interp.program().vars.iter().zip(is.values.iter().zip(&should.values)) {
        if is != should {
            return Some(format!("`{}` is {is:#?} instead of {should:#?}", var.name));
        }
    }
    if is.out != should.out {
        return Some(format!("emitted {:02x?}\ninstead of {:02x?}", is.out, should.out));
    }
    Some("bits of the state differ above the variables' widths".to_owned())
}

/// A packet: any bytes, or headers that many programs know, with numbers in places where the program looks for them.
pub fn packet(dice: &mut Dice, numbers: &[(u32, u64)]) -> Vec<u8> {
    let length = dice.below(128);
    let mut packet = dice.bytes(length);
    if dice.below(2) == 0 && length >= 34 {
        packet[12..14].copy_from_slice(&[[8, 0], [8, 6], [0x86, 0xdd], [0x81, 0]][dice.below(4)]);
        packet[14] = [0x45, 0x46, 0x60][dice.below(3)];
        packet[23] = [6, 17, 1, 4][dice.below(4)];
    }
    for _ in 0..dice.below(4) {
        if numbers.is_empty() || length == 0 {
            break;
        }
        let (width, number) = numbers[dice.below(numbers.len())];
        let bytes = number.to_be_bytes();
        let bytes = &bytes[8 - (width.div_ceil(8) as usize).min(8)..];
        let at = dice.below(length);
        for (to, from) in packet[at..].iter_mut().zip(bytes) {
            *to = *from;
        }
    }
    packet
}

/// The numbers that a program's parsers select by, with their widths.
pub fn numbers(program: &Program) -> Vec<(u32, u64)> {
    let mut numbers = Vec::new();
    for state in program.parsers.values().flat_map(|parser| parser.states.values()) {
        let Transition::Select { cases, .. } = &state.transition else { continue };
        for keyset in cases.iter().flat_map(|case| &case.keysets) {
            if let Keyset::Value(value) | Keyset::Mask(value, _) | Keyset::Range(value, _) = keyset {
                numbers.push((value.width(), value.low_u64()));
            }
        }
    }
    numbers
}

/// The entropy of the program of a seed: mostly short, sometimes long.
pub fn entropy(seed: u64) -> Vec<u8> {
    let mut dice = Dice(seed ^ 0x5eed);
    let length = [200, 600, 1500, 3000][dice.below(4)];
    let length = dice.below(length);
    dice.bytes(length)
}

/// Runs random programs, each over random packets, until one differs. `make` makes the executor that is compared.
///
/// A difference is told with the smallest program found that still shows it.
pub fn fuzz(
    seeds: std::ops::Range<u64>,
    packets: u64,
    make: &dyn Fn(Arc<Program>, u64) -> Box<dyn Executor>,
) -> Result<(), String> {
    for seed in seeds {
        let bytes = entropy(seed);
        if let Some(first) = try_program(&bytes, seed, packets, make) {
            let mut smallest = (bytes.len(), first);
            for length in (0..bytes.len()).step_by(1 + bytes.len() / 64) {
                if let Some(problem) = try_program(&bytes[..length], seed, packets, make) {
                    smallest = (length, problem);
                    break;
                }
            }
            let program = random::program(&bytes[..smallest.0]);
            let text = text::print(&program);
            return Err(format!("seed {seed}, {} bytes: {}\n{text}", smallest.0, smallest.1));
        }
    }
    Ok(())
}

fn try_program(
    bytes: &[u8],
    seed: u64,
    packets: u64,
    make: &dyn Fn(Arc<Program>, u64) -> Box<dyn Executor>,
) -> Option<String> {
    let program = Arc::new(random::program(bytes));
    let native = make(Arc::clone(&program), seed);
    let interp = Interpreter::new(Arc::clone(&program));
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
