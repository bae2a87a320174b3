//! The names that p4c gives to CRC calculations for `simple_switch`.
//!
//! Each call of `hash`, `update_checksum` or `verify_checksum` is a separate calculation. p4c names
//! them `calc`, `calc_0`, `calc_1`, … in the order in which it writes actions: for each control,
//! first its actions, and then the calls of its `apply` block itself. An action counts once for
//! each table that lists it and once for each call of it. The checksums come last. Only the
//! parameters of `crc16_custom` and `crc32_custom` can be set: these calls get an additional
//! argument with the names of their calculations (several names if p4c writes an action several
//! times).

use std::collections::{BTreeMap, BTreeSet};

use weir_ir::visit::mutable::{VisitorMut, walk_program, walk_stmt};
use weir_ir::{ActionId, Arg, ArgValue, Block, Direction, ExternCall, Program, Stmt, StmtKind, TableId};

use super::Blocks;
use crate::externs::calls::{CALCULATION, custom_algorithm};

/// The largest number of statements that are visited to find a program's calculations. The
/// statements of a called body are counted once for each call, so a short program can have an
/// exponential number of them. Calculations beyond the limit get no names.
const MAX_STATEMENTS: usize = 1 << 20;

/// Adds the names to the calls of a program with these blocks.
pub(super) fn add_names(program: &mut Program, blocks: Blocks) {
    let mut names = Names::new(program);
    let mut names_by_call: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    for call in calls(program, blocks) {
        let name = names.next();
        if custom_algorithm(program, call).is_some() {
            names_by_call.entry(address(call)).or_default().push(name);
        }
    }
    walk_program(&mut NameAdder(names_by_call), program);
}

/// Returns whether a function computes a checksum or hash.
fn is_calculation(callee: &str) -> bool {
    matches!(
        callee,
        "hash"
            | "update_checksum"
            | "update_checksum_with_payload"
            | "verify_checksum"
            | "verify_checksum_with_payload"
    )
}

/// Identifies a call by its address, because several calls of a program may be equal.
fn address(call: &ExternCall) -> usize {
    std::ptr::from_ref(call) as usize
}

/// Returns all calculations in p4c's order. A call occurs once for each calculation that p4c makes
/// from it.
fn calls(program: &Program, blocks: Blocks) -> Vec<&ExternCall> {
    let mut controls = [blocks.ingress, blocks.egress].map(|id| &program.controls[id]);
    if controls[0].loc.file == controls[1].loc.file {
        controls.sort_by_key(|control| control.loc);
    }
    let mut walk = Walk { program, found: Vec::new(), pending: Vec::new(), left: MAX_STATEMENTS };
    for control in controls {
        let mut uses =
            Uses { program, actions: BTreeMap::new(), tables: BTreeSet::new(), left: MAX_STATEMENTS };
        uses.block(&control.body);
        for (id, action) in program.actions.iter() {
            for _ in 0..uses.actions.get(&id).copied().unwrap_or(0) {
                walk.code(&action.body);
            }
        }
        walk.apply(&control.body);
    }
    for id in [blocks.update, blocks.verify] {
        walk.code(&program.controls[id].body);
    }
    walk.found
}

/// Finds calls in the order in which p4c writes them.
struct Walk<'p> {
    program: &'p Program,
    found: Vec<&'p ExternCall>,
    /// The calls of statements that p4c puts into a separate action, which has not been written
    /// yet.
    pending: Vec<&'p ExternCall>,
    /// The number of statements that may still be visited.
    left: usize,
}

impl<'p> Walk<'p> {
    /// Visits a block that p4c writes unchanged: an action, or a control for checksums. The actions
    /// that it calls are part of it.
    fn code(&mut self, block: &'p Block) {
        let program = self.program;
        for stmt in &block.0 {
            let Some(left) = self.left.checked_sub(1) else { return };
            self.left = left;
            match &stmt.kind {
                StmtKind::Extern(call) if is_calculation(&call.callee) => self.found.push(call),
                StmtKind::CallAction(id) => self.code(&program.actions[*id].body),
                StmtKind::Call(id) => self.code(&program.procedures[*id].body),
                kind => parts(kind).into_iter().for_each(|block| self.code(block)),
            }
        }
    }

    /// Visits an `apply` block. p4c moves its statements into actions, and writes the actions for
    /// the parts of a statement before the actions for the statements ahead of it.
    fn apply(&mut self, block: &'p Block) {
        let before = std::mem::take(&mut self.pending);
        self.statements(block);
        self.flush();
        self.pending = before;
    }

    fn statements(&mut self, block: &'p Block) {
        let program = self.program;
        for stmt in &block.0 {
            let Some(left) = self.left.checked_sub(1) else { return };
            self.left = left;
            match &stmt.kind {
                StmtKind::Extern(call) if is_calculation(&call.callee) => self.pending.push(call),
                StmtKind::Call(id) => self.statements(&program.procedures[*id].body),
                // The condition of the statement that follows.
                StmtKind::Apply { hit, action_run, .. } if hit.is_some() || action_run.is_some() => {}
                StmtKind::Apply { .. } | StmtKind::CallAction(_) => self.flush(),
                kind => {
                    let parts = parts(kind);
                    if !parts.is_empty() {
                        parts.into_iter().for_each(|block| self.apply(block));
                        self.flush();
                    }
                }
            }
        }
    }

    fn flush(&mut self) {
        self.found.append(&mut self.pending);
    }
}

/// Counts how often a control uses each action.
struct Uses<'p> {
    program: &'p Program,
    actions: BTreeMap<ActionId, usize>,
    tables: BTreeSet<TableId>,
    /// The number of statements that may still be visited.
    left: usize,
}

impl<'p> Uses<'p> {
    fn block(&mut self, block: &'p Block) {
        let program = self.program;
        for stmt in &block.0 {
            let Some(left) = self.left.checked_sub(1) else { return };
            self.left = left;
            match &stmt.kind {
                StmtKind::Apply { table, .. } => {
                    if self.tables.insert(*table) {
                        for listed in &program.tables[*table].actions {
                            *self.actions.entry(listed.action).or_default() += 1;
                        }
                    }
                }
                StmtKind::CallAction(id) => *self.actions.entry(*id).or_default() += 1,
                StmtKind::Call(id) => self.block(&program.procedures[*id].body),
                kind => parts(kind).into_iter().for_each(|block| self.block(block)),
            }
        }
    }
}

/// Returns the blocks in a statement, in the order of the source.
fn parts(kind: &StmtKind) -> Vec<&Block> {
    match kind {
        StmtKind::If { then, otherwise, .. } => vec![then, otherwise],
        StmtKind::Switch { cases, default, .. } => {
            cases.iter().map(|(_, block)| block).chain([default]).collect()
        }
        StmtKind::Loop { body, step, .. } => vec![body, step],
        _ => Vec::new(),
    }
}

/// Generates p4c's names. The program itself uses none of them.
struct Names {
    used: BTreeSet<String>,
    next: usize,
}

impl Names {
    fn new(program: &Program) -> Self {
        let vars = program.vars.values().map(|var| &var.name);
        let headers = program.headers.values().map(|header| &header.name);
        let types = program.header_types.values().map(|ty| &ty.name);
        let externs = program.externs.values().map(|object| &object.name);
        let actions = program.actions.values().map(|action| &action.name);
        let tables = program.tables.values().map(|table| &table.name);
        let controls = program.controls.values().map(|control| &control.name);
        let all =
            vars.chain(headers).chain(types).chain(externs).chain(actions).chain(tables).chain(controls);
        let parts = all.flat_map(|name| name.split('.')).filter(|part| part.starts_with("calc"));
        let used = parts.map(str::to_owned).collect();
        Self { used, next: 0 }
    }

    /// Returns the next name that is free: `calc`, `calc_0`, `calc_1` and so on.
    fn next(&mut self) -> String {
        if self.used.insert("calc".to_owned()) {
            return "calc".to_owned();
        }
        loop {
            let name = format!("calc_{}", self.next);
            self.next += 1;
            if self.used.insert(name.clone()) {
                return name;
            }
        }
    }
}

/// Adds names to calls by their addresses.
struct NameAdder(BTreeMap<usize, Vec<String>>);

impl VisitorMut for NameAdder {
    fn stmt(&mut self, stmt: &mut Stmt) {
        if let StmtKind::Extern(call) = &mut stmt.kind
            && let Some(names) = self.0.remove(&address(call))
        {
            let value = ArgValue::Text(names.join(" "));
            call.args.push(Arg { name: CALCULATION.to_owned(), direction: Direction::In, value });
        }
        walk_stmt(self, stmt);
    }
}
