//! Data-flow analysis that finds reads of invalid headers and of unassigned variables.
//!
//! The possible states at each point are a set over facts ([`super::facts`]). Statements transform
//! the set, conditions split it, and joining paths unite it. The analysis enters the bodies of
//! calls, actions and applied blocks (P4 has no recursion), so it is context-sensitive. The blocks
//! of a package are analysed in the order of its arguments, and parameters of the same record type
//! are treated as the same data, since architectures pass it on. A parser ends with the states of
//! its paths to `accept`. A block whose parameter of the package is annotated `@takes_copies`
//! (v1model's egress) also gets the copies that extern functions with `@copies_packet` make.
//!
//! There are no warnings about headers that may have been invalid on entry (in a library's control
//! without a `main`).

mod assign;
mod call;
mod copies;
mod expr;
mod fate;
mod fields;
mod packets;
mod parser;
mod report;
mod stmt;
mod table;
mod timing;

use rustc_hash::{FxHashMap, FxHashSet};
use weir_syntax::{Diagnostic, Diagnostics, Span};

use self::fate::ForwardingDecisions;
use self::timing::TimingCheck;
use super::compared_constants::{ComparedConstants, Place};
use super::emitted::EmittedHeaders;
use super::facts::{Fact, Facts, Kind, LONG_PROGRAM, States};
use super::header_as_metadata::Headers;
use super::storage::{Origin, Part, PartId, Storage};
use crate::hir::{
    self, ActionId, ArgValue, Constructor, ControlId, Direction, Expr, ExprKind, FunctionId, ParserId,
    Program, TypeId, Types, VarId, walk,
};

/// The constant part of the step limit, to which steps for each statement of the program are added.
/// Statements, calls and tables are steps. After the limit is reached, calls enter only bodies that
/// have not been visited yet; the effect of other calls is treated as unknown.
const BASE_STEPS: usize = 20_000;
const STEPS_PER_STATEMENT: usize = 3;

/// Analyses `program` and reports warnings, except about headers that were already reported.
pub(super) fn run(program: &Program, headers: Headers, diagnostics: &mut Diagnostics) {
    let mut flow = Flow::new(program, headers);
    if let Some(main) = program.main {
        flow.package(&program.instances[main].construct);
    }
    flow.analyse_unreached();
    diagnostics.extend(std::mem::take(&mut flow.found));
}

/// A body of code.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Block {
    Parser(ParserId),
    Control(ControlId),
    Function(FunctionId),
    Action(ActionId),
}

/// A place at which the parser accepts a packet, and the states there.
struct Accept {
    span: Span,
    states: States,
}

/// The state of the flow analysis.
struct Flow<'a> {
    program: &'a Program,
    headers: Headers,
    found: Vec<Diagnostic>,
    found_at: FxHashMap<Span, usize>,
    types: Types,
    storage: Storage,
    /// The part of each variable in scope; for a parameter, that of its argument.
    bound: FxHashMap<VarId, PartId>,
    /// A variable's own storage.
    own: FxHashMap<VarId, PartId>,
    /// The states at the current point.
    now: States,
    returned: States,
    exited: States,
    broken: States,
    continued: States,
    /// Whether warnings are reported; false while the fixed point of a loop or parser is computed.
    reporting: bool,
    /// The headers whose validity is part of the key of the table being applied, so that entries
    /// can check it.
    trusted: Vec<PartId>,
    /// Whether reads of headers cause no warning, because entries can omit the key (ternary).
    lenient: bool,
    /// The enclosing table applications and calls.
    sites: Vec<(Span, String)>,
    accepts: Vec<Accept>,
    /// True after a call that drops the packet (an extern function with `@drops_packet`).
    dropped: Fact,
    /// True after a call that copies the packet (an extern function with `@copies_packet`).
    copied: Fact,
    /// Whether any block of the package so far contains a call that copies the packet.
    makes_copies: bool,
    fate: ForwardingDecisions,
    timing: TimingCheck,
    emitted: EmittedHeaders,
    /// The headers in `out` parameters of the package's parsers, which the parsers fill.
    parsed: Vec<PartId>,
    /// The headers that are assumed to be valid after they were reported as never valid.
    assumed: FxHashSet<PartId>,
    /// Whether the analysed parser state can follow itself.
    in_loop: bool,
    visited: FxHashSet<Block>,
    steps: usize,
    /// The number of steps after which the analysis stops.
    allowed: usize,
    // The last field, so that it is dropped after all sets.
    facts: Facts,
}

impl<'a> Flow<'a> {
    fn new(program: &'a Program, headers: Headers) -> Self {
        let statements = walk::statements(program);
        let long = statements > LONG_PROGRAM;
        let mut facts = Facts::new(statements);
        let dropped = facts.new_fact(Kind::Mark);
        let copied = facts.new_fact(Kind::Mark);
        let fate = ForwardingDecisions::new(program, &mut facts);
        Flow {
            program,
            headers,
            found: Vec::new(),
            found_at: FxHashMap::default(),
            types: program.types.clone(),
            storage: Storage::new(ComparedConstants::collect(program), long),
            bound: FxHashMap::default(),
            own: FxHashMap::default(),
            now: States::ALL,
            returned: States::NONE,
            exited: States::NONE,
            broken: States::NONE,
            continued: States::NONE,
            reporting: true,
            trusted: Vec::new(),
            lenient: false,
            sites: Vec::new(),
            accepts: Vec::new(),
            dropped,
            copied,
            makes_copies: false,
            fate,
            timing: TimingCheck::default(),
            emitted: EmittedHeaders::collect(program),
            parsed: Vec::new(),
            assumed: FxHashSet::default(),
            in_loop: false,
            visited: FxHashSet::default(),
            steps: 0,
            allowed: BASE_STEPS + STEPS_PER_STATEMENT * statements,
            facts,
        }
    }

    /// Returns whether the step limit is exceeded.
    fn is_over_limit(&self) -> bool {
        self.steps > self.allowed
    }

    /// Models a body that is not analysed: it may have any effect.
    fn unknown(&mut self) {
        self.now = States::UNKNOWN;
        self.exited = self.exited.widest();
    }

    /// Forgets all facts about `part`, which goes out of scope.
    fn leave_scope(&mut self, part: PartId) {
        if !self.now.is_none() {
            let facts = self.storage.facts_of(part);
            self.now = self.facts.forget_all(&self.now, &facts);
        }
    }

    fn enters_body(&mut self, body: Block) -> bool {
        let first = self.visited.insert(body);
        first || !self.is_over_limit()
    }

    /// Makes the storage of a variable.
    fn build(&mut self, var: VarId, origin: Origin) -> PartId {
        let ty = self.program.vars[var].ty;
        self.storage.build(self.program, &mut self.types, &mut self.facts, Some(Place::Var(var)), ty, origin)
    }

    /// Returns the variable's own storage, created on first use.
    fn var_part(&mut self, var: VarId, origin: Origin) -> PartId {
        if let Some(&part) = self.own.get(&var) {
            return part;
        }
        let part = self.build(var, origin);
        self.own.insert(var, part);
        part
    }

    /// Makes the headers of `part` invalid and its scalars unassigned.
    fn clear(&mut self, part: PartId) {
        for (_, leaf) in self.storage.leaves(part) {
            match self.storage.part(leaf).clone() {
                Part::Header { valid, .. } => self.now = self.facts.set_fact(&self.now, valid, false),
                Part::Scalar { set, truth } => {
                    if let Some(fact) = set {
                        self.now = self.facts.set_fact(&self.now, fact, false);
                    }
                    if let Some(fact) = truth {
                        self.now = self.facts.forget_fact(&self.now, fact);
                    }
                    self.forget_value(leaf);
                }
                _ => {}
            }
        }
    }

    /// Records that invalid headers of `part` were invalid on entry.
    fn record_entry(&mut self, part: PartId) {
        for (_, leaf) in self.storage.leaves(part) {
            if let Part::Header { valid, invalid_on_entry: Some(given) } = *self.storage.part(leaf) {
                let is_valid = self.facts.holds(valid);
                let invalid = self.facts.not(&is_valid);
                self.now = self.facts.assign(&self.now, given, &invalid);
            }
        }
    }

    /// Analyses the blocks of a package in order, then the nested packages.
    fn package(&mut self, construct: &hir::Construct) {
        let Constructor::Package(package) = construct.constructor else { return };
        let program = self.program;
        let params = &program.packages[package].params;
        let blocks: Vec<(hir::Construct, bool, usize)> = construct
            .args
            .iter()
            .zip(params)
            .enumerate()
            .filter_map(|(position, (arg, param))| {
                let takes_copies = program.vars[param.var].annotations.contains("takes_copies");
                Some((self.construct(arg)?, takes_copies, position))
            })
            .collect();
        let mut data: FxHashMap<(TypeId, usize), PartId> = FxHashMap::default();
        self.now = self.facts.set_fact(&States::ALL, self.dropped, false);
        self.accepts.clear();
        self.now = self.facts.set_fact(&self.now, self.copied, false);
        self.makes_copies = false;
        self.states_before_decisions();
        let mut parsed = States::NONE;
        for (block, takes_copies, position) in &blocks {
            self.timing.stage = Some((package, *position));
            match block.constructor {
                Constructor::Parser(parser) => {
                    self.pipeline_params(&program.parsers[parser].params, Some(&mut data));
                    self.parser(parser, true);
                    parsed = self.now.clone();
                }
                Constructor::Control(control) => {
                    self.pipeline_params(&program.controls[control].params, Some(&mut data));
                    if *takes_copies {
                        self.add_states_of_copies(control, &parsed);
                    }
                    self.check_emits(control);
                    self.control(control, true);
                    self.now = self.facts.union(&self.now, &self.exited);
                    self.exited = States::NONE;
                    self.check_decided(&self.now.clone());
                    self.forget_drops();
                    self.now = self.facts.where_fact(&self.now, self.dropped, false);
                    self.now = self.facts.set_fact(&self.now, self.copied, false);
                }
                _ => {}
            }
        }
        self.timing.stage = None;
        for (block, ..) in &blocks {
            if let Constructor::Package(_) = block.constructor {
                self.package(block);
            }
        }
    }

    /// Returns the constructor call of the block or package that an argument names.
    fn construct(&self, arg: &hir::Arg) -> Option<hir::Construct> {
        let ArgValue::Expr(expr) = &arg.value else { return None };
        self.constructor_call(expr)
    }

    fn constructor_call(&self, expr: &Expr) -> Option<hir::Construct> {
        match &expr.kind {
            ExprKind::Construct(construct) => Some((**construct).clone()),
            ExprKind::Instance(instance) => Some(self.program.instances[*instance].construct.clone()),
            _ => None,
        }
    }

    /// Binds a block's parameters to the data that earlier blocks left in parameters of the same
    /// type, or to unknown data.
    fn pipeline_params(
        &mut self,
        params: &[hir::Param],
        mut data: Option<&mut FxHashMap<(TypeId, usize), PartId>>,
    ) {
        let mut seen: FxHashMap<TypeId, usize> = FxHashMap::default();
        for param in params {
            let ty = self.program.vars[param.var].ty;
            let count = seen.entry(ty).or_default();
            let key = (ty, *count);
            *count += 1;
            if param.direction == Direction::Out {
                let part = self.build(param.var, Origin::Unset);
                self.bound.insert(param.var, part);
                self.clear(part);
                if let Some(data) = data.as_deref_mut() {
                    data.entry(key).or_insert(part);
                    self.parsed.push(part);
                }
                continue;
            }
            let bound_part = data.as_deref().and_then(|data| data.get(&key).copied());
            let part = bound_part.unwrap_or_else(|| {
                let part = self.build(param.var, Origin::Given);
                self.record_entry(part);
                part
            });
            self.bound.insert(param.var, part);
            if let Some(data) = data.as_deref_mut() {
                data.insert(key, part);
            }
        }
    }

    /// Analyses the blocks and functions that are not reachable from `main`, with unknown
    /// parameters.
    fn analyse_unreached(&mut self) {
        let program = self.program;
        for (id, control) in program.controls.iter() {
            if !self.visited.contains(&Block::Control(id)) {
                self.enter_standalone(&control.params);
                self.control(id, true);
            }
        }
        for (id, parser) in program.parsers.iter() {
            if !self.visited.contains(&Block::Parser(id)) {
                self.enter_standalone(&parser.params);
                self.parser(id, true);
            }
        }
        for (id, function) in program.functions.iter() {
            if !self.visited.contains(&Block::Function(id)) {
                self.enter_standalone(&function.params);
                self.function_body(id);
            }
        }
    }

    fn enter_standalone(&mut self, params: &[hir::Param]) {
        self.now = States::ALL;
        self.states_before_decisions();
        self.exited = States::NONE;
        self.accepts.clear();
        self.sites.clear();
        self.pipeline_params(params, None);
    }
}
