//! The executor: blocks as machine code.

use std::mem::MaybeUninit;
use std::sync::Arc;

use weir_exec::{CompiledPipeline, Environment, Executor, Fault, Parsed, Pipeline};
use weir_ir::{ControlId, Layout, ParserId, State, ValidProgram};

use crate::abi::{Registers, status};
use crate::block_code::{BlockCode, block_ids, large_blocks};
use crate::compile::{BlockId, Code, CompileInput, NativeError};
use crate::options::Options;
use crate::pipeline::PipelineCodes;
use crate::runtime::{Context, HostState};

/// A program as machine code. The code of a block is compiled when the block first runs alone; the
/// code of a pipeline is compiled by [`Executor::compile_pipeline`].
pub struct Native {
    input: Arc<CompileInput>,
    parsers: Vec<BlockCode>,
    controls: Vec<BlockCode>,
    pipelines: PipelineCodes,
    /// The executor that runs blocks that Cranelift refuses.
    fallback: Option<Arc<dyn Executor>>,
}

impl std::fmt::Debug for Native {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Native").field("parsers", &self.parsers.len()).finish_non_exhaustive()
    }
}

impl Native {
    /// Creates an executor of a program.
    ///
    /// # Errors
    /// Cranelift does not support the processor, or the program or one of its blocks is too large
    /// for machine code.
    pub fn new(program: ValidProgram) -> Result<Self, NativeError> {
        Self::with_options(program, Options::default())
    }

    pub(crate) fn with_options(program: ValidProgram, options: Options) -> Result<Self, NativeError> {
        let input = Arc::new(CompileInput::new(program, options)?);
        let parsers = input.program.parsers.iter().map(|_| BlockCode::default()).collect();
        let controls = input.program.controls.iter().map(|_| BlockCode::default()).collect();
        let native = Self { input, parsers, controls, pipelines: PipelineCodes::default(), fallback: None };
        for id in large_blocks(&native.input)? {
            native.block(id).get(&native.input, id).map_err(NativeError::clone)?;
        }
        Ok(native)
    }

    /// Adds an executor for the blocks that Cranelift refuses when they first run. The
    /// [environment](Environment::warn) is warned.
    pub(crate) fn with_fallback(self, fallback: Arc<dyn Executor>) -> Self {
        assert!(fallback.program().is_same(self.program()), "the tracer is of another program");
        Self { fallback: Some(fallback), ..self }
    }

    fn block(&self, id: BlockId) -> &BlockCode {
        match id {
            BlockId::Parser(id) => &self.parsers[id.index()],
            BlockId::Control(id) => &self.controls[id.index()],
        }
    }

    /// Runs a block over a state. Returns its status and the number of bits of the packet that were
    /// consumed; `None` if Cranelift refuses the block.
    fn run(
        &self,
        id: BlockId,
        packet: &[u8],
        state: &mut State,
        out: &mut Vec<u8>,
        env: &mut dyn Environment,
    ) -> Option<(u64, u64)> {
        let Code { functions: entry, sites, .. } = self.block(id).get_or_warn(&self.input, id, env)?;
        let CompileInput { program, layout, .. } = &*self.input;
        let registers = Registers {
            packet: packet.as_ptr(),
            packet_bytes: packet.len() as u64,
            out: out.as_mut_ptr(),
            out_bits: out.len() as u64 * 8,
            out_capacity: out.capacity() as u64 * 8,
            ..Registers::empty()
        };
        let saved = &mut MaybeUninit::uninit();
        let host = HostState {
            executor: self,
            program,
            layout,
            sites,
            state,
            env,
            first_view: std::ptr::null(),
            announced: 0,
            announced_restarts: 0,
            cache: None,
            out: Some(out),
            saved,
            rare: None,
        };
        let mut context = Context { registers, host };
        context.find_words();
        // SAFETY: the code is of this program and this layout, and `self` keeps it. There are as
        // many words as the layout has; packet and output are borrowed during the call, and the
        // runtime functions keep the registers valid.
        let end = unsafe { entry.call(&raw mut context) };
        let Context { registers: Registers { position, out_bits, .. }, mut host } = context;
        let written = out_bits.div_ceil(8) as usize;
        // SAFETY: the code has written all bytes up to `out_bits`, for which it reserved memory.
        unsafe { host.out.iter_mut().for_each(|out| out.set_len(written)) };
        if end == status::PANIC {
            host.resume_panic();
        }
        Some((end, position))
    }

    /// Returns the executor of the blocks without machine code.
    fn fallback(&self) -> &dyn Executor {
        self.fallback.as_deref().expect("without a fallback, Cranelift accepts all blocks that are not large")
    }

    /// Returns how many instructions and block arguments were made from the program.
    #[cfg(test)]
    pub(crate) fn emitted_instructions(&self) -> usize {
        self.input.emitted.load(std::sync::atomic::Ordering::Relaxed)
    }

    /// Returns the number of users of each pipeline's code.
    #[cfg(test)]
    pub(crate) fn pipeline_users(&self) -> Vec<usize> {
        self.pipelines.users()
    }
}

impl Executor for Native {
    fn program(&self) -> &ValidProgram {
        &self.input.program
    }

    fn layout(&self) -> &Layout {
        &self.input.layout
    }

    fn name(&self) -> &'static str {
        "native"
    }

    /// Runs a parser as machine code, or with the fallback if Cranelift refuses the parser.
    fn parse(&self, parser: ParserId, packet: &[u8], state: &mut State, env: &mut dyn Environment) -> Parsed {
        let run = self.run(BlockId::Parser(parser), packet, state, &mut Vec::new(), env);
        let Some((end, position)) = run else { return self.fallback().parse(parser, packet, state, env) };
        let consumed = position.div_ceil(8) as usize;
        let (error, accepted, fault) = match end {
            status::DONE => (0, true, None),
            status::LOOP_LIMIT => (0, false, Some(Fault::LoopLimit)),
            status::ASSERTION_FAILED => (0, false, Some(Fault::AssertionFailed)),
            status::EXTERN_FAILED => (0, false, Some(Fault::ExternFailed)),
            error if error >= status::PARSER_ERROR => ((error - status::PARSER_ERROR) as u32, false, None),
            _ => (0, false, None),
        };
        Parsed { consumed, error, accepted, fault }
    }

    /// Runs a P4 control as machine code, or with the fallback if Cranelift refuses the control.
    fn control(
        &self,
        control: ControlId,
        state: &mut State,
        out: &mut Vec<u8>,
        env: &mut dyn Environment,
    ) -> Result<(), Fault> {
        let run = self.run(BlockId::Control(control), &[], state, out, env);
        let Some((end, _)) = run else { return self.fallback().control(control, state, out, env) };
        match end {
            status::LOOP_LIMIT => Err(Fault::LoopLimit),
            status::ASSERTION_FAILED => Err(Fault::AssertionFailed),
            status::EXTERN_FAILED => Err(Fault::ExternFailed),
            _ => Ok(()),
        }
    }

    fn compile_pipeline(self: Arc<Self>, pipeline: Pipeline) -> Box<dyn CompiledPipeline> {
        let executor = Arc::clone(&self);
        self.pipelines.compile(executor, &self.input, pipeline)
    }

    fn compile_blocks(&self) {
        for id in block_ids(&self.input.program) {
            // If Cranelift refuses a block, its first run warns of it.
            let _ = self.block(id).get(&self.input, id);
        }
    }
}
