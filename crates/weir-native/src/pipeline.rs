//! A pipeline as one function of machine code.

use std::cell::Cell;
use std::mem::MaybeUninit;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use weir_exec::{
    CompiledPipeline, Environment, Executor, Fault, PacketBatch, PacketView, Pipeline, PipelineEnd,
    PipelineIo, Stage, StagedPipeline,
};
use weir_ir::State;

use crate::abi::Registers;
use crate::abi::status::end;
use crate::compile::{Code, CompileInput, NativeError, PipelineFunctions, compile_pipeline};
use crate::emit::END_FIELDS;
use crate::lookahead::{KeyPredictor, Lookahead};
use crate::lookup_cache::LookupCache;
use crate::runtime::{Context, HostState};

/// The code of the pipelines of a program that are in use. All users of a pipeline share its code.
#[derive(Default)]
pub(crate) struct PipelineCodes(Mutex<Vec<(Pipeline, Weak<Code<PipelineFunctions>>)>>);

impl PipelineCodes {
    /// Returns a pipeline's code, which is compiled if it is not in use yet. If several threads
    /// need the code at the same time, they wait for the thread that compiles it.
    fn get(
        &self,
        input: &CompileInput,
        pipeline: &Pipeline,
    ) -> Result<Arc<Code<PipelineFunctions>>, NativeError> {
        let mut codes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        codes.retain(|(_, code)| code.strong_count() > 0);
        if let Some(code) =
            codes.iter().find(|(other, _)| other == pipeline).and_then(|(_, code)| code.upgrade())
        {
            return Ok(code);
        }
        let code = Arc::new(compile_pipeline(input, pipeline)?);
        codes.push((pipeline.clone(), Arc::downgrade(&code)));
        Ok(code)
    }

    /// Returns the number of users of each pipeline's code.
    #[cfg(test)]
    pub(crate) fn users(&self) -> Vec<usize> {
        let codes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        codes.iter().map(|(_, code)| code.strong_count()).collect()
    }

    /// Compiles a pipeline.
    ///
    /// # Panics
    /// The pipeline is of another program.
    pub(crate) fn compile(
        &self,
        executor: Arc<dyn Executor>,
        input: &Arc<CompileInput>,
        pipeline: Pipeline,
    ) -> Box<dyn CompiledPipeline> {
        assert!(pipeline.program().is_same(&input.program), "the pipeline is of another program");
        assert!(has_expected_layout(), "machine code knows where the fields of views and ends are");
        // Cranelift has accepted the large blocks, so it accepts the pipeline. If it refused the
        // pipeline, the blocks would do the same work more slowly.
        let Ok(code) = self.get(input, &pipeline) else {
            debug_assert!(false, "a pipeline of valid blocks can be compiled");
            return Box::new(StagedPipeline::new(executor, pipeline));
        };
        Box::new(NativePipeline {
            cache: LookupCache::new(&code.functions.regions, input.options),
            lookahead: Lookahead::new(&input.program, &code.functions.regions, input.options),
            code,
            inputs: pipeline.inputs().len(),
            restarts: pipeline.stages().contains(&Stage::Restart),
            ends_batches: pipeline.spec().ends_batches,
            outputs: pipeline.outputs(),
            staged: StagedPipeline::new(Arc::clone(&executor), pipeline),
            executor,
            input: Arc::clone(input),
        })
    }
}

/// Returns whether the fields that machine code reads and writes are at the expected offsets. Rust
/// does not specify which word of a slice is its address.
fn has_expected_layout() -> bool {
    let memory = [const { Cell::new(0) }; 3];
    let view = PacketView::new(&memory, 1, 2);
    // SAFETY: these words are within the view, which is as many words of them.
    let words = PacketView::FIELD_OFFSETS
        .map(|offset| unsafe { (&raw const view).byte_add(offset).cast::<usize>().read() });
    let example = PipelineEnd::Done { start: 0x1234 };
    let address = &raw const example;
    // SAFETY: the variant's position is a `u32` (`repr(u32)`), and its field is a `usize` within
    // the value.
    let end = unsafe {
        (address.cast::<u32>().read(), address.byte_add(END_FIELDS as usize).cast::<usize>().read())
    };
    words == [memory.as_ptr() as usize, 1, 2] && end == (0, 0x1234)
}

struct NativePipeline {
    executor: Arc<dyn Executor>,
    input: Arc<CompileInput>,
    code: Arc<Code<PipelineFunctions>>,
    cache: LookupCache,
    lookahead: Lookahead,
    /// The numbers of inputs and outputs of a packet.
    inputs: usize,
    outputs: usize,
    /// Whether the pipeline restarts.
    restarts: bool,
    /// Whether calls may end batches.
    ends_batches: bool,
    /// The pipeline for stages that machine code leaves to the executor.
    staged: StagedPipeline,
}

/// Decodes the value that machine code returned for a packet. `at` is the packet's position in the
/// batch.
#[inline(never)]
fn end_of_run(
    returned: u64,
    context: &mut Context<'_>,
    staged: &StagedPipeline,
    packet: PacketView<'_>,
    (at, inputs, outputs): (usize, &[u64], &mut [u64]),
) -> PipelineEnd {
    let (consumed, detail) = (context.registers.consumed as usize, returned >> end::SHIFT);
    let start = packet.start();
    match returned & ((1 << end::SHIFT) - 1) {
        end::LEFT => PipelineEnd::Left { code: detail as u32, consumed, start },
        end::NO_ROOM => PipelineEnd::NoRoom { stage: detail as u32, consumed, start },
        end::LOOP_LIMIT => PipelineEnd::Fault { fault: Fault::LoopLimit, stage: detail as usize },
        end::ASSERTION_FAILED => PipelineEnd::Fault { fault: Fault::AssertionFailed, stage: detail as usize },
        end::EXTERN_FAILED => PipelineEnd::Fault { fault: Fault::ExternFailed, stage: detail as usize },
        end::RESUME => {
            context.announce_last_packet();
            let host = &mut context.host;
            let (inputs, outputs) = staged.io_of_packet(at, inputs, outputs);
            let io = PipelineIo { state: host.state, inputs, outputs };
            staged.resume(detail as usize, consumed, packet, io, host.env)
        }
        end::PANIC => context.host.resume_panic(),
        other => unreachable!("the code of a pipeline does not end with {other}"),
    }
}

impl CompiledPipeline for NativePipeline {
    fn begin(&mut self, env: &mut dyn Environment) {
        self.cache.begin(env);
    }

    fn finish(&mut self, env: &mut dyn Environment) {
        self.cache.finish(env);
    }

    fn run(&mut self, packet: PacketView<'_>, io: PipelineIo<'_>, env: &mut dyn Environment) -> PipelineEnd {
        let PipelineIo { state, inputs, outputs } = io;
        let mut ends = [PipelineEnd::Done { start: 0 }];
        let batch = PacketBatch { packets: &[packet], inputs, outputs, ends: &mut ends, stop: &|_| false };
        self.run_batch(batch, state, env);
        ends[0]
    }

    fn run_batch(&mut self, batch: PacketBatch<'_>, state: &mut State, env: &mut dyn Environment) -> usize {
        let PacketBatch { packets, inputs, outputs, ends, stop } = batch;
        let Self { executor, input, code, cache, lookahead, staged, ends_batches, .. } = self;
        let PipelineFunctions { run, predict_keys, needs_clear_state, .. } = &code.functions;
        let (inputs_each, outputs_each) = (self.inputs, self.outputs);
        assert_eq!(inputs.len(), packets.len() * inputs_each, "the inputs fit the packets");
        assert_eq!(outputs.len(), packets.len() * outputs_each, "the outputs fit the packets");
        assert!(packets.len() <= ends.len(), "there is room for each packet's end");
        let mut predictor =
            KeyPredictor::new(*predict_keys, (inputs, inputs_each), lookahead.max_key_words());
        let together = lookahead.look_ahead(packets, (cache, &mut *env), &mut predictor);
        let packets = &packets[..together];
        let selectors = lookahead.selectors();
        assert!(selectors.len() >= together, "each packet has a selector");
        let mut unused = 0;
        let region = lookahead.region();
        let selector_target = region.map_or(&raw mut unused, |region| cache.selector(region).as_ptr());
        let mut saved = MaybeUninit::uninit();
        let Range { start: first, end: last } = packets.as_ptr_range();
        let (first, last) = (first.cast(), last.cast());
        let registers = Registers { lookup_cache: cache.address(), selector_target, ..Registers::empty() };
        let host = HostState {
            executor: &**executor,
            program: &input.program,
            layout: &input.layout,
            sites: &code.sites,
            state,
            env,
            first_view: first,
            announced: usize::MAX,
            announced_restarts: 0,
            cache: Some(cache),
            out: None,
            saved: &mut saved,
            rare: None,
        };
        let mut context = Context { registers, host };
        context.find_words();
        let (mut ran, mut called) = (0, false);
        while ran < together {
            // The registers are set again each time, because Rust uses the memory to which they
            // point between two runs.
            let registers = &mut context.registers;
            registers.packet_view = first.wrapping_add(ran);
            registers.inputs = inputs.as_ptr().wrapping_add(ran * inputs_each);
            registers.outputs = outputs.as_mut_ptr().wrapping_add(ran * outputs_each);
            registers.ends = ends.as_mut_ptr().wrapping_add(ran).cast();
            registers.selectors = selectors.as_ptr().wrapping_add(ran);
            registers.last_view = last;
            registers.restarts = 0;
            if called {
                // The environment may finish the packet before.
                context.announce_packet();
            }
            if *needs_clear_state {
                context.host.state.clear();
                context.find_words();
            }
            // SAFETY: the code is of this program and this pipeline, and `code` keeps it. By the
            // assertions above there are as many words of state, and for each packet as many
            // inputs, outputs, selectors and ends, as it uses. A packet's bytes and the room before
            // them are cells of one piece of memory, of which nobody has an exclusive reference.
            // The code reads within the packet; it writes to bytes that were parsed and, after it
            // has compared the length of headers with the room, before them.
            let returned = unsafe { run.call(&raw mut context) };
            ran = context.packet_index();
            if returned != end::DONE {
                let mut packet = packets[ran];
                if self.restarts {
                    let start = context.registers.packet_start as usize;
                    packet = PacketView::new(packet.memory(), start, packet.end());
                }
                ends[ran] = end_of_run(returned, &mut context, staged, packet, (ran, inputs, outputs));
                context.find_words();
                ran += 1;
                if stop(&ends[ran - 1]) {
                    break;
                }
            }
            called = context.registers.last_view != last;
            if *ends_batches && called && context.host.env.ends_batch() {
                break;
            }
        }
        if let Some(region) = region {
            cache.selector(region).set(0);
        }
        lookahead.advance(ran);
        ran
    }
}
