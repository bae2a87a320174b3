//! Pipelines with injected bugs, to check that the comparison finds them.

use std::sync::Arc;

use weir_exec::{
    CompiledPipeline, Condition, Environment, Executor, ExternSemantics, Fault, Lookup, PacketView, Pipeline,
    PipelineEnd, PipelineIo, Source, Stage, Value,
};
use weir_interp::Interpreter;
use weir_ir::*;

/// A bug that is injected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Broken {
    /// No bug: the comparison finds nothing.
    Nothing,
    /// The last emitted byte is written one byte too far.
    WrongOffset,
    /// The first byte that changed in place is not written.
    ForgottenField,
    /// The first two emitted bytes are swapped.
    WrongEndianness,
    /// Variables keep their values from the packet before.
    StaleState,
    /// A variable is missing in the state that is kept.
    UnkeptVariable,
    /// Inputs keep bits above the variables' widths.
    WideInput,
    /// The deparser emits a header that is not valid.
    SkippedValidity,
    /// The payload begins one byte too late.
    PayloadOffByOne,
    /// Headers that just fit are refused.
    NoRoomTooEarly,
    /// Variables that the deparser changed are not restored when headers do not fit.
    NoRoomNotTakenBack,
    /// Deferred work is not detected.
    DeferredWorkIgnored,
    /// An output is written later than at its stage.
    LateNote,
    /// The environment does not learn how much the parser consumed.
    UnreportedParser,
    /// Tables are looked up twice.
    TwoLookups,
    /// The key of a lookup lacks its last bit.
    NarrowKey,
    /// The checksums 0 and 65535, which are the same sum in ones' complement, are confused.
    OtherZero,
    /// Checksums are not verified.
    UnverifiedChecksum,
    /// An action's first parameter is not set.
    UnsetParameter,
    /// A fault is reported for the next stage.
    WrongStage,
    /// The packet's last byte is cleared.
    Overrun,
    /// Numbers are compared as signed numbers.
    SignedTest,
}

/// Runs stages one by one, with a bug.
pub struct BrokenStaged {
    interp: Arc<Interpreter>,
    pipeline: Pipeline,
    broken: Broken,
    /// The words that hold the lengths of varbits.
    lengths: Vec<usize>,
}

impl BrokenStaged {
    pub fn new(program: ValidProgram, pipeline: &Pipeline, broken: Broken) -> Self {
        let vars: Vec<VarId> = program.vars.iter().map(|(id, _)| id).collect();
        let interp = Arc::new(Interpreter::new(program));
        let slots = vars.into_iter().map(|var| interp.layout().slot(var));
        let lengths = slots.filter(|slot| slot.varbit).map(|slot| slot.word as usize - 1).collect();
        Self { interp, pipeline: pipeline.clone(), broken, lengths }
    }

    fn is_broken_as(&self, broken: Broken) -> bool {
        self.broken == broken
    }

    fn holds(&self, test: Condition, state: &State) -> bool {
        let value = |var| self.interp.layout().get_u64(state, var);
        match test {
            Condition::Is(var, number) => value(var) == number,
            Condition::IsNot(var, number) => value(var) != number,
            Condition::AtLeast(var, number) if self.is_broken_as(Broken::SignedTest) => {
                value(var) as i64 >= number as i64
            }
            Condition::AtLeast(var, number) => value(var) >= number,
            Condition::NotIn(var, set) => !self.pipeline.spec().sets[set].contains(value(var)),
        }
    }

    /// Changes the state that is kept.
    fn keep(&self, state: &mut State) {
        if self.is_broken_as(Broken::UnkeptVariable)
            && let Some(word) = state.words_mut().iter_mut().find(|word| **word != 0)
        {
            *word = 0;
        }
    }

    /// Writes the headers of a deparser between two positions of the packet's memory.
    fn write_headers(&self, packet: PacketView<'_>, mut headers: Vec<u8>, (first, payload): (usize, usize)) {
        let memory = packet.memory();
        if self.is_broken_as(Broken::WrongEndianness) && headers.len() > 1 {
            headers.swap(0, 1);
        }
        let mut forgotten = self.is_broken_as(Broken::ForgottenField) && first == packet.start();
        for (cell, byte) in memory[first..payload].iter().zip(&headers) {
            if forgotten && cell.get() != *byte {
                forgotten = false;
                continue;
            }
            cell.set(*byte);
        }
        if self.is_broken_as(Broken::WrongOffset)
            && let (Some(last), true) = (headers.last(), payload < packet.end())
        {
            memory[payload].set(*last);
        }
        if self.is_broken_as(Broken::Overrun) && packet.end() > packet.start() {
            memory[packet.end() - 1].set(0);
        }
    }

    /// Runs the stages. Returns the headers of the last stage, and the position where they begin.
    fn stages(
        &self,
        mut packet: PacketView<'_>,
        work: PipelineIo<'_>,
        env: &mut dyn Environment,
    ) -> Result<(Vec<u8>, usize, usize), PipelineEnd> {
        let PipelineIo { state, inputs, outputs } = work;
        let layout = self.interp.layout();
        let (mut consumed, mut late) = (0, Vec::new());
        let mut emitted = (Vec::new(), packet.start(), packet.start());
        for (position, stage) in self.pipeline.stages().iter().enumerate() {
            let fault = |fault| PipelineEnd::Fault {
                fault,
                stage: position + usize::from(self.is_broken_as(Broken::WrongStage)),
            };
            match *stage {
                Stage::Parse { parser, error } => {
                    let parsed = self.interp.parse(parser, &packet.to_vec(0), state, env);
                    if let Some(found) = parsed.fault {
                        return Err(fault(found));
                    }
                    consumed = parsed.consumed.min(packet.bytes().len());
                    if !self.is_broken_as(Broken::UnreportedParser) {
                        env.parser_finished(consumed);
                    }
                    if self.is_broken_as(Broken::PayloadOffByOne) && consumed < packet.bytes().len() {
                        consumed += 1;
                    }
                    if let Some(error) = error {
                        layout.set_u64(state, error, u64::from(parsed.error));
                    }
                }
                Stage::Control(control) => {
                    self.interp.control(control, state, &mut Vec::new(), env).map_err(fault)?;
                }
                Stage::Set(var, source) => {
                    let value = match source {
                        Source::Const(value) => value,
                        Source::Var(from) => layout.get_u64(state, from),
                        Source::Input(position) => inputs[position],
                        Source::Length => packet.bytes().len() as u64,
                    };
                    layout.set_u64(state, var, value);
                }
                Stage::Output(var, output) if self.is_broken_as(Broken::LateNote) => late.push((var, output)),
                Stage::Output(var, output) => outputs[output] = layout.get_u64(state, var),
                Stage::LeaveIf { condition, code, .. } => {
                    if self.holds(condition, state) {
                        self.keep(state);
                        return Err(PipelineEnd::Left { code, consumed, start: packet.start() });
                    }
                }
                Stage::LeaveIfDeferred { code } => {
                    if env.has_deferred_work() && !self.is_broken_as(Broken::DeferredWorkIgnored) {
                        self.keep(state);
                        return Err(PipelineEnd::Left { code, consumed, start: packet.start() });
                    }
                }
                Stage::Deparse(control) => {
                    let before = state.clone();
                    if self.is_broken_as(Broken::SkippedValidity) {
                        let mut headers = self.interp.program().headers.values();
                        let invalid = headers.find(|header| layout.get_u64(state, header.valid) == 0);
                        invalid.into_iter().for_each(|header| layout.set_u64(state, header.valid, 1));
                    }
                    let mut headers = Vec::new();
                    self.interp.control(control, state, &mut headers, env).map_err(fault)?;
                    let payload = packet.start() + consumed;
                    let tight = usize::from(self.is_broken_as(Broken::NoRoomTooEarly));
                    if payload < headers.len() + tight {
                        if !self.is_broken_as(Broken::NoRoomNotTakenBack) {
                            *state = before;
                        }
                        let (stage, start) = (position as u32, packet.start());
                        return Err(PipelineEnd::NoRoom { stage, consumed, start });
                    }
                    let first = payload - headers.len();
                    emitted = (headers, first, payload);
                }
                Stage::Restart => {
                    let (headers, first, payload) = std::mem::take(&mut emitted);
                    self.write_headers(packet, headers, (first, payload));
                    let kept = self.pipeline.spec().kept.iter();
                    let kept: Vec<_> = kept.map(|var| (*var, layout.get(state, *var))).collect();
                    state.clear();
                    kept.iter().for_each(|(var, value)| layout.set(state, *var, value));
                    (packet, consumed) = (PacketView::new(packet.memory(), first, packet.end()), 0);
                    emitted = (Vec::new(), first, first);
                    env.packet_restarted(first);
                }
            }
        }
        late.into_iter().for_each(|(var, output)| outputs[output] = layout.get_u64(state, var));
        Ok(emitted)
    }
}

impl CompiledPipeline for BrokenStaged {
    fn run(
        &mut self,
        packet: PacketView<'_>,
        work: PipelineIo<'_>,
        env: &mut dyn Environment,
    ) -> PipelineEnd {
        let PipelineIo { state, inputs, outputs } = work;
        let layout = self.interp.layout();
        if self.is_broken_as(Broken::StaleState) {
            // The interpreter cannot read an arbitrary length.
            self.lengths.iter().for_each(|word| state.words_mut()[*word] = 0);
        } else {
            state.clear();
        }
        for (var, value) in self.pipeline.inputs().iter().zip(inputs) {
            let Some(var) = var else { continue };
            layout.set_u64(state, *var, *value);
            let slot = layout.slot(*var);
            if self.is_broken_as(Broken::WideInput) && slot.width > 0 {
                state.words_mut()[slot.word as usize] = *value;
            }
        }
        let mut env = BrokenWorld { env, pipeline: &self.pipeline, broken: self.broken };
        let work = PipelineIo { state, inputs, outputs };
        let (headers, first, payload) = match self.stages(packet, work, &mut env) {
            Ok(emitted) => emitted,
            Err(end) => return end,
        };
        self.write_headers(packet, headers, (first, payload));
        PipelineEnd::Done { start: first }
    }
}

/// An environment that passes calls on, with a bug.
struct BrokenWorld<'a> {
    env: &'a mut dyn Environment,
    pipeline: &'a Pipeline,
    broken: Broken,
}

impl Environment for BrokenWorld<'_> {
    fn lookup(&mut self, table: TableId, keys: &[Bits]) -> Lookup {
        let mut keys = keys.to_vec();
        match self.broken {
            Broken::TwoLookups => drop(self.env.lookup(table, &keys)),
            Broken::NarrowKey => keys.iter_mut().take(1).for_each(|key| {
                if key.bit(0) {
                    *key = key.sub(&Bits::new(key.width(), 1));
                }
            }),
            _ => {}
        }
        let mut found = self.env.lookup(table, &keys);
        if self.broken == Broken::UnsetParameter && !found.call.args.is_empty() {
            let mut call = (*found.call).clone();
            let width = call.args[0].width();
            call.args[0] = Bits::zero(width);
            found.call = Arc::new(call);
        }
        found
    }

    fn begin_packet(&mut self, packet: usize) {
        self.env.begin_packet(packet);
    }

    fn table_version(&mut self, table: TableId) -> Option<u64> {
        self.env.table_version(table)
    }

    fn count_cached_lookups(&mut self, table: TableId, hits: u64, misses: u64) {
        self.env.count_cached_lookups(table, hits, misses);
    }

    fn in_value_set(&mut self, set: ValueSetId, keys: &[Bits]) -> bool {
        self.env.in_value_set(set, keys)
    }

    fn call(
        &mut self,
        call: &ExternCall,
        args: &mut [Value],
        executor: &dyn Executor,
        state: &mut State,
    ) -> Result<Vec<Bits>, Fault> {
        let meaning = self.pipeline.semantics(call);
        if self.broken == Broken::UnverifiedChecksum
            && matches!(meaning, ExternSemantics::VerifyChecksum { .. })
        {
            return Ok(Vec::new());
        }
        let before = args.to_vec();
        let result = self.env.call(call, args, executor, state);
        if let (Broken::OtherZero, ExternSemantics::UpdateChecksum { field, .. }) = (self.broken, meaning)
            && args != before
            && matches!(&args[*field], Value::Bits(sum) if *sum == [Bits::ones(16)])
        {
            args[*field] = Value::Bits(vec![Bits::zero(16)]);
        }
        result
    }

    fn packet_restarted(&mut self, start: usize) {
        self.env.packet_restarted(start);
    }

    fn parser_finished(&mut self, consumed: usize) {
        self.env.parser_finished(consumed);
    }

    fn has_deferred_work(&self) -> bool {
        self.env.has_deferred_work()
    }
}
