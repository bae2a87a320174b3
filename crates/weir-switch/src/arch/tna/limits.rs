//! Warns of programs that the chips cannot run, although Weir does: those in which a packet uses a
//! register several times in ingress or egress, and actions that use several registers.

use std::collections::BTreeMap;

use weir_ir::{
    Action, ActionId, Block, ConstArg, ExprKind, ExternCall, ExternId, Loc, Package, PackageArg, Program,
    Stmt, StmtKind, TableId, UnaryOp, VarId,
};

use super::hidden::is_prepared;
use super::{ARCHITECTURE, EG, GHOST, IG};
use crate::error::LoadWarning;

/// Finds such code in a program that is not prepared yet. In a prepared program, the code on
/// cells is no longer distinct from reads and writes.
pub(super) fn warnings(program: &Program) -> Vec<LoadWarning> {
    let Some(package) = program.main.as_ref().filter(|_| !is_prepared(program)) else { return Vec::new() };
    let in_actions = program.actions.values().filter_map(|action| several_registers(program, action));
    repeated(program, package).into_iter().chain(in_actions).collect()
}

/// Returns the registers that a packet uses several times on its path through a control.
fn repeated(program: &Program, package: &Package) -> Vec<LoadWarning> {
    let mut found: Vec<(ExternId, Loc)> = Vec::new();
    for pipe in ARCHITECTURE.pipes_of(package) {
        for role in [IG, EG, GHOST] {
            let Some((_, PackageArg::Control(control))) = ARCHITECTURE.blocks[role].find_in(package, pipe)
            else {
                continue;
            };
            let uses = block(program, &program.controls[*control].body).all();
            found.extend(
                uses.0.into_iter().filter_map(|(register, places)| Some((register, *places.get(1)?))),
            );
        }
    }
    found.sort_unstable();
    found.dedup();
    let warning = |(register, loc): (ExternId, Loc)| {
        let name = &program.externs[register].name;
        let message = format!("a packet may use the register `{name}` twice; Tofino allows one use");
        let help =
            "put everything that a packet does with a cell into one RegisterAction, or use two registers";
        LoadWarning::new(program, LoadWarning::REPEATED_REGISTER, loc, message, help.to_owned())
    };
    found.into_iter().map(warning).collect()
}

/// Returns the warning for an action that uses several registers.
fn several_registers(program: &Program, action: &Action) -> Option<LoadWarning> {
    let uses = block(program, &action.body).all();
    let mut names = uses.0.keys().map(|register| format!("`{}`", program.externs[*register].name));
    let (first, second) = (names.next()?, names.next()?);
    let loc = uses.0.values().filter_map(|places| places.first()).max().copied().unwrap_or(action.loc);
    let name = action.control_plane_name();
    let message = format!("action `{name}` uses the registers {first} and {second}; Tofino allows one");
    let help = "use the second register in an action of another table, or make one register of pairs";
    Some(LoadWarning::new(program, LoadWarning::SEVERAL_REGISTERS, loc, message, help.to_owned()))
}

/// The places in which a packet uses each register, at most two for each.
#[derive(Clone, Debug, Default)]
struct Uses(BTreeMap<ExternId, Vec<Loc>>);

impl Uses {
    /// Joins these uses and the uses that follow on the same path.
    fn then(mut self, other: &Self) -> Self {
        for (register, places) in &other.0 {
            let known = self.0.entry(*register).or_default();
            known.extend(places);
            known.truncate(2);
        }
        self
    }

    /// Joins the uses of two alternative paths: for each register, the path with more uses counts.
    fn or(mut self, other: Self) -> Self {
        for (register, places) in other.0 {
            let known = self.0.entry(register).or_default();
            if places.len() > known.len() {
                *known = places;
            }
        }
        self
    }
}

/// The uses of packets that run code.
#[derive(Clone, Debug)]
struct Paths {
    /// The uses of packets that reach the end of the code; `None` if no packet does.
    through: Option<Uses>,
    /// The uses of packets that leave the control earlier.
    ended: Uses,
}

impl Paths {
    fn nothing() -> Self {
        Self { through: Some(Uses::default()), ended: Uses::default() }
    }

    fn of(uses: Uses) -> Self {
        Self { through: Some(uses), ..Self::nothing() }
    }

    fn then(self, next: Self) -> Self {
        let Some(through) = self.through else { return self };
        Self {
            ended: self.ended.or(through.clone().then(&next.ended)),
            through: next.through.map(|next| through.then(&next)),
        }
    }

    fn or(self, other: Self) -> Self {
        let through = match (self.through, other.through) {
            (Some(one), Some(other)) => Some(one.or(other)),
            (one, other) => one.or(other),
        };
        Self { through, ended: self.ended.or(other.ended) }
    }

    fn all(self) -> Uses {
        self.through.unwrap_or_default().or(self.ended)
    }
}

fn block(program: &Program, block: &Block) -> Paths {
    let mut paths = Paths::nothing();
    let mut stmts = block.0.iter().peekable();
    while let Some(stmt) = stmts.next() {
        // The branches after a lookup depend on the action that has run.
        let lookup = match &stmt.kind {
            StmtKind::Apply { table, hit, action_run } => Some((*table, *hit, *action_run)),
            _ => None,
        };
        let joined = lookup.zip(stmts.peek()).and_then(|(lookup, next)| after_lookup(program, lookup, next));
        let next = match joined {
            Some(joined) => {
                stmts.next();
                joined
            }
            None => paths_of_stmt(program, stmt),
        };
        paths = paths.then(next);
    }
    paths
}

/// Returns the uses of a lookup and of the statement after it, if that statement depends on the
/// result of the lookup.
fn after_lookup(
    program: &Program,
    (table, hit, action_run): (TableId, Option<VarId>, Option<VarId>),
    next: &Stmt,
) -> Option<Paths> {
    let is =
        |kind: &ExprKind, wanted: Option<VarId>| matches!(kind, ExprKind::Var(var) if Some(*var) == wanted);
    match &next.kind {
        StmtKind::Switch { scrutinee, cases, default } if is(&scrutinee.kind, action_run) => {
            let actions = program.tables[table].actions.iter().enumerate();
            let each = actions.map(|(position, listed)| {
                let has = |values: &Vec<weir_ir::Bits>| {
                    values.iter().any(|value| value.to_u64() == Some(position as u64))
                };
                let case = cases.iter().find(|(values, _)| has(values)).map_or(default, |(_, case)| case);
                action(program, listed.action).then(block(program, case))
            });
            each.reduce(Paths::or)
        }
        StmtKind::If { condition, then, otherwise } => {
            let (on_hit, on_miss) = match &condition.kind {
                kind if is(kind, hit) => (then, otherwise),
                ExprKind::Unary(UnaryOp::Not, operand) if is(&operand.kind, hit) => (otherwise, then),
                _ => return None,
            };
            let missed = action(program, program.tables[table].default_action.action);
            let found = of_entries(program, table).then(block(program, on_hit));
            Some(found.or(missed.then(block(program, on_miss))))
        }
        _ => None,
    }
}

/// Returns the uses of the actions of a table.
fn of_entries(program: &Program, table: TableId) -> Paths {
    let actions = program.tables[table].actions.iter();
    actions.map(|listed| action(program, listed.action)).reduce(Paths::or).unwrap_or_else(Paths::nothing)
}

/// Returns the uses of an action. A `return` in it ends only the action.
fn action(program: &Program, id: ActionId) -> Paths {
    Paths::of(block(program, &program.actions[id].body).all())
}

/// Returns the paths through a statement.
fn paths_of_stmt(program: &Program, stmt: &Stmt) -> Paths {
    match &stmt.kind {
        StmtKind::If { then, otherwise, .. } => block(program, then).or(block(program, otherwise)),
        StmtKind::Switch { cases, default, .. } => {
            cases.iter().fold(block(program, default), |paths, (_, case)| paths.or(block(program, case)))
        }
        StmtKind::Loop { body, .. } => block(program, body),
        StmtKind::Return | StmtKind::Exit => Paths { through: None, ended: Uses::default() },
        StmtKind::Call(id) => Paths::of(block(program, &program.procedures[*id].body).all()),
        StmtKind::CallAction(id) => action(program, *id),
        StmtKind::Apply { table, .. } => {
            of_entries(program, *table).or(action(program, program.tables[*table].default_action.action))
        }
        StmtKind::Extern(call) => {
            let used = register(program, call).map(|register| (register, vec![stmt.loc]));
            Paths::of(Uses(used.into_iter().collect()))
        }
        _ => Paths::nothing(),
    }
}

/// Returns the register that a call uses.
fn register(program: &Program, call: &ExternCall) -> Option<ExternId> {
    let (of, method) = call.callee.split_once('.')?;
    let object = call.instance?;
    match (of, method) {
        ("Register" | "DirectRegister", "read" | "write") => Some(object),
        (of, "execute") if of.contains("RegisterAction") => match program.externs[object].args.first()? {
            ConstArg::Extern(register) => Some(*register),
            _ => None,
        },
        _ => None,
    }
}
