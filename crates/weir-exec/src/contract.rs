//! The traits of the contract, in one module because they refer to each other.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use weir_ir::{
    Bits, ControlId, ExternCall, Layout, ParserId, Program, State, TableId, ValidProgram, ValueSetId,
};

use crate::call_frame::CallFrame;
use crate::event::Event;
use crate::lookup::{Lookup, LookupBatch, LookupResult};
use crate::outcome::{Fault, Parsed};
use crate::packet_view::PacketView;
use crate::pipeline::Pipeline;
use crate::run::{PacketBatch, PipelineEnd, PipelineIo};
use crate::value::Value;

/// Runs the blocks of one program. Threads share an executor: all mutable state is in the
/// arguments.
pub trait Executor: Send + Sync {
    /// Returns the program that the executor runs.
    fn program(&self) -> &ValidProgram;

    /// Returns the positions of the program's variables in a [`State`].
    fn layout(&self) -> &Layout {
        self.program().layout()
    }

    /// Returns the executor's name: `interp` or `native`.
    fn name(&self) -> &'static str;

    /// Runs a parser over `packet`.
    fn parse(&self, parser: ParserId, packet: &[u8], state: &mut State, env: &mut dyn Environment) -> Parsed;

    /// Runs a P4 control. A deparser's `emit` appends to `out`; other controls do not touch it.
    fn control(
        &self,
        control: ControlId,
        state: &mut State,
        out: &mut Vec<u8>,
        env: &mut dyn Environment,
    ) -> Result<(), Fault>;

    /// Prepares a pipeline to run as one unit. An executor without special support for pipelines
    /// returns a [`StagedPipeline`](crate::StagedPipeline).
    ///
    /// # Panics
    /// If the pipeline is not one of the executor's [program](Executor::program).
    fn compile_pipeline(self: Arc<Self>, pipeline: Pipeline) -> Box<dyn CompiledPipeline>;

    /// Compiles all blocks now that would otherwise be compiled when they first run, for callers
    /// whose packets cannot wait.
    fn compile_blocks(&self) {}
}

/// Everything outside the program: tables, parser value sets, extern objects and functions.
pub trait Environment {
    /// Looks up an entry in a table. `keys` has one value for each key of the table, in order.
    fn lookup(&mut self, table: TableId, keys: &[Bits]) -> Lookup;

    /// Returns whether a parser value set contains the values in `keys`.
    fn in_value_set(&mut self, set: ValueSetId, keys: &[Bits]) -> bool;

    /// Calls an extern. `args` holds one value for each argument of the call. The environment
    /// changes the values of `out` and `inout` arguments (initially the variables' values before
    /// the call) in place; the executor writes them back. The executor, or its compiled pipeline,
    /// keeps `call` at the same address for as long as it lives, so that the environment can
    /// recognize it. Returns the leaves of the result, as many as `call.result` has. The state is
    /// for intrinsic metadata that a call reads or writes in addition to its arguments; the
    /// executor is for calls back into the program.
    fn call(
        &mut self,
        call: &ExternCall,
        args: &mut [Value],
        executor: &dyn Executor,
        state: &mut State,
    ) -> Result<Vec<Bits>, Fault>;

    /// Calls an extern like [`Environment::call`], with the values in the words of the call's
    /// [frame](CallFrame::of_any). Before the call, the words contain the arguments and zeros for
    /// the result; for an `out` or `inout` argument, they contain the variable's current value. The
    /// environment writes results in place.
    fn call_frame(
        &mut self,
        call: &ExternCall,
        words: &mut [u64],
        executor: &dyn Executor,
        state: &mut State,
    ) -> Result<(), Fault> {
        let frame = CallFrame::of_any(executor.program(), call);
        let mut args = frame.arguments(call, words);
        let result = self.call(call, &mut args, executor, state)?;
        frame.set_results(call, &args, &result, words);
        Ok(())
    }

    /// Looks up a key of words in a table of `program`, for executors that compile. `key` holds the
    /// value of each key in ⌈width/64⌉ words, least significant first, one key after the other. The
    /// row of the result is in the environment's memory or in `buffer`, which is large enough for a
    /// row of any action of the table. Executors do not use this method for tables with a varbit
    /// key. The result is the same as that of [`Environment::lookup`].
    fn lookup_words<'a>(
        &'a mut self,
        program: &Program,
        table: TableId,
        key: &[u64],
        buffer: &'a [AtomicU64],
    ) -> LookupResult<'a> {
        let mut rest = key;
        let mut keys = Vec::with_capacity(program.tables[table].keys.len());
        for key in &program.tables[table].keys {
            let width = key.expr.ty.width();
            let (words, more) = rest.split_at(width.div_ceil(64) as usize);
            keys.push(Bits::from_words(width, words));
            rest = more;
        }
        let outcome = self.lookup(table, &keys);
        outcome.call.write_row(buffer);
        LookupResult { hit: outcome.hit, row: buffer }
    }

    /// Returns the version of a table's contents, or `None` if the environment must make every
    /// lookup itself. As long as the version stays the same, a lookup of the same key finds the
    /// same entry and has no effect except that it is counted. The executor may then answer
    /// repeated lookups from its own cache, and report their number with
    /// [`Environment::count_cached_lookups`]. The executor asks for the version at
    /// [`CompiledPipeline::begin`].
    fn table_version(&mut self, _table: TableId) -> Option<u64> {
        None
    }

    /// Counts the hits and misses of a table's lookups that the executor answered from its cache.
    fn count_cached_lookups(&mut self, _table: TableId, _hits: u64, _misses: u64) {}

    /// Prefetches the memory that lookups of these keys will read first. A call of
    /// [`Environment::lookup_batch`] follows. A key starts every `stride` words. Called only for
    /// tables that have a [version](Environment::table_version).
    fn prefetch(&mut self, _table: TableId, _keys: &[u64], _stride: usize) {}

    /// Returns whether batched lookups are faster, because the table does not fit in the
    /// processor's cache.
    fn prefers_batches(&self, _table: TableId) -> bool {
        false
    }

    /// Looks up keys that later packets will probably need, and stores the results. `keys` holds
    /// one key after the other, each as for [`Environment::lookup_words`]. The lookups are not
    /// counted until packets need them.
    fn prefetch_lookups(&mut self, _table: TableId, _keys: &[u64]) {}

    /// Looks up the keys of the batch in a table that has a [version](Environment::table_version):
    /// either all of them, or none. The lookups are not counted, because the executor counts them
    /// when it uses the results, like those of its cache.
    fn lookup_batch(&mut self, _table: TableId, _batch: &mut LookupBatch<'_>) {}

    /// Calls the extern whose call has this number in the pipeline
    /// ([`ExternSemantics::Words`](crate::ExternSemantics::Words)), with the values in the words of
    /// the call's [`CallFrame`](crate::CallFrame). The environment writes results in place. Words
    /// that it does not write keep their values from before the call; the words of the result are 0
    /// before the call.
    ///
    /// # Panics
    /// If no pipeline has a call of that number.
    fn call_words(&mut self, call: u32, _words: &mut [u64]) -> Result<(), Fault> {
        unreachable!("no pipeline of this environment has a call by words of number {call}")
    }

    /// Announces the packet at this position of its [`PacketBatch`], before the first other call
    /// for this packet. Also called before the next packet runs if there was a call for this one.
    /// Lookups in tables that have a [version](Environment::table_version) are not such calls.
    fn begin_packet(&mut self, _packet: usize) {}

    /// Reports the number of bytes that the parser of a [`Pipeline`] consumed, before any extern
    /// call that follows.
    fn parser_finished(&mut self, _consumed: usize) {}

    /// Reports that the running packet begins at this offset of [`PacketView::memory`] from now on,
    /// because its [`Pipeline`] [restarted](crate::Stage::Restart). Called before any other call
    /// for this packet that follows.
    fn packet_restarted(&mut self, _start: usize) {}

    /// Returns whether an extern call has deferred work for this packet until after the block, so
    /// that the run of the [`Pipeline`] must end
    /// ([`Stage::LeaveIfDeferred`](crate::Stage::LeaveIfDeferred)).
    fn has_deferred_work(&self) -> bool {
        false
    }

    /// Returns whether the batch ends after the packet that has just run, because the packet has
    /// changed what later packets find in tables. Called only after packets for which there were
    /// other calls, in pipelines whose [description](crate::PipelineSpec::ends_batches) says so.
    fn ends_batch(&self) -> bool {
        false
    }

    /// Reports to the user, in a sentence, how the program runs.
    fn warn(&mut self, _text: &str) {}

    /// Returns whether the executor must call [`Environment::event`] for each step.
    fn tracing(&self) -> bool {
        false
    }

    /// Records a step of the packet. Called only if [`Environment::tracing`].
    fn event(&mut self, _event: Event<'_>) {}
}

/// A pipeline that an executor has prepared to run.
pub trait CompiledPipeline: Send {
    /// Prepares for packets that run in this environment. Tables do not change until
    /// [`CompiledPipeline::finish`].
    fn begin(&mut self, _env: &mut dyn Environment) {}

    /// Runs all stages over a packet.
    ///
    /// # Panics
    /// If `io` does not have as many inputs and outputs as the pipeline.
    fn run(&mut self, packet: PacketView<'_>, io: PipelineIo<'_>, env: &mut dyn Environment) -> PipelineEnd;

    /// Ends the run after the last packet. Tables may change then.
    fn finish(&mut self, _env: &mut dyn Environment) {}

    /// Runs packets one after the other, at most up to the first packet whose result
    /// [stops](PacketBatch::stop) the batch, or that [ends](Environment::ends_batch) it. The
    /// executor may run fewer packets. Returns the number of packets that ran, which is at least
    /// one unless the batch is empty.
    ///
    /// # Panics
    /// If `batch` does not have the inputs, outputs and ends of each of its packets.
    fn run_batch(&mut self, batch: PacketBatch<'_>, state: &mut State, env: &mut dyn Environment) -> usize {
        let PacketBatch { packets, inputs, outputs, ends, stop } = batch;
        let inputs_each = inputs.len().checked_div(packets.len()).unwrap_or(0);
        let outputs_each = outputs.len().checked_div(packets.len()).unwrap_or(0);
        for (at, packet) in packets.iter().enumerate() {
            env.begin_packet(at);
            let inputs = &inputs[at * inputs_each..][..inputs_each];
            let outputs = &mut outputs[at * outputs_each..][..outputs_each];
            ends[at] = self.run(*packet, PipelineIo { state, inputs, outputs }, env);
            if stop(&ends[at]) || env.ends_batch() {
                return at + 1;
            }
        }
        packets.len()
    }
}
