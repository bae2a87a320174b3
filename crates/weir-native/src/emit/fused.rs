//! The function of a pipeline: its stages one behind the other, over a packet where it lies.
//!
//! Variables are in registers from the first stage to the last, and in the state only where somebody outside needs them: before an
//! extern that may touch anything, and where the pipeline is left for the long way. A header stays where it was parsed: its *place* says where;
//! see `in_place` for how it is written back.
//!
//! The *scout* is the same up to the first look-up, without whatever has effects.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{Block as Label, InstBuilder, MemFlagsData, Value};
use cranelift_frontend::Variable;
use cranelift_module::Module;
use rustc_hash::FxHashMap;
use weir_exec::{Condition, Pipeline, Source, Stage};
use weir_ir::{HeaderId, Parser, ParserState, Target, Transition, VarId, VarRole};

use super::batch::Batch;
use super::places::NOWHERE;
use super::{Emit, word_offset};
use crate::analysis::Facts;
use crate::runtime::{self, Registers, status};

/// What the function of a pipeline returns: a kind in the low bits, what belongs to it above them.
pub(crate) mod end {
    /// All stages ran.
    pub const DONE: u64 = 0;
    /// With the stage's code.
    pub const LEFT: u64 = 1;
    pub const NO_ROOM: u64 = 2;
    /// With the stage's position.
    pub const LOOP_LIMIT: u64 = 3;
    /// With the stage's position.
    pub const ASSERTION_FAILED: u64 = 4;
    pub const PANIC: u64 = 5;
    /// The stages from this position on are to be run one by one; the state is kept.
    pub const RESUME: u64 = 6;
    /// Bits of the kind.
    pub const SHIFT: u32 = 8;
}

/// Which function of a pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Does everything.
    Run,
    /// Guesses the position of the first table plus 1, or 0 if it does not know, and leaves its key in the outputs; returns the last packet's guess.
    Scout,
}

/// What the function of a pipeline needs beside.
pub(super) struct Fusion {
    role: Role,
    /// Where each header lies in the packet as it was parsed, but for fields in `facts.written`: its first byte, or [`NOWHERE`].
    pub(super) places: FxHashMap<HeaderId, Variable>,
    /// Where the fields of headers that move lie (see `lazy`).
    pub(super) sources: FxHashMap<HeaderId, Variable>,
    /// Of all stages.
    pub(super) facts: Facts,
    /// Where packets begin and end.
    pub(super) batch: Batch,
    /// The conditions behind the stage at hand on which the pipeline is left, with what is returned and whether the state is kept.
    leaves: Vec<(Condition, u64, bool)>,
    /// Bytes that the parser took.
    consumed: Variable,
    /// Whether the state was cleared before, since code uses it on the way.
    pub(super) clears: bool,
    /// Whether each way to accept gets code of its own for what comes after the parser.
    splits: bool,
    /// The ways to accept, and that of the state at hand if it has one.
    accepts: Vec<Label>,
    accept: Option<Label>,
}

/// Ways to accept that may have code of their own, and how much code that may be in all (see [`Facts::size`]).
const MOST_WAYS: usize = 8;
const MOST_SPLIT: usize = 600;

/// How many states of a parser may accept.
fn ways_to_accept(parser: &Parser) -> usize {
    let accepts = |state: &ParserState| match &state.transition {
        Transition::Goto(target) => *target == Target::Accept,
        Transition::Select { cases, .. } => cases.iter().any(|case| case.target == Target::Accept),
    };
    parser.states.values().filter(|state| accepts(state)).count()
}

/// Whether a pipeline with these facts uses the state on its way, which then must be clear when it begins.
fn uses_state(emit: &Emit<'_, '_, '_>, facts: &Facts) -> bool {
    facts.externs > 0 || facts.vars.iter().any(|var| !emit.homes.contains_key(var))
}

impl<'p> Emit<'_, 'p, '_> {
    /// A pipeline; `stages` are the facts of its blocks. Whether the state must be clear before it runs.
    pub(crate) fn pipeline(
        mut self,
        pipeline: &'p Pipeline,
        facts: &Facts,
        stages: &[Facts],
        role: Role,
    ) -> bool {
        let zero = self.k(0);
        let batch = self.begin_packet(pipeline, role);
        let consumed = self.b.declare_var(I64);
        self.b.def_var(consumed, zero);
        let mut places = FxHashMap::default();
        let nowhere = self.k(NOWHERE);
        for var in &facts.vars {
            if let VarRole::Field(header) | VarRole::Validity(header) = self.unit.program.vars[*var].role {
                places.entry(header).or_insert_with(|| {
                    let place = self.b.declare_var(I64);
                    self.b.def_var(place, nowhere);
                    place
                });
            }
        }
        self.fusion = Some(Fusion {
            role,
            places,
            sources: FxHashMap::default(),
            facts: facts.clone(),
            batch,
            leaves: Vec::new(),
            consumed,
            clears: false,
            splits: false,
            accepts: Vec::new(),
            accept: None,
        });
        self.settle(facts);
        let clears = uses_state(&self, facts);
        if let Some(fusion) = &mut self.fusion {
            fusion.clears = clears;
        }
        self.whole_extracts = facts.whole_extracts;
        self.find_lazy();
        for (position, var) in pipeline.inputs.iter().enumerate() {
            self.set_to_input(*var, position);
        }
        self.stages_from(0, pipeline, stages);
        self.end_packets(role, clears);
        // No stage is open, and nothing leads there.
        self.b.switch_to_block(self.epilogue);
        self.b.ins().return_(&[zero]);
        self.b.seal_all_blocks();
        super::dead::remove(self.b.func);
        let target = self.module.isa().frontend_config();
        self.b.finalize(target);
        clears
    }

    /// The stages from one on, to the pipeline's end.
    fn stages_from(&mut self, first: usize, pipeline: &Pipeline, facts: &[Facts]) {
        for (position, stage) in pipeline.stages.iter().enumerate().skip(first) {
            if let Stage::Parse { parser, .. } = stage {
                let ways = ways_to_accept(&self.unit.program.parsers[*parser]);
                let rest: usize = facts[position + 1..].iter().map(|facts| 1 + facts.size).sum();
                let fusion = self.fusion.as_mut();
                fusion.into_iter().for_each(|f| f.splits = ways <= MOST_WAYS && ways * rest <= MOST_SPLIT);
            }
            if let Some(fusion) = &mut self.fusion {
                fusion.leaves = leaves(&pipeline.stages[position + 1..]);
            }
            self.pipeline_stage(position, stage, &facts[position]);
            if let Stage::Parse { error, .. } = stage {
                let others = self.b.create_block();
                self.b.ins().jump(others, &[]);
                let ways = self.fusion.as_mut().map(|fusion| std::mem::take(&mut fusion.accepts));
                for way in ways.unwrap_or_default() {
                    self.b.switch_to_block(way);
                    self.b.seal_block(way);
                    if let Some(error) = error {
                        self.set_k(*error, 0);
                    }
                    self.note_consumed();
                    self.stages_from(position + 1, pipeline, facts);
                }
                self.b.switch_to_block(others);
                self.b.seal_block(others);
            }
        }
        match self.fusion.as_ref().filter(|fusion| fusion.role == Role::Run).map(|fusion| fusion.batch.done) {
            Some(done) => {
                self.b.ins().jump(done, &[]);
                let nowhere = self.b.create_block();
                self.b.switch_to_block(nowhere);
                self.b.seal_block(nowhere);
            }
            None => self.give_up(),
        }
    }

    /// A parser's state begins.
    pub(super) fn new_state(&mut self) {
        self.extracted = None;
        if let Some(fusion) = &mut self.fusion {
            fusion.accept = None;
        }
    }

    /// Where the state at hand leads if it accepts.
    pub(super) fn accepts(&mut self) -> Label {
        if !self.fusion.as_ref().is_some_and(|fusion| fusion.splits) {
            return self.end(status::DONE);
        }
        if let Some(label) = self.fusion.as_ref().and_then(|fusion| fusion.accept) {
            return label;
        }
        let label = self.b.create_block();
        if let Some(fusion) = &mut self.fusion {
            fusion.accept = Some(label);
            fusion.accepts.push(label);
        }
        label
    }

    fn pipeline_stage(&mut self, position: usize, stage: &Stage, facts: &Facts) {
        let program = self.unit.program;
        if facts.loops && !self.scouting() {
            let zero = self.k(0);
            self.store_context(Registers::TURNS, zero);
        }
        match *stage {
            Stage::Parse { parser, error } => {
                if let Some(at) = self.position {
                    let zero = self.k(0);
                    self.b.def_var(at, zero);
                }
                self.between_stages(position, error, |emit| {
                    emit.parser_states(parser);
                    false
                });
                self.note_consumed();
            }
            Stage::Control(control) => {
                self.between_stages(position, None, |emit| {
                    emit.last = true;
                    emit.block(&program.controls[control].body)
                });
                self.last = false;
            }
            Stage::Set(var, source) => {
                let value = match source {
                    Source::Const(value) => self.k(value),
                    Source::Var(from) => self.read_word(from),
                    Source::Input(position) => return self.set_to_input(var, position),
                };
                self.set_cut(var, value);
            }
            Stage::Output(var, output) => {
                if !self.scouting() {
                    let outputs = self.load_context(Registers::OUTPUTS);
                    let value = self.read_word(var);
                    self.b.ins().store(MemFlagsData::trusted(), value, outputs, word_offset(output));
                }
            }
            Stage::LeaveIf { condition, code, keep } => {
                let condition = self.test(condition);
                self.leave_pipeline_if(condition, left(code), keep);
            }
            Stage::LeaveIfDeferred { code } => {
                if !self.scouting() {
                    let asked = self.ask_host(runtime::asked as *const u8, &[self.context]);
                    let panicked = self.compare_k(IntCC::Equal, asked, runtime::FAILED);
                    self.leave_pipeline_if(panicked, end::PANIC, false);
                    self.leave_pipeline_if(asked, left(code), true);
                }
            }
            Stage::Deparse(control) => {
                if self.scouting() {
                    return self.give_up();
                }
                match self.headers_emitted(&program.controls[control].body) {
                    Some((before, headers)) => {
                        self.between_stages(position, None, |emit| before.iter().all(|stmt| emit.stmt(stmt)));
                        self.write_back(&headers);
                    }
                    None => {
                        self.keep_state();
                        let what = self.k(end::RESUME | (position as u64) << end::SHIFT);
                        self.end_pipeline(what);
                    }
                }
            }
        }
    }

    /// Runs a block as one of several stages: however it ends, what follows comes next, but for faults.
    fn between_stages(
        &mut self,
        position: usize,
        error: Option<VarId>,
        block: impl FnOnce(&mut Self) -> bool,
    ) {
        let Some(last) = self.fusion.as_ref().map(|fusion| fusion.batch.last) else { return };
        let next = self.b.create_block();
        let dynamic = self.b.create_block();
        self.b.append_block_param(dynamic, I64);
        let outer = std::mem::replace(&mut self.epilogue, dynamic);
        if block(self) {
            self.leave(status::DONE);
        }
        let mut ends: Vec<(u64, Label)> = self.ends.drain().collect();
        ends.sort_unstable();
        for (how, label) in ends {
            self.b.switch_to_block(label);
            self.b.seal_block(label);
            if let Some(what) = fault(how, position) {
                let what = self.k(if self.scouting() { 0 } else { what });
                self.b.ins().jump(last, &[what.into()]);
                continue;
            }
            if let Some(error) = error {
                let number = self.k(how.saturating_sub(status::PARSER_ERROR));
                self.set_cut(error, number);
            }
            self.b.ins().jump(next, &[]);
        }
        // What is known at run time only. A way that nothing takes would make all that is known uncertain where it joins the others.
        self.b.switch_to_block(dynamic);
        self.b.seal_block(dynamic);
        if !self.b.is_unreachable() {
            self.end_of_stage(dynamic, (next, last), position, error);
        }
        self.epilogue = outer;
        self.b.switch_to_block(next);
        self.b.seal_block(next);
    }

    /// A stage has ended with a status that is this block's parameter: leads on to the next stage, or to the end.
    fn end_of_stage(
        &mut self,
        dynamic: Label,
        (next, last): (Label, Label),
        position: usize,
        error: Option<VarId>,
    ) {
        let how = self.b.block_params(dynamic)[0];
        for known in [status::LOOP_LIMIT, status::ASSERTION_FAILED, status::PANIC] {
            let same = self.compare_k(IntCC::Equal, how, known);
            let what = self.k(fault(known, position).unwrap_or(0));
            let on = self.b.create_block();
            self.b.ins().brif(same, last, &[what.into()], on, &[]);
            self.b.switch_to_block(on);
            self.b.seal_block(on);
        }
        if let Some(error) = error {
            let base = self.k(status::PARSER_ERROR);
            let (zero, number) = (self.k(0), self.b.ins().isub(how, base));
            let is_error = self.compare(IntCC::UnsignedGreaterThanOrEqual, how, base);
            let number = self.b.ins().select(is_error, number, zero);
            self.set_cut(error, number);
        }
        self.b.ins().jump(next, &[]);
    }

    fn note_consumed(&mut self) {
        let (Some(at), Some(fusion)) = (self.position, &self.fusion) else { return };
        let (consumed, asked) = (fusion.consumed, fusion.facts.asked);
        let at = self.b.use_var(at);
        let seven = self.k(7);
        let up = self.plus(at, seven);
        let bytes = self.down(up, 3);
        self.b.def_var(consumed, bytes);
        if self.scouting() {
            return;
        }
        self.store_context(Registers::CONSUMED, bytes);
        if asked > 0 {
            let failed = self.ask_host(runtime::parsed as *const u8, &[self.context]);
            self.leave_pipeline_if(failed, end::PANIC, false);
        }
    }

    /// Sets a variable to as many low bits as it has.
    pub(super) fn set_cut(&mut self, var: VarId, value: Value) {
        let width = self.unit.layout.slot(var).width;
        let mut words = vec![value; usize::from(width > 0)];
        self.mask(&mut words, width);
        self.set(var, &words);
    }

    /// An input is loaded anew wherever it is asked for.
    fn set_to_input(&mut self, var: VarId, position: usize) {
        let width = self.unit.layout.slot(var).width;
        let value = self.input(position, width);
        let words = vec![value; usize::from(width > 0)];
        self.set(var, &words);
    }

    /// Leaves the pipeline if a condition behind this stage is known to hold and nothing comes before that is not known.
    pub(super) fn leaves_anyway(&mut self) -> bool {
        let leaves = self.fusion.as_ref().map(|fusion| fusion.leaves.clone()).unwrap_or_default();
        for (condition, what, keep) in leaves {
            let condition = self.test(condition);
            match self.known(condition) {
                Some(0) => {}
                Some(_) if !keep => {
                    let what = self.k(if self.scouting() { 0 } else { what });
                    self.end_pipeline(what);
                    return true;
                }
                _ => return false,
            }
        }
        false
    }

    fn test(&mut self, test: Condition) -> Value {
        let (var, how, value) = match test {
            Condition::Is(var, value) => (var, IntCC::Equal, value),
            Condition::IsNot(var, value) => (var, IntCC::NotEqual, value),
            Condition::AtLeast(var, value) => (var, IntCC::UnsignedGreaterThanOrEqual, value),
        };
        let word = self.read_word(var);
        self.compare_k(how, word, value)
    }

    /// Ends the pipeline here if the condition holds.
    pub(super) fn leave_pipeline_if(&mut self, condition: Value, what: u64, keep: bool) {
        if self.known(condition) == Some(0) {
            return;
        }
        let (leave, on) = (self.b.create_block(), self.b.create_block());
        self.b.set_cold_block(leave);
        self.b.ins().brif(condition, leave, &[], on, &[]);
        self.b.switch_to_block(leave);
        self.b.seal_block(leave);
        if keep {
            self.keep_state();
        }
        if let Some(fusion) = &self.fusion {
            let last = fusion.batch.last;
            let what = self.k(if fusion.role == Role::Scout { 0 } else { what });
            self.b.ins().jump(last, &[what.into()]);
        }
        self.b.switch_to_block(on);
        self.b.seal_block(on);
    }

    /// Ends the pipeline here; what follows cannot be reached.
    pub(super) fn end_pipeline(&mut self, what: Value) {
        if let Some(fusion) = &self.fusion {
            let last = fusion.batch.last;
            self.b.ins().jump(last, &[what.into()]);
            let nowhere = self.b.create_block();
            self.b.switch_to_block(nowhere);
            self.b.seal_block(nowhere);
        }
    }

    /// Whether this only looks for the first key.
    pub(super) fn scouting(&self) -> bool {
        self.fusion.as_ref().is_some_and(|fusion| fusion.role == Role::Scout)
    }

    /// The scout does not know here.
    pub(super) fn give_up(&mut self) {
        let nothing = self.k(0);
        self.end_pipeline(nothing);
    }

    /// The scout has come to a table.
    pub(super) fn report_key(&mut self, table: usize, key: &[Value]) {
        let outputs = self.load_context(Registers::OUTPUTS);
        for (i, word) in key.iter().enumerate() {
            self.b.ins().store(MemFlagsData::trusted(), *word, outputs, word_offset(i));
        }
        let found = self.k(table as u64 + 1);
        if let Some(fusion) = &self.fusion {
            let last = fusion.batch.last;
            self.b.ins().jump(last, &[found.into()]);
        }
    }

    /// The bytes that the parser took.
    pub(super) fn consumed(&mut self) -> Value {
        match &self.fusion {
            Some(fusion) => {
                let consumed = fusion.consumed;
                self.b.use_var(consumed)
            }
            None => self.k(0),
        }
    }
}

/// The conditions on which the pipeline is left before anything else happens.
fn leaves(stages: &[Stage]) -> Vec<(Condition, u64, bool)> {
    let leave = |stage: &Stage| match *stage {
        Stage::LeaveIf { condition, code, keep } => Some((condition, left(code), keep)),
        _ => None,
    };
    stages.iter().map_while(leave).collect()
}

/// What a pipeline returns that a stage left.
fn left(code: u32) -> u64 {
    end::LEFT | u64::from(code) << end::SHIFT
}

/// What a pipeline returns for a status that is a fault.
fn fault(how: u64, stage: usize) -> Option<u64> {
    let stage = (stage as u64) << end::SHIFT;
    match how {
        status::LOOP_LIMIT => Some(end::LOOP_LIMIT | stage),
        status::ASSERTION_FAILED => Some(end::ASSERTION_FAILED | stage),
        status::PANIC => Some(end::PANIC | stage),
        _ => None,
    }
}
