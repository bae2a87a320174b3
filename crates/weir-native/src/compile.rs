//! From a program to machine code.

use cranelift_codegen::Context;
use cranelift_codegen::control::ControlPlane;
use cranelift_codegen::ir::Function;
use cranelift_codegen::isa::OwnedTargetIsa;
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{FuncId, Module, ModuleError, ModuleReloc};
use rustc_hash::FxHashMap;
use weir_exec::Pipeline;
use weir_ir::CoreErrors;
use weir_ir::{ControlId, Layout, ParserId, Program};

use crate::analysis::{Analysis, Body, Facts, Limits};
use crate::emit::{Emit, Parts, Role, Unit, entry_signature};
use crate::recall::{self, Part, TRUST};
use crate::runtime::{ExternSite, SetSite, TableSite};

/// Why a program cannot become machine code.
#[derive(Clone, Debug, thiserror::Error)]
pub enum NativeError {
    /// There is no machine code for this processor.
    #[error("there is no native code for this processor ({0}): run with the executor `interp`")]
    Host(&'static str),
    /// Cranelift refused the code.
    #[error("no machine code could be made of {what}: {problem}")]
    Code {
        /// Of what: a parser, a control, an action.
        what: String,
        /// What Cranelift says.
        problem: String,
    },
}

/// Ways in which tests break the executor on purpose, to see that the comparison with the interpreter finds them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Broken {
    /// Fields of several bytes are read in the processor's order.
    WrongEndianness,
    /// Results keep one bit too many.
    OffByOneWidth,
    /// Fields of invalid headers take writes.
    SkippedValidity,
    /// Loops turn once more than they may.
    OneTurnMore,
    /// Signed numbers are compared as if they were unsigned.
    UnsignedComparison,
    /// A header's last changed field is not written back in place.
    ForgottenField,
    /// No block becomes code: nothing that the comparison could find.
    NoCode,
    /// What tables answered is kept when they have changed.
    StaleAnswers,
    /// Checksums take bits of the packet for fields that were written since.
    StaleSum,
    /// The first key that is looked up ahead gets the second one's answer.
    ForeignAnswers,
    /// Elements of stacks that move are read from the packet although they were written.
    StaleElement,
}

/// Choices that do not change what code means.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Policy {
    /// How many variables times fillings one function may keep in registers.
    pub most_registers: usize,
    pub limits: Limits,
    /// In the function of a pipeline.
    pub fused_limits: Limits,
    pub optimise: bool,
    /// How many values a function's blocks may hand to each other ([`handed_on`]) before variables stay in memory. If they still hand on
    /// more than that, Cranelift gives out registers in a hurry.
    pub most_handed_on: usize,
    /// How far trust goes that a table's keys come again.
    pub trust: u64,
    #[cfg(test)]
    pub broken: Option<Broken>,
}

impl Policy {
    /// Whether the executor is broken on purpose in this way; never outside of tests.
    pub(crate) fn broken(self, how: Broken) -> bool {
        #[cfg(test)]
        return self.broken == Some(how);
        #[cfg(not(test))]
        {
            let _ = how;
            false
        }
    }
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            most_registers: 4_000,
            limits: Limits { shared: 40, single: 400 },
            fused_limits: Limits { shared: 60, single: 2_000 },
            optimise: true,
            most_handed_on: 8_000,
            trust: TRUST,
            #[cfg(test)]
            broken: None,
        }
    }
}

/// The places where machine code asks the environment.
#[derive(Debug, Default)]
pub(crate) struct Sites {
    pub tables: Vec<TableSite>,
    pub sets: Vec<SetSite>,
    pub externs: Vec<ExternSite>,
}

/// What grows while functions are made.
#[derive(Default)]
pub(crate) struct Shared {
    pub sites: Sites,
    /// Words whose addresses stand in the code.
    pub constants: Vec<Box<[u64]>>,
    /// Where what tables answered is kept.
    pub recall: Vec<Part>,
    functions: FxHashMap<Body, FuncId>,
    pending: Vec<(Body, FuncId)>,
}

impl Shared {
    /// The function of a body, which will be made.
    pub(crate) fn function(&mut self, module: &mut JITModule, body: Body) -> FuncId {
        *self.functions.entry(body).or_insert_with(|| {
            let signature = entry_signature(module.isa().default_call_conv());
            let id = module.declare_anonymous_function(&signature);
            let id = id.expect("an anonymous function has no name to clash");
            self.pending.push((body, id));
            id
        })
    }
}

/// Machine code with what belongs to it.
pub(crate) struct Code<F> {
    pub module: JITModule,
    pub functions: F,
    pub sites: Sites,
    pub constants: Vec<Box<[u64]>>,
    pub recall: Vec<Part>,
}

/// A block that can run by itself.
#[derive(Clone, Copy, Debug)]
pub(crate) enum BlockId {
    Parser(ParserId),
    Control(ControlId),
}

/// The functions of a pipeline.
pub(crate) struct Whole {
    pub run: *const u8,
    pub scout: *const u8,
    /// Whether the state must be clear before a run.
    pub clears: bool,
}

/// The processor that code is made for.
pub(crate) fn processor(policy: Policy) -> Result<OwnedTargetIsa, NativeError> {
    processor_with(policy, "backtracking")
}

fn processor_with(policy: Policy, registers: &str) -> Result<OwnedTargetIsa, NativeError> {
    let mut flags = settings::builder();
    let level = if policy.optimise { "speed" } else { "none" };
    let choices = [
        ("opt_level", level),
        ("regalloc_algorithm", registers),
        ("is_pic", "false"),
        ("use_colocated_libcalls", "false"),
        // Frames may be larger than the page that guards the stack.
        ("enable_probestack", "true"),
        ("probestack_strategy", "inline"),
        ("enable_verifier", if cfg!(debug_assertions) { "true" } else { "false" }),
        ("unwind_info", "false"),
    ];
    for (name, value) in choices {
        flags.set(name, value).expect("Cranelift knows its settings");
    }
    let isa = cranelift_native::builder().map_err(NativeError::Host)?;
    isa.finish(settings::Flags::new(flags))
        .map_err(|problem| NativeError::Code { what: "the settings".into(), problem: problem.to_string() })
}

fn module(policy: Policy) -> Result<JITModule, NativeError> {
    let builder = JITBuilder::with_isa(processor(policy)?, cranelift_module::default_libcall_names());
    Ok(JITModule::new(builder))
}

/// Makes the code of a block and of what it calls.
pub(crate) fn compile_block(
    program: &Program,
    layout: &Layout,
    policy: Policy,
    block: BlockId,
) -> Result<Code<*const u8>, NativeError> {
    let mut maker = Maker::new(program, layout, policy, None)?;
    let function = maker.declare()?;
    match block {
        BlockId::Parser(id) => {
            let facts = maker.analysis.parser(id);
            let name = &program.parsers[id].name;
            maker.define(function, name, &facts, |emit, facts| emit.parser(id, facts))?;
        }
        BlockId::Control(id) => {
            let control = &program.controls[id];
            let facts = maker.analysis.block(&control.body);
            maker
                .define(function, &control.name, &facts, |emit, facts| emit.control(&control.body, facts))?;
        }
    }
    maker.finish(|address| address(function))
}

/// Makes the code of a pipeline, in which headers are deparsed by its last stage if at all.
pub(crate) fn compile_pipeline(
    program: &Program,
    layout: &Layout,
    policy: Policy,
    pipeline: &Pipeline,
) -> Result<Code<Whole>, NativeError> {
    let mut maker = Maker::new(program, layout, policy, Some(pipeline))?;
    let stages: Vec<Facts> = pipeline.stages.iter().map(|stage| maker.analysis.stage(stage)).collect();
    let mut facts = Facts::none();
    stages.iter().for_each(|stage| facts.add(stage));
    facts.add(&maker.analysis.inputs(&pipeline.inputs));
    let mut clears = false;
    let [run, scout] = [maker.declare()?, maker.declare()?];
    for (function, role) in [(run, Role::Run), (scout, Role::Scout)] {
        maker.define(function, "the pipeline", &facts, |emit, facts| {
            clears |= emit.pipeline(pipeline, facts, &stages, role);
        })?;
    }
    maker.finish(|address| Whole { run: address(run), scout: address(scout), clears })
}

fn refused(what: &str, problem: &ModuleError) -> NativeError {
    NativeError::Code { what: what.to_owned(), problem: format!("{problem:?}") }
}

struct Maker<'p> {
    module: JITModule,
    analysis: Analysis<'p>,
    shared: Shared,
    context: FunctionBuilderContext,
    /// Kept between functions for its memory.
    codegen: Option<Context>,
    /// The processor, where registers are given out in one pass.
    quick: Option<OwnedTargetIsa>,
    unit: Unit<'p>,
}

/// Values that a function's branches hand to the blocks they lead to. There are more of them than registers: most are moves from memory to memory, and to
/// give out registers takes the longer the more there are, ten times as long as all else in the largest programs.
fn handed_on(function: &Function) -> usize {
    let dfg = &function.dfg;
    let last = function.layout.blocks().filter_map(|block| function.layout.last_inst(block));
    let ways =
        last.flat_map(|inst| dfg.insts[inst].branch_destination(&dfg.jump_tables, &dfg.exception_tables));
    ways.map(|way| way.len(&dfg.value_lists)).sum()
}

impl<'p> Maker<'p> {
    fn new(
        program: &'p Program,
        layout: &'p Layout,
        policy: Policy,
        pipeline: Option<&'p Pipeline>,
    ) -> Result<Self, NativeError> {
        let recall = pipeline.map_or_else(Vec::new, |pipeline| recall::parts(program, pipeline));
        let limits = if pipeline.is_some() { policy.fused_limits } else { policy.limits };
        Ok(Self {
            module: module(policy)?,
            analysis: Analysis::new(program, pipeline, limits),
            shared: Shared { recall, ..Shared::default() },
            context: FunctionBuilderContext::new(),
            codegen: None,
            quick: None,
            unit: Unit { program, layout, errors: CoreErrors::of(program), policy, pipeline },
        })
    }

    /// Makes what was declared on the way, and the functions' addresses.
    fn finish<F>(
        mut self,
        functions: impl FnOnce(&mut dyn FnMut(FuncId) -> *const u8) -> F,
    ) -> Result<Code<F>, NativeError> {
        let program = self.unit.program;
        while let Some((body, function)) = self.shared.pending.pop() {
            let facts = self.analysis.body(body);
            let name = match body {
                Body::Procedure(id) => &program.procedures[id].name,
                Body::Action(id) => &program.actions[id].name,
            };
            self.define(function, name, &facts, |emit, facts| emit.body(body, facts))?;
        }
        let Self { mut module, shared, .. } = self;
        module.finalize_definitions().map_err(|problem| refused("the program", &problem))?;
        let functions = functions(&mut |id| module.get_finalized_function(id));
        Ok(Code {
            functions,
            sites: shared.sites,
            constants: shared.constants,
            recall: shared.recall,
            module,
        })
    }

    fn declare(&mut self) -> Result<FuncId, NativeError> {
        let signature = entry_signature(self.module.isa().default_call_conv());
        self.module.declare_anonymous_function(&signature).map_err(|problem| refused("a function", &problem))
    }

    /// Makes a function. Where too much of it would be to carry variables from one block to the next, they stay in memory instead.
    fn define(
        &mut self,
        function: FuncId,
        name: &str,
        facts: &Facts,
        mut emit: impl FnMut(Emit<'_, 'p, '_>, &Facts),
    ) -> Result<(), NativeError> {
        let mut context = self.codegen.take().unwrap_or_else(Context::new);
        let policy = self.unit.policy;
        let mut many = self.emit(&mut context, facts, &mut emit);
        if many > policy.most_handed_on {
            self.unit.policy.most_registers = 0;
            many = self.emit(&mut context, facts, &mut emit);
            self.unit.policy = policy;
        }
        let done = if many > policy.most_handed_on {
            self.define_quickly(function, name, &mut context)
        } else {
            self.module.define_function(function, &mut context).map_err(|problem| refused(name, &problem))
        };
        self.codegen = Some(context);
        done
    }

    /// Tells how many values are [handed on](handed_on).
    fn emit(
        &mut self,
        context: &mut Context,
        facts: &Facts,
        emit: &mut impl FnMut(Emit<'_, 'p, '_>, &Facts),
    ) -> usize {
        self.module.clear_context(context);
        context.func.signature = entry_signature(self.module.isa().default_call_conv());
        let builder = FunctionBuilder::new(&mut context.func, &mut self.context);
        let parts = Parts {
            unit: &self.unit,
            analysis: &mut self.analysis,
            shared: &mut self.shared,
            module: &mut self.module,
        };
        emit(Emit::new(parts, builder, facts), facts);
        handed_on(&context.func)
    }

    /// Gives out registers in one pass: worse code, in time that grows with the function and not with the square of it.
    fn define_quickly(
        &mut self,
        function: FuncId,
        name: &str,
        context: &mut Context,
    ) -> Result<(), NativeError> {
        let isa = match &self.quick {
            Some(isa) => isa,
            None => self.quick.insert(processor_with(self.unit.policy, "single_pass")?),
        };
        let made = context.compile(&**isa, &mut ControlPlane::default());
        made.map_err(|problem| refused(name, &problem.inner.into()))?;
        let Some(code) = context.compiled_code() else { return Ok(()) };
        let (bytes, alignment) = (code.code_buffer(), u64::from(code.buffer.alignment));
        let relocs = code.buffer.relocs().iter();
        let relocs: Vec<_> =
            relocs.map(|reloc| ModuleReloc::from_mach_reloc(reloc, &context.func, function)).collect();
        let defined = self.module.define_function_bytes(function, alignment, bytes, &relocs);
        defined.map_err(|problem| refused(name, &problem))
    }
}
