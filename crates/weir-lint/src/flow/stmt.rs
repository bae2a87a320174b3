//! Statements, and the bodies of controls.

use super::{Block, Flow};
use crate::check::constant::{Value, evaluate};
use crate::facts::States;
use crate::hir::{self, ControlId, Expr, IfLink, Local, Stmt, StmtKind};
use crate::storage::Origin;

/// The maximum number of iterations over a loop's body until its fixed point.
const MAX_ROUNDS: usize = 40;

impl Flow<'_> {
    /// Analyses a control whose parameters are bound. `outermost` is true if no other block applies
    /// the control.
    pub(super) fn control(&mut self, id: ControlId, outermost: bool) {
        if !self.enters_body(Block::Control(id)) {
            return self.unknown();
        }
        let control = &self.program.controls[id];
        let returned = std::mem::replace(&mut self.returned, States::NONE);
        self.locals(&control.locals);
        self.block(&control.body);
        self.now = self.facts.union(&self.now, &self.returned);
        self.returned = returned;
        for local in &control.locals {
            if let Local::Var { var, .. } = local {
                self.leave_var(*var);
            }
        }
        if !outermost {
            self.check_out_params(&control.params, &control.name.text);
        }
    }

    /// Follows the declarations of local variables.
    pub(super) fn locals(&mut self, locals: &[Local]) {
        for local in locals {
            if let Local::Var { var, init } = local {
                self.declare(*var, init.as_ref());
            }
        }
    }

    /// Follows the declaration of a variable.
    fn declare(&mut self, var: hir::VarId, init: Option<&Expr>) {
        let origin = if init.is_some() { Origin::Known } else { Origin::Unset };
        let part = self.var_part(var, origin);
        match init {
            Some(value) => self.store(part, value),
            None => self.clear(part),
        }
        self.bound.insert(var, part);
    }

    /// Follows a block, whose variables end with it.
    pub(super) fn block(&mut self, block: &hir::Block) {
        self.stmts(&block.stmts);
        for stmt in &block.stmts {
            if let StmtKind::Declare { var, .. } = &stmt.kind {
                self.leave_var(*var);
            }
        }
    }

    /// Analyses a block that only some packets reach.
    fn branch_block(&mut self, block: &hir::Block) {
        self.fate.branches += 1;
        self.block(block);
        self.fate.branches -= 1;
    }

    fn leave_var(&mut self, var: hir::VarId) {
        if let Some(&part) = self.own.get(&var) {
            self.leave_scope(part);
        }
    }

    /// Follows statements, up to one that never completes.
    pub(super) fn stmts(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            if self.now.is_none() {
                return;
            }
            self.steps += 1;
            self.stmt(stmt);
        }
    }

    /// Follows a statement.
    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Declare { var, init } => self.declare(*var, init.as_ref()),
            StmtKind::Assign { target, value } => self.assign(target, value),
            StmtKind::Call(call) => self.call(call),
            StmtKind::ApplyTable(table) => {
                let outcome = self.apply_table(*table, stmt.span);
                self.now = self.facts.union(&outcome.hit, &outcome.miss);
            }
            StmtKind::If { links, otherwise } => self.if_chain(links, otherwise.as_ref()),
            StmtKind::SwitchAction { table, cases, default } => {
                let outcome = self.apply_table(*table, stmt.span);
                let mut after = States::NONE;
                let mut left = outcome.by_action;
                for case in cases {
                    self.now = States::NONE;
                    for (action, states) in left.iter().filter(|(action, _)| case.actions.contains(action)) {
                        debug_assert!(case.actions.contains(action));
                        self.now = self.facts.union(&self.now, states);
                    }
                    left.retain(|(action, _)| !case.actions.contains(action));
                    self.branch_block(&case.body);
                    after = self.facts.union(&after, &self.now);
                }
                self.now = States::NONE;
                for (_, states) in left {
                    self.now = self.facts.union(&self.now, &states);
                }
                if let Some(default) = default {
                    self.branch_block(default);
                }
                self.now = self.facts.union(&self.now, &after);
            }
            StmtKind::SwitchValue { subject, cases, default } => {
                self.read(subject);
                self.switch_value(subject, cases, default.as_ref());
            }
            StmtKind::For { init, condition, update, body } => {
                self.stmts(init);
                self.repeat_until_stable(|flow| {
                    let (yes, no) = flow.branch(condition);
                    flow.now = yes;
                    flow.block(body);
                    flow.now = flow.facts.union(&flow.now, &flow.continued);
                    flow.stmts(update);
                    no
                });
            }
            StmtKind::ForRange { var, low, high, body } => {
                self.read(low);
                self.read(high);
                self.for_each(*var, body);
            }
            StmtKind::ForEach { var, collection, body } => {
                self.eval_indices(collection);
                self.for_each(*var, body);
            }
            StmtKind::Break => {
                self.broken = self.facts.union(&self.broken, &self.now);
                self.now = States::NONE;
            }
            StmtKind::Continue => {
                self.continued = self.facts.union(&self.continued, &self.now);
                self.now = States::NONE;
            }
            StmtKind::Return(value) => {
                if let Some(value) = value {
                    self.read(value);
                }
                self.returned = self.facts.union(&self.returned, &self.now);
                self.now = States::NONE;
            }
            StmtKind::Exit => {
                self.exited = self.facts.union(&self.exited, &self.now);
                self.now = States::NONE;
            }
            StmtKind::Block(block) => self.block(block),
        }
    }

    fn if_chain(&mut self, links: &[IfLink], otherwise: Option<&hir::Block>) {
        let mut after = Vec::with_capacity(links.len());
        for (number, link) in links.iter().enumerate() {
            if number > 0 {
                if self.now.is_none() {
                    break;
                }
                self.steps += 1;
            }
            let (yes, no) = self.branch(&link.condition);
            self.now = yes;
            self.branch_block(&link.then);
            after.push(std::mem::replace(&mut self.now, no));
        }
        if let Some(otherwise) = otherwise {
            self.branch_block(otherwise);
        }
        for states in after.iter().rev() {
            self.now = self.facts.union(states, &self.now);
        }
    }

    fn switch_value(&mut self, subject: &Expr, cases: &[hir::ValueCase], default: Option<&hir::Block>) {
        let spot = self.tracked_place(subject);
        let (mut after, mut left) = (States::NONE, self.now.clone());
        for case in cases {
            let mut taken = States::NONE;
            for value in &case.values {
                match (spot, evaluate(self.program, value)) {
                    (Some(spot), Some(Value::Int(number))) => {
                        let equal = self.storage.equals(&mut self.facts, spot, &number);
                        let different = self.storage.differs(&mut self.facts, spot, &number);
                        let equal = self.facts.intersection(&left, &equal);
                        taken = self.facts.union(&taken, &equal);
                        left = self.facts.intersection(&left, &different);
                    }
                    _ => taken = self.facts.union(&taken, &left),
                }
            }
            self.now = taken;
            self.branch_block(&case.body);
            after = self.facts.union(&after, &self.now);
        }
        self.now = left;
        if let Some(default) = default {
            self.branch_block(default);
        }
        self.now = self.facts.union(&self.now, &after);
    }

    fn for_each(&mut self, var: hir::VarId, body: &hir::Block) {
        let part = self.var_part(var, Origin::Known);
        self.bound.insert(var, part);
        self.repeat_until_stable(|flow| {
            let merged = flow.now.clone();
            flow.set_unknown_values(part);
            flow.block(body);
            flow.now = flow.facts.union(&flow.now, &flow.continued);
            merged
        });
    }

    /// Analyses a loop until its states reach a fixed point, then once more to report. `round`
    /// returns the states that leave the loop at its condition.
    fn repeat_until_stable(&mut self, mut round: impl FnMut(&mut Self) -> States) {
        let broken = std::mem::replace(&mut self.broken, States::NONE);
        let continued = std::mem::replace(&mut self.continued, States::NONE);
        let reporting = std::mem::replace(&mut self.reporting, false);
        let exits = (self.returned.clone(), self.exited.clone());
        let mut entry = self.now.clone();
        for number in 1.. {
            if number > MAX_ROUNDS || self.is_over_limit() {
                entry = entry.widest();
                break;
            }
            (self.broken, self.continued) = (States::NONE, States::NONE);
            self.now = entry.clone();
            round(self);
            let next = self.facts.union(&entry, &self.now);
            if next.no_wider_than(&entry) {
                break;
            }
            entry = next;
        }
        (self.returned, self.exited) = exits;
        self.reporting = reporting;
        (self.broken, self.continued) = (States::NONE, States::NONE);
        self.now = entry;
        let left = round(self);
        self.now = self.facts.union(&left, &self.broken);
        (self.broken, self.continued) = (broken, continued);
    }
}
