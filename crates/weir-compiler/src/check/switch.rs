//! Checks `switch` on a table's action or on a value.

use rustc_hash::{FxHashMap, FxHashSet};
use weir_syntax::{Diagnostic, Span, ast};

use super::Checker;
use super::constant::{Value, evaluate};
use super::scope::{Callable, Symbol};
use crate::hir::{
    ActionCase, ActionId, ApplyResult, Block, Expr, ExprKind, StmtKind, TableId, Type, Types, ValueCase,
};

/// A group of `switch` labels, up to and including one with a body.
struct Group<'a> {
    labels: Vec<&'a ast::Expr>,
    has_default: bool,
    /// `None` for labels without a block at the end of the `switch`.
    body: Option<&'a ast::Block>,
}

impl Checker<'_> {
    /// Checks a `switch` statement.
    pub(super) fn switch(&mut self, switch: &ast::SwitchStmt) -> Option<StmtKind> {
        let subject = self.expr(&switch.subject, None);
        self.warn_of_no_cases(switch);
        let groups = self.switch_groups(switch);
        if let ExprKind::Apply { table, result } = subject.kind {
            if result == ApplyResult::ActionRun {
                return Some(self.action_switch(table, &groups));
            }
            if result == ApplyResult::Nothing {
                let diagnostic = Diagnostic::error(
                    "type-mismatch",
                    "a `switch` cannot test the result of `apply()` directly",
                )
                .primary(subject.span, "select one member of the result")
                .suggest("test which action ran", subject.span.after(), ".action_run");
                self.report(diagnostic);
                return None;
            }
        }
        self.value_switch(subject, &groups)
    }

    fn switch_groups<'a>(&mut self, switch: &'a ast::SwitchStmt) -> Vec<Group<'a>> {
        let mut groups = Vec::new();
        let (mut labels, mut has_default) = (Vec::new(), false);
        let mut default_at: Option<Span> = None;
        for case in &switch.cases {
            match &case.label {
                ast::SwitchLabel::Expr(label) => {
                    if let Some(default) = default_at {
                        let diagnostic =
                            Diagnostic::error("misplaced-default", "`default` must be the last label")
                                .primary(label.span, "follows `default`")
                                .secondary(default, "`default`");
                        self.report(diagnostic);
                    }
                    labels.push(label);
                }
                ast::SwitchLabel::Default => {
                    if let Some(first) = default_at {
                        let diagnostic = Diagnostic::error("duplicate-label", "duplicate `default` label")
                            .primary(case.span, "again here")
                            .secondary(first, "first here");
                        self.report(diagnostic);
                    }
                    default_at = Some(case.span);
                    has_default = true;
                }
            }
            if let Some(body) = &case.block {
                groups.push(Group { labels: std::mem::take(&mut labels), has_default, body: Some(body) });
                has_default = false;
            }
        }
        if let Some(last) = switch.cases.last()
            && (!labels.is_empty() || has_default)
        {
            groups.push(Group { labels, has_default: false, body: None });
            let diagnostic = Diagnostic::warning("empty-case", "the last label of a `switch` has no block")
                .primary(last.span, "there is no next case to fall through to");
            self.report(diagnostic);
        }
        groups
    }

    fn action_switch(&mut self, table: TableId, groups: &[Group<'_>]) -> StmtKind {
        let mut cases: Vec<ActionCase> = Vec::new();
        let mut default = None;
        let mut seen: FxHashMap<ActionId, Span> = FxHashMap::default();
        let listed: FxHashSet<ActionId> =
            self.program.tables[table].actions.iter().map(|listed| listed.action).collect();
        for group in groups {
            let mut actions = Vec::new();
            for label in &group.labels {
                let Some(action) = self.action_label(table, &listed, label) else { continue };
                if let Some(&first) = seen.get(&action) {
                    self.duplicate_label(label.span, first);
                    continue;
                }
                seen.insert(action, label.span);
                actions.push(action);
            }
            self.group(group, &mut default, |body| cases.push(ActionCase { actions, body }));
        }
        StmtKind::SwitchAction { table, cases, default }
    }

    /// Checks a group's body. A group that contains `default` becomes the default case: its other
    /// labels select the same body.
    fn group(&mut self, group: &Group<'_>, default: &mut Option<Block>, case: impl FnOnce(Block)) {
        let Some(body) = group.body else { return };
        let body = self.block(body);
        if group.has_default {
            if !group.labels.is_empty() {
                case(body.clone());
            }
            *default = Some(body);
        } else {
            case(body);
        }
    }

    fn duplicate_label(&mut self, again: Span, first: Span) {
        let diagnostic = Diagnostic::error("duplicate-label", "duplicate label")
            .primary(again, "again here")
            .secondary(first, "first here");
        self.report(diagnostic);
    }

    fn action_label(
        &mut self,
        table: TableId,
        listed: &FxHashSet<ActionId>,
        label: &ast::Expr,
    ) -> Option<ActionId> {
        let ast::ExprKind::Name(path) = &label.kind else {
            let diagnostic =
                Diagnostic::error("bad-label", "the labels of this `switch` must be action names")
                    .primary(label.span, "expected the name of an action");
            self.report(diagnostic);
            return None;
        };
        let name = path.name.as_str();
        let symbol = self.scopes.resolve(name, path.global).map(|binding| binding.symbol.clone());
        if let Some(Symbol::Callables(list)) = &symbol
            && let Some(action) = list.iter().find_map(|callable| match callable {
                Callable::Action(id) if listed.contains(id) => Some(*id),
                _ => None,
            })
        {
            self.warn_if_deprecated(&path.name, self.program.actions[action].name.span);
            return Some(action);
        }
        if matches!(symbol, Some(Symbol::Poison)) {
            return None;
        }
        let table_name = self.program.tables[table].name.clone();
        let message = format!("table `{}` has no action `{name}`", table_name.text);
        let mut diagnostic = Diagnostic::error("unknown-action", message)
            .primary(label.span, "not in the table's `actions`")
            .secondary(table_name.span, "table declared here");
        if let Some(nearest) = self.nearest_name(name, || {
            let actions = self.program.tables[table].actions.iter();
            actions.map(|listed| self.program.actions[listed.action].name.text.as_str())
        }) {
            diagnostic = diagnostic.suggest(format!("did you mean `{nearest}`?"), label.span, nearest);
        } else {
            let actions = self.program.tables[table].actions.iter();
            let names: Vec<&str> =
                actions.map(|listed| self.program.actions[listed.action].name.text.as_str()).collect();
            diagnostic = diagnostic.note(format!("its actions are {}", super::habits::list_names(&names)));
        }
        self.report(diagnostic);
        None
    }

    fn value_switch(&mut self, subject: Expr, groups: &[Group<'_>]) -> Option<StmtKind> {
        let valid = matches!(
            self.program.types[subject.ty],
            Type::Bits { .. } | Type::Enum(_) | Type::Error | Type::Bool | Type::Newtype(_) | Type::Poison
        );
        if !valid {
            let message = format!("a `switch` cannot test {}", self.show(subject.ty));
            let diagnostic = Diagnostic::error("type-mismatch", message)
                .primary(subject.span, "expected a number with a width, an enum, an error or an action");
            self.report(diagnostic);
        }
        let mut cases: Vec<ValueCase> = Vec::new();
        let mut default = None;
        let mut seen: FxHashMap<Value, Span> = FxHashMap::default();
        for group in groups {
            let mut values = Vec::new();
            for label in &group.labels {
                let value =
                    if valid { self.expr_of_type(label, subject.ty) } else { self.poison_expr(label.span) };
                if value.ty == Types::POISON {
                    continue;
                }
                match evaluate(&self.program, &value) {
                    Some(known) => {
                        if let Some(&first) = seen.get(&known) {
                            self.duplicate_label(label.span, first);
                            continue;
                        }
                        seen.insert(known, label.span);
                        values.push(value);
                    }
                    None if super::constant::is_compile_time(&self.program, &value) => values.push(value),
                    None => {
                        let diagnostic = Diagnostic::error(
                            "not-constant",
                            "a `switch` label must be a compile-time constant",
                        )
                        .primary(label.span, "value not known at compile time");
                        self.report(diagnostic);
                    }
                }
            }
            self.group(group, &mut default, |body| cases.push(ValueCase { values, body }));
        }
        valid.then_some(StmtKind::SwitchValue { subject, cases, default })
    }
}
