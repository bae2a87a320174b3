//! Lowers the typed tree to the IR: evaluates the package, creates every instance, instantiates
//! generics, and flattens structs, headers and stacks into variables.
//!
//! The modules, in the order in which they process a program: [`package`] evaluates `main`;
//! [`control`] and [`parser`] turn one instance of a block into IR; [`stmt`] and [`expr`] lower
//! code; [`store`], [`place`] and [`value`] are the three views of data: storage, targets of
//! assignments, and values.
//!
//! Language features that are not implemented yet are reported as `not-supported-yet` at their
//! place in the source.

mod abstract_method;
mod action;
mod args;
mod assign;
mod blocks;
mod bound_action;
mod call;
mod callable;
mod cast;
mod context;
mod control;
mod declared;
mod expr;
mod extern_call;
mod facts;
mod fold;
mod if_chain;
mod int;
mod left_out;
mod load;
mod loops;
mod names;
mod object;
mod operators;
mod package;
mod packet;
mod param_binding;
mod parser;
mod place;
mod routine;
mod scan;
mod select;
mod stack;
mod state_builder;
mod state_flow;
mod stmt;
mod store;
mod sub_parser;
mod switch;
mod table;
mod table_entries;
mod types;
mod value;

use rustc_hash::{FxHashMap, FxHashSet};
use weir_ir as ir;
use weir_syntax::{Diagnostic, Diagnostics, SourceMap, Span};

use crate::hir;
use abstract_method::Implementation;
use blocks::BlockInstance;
use context::{Context, Frame};
use facts::LoweringFacts;
use names::Names;
use routine::{Routine, RoutineKey};

/// The maximum number of attempts at lowering, each with the facts of the previous ones.
const MAX_ATTEMPTS: usize = 256;

/// The maximum number of instances, states and functions of a program.
const MAX_OBJECTS: usize = 1 << 15;

/// The maximum number of parts of the IR: statements, expressions, entries and keysets. Each
/// instance of a block has parts of its own.
const MAX_IR_NODES: usize = 1 << 21;

/// The maximum number of steps ([`Work`](ir::Work)) that a packet can execute on one path through a
/// block.
const MAX_STEPS_PER_PATH: u64 = 1 << 22;

/// The annotation of code that runs atomically with respect to other packets (P4_16, "Concurrency
/// model").
const ATOMIC: &str = "atomic";

/// Lowers a program that `check` accepted. `None` if there are errors, which are added to
/// `diagnostics`.
pub fn lower(
    program: &hir::Program,
    sources: &SourceMap,
    diagnostics: &mut Diagnostics,
) -> Option<ir::ValidProgram> {
    let mut facts = LoweringFacts::default();
    let (mut lowered, mut found) = (None, Diagnostics::new());
    for _ in 0..MAX_ATTEMPTS {
        found = Diagnostics::new();
        lowered = attempt(program, sources, &mut facts, &mut found);
        if !facts.take_new_facts() {
            break;
        }
        lowered = None;
        found.push(Diagnostic::error(
            "not-supported-yet",
            "not supported yet: instances that are applied in too many different ways",
        ));
    }
    for diagnostic in found.iter() {
        diagnostics.push(diagnostic.clone());
    }
    if diagnostics.has_errors() {
        return None;
    }
    let out = lowered?;
    // Executors rely on the IR's rules, so compiler bugs must be detected here.
    match ir::validate(out) {
        Ok(valid) => Some(valid),
        Err(violations) => {
            for violation in violations {
                diagnostics.push(
                    Diagnostic::error(
                        "compiler-bug",
                        format!("the compiler generated invalid IR: {violation}"),
                    )
                    .note("this is a bug in the compiler; please report it with the program"),
                );
            }
            None
        }
    }
}

/// Lowers a program, using the facts that earlier attempts found.
fn attempt(
    program: &hir::Program,
    sources: &SourceMap,
    known: &mut LoweringFacts,
    diagnostics: &mut Diagnostics,
) -> Option<ir::Program> {
    let mut lowerer = Lowerer::new(program, sources, known, diagnostics);
    let lowered = lowerer.program();
    let failed = lowered.is_err() || lowerer.failed;
    let mut out = lowerer.out;
    out.files = lowerer.names.into_files();
    out.atomic |= program.parsers.values().any(|parser| parser.annotations.contains(ATOMIC))
        || program.controls.values().any(|control| control.annotations.contains(ATOMIC))
        || program.actions.values().any(|action| action.annotations.contains(ATOMIC))
        || program.functions.values().any(|function| function.annotations.contains(ATOMIC));
    if failed { None } else { Some(out) }
}

/// The sign that lowering failed; the error has been reported.
#[derive(Clone, Copy, Debug)]
struct Refused;

/// The result of a lowering step.
type Lowered<T> = Result<T, Refused>;

/// The state of one lowering.
struct Lowerer<'a> {
    hir: &'a hir::Program,
    /// The program's types and those that instantiation adds.
    types: hir::Types,
    diagnostics: &'a mut Diagnostics,
    known: &'a mut LoweringFacts,
    names: Names<'a>,
    out: ir::Program,
    /// The position of each declared error in the IR's list.
    errors: Vec<usize>,
    enums: FxHashMap<hir::EnumId, ir::Id<ir::Enumeration>>,
    match_kinds: Option<ir::Id<ir::Enumeration>>,
    header_types: FxHashMap<hir::TypeId, ir::Id<ir::HeaderType>>,
    /// The declared types so far; `None` for those that are not data types.
    declared_types: FxHashMap<hir::TypeId, Option<ir::DeclaredTypeId>>,
    /// The number of parts that a value of each type flattens into.
    parts: FxHashMap<hir::TypeId, u64>,
    /// The number of parts of all variables of routines so far.
    routine_parts: u64,
    frames: Vec<Frame>,
    blocks: Vec<BlockInstance>,
    /// The names of the packages whose arguments are being evaluated, from the outermost one.
    packages: Vec<String>,
    routines: FxHashMap<RoutineKey, std::rc::Rc<Routine>>,
    /// The functions whose bodies are being lowered.
    open_routines: Vec<RoutineKey>,
    /// The functions that implement the abstract methods of extern objects.
    implementations: FxHashMap<(ir::ExternId, usize), Implementation>,
    /// The actions that some body calls directly.
    called_actions: FxHashSet<hir::ActionId>,
    /// The controls that can execute an `exit`.
    exiting_controls: FxHashSet<hir::ControlId>,
    /// The actions of tables by control-plane name, each with the frame of the first table.
    listed_actions: FxHashMap<String, (ir::ActionId, usize)>,
    /// The variable that is set while an `exit` unwinds through callers that copy out.
    exit_flag: Option<ir::VarId>,
    /// The values of constants, by the frame in which they are used.
    consts: FxHashMap<(usize, hir::ConstId), value::Value>,
    cx: Context,
    failed: bool,
    /// The number of instances, states and functions created so far.
    made: usize,
    /// The number of parts of the IR so far.
    code: usize,
}

impl<'a> Lowerer<'a> {
    fn new(
        hir: &'a hir::Program,
        sources: &'a SourceMap,
        known: &'a mut LoweringFacts,
        diagnostics: &'a mut Diagnostics,
    ) -> Self {
        Self {
            hir,
            known,
            types: hir.types.clone(),
            diagnostics,
            names: Names::new(sources),
            out: ir::Program::default(),
            errors: Vec::new(),
            enums: FxHashMap::default(),
            match_kinds: None,
            implementations: FxHashMap::default(),
            open_routines: Vec::new(),
            header_types: FxHashMap::default(),
            declared_types: FxHashMap::default(),
            parts: FxHashMap::default(),
            routine_parts: 0,
            frames: vec![Frame::global()],
            blocks: Vec::new(),
            packages: Vec::new(),
            routines: FxHashMap::default(),
            called_actions: FxHashSet::default(),
            exiting_controls: FxHashSet::default(),
            listed_actions: FxHashMap::default(),
            exit_flag: None,
            consts: FxHashMap::default(),
            cx: Context::default(),
            failed: false,
            made: 0,
            code: 0,
        }
    }

    /// Counts an instance, state or function, and reports an error above the limit, because a short
    /// program can create an exponential number of them.
    fn count_item(&mut self, span: Span) -> Lowered<()> {
        self.made += 1;
        if self.made != MAX_OBJECTS {
            return if self.is_too_large() { Err(Refused) } else { Ok(()) };
        }
        let message =
            format!("the program has more than {MAX_OBJECTS} instances, states and functions in all");
        self.refuse(
            Diagnostic::error("program-too-large", message)
                .primary(span, "this exceeds the limit")
                .note("each application of a parser and each instantiation of a generic function counts"),
        )
    }

    /// Counts parts of the IR. A short program can create many of them with its instances.
    fn count_code(&mut self, parts: usize, span: Span) -> Lowered<()> {
        self.code = self.code.saturating_add(parts);
        if self.code <= MAX_IR_NODES {
            return Ok(());
        }
        if self.is_too_large() {
            return Err(Refused);
        }
        self.made = MAX_OBJECTS;
        let message = format!(
            "the program has more than {MAX_IR_NODES} statements, expressions, entries and keysets in all"
        );
        self.refuse(
            Diagnostic::error("program-too-large", message)
                .primary(span, "this exceeds the limit")
                .note("each instance of a control or parser has statements and entries of its own"),
        )
    }

    /// Returns whether the program has reached `MAX_OBJECTS`, which ends lowering.
    fn is_too_large(&self) -> bool {
        self.made >= MAX_OBJECTS
    }

    /// Reports an error at `main` if one path through a block is longer than `MAX_STEPS_PER_PATH`.
    fn check_path_length(&mut self, main: Span) -> Lowered<()> {
        let length = ir::Work::new(&self.out).longest_path(&self.out);
        if length <= MAX_STEPS_PER_PATH {
            return Ok(());
        }
        let message = match length {
            u64::MAX => "a packet can execute more than 2^64 steps".to_owned(),
            _ => format!("a packet can execute {length} steps"),
        };
        self.refuse(
            Diagnostic::error("program-too-large", message)
                .primary(main, format!("a block may execute at most {MAX_STEPS_PER_PATH}, loops counted once"))
                .note("a step is a statement or an operator; each call of a function or action counts with its body"),
        )
    }

    /// Reports a valid construct that this compiler does not support yet.
    fn unsupported<T>(&mut self, span: Span, what: &str) -> Lowered<T> {
        self.refuse(
            Diagnostic::error("not-supported-yet", format!("not supported yet: {what}")).primary(span, ""),
        )
    }

    /// Reports a name that is not bound here, unless this is the consequence of an earlier error.
    fn unknown<T>(&mut self, span: Span, what: &str) -> Lowered<T> {
        if self.failed { Err(Refused) } else { self.unsupported(span, what) }
    }

    /// Reports `diagnostic` and fails the current step of lowering.
    fn refuse<T>(&mut self, diagnostic: Diagnostic) -> Lowered<T> {
        self.diagnostics.push(diagnostic);
        self.failed = true;
        Err(Refused)
    }
}
