//! Table applications: keys, then any of the actions.

use super::Flow;
use crate::facts::States;
use crate::hir::{ActionId, Expr, ExprKind, TableAction, TableId};
use crate::storage::{Origin, PartId};
use weir_syntax::Span;

/// The states after a table is applied.
pub(super) struct Outcome {
    pub hit: States,
    pub miss: States,
    /// The states by the action that ran.
    pub by_action: Vec<(ActionId, States)>,
}

impl Flow<'_> {
    /// Models the application of a table: on a hit, it runs any action that an entry can name; on a
    /// miss, it runs the program's default action.
    pub(super) fn apply_table(&mut self, id: TableId, span: Span) -> Outcome {
        let mut outcome = Outcome { hit: States::NONE, miss: States::NONE, by_action: Vec::new() };
        if self.now.is_none() {
            return outcome;
        }
        self.steps += 1;
        let table = &self.program.tables[id];
        let trusted = self.trusted.len();
        for key in &table.keys {
            let tested = self.tested_headers(&key.expr);
            self.trusted.extend(tested);
        }
        self.sites.push((span, format!("table `{}` is applied here", table.name.text)));
        let nothing = |action: &TableAction| self.program.actions[action.action].body.stmts.is_empty();
        self.timing.only_for_debugging = table.actions.iter().all(nothing);
        for key in &table.keys {
            let kind = &self.program.match_kinds[key.match_kind].0.name.text;
            let lenient = std::mem::replace(&mut self.lenient, !matches!(kind.as_str(), "exact" | "lpm"));
            self.read(&key.expr);
            self.lenient = lenient;
        }
        self.timing.only_for_debugging = false;
        let before = self.now.clone();
        let default = table.default_action.as_ref().map(|default| default.call.action);
        for (index, action) in table.actions.iter().enumerate() {
            self.now = before.clone();
            self.fate.branches += 1;
            self.table_action(action);
            self.fate.branches -= 1;
            if default == Some(index) {
                self.record_miss(id);
            }
            outcome.by_action.push((action.action, self.now.clone()));
            if !action.annotations.contains("defaultonly") && !table.keys.is_empty() {
                outcome.hit = self.facts.union(&outcome.hit, &self.now);
            }
            if default == Some(index) {
                outcome.miss = self.now.clone();
            }
        }
        if default.is_none() {
            outcome.miss = before;
        }
        self.sites.pop();
        self.trusted.truncate(trusted);
        outcome
    }

    fn table_action(&mut self, action: &TableAction) {
        let body = &self.program.actions[action.action];
        let (bound, given) = body.params.split_at(action.bound_args.len().min(body.params.len()));
        for param in given {
            let param_part = self.var_part(param.var, Origin::Known);
            self.set_unknown_values(param_part);
            self.bound.insert(param.var, param_part);
        }
        self.with_bound(bound, &action.bound_args, |flow| flow.action_body(action.action));
    }

    /// Returns the headers whose `isValid()` a key contains.
    fn tested_headers(&self, key: &Expr) -> Vec<PartId> {
        match &key.kind {
            ExprKind::IsValid(base) => self.header(base).into_iter().collect(),
            ExprKind::Binary(_, left, right) => {
                let mut headers = self.tested_headers(left);
                headers.extend(self.tested_headers(right));
                headers
            }
            ExprKind::Unary(_, operand) | ExprKind::Cast { operand, .. } => self.tested_headers(operand),
            ExprKind::Conditional { condition, .. } => self.tested_headers(condition),
            _ => Vec::new(),
        }
    }
}
