//! Tests callers and environments that break their contract from safe code. Native code must panic
//! with a message or give a wrong result, and must never access other memory. Each panic must reach
//! the caller, which can continue with the same executor.

mod environment;

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use environment::{
    CALL, DEPARSE_W, LOOKUP, OTHER, PACKET, PUT, World, message, native, pipeline, program, row, run,
    run_with_headroom, spec, var,
};
use weir_exec::{
    Environment, Executor, Fault, Lookup, LookupResult, PacketBatch, PacketView, Pipeline, PipelineEnd,
    PipelineIo, PipelineSpec, Value,
};
use weir_ir::{
    ActionCall, ActionId, Bits, ControlId, ExternCall, Layout, ParserId, Program, State, TableId, ValueSetId,
};
use weir_native::Native;

#[test]
fn actions_of_other_tables_are_refused() {
    let native = native();
    let mut fused = Arc::clone(&native).compile_pipeline(pipeline(&native, &[LOOKUP]));
    let mut world = World { row: row(&[OTHER as u64, 0, 0]), ..World::new() };
    let refused = "the lookup in table `t` gave action `other`, which the table does not list";
    assert_eq!(run(&mut *fused, native.layout(), &PACKET, &mut world), Err(refused.to_owned()));
    world.row = row(&[u64::MAX, 0, 0]);
    let unknown =
        format!("the lookup in table `t` gave action number {}, which the table does not list", u64::MAX);
    assert_eq!(run(&mut *fused, native.layout(), &PACKET, &mut world), Err(unknown));
    world.call = ActionCall { action: ActionId::new(OTHER), args: Vec::new() };
    let block = message(|| {
        native.control(ControlId::new(LOOKUP), &mut native.layout().state(), &mut Vec::new(), &mut world)
    });
    assert_eq!(block, Err(refused.to_owned()));
    // The next packet runs normally.
    let done = Ok((PipelineEnd::Done { start: 0 }, PACKET.to_vec()));
    assert_eq!(run(&mut *fused, native.layout(), &PACKET, &mut World::new()), done);
}

#[test]
fn a_row_without_its_data_is_refused() {
    let native = native();
    let mut fused = Arc::clone(&native).compile_pipeline(pipeline(&native, &[LOOKUP]));
    for (words, message) in [
        (&[][..], "the lookup in table `t` gave an empty row"),
        (&[PUT as u64], "the lookup in table `t` gave action `put` a row without all of its data"),
        (&[PUT as u64, 7], "the lookup in table `t` gave action `put` a row without all of its data"),
    ] {
        let mut world = World { row: row(words), ..World::new() };
        assert_eq!(run(&mut *fused, native.layout(), &PACKET, &mut world), Err(message.to_owned()));
    }
    // An action without data needs only its number.
    let mut world = World { row: row(&[1]), ..World::new() };
    let done = Ok((PipelineEnd::Done { start: 0 }, PACKET.to_vec()));
    assert_eq!(run(&mut *fused, native.layout(), &PACKET, &mut world), done);
}

#[test]
fn action_data_of_other_widths_are_refused() {
    let native = native();
    for args in [vec![], vec![Bits::zero(16)], vec![Bits::zero(16), Bits::ones(2048)]] {
        let call = ActionCall { action: ActionId::new(PUT), args };
        let mut world = World { call, ..World::new() };
        let end = message(|| {
            native.control(ControlId::new(LOOKUP), &mut native.layout().state(), &mut Vec::new(), &mut world)
        });
        let refused = "the lookup in table `t` gave action `put` data that do not fit its parameters";
        assert_eq!(end, Err(refused.to_owned()));
    }
}

#[test]
fn extern_results_of_wrong_width_are_refused() {
    let native = native();
    for result in [vec![], vec![Bits::ones(2048)], vec![Bits::zero(16), Bits::zero(16)]] {
        let mut world = World { on_call: Box::new(move |_, _| Ok(result.clone())), ..World::new() };
        let end = message(|| {
            native.control(ControlId::new(CALL), &mut native.layout().state(), &mut Vec::new(), &mut world)
        });
        let refused = "the extern `go` gave values that do not fit the variables that take them";
        assert_eq!(end, Err(refused.to_owned()));
    }
}

#[test]
fn a_state_of_another_program_is_refused() {
    let native = native();
    let small = weir_ir::text::parse("errors { NoError } var x: bit<8>").expect("it is IR");
    let small = Layout::new(&small);
    let refused = message(|| {
        native.control(ControlId::new(LOOKUP), &mut small.state(), &mut Vec::new(), &mut World::new())
    });
    assert!(refused.is_err_and(|message| message.contains("the state is of another program")));
    let mut fused = Arc::clone(&native).compile_pipeline(pipeline(&native, &[LOOKUP]));
    let refused = run(&mut *fused, &small, &PACKET, &mut World::new());
    assert!(refused.is_err_and(|message| message.contains("the state is of another program")));
}

#[test]
fn replacing_the_state_is_refused() {
    let native = native();
    let small = Layout::new(&weir_ir::text::parse("errors { NoError } var x: bit<8>").expect("it is IR"));
    let exchange = |_: &dyn Executor, state: &mut State| {
        *state = small.state();
        Ok(vec![Bits::zero(16)])
    };
    let mut fused = Arc::clone(&native).compile_pipeline(pipeline(&native, &[CALL]));
    let refused = "the extern `go` replaced the state by one of another size";
    let mut world = World { on_call: Box::new(exchange), ..World::new() };
    assert_eq!(run(&mut *fused, native.layout(), &PACKET, &mut world), Err(refused.to_owned()));
    let mut world = World { on_call: Box::new(exchange), ..World::new() };
    let block = message(|| {
        native.control(ControlId::new(CALL), &mut native.layout().state(), &mut Vec::new(), &mut world)
    });
    assert_eq!(block, Err(refused.to_owned()));
    // A state of the same size works as well as the previous state.
    let same = |executor: &dyn Executor, state: &mut State| {
        *state = executor.layout().state();
        Ok(vec![Bits::zero(16)])
    };
    let mut world = World { on_call: Box::new(same), ..World::new() };
    assert!(run(&mut *fused, native.layout(), &PACKET, &mut world).is_ok());
}

#[test]
fn headers_from_the_environment_are_emitted() {
    let native = native();
    let (program, mut fused) = (program(), Arc::clone(&native).compile_pipeline(pipeline(&native, &[CALL])));
    let (valid, a, b) = (var(&program, "g.$valid$"), var(&program, "g.a"), var(&program, "g.b"));
    let make = move |executor: &dyn Executor, state: &mut State| {
        let layout = executor.layout();
        layout.set_u64(state, valid, 1);
        layout.set_u64(state, a, 0x0a0b);
        layout.set_u64(state, b, 0x0c0d);
        Ok(vec![Bits::zero(16)])
    };
    let mut world = World { on_call: Box::new(make), ..World::new() };
    let end = run_with_headroom(&mut *fused, native.layout(), (&PACKET, 4), &mut world);
    assert_eq!(end, Ok((PipelineEnd::Done { start: 0 }, vec![1, 2, 3, 4, 10, 11, 12, 13, 5, 6])));
}

#[test]
fn invalid_validity_words_stay_in_bounds() {
    let native = native();
    let mut fused = Arc::clone(&native).compile_pipeline(pipeline(&native, &[LOOKUP, CALL, LOOKUP]));
    for junk in [2, 3, 1 << 31, 1 << 61, 1 << 62, 1 << 63, (1 << 62) + 1, u64::MAX, u64::MAX - 1] {
        let scramble = move |_: &dyn Executor, state: &mut State| {
            state.words_mut().fill(junk);
            Ok(vec![Bits::zero(16)])
        };
        for headroom in [0, 64] {
            let row = row(&[PUT as u64, junk, junk]);
            let mut world = World { row, on_call: Box::new(scramble), ..World::new() };
            // The whole packet is parsed, so that bytes written after the parsed bytes are outside
            // of the packet.
            let end = run_with_headroom(&mut *fused, native.layout(), (&PACKET[..4], headroom), &mut world);
            let ended = matches!(end, Ok((PipelineEnd::Done { .. } | PipelineEnd::NoRoom { .. }, _)));
            assert!(ended, "{junk:#x}: {end:?}");
        }
    }
}

#[test]
fn a_varbit_is_no_longer_than_its_type() {
    let native = native();
    let mut state = native.layout().state();
    state.words_mut().fill(u64::MAX);
    let mut output = Vec::new();
    let end = native.control(ControlId::new(DEPARSE_W), &mut state, &mut output, &mut World::new());
    assert_eq!((end, output), (Ok(()), vec![0xff; 8]));
}

#[test]
fn too_few_inputs_outputs_or_ends_are_refused() {
    let native = native();
    let spec = PipelineSpec { inputs: vec![Some(var(native.program(), "got"))], ..spec(&[]) };
    let pipeline = Pipeline::new(native.program(), spec).expect("the pipeline obeys the rules");
    let mut fused = Arc::clone(&native).compile_pipeline(pipeline);
    let memory: Vec<Cell<u8>> = PACKET.into_iter().map(Cell::new).collect();
    let packets = [PacketView::new(&memory, 0, 6); 2];
    let mut try_with = |inputs: usize, outputs: usize, ends: usize| {
        let (inputs, mut outputs) = (vec![0; inputs], vec![0; outputs]);
        let mut ends = vec![PipelineEnd::Done { start: 0 }; ends];
        let batch = PacketBatch {
            packets: &packets,
            inputs: &inputs,
            outputs: &mut outputs,
            ends: &mut ends,
            stop: &|_| false,
        };
        let mut state = native.layout().state();
        message(|| fused.run_batch(batch, &mut state, &mut World::new()))
    };
    assert_eq!(try_with(2, 2, 2), Ok(2));
    for (inputs, outputs, ends) in [(1, 2, 2), (0, 2, 2), (2, 1, 2), (2, 0, 2), (2, 2, 1), (2, 2, 0)] {
        assert!(try_with(inputs, outputs, ends).is_err(), "{inputs} inputs, {outputs} outputs, {ends} ends");
    }
}

#[test]
fn packets_may_overlap_in_memory() {
    let native = native();
    let mut fused = Arc::clone(&native).compile_pipeline(pipeline(&native, &[LOOKUP]));
    let memory: Vec<Cell<u8>> = (0..16).map(Cell::new).collect();
    let packets: Vec<PacketView<'_>> = (0..12).map(|at| PacketView::new(&memory, at, at + 4)).collect();
    let (mut outputs, mut ends) = ([0; 12], [PipelineEnd::Done { start: 0 }; 12]);
    let batch = PacketBatch {
        packets: &packets,
        inputs: &[],
        outputs: &mut outputs,
        ends: &mut ends,
        stop: &|_| false,
    };
    let mut world = World { row: row(&[PUT as u64, 0x0102, 0x0304]), ..World::new() };
    let mut ran = fused.run_batch(batch, &mut native.layout().state(), &mut world);
    while ran < packets.len() {
        let batch = PacketBatch {
            packets: &packets[ran..],
            inputs: &[],
            outputs: &mut outputs[ran..],
            ends: &mut ends[ran..],
            stop: &|_| false,
        };
        ran += fused.run_batch(batch, &mut native.layout().state(), &mut world);
    }
    let bytes: Vec<u8> = memory.iter().map(Cell::get).collect();
    assert_eq!(bytes, [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 3, 4, 15]);
}

#[test]
fn extern_calls_may_reenter_the_executor() {
    let native = native();
    let mut fused = Arc::clone(&native).compile_pipeline(pipeline(&native, &[CALL]));
    let mut inner = Arc::clone(&native).compile_pipeline(pipeline(&native, &[LOOKUP]));
    let mut ends = Vec::new();
    let call = |executor: &dyn Executor, state: &mut State| {
        // The run uses the state of the running packet, which the caller reads again.
        let mut world = World::new();
        executor.control(ControlId::new(LOOKUP), state, &mut Vec::new(), &mut world)?;
        executor.parse(ParserId::new(0), &[0xaa; 4], state, &mut world);
        ends.push(run(&mut *inner, executor.layout(), &PACKET, &mut world));
        Ok(vec![Bits::zero(16)])
    };
    let mut world = World { on_call: Box::new(call), ..World::new() };
    let end = run(&mut *fused, native.layout(), &PACKET, &mut world);
    assert!(end.is_ok_and(|(end, _)| end == PipelineEnd::Done { start: 0 }));
    drop(world);
    assert_eq!(ends, [Ok((PipelineEnd::Done { start: 0 }, PACKET.to_vec()))]);
}

#[test]
fn environment_panics_reach_the_caller() {
    let native = native();
    let mut fused = Arc::clone(&native).compile_pipeline(pipeline(&native, &[CALL]));
    let mut world = World { on_call: Box::new(|_, _| panic!("no such extern")), ..World::new() };
    assert_eq!(run(&mut *fused, native.layout(), &PACKET, &mut world), Err("no such extern".to_owned()));
    let block = message(|| {
        native.control(ControlId::new(CALL), &mut native.layout().state(), &mut Vec::new(), &mut world)
    });
    assert_eq!(block, Err("no such extern".to_owned()));
    let done = Ok((PipelineEnd::Done { start: 0 }, PACKET.to_vec()));
    assert_eq!(run(&mut *fused, native.layout(), &PACKET, &mut World::new()), done);
}

/// An environment whose rows are valid only until the next call.
struct Forgetful(Vec<AtomicU64>, u64);

impl Environment for Forgetful {
    fn lookup(&mut self, _: TableId, _: &[Bits]) -> Lookup {
        unreachable!("tables are looked up by words")
    }

    fn lookup_words<'a>(
        &'a mut self,
        _: &Program,
        _: TableId,
        _: &[u64],
        _: &'a [AtomicU64],
    ) -> LookupResult<'a> {
        self.1 += 1;
        self.0 = row(&[PUT as u64, self.1, self.1]);
        LookupResult { hit: true, row: &self.0 }
    }

    fn in_value_set(&mut self, _: ValueSetId, _: &[Bits]) -> bool {
        unreachable!("there is no value set")
    }

    fn call(
        &mut self,
        _: &ExternCall,
        _: &mut [Value],
        _: &dyn Executor,
        _: &mut State,
    ) -> Result<Vec<Bits>, Fault> {
        self.0.iter().for_each(|word| word.store(u64::MAX, Relaxed));
        self.0 = Vec::new();
        Ok(vec![Bits::zero(16)])
    }

    fn begin_packet(&mut self, _: usize) {
        self.0.iter().for_each(|word| word.store(u64::MAX, Relaxed));
        self.0 = Vec::new();
    }
}

#[test]
fn rows_are_read_before_the_next_call() {
    let native = native();
    let mut fused = Arc::clone(&native).compile_pipeline(pipeline(&native, &[LOOKUP, CALL, LOOKUP, CALL]));
    let memory: Vec<Cell<u8>> = PACKET.into_iter().map(Cell::new).collect();
    let mut outputs = [0];
    let mut state = native.layout().state();
    let work = PipelineIo { state: &mut state, inputs: &[], outputs: &mut outputs };
    let end = fused.run(PacketView::new(&memory, 0, 6), work, &mut Forgetful(Vec::new(), 0));
    assert_eq!(end, PipelineEnd::Done { start: 0 });
    let bytes: Vec<u8> = memory.iter().map(Cell::get).collect();
    assert_eq!(bytes, [0, 2, 0, 2, 5, 6]);
}

#[test]
fn foreign_pipelines_and_tracers_are_refused() {
    // The programs are equal, but not the same.
    let (own, other) = (native(), native());
    let of_other = pipeline(&other, &[]);
    let result = message(|| Arc::clone(&own).compile_pipeline(of_other.clone()).begin(&mut World::new()));
    assert_eq!(result, Err("the pipeline is of another program".to_owned()));
    let traced = message(|| {
        let native = Native::new(program()).expect("the program becomes native");
        native.with_tracer(Arc::clone(&other) as _).name()
    });
    assert_eq!(traced, Err("the tracer is of another program".to_owned()));
}
