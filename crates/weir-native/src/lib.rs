//! The fast executor: machine code of the IR, made at load time.
//!
//! - **Comes in:** a valid program; then packets, their [`State`], and an [`Environment`] that answers for tables and externs.
//! - **Goes out:** what the interpreter gives: the changed state, parser results, emitted bytes. A differential fuzzer says so.
//! - **Holds:** the translation to Cranelift's form (`emit`), what decides about homes of variables and about functions (`analysis`), and the
//!   functions that machine code calls (`runtime`).
//! - **Must never know:** P4 syntax, architectures, what a table holds, what an extern does, time.
//!
//! Machine code of a block works on the same words as the interpreter, so a packet can change executors between blocks; that of a pipeline
//! keeps to registers and leaves the state behind only where it is left early. It makes no events: a packet
//! whose environment traces goes through another executor in a [`Traced`].
//!
//! `unsafe` stands in three places: here and in `fused`, where code is entered, and in `runtime`, which it calls. What keeps it sound: the IR is total; each
//! variable's words are at offsets that [`Layout`] gives and the state is checked to have; each extract compares its length with the packet's before it reads.

mod ahead;
mod analysis;
mod block;
mod compile;
mod emit;
#[allow(unsafe_code, reason = "machine code is entered")]
mod fused;
mod recall;
#[allow(unsafe_code, reason = "the functions that machine code calls get raw addresses")]
mod runtime;
mod scout;
#[cfg(test)]
mod tests;
mod traced;

use std::mem::MaybeUninit;
use std::sync::Arc;

use weir_exec::{CompiledPipeline, Environment, Executor, Fault, Parsed, Pipeline};
use weir_ir::{ControlId, Layout, ParserId, Program, State};

use block::{Block, Made};
pub use compile::NativeError;
use compile::{BlockId, Policy, processor};
use runtime::{Context, Host, Registers, status};
pub use traced::Traced;

/// A program as machine code. The code of a block is made when the block first runs by itself, that of a pipeline by [`Executor::fuse`].
pub struct Native {
    program: Arc<Program>,
    layout: Layout,
    parsers: Vec<Block>,
    controls: Vec<Block>,
    pipelines: fused::Pipelines,
    /// Runs blocks that do not become code.
    instead: Option<Arc<dyn Executor>>,
    policy: Policy,
}

/// A function of machine code.
#[derive(Clone, Copy, Debug)]
struct Entry(unsafe extern "C" fn(*mut Context<'_>) -> u64);

impl Entry {
    #[allow(unsafe_code, reason = "an address becomes a function")]
    fn of(address: *const u8) -> Self {
        // SAFETY: each address given here is that of a finished function with this signature.
        Self(unsafe {
            std::mem::transmute::<*const u8, unsafe extern "C" fn(*mut Context<'_>) -> u64>(address)
        })
    }
}

/// The memory that the code lies in.
struct Memory(Option<cranelift_jit::JITModule>);

// SAFETY: after it is made, the module is only kept for the memory that it owns, and nothing of it is reached through a shared reference.
#[allow(unsafe_code, reason = "the module holds raw addresses")]
unsafe impl Send for Memory {}
// SAFETY: as above.
#[allow(unsafe_code, reason = "the module holds raw addresses")]
unsafe impl Sync for Memory {}

impl Drop for Memory {
    #[allow(unsafe_code, reason = "only the owner knows that no code runs any more")]
    fn drop(&mut self) {
        if let Some(module) = self.0.take() {
            // SAFETY: functions run only while a `Native` is borrowed, and this is the end of the one that owns them.
            unsafe { module.free_memory() };
        }
    }
}

impl std::fmt::Debug for Native {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Native").field("parsers", &self.parsers.len()).finish_non_exhaustive()
    }
}

/// Words of a program's variables, with which all offsets in code fit 32 bits, and lengths of headers in bits too.
const MAX_WORDS: usize = 1 << 24;

impl Native {
    /// An executor of a program, which must be valid ([`weir_ir::validate()`]).
    ///
    /// # Errors
    /// On a processor that Cranelift does not know, and if Cranelift refuses a block that is large enough for its limits to matter.
    pub fn new(program: Arc<Program>) -> Result<Self, NativeError> {
        Self::with_policy(program, Policy::default())
    }

    /// With an executor that takes packets whose environment traces; it must be of the same program. Should Cranelift refuse a block when it first runs,
    /// that executor runs it, and the [environment](Environment::warn) hears of it.
    pub fn with_tracer(mut self, tracer: Arc<dyn Executor>) -> Traced {
        assert_eq!(tracer.layout(), &self.layout, "the tracer is of another program");
        self.instead = Some(Arc::clone(&tracer));
        Traced { native: Arc::new(self), tracer }
    }

    fn with_policy(program: Arc<Program>, policy: Policy) -> Result<Self, NativeError> {
        processor(policy)?;
        let layout = Layout::new(&program);
        if layout.words() > MAX_WORDS {
            let problem = format!("its variables take {} words, the limit is {MAX_WORDS}", layout.words());
            return Err(NativeError::Code { what: "the program".into(), problem });
        }
        let parsers = program.parsers.iter().map(|_| Block::default()).collect();
        let controls = program.controls.iter().map(|_| Block::default()).collect();
        let native = Self {
            program,
            layout,
            parsers,
            controls,
            pipelines: fused::Pipelines::default(),
            instead: None,
            policy,
        };
        for id in block::large(&native.program, policy) {
            native.block(id).code(&native, id).map_err(NativeError::clone)?;
        }
        Ok(native)
    }

    fn block(&self, id: BlockId) -> &Block {
        match id {
            BlockId::Parser(id) => &self.parsers[id.index()],
            BlockId::Control(id) => &self.controls[id.index()],
        }
    }

    /// Runs a block over a state; returns its status and the bits of the packet that were consumed. None of a block that Cranelift refuses.
    #[allow(unsafe_code, reason = "machine code is entered")]
    fn run(
        &self,
        id: BlockId,
        packet: &[u8],
        state: &mut State,
        out: &mut Vec<u8>,
        env: &mut dyn Environment,
    ) -> Option<(u64, u64)> {
        let Made { entry, sites, memory, .. } = self.block(id).code_to_run(self, id, env)?;
        assert!(memory.0.is_some(), "the code is there as long as its owner");
        let words = state.words_mut();
        assert_eq!(words.len(), self.layout.words(), "the state is of another program");
        let registers = Registers {
            words: words.as_mut_ptr(),
            packet: packet.as_ptr(),
            packet_bytes: packet.len() as u64,
            out: out.as_mut_ptr(),
            out_bits: out.len() as u64 * 8,
            out_capacity: out.capacity() as u64 * 8,
            ..Registers::empty()
        };
        let aside = &mut MaybeUninit::uninit();
        let host = Host {
            executor: self,
            sites,
            state,
            env,
            first: std::ptr::null(),
            turned: 0,
            recall: None,
            out: Some(out),
            aside,
            spare: None,
        };
        let mut context = Context { registers, host };
        // SAFETY: the code was made of this executor's program for this layout; the words are as many as the layout has, packet and
        // output are borrowed for as long as the call takes, and the runtime's functions keep the context's addresses true.
        let end = unsafe { (entry.0)(&raw mut context) };
        let Context { registers: Registers { position, out_bits, .. }, mut host } = context;
        let written = out_bits.div_ceil(8) as usize;
        // SAFETY: the code has written all bytes up to `out_bits`, for which it made room.
        unsafe { host.out.iter_mut().for_each(|out| out.set_len(written)) };
        if end == status::PANIC {
            host.panic();
        }
        Some((end, position))
    }

    /// Runs what Cranelift refuses.
    fn instead(&self) -> &dyn Executor {
        self.instead
            .as_deref()
            .expect("an executor without another one beside it has blocks that become code")
    }
}

impl Executor for Native {
    fn program(&self) -> &Program {
        &self.program
    }

    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn name(&self) -> &'static str {
        "native"
    }

    fn parse(&self, parser: ParserId, packet: &[u8], state: &mut State, env: &mut dyn Environment) -> Parsed {
        let run = self.run(BlockId::Parser(parser), packet, state, &mut Vec::new(), env);
        let Some((end, position)) = run else { return self.instead().parse(parser, packet, state, env) };
        let consumed = position.div_ceil(8) as usize;
        let (error, accepted, fault) = match end {
            status::DONE => (0, true, None),
            status::LOOP_LIMIT => (0, false, Some(Fault::LoopLimit)),
            status::ASSERTION_FAILED => (0, false, Some(Fault::AssertionFailed)),
            error if error >= status::PARSER_ERROR => ((error - status::PARSER_ERROR) as u32, false, None),
            _ => (0, false, None),
        };
        Parsed { consumed, error, accepted, fault }
    }

    fn control(
        &self,
        control: ControlId,
        state: &mut State,
        out: &mut Vec<u8>,
        env: &mut dyn Environment,
    ) -> Result<(), Fault> {
        let run = self.run(BlockId::Control(control), &[], state, out, env);
        let Some((end, _)) = run else { return self.instead().control(control, state, out, env) };
        match end {
            status::LOOP_LIMIT => Err(Fault::LoopLimit),
            status::ASSERTION_FAILED => Err(Fault::AssertionFailed),
            _ => Ok(()),
        }
    }

    fn compile_pipeline(self: Arc<Self>, pipeline: Pipeline) -> Box<dyn CompiledPipeline> {
        fused::fuse(self, pipeline)
    }
}
