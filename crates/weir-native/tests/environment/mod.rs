//! A program, an environment that gives the answers that a test sets, and one run of a packet in
//! guarded memory.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use weir_exec::{
    CompiledPipeline, Environment, Executor, Fault, Lookup, LookupResult, PacketView, Pipeline, PipelineEnd,
    PipelineIo, PipelineSpec, Stage, Value,
};
use weir_ir::{
    ActionCall, ActionId, Bits, ControlId, ExternCall, Layout, ParserId, Program, State, TableId,
    ValidProgram, ValueSetId, VarId,
};
use weir_native::Native;

/// A program in which `h` is parsed, and `g` and `w` are never parsed; `lookup` and `call` call the
/// environment.
pub const TEXT: &str = "errors { NoError, PacketTooShort, NoMatch, StackOutOfBounds, HeaderTooShort, ParserTimeout, ParserInvalidArgument }
    header_type h_t { a: bit<16> b: bit<16> }
    header_type w_t { v: varbit<32> c: bit<32> }
    header h: h_t
    header g: h_t
    header w: w_t
    var put.a: bit<16>
    var put.b: bit<16>
    var got: bit<16>
    action put(a = put.a, b = put.b) { h.a = put.a; h.b = put.b; }
    action none() { }
    action other() { }
    table t { key h.a: exact h.a action put action none default none() }
    parser parse { start s locals { } state s { extract h; -> accept } }
    control lookup { apply t; }
    control call { extern got = go(); }
    control set_w { set_valid w; }
    control deparse { emit h; emit g; }
    control deparse_w { emit w; }";

pub const LOOKUP: usize = 0;
pub const CALL: usize = 1;
pub const DEPARSE: usize = 3;
pub const DEPARSE_W: usize = 4;
pub const PUT: usize = 0;
pub const OTHER: usize = 2;

pub fn program() -> ValidProgram {
    weir_ir::validate(weir_ir::text::parse(TEXT).expect("it is IR")).expect("it is valid")
}

pub fn var(program: &Program, name: &str) -> VarId {
    let entry = program.vars.iter().find(|(_, var)| var.name == name);
    entry.map(|(id, _)| id).expect("there is such a variable")
}

pub fn native() -> Arc<Native> {
    Arc::new(Native::new(program()).expect("the program becomes native"))
}

/// Returns a pipeline of the parser, these controls, and the deparser.
pub fn pipeline(native: &Native, controls: &[usize]) -> Pipeline {
    Pipeline::new(native.program(), spec(controls)).expect("the pipeline obeys the rules")
}

pub fn spec(controls: &[usize]) -> PipelineSpec {
    let mut stages = vec![Stage::Parse { parser: ParserId::new(0), error: None }];
    stages.extend(controls.iter().map(|control| Stage::Control(ControlId::new(*control))));
    stages.push(Stage::Deparse(ControlId::new(DEPARSE)));
    PipelineSpec { stages, outputs: 1, ..PipelineSpec::default() }
}

pub type OnCall<'a> = dyn FnMut(&dyn Executor, &mut State) -> Result<Vec<Bits>, Fault> + 'a;

/// Gives the answers that a test sets, right or wrong.
pub struct World<'a> {
    /// The row that lookups by words return.
    pub row: Vec<AtomicU64>,
    /// The action that lookups by values return.
    pub call: ActionCall,
    pub on_call: Box<OnCall<'a>>,
}

impl World<'_> {
    pub fn new() -> Self {
        let call = ActionCall { action: ActionId::new(1), args: Vec::new() };
        Self { row: row(&[1, 0, 0]), call, on_call: Box::new(|_, _| Ok(vec![Bits::zero(16)])) }
    }
}

pub fn row(words: &[u64]) -> Vec<AtomicU64> {
    words.iter().copied().map(AtomicU64::new).collect()
}

impl Environment for World<'_> {
    fn lookup(&mut self, _: TableId, _: &[Bits]) -> Lookup {
        Lookup { hit: true, call: Arc::new(self.call.clone()), entry: None }
    }

    fn lookup_words<'a>(
        &'a mut self,
        _: &Program,
        _: TableId,
        _: &[u64],
        _: &'a [AtomicU64],
    ) -> LookupResult<'a> {
        LookupResult { hit: true, row: &self.row }
    }

    fn in_value_set(&mut self, _: ValueSetId, _: &[Bits]) -> bool {
        unreachable!("there is no value set")
    }

    fn call(
        &mut self,
        _: &ExternCall,
        _: &mut [Value],
        executor: &dyn Executor,
        state: &mut State,
    ) -> Result<Vec<Bits>, Fault> {
        (self.on_call)(executor, state)
    }
}

/// Bytes on either side of the packet's memory.
pub const GUARD: usize = 256;
pub const PACKET: [u8; 6] = [1, 2, 3, 4, 5, 6];

/// Runs a packet. Returns how it ends and its final bytes, unless the run panics. Bytes around the
/// packet's memory must not change.
pub fn run(
    fused: &mut dyn CompiledPipeline,
    layout: &Layout,
    packet: &[u8],
    world: &mut World<'_>,
) -> Result<(PipelineEnd, Vec<u8>), String> {
    run_with_headroom(fused, layout, (packet, 0), world)
}

/// Like [`run`], with free memory before the packet.
pub fn run_with_headroom(
    fused: &mut dyn CompiledPipeline,
    layout: &Layout,
    (packet, headroom): (&[u8], usize),
    world: &mut World<'_>,
) -> Result<(PipelineEnd, Vec<u8>), String> {
    let length = headroom + packet.len();
    let all: Vec<Cell<u8>> = (0..2 * GUARD + length).map(|i| Cell::new(i as u8)).collect();
    let memory = &all[GUARD..][..length];
    memory[headroom..].iter().zip(packet).for_each(|(cell, byte)| cell.set(*byte));
    let (mut state, mut outputs) = (layout.state(), [0]);
    let work = PipelineIo { state: &mut state, inputs: &[], outputs: &mut outputs };
    let end = message(|| fused.run(PacketView::new(memory, headroom, length), work, world))?;
    let guards = (0..GUARD).chain(GUARD + length..all.len());
    guards.for_each(|at| assert_eq!(all[at].get(), at as u8, "a byte changed around the packet"));
    let start = if let PipelineEnd::Done { start } = end { start } else { headroom };
    Ok((end, memory[start..].iter().map(Cell::get).collect()))
}

/// Returns the message of a panic.
pub fn message<T>(run: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(run)).map_err(|panic| match panic.downcast::<String>() {
        Ok(text) => *text,
        Err(panic) => (*panic.downcast::<&str>().expect("a panic has a message")).to_owned(),
    })
}
