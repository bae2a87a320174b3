//! The comparison with the interpreter finds injected bugs, and holds for all options.

mod ahead;
mod checksums;
#[path = "../tests/differential/mod.rs"]
mod differential;
mod growth;

use std::ops::Range;
use std::sync::Arc;

use weir_exec::{Environment, Executor, Fault, Lookup, Pipeline, PipelineSpec, Stage, Value};
use weir_ir::{Bits, ControlId, ExternCall, ParserId, State, TableId, ValidProgram, ValueSetId, VarId};

use crate::Native;
use crate::options::{InjectedBug, InlineLimits, Options};
use differential::pipelines::Reached;

fn fuzz(
    seeds: Range<u64>,
    packets: u64,
    options: impl Fn(u64) -> Options,
) -> Result<(), differential::Found> {
    let make = |program: ValidProgram, seed| {
        let native = Native::with_options(program, options(seed)).expect("the program becomes native");
        Box::new(native) as Box<dyn Executor>
    };
    differential::fuzz(seeds, packets, &make)
}

fn is_found(bug: InjectedBug) {
    is_found_from(0, bug);
}

/// Searches for a bug that few programs show, in programs near the seed of a program that shows it.
fn is_found_from(first: u64, bug: InjectedBug) {
    let result = fuzz(first..first + 4_000, 20, |_| Options { bug: Some(bug), ..Options::default() });
    assert!(result.is_err(), "an executor with {bug:?} looks like the interpreter");
}

fn is_found_in_pipelines(bug: InjectedBug) {
    let make = |program: ValidProgram, pipeline: &Pipeline| {
        let options = Options { bug: Some(bug), ..Options::default() };
        let native = Native::with_options(program, options).expect("the program becomes native");
        Arc::new(native).compile_pipeline(pipeline.clone())
    };
    let result = differential::fuzz_pipelines(0..4_000, 20, &make, &mut Reached::default());
    assert!(result.is_err(), "a pipeline with {bug:?} looks like the interpreter's");
}

#[test]
fn a_field_that_is_not_written_back_is_found() {
    is_found_in_pipelines(InjectedBug::ForgottenField);
}

#[test]
fn a_checksum_of_old_fields_is_found() {
    is_found_in_pipelines(InjectedBug::StaleChecksum);
}

#[test]
fn a_stale_element_of_a_stack_is_found() {
    is_found_in_pipelines(InjectedBug::StaleElement);
}

#[test]
fn wrong_byte_order_is_found() {
    is_found(InjectedBug::WrongEndianness);
}

#[test]
fn an_extra_bit_is_found() {
    is_found(InjectedBug::OffByOneWidth);
}

#[test]
fn stale_fields_after_set_valid_are_found() {
    is_found(InjectedBug::StaleFields);
}

#[test]
fn an_extra_iteration_is_found() {
    is_found_from(120, InjectedBug::ExtraIteration);
}

#[test]
fn unsigned_comparison_is_found() {
    is_found(InjectedBug::UnsignedComparison);
}

fn fuzz_pipelines(options: Options, reached: &mut differential::pipelines::Reached) -> Result<(), ()> {
    let make = |program: ValidProgram, pipeline: &Pipeline| {
        let native = Native::with_options(program, options).expect("the program becomes native");
        Arc::new(native).compile_pipeline(pipeline.clone())
    };
    differential::fuzz_pipelines(0..400, 36, &make, reached).map_err(drop)
}

#[test]
fn stale_cached_lookups_are_found() {
    let options = Options { bug: Some(InjectedBug::StaleLookups), ..Options::default() };
    assert_eq!(fuzz_pipelines(options, &mut Default::default()), Err(()));
}

/// Makes a program with two tables; the first has two keys in three words.
fn tables() -> ValidProgram {
    let text = "errors { NoError, PacketTooShort, NoMatch, StackOutOfBounds, HeaderTooShort, ParserTimeout, ParserInvalidArgument }
        header_type h_t { a: bit<8> b: bit<72> }
        header h: h_t
        var next: bit<16>
        var go.next: bit<16>
        var put.b: bit<72>
        var put.a: bit<8>
        action go(next = go.next) { next = go.next; }
        action put(b = put.b, a = put.a) { h.b = put.b; h.a = put.a; }
        action none() { }
        table first { key h.b: exact h.b key h.a: exact h.a action go action put action none default none() }
        table second { key next: exact next action put action none action go default go(16w7) }
        parser P { start s locals { } state s { extract h; -> accept } }
        control C { if h.$valid$ { apply first; apply second; } }
        control D { emit h; }";
    weir_ir::validate(weir_ir::text::parse(text).expect("it is IR")).expect("it is valid")
}

#[test]
fn key_prediction_finds_the_same_entries() {
    let program = tables();
    let stages = vec![
        Stage::Parse { parser: ParserId::new(0), error: None },
        Stage::Control(ControlId::new(0)),
        Stage::Deparse(ControlId::new(1)),
    ];
    let steady = (0..2).map(TableId::new).collect();
    let spec = PipelineSpec { stages, cacheable_tables: steady, ..PipelineSpec::default() };
    let pipeline = Pipeline::new(&program, spec).expect("the pipeline obeys the rules");
    let compare = |bug, reached: &mut Reached| {
        // Keys seldom repeat, so the cache soon pauses.
        let options = Options { cache_credit: 2, bug, ..Options::default() };
        let make = |program: ValidProgram, pipeline: &Pipeline| {
            let native = Native::with_options(program, options).expect("the program becomes native");
            Arc::new(native).compile_pipeline(pipeline.clone())
        };
        differential::pipelines::compare(&pipeline, (1, 4_000), &make, reached)
    };
    let mut reached = Reached::default();
    assert_eq!(compare(None, &mut reached), None);
    assert!(reached.looked_ahead > 1_000, "{reached:?}");
    let foreign = compare(Some(InjectedBug::SwappedLookups), &mut Reached::default());
    assert!(foreign.is_some(), "answers for other keys are found");
}

#[test]
fn options_do_not_change_results() {
    // The options vary: variables in memory or in registers, both register allocators, inlining or
    // not, optimised or not.
    let options = |seed: u64| Options {
        max_register_loads: [0, 1_000_000, 4_000][seed as usize % 3],
        inline: [
            InlineLimits { several_callers: 0, one_caller: 0 },
            InlineLimits { several_callers: 1_000, one_caller: 1_000 },
        ][seed as usize / 3 % 2],
        optimise: seed.is_multiple_of(5),
        max_block_args: [0, 20, 8_000][seed as usize / 2 % 3],
        max_run_length: [0, 20_000][seed as usize % 4 / 3],
        max_register_elements: [1, 32][seed as usize / 7 % 2],
        max_register_params: [0, 128][seed as usize / 3 % 2],
        min_run: [2, 16][seed as usize / 5 % 2],
        ..Options::default()
    };
    assert_eq!(fuzz(0..120, 20, options), Ok(()));
}

/// Stacks and variables in memory, where headers have no place in the packet.
#[test]
fn options_change_nothing_in_pipelines() {
    for (max_register_loads, max_register_elements) in [(4_000, 1_usize), (0, 32), (0, 1)] {
        let make = |program: ValidProgram, pipeline: &Pipeline| {
            let max_register_params = max_register_elements.saturating_sub(1);
            let options = Options {
                max_register_loads,
                max_register_elements,
                max_register_params,
                min_run: 2,
                ..Options::default()
            };
            let native = Native::with_options(program, options).expect("the program becomes native");
            Arc::new(native).compile_pipeline(pipeline.clone())
        };
        let mut reached = Reached::default();
        differential::fuzz_pipelines(0..100, 20, &make, &mut reached)
            .unwrap_or_else(|found| panic!("{}", found.smallest_pipeline(20, &make)));
        assert!(reached.deparsed > reached.packets / 4, "{reached:?}");
    }
}

/// Makes a program with a parser and a control over one variable.
fn small() -> ValidProgram {
    let text = "errors { NoError, PacketTooShort, NoMatch, StackOutOfBounds, HeaderTooShort, ParserTimeout, ParserInvalidArgument }
        var x: bit<8> parser P { start s locals { } state s { lookahead x; -> accept } } control C { x = x + 8w1; }";
    weir_ir::validate(weir_ir::text::parse(text).expect("it is IR")).expect("it is valid")
}

#[test]
fn users_of_the_same_pipeline_share_its_code() {
    let native = Arc::new(Native::new(small()).expect("the program becomes native"));
    let fuse = |outputs| {
        let stages =
            vec![Stage::Parse { parser: ParserId::new(0), error: None }, Stage::Control(ControlId::new(0))];
        let spec = PipelineSpec { stages, outputs, ..PipelineSpec::default() };
        let pipeline = Pipeline::new(native.program(), spec).expect("the pipeline obeys the rules");
        Arc::clone(&native).compile_pipeline(pipeline)
    };
    let (first, second, other) = (fuse(0), fuse(0), fuse(1));
    assert_eq!(native.pipeline_users(), [2, 1]);
    drop((first, second));
    let again = fuse(1);
    assert_eq!(native.pipeline_users(), [2], "unused pipelines are dropped");
    drop((other, again));
}

#[test]
fn blocks_without_code_are_interpreted() {
    #[derive(Default)]
    struct Warnings(Vec<String>);
    impl Environment for Warnings {
        fn lookup(&mut self, _: TableId, _: &[Bits]) -> Lookup {
            unreachable!("there is no table")
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
            unreachable!("there is no extern")
        }
        fn warn(&mut self, text: &str) {
            self.0.push(text.to_owned());
        }
    }
    let program = small();
    let options = Options { bug: Some(InjectedBug::NoCode), ..Options::default() };
    let native = Native::with_options(program.clone(), options).expect("nothing is made yet");
    let traced = native.with_tracer(Arc::new(weir_interp::Interpreter::new(program)));
    let (mut state, mut warnings) = (traced.layout().state(), Warnings::default());
    for _ in 0..2 {
        assert!(traced.parse(ParserId::new(0), &[41], &mut state, &mut warnings).accepted);
        assert_eq!(traced.control(ControlId::new(0), &mut state, &mut Vec::new(), &mut warnings), Ok(()));
        assert_eq!(traced.layout().get_u64(&state, VarId::new(0)), 42);
    }
    let line = "no machine code could be made of a block: a test; it runs in the interpreter";
    assert_eq!(warnings.0, [line, line], "each block once");
}
