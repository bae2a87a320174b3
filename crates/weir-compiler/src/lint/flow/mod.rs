//! Reads of invalid headers and of variables without a value, found by following all states a packet can be in.
//!
//! The states at a place are a set over facts ([`super::facts`]); statements change it, conditions split it, paths join it.
//! Calls, actions and applied blocks are followed into their bodies (P4 has no recursion), so what is known at the call is
//! known inside. The blocks of a package are taken in the order of its arguments, and parameters of the same record type
//! as the same data, which is how architectures hand packets on; a parser's states are those of its paths to `accept`.
//!
//! Where the code's own doing cannot be told from what it was given (a library's control without a `main`), it is trusted.

mod assign;
mod call;
mod expr;
mod parser;
mod report;
mod stmt;
mod table;

use rustc_hash::{FxHashMap, FxHashSet};
use weir_syntax::{Diagnostic, Diagnostics, Span};

use super::compared_constants::{ComparedConstants, Place};
use super::facts::{Fact, Facts, Kind, LONG, States};
use super::storage::{Origin, Part, PartId, Storage};
use super::walk;
use crate::hir::{
    self, ActionId, ArgValue, Constructor, ControlId, Direction, Expr, ExprKind, FunctionId, ParserId,
    Program, TypeId, Types, VarId,
};

/// Statements, calls and tables that are walked through in any case, and how many more for each statement of the program.
/// Past that, calls lead only into bodies that were not looked at yet: what others do is not known.
const STEPS: usize = 20_000;
const STEPS_A_STATEMENT: usize = 3;

/// Reports what it finds of `program`.
pub(super) fn run(program: &Program, diagnostics: &mut Diagnostics) {
    let mut flow = Flow::new(program);
    if let Some(main) = program.main {
        flow.package(&program.instances[main].construct);
    }
    flow.rest();
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

/// Where the parser accepts a packet, and with which states.
struct Accept {
    span: Span,
    states: States,
}

/// The walk.
struct Flow<'a> {
    program: &'a Program,
    found: Vec<Diagnostic>,
    found_at: FxHashMap<Span, usize>,
    types: Types,
    storage: Storage,
    /// What each variable in scope is, a parameter what it was given.
    bound: FxHashMap<VarId, PartId>,
    /// A variable's own storage.
    own: FxHashMap<VarId, PartId>,
    /// The states at the place where the walk stands.
    now: States,
    returned: States,
    exited: States,
    broken: States,
    continued: States,
    /// False while a loop or a parser is walked through to find its states.
    reporting: bool,
    /// Headers whose validity is part of the key of the table being applied: entries tell.
    trusted: Vec<PartId>,
    /// Whether reads of headers are let pass: entries can leave a ternary key out.
    lenient: bool,
    /// Table applications and calls around the place.
    sites: Vec<(Span, String)>,
    accepts: Vec<Accept>,
    /// Holds after a call that drops the packet (an extern function with `@drops_packet`).
    dropped: Fact,
    visited: FxHashSet<Block>,
    steps: usize,
    /// Steps after which calls are not followed any more.
    allowed: usize,
    // Behind all sets, so that the diagrams are taken down in order.
    facts: Facts,
}

impl<'a> Flow<'a> {
    fn new(program: &'a Program) -> Self {
        let statements = walk::statements(program);
        let long = statements > LONG;
        let mut facts = Facts::new(statements);
        let dropped = facts.fresh(Kind::Mark);
        Flow {
            program,
            found: Vec::new(),
            found_at: FxHashMap::default(),
            types: program.types.clone(),
            storage: Storage::new(ComparedConstants::of(program), long),
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
            visited: FxHashSet::default(),
            steps: 0,
            allowed: STEPS + STEPS_A_STATEMENT * statements,
            facts,
        }
    }

    /// Whether there were more steps than a program of this length should take.
    fn is_late(&self) -> bool {
        self.steps > self.allowed
    }

    /// Stands for a body that is not followed: it may have done anything.
    fn unknown(&mut self) {
        self.now = States::UNKNOWN;
        self.exited = self.exited.widest();
    }

    /// `part` goes out of scope: what is known of it is of no use any more.
    fn leave(&mut self, part: PartId) {
        if !self.now.is_none() {
            let facts = self.storage.facts_of(part);
            self.now = self.facts.forget_all(&self.now, &facts);
        }
    }

    /// Whether a call leads the walk into the body.
    fn follows(&mut self, body: Block) -> bool {
        let first = self.visited.insert(body);
        first || !self.is_late()
    }

    fn build(&mut self, var: VarId, origin: Origin) -> PartId {
        let ty = self.program.vars[var].ty;
        self.storage.build(self.program, &mut self.types, &mut self.facts, Some(Place::Var(var)), ty, origin)
    }

    /// The variable's own storage, made at the first use.
    fn own_part(&mut self, var: VarId, origin: Origin) -> PartId {
        if let Some(&part) = self.own.get(&var) {
            return part;
        }
        let part = self.build(var, origin);
        self.own.insert(var, part);
        part
    }

    /// `part` as nobody gave it anything: headers invalid, scalars without a value.
    fn clear(&mut self, part: PartId) {
        for (_, leaf) in self.storage.leaves(part) {
            match self.storage.part(leaf).clone() {
                Part::Header { valid, .. } => self.now = self.facts.set(&self.now, valid, false),
                Part::Scalar { set, truth } => {
                    if let Some(fact) = set {
                        self.now = self.facts.set(&self.now, fact, false);
                    }
                    if let Some(fact) = truth {
                        self.now = self.facts.forget(&self.now, fact);
                    }
                    self.forget_value(leaf);
                }
                _ => {}
            }
        }
    }

    /// Notes of the headers of `part` that where they are invalid, they were given so.
    fn given(&mut self, part: PartId) {
        for (_, leaf) in self.storage.leaves(part) {
            if let Part::Header { valid, given_invalid: Some(given) } = *self.storage.part(leaf) {
                let is_valid = self.facts.holds(valid);
                let invalid = self.facts.not(&is_valid);
                self.now = self.facts.assign(&self.now, given, &invalid);
            }
        }
    }

    /// Walks through the blocks of a package, in order, and through the packages among them.
    fn package(&mut self, construct: &hir::Construct) {
        let blocks: Vec<hir::Construct> =
            construct.args.iter().filter_map(|arg| self.construct(arg)).collect();
        let mut data: FxHashMap<(TypeId, usize), PartId> = FxHashMap::default();
        self.now = self.facts.set(&States::ALL, self.dropped, false);
        self.accepts.clear();
        for block in &blocks {
            match block.constructor {
                Constructor::Parser(parser) => {
                    self.pipeline_params(&self.program.parsers[parser].params, Some(&mut data));
                    self.parser(parser, true);
                }
                Constructor::Control(control) => {
                    self.pipeline_params(&self.program.controls[control].params, Some(&mut data));
                    self.control(control, true);
                    self.now = self.facts.either(&self.now, &self.exited);
                    self.exited = States::NONE;
                    self.now = self.facts.where_fact(&self.now, self.dropped, false);
                }
                _ => {}
            }
        }
        for block in &blocks {
            if let Constructor::Package(_) = block.constructor {
                self.package(block);
            }
        }
    }

    /// How the block or package that an argument names is made.
    fn construct(&self, arg: &hir::Arg) -> Option<hir::Construct> {
        let ArgValue::Expr(expr) = &arg.value else { return None };
        self.made(expr)
    }

    fn made(&self, expr: &Expr) -> Option<hir::Construct> {
        match &expr.kind {
            ExprKind::Construct(construct) => Some((**construct).clone()),
            ExprKind::Instance(instance) => Some(self.program.instances[*instance].construct.clone()),
            _ => None,
        }
    }

    /// Gives a block's parameters what earlier blocks left in those of the same type, or something unknown.
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
                }
                continue;
            }
            let known = data.as_deref().and_then(|data| data.get(&key).copied());
            let part = known.unwrap_or_else(|| {
                let part = self.build(param.var, Origin::Given);
                self.given(part);
                part
            });
            self.bound.insert(param.var, part);
            if let Some(data) = data.as_deref_mut() {
                data.insert(key, part);
            }
        }
    }

    /// Walks through the blocks and functions that no path from `main` led to, with unknown parameters.
    fn rest(&mut self) {
        let program = self.program;
        for (id, control) in program.controls.iter() {
            if !self.visited.contains(&Block::Control(id)) {
                self.alone(&control.params);
                self.control(id, true);
            }
        }
        for (id, parser) in program.parsers.iter() {
            if !self.visited.contains(&Block::Parser(id)) {
                self.alone(&parser.params);
                self.parser(id, true);
            }
        }
        for (id, function) in program.functions.iter() {
            if !self.visited.contains(&Block::Function(id)) {
                self.alone(&function.params);
                self.function_body(id);
            }
        }
    }

    fn alone(&mut self, params: &[hir::Param]) {
        self.now = States::ALL;
        self.exited = States::NONE;
        self.accepts.clear();
        self.sites.clear();
        self.pipeline_params(params, None);
    }
}
