//! Pipelines of the blocks of a program.

use weir_exec::{
    CallFrame, Condition, ExternSemantics, NewValue, NumberSet, Pipeline, PipelineSpec, Source, Stage,
    SumStep, can_be_summed, emits, has_data, has_result,
};
use weir_ir::visit::{Visitor, walk_program, walk_stmt};
use weir_ir::{
    ArgValue, ControlId, Direction, ExternCall, Leaf, ParserId, Program, Stmt, StmtKind, TableId, Type,
    ValidProgram, VarId, VarRole,
};

use crate::maker::Maker;

/// Returns a pipeline of a program's blocks, made from `entropy`: a parser, controls with other
/// stages between them, and a deparser if a control emits. Some pipelines restart after it. Stages
/// that leave use their position as code. Extern calls get only semantics that fit their arguments.
///
/// # Panics
/// If the pipeline breaks a rule, which is a bug in this function.
pub fn pipeline(valid: &ValidProgram, entropy: &[u8]) -> Pipeline {
    let calls = calls(valid);
    let mut maker = Maker { entropy, at: 0, program: Program::clone(valid) };
    let mut written = Vec::new();
    let mut extern_semantics = Vec::new();
    for (number, call) in calls.into_iter().enumerate() {
        let semantics = maker.semantics(&call, number as u32, &mut written);
        extern_semantics.push((call, semantics));
    }
    let mut inputs = Vec::new();
    for _ in 0..maker.number_below(4) {
        let var = maker.settable_var();
        inputs.extend(var.map(Some).filter(|var| !inputs.contains(var)));
    }
    let mut glue = PartialPipeline { written, inputs: inputs.len(), outputs: 0, stages: Vec::new() };
    maker.stages(&mut glue);
    let tables: Vec<TableId> = maker.program.tables.iter().map(|(id, _)| id).collect();
    let cacheable_tables = tables.into_iter().filter(|_| maker.number_below(3) != 1).collect();
    if maker.number_below(3) == 2 {
        maker.sums(&mut extern_semantics);
    }
    let (mut kept, mut sets) = (Vec::new(), Vec::new());
    if maker.number_below(3) == 2 {
        maker.restarts(&mut glue, &mut kept);
        maker.sets(&mut glue, &mut sets);
        inputs.iter_mut().for_each(|input| *input = input.filter(|_| !maker.one_in(4)));
    }
    let ends_batches = maker.one_in(4);
    let read_by_caller = (0..maker.number_below(3)).filter_map(|_| maker.settable_var()).collect();
    let spec = PipelineSpec {
        inputs,
        kept,
        read_by_caller,
        sets,
        stages: glue.stages,
        outputs: glue.outputs,
        extern_semantics,
        cacheable_tables,
        ends_batches,
    };
    Pipeline::new(valid, spec).expect("random pipelines obey the rules")
}

/// Collects all distinct extern calls.
fn calls(program: &Program) -> Vec<ExternCall> {
    /// Collects extern calls.
    #[derive(Default)]
    struct Calls(Vec<ExternCall>);
    impl Visitor for Calls {
        fn stmt(&mut self, stmt: &Stmt) {
            if let StmtKind::Extern(call) = &stmt.kind
                && !self.0.contains(call)
            {
                self.0.push(call.clone());
            }
            walk_stmt(self, stmt);
        }
    }
    let mut calls = Calls::default();
    walk_program(&mut calls, program);
    calls.0
}

/// Returns whether a leaf of an argument is a value of fixed width.
fn is_fixed(leaf: &Leaf) -> bool {
    matches!(leaf, Leaf::Value(value) if !matches!(value.ty, Type::Varbit { .. }))
}

/// The stages of a pipeline that were made so far.
struct PartialPipeline {
    /// The variables that extern semantics write.
    written: Vec<VarId>,
    inputs: usize,
    outputs: usize,
    stages: Vec<Stage>,
}

impl Maker<'_> {
    fn stages(&mut self, glue: &mut PartialPipeline) {
        self.connect_stages(glue, 2);
        if !self.program.parsers.is_empty() && !self.one_in(16) {
            let parser = ParserId::new(self.number_below(self.program.parsers.len()));
            let error = if self.one_in(3) { None } else { self.error() };
            glue.stages.push(Stage::Parse { parser, error });
            self.connect_stages(glue, 3);
        }
        let controls = (0..self.program.controls.len()).map(ControlId::new);
        let (emitting, others): (Vec<_>, Vec<_>) = controls.partition(|id| emits(&self.program, *id));
        for control in others {
            let times = [1, 1, 1, 1, 1, 1, 2, 0][self.number_below(8)];
            for _ in 0..times {
                glue.stages.push(Stage::Control(control));
                self.connect_stages(glue, 4);
            }
        }
        if !emitting.is_empty() && !self.one_in(12) {
            glue.stages.push(Stage::Deparse(self.choose(&emitting)));
        }
    }

    /// Adds a restart or two, if the pipeline ends with a deparser, each with the stages after it.
    fn restarts(&mut self, glue: &mut PartialPipeline, kept: &mut Vec<VarId>) {
        let keepable =
            self.vars_where(|_, role, ty| role == VarRole::Plain && !matches!(ty, Type::Varbit { .. }));
        for _ in 0..1 + self.number_below(2) {
            if !matches!(glue.stages.last(), Some(Stage::Deparse(_))) {
                return;
            }
            glue.stages.push(Stage::Restart);
            for _ in 0..if keepable.is_empty() { 0 } else { self.number_below(4) } {
                let var = self.pick_wide(&keepable);
                kept.extend((!kept.contains(&var)).then_some(var));
            }
            self.stages(glue);
        }
    }

    /// Makes sets of numbers, and replaces some conditions by conditions about them.
    fn sets(&mut self, glue: &mut PartialPipeline, sets: &mut Vec<NumberSet>) {
        for stage in &mut glue.stages {
            let Stage::LeaveIf { condition, .. } = stage else { continue };
            if self.one_in(3) {
                let first = if self.one_in(2) { self.number() } else { 0 };
                let (count, step) = (self.number_below(100) as u64, 1 + self.number_below(3) as u64);
                *condition = Condition::NotIn(condition.var(), sets.len());
                sets.push(NumberSet::new((0..count).map(|number| first.saturating_add(number * step))));
            }
        }
    }

    fn connect_stages(&mut self, glue: &mut PartialPipeline, most: usize) {
        for _ in 0..self.number_below(most) {
            let code = glue.stages.len() as u32;
            let stage = match self.number_below(8) {
                0..=2 => {
                    let Some(var) = self.settable_var() else { continue };
                    Stage::Set(var, self.source(glue.inputs))
                }
                3 | 4 => {
                    let Some(var) = self.readable_var(&glue.written) else { continue };
                    let repeats = glue.outputs > 0 && self.one_in(6);
                    let output = if repeats { self.number_below(glue.outputs) } else { glue.outputs };
                    glue.outputs = glue.outputs.max(output + 1);
                    Stage::Output(var, output)
                }
                5 => Stage::LeaveIfDeferred { code },
                _ => {
                    let Some(var) = self.readable_var(&glue.written) else { continue };
                    let keep = self.one_in(2);
                    Stage::LeaveIf { condition: self.random_condition(var), code, keep }
                }
            };
            glue.stages.push(stage);
        }
    }

    fn source(&mut self, inputs: usize) -> Source {
        match self.number_below(4) {
            1 if inputs > 0 => Source::Input(self.number_below(inputs)),
            3 => Source::Length,
            2 => self.readable_var(&[]).map_or(Source::Const(7), Source::Var),
            _ => Source::Const(self.number()),
        }
    }

    /// Returns a condition on a variable. Most conditions rarely hold, so that most packets run
    /// through all stages.
    fn random_condition(&mut self, var: VarId) -> Condition {
        let number = self.number();
        match self.number_below(8) {
            0..=2 => Condition::Is(var, number.max(1)),
            3 => Condition::Is(var, 0),
            4 | 5 => Condition::IsNot(var, 0),
            6 => Condition::AtLeast(var, number.max(2)),
            _ => Condition::IsNot(var, number),
        }
    }

    /// Draws a number, often a small one.
    fn number(&mut self) -> u64 {
        match self.number_below(4) {
            0 => self.number_below(4) as u64,
            1 => u64::MAX,
            _ => self.bits(64).low_u64(),
        }
    }

    fn vars_where(&self, fits: impl Fn(VarId, VarRole, Type) -> bool) -> Vec<VarId> {
        let vars = self.program.vars.iter().filter(|(id, var)| fits(*id, var.role, var.ty));
        vars.map(|(id, _)| id).collect()
    }

    /// Draws a plain numeric variable of at most 64 bits.
    fn settable_var(&mut self) -> Option<VarId> {
        let vars = self.vars_where(|_, role, ty| {
            role == VarRole::Plain && matches!(ty, Type::Bits { .. } | Type::Bool) && ty.width() <= 64
        });
        (!vars.is_empty()).then(|| self.pick_wide(&vars))
    }

    /// Draws any variable of at most 64 bits, often one of `favoured`.
    fn readable_var(&mut self, favoured: &[VarId]) -> Option<VarId> {
        if !favoured.is_empty() && self.one_in(2) {
            return Some(self.choose(favoured));
        }
        let vars = self.vars_where(|_, _, ty| !matches!(ty, Type::Varbit { .. }) && ty.width() <= 64);
        (!vars.is_empty()).then(|| self.pick_wide(&vars))
    }

    /// Draws a variable for the parser's error.
    fn error(&mut self) -> Option<VarId> {
        let vars = self.vars_where(|_, role, ty| role == VarRole::Plain && ty == Type::Error);
        if vars.is_empty() || self.one_in(8) { self.settable_var() } else { Some(self.pick_wide(&vars)) }
    }

    /// Picks one of the variables, of which there may be more than 256.
    fn pick_wide(&mut self, vars: &[VarId]) -> VarId {
        let high = if vars.len() > 256 { self.number_below(256) } else { 0 };
        vars[(high * 256 + self.number_below(256)) % vars.len()]
    }

    /// Makes some extern calls steps of a sum, if the program has a variable for it that no call
    /// with another meaning writes.
    fn sums(&mut self, meanings: &mut [(ExternCall, ExternSemantics)]) {
        let sixteen = |ty: Type| matches!(ty, Type::Bits { width: 16, .. });
        let vars = self.vars_where(|_, role, ty| role == VarRole::Plain && sixteen(ty));
        if vars.is_empty() {
            return;
        }
        let sum = self.pick_wide(&vars);
        for (call, meaning) in meanings {
            let is_own = call.args.iter().all(|arg| arg.direction == Direction::In);
            if *meaning == ExternSemantics::Call || !is_own || self.one_in(3) {
                continue;
            }
            let data = (0..call.args.len()).find(|arg| has_data(&self.program, call, *arg));
            if let ([_], Some(data)) = (call.result.as_slice(), data)
                && has_result(&self.program, call, 16)
                && self.one_in(2)
            {
                *meaning = ExternSemantics::Checksum { data };
                continue;
            }
            let step = match call.result.as_slice() {
                [] => match call.args.first().map(|arg| &arg.value) {
                    Some(ArgValue::Leaves(leaves)) => match leaves.as_slice() {
                        [Leaf::Value(value)] if sixteen(value.ty) && self.one_in(2) => SumStep::Set(0),
                        leaves if can_be_summed(&self.program, leaves) => SumStep::Add(0),
                        _ => continue,
                    },
                    _ => SumStep::Clear,
                },
                [_] if has_result(&self.program, call, 16) => SumStep::Get { complement: self.one_in(2) },
                [_] if has_result(&self.program, call, 1) => SumStep::IsWrong,
                _ => continue,
            };
            *meaning = ExternSemantics::Sum { sum, step };
        }
    }

    fn semantics(&mut self, call: &ExternCall, number: u32, written: &mut Vec<VarId>) -> ExternSemantics {
        let by_words = |maker: &Self| {
            CallFrame::for_call(&maker.program, call)
                .map_or(ExternSemantics::Call, |_| ExternSemantics::Words(number))
        };
        match self.number_below(4) {
            0 | 1 => {
                if let Some(semantics) = self.checksum(call, written) {
                    return semantics;
                }
                by_words(self)
            }
            2 if call.result.is_empty() => {
                let mut set = Vec::new();
                for _ in 0..self.number_below(3) + 1 {
                    let Some(var) = self.settable_var() else { break };
                    if set.iter().all(|(known, _)| *known != var) {
                        written.push(var);
                        set.push((var, self.new_value(call, var)));
                    }
                }
                ExternSemantics::Set(set)
            }
            2 => by_words(self),
            _ => ExternSemantics::Call,
        }
    }

    /// Makes a value to which a call sets a variable: one of its arguments or a constant.
    fn new_value(&mut self, call: &ExternCall, var: VarId) -> NewValue {
        let is_short =
            |leaf: &Leaf| matches!(leaf, Leaf::Value(value) if is_fixed(leaf) && value.ty.width() <= 64);
        let is_one = |value: &ArgValue| matches!(value, ArgValue::Leaves(leaves) if matches!(leaves.as_slice(), [leaf] if is_short(leaf)));
        let args: Vec<usize> = (0..call.args.len()).filter(|arg| is_one(&call.args[*arg].value)).collect();
        if !args.is_empty() && self.one_in(2) {
            return NewValue::Arg(self.choose(&args));
        }
        let width = self.program.vars[var].ty.width();
        NewValue::Const(weir_ir::Bits::new(width, u128::from(self.number())).low_u64())
    }

    /// Returns the semantics of a checksum, if the call has such arguments: a condition, data, and
    /// 16 bits that are compared or written.
    fn checksum(&mut self, call: &ExternCall, written: &mut Vec<VarId>) -> Option<ExternSemantics> {
        if call.args.len() < 3 || !call.result.is_empty() {
            return None;
        }
        let data_args = &call.args[3..];
        if data_args.iter().any(|arg| arg.direction != Direction::In) {
            return None;
        }
        let (ArgValue::Leaves(condition), ArgValue::Leaves(data)) =
            (&call.args[0].value, &call.args[1].value)
        else {
            return None;
        };
        if !matches!(condition.as_slice(), [Leaf::Value(value)] if value.ty == Type::Bool) {
            return None;
        }
        if !can_be_summed(&self.program, data) {
            return Some(ExternSemantics::Call);
        }
        match &call.args[2].value {
            ArgValue::Vars { vars, .. } => {
                let fits = vars.len() == 1 && self.program.vars[vars[0]].ty == Type::bit(16);
                fits.then_some(ExternSemantics::UpdateChecksum { condition: 0, data: 1, field: 2 })
            }
            ArgValue::Leaves(leaves) => {
                let fits = matches!(leaves.as_slice(), [Leaf::Value(value)] if value.ty == Type::bit(16));
                let error = self.settable_var().filter(|_| fits)?;
                written.push(error);
                Some(ExternSemantics::VerifyChecksum { condition: 0, data: 1, given: 2, error })
            }
            ArgValue::Text(_) | ArgValue::Extern(_) => None,
        }
    }
}
