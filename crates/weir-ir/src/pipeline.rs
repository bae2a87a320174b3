//! Several blocks run one after another over a packet where it lies, as one unit.
//!
//! An architecture whose blocks follow each other without a queue between them says so as data, a [`Pipeline`]; an executor
//! makes a [`Fused`] of it. [`Staged`] runs the stages one by one with any executor and says what a pipeline means; an executor that
//! compiles may do it all in one function, read headers where they lie and write back only what changed.

use std::cell::Cell;
use std::mem::offset_of;
use std::sync::Arc;

use crate::exec::{Environment, Executor, Fault};
use crate::meaning::Meaning;
use crate::program::{ControlId, ParserId, TableId, VarId};
use crate::state::{Layout, State};
use crate::stmt::{ExternCall, Stmt, StmtKind};
use crate::visit::{Visitor, walk_stmt};

/// Blocks in order, and what happens between them. All variables named here have at most 64 bits and are no varbits.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pipeline {
    /// Variables that the caller sets before the first stage, by the values given to [`Fused::run`]; the others begin at 0.
    pub inputs: Vec<VarId>,
    /// What runs.
    pub stages: Vec<Stage>,
    /// How many values [`Stage::Note`] tells the caller ([`Work::outputs`]).
    pub outputs: usize,
    /// What calls of externs in its blocks mean. Of one that is not here nobody knows.
    pub meanings: Vec<(ExternCall, Meaning)>,
    /// Tables that may be [steady](Environment::steady).
    pub steady: Vec<TableId>,
}

impl Pipeline {
    /// What a call means.
    pub fn meaning(&self, call: &ExternCall) -> &Meaning {
        let known = self.meanings.iter().find(|(known, _)| known == call);
        known.map_or(&Meaning::Call, |(_, meaning)| meaning)
    }
}

/// One step of a [`Pipeline`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Runs a parser over the packet. The position of its error goes into `error`.
    Parse {
        /// Which.
        parser: ParserId,
        /// Where the error's position in the program's errors goes, if anywhere.
        error: Option<VarId>,
    },
    /// Runs a control that does not emit.
    Control(ControlId),
    /// Sets a variable to as many low bits of the source as it has.
    Set(VarId, Source),
    /// Tells the caller the variable's value at this point, as the output of this position.
    Note(VarId, usize),
    /// Ends the run with [`End::Left`] if the condition holds.
    LeaveIf {
        /// When.
        condition: Test,
        /// What the caller is told.
        code: u32,
        /// Whether the caller goes on with the packet, and so needs [`Work::state`] to hold all variables.
        keep: bool,
    },
    /// Ends the run with [`End::Left`], keeping the state, if [`Environment::asked`] for something that comes after the stages so far.
    LeaveIfAsked {
        /// What the caller is told.
        code: u32,
    },
    /// Runs a control that emits, and puts the emitted headers before the payload, in place of those that were parsed.
    Deparse(ControlId),
}

/// A value that a [`Stage::Set`] takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// A constant.
    Const(u64),
    /// A variable's value.
    Var(VarId),
    /// The value given for [`Pipeline::inputs`] at this position.
    Input(usize),
}

/// A condition of a [`Stage::LeaveIf`]; numbers compare unsigned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Test {
    /// The variable has this value.
    Is(VarId, u64),
    /// The variable has another value.
    IsNot(VarId, u64),
    /// The variable has this value or a larger one.
    AtLeast(VarId, u64),
}

/// Where a packet lies while a pipeline runs over it: its bytes with room around them. Bytes are cells, since the executor
/// and the environment look at them side by side.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Window<'a> {
    memory: &'a [Cell<u8>],
    start: usize,
    end: usize,
}

impl<'a> Window<'a> {
    /// Nothing.
    pub const EMPTY: Self = Self { memory: &[], start: 0, end: 0 };

    /// Where its memory (a slice's address and length), [`Window::start`] and [`Window::end`] lie in it, in bytes, for code that looks there itself.
    pub const PARTS: [usize; 3] = [offset_of!(Self, memory), offset_of!(Self, start), offset_of!(Self, end)];

    /// The packet at `start..end` of `memory`.
    ///
    /// # Panics
    /// If the range does not lie in the memory.
    #[inline]
    pub fn new(memory: &'a [Cell<u8>], start: usize, end: usize) -> Self {
        assert!(start <= end && end <= memory.len());
        Self { memory, start, end }
    }

    /// The packet's bytes.
    #[inline]
    pub fn bytes(&self) -> &'a [Cell<u8>] {
        &self.memory[self.start..self.end]
    }

    /// The packet's bytes in number.
    #[inline]
    pub fn len(&self) -> usize {
        self.end - self.start
    }

    /// Whether the packet has no bytes.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.start == self.end
    }

    /// The packet's bytes and all the room around them.
    #[inline]
    pub fn memory(&self) -> &'a [Cell<u8>] {
        self.memory
    }

    /// Where in the memory the packet begins.
    #[inline]
    pub fn start(&self) -> usize {
        self.start
    }

    /// Where in the memory the packet ends.
    #[inline]
    pub fn end(&self) -> usize {
        self.end
    }

    /// A copy of the packet's bytes from `offset` on.
    #[inline]
    pub fn to_vec(&self, offset: usize) -> Vec<u8> {
        self.bytes().get(offset..).unwrap_or_default().iter().map(Cell::get).collect()
    }
}

/// What a run works with beside its packet.
#[derive(Debug)]
pub struct Work<'a> {
    /// Room for all variables; what it holds before is of no importance. All variables afterwards, if the run ends with a
    /// [`End::Left`] that keeps them; otherwise nothing to rely on.
    pub state: &'a mut State,
    /// Values of [`Pipeline::inputs`], cut to the variables' widths.
    pub inputs: &'a [u64],
    /// What the [`Stage::Note`]s told that were reached.
    pub outputs: &'a mut [u64],
}

/// How a run ended. In memory its first 32 bits are the variant's position, and the fields of the variant follow as in C.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum End {
    /// All stages ran; the packet begins here in its memory now. Its end is where it was.
    Done {
        /// Offset of the packet's first byte in [`Window::memory`].
        start: usize,
    },
    /// A stage left.
    Left {
        /// Which: the stage's code.
        code: u32,
        /// Bytes that the parser took.
        consumed: usize,
    },
    /// A [`Stage::Deparse`] had no room for its headers before the payload. The packet's bytes and the state, which is kept, are as they
    /// were before that stage.
    NoRoom {
        /// Bytes that the parser took.
        consumed: usize,
    },
    /// The executor gave up in this stage.
    Fault {
        /// Why.
        fault: Fault,
        /// Position in [`Pipeline::stages`].
        stage: usize,
    },
}

/// A pipeline that an executor made ready to run.
pub trait Fused: Send {
    /// Packets come now, one after the other, in this environment, and until [`Fused::finish`] tables stay as they are.
    fn begin(&mut self, _env: &mut dyn Environment) {}

    /// Runs all stages over a packet.
    ///
    /// # Panics
    /// If there are not as many inputs and outputs as the pipeline has.
    fn run(&mut self, packet: Window<'_>, work: Work<'_>, env: &mut dyn Environment) -> End;

    /// No more packets come; tables may change.
    fn finish(&mut self, _env: &mut dyn Environment) {}

    /// Runs packets one after the other, up to the first whose end is to [`stop`](Batch::stop) the others, or as many of them as suits it; how many it ran.
    ///
    /// # Panics
    /// If inputs, outputs or ends are not as many as the packets take.
    fn run_batch(&mut self, batch: Batch<'_>, state: &mut State, env: &mut dyn Environment) -> usize {
        let Batch { packets, inputs, outputs, ends, stop } = batch;
        let inputs_each = inputs.len().checked_div(packets.len()).unwrap_or(0);
        let outputs_each = outputs.len().checked_div(packets.len()).unwrap_or(0);
        for (at, packet) in packets.iter().enumerate() {
            env.turn_to(at);
            let inputs = &inputs[at * inputs_each..][..inputs_each];
            let outputs = &mut outputs[at * outputs_each..][..outputs_each];
            ends[at] = self.run(*packet, Work { state, inputs, outputs }, env);
            if stop(&ends[at]) {
                return at + 1;
            }
        }
        packets.len()
    }
}

/// The most packets that are looked at together before they run. More gain nothing: so many fetches of memory are not under way at once.
pub const TOGETHER: usize = 64;

/// Packets that run one after the other.
pub struct Batch<'a> {
    /// Where they lie.
    pub packets: &'a [Window<'a>],
    /// Values of [`Pipeline::inputs`], packet by packet.
    pub inputs: &'a [u64],
    /// What the [`Stage::Note`]s told that were reached, packet by packet.
    pub outputs: &'a mut [u64],
    /// How each run ended.
    pub ends: &'a mut [End],
    /// Whether no more packets run after one that ended so.
    pub stop: &'a dyn Fn(&End) -> bool,
}

/// Runs a pipeline stage by stage.
pub struct Staged {
    executor: Arc<dyn Executor>,
    pipeline: Pipeline,
    /// Whether a control that emits may change variables, which [`End::NoRoom`] takes back.
    takes_back: bool,
}

impl Staged {
    /// Of any executor.
    pub fn new(executor: Arc<dyn Executor>, pipeline: Pipeline) -> Self {
        let program = executor.program();
        let mut changes = Changes(false);
        for stage in &pipeline.stages {
            if let Stage::Deparse(control) = stage {
                changes.block(&mut program.controls[*control].body.clone());
            }
        }
        Self { executor, pipeline, takes_back: changes.0 }
    }
}

/// Whether statements may change variables.
struct Changes(bool);

impl Visitor for Changes {
    fn stmt(&mut self, stmt: &mut Stmt) {
        use StmtKind::{Emit, Exit, If, Return, Switch};
        self.0 |= !matches!(stmt.kind, Emit(_) | If { .. } | Switch { .. } | Return | Exit);
        walk_stmt(self, stmt);
    }
}

impl Test {
    fn holds(self, layout: &Layout, state: &State) -> bool {
        match self {
            Self::Is(var, value) => layout.get_u64(state, var) == value,
            Self::IsNot(var, value) => layout.get_u64(state, var) != value,
            Self::AtLeast(var, value) => layout.get_u64(state, var) >= value,
        }
    }
}

impl Fused for Staged {
    fn run(&mut self, packet: Window<'_>, work: Work<'_>, env: &mut dyn Environment) -> End {
        self.run_stages(packet, work, env)
    }
}

impl Staged {
    /// One packet's inputs and outputs, of those of a batch.
    ///
    /// # Panics
    /// If it is not one of them.
    pub fn of_packet<'b>(
        &self,
        at: usize,
        inputs: &'b [u64],
        outputs: &'b mut [u64],
    ) -> (&'b [u64], &'b mut [u64]) {
        let (given, told) = (self.pipeline.inputs.len(), self.pipeline.outputs);
        (&inputs[at * given..][..given], &mut outputs[at * told..][..told])
    }

    /// As [`Fused::run`].
    ///
    /// # Panics
    /// If there are not as many inputs and outputs as the pipeline has.
    pub fn run_stages(&self, packet: Window<'_>, work: Work<'_>, env: &mut dyn Environment) -> End {
        let layout = self.executor.layout();
        work.state.clear();
        for (var, value) in self.pipeline.inputs.iter().zip(work.inputs) {
            layout.set_u64(work.state, *var, *value);
        }
        self.resume(0, 0, packet, work, env)
    }

    /// Goes on with a run in which the stages before this one were done by somebody else, and the parser took so many bytes.
    ///
    /// # Panics
    /// If there are not as many inputs and outputs as the pipeline has.
    pub fn resume(
        &self,
        first: usize,
        consumed: usize,
        packet: Window<'_>,
        work: Work<'_>,
        env: &mut dyn Environment,
    ) -> End {
        let Work { state, inputs, outputs } = work;
        let layout = self.executor.layout();
        assert_eq!((inputs.len(), outputs.len()), (self.pipeline.inputs.len(), self.pipeline.outputs));
        let (mut consumed, mut start) = (consumed, packet.start());
        for (position, stage) in self.pipeline.stages.iter().enumerate().skip(first) {
            let fault = |fault| End::Fault { fault, stage: position };
            match *stage {
                Stage::Parse { parser, error } => {
                    let parsed = self.executor.parse(parser, &packet.to_vec(0), state, env);
                    if let Some(found) = parsed.fault {
                        return fault(found);
                    }
                    consumed = parsed.consumed.min(packet.bytes().len());
                    env.parsed(consumed);
                    if let Some(error) = error {
                        layout.set_u64(state, error, u64::from(parsed.error));
                    }
                }
                Stage::Control(control) => {
                    if let Err(found) = self.executor.control(control, state, &mut Vec::new(), env) {
                        return fault(found);
                    }
                }
                Stage::Set(var, source) => {
                    let value = match source {
                        Source::Const(value) => value,
                        Source::Var(from) => layout.get_u64(state, from),
                        Source::Input(position) => inputs[position],
                    };
                    layout.set_u64(state, var, value);
                }
                Stage::Note(var, output) => outputs[output] = layout.get_u64(state, var),
                Stage::LeaveIf { condition, code, .. } => {
                    if condition.holds(layout, state) {
                        return End::Left { code, consumed };
                    }
                }
                Stage::LeaveIfAsked { code } => {
                    if env.asked() {
                        return End::Left { code, consumed };
                    }
                }
                Stage::Deparse(control) => {
                    let before = self.takes_back.then(|| state.clone());
                    let mut headers = Vec::new();
                    if let Err(found) = self.executor.control(control, state, &mut headers, env) {
                        return fault(found);
                    }
                    let payload = packet.start() + consumed;
                    let Some(first) = payload.checked_sub(headers.len()) else {
                        if let Some(before) = before {
                            *state = before;
                        }
                        return End::NoRoom { consumed };
                    };
                    for (cell, byte) in packet.memory()[first..payload].iter().zip(headers) {
                        cell.set(byte);
                    }
                    start = first;
                }
            }
        }
        End::Done { start }
    }
}
