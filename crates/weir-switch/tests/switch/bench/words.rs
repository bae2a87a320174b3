//! An executor that calls its environment by words wherever possible, as compiled code does, and
//! runs everything else as the interpreter does.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use weir_exec::{
    CallFrame, CompiledPipeline, Environment, Event, Executor, ExternSemantics, Fault, Lookup, NewValue,
    PacketBatch, PacketView, Parsed, Pipeline, PipelineEnd, PipelineIo, StagedPipeline, Value,
};
use weir_interp::Interpreter;
use weir_ir::{
    ActionCall, ArgValue, Bits, ControlId, Direction, ExternCall, Layout, Leaf, ParserId, Program, State,
    TableId, Type, ValidProgram, ValueSetId, VarId,
};

pub struct Worded(Arc<Interpreter>);

impl Worded {
    pub fn new(program: ValidProgram) -> Self {
        Self(Arc::new(Interpreter::new(program)))
    }
}

impl Executor for Worded {
    fn program(&self) -> &ValidProgram {
        self.0.program()
    }

    fn layout(&self) -> &Layout {
        self.0.layout()
    }

    fn name(&self) -> &'static str {
        "by words"
    }

    fn parse(&self, parser: ParserId, packet: &[u8], state: &mut State, env: &mut dyn Environment) -> Parsed {
        self.0.parse(parser, packet, state, env)
    }

    fn control(
        &self,
        control: ControlId,
        state: &mut State,
        out: &mut Vec<u8>,
        env: &mut dyn Environment,
    ) -> Result<(), Fault> {
        self.0.control(control, state, out, env)
    }

    fn compile_pipeline(self: Arc<Self>, pipeline: Pipeline) -> Box<dyn CompiledPipeline> {
        let staged = StagedPipeline::new(self.0.clone(), pipeline.clone());
        Box::new(WordedPipeline { staged, pipeline, interpreter: self.0.clone() })
    }
}

struct WordedPipeline {
    staged: StagedPipeline,
    pipeline: Pipeline,
    interpreter: Arc<Interpreter>,
}

impl CompiledPipeline for WordedPipeline {
    fn run(
        &mut self,
        packet: PacketView<'_>,
        work: PipelineIo<'_>,
        env: &mut dyn Environment,
    ) -> PipelineEnd {
        let program = self.interpreter.program();
        self.staged.run_stages(packet, work, &mut ByWords { inner: env, pipeline: &self.pipeline, program })
    }

    /// Looks up the first keys in advance, in tables that the environment prefers to look up in
    /// batches.
    fn run_batch(&mut self, batch: PacketBatch<'_>, state: &mut State, env: &mut dyn Environment) -> usize {
        let PacketBatch { packets, inputs, outputs, ends, stop } = batch;
        let (inputs_each, outputs_each) = (self.pipeline.inputs().len(), self.pipeline.outputs());
        let mut far = None;
        let mut keys = Vec::new();
        for (at, packet) in packets.iter().enumerate() {
            if let Some((table, key)) = self.first_look_up(packet, &inputs[at * inputs_each..][..inputs_each])
                && env.prefers_batches(table)
                && *far.get_or_insert(table) == table
            {
                keys.extend(key);
            }
        }
        if let Some(table) = far {
            env.prefetch_lookups(table, &keys);
        }
        for (at, packet) in packets.iter().enumerate() {
            env.begin_packet(at);
            let (inputs, outputs) = (
                &inputs[at * inputs_each..][..inputs_each],
                &mut outputs[at * outputs_each..][..outputs_each],
            );
            ends[at] = self.run(*packet, PipelineIo { state, inputs, outputs }, env);
            if stop(&ends[at]) {
                return at + 1;
            }
        }
        packets.len()
    }
}

impl WordedPipeline {
    /// Finds the key of a packet's first lookup. For this, runs a copy of the packet in an
    /// environment where no table has entries and externs do nothing.
    fn first_look_up(&self, packet: &PacketView<'_>, inputs: &[u64]) -> Option<(TableId, Vec<u64>)> {
        let memory: Vec<_> = packet.memory().to_vec();
        let mut witness = Witness { program: self.interpreter.program(), first: None };
        let work = PipelineIo {
            state: &mut self.interpreter.layout().state(),
            inputs,
            outputs: &mut vec![0; self.pipeline.outputs()],
        };
        let copy = PacketView::new(&memory, packet.start(), packet.end());
        self.staged.run_stages(copy, work, &mut witness);
        witness.first
    }
}

/// An environment that records the first lookup.
struct Witness<'a> {
    program: &'a Program,
    first: Option<(TableId, Vec<u64>)>,
}

impl Environment for Witness<'_> {
    fn lookup(&mut self, table: TableId, keys: &[Bits]) -> Lookup {
        let declared = &self.program.tables[table];
        if self.first.is_none() {
            self.first = Some((table, key_words(keys)));
        }
        Lookup { hit: false, call: Arc::new(declared.default_action.clone()), entry: None }
    }

    fn in_value_set(&mut self, _: ValueSetId, _: &[Bits]) -> bool {
        false
    }

    fn call(
        &mut self,
        call: &ExternCall,
        _: &mut [Value],
        _: &dyn Executor,
        _: &mut State,
    ) -> Result<Vec<Bits>, Fault> {
        Ok(call.result.iter().map(|var| Bits::zero(self.program.vars[*var].ty.width())).collect())
    }
}

fn key_words(keys: &[Bits]) -> Vec<u64> {
    let mut words = Vec::new();
    for value in keys {
        let at = words.len();
        words.resize(at + words_of(value.width()), 0);
        value.write_words(&mut words[at..]);
    }
    words
}

struct ByWords<'a> {
    inner: &'a mut dyn Environment,
    pipeline: &'a Pipeline,
    program: &'a Program,
}

thread_local! {
    /// The number of calls made by words or not at all, and of calls made by value.
    pub static CALLS: Cell<(u64, u64)> = const { Cell::new((0, 0)) };
}

fn words_of(width: u32) -> usize {
    width.div_ceil(64) as usize
}

impl ByWords<'_> {
    /// Sets a variable. If the call has the variable as an argument, changes the argument, because
    /// it is written back to the variable.
    fn set(
        &self,
        call: &ExternCall,
        args: &mut [Value],
        state: (&Layout, &mut State),
        var: VarId,
        value: u64,
    ) {
        state.0.set_u64(state.1, var, value);
        for (arg, values) in call.args.iter().zip(args) {
            if let (ArgValue::Vars { vars, .. }, Value::Bits(values)) = (&arg.value, values) {
                for (_, place) in vars.iter().zip(values).filter(|(other, _)| **other == var) {
                    *place = Bits::new(place.width(), u128::from(value));
                }
            }
        }
    }

    /// Writes all values of a call into the words of its frame.
    fn filled(
        &self,
        frame: &CallFrame,
        call: &ExternCall,
        args: &[Value],
        (layout, state): (&Layout, &State),
    ) -> Vec<u64> {
        let mut words = vec![0; frame.words];
        for ((arg, parts), value) in call.args.iter().zip(&frame.args).zip(args) {
            let Value::Bits(values) = value else { continue };
            let mut values = values.iter();
            if let ArgValue::Leaves(leaves) = &arg.value {
                let headers = leaves.iter().filter_map(|leaf| match leaf {
                    Leaf::Header(header) => Some(&self.program.headers[*header]),
                    Leaf::Value(_) => None,
                });
                let mut rest = parts.iter().filter(|part| part.if_valid.is_some());
                for header in headers {
                    let fields: Vec<_> = rest.by_ref().take(header.fields.len()).collect();
                    if let Some(valid) = fields.first().and_then(|part| part.if_valid) {
                        words[valid] = layout.get_u64(state, header.valid);
                    }
                }
            }
            for part in parts {
                if part.if_valid.is_none_or(|valid| words[valid] == 1) {
                    values.next().expect("a value").write_words(&mut words[part.words()]);
                }
            }
        }
        words
    }
}

/// Returns the checksum of RFC 1071, computed bit by bit.
fn checksum(values: &[Bits]) -> u16 {
    let mut bits: Vec<bool> =
        values.iter().flat_map(|v| (0..v.width()).rev().map(|bit| v.bit(bit))).collect();
    bits.resize(bits.len().next_multiple_of(16), false);
    let mut sum = 0u32;
    for word in bits.chunks(16) {
        sum += word.iter().fold(0, |word, bit| word << 1 | u32::from(*bit));
        sum = (sum & 0xffff) + (sum >> 16);
    }
    !(sum as u16)
}

fn bits(args: &[Value], position: usize) -> &[Bits] {
    match &args[position] {
        Value::Bits(values) => values,
        _ => panic!("argument {position} has no values"),
    }
}

impl Environment for ByWords<'_> {
    fn lookup(&mut self, table: TableId, keys: &[Bits]) -> Lookup {
        let declared = &self.program.tables[table];
        if declared.keys.iter().any(|key| matches!(key.expr.ty, Type::Varbit { .. })) {
            return self.inner.lookup(table, keys);
        }
        let key = key_words(keys);
        let widths = |action: weir_ir::ActionId| {
            let params = self.program.actions[action].params.iter();
            params.map(|param| self.program.vars[param.var].ty.width()).collect::<Vec<_>>()
        };
        let room = |action| widths(action).into_iter().map(words_of).sum::<usize>();
        let listed =
            declared.actions.iter().map(|listed| listed.action).chain([declared.default_action.action]);
        let room = listed.map(room).max().unwrap_or(0);
        // The previous contents do not matter.
        let room: Vec<_> = (0..=room).map(|_| AtomicU64::new(u64::MAX)).collect();
        let answer = self.inner.lookup_words(self.program, table, &key, &room);
        let mut at = 0;
        let mut args = Vec::new();
        for width in widths(answer.action()) {
            let words: Vec<u64> = (at..at + words_of(width)).map(|word| answer.word(word)).collect();
            let value = Bits::from_words(width, &words);
            let mut again = vec![0; words.len()];
            value.write_words(&mut again);
            assert_eq!(again, words, "bits above the width are 0");
            args.push(value);
            at += words.len();
        }
        let call = ActionCall { action: answer.action(), args };
        Lookup { hit: answer.hit, call: Arc::new(call), entry: None }
    }

    fn in_value_set(&mut self, set: ValueSetId, keys: &[Bits]) -> bool {
        self.inner.in_value_set(set, keys)
    }

    fn call(
        &mut self,
        call: &ExternCall,
        args: &mut [Value],
        executor: &dyn Executor,
        state: &mut State,
    ) -> Result<Vec<Bits>, Fault> {
        let layout = executor.layout();
        let meaning = self.pipeline.semantics(call);
        CALLS.with(|calls| {
            let (by_words, others) = calls.get();
            let other = u64::from(*meaning == ExternSemantics::Call);
            calls.set((by_words + 1 - other, others + other));
        });
        match meaning {
            ExternSemantics::Set(vars) => {
                let of_arguments = |value: &NewValue| match *value {
                    NewValue::Const(value) => value,
                    NewValue::Arg(arg) => bits(args, arg)[0].low_u64(),
                };
                let values: Vec<_> = vars.iter().map(|(var, value)| (*var, of_arguments(value))).collect();
                for (var, value) in values {
                    self.set(call, args, (layout, state), var, value);
                }
                let zero = |var: &VarId| Bits::zero(self.program.vars[*var].ty.width());
                Ok(call.result.iter().map(zero).collect())
            }
            ExternSemantics::VerifyChecksum { condition, data, given, error } => {
                let wrong = bits(args, *given)[0].low_u64() != u64::from(checksum(bits(args, *data)));
                if wrong && bits(args, *condition)[0].is_true() {
                    self.set(call, args, (layout, state), *error, 1);
                }
                Ok(Vec::new())
            }
            ExternSemantics::UpdateChecksum { condition, data, field } => {
                if bits(args, *condition)[0].is_true() {
                    let sum = Bits::new(16, u128::from(checksum(bits(args, *data))));
                    args[*field] = Value::Bits(vec![sum]);
                }
                Ok(Vec::new())
            }
            ExternSemantics::Checksum { data } => {
                let sum = Bits::new(16, u128::from(checksum(bits(args, *data))));
                Ok(call.result.iter().map(|_| sum.clone()).collect())
            }
            ExternSemantics::Words(number) => {
                let frame = CallFrame::for_call(self.program, call).expect("a call by words has a frame");
                let mut words = self.filled(&frame, call, args, (layout, state));
                self.inner.call_words(*number, &mut words)?;
                let value = |part: &weir_exec::FrameValue| {
                    let value = Bits::from_words(part.width, &words[part.words()]);
                    let mut again = vec![0; part.words().len()];
                    value.write_words(&mut again);
                    assert_eq!(again, words[part.words()], "bits above the width are 0");
                    value
                };
                for ((arg, parts), place) in call.args.iter().zip(&frame.args).zip(args) {
                    if arg.direction != Direction::In && matches!(arg.value, ArgValue::Vars { .. }) {
                        *place = Value::Bits(parts.iter().map(value).collect());
                    }
                }
                Ok(frame.result.iter().map(value).collect())
            }
            // The switch keeps sums itself.
            ExternSemantics::Sum { .. } | ExternSemantics::Call => {
                self.inner.call(call, args, executor, state)
            }
        }
    }

    fn packet_restarted(&mut self, start: usize) {
        self.inner.packet_restarted(start);
    }

    fn parser_finished(&mut self, consumed: usize) {
        self.inner.parser_finished(consumed);
    }

    fn has_deferred_work(&self) -> bool {
        self.inner.has_deferred_work()
    }

    fn tracing(&self) -> bool {
        self.inner.tracing()
    }

    fn event(&mut self, event: Event<'_>) {
        self.inner.event(event);
    }
}
