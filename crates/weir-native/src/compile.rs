//! From a program to machine code.

use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{FuncId, Module, ModuleError};
use rustc_hash::FxHashMap;
use weir_ir::exec::CoreErrors;
use weir_ir::{Layout, Program};

use crate::analysis::{Analysis, Body, Facts, Limits};
use crate::emit::{Emit, Parts, Unit, entry_signature};
use crate::runtime::{ExternSite, SetSite, TableSite};

/// Why a program cannot become machine code.
#[derive(Debug, thiserror::Error)]
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
}

/// Choices that do not change what code means.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Policy {
    /// How many variables times fillings one function may keep in registers.
    pub most_registers: usize,
    pub limits: Limits,
    pub optimise: bool,
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
            optimise: true,
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

/// The machine code of a program.
pub(crate) struct Code {
    pub module: JITModule,
    /// By `ParserId` and `ControlId`.
    pub parsers: Vec<*const u8>,
    pub controls: Vec<*const u8>,
    pub sites: Sites,
    pub constants: Vec<Box<[u64]>>,
}

fn module(policy: Policy) -> Result<JITModule, NativeError> {
    let mut flags = settings::builder();
    let level = if policy.optimise { "speed" } else { "none" };
    let choices = [
        ("opt_level", level),
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
    let isa = isa
        .finish(settings::Flags::new(flags))
        .map_err(|problem| NativeError::Code { what: "the settings".into(), problem: problem.to_string() })?;
    Ok(JITModule::new(JITBuilder::with_isa(isa, cranelift_module::default_libcall_names())))
}

/// Makes the code of all parsers and controls and of what they call.
pub(crate) fn compile(program: &Program, layout: &Layout, policy: Policy) -> Result<Code, NativeError> {
    let unit = Unit { program, layout, errors: CoreErrors::of(program), policy };
    let mut maker = Maker {
        module: module(policy)?,
        analysis: Analysis::new(program, policy.limits),
        shared: Shared::default(),
        context: FunctionBuilderContext::new(),
        unit,
    };
    let mut parsers = Vec::new();
    for (id, parser) in program.parsers.iter() {
        let facts = maker.analysis.parser(id);
        let function = maker.declare()?;
        maker.define(function, &parser.name, &facts, |emit, facts| emit.parser(id, facts))?;
        parsers.push(function);
    }
    let mut controls = Vec::new();
    for control in program.controls.values() {
        let facts = maker.analysis.block(&control.body);
        let function = maker.declare()?;
        maker.define(function, &control.name, &facts, |emit, facts| emit.control(&control.body, facts))?;
        controls.push(function);
    }
    while let Some((body, function)) = maker.shared.pending.pop() {
        let facts = maker.analysis.body(body);
        let name = match body {
            Body::Procedure(id) => &program.procedures[id].name,
            Body::Action(id) => &program.actions[id].name,
        };
        maker.define(function, name, &facts, |emit, _| emit.body(body))?;
    }
    let Maker { mut module, shared, .. } = maker;
    module.finalize_definitions().map_err(|problem| refused("the program", &problem))?;
    let addresses = |ids: Vec<FuncId>| ids.into_iter().map(|id| module.get_finalized_function(id)).collect();
    let (parsers, controls) = (addresses(parsers), addresses(controls));
    Ok(Code { parsers, controls, sites: shared.sites, constants: shared.constants, module })
}

fn refused(what: &str, problem: &ModuleError) -> NativeError {
    NativeError::Code { what: what.to_owned(), problem: format!("{problem:?}") }
}

struct Maker<'p> {
    module: JITModule,
    analysis: Analysis<'p>,
    shared: Shared,
    context: FunctionBuilderContext,
    unit: Unit<'p>,
}

impl<'p> Maker<'p> {
    fn declare(&mut self) -> Result<FuncId, NativeError> {
        let signature = entry_signature(self.module.isa().default_call_conv());
        self.module.declare_anonymous_function(&signature).map_err(|problem| refused("a function", &problem))
    }

    fn define(
        &mut self,
        function: FuncId,
        name: &str,
        facts: &Facts,
        emit: impl FnOnce(Emit<'_, 'p, '_>, &Facts),
    ) -> Result<(), NativeError> {
        let mut context = self.module.make_context();
        context.func.signature = entry_signature(self.module.isa().default_call_conv());
        let builder = FunctionBuilder::new(&mut context.func, &mut self.context);
        let parts = Parts {
            unit: &self.unit,
            analysis: &mut self.analysis,
            shared: &mut self.shared,
            module: &mut self.module,
        };
        emit(Emit::new(parts, builder, facts), facts);
        self.module.define_function(function, &mut context).map_err(|problem| refused(name, &problem))
    }
}
