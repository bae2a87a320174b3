//! A pipeline as one function of machine code.

use std::cell::Cell;
use std::mem::MaybeUninit;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use weir_exec::{
    CallFrame, CompiledPipeline, Environment, ExternSemantics, Fault, PacketBatch, PacketView, Pipeline,
    PipelineEnd, PipelineIo, Stage, StagedPipeline,
};
use weir_ir::State;

use crate::ahead::Ahead;
use crate::compile::{Code, Sites, compile_pipeline};
use crate::emit::{end, is_plain};
use crate::recall::{Part, Recall};
use crate::runtime::{Context, Host, Registers};
use crate::scout::Scout;
use crate::{Entry, Memory, Native, NativeError};

/// The code of a pipeline, shared by all who run it.
struct Made {
    run: Entry,
    scout: Entry,
    clears: bool,
    sites: Sites,
    /// Where what tables answered is kept; each who runs it keeps answers of its own.
    recall: Vec<Part>,
    /// Words whose addresses stand in the code.
    _constants: Vec<Box<[u64]>>,
    memory: Memory,
}

/// The pipelines of a program that somebody runs, with their code.
#[derive(Default)]
pub(crate) struct Pipelines(Mutex<Vec<(Pipeline, Weak<Made>)>>);

impl Pipelines {
    /// A pipeline's code, made if nobody runs it yet. Threads that need it at the same time wait for the one that makes it.
    fn made(&self, native: &Native, pipeline: &Pipeline) -> Result<Arc<Made>, NativeError> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.retain(|(_, made)| made.strong_count() > 0);
        if let Some(made) =
            known.iter().find(|(other, _)| other == pipeline).and_then(|(_, made)| made.upgrade())
        {
            return Ok(made);
        }
        let code = compile_pipeline(&native.program, &native.layout, native.policy, pipeline)?;
        let Code { module, functions, sites, constants, recall } = code;
        let made = Arc::new(Made {
            run: Entry::of(functions.run),
            scout: Entry::of(functions.scout),
            clears: functions.clears,
            sites,
            recall,
            _constants: constants,
            memory: Memory(Some(module)),
        });
        known.push((pipeline.clone(), Arc::downgrade(&made)));
        Ok(made)
    }

    /// How many pieces of code are run, each by how many.
    #[cfg(test)]
    pub(crate) fn users(&self) -> Vec<usize> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.iter().map(|(_, made)| made.strong_count()).collect()
    }
}

struct Whole {
    native: Arc<Native>,
    made: Arc<Made>,
    recall: Recall,
    ahead: Ahead,
    inputs: usize,
    outputs: usize,
    /// For what is left to be done stage by stage.
    staged: StagedPipeline,
}

/// Makes one function of a pipeline if its shape allows it.
pub(crate) fn fuse(native: Arc<Native>, mut pipeline: Pipeline) -> Box<dyn CompiledPipeline> {
    let deparse = pipeline.stages.iter().position(|stage| matches!(stage, Stage::Deparse(_)));
    let parsers = pipeline.stages.iter().filter(|stage| matches!(stage, Stage::Parse { .. })).count();
    // Headers are where one parser found them until the end.
    if parsers > 1 || deparse.is_some_and(|position| position + 1 < pipeline.stages.len()) {
        return Box::new(StagedPipeline::new(native, pipeline));
    }
    for (call, meaning) in &mut pipeline.extern_semantics {
        let plain = is_plain(&native.program, call, meaning);
        let framed =
            !matches!(meaning, ExternSemantics::Words(_)) || CallFrame::of(&native.program, call).is_some();
        if !plain || !framed {
            *meaning = ExternSemantics::Call;
        }
    }
    assert!(windows_are_as_code_sees_them(), "a slice's address is its first word");
    let made = native.pipelines.made(&native, &pipeline);
    // What the blocks could be made of, the pipeline can; should Cranelift refuse, the blocks do the same, only slower.
    let Ok(made) = made else {
        debug_assert!(false, "a pipeline of valid blocks becomes code");
        return Box::new(StagedPipeline::new(native, pipeline));
    };
    Box::new(Whole {
        recall: Recall::new(&made.recall, native.policy),
        ahead: Ahead::new(&native.program, &made.recall, native.policy),
        made,
        inputs: pipeline.inputs.len(),
        outputs: pipeline.outputs,
        staged: StagedPipeline::new(Arc::clone(&native) as _, pipeline),
        native,
    })
}

/// Whether code finds a window's memory where it looks for it ([`PacketView::FIELD_OFFSETS`]): the language does not say which word of a slice is its address.
fn windows_are_as_code_sees_them() -> bool {
    let memory = [const { Cell::new(0) }; 3];
    let window = PacketView::new(&memory, 1, 2);
    // SAFETY: these words are within the window, which is as many words of them.
    let words = PacketView::FIELD_OFFSETS
        .map(|part| unsafe { (&raw const window).byte_add(part).cast::<usize>().read() });
    words == [memory.as_ptr() as usize, 1, 2]
}

/// How the run ended that returned this, if it did not run through: the packet at `at` of those that have these inputs and outputs.
#[inline(never)]
fn ended(
    what: u64,
    context: &mut Context<'_>,
    staged: &StagedPipeline,
    packet: PacketView<'_>,
    (at, inputs, outputs): (usize, &[u64], &mut [u64]),
) -> PipelineEnd {
    let (consumed, more) = (context.registers.consumed as usize, what >> end::SHIFT);
    match what & ((1 << end::SHIFT) - 1) {
        end::LEFT => PipelineEnd::Left { code: more as u32, consumed },
        end::NO_ROOM => PipelineEnd::NoRoom { consumed },
        end::LOOP_LIMIT => PipelineEnd::Fault { fault: Fault::LoopLimit, stage: more as usize },
        end::ASSERTION_FAILED => PipelineEnd::Fault { fault: Fault::AssertionFailed, stage: more as usize },
        end::RESUME => {
            context.ask();
            let host = &mut context.host;
            let (inputs, outputs) = staged.io_of_packet(at, inputs, outputs);
            let work = PipelineIo { state: host.state, inputs, outputs };
            staged.resume(more as usize, consumed, packet, work, host.env)
        }
        end::PANIC => context.host.panic(),
        other => unreachable!("the code of a pipeline does not end with {other}"),
    }
}

impl CompiledPipeline for Whole {
    fn begin(&mut self, env: &mut dyn Environment) {
        self.recall.begin(env);
    }

    fn finish(&mut self, env: &mut dyn Environment) {
        self.recall.finish(env);
    }

    fn run(
        &mut self,
        packet: PacketView<'_>,
        work: PipelineIo<'_>,
        env: &mut dyn Environment,
    ) -> PipelineEnd {
        let PipelineIo { state, inputs, outputs } = work;
        let mut ends = [PipelineEnd::NoRoom { consumed: 0 }];
        let batch = PacketBatch { packets: &[packet], inputs, outputs, ends: &mut ends, stop: &|_| false };
        self.run_batch(batch, state, env);
        ends[0]
    }

    fn run_batch(&mut self, batch: PacketBatch<'_>, state: &mut State, env: &mut dyn Environment) -> usize {
        let PacketBatch { packets, inputs, outputs, ends, stop } = batch;
        let Self { native, made, recall, ahead, staged, .. } = self;
        let Made { run, scout, sites, memory, clears, .. } = &**made;
        let (inputs_each, outputs_each) = (self.inputs, self.outputs);
        assert!(memory.0.is_some(), "the code is there as long as its owner");
        assert_eq!(inputs.len(), packets.len() * inputs_each, "as many inputs as the pipeline has");
        assert_eq!(outputs.len(), packets.len() * outputs_each, "as many outputs as the pipeline has");
        assert!(packets.len() <= ends.len(), "each packet's end is told");
        let mut scout = Scout::new(*scout, (inputs, inputs_each), ahead.longest_key());
        let together = ahead.look(packets, (recall, &mut *env), &mut scout);
        let packets = &packets[..together];
        let told = ahead.whither();
        assert!(told.len() >= together, "there is a word for each packet");
        let mut nowhere = 0;
        let part = ahead.told();
        let whither = part.map_or(&raw mut nowhere, |part| recall.whither(part).as_ptr());
        let mut aside = MaybeUninit::uninit();
        let Range { start: first, end: last } = packets.as_ptr_range();
        let (first, last) = (first.cast(), last.cast());
        let registers = Registers { recall: recall.address(), whither, ..Registers::empty() };
        let host = Host {
            executor: native,
            sites,
            state,
            env,
            first,
            turned: usize::MAX,
            recall: Some(recall),
            out: None,
            aside: &mut aside,
            spare: None,
        };
        let mut context = Context { registers, host };
        context.find_words();
        let (mut ran, mut asked) = (0, false);
        while ran < together {
            // Taken anew each time, since what is told between two packets is told by their owners.
            let registers = &mut context.registers;
            registers.window = first.wrapping_add(ran);
            registers.inputs = inputs.as_ptr().wrapping_add(ran * inputs_each);
            registers.outputs = outputs.as_mut_ptr().wrapping_add(ran * outputs_each);
            registers.ends = ends.as_mut_ptr().wrapping_add(ran).cast();
            registers.told = told.as_ptr().wrapping_add(ran);
            registers.last = last;
            if asked {
                // The environment may be done with the packet before.
                context.tell();
            }
            if *clears {
                context.host.state.clear();
                context.find_words();
            }
            // SAFETY: the code was made of this program and this pipeline; there are as many words of state, and by packet as many inputs, outputs, words told and
            // ends as it takes. A packet's bytes and the room before them are cells of one piece of memory that nobody else holds exclusively; the code reads
            // within the packet and writes within what was parsed of it and, after it has compared with the room, before it.
            let what = unsafe { (run.0)(&raw mut context) };
            ran = context.turn();
            if what != end::DONE {
                ends[ran] = ended(what, &mut context, staged, packets[ran], (ran, inputs, outputs));
                context.find_words();
                ran += 1;
                if stop(&ends[ran - 1]) {
                    break;
                }
            }
            asked = context.registers.last != last;
        }
        if let Some(part) = part {
            recall.whither(part).set(0);
        }
        ahead.passed(ran);
        ran
    }
}
