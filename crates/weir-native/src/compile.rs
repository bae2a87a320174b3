//! Compiles programs to machine code.

use cranelift_codegen::Context;
use cranelift_codegen::control::ControlPlane;
use cranelift_codegen::ir::Function;
use cranelift_codegen::isa::OwnedTargetIsa;
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{FuncId, Module, ModuleError, ModuleReloc};
use weir_exec::Pipeline;
use weir_ir::{ControlId, CoreErrors, Layout, ParserId, ValidProgram, Work};

use crate::abi::CallSites;
use crate::analysis::{Analysis, Arrays, Body, Facts};
use crate::code::{CodeMemory, Entry};
use crate::emit::{Emit, Output, Parts, PipelineFunction, Unit, entry_signature};
use crate::lookup_cache::{Region, regions};
use crate::options::Options;

/// The error for a program that cannot become machine code.
#[derive(Clone, Debug, thiserror::Error)]
pub enum NativeError {
    /// There is no machine code for this processor.
    #[error("there is no native code for this processor ({0}): run with the executor `interp`")]
    Host(&'static str),
    /// The program has more code than is worth compiling.
    #[error("the program is too large for machine code (about {size} operations; at most {limit})")]
    Large {
        /// An estimate of the number of operations in all blocks, with inlined calls.
        size: usize,
        /// The maximum number of operations that is compiled.
        limit: usize,
    },
    /// Cranelift refused the code.
    #[error("no machine code could be made of {what}: {problem}")]
    Code {
        /// The part of the program: a parser, a control, an action.
        what: String,
        /// Cranelift's message.
        problem: String,
    },
}

/// The program that is compiled to machine code, and the options.
pub(crate) struct CompileInput {
    pub program: ValidProgram,
    pub layout: Layout,
    pub options: Options,
    /// The numbers of instructions and block arguments that were made from the program, and how
    /// many instructions optimisation made from these.
    #[cfg(test)]
    pub emitted: std::sync::atomic::AtomicUsize,
}

impl CompileInput {
    /// # Errors
    /// Cranelift does not support the processor.
    pub(crate) fn new(program: ValidProgram, options: Options) -> Result<Self, NativeError> {
        target_isa(options, "backtracking")?;
        let layout = program.layout().clone();
        Ok(Self {
            program,
            layout,
            options,
            #[cfg(test)]
            emitted: std::sync::atomic::AtomicUsize::new(0),
        })
    }
}

/// Machine code, with its call sites and its memory.
pub(crate) struct Code<F> {
    pub functions: F,
    pub sites: CallSites,
    /// The memory of the functions, which must live as long as the functions can run.
    _memory: CodeMemory,
}

/// A parser or a control that runs alone.
#[derive(Clone, Copy, Debug)]
pub(crate) enum BlockId {
    Parser(ParserId),
    Control(ControlId),
}

/// The functions of a pipeline.
pub(crate) struct PipelineFunctions {
    pub run: Entry,
    pub predict_keys: Entry,
    /// Whether the state must be 0 before a run.
    pub needs_clear_state: bool,
    /// The tables whose results the code looks for in the cache.
    pub regions: Vec<Region>,
}

/// Returns the processor's instruction set with Cranelift's settings.
fn target_isa(options: Options, register_allocator: &str) -> Result<OwnedTargetIsa, NativeError> {
    let mut flags = settings::builder();
    let level = if options.optimise { "speed" } else { "none" };
    let choices = [
        ("opt_level", level),
        ("regalloc_algorithm", register_allocator),
        ("is_pic", "false"),
        ("use_colocated_libcalls", "false"),
        // Frames may be larger than the guard page of the stack.
        ("enable_probestack", "true"),
        ("probestack_strategy", "inline"),
        ("enable_verifier", if cfg!(debug_assertions) { "true" } else { "false" }),
        ("unwind_info", "false"),
    ];
    for (name, value) in choices {
        flags.set(name, value).expect("Cranelift has these settings");
    }
    let isa = cranelift_native::builder().map_err(NativeError::Host)?;
    isa.finish(settings::Flags::new(flags))
        .map_err(|problem| NativeError::Code { what: "the settings".into(), problem: problem.to_string() })
}

/// Returns the features of this processor that machine code may use, such as `has_avx2`.
///
/// # Errors
/// Cranelift does not support the processor.
pub fn host_features() -> Result<Vec<String>, NativeError> {
    let isa = target_isa(Options::default(), "backtracking")?;
    let enabled = isa.isa_flags().into_iter().filter(|flag| flag.as_bool() == Some(true));
    Ok(enabled.map(|flag| flag.name.to_string()).collect())
}

/// Compiles a block and the functions that it calls.
pub(crate) fn compile_block(input: &CompileInput, block: BlockId) -> Result<Code<Entry>, NativeError> {
    let mut compiler = Compiler::new(input, None)?;
    let function = compiler.declare()?;
    match block {
        BlockId::Parser(id) => {
            let facts = compiler.analysis.parser(id);
            let name = &input.program.parsers[id].name;
            compiler.define(function, name, &facts, |emit, facts| emit.parser(id, facts))?;
        }
        BlockId::Control(id) => {
            let control = &input.program.controls[id];
            let facts = compiler.analysis.block(&control.body);
            compiler
                .define(function, &control.name, &facts, |emit, facts| emit.control(&control.body, facts))?;
        }
    }
    compiler.finish(|entry, _| entry(function))
}

/// Compiles a pipeline.
pub(crate) fn compile_pipeline(
    input: &CompileInput,
    pipeline: &Pipeline,
) -> Result<Code<PipelineFunctions>, NativeError> {
    let mut compiler = Compiler::new(input, Some(pipeline))?;
    let stages: Vec<Facts> = pipeline.stages().iter().map(|stage| compiler.analysis.stage(stage)).collect();
    let parts = compiler.analysis.parts(pipeline, &stages);
    let mut facts = Facts::empty();
    parts.iter().for_each(|(_, part)| facts.add(part));
    let mut needs_clear_state = false;
    let [run, predict_keys] = [compiler.declare()?, compiler.declare()?];
    let functions = [(run, PipelineFunction::Run), (predict_keys, PipelineFunction::PredictKeys)];
    for (function, which) in functions {
        compiler.define(function, "the pipeline", &facts, |emit, _| {
            needs_clear_state |= emit.pipeline(pipeline, (&parts, &stages), which);
        })?;
    }
    compiler.finish(|entry, regions| PipelineFunctions {
        run: entry(run),
        predict_keys: entry(predict_keys),
        needs_clear_state,
        regions,
    })
}

fn module_error(what: &str, problem: &ModuleError) -> NativeError {
    NativeError::Code { what: what.to_owned(), problem: format!("{problem:?}") }
}

/// The state of compiling a program to machine code.
struct Compiler<'p> {
    module: JITModule,
    analysis: Analysis<'p>,
    output: Output,
    builder_context: FunctionBuilderContext,
    /// A context that is kept between functions to reuse its memory.
    context: Option<Context>,
    /// The target with a register allocator that takes one pass.
    single_pass: Option<OwnedTargetIsa>,
    unit: Unit<'p>,
    #[cfg(test)]
    emitted: &'p std::sync::atomic::AtomicUsize,
}

/// Returns the number of arguments that a function's branches pass to blocks. If there are more
/// arguments than registers, most of them become moves from memory to memory. The time of register
/// allocation grows faster than the number of arguments: in the largest programs, it takes ten
/// times as long as everything else.
fn block_args(function: &Function) -> usize {
    let dfg = &function.dfg;
    let last = function.layout.blocks().filter_map(|block| function.layout.last_inst(block));
    let branches =
        last.flat_map(|inst| dfg.insts[inst].branch_destination(&dfg.jump_tables, &dfg.exception_tables));
    branches.map(|branch| branch.len(&dfg.value_lists)).sum()
}

/// Returns the number of instructions of the longest run without branches. The time to allocate
/// registers grows with the square of this number.
fn longest_run(function: &Function) -> usize {
    function.layout.blocks().map(|block| function.layout.block_insts(block).count()).max().unwrap_or(0)
}

#[cfg(test)]
fn instructions(function: &Function) -> usize {
    function.layout.blocks().map(|block| function.layout.block_insts(block).count()).sum()
}

impl<'p> Compiler<'p> {
    fn new(input: &'p CompileInput, pipeline: Option<&'p Pipeline>) -> Result<Self, NativeError> {
        let CompileInput { program, layout, options, .. } = input;
        let regions = pipeline.map_or_else(Vec::new, |pipeline| regions(program, pipeline));
        let limits = if pipeline.is_some() { options.pipeline_inline } else { options.inline };
        let isa = target_isa(*options, "backtracking")?;
        let builder = JITBuilder::with_isa(isa, cranelift_module::default_libcall_names());
        let errors = CoreErrors::find_in(program);
        let arrays = Arrays::new(program, layout, *options);
        Ok(Self {
            module: JITModule::new(builder),
            analysis: Analysis::new(program, pipeline, arrays, limits),
            output: Output::new(regions),
            builder_context: FunctionBuilderContext::new(),
            context: None,
            single_pass: None,
            unit: Unit { program, layout, errors, work: Work::new(program), options: *options, pipeline },
            #[cfg(test)]
            emitted: &input.emitted,
        })
    }

    /// Compiles the functions that others call, and makes the code executable.
    fn finish<F>(
        mut self,
        functions: impl FnOnce(&dyn Fn(FuncId) -> Entry, Vec<Region>) -> F,
    ) -> Result<Code<F>, NativeError> {
        let program = self.unit.program;
        while let Some((body, function)) = self.output.next_function() {
            let facts = self.analysis.body(body);
            let name = match body {
                Body::Procedure(id) => &program.procedures[id].name,
                Body::Action(id) => &program.actions[id].name,
            };
            self.define(function, name, &facts, |emit, facts| emit.body(body, facts))?;
        }
        let Self { mut module, output, .. } = self;
        module.finalize_definitions().map_err(|problem| module_error("the program", &problem))?;
        let Output { sites, constants, regions, .. } = output;
        let functions = functions(&|id| Entry::from_function(&module, id), regions);
        Ok(Code { functions, sites, _memory: CodeMemory::new(module, constants) })
    }

    /// Declares a function of the module that is called as an entry.
    fn declare(&mut self) -> Result<FuncId, NativeError> {
        let signature = entry_signature(self.module.isa().default_call_conv());
        self.module
            .declare_anonymous_function(&signature)
            .map_err(|problem| module_error("a function", &problem))
    }

    /// Compiles a function. If its branches pass too many arguments, its variables stay in memory.
    /// If this is not enough, or for long code without branches, registers are allocated in one
    /// pass.
    fn define(
        &mut self,
        function: FuncId,
        name: &str,
        facts: &Facts,
        mut emit: impl FnMut(Emit<'_, 'p, '_>, &Facts),
    ) -> Result<(), NativeError> {
        let mut context = self.context.take().unwrap_or_else(Context::new);
        let options = self.unit.options;
        let mut args = usize::MAX;
        if facts.crossings <= options.max_crossings {
            args = self.emit(&mut context, facts, &mut emit);
        }
        if args > options.max_block_args {
            self.unit.options.max_register_loads = 0;
            args = self.emit(&mut context, facts, &mut emit);
            self.unit.options = options;
        }
        let is_large = args > options.max_block_args || longest_run(&context.func) > options.max_run_length;
        let compiled = if is_large {
            self.define_in_single_pass(function, name, &mut context)
        } else {
            self.module
                .define_function(function, &mut context)
                .map_err(|problem| module_error(name, &problem))
        };
        // Optimisation may repeat operations.
        #[cfg(test)]
        self.emitted.fetch_add(instructions(&context.func), std::sync::atomic::Ordering::Relaxed);
        self.context = Some(context);
        compiled
    }

    /// Returns the number of [block arguments](block_args).
    fn emit(
        &mut self,
        context: &mut Context,
        facts: &Facts,
        emit: &mut impl FnMut(Emit<'_, 'p, '_>, &Facts),
    ) -> usize {
        self.module.clear_context(context);
        context.func.signature = entry_signature(self.module.isa().default_call_conv());
        let builder = FunctionBuilder::new(&mut context.func, &mut self.builder_context);
        let parts = Parts {
            unit: &self.unit,
            analysis: &mut self.analysis,
            output: &mut self.output,
            module: &mut self.module,
        };
        emit(Emit::new(parts, builder, facts), facts);
        let args = block_args(&context.func);
        #[cfg(test)]
        self.emitted.fetch_add(context.func.dfg.num_insts() + args, std::sync::atomic::Ordering::Relaxed);
        args
    }

    /// Defines a function with registers that are allocated in one pass: the code is worse, but the
    /// time grows linearly with the function.
    fn define_in_single_pass(
        &mut self,
        function: FuncId,
        name: &str,
        context: &mut Context,
    ) -> Result<(), NativeError> {
        let isa = match &self.single_pass {
            Some(isa) => isa,
            None => self.single_pass.insert(target_isa(self.unit.options, "single_pass")?),
        };
        let compiled = context.compile(&**isa, &mut ControlPlane::default());
        compiled.map_err(|problem| module_error(name, &problem.inner.into()))?;
        let Some(code) = context.compiled_code() else { return Ok(()) };
        let (bytes, alignment) = (code.code_buffer(), u64::from(code.buffer.alignment));
        let relocs = code.buffer.relocs().iter();
        let relocs: Vec<_> =
            relocs.map(|reloc| ModuleReloc::from_mach_reloc(reloc, &context.func, function)).collect();
        let defined = self.module.define_function_bytes(function, alignment, bytes, &relocs);
        defined.map_err(|problem| module_error(name, &problem))
    }
}
