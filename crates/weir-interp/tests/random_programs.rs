//! Runs random programs with random packets: nothing may panic, and the same packet must give the
//! same result again.

use std::sync::Arc;

use proptest::prelude::*;
use weir_exec::{Environment, Event, Executor, Fault, Lookup, Parsed, Value};
use weir_interp::Interpreter;
use weir_ir::*;

/// An environment whose answers depend only on the arguments of the call.
struct World<'a> {
    program: &'a Program,
    events: usize,
}

impl Environment for World<'_> {
    fn lookup(&mut self, table: TableId, keys: &[Bits]) -> Lookup {
        let table = &self.program.tables[table];
        let sum = keys.iter().fold(0u64, |sum, key| sum.wrapping_add(key.low_u64()));
        let entry = table.entries.get(sum as usize % (table.entries.len() + 1));
        Lookup {
            hit: entry.is_some(),
            call: Arc::new(entry.map_or(&table.default_action, |entry| &entry.call).clone()),
            entry: None,
        }
    }

    fn in_value_set(&mut self, _: ValueSetId, keys: &[Bits]) -> bool {
        keys[0].low_u64() > 100
    }

    fn call(
        &mut self,
        call: &ExternCall,
        args: &mut [Value],
        _: &dyn Executor,
        _: &mut State,
    ) -> Result<Vec<Bits>, Fault> {
        let Value::Bits(values) = &mut args[0] else { panic!("{} takes values", call.callee) };
        if call.callee == "count" {
            let count = |var: &VarId| {
                let width = self.program.vars[*var].ty.width();
                Bits::from_words(width, &[values.len() as u64 & (u64::MAX >> (64 - width))])
            };
            return Ok(call.result.iter().map(count).collect());
        }
        values.iter_mut().for_each(|value| *value = value.not());
        Ok(vec![])
    }

    fn tracing(&self) -> bool {
        true
    }

    fn event(&mut self, _: Event<'_>) {
        self.events += 1;
    }
}

/// The outcome of a run: how parsing and each control ended, all variables, emitted bytes.
type Outcome = (Parsed, Vec<Result<(), Fault>>, Vec<Bits>, Vec<u8>);

fn run(program: &ValidProgram, packet: &[u8]) -> Outcome {
    let interpreter = Interpreter::new(program.clone());
    let mut state = interpreter.layout().state();
    let mut world = World { program, events: 0 };
    let parsed = interpreter.parse(Id::new(0), packet, &mut state, &mut world);
    let mut output = Vec::new();
    let ends = program
        .controls
        .iter()
        .map(|(id, _)| interpreter.control(id, &mut state, &mut output, &mut world))
        .collect();
    let values = program.vars.iter().map(|(id, _)| interpreter.layout().get(&state, id)).collect();
    assert!(world.events > 0, "nothing happened");
    (parsed, ends, values, output)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(150) })]

    #[test]
    fn random_programs_run(
        entropy in prop::collection::vec(any::<u8>(), 0..1500),
        packet in prop::collection::vec(any::<u8>(), 0..200),
    ) {
        let program = validate(weir_testgen::program(&entropy)).expect("random programs are valid");
        let (parsed, ends, values, out) = run(&program, &packet);
        prop_assert!(parsed.consumed <= packet.len());
        prop_assert!((parsed.error as usize) < program.errors.len());
        prop_assert_eq!(run(&program, &packet), (parsed, ends, values, out));
    }
}
