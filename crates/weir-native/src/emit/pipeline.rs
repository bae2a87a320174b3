//! The function of a pipeline: its stages one after the other, over a packet in memory.
//!
//! Variables are in registers from the first stage to the last. The state holds them only where
//! code outside needs them: during calls of externs with unknown semantics, and where the pipeline
//! is left early. A header stays at the place where it was parsed, which its *location* records
//! (`locations`), and `write_headers` writes it back.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{Block as Label, InstBuilder, MemFlagsData, Value};
use cranelift_module::Module;
use rustc_hash::FxHashMap;
use weir_exec::{Pipeline, Source, Stage};
use weir_ir::{Parser, ParserState, Target, Transition, VarId, VarRole};

use super::locations::NO_LOCATION;
use super::scope::{PipelineFunction, PipelineScope};
use super::stage_ends::{early_exits, left_stage};
use super::{Emit, dead, word_offset};
use crate::abi::Registers;
use crate::abi::status::{self, end};
use crate::analysis::Facts;
use crate::runtime;

/// The largest number of accepting states that get their own copy of the code after the parser, and
/// the largest [size](Facts::size) of all copies together.
const MAX_COPIES: usize = 8;
const MAX_COPIED_SIZE: usize = 600;

/// Returns the number of a parser's states that may accept.
fn accepting_states(parser: &Parser) -> usize {
    let accepts = |state: &ParserState| match &state.transition {
        Transition::Goto(target) => *target == Target::Accept,
        Transition::Select { cases, .. } => cases.iter().any(|case| case.target == Target::Accept),
    };
    parser.states.values().filter(|state| accepts(state)).count()
}

impl<'p> Emit<'_, 'p, '_> {
    /// Emits a function of a pipeline. `parts` are its parts up to the end or a restart, each with
    /// its first stage and its facts; `stages` are the facts of all stages. Returns whether the
    /// state must be 0 before a run.
    pub(crate) fn pipeline(
        mut self,
        pipeline: &'p Pipeline,
        (parts, stages): (&[(usize, Facts)], &[Facts]),
        function: PipelineFunction,
    ) -> bool {
        let zero = self.iconst(0);
        let packets = self.begin_packet(pipeline, function);
        let consumed = self.b.declare_var(I64);
        self.b.def_var(consumed, zero);
        let words = pipeline.spec().kept.iter().map(|var| self.unit.layout.slot(*var).width.div_ceil(64));
        let words: Vec<u32> = words.collect();
        let kept = words.into_iter().map(|count| (0..count).map(|_| self.b.declare_var(I64)).collect());
        self.scope = Some(PipelineScope {
            function,
            locations: FxHashMap::default(),
            field_locations: FxHashMap::default(),
            facts: Facts::empty(),
            stage: 0,
            packets,
            early_exits: Vec::new(),
            consumed,
            restart: None,
            kept: kept.collect(),
            needs_clear_state: false,
            copies_rest: false,
            accepts: Vec::new(),
            accept: None,
        });
        let needs_clear_state = parts.iter().any(|(_, facts)| self.uses_state(facts));
        for (number, (first, facts)) in parts.iter().enumerate() {
            if number > 0 {
                if self.predicts_keys() {
                    break;
                }
                self.begin_restart(number);
            }
            self.begin_part(facts, needs_clear_state);
            if number == 0 {
                for (position, var) in pipeline.inputs().iter().enumerate() {
                    var.iter().for_each(|var| self.set_to_input(*var, position));
                }
            } else {
                self.set_kept(pipeline);
            }
            let restart = (number + 1 < parts.len()).then(|| self.b.create_block());
            if let Some(scope) = &mut self.scope {
                scope.restart = restart;
            }
            self.stages_from(*first, pipeline, stages);
        }
        self.end_packets(function, needs_clear_state);
        // No stage is open, so no code branches to the epilogue.
        self.b.switch_to_block(self.epilogue);
        self.b.ins().return_(&[zero]);
        self.b.seal_all_blocks();
        dead::remove(self.b.func);
        let target = self.module.isa().frontend_config();
        self.b.finalize(target);
        needs_clear_state
    }

    /// Returns whether code with these facts uses the state, which must then be 0 when a run
    /// begins.
    fn uses_state(&self, facts: &Facts) -> bool {
        let held = self.vars_for_registers(facts);
        facts.opaque_calls > 0 || facts.vars.iter().any(|var| !held.contains(var))
    }

    /// Begins a part of the pipeline with these facts, in which all variables are initially 0.
    fn begin_part(&mut self, facts: &Facts, needs_clear_state: bool) {
        let mut locations = FxHashMap::default();
        let no_location = self.iconst(NO_LOCATION);
        // Headers that are in the state are written back from the state.
        let held = |var: &&VarId| self.unit.options.max_register_loads > 0 && !facts.indexed.contains(*var);
        for var in facts.vars.iter().filter(held) {
            if let VarRole::Field(header) | VarRole::Validity(header) = self.unit.program.vars[*var].role {
                locations.entry(header).or_insert_with(|| {
                    let location = self.b.declare_var(I64);
                    self.b.def_var(location, no_location);
                    location
                });
            }
        }
        if let Some(scope) = &mut self.scope {
            scope.locations = locations;
            scope.field_locations.clear();
            scope.facts = facts.clone();
            scope.needs_clear_state = needs_clear_state;
        }
        // What is known about the packet before a restart is not true of the packet after it.
        self.origins.clear();
        self.raw_words.clear();
        self.extracted = None;
        self.registers.clear();
        self.assign_registers(facts);
        self.whole_extracts = facts.whole_extracts;
        self.choose_lazy_headers();
    }

    /// Emits code that keeps the values of variables before a restart.
    fn keep_vars(&mut self, pipeline: &Pipeline) {
        let kept_registers = self.scope.as_ref().map(|scope| scope.kept.clone()).unwrap_or_default();
        for (var, registers) in pipeline.spec().kept.iter().zip(kept_registers) {
            let words = self.read(*var);
            registers.into_iter().zip(words).for_each(|(register, word)| self.b.def_var(register, word));
        }
    }

    /// Begins the code after the restart of this number, which all code before it reaches together.
    fn begin_restart(&mut self, number: usize) {
        let Some(restart) = self.scope.as_ref().and_then(|scope| scope.restart) else { return };
        self.b.switch_to_block(restart);
        self.b.seal_block(restart);
        self.restart_packet(number);
    }

    /// Sets the kept variables after a restart, in a state that is 0 otherwise.
    fn set_kept(&mut self, pipeline: &Pipeline) {
        let Some(scope) = &self.scope else { return };
        let (kept, needs_clear_state) = (scope.kept.clone(), scope.needs_clear_state);
        if needs_clear_state {
            self.call_runtime(runtime::clear_state as *const u8, &[self.context]);
            self.load_words();
        }
        for (var, registers) in pipeline.spec().kept.iter().zip(kept) {
            let words: Vec<Value> = registers.into_iter().map(|register| self.b.use_var(register)).collect();
            self.set(*var, &words);
        }
    }

    /// Emits the stages from the stage `first` to the end of the pipeline or a restart.
    fn stages_from(&mut self, first: usize, pipeline: &Pipeline, facts: &[Facts]) {
        let is_restart = |stage: &Stage| *stage == Stage::Restart;
        let end = pipeline.stages()[first..].iter().position(is_restart);
        let end = end.map_or(pipeline.stages().len(), |end| first + end);
        for (position, stage) in pipeline.stages().iter().enumerate().take(end).skip(first) {
            if let Stage::Parse { parser, .. } = stage {
                let copies = accepting_states(&self.unit.program.parsers[*parser]);
                let rest: usize = facts[position + 1..end].iter().map(|facts| 1 + facts.size).sum();
                if let Some(scope) = &mut self.scope {
                    scope.copies_rest = copies <= MAX_COPIES && copies * rest <= MAX_COPIED_SIZE;
                }
            }
            if let Some(scope) = &mut self.scope {
                scope.stage = position;
                scope.early_exits = early_exits(&pipeline.stages()[position + 1..]);
            }
            self.pipeline_stage(position, stage, &facts[position], pipeline);
            if let Stage::Parse { error, .. } = stage {
                let other_stages = self.b.create_block();
                self.b.ins().jump(other_stages, &[]);
                let accepts = self.scope.as_mut().map(|scope| std::mem::take(&mut scope.accepts));
                for accept in accepts.unwrap_or_default() {
                    self.b.switch_to_block(accept);
                    self.b.seal_block(accept);
                    if let Some(error) = error {
                        self.set_const(*error, 0);
                    }
                    self.record_consumed();
                    self.stages_from(position + 1, pipeline, facts);
                }
                self.b.switch_to_block(other_stages);
                self.b.seal_block(other_stages);
            }
        }
        let runs = |scope: &&PipelineScope| scope.function == PipelineFunction::Run;
        match self.scope.as_ref().filter(runs).map(|scope| scope.restart.unwrap_or(scope.packets.done)) {
            Some(done) => {
                self.b.ins().jump(done, &[]);
                self.begin_unreachable();
            }
            None => self.predict_nothing(),
        }
    }

    /// Begins the code of a parser state.
    pub(super) fn new_state(&mut self) {
        self.extracted = None;
        if let Some(scope) = &mut self.scope {
            scope.accept = None;
        }
    }

    /// Returns the label to which the current state goes if it accepts.
    pub(super) fn accepts(&mut self) -> Label {
        if !self.scope.as_ref().is_some_and(|scope| scope.copies_rest) {
            return self.end_label(status::DONE);
        }
        if let Some(label) = self.scope.as_ref().and_then(|scope| scope.accept) {
            return label;
        }
        let label = self.b.create_block();
        if let Some(scope) = &mut self.scope {
            scope.accept = Some(label);
            scope.accepts.push(label);
        }
        label
    }

    fn pipeline_stage(&mut self, position: usize, stage: &Stage, facts: &Facts, pipeline: &Pipeline) {
        let program = self.unit.program;
        if facts.loops && !self.predicts_keys() {
            let zero = self.iconst(0);
            self.store_context(Registers::ITERATIONS, zero);
        }
        match *stage {
            Stage::Parse { parser, error } => {
                if let Some(at) = self.position {
                    let zero = self.iconst(0);
                    self.b.def_var(at, zero);
                }
                self.between_stages(position, error, |emit| {
                    emit.parser_states(parser);
                    false
                });
                self.record_consumed();
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
                    Source::Const(value) => self.iconst(value),
                    Source::Var(from) => self.read_word(from),
                    Source::Input(position) => return self.set_to_input(var, position),
                    Source::Length => self.packet_length(),
                };
                self.set_cut(var, value);
            }
            Stage::Output(var, output) => {
                if !self.predicts_keys() {
                    let outputs = self.load_context(Registers::OUTPUTS);
                    let value = self.read_word(var);
                    self.b.ins().store(MemFlagsData::trusted(), value, outputs, word_offset(output));
                }
            }
            Stage::LeaveIf { condition, code, keep } => {
                let condition = self.condition(condition);
                self.leave_pipeline_if(condition, left_stage(code), keep);
            }
            Stage::LeaveIfDeferred { code } => {
                if !self.predicts_keys() {
                    let has_work = runtime::has_deferred_work as *const u8;
                    let has_work = self.call_runtime_for_word(has_work, &[self.context]);
                    let panicked = self.compare_const(IntCC::Equal, has_work, status::FAILED);
                    self.leave_pipeline_if(panicked, end::PANIC, false);
                    self.leave_pipeline_if(has_work, left_stage(code), true);
                }
            }
            Stage::Deparse(control) => {
                if self.predicts_keys() {
                    return self.predict_nothing();
                }
                let headers = self.emitted_headers(&program.controls[control].body);
                match headers.and_then(|headers| Some((headers, self.held_values(facts)?))) {
                    Some(((before, headers), held)) => {
                        self.between_stages(position, None, |emit| before.iter().all(|stmt| emit.stmt(stmt)));
                        if pipeline.stages().get(position + 1) == Some(&Stage::Restart) {
                            self.keep_vars(pipeline);
                        }
                        self.write_headers(&headers, &held);
                    }
                    None => {
                        self.keep_state();
                        let resume = self.iconst(end::RESUME | (position as u64) << end::SHIFT);
                        self.end_pipeline(resume);
                    }
                }
            }
            // The code after a restart is a part of its own.
            Stage::Restart => {}
        }
    }

    fn record_consumed(&mut self) {
        let (Some(at), Some(scope)) = (self.position, &self.scope) else { return };
        let (consumed, calls) = (scope.consumed, scope.facts.environment_calls);
        let at = self.b.use_var(at);
        let seven = self.iconst(7);
        let up = self.plus(at, seven);
        let bytes = self.shift_right(up, 3);
        self.b.def_var(consumed, bytes);
        if self.predicts_keys() {
            return;
        }
        self.store_context(Registers::CONSUMED, bytes);
        if calls > 0 {
            let failed = self.call_runtime_for_word(runtime::parser_finished as *const u8, &[self.context]);
            self.leave_pipeline_if(failed, end::PANIC, false);
        }
    }

    /// Sets a variable to the low bits of a value, cut to the variable's width.
    pub(super) fn set_cut(&mut self, var: VarId, value: Value) {
        let width = self.unit.layout.slot(var).width;
        let mut words = vec![value; usize::from(width > 0)];
        self.mask(&mut words, width);
        self.set(var, &words);
    }

    /// Sets a variable to an input, which is loaded again wherever the variable is used.
    fn set_to_input(&mut self, var: VarId, position: usize) {
        let width = self.unit.layout.slot(var).width;
        let value = self.input_bits(position, width);
        let words = vec![value; usize::from(width > 0)];
        self.set(var, &words);
    }

    /// Emits code for the number of bytes that the parser consumed.
    pub(super) fn consumed_bytes(&mut self) -> Value {
        match &self.scope {
            Some(scope) => {
                let consumed = scope.consumed;
                self.b.use_var(consumed)
            }
            None => self.iconst(0),
        }
    }
}
