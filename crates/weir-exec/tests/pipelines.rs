//! Tests that a pipeline that breaks any of the rules is refused.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use weir_exec::{
    Condition, Environment, Executor, ExternSemantics, Fault, Lookup, NewValue, NumberSet, PacketView,
    Pipeline, PipelineEnd, PipelineIo, PipelineSpec, Source, Stage, StagedPipeline, SumStep, Value,
};
use weir_interp::Interpreter;
use weir_ir::{
    Bits, ControlId, ExternCall, ExternId, HeaderId, ParserId, State, StmtKind, TableId, ValidProgram,
    ValueSetId, VarId,
};

const TEXT: &str = "
    errors { NoError, PacketTooShort, NoMatch, StackOutOfBounds, HeaderTooShort, ParserTimeout, ParserInvalidArgument }
    enum Kind { Normal, Copy }
    header_type h_t { a: bit<16> }
    header h: h_t
    var small: bit<8>
    var word: bit<64>
    var flag: bool
    var error: error
    var wide: bit<65>
    var bits: varbit<32>
    var kind: Kind
    var sum: bit<16>
    extern c: counter()
    table t { key small: exact small action none default none() }
    action none() { }
    action shout() { emit h; }
    procedure deep { call action shout; }
    parser P { start s locals { } state s { extract h; -> accept } }
    control quiet { small = small + 8w1; apply t; }
    control D { emit h; }
    control through_calls { if flag { call deep; } }
    control calls {
        extern verify(in c = flag, in d = { small, word }, in s = sum);
        extern update(in c = flag, in d = { small, word }, inout s = &[sum]);
        extern odd(in c = bits, in d = { header h }, inout s = &[h.a], in l = { bits });
        extern touch(inout h = &{ valid: h.$valid$, a: h.a });
    }";

fn program() -> ValidProgram {
    weir_ir::validate(weir_ir::text::parse(TEXT).expect("it is IR")).expect("it is valid")
}

fn var(name: &str) -> VarId {
    let program = program();
    let entry = program.vars.iter().find(|(_, var)| var.name == name);
    entry.map(|(id, _)| id).expect("there is such a variable")
}

fn control(name: &str) -> ControlId {
    let program = program();
    let entry = program.controls.iter().find(|(_, control)| control.name == name);
    entry.map(|(id, _)| id).expect("there is such a control")
}

fn call(callee: &str) -> ExternCall {
    let program = program();
    let calls = program.controls[control("calls")].body.0.iter();
    let mut calls = calls.filter_map(|stmt| match &stmt.kind {
        StmtKind::Extern(call) => Some(call.clone()),
        _ => None,
    });
    calls.find(|call| call.callee == callee).expect("there is such a call")
}

fn check(spec: PipelineSpec) -> Result<(), String> {
    Pipeline::new(&program(), spec).map(|_| ()).map_err(|error| error.to_string())
}

fn refusal_message(spec: PipelineSpec) -> String {
    check(spec).expect_err("the pipeline breaks a rule")
}

fn stages(stages: Vec<Stage>) -> PipelineSpec {
    PipelineSpec { stages, ..PipelineSpec::default() }
}

fn semantics(call: ExternCall, semantics: ExternSemantics) -> PipelineSpec {
    PipelineSpec { extern_semantics: vec![(call, semantics)], ..PipelineSpec::default() }
}

fn parse() -> Stage {
    Stage::Parse { parser: ParserId::new(0), error: None }
}

#[test]
fn a_pipeline_that_obeys_the_rules_is_made() {
    let leave = |condition| Stage::LeaveIf { condition, code: 1, keep: true };
    let spec = PipelineSpec {
        inputs: vec![Some(var("small")), None, Some(var("small"))],
        read_by_caller: vec![var("word")],
        stages: vec![
            Stage::Set(var("flag"), Source::Const(1)),
            Stage::Parse { parser: ParserId::new(0), error: Some(var("error")) },
            Stage::Set(var("word"), Source::Var(var("h.$valid$"))),
            Stage::Control(control("quiet")),
            Stage::Set(var("small"), Source::Input(2)),
            leave(Condition::AtLeast(var("word"), 7)),
            Stage::LeaveIfDeferred { code: 2 },
            Stage::Output(var("h.a"), 1),
            Stage::Deparse(control("D")),
            Stage::Restart,
            Stage::Set(var("kind"), Source::Const(1)),
            Stage::Set(var("small"), Source::Length),
            parse(),
            leave(Condition::NotIn(var("word"), 0)),
            Stage::Deparse(control("D")),
        ],
        kept: vec![var("wide"), var("flag")],
        sets: vec![NumberSet::new([3, 900])],
        outputs: 2,
        ends_batches: true,
        extern_semantics: vec![
            (
                call("verify"),
                ExternSemantics::VerifyChecksum { condition: 0, data: 1, given: 2, error: var("flag") },
            ),
            (call("update"), ExternSemantics::UpdateChecksum { condition: 0, data: 1, field: 2 }),
            (
                call("odd"),
                ExternSemantics::Set(vec![
                    (var("small"), NewValue::Const(255)),
                    (var("word"), NewValue::Const(u64::MAX)),
                ]),
            ),
            (call("touch"), ExternSemantics::Call),
        ],
        cacheable_tables: vec![TableId::new(0)],
    };
    assert_eq!(check(spec), Ok(()));
    assert_eq!(check(PipelineSpec::default()), Ok(()));
}

#[test]
fn outputs_and_inputs_past_the_end_are_refused() {
    // Such a stage would make machine code write outside of the caller's slice.
    let output = |position| Stage::Output(var("small"), position);
    assert_eq!(refusal_message(stages(vec![output(0)])), "stage 0 names output 0, but the pipeline has 0");
    let spec = PipelineSpec { outputs: 3, ..stages(vec![output(2), output(1 << 20)]) };
    assert_eq!(refusal_message(spec), "stage 1 names output 1048576, but the pipeline has 3");
    let set = Stage::Set(var("small"), Source::Input(1));
    let spec = PipelineSpec { inputs: vec![Some(var("small"))], ..stages(vec![set]) };
    assert_eq!(refusal_message(spec), "stage 0 names input 1, but the pipeline has 1");
    let leave = Stage::LeaveIf { condition: Condition::NotIn(var("small"), 1), code: 0, keep: false };
    let spec = PipelineSpec { sets: vec![NumberSet::new([1])], ..stages(vec![leave]) };
    assert_eq!(refusal_message(spec), "stage 0 names set 1, but the pipeline has 1");
    // The number of outputs times the number of packets in a batch must not overflow.
    let spec = PipelineSpec { outputs: 1 << 63, ..PipelineSpec::default() };
    assert_eq!(refusal_message(spec), "the pipeline has 9223372036854775808 outputs, more than 4096");
    let spec = PipelineSpec { inputs: vec![None; 4097], ..PipelineSpec::default() };
    assert_eq!(refusal_message(spec), "the pipeline has 4097 inputs, more than 4096");
}

#[test]
fn unknown_parts_are_refused() {
    let unknown = VarId::new(1000);
    let lacks = |spec, what: &str| {
        assert_eq!(refusal_message(spec), format!("{what} that the program does not have"));
    };
    lacks(
        PipelineSpec { inputs: vec![Some(unknown)], ..PipelineSpec::default() },
        "input 0 names a variable",
    );
    lacks(stages(vec![parse(), Stage::Set(unknown, Source::Const(0))]), "stage 1 names a variable");
    lacks(stages(vec![Stage::Set(var("small"), Source::Var(unknown))]), "stage 0 names a variable");
    lacks(PipelineSpec { outputs: 1, ..stages(vec![Stage::Output(unknown, 0)]) }, "stage 0 names a variable");
    let condition = Condition::Is(unknown, 0);
    lacks(stages(vec![Stage::LeaveIf { condition, code: 0, keep: false }]), "stage 0 names a variable");
    lacks(stages(vec![Stage::Parse { parser: ParserId::new(1), error: None }]), "stage 0 names a parser");
    lacks(
        stages(vec![Stage::Parse { parser: ParserId::new(0), error: Some(unknown) }]),
        "stage 0 names a variable",
    );
    lacks(stages(vec![Stage::Control(ControlId::new(9))]), "stage 0 names a control");
    lacks(stages(vec![Stage::Deparse(ControlId::new(9))]), "stage 0 names a control");
    let tables = vec![TableId::new(0), TableId::new(1)];
    lacks(
        PipelineSpec { cacheable_tables: tables, ..PipelineSpec::default() },
        "cacheable table 1 names a table",
    );
    let set = ExternSemantics::Set(vec![(unknown, NewValue::Const(0))]);
    lacks(semantics(call("odd"), set), "extern call 0 names a variable");
    // These calls belong to another program.
    let mut other = call("verify");
    other.result.push(unknown);
    lacks(semantics(other.clone(), ExternSemantics::Call), "extern call 0 names a variable");
    other.result.clear();
    other.instance = Some(ExternId::new(5));
    lacks(semantics(other.clone(), ExternSemantics::Words(0)), "extern call 0 names an extern object");
    other.instance = None;
    other.args[1].value = weir_ir::ArgValue::Leaves(vec![weir_ir::Leaf::Header(HeaderId::new(7))]);
    lacks(semantics(other, ExternSemantics::Words(0)), "extern call 0 names a header");
}

#[test]
fn variables_of_the_wrong_kind_are_refused() {
    for name in ["wide", "bits"] {
        let reads = format!("stage 0 reads `{name}`, which has more than 64 bits or is a varbit");
        assert_eq!(refusal_message(stages(vec![Stage::Set(var("word"), Source::Var(var(name)))])), reads);
        let condition = Condition::IsNot(var(name), 0);
        assert_eq!(refusal_message(stages(vec![Stage::LeaveIf { condition, code: 0, keep: false }])), reads);
        let spec = PipelineSpec { outputs: 1, ..stages(vec![Stage::Output(var(name), 0)]) };
        assert_eq!(refusal_message(spec), reads);
    }
    for name in ["wide", "bits", "error", "h.a", "h.$valid$"] {
        let writes = |part| format!("{part} writes `{name}`, which is not a plain number of at most 64 bits");
        let spec =
            PipelineSpec { inputs: vec![Some(var("small")), Some(var(name))], ..PipelineSpec::default() };
        assert_eq!(refusal_message(spec), writes("input 1"));
        assert_eq!(refusal_message(stages(vec![Stage::Set(var(name), Source::Const(0))])), writes("stage 0"));
        let set = ExternSemantics::Set(vec![(var(name), NewValue::Const(0))]);
        assert_eq!(refusal_message(semantics(call("odd"), set)), writes("extern call 0"));
        let error = var(name);
        let verify = ExternSemantics::VerifyChecksum { condition: 0, data: 1, given: 2, error };
        assert_eq!(refusal_message(semantics(call("verify"), verify)), writes("extern call 0"));
        if name != "error" {
            let stage = Stage::Parse { parser: ParserId::new(0), error: Some(error) };
            assert_eq!(refusal_message(stages(vec![stage])), writes("stage 0"));
        }
    }
    for name in ["bits", "h.a", "h.$valid$"] {
        let spec = PipelineSpec { kept: vec![var("wide"), var(name)], ..PipelineSpec::default() };
        let message =
            format!("kept variable 1 is `{name}`, which belongs to a header or stack or is a varbit");
        assert_eq!(refusal_message(spec), message);
    }
    let kind = |source| refusal_message(stages(vec![Stage::Set(var("kind"), source)]));
    assert_eq!(kind(Source::Const(2)), "stage 0 sets `kind` to 2, which does not fit");
    let writes = "stage 0 writes `kind`, which is not a plain number of at most 64 bits";
    assert_eq!(kind(Source::Var(var("small"))), writes);
    let set = ExternSemantics::Set(vec![(var("small"), NewValue::Const(256))]);
    assert_eq!(
        refusal_message(semantics(call("odd"), set)),
        "extern call 0 sets `small` to 256, which does not fit"
    );
}

#[test]
fn stages_out_of_order_are_refused() {
    let order = |spec, stage: usize| {
        let rule = "a parser runs once and before all controls, a deparser is the last stage or comes before a \
                    restart, and a restart follows a deparser";
        assert_eq!(refusal_message(spec), format!("stage {stage} is out of order: {rule}"));
    };
    let (quiet, deparse) = (Stage::Control(control("quiet")), Stage::Deparse(control("D")));
    order(stages(vec![parse(), parse()]), 1);
    order(stages(vec![quiet, parse()]), 1);
    order(stages(vec![deparse, quiet]), 0);
    order(stages(vec![parse(), deparse, deparse]), 1);
    order(stages(vec![Stage::Restart]), 0);
    order(stages(vec![parse(), quiet, Stage::Restart]), 2);
    order(stages(vec![deparse, Stage::Restart, quiet, parse()]), 3);
    for name in ["D", "through_calls"] {
        let message = format!("stage 0 runs `{name}`, which emits headers, so it must be a deparser");
        assert_eq!(refusal_message(stages(vec![Stage::Control(control(name))])), message);
        assert_eq!(check(stages(vec![Stage::Deparse(control(name))])), Ok(()));
    }
    let cacheable_tables = vec![TableId::new(0); 2];
    let spec = PipelineSpec { cacheable_tables, ..PipelineSpec::default() };
    assert_eq!(refusal_message(spec), "cacheable table 1 is listed twice");
}

#[test]
fn wrong_extern_meanings_are_refused() {
    let fits = |callee: &str, meaning| check(semantics(call(callee), meaning));
    let refused = |callee: &str, meaning, problem: &str| {
        let message = format!("extern call 0, `{callee}`, does not fit its meaning: {problem}");
        assert_eq!(fits(callee, meaning), Err(message));
    };
    let verify = |condition, data, given| ExternSemantics::VerifyChecksum {
        condition,
        data,
        given,
        error: var("flag"),
    };
    let update = |condition, data, field| ExternSemantics::UpdateChecksum { condition, data, field };
    let condition = "the condition is not one boolean";
    refused("verify", verify(7, 1, 2), condition);
    refused("verify", verify(1, 1, 2), condition);
    refused("verify", verify(2, 1, 2), condition);
    refused("odd", verify(0, 1, 2), condition);
    let data = "the data is not a list of values of fixed widths";
    refused("verify", verify(0, 9, 2), data);
    refused("update", verify(0, 2, 2), data);
    let given = "the given checksum is not one value of 16 bits";
    refused("verify", verify(0, 1, 3), given);
    refused("verify", verify(0, 1, 0), given);
    let field = "the field is not one variable of 16 bits";
    refused("verify", update(0, 1, 2), field);
    refused("update", update(0, 1, usize::MAX), field);
    let words = "a value is a varbit, or the call writes validity bits or stack counters";
    refused("odd", ExternSemantics::Words(0), words);
    refused("touch", ExternSemantics::Words(0), words);
    assert_eq!(fits("verify", ExternSemantics::Words(0)), Ok(()));
    let sum = |name, step| ExternSemantics::Sum { sum: var(name), step };
    for step in [SumStep::Clear, SumStep::Add(1), SumStep::Set(2), SumStep::Get { complement: true }] {
        assert_eq!(fits("verify", sum("sum", step)), Ok(()));
    }
    refused("verify", sum("word", SumStep::Clear), "the sum is not a variable of 16 bits");
    assert_eq!(fits("odd", sum("sum", SumStep::Add(1))), Ok(()), "a header of whole words");
    refused("odd", sum("sum", SumStep::Add(3)), data);
    refused("verify", sum("sum", SumStep::Set(0)), "the new sum is not one value of 16 bits");
    let mut other = call("verify");
    other.result = vec![var("word")];
    let wide = refusal_message(semantics(other, sum("sum", SumStep::Get { complement: false })));
    assert!(wide.ends_with("the result is not one variable of 16 bits"), "{wide}");
}

struct Nothing;

impl Environment for Nothing {
    fn lookup(&mut self, _: TableId, _: &[Bits]) -> Lookup {
        unreachable!("no table is applied")
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
        unreachable!("no extern is called")
    }
}

#[test]
fn pipelines_belong_to_one_program() {
    let (own, equal) = (program(), program());
    assert!(own == equal && !own.is_same(&equal));
    let spec = PipelineSpec { outputs: 1, ..stages(vec![parse(), Stage::Output(var("h.a"), 0)]) };
    let pipeline = Pipeline::new(&own, spec).expect("the pipeline obeys the rules");

    let interpreter = Arc::new(Interpreter::new(own));
    let mut compiled = Arc::clone(&interpreter).compile_pipeline(pipeline.clone());
    let packet = [1, 2, 3].map(Cell::new);
    let (mut state, mut outputs) = (interpreter.layout().state(), [0]);
    let io = PipelineIo { state: &mut state, inputs: &[], outputs: &mut outputs };
    let end = compiled.run(PacketView::new(&packet, 0, 3), io, &mut Nothing);
    assert_eq!((end, outputs), (PipelineEnd::Done { start: 0 }, [0x0102]));

    let other = Arc::new(Interpreter::new(equal));
    let result = catch_unwind(AssertUnwindSafe(|| StagedPipeline::new(other, pipeline)));
    let panic = result.err().expect("it is of another program");
    assert_eq!(panic.downcast_ref::<&str>(), Some(&"the pipeline is of another program"));
}

#[test]
fn a_set_contains_its_numbers() {
    for numbers in [vec![], vec![7], vec![0, 1, 2], vec![64, 70, 128], vec![5, 5 + 65535, 5 + 65536]] {
        let set = NumberSet::new(numbers.iter().copied());
        for number in numbers.iter().flat_map(|number| number.saturating_sub(1)..number + 2).chain([u64::MAX])
        {
            let near = numbers.contains(&number) && number - numbers[0] <= NumberSet::MAX_SPAN;
            assert_eq!(set.contains(number), near, "{number} of {numbers:?}");
        }
    }
    assert_eq!(NumberSet::new([]).run_length(), Some(0));
    assert_eq!(NumberSet::new(3..67).run_length(), Some(64));
    assert_eq!(NumberSet::new(3..68).run_length(), Some(65));
    assert_eq!(NumberSet::new([3, 5]).run_length(), None);
}

#[test]
fn a_restart_begins_with_the_emitted_headers() {
    /// An environment that records where the packet begins.
    struct Restarts(Vec<usize>);
    impl Environment for Restarts {
        fn lookup(&mut self, _: TableId, _: &[Bits]) -> Lookup {
            unreachable!("the pipeline has no table")
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
            Ok(Vec::new())
        }
        fn packet_restarted(&mut self, start: usize) {
            self.0.push(start);
        }
    }
    // The first part parses and emits nothing; values that it sets are gone, except those that are
    // kept.
    let set = |name| Stage::Set(var(name), Source::Const(9));
    let spec = PipelineSpec {
        outputs: 3,
        kept: vec![var("word")],
        ..stages(vec![
            set("small"),
            set("word"),
            parse(),
            Stage::Deparse(control("D")),
            Stage::Restart,
            parse(),
            Stage::Output(var("small"), 0),
            Stage::Output(var("word"), 1),
            Stage::Output(var("h.a"), 2),
            Stage::LeaveIf { condition: Condition::Is(var("h.a"), 0x0102), code: 3, keep: true },
        ])
    };
    let program = program();
    let pipeline = Pipeline::new(&program, spec).expect("the pipeline obeys the rules");
    let staged = StagedPipeline::new(Arc::new(Interpreter::new(program.clone())), pipeline);
    let memory: Vec<Cell<u8>> = [0, 1, 2, 3].into_iter().map(Cell::new).collect();
    let (mut state, mut outputs) = (program.layout().state(), [0; 3]);
    let io = PipelineIo { state: &mut state, inputs: &[], outputs: &mut outputs };
    let mut env = Restarts(Vec::new());
    let end = staged.run_stages(PacketView::new(&memory, 1, 4), io, &mut env);
    assert_eq!(end, PipelineEnd::Left { code: 3, consumed: 2, start: 1 });
    assert_eq!((outputs, env.0), ([0, 9, 0x0102], vec![1]));
}
