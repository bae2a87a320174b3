//! Facts about bodies: what they use, and their size. These facts determine where variables are
//! kept and which bodies are inlined.

mod arrays;
mod body;
mod facts;
mod statements;

use std::rc::Rc;

use weir_exec::{Pipeline, Source, Stage};
use weir_ir::{Block, Parser, ParserId, Program, StmtKind, Target, Transition, VarId};

use crate::options::InlineLimits;
pub(crate) use arrays::Arrays;
use body::inner_blocks;
pub(crate) use body::{Body, block_of, type_of};
pub(crate) use facts::Facts;
use facts::{add_expr, add_results};

/// Computes facts, and remembers the facts of bodies that can be called.
pub(crate) struct Analysis<'p> {
    program: &'p Program,
    /// The pipeline, if there is one, which knows the semantics of externs.
    pipeline: Option<&'p Pipeline>,
    procedures: Vec<Option<Rc<Facts>>>,
    actions: Vec<Option<Rc<Facts>>>,
    /// The number of places that call each body.
    procedure_calls: Vec<usize>,
    action_calls: Vec<usize>,
    arrays: Arrays<'p>,
    limits: InlineLimits,
}

/// Returns the number of branches of a parser that lead to the same state as other branches.
fn meeting_branches(parser: &Parser) -> usize {
    let mut states = vec![0_usize; parser.states.len()];
    let mut accept = 0_usize;
    let mut count = |target: Target| match target {
        Target::State(id) => states[id.index()] += 1,
        Target::Accept => accept += 1,
        // After an error, no code reads anything that an earlier header could change.
        Target::Reject => {}
    };
    count(Target::State(parser.start));
    for state in parser.states.values() {
        match &state.transition {
            Transition::Goto(target) => count(*target),
            Transition::Select { cases, .. } => {
                // Cases that lead to the same state pass the same values.
                let mut seen = Vec::new();
                for case in cases {
                    if !seen.contains(&case.target) {
                        seen.push(case.target);
                        count(case.target);
                    }
                }
            }
        }
    }
    states.into_iter().chain([accept]).filter(|branches| *branches > 1).sum()
}

impl<'p> Analysis<'p> {
    pub(crate) fn new(
        program: &'p Program,
        pipeline: Option<&'p Pipeline>,
        arrays: Arrays<'p>,
        limits: InlineLimits,
    ) -> Self {
        let mut analysis = Self {
            program,
            pipeline,
            procedures: vec![None; program.procedures.len()],
            actions: vec![None; program.actions.len()],
            procedure_calls: vec![0; program.procedures.len()],
            action_calls: vec![0; program.actions.len()],
            arrays,
            limits,
        };
        let bodies = program.controls.values().map(|control| &control.body);
        let bodies = bodies.chain(program.procedures.values().map(|procedure| &procedure.body));
        let bodies = bodies.chain(program.actions.values().map(|action| &action.body));
        let parsers = program.parsers.values();
        let states =
            parsers.flat_map(|p| [&p.locals].into_iter().chain(p.states.values().map(|state| &state.body)));
        for body in bodies.chain(states) {
            analysis.count_calls(body);
        }
        analysis
    }

    fn count_calls(&mut self, block: &Block) {
        for stmt in &block.0 {
            match &stmt.kind {
                StmtKind::Call(id) => self.procedure_calls[id.index()] += 1,
                StmtKind::CallAction(id) => self.action_calls[id.index()] += 1,
                StmtKind::Apply { table, .. } => {
                    for action in &self.program.tables[*table].actions {
                        self.action_calls[action.action.index()] += 1;
                    }
                }
                kind => inner_blocks(kind, &mut |block| self.count_calls(block)),
            }
        }
    }

    /// Returns the facts of a body that can be called.
    pub(crate) fn body(&mut self, body: Body) -> Rc<Facts> {
        let earlier = match body {
            Body::Procedure(id) => &self.procedures[id.index()],
            Body::Action(id) => &self.actions[id.index()],
        };
        if let Some(earlier) = earlier {
            return Rc::clone(earlier);
        }
        let mut facts = self.block(block_of(self.program, body));
        if let Body::Action(id) = body {
            let params = self.program.actions[id].params.iter().map(|param| param.var);
            if self.arrays.has_many_params(params.clone()) {
                facts.indexed.extend(params);
            }
        }
        let facts = Rc::new(facts);
        match body {
            Body::Procedure(id) => self.procedures[id.index()] = Some(Rc::clone(&facts)),
            Body::Action(id) => self.actions[id.index()] = Some(Rc::clone(&facts)),
        }
        facts
    }

    /// Returns whether a body is inlined where it is called.
    pub(crate) fn inline(&mut self, body: Body) -> bool {
        let calls = match body {
            Body::Procedure(id) => self.procedure_calls[id.index()],
            Body::Action(id) => self.action_calls[id.index()],
        };
        let limit = if calls <= 1 { self.limits.one_caller } else { self.limits.several_callers };
        let facts = self.body(body);
        // In a pipeline, the locations of headers that a function extracts would be unknown.
        facts.size <= limit || facts.parses && self.pipeline.is_some()
    }

    /// Returns the facts of a parser.
    pub(crate) fn parser(&mut self, id: ParserId) -> Facts {
        let (program, arrays) = (self.program, self.arrays);
        let parser = &program.parsers[id];
        let mut facts = self.block(&parser.locals);
        for state in parser.states.values() {
            self.add_block(&mut facts, &state.body);
            if let Transition::Select { keys, .. } = &state.transition {
                keys.iter().for_each(|key| add_expr(&arrays, &mut facts, key));
            }
        }
        facts.parses = true;
        let held = facts.changed.iter().filter(|var| !facts.indexed.contains(*var)).count();
        facts.crossings = facts.crossings.saturating_add(held.saturating_mul(meeting_branches(parser)));
        facts
    }

    /// Returns the facts of variables that are set before a stage: inputs of a pipeline, and
    /// variables that are kept.
    pub(crate) fn set_before(&self, vars: &[VarId]) -> Facts {
        let mut facts = Facts { vars: vars.iter().copied().collect(), ..Facts::empty() };
        add_results(self.program, &mut facts, vars);
        facts
    }

    /// Returns the facts of each part of a pipeline up to its end or a restart, with the position
    /// of its first stage. `stages` are the facts of all stages.
    pub(crate) fn parts(&self, pipeline: &Pipeline, stages: &[Facts]) -> Vec<(usize, Facts)> {
        let inputs: Vec<VarId> = pipeline.inputs().iter().flatten().copied().collect();
        let mut parts = vec![(0, self.set_before(&inputs))];
        for (position, (stage, facts)) in pipeline.stages().iter().zip(stages).enumerate() {
            if *stage == Stage::Restart {
                let kept_facts = self.set_before(&pipeline.spec().kept);
                // Their values are read before the restart.
                parts.iter_mut().for_each(|(_, facts)| facts.vars.extend(&kept_facts.vars));
                parts.push((position + 1, kept_facts));
            } else if let Some((_, part)) = parts.last_mut() {
                part.add(facts);
            }
        }
        parts
    }

    /// Returns the facts of a pipeline's stage.
    pub(crate) fn stage(&mut self, stage: &Stage) -> Facts {
        let program = self.program;
        let mut facts = match stage {
            Stage::Parse { parser, .. } => self.parser(*parser),
            Stage::Control(control) | Stage::Deparse(control) => self.block(&program.controls[*control].body),
            _ => Facts::empty(),
        };
        match *stage {
            Stage::Parse { error, .. } => {
                facts.vars.extend(error);
                add_results(program, &mut facts, error.as_slice());
            }
            Stage::Set(var, source) => {
                facts.vars.insert(var);
                add_results(program, &mut facts, &[var]);
                if let Source::Var(from) = source {
                    facts.vars.insert(from);
                }
            }
            Stage::Output(var, _) => {
                facts.vars.insert(var);
            }
            Stage::LeaveIf { condition, .. } => {
                facts.vars.insert(condition.var());
            }
            Stage::Control(_) | Stage::Deparse(_) | Stage::LeaveIfDeferred { .. } | Stage::Restart => {}
        }
        facts
    }

    /// Returns the facts of a block.
    pub(crate) fn block(&mut self, block: &Block) -> Facts {
        let mut facts = Facts::empty();
        self.add_block(&mut facts, block);
        facts
    }
}
