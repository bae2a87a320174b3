//! Finds the variables that only one block of a pipeline uses, such as its local variables and the
//! parameters of its actions.

use std::collections::{BTreeMap, BTreeSet};

use weir_ir::visit::{Visitor, walk_parser};
use weir_ir::{ActionId, Block, Expr, ExternId, ProcedureId, Program, TableId, VarId, VarRole};

use crate::extern_semantics::ExternSemantics;
use crate::pipeline_spec::{PipelineSpec, Source, Stage};

/// The stages of a pipeline that use a variable.
#[derive(Clone, Copy, PartialEq, Eq)]
enum User {
    Nobody,
    /// The block of the stage at this position.
    Stage(usize),
    Several,
}

/// Finds the plain variables that the parser or control of one stage uses, and neither other code
/// of the program nor the caller, each with the position of the stage. Variables of the deparser
/// are left out.
pub(crate) fn private_vars(program: &Program, spec: &PipelineSpec) -> BTreeMap<VarId, usize> {
    let mut users = vec![User::Nobody; program.vars.len()];
    for (id, parser) in program.parsers.iter() {
        let runs = |stage: &Stage| matches!(stage, Stage::Parse { parser, .. } if *parser == id);
        let vars = Uses::variables_in(program, |uses| walk_parser(uses, parser));
        record_use(&mut users, &vars, only_stage(spec, runs));
    }
    for (id, control) in program.controls.iter() {
        let runs = |stage: &Stage| matches!(stage, Stage::Control(control) if *control == id);
        let deparses = spec.stages.contains(&Stage::Deparse(id));
        let vars = Uses::variables_in(program, |uses| uses.block(&control.body));
        record_use(&mut users, &vars, only_stage(spec, runs).filter(|_| !deparses));
    }
    let parsers = program.parsers.values().map(|parser| &parser.params);
    let params = parsers.chain(program.controls.values().map(|control| &control.params));
    let vars = Uses::variables_in(program, |uses| params.flatten().for_each(|param| uses.param(param)));
    record_use(&mut users, &vars, None);
    record_use(&mut users, &pipeline_vars(spec), None);
    let is_private = |(id, user): (VarId, &User)| match user {
        User::Stage(position) => {
            let var = &program.vars[id];
            (var.role == VarRole::Plain && var.annotations.is_empty()).then_some((id, *position))
        }
        User::Nobody | User::Several => None,
    };
    program.vars.iter().map(|(id, _)| id).zip(&users).filter_map(is_private).collect()
}

/// Returns the position of the only stage for which `does` is true.
fn only_stage(spec: &PipelineSpec, does: impl Fn(&Stage) -> bool) -> Option<usize> {
    let position = spec.stages.iter().position(&does)?;
    (!spec.stages[position + 1..].iter().any(does)).then_some(position)
}

/// Records that a stage uses variables. `stage` is `None` for code that is not the block of one
/// stage.
fn record_use(users: &mut [User], vars: &BTreeSet<VarId>, stage: Option<usize>) {
    for var in vars {
        let user = &mut users[var.index()];
        *user = match stage {
            Some(position) if *user == User::Nobody => User::Stage(position),
            _ => User::Several,
        };
    }
}

/// Returns the variables that a pipeline itself reads and writes, and those that its caller reads.
fn pipeline_vars(spec: &PipelineSpec) -> BTreeSet<VarId> {
    let vars = spec.inputs.iter().flatten().chain(&spec.kept).chain(&spec.read_by_caller);
    let mut vars: BTreeSet<VarId> = vars.copied().collect();
    for stage in &spec.stages {
        match *stage {
            Stage::Parse { error, .. } => vars.extend(error),
            Stage::Set(var, source) => {
                vars.insert(var);
                if let Source::Var(from) = source {
                    vars.insert(from);
                }
            }
            Stage::Output(var, _) => {
                vars.insert(var);
            }
            Stage::LeaveIf { condition, .. } => {
                vars.insert(condition.var());
            }
            Stage::Control(_) | Stage::LeaveIfDeferred { .. } | Stage::Deparse(_) | Stage::Restart => {}
        }
    }
    for (_, semantics) in &spec.extern_semantics {
        match semantics {
            ExternSemantics::Set(values) => vars.extend(values.iter().map(|(var, _)| *var)),
            ExternSemantics::VerifyChecksum { error: var, .. } | ExternSemantics::Sum { sum: var, .. } => {
                vars.insert(*var);
            }
            ExternSemantics::UpdateChecksum { .. }
            | ExternSemantics::Checksum { .. }
            | ExternSemantics::Words(_)
            | ExternSemantics::Call => {}
        }
    }
    vars
}

/// Finds the variables that code uses, including the code that it calls.
struct Uses<'p> {
    program: &'p Program,
    vars: BTreeSet<VarId>,
    procedures: BTreeSet<ProcedureId>,
    actions: BTreeSet<ActionId>,
    tables: BTreeSet<TableId>,
    /// The blocks that the walk still has to visit. The walk is not recursive, because calls may
    /// nest deeper than the stack allows.
    blocks: Vec<&'p Block>,
    exprs: Vec<&'p Expr>,
}

impl<'p> Uses<'p> {
    fn variables_in(program: &'p Program, walk: impl FnOnce(&mut Self)) -> BTreeSet<VarId> {
        let mut uses = Self {
            program,
            vars: BTreeSet::new(),
            procedures: BTreeSet::new(),
            actions: BTreeSet::new(),
            tables: BTreeSet::new(),
            blocks: Vec::new(),
            exprs: Vec::new(),
        };
        walk(&mut uses);
        loop {
            if let Some(block) = uses.blocks.pop() {
                uses.block(block);
            } else if let Some(expr) = uses.exprs.pop() {
                uses.expr(expr);
            } else {
                return uses.vars;
            }
        }
    }
}

impl Visitor for Uses<'_> {
    fn var(&mut self, id: &VarId) {
        self.vars.insert(*id);
    }

    fn procedure(&mut self, id: &ProcedureId) {
        if self.procedures.insert(*id) {
            self.blocks.push(&self.program.procedures[*id].body);
        }
    }

    fn action(&mut self, id: &ActionId) {
        if self.actions.insert(*id) {
            let action = &self.program.actions[*id];
            self.vars.extend(action.params.iter().map(|param| param.var));
            self.blocks.push(&action.body);
        }
    }

    fn table(&mut self, id: &TableId) {
        if self.tables.insert(*id) {
            let table = &self.program.tables[*id];
            self.exprs.extend(table.keys.iter().map(|key| &key.expr));
            table.actions.iter().for_each(|listed| self.action(&listed.action));
            self.action(&table.default_action.action);
        }
    }

    fn extern_instance(&mut self, id: &ExternId) {
        for method in &self.program.externs[*id].methods {
            self.procedure(&method.procedure);
            method.params.iter().for_each(|param| self.param(param));
            self.vars.extend(&method.result);
        }
    }
}
