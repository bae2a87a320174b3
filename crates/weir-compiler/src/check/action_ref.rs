//! References to actions in tables: in the action list, in entries and as the default action.

use rustc_hash::FxHashMap;
use weir_syntax::ast::{self, EraseLocations};
use weir_syntax::{Diagnostic, Span};

use super::Checker;
use super::args::{Constant, Invocation};
use super::infer::Bindings;
use super::scope::{Callable, Symbol};
use super::table::PartialTable;
use crate::hir::{self, ActionCall, ActionId, ArgValue, DefaultAction, ItemKind, TableAction, Types};

impl Checker<'_> {
    /// Checks the action list. Returns `None` if one of its actions is invalid.
    pub(super) fn table_actions(&mut self, written: &[ast::ActionListItem]) -> Option<Vec<TableAction>> {
        let mut actions: Vec<TableAction> = Vec::new();
        let mut listed: FxHashMap<ActionId, Span> = FxHashMap::default();
        let mut valid = true;
        for item in written {
            let annotations = self.annotations(&item.annotations, ItemKind::Listed, item.span);
            let Some(action) = self.named_action(&item.action.name) else {
                valid = false;
                continue;
            };
            if let Some(&first) = listed.get(&action) {
                let message = format!("action `{}` is listed twice", item.action.name.name);
                let diagnostic = Diagnostic::error("duplicate-action", message)
                    .primary(item.action.span, "again here")
                    .secondary(first, "first here");
                self.report(diagnostic);
                valid = false;
                continue;
            }
            match self.bound_args(action, &item.action) {
                Some(bound_args) => {
                    listed.insert(action, item.action.span);
                    actions.push(TableAction { action, bound_args, annotations, span: item.action.span });
                }
                None => valid = false,
            }
        }
        valid.then_some(actions)
    }

    pub(super) fn named_action(&mut self, path: &ast::PathName) -> Option<ActionId> {
        let name = &path.name;
        let resolved = self.resolve_name(name, path.global);
        match resolved {
            Some((Symbol::Callables(list), declared)) => match list.as_slice() {
                [Callable::Action(id)] => {
                    self.warn_if_deprecated(name, declared);
                    Some(*id)
                }
                _ => {
                    let diagnostic = Diagnostic::error("not-an-action", format!("`{name}` is a function"))
                        .primary(name.span, "expected an action")
                        .secondary(declared, "declared here");
                    self.report(diagnostic);
                    None
                }
            },
            Some((Symbol::Poison, _)) => None,
            Some((_, declared)) => {
                let diagnostic = Diagnostic::error("not-an-action", format!("`{name}` is not an action"))
                    .primary(name.span, "expected an action")
                    .secondary(declared, "declared here");
                self.report(diagnostic);
                None
            }
            None => {
                let action = |symbol: &Symbol| {
                    matches!(symbol, Symbol::Callables(list)
                        if list.iter().all(|callable| matches!(callable, Callable::Action(_))))
                };
                self.unknown_name("unknown-action", "action", name, action);
                None
            }
        }
    }

    /// Checks the arguments bound in the action list: one for each parameter with a direction, and
    /// no others.
    pub(super) fn bound_args(&mut self, action: ActionId, written: &ast::ActionRef) -> Option<Vec<hir::Arg>> {
        let declared = &self.program.actions[action];
        let directed = declared.directed_params();
        let (name, params) = (declared.name.clone(), declared.params[..directed].to_vec());
        let args = written.args.as_deref().unwrap_or_default();
        if args.len() > directed && args.len() <= declared.params.len() {
            let message = format!("`{}` takes its directionless arguments from the control plane", name.text);
            let diagnostic = Diagnostic::error("argument-count", message)
                .primary(written.span, format!("expected {directed} arguments here"))
                .secondary(name.span, "only parameters with a direction take an argument here");
            self.report(diagnostic);
            return None;
        }
        let (args, _) = self.arguments(Invocation {
            name: &name.text,
            declared: name.span,
            params: &params,
            object: (&[], &[]),
            bindings: Bindings::new(&[]),
            args,
            result: Types::VOID,
            wanted: None,
            span: written.span,
            constant: Constant::None,
        })?;
        for arg in &args {
            if let ArgValue::Expr(value) = &arg.value
                && let Some(span) = application_within(value)
            {
                let diagnostic = Diagnostic::error(
                    "misplaced-call",
                    "a table cannot be applied in an argument of an action",
                )
                .primary(span, "not allowed here")
                .note("apply the table earlier in the `apply` block and pass its result in a variable");
                self.report(diagnostic);
                return None;
            }
        }
        Some(args)
    }

    /// Checks a call of one of the table's actions, with the control plane's arguments, in an entry
    /// or as the default action.
    pub(super) fn action_call(
        &mut self,
        path: &ast::PathName,
        args: Option<&[ast::Argument]>,
        table: &PartialTable,
        span: Span,
    ) -> Option<ActionCall> {
        let action = self.named_action(path)?;
        let declared = self.program.actions[action].clone();
        let Some(&index) = table.positions.get(&action) else {
            let message = format!("action `{}` is not listed in table `{}`", path.name, table.name.text);
            let diagnostic = Diagnostic::error("action-not-listed", message)
                .primary(span, "not in `actions`")
                .secondary(table.name.span, "table declared here")
                .note(format!("add `{};` to the table's `actions`", path.name));
            self.report(diagnostic);
            return None;
        };
        let directed = declared.directed_params();
        let args = args.unwrap_or_default();
        // The call may repeat the bound arguments before its own (P4_16 section 14.2.1.3).
        let repeated =
            directed > 0 && args.len() == declared.params.len() && args.iter().all(|a| a.name.is_none());
        if repeated {
            self.same_bound_args(&args[..directed], table, index, span);
        }
        let (params, args) = if repeated {
            (&declared.params[directed..], &args[directed..])
        } else {
            (&declared.params[directed..], args)
        };
        let (args, _) = self.arguments(Invocation {
            name: &declared.name.text,
            declared: declared.name.span,
            params,
            object: (&[], &[]),
            bindings: Bindings::new(&[]),
            args,
            result: Types::VOID,
            wanted: None,
            span,
            constant: Constant::All,
        })?;
        let values = args.into_iter().filter_map(|arg| match arg.value {
            ArgValue::Expr(value) => Some(value),
            _ => None,
        });
        Some(ActionCall { action: index, args: values.collect(), span })
    }

    /// Reports bound arguments that differ from those in the action list.
    pub(super) fn same_bound_args(
        &mut self,
        args: &[ast::Argument],
        table: &PartialTable,
        index: usize,
        span: Span,
    ) {
        let mut repeated = args.to_vec();
        let mut listed = table.bound.get(index).cloned().unwrap_or_default();
        for arg in repeated.iter_mut().chain(&mut listed) {
            arg.erase_locations();
            if let Some(ast::Expr { kind: ast::ExprKind::Struct(written), .. }) = &mut arg.value {
                written.fields.sort_by(|a, b| a.name.text.cmp(&b.name.text));
            }
        }
        if repeated != listed {
            let message = "the bound arguments differ from those in `actions`";
            let diagnostic = Diagnostic::error("bound-arguments", message)
                .primary(span, "must be identical to the arguments in `actions`")
                .secondary(table.actions[index].span, "listed here");
            self.report(diagnostic);
        }
    }

    pub(super) fn default_action(
        &mut self,
        custom: &ast::CustomProperty,
        table: &PartialTable,
    ) -> Option<DefaultAction> {
        let (path, args) = match &custom.value.kind {
            ast::ExprKind::Name(path) => (path, None),
            ast::ExprKind::Call(call) => match &call.callee.kind {
                ast::ExprKind::Name(path) => (path, Some(call.args.as_slice())),
                _ => return self.bad_default(custom),
            },
            _ => return self.bad_default(custom),
        };
        let call = self.action_call(path, args, table, custom.value.span)?;
        let listed = &table.actions[call.action];
        if listed.annotations.contains("tableonly") {
            let message = format!("`{}` is marked @tableonly", path.name);
            let diagnostic = Diagnostic::error("action-not-allowed", message)
                .primary(custom.value.span, "cannot be the default action")
                .secondary(listed.span, "listed here");
            self.report(diagnostic);
        }
        self.refuse_group_action(listed, path, custom.value.span, "the default action");
        Some(DefaultAction { call, is_const: custom.is_const })
    }

    /// Reports an action marked `@groupaction`: it may only be the group action of action sets,
    /// which controllers provide (P4Runtime 1.6, `ActionRef`).
    pub(super) fn refuse_group_action(
        &mut self,
        listed: &TableAction,
        path: &ast::PathName,
        span: Span,
        cannot_be: &str,
    ) {
        if listed.annotations.contains("groupaction") {
            let message = format!("`{}` is marked @groupaction", path.name);
            let diagnostic = Diagnostic::error("action-not-allowed", message)
                .primary(span, format!("cannot be {cannot_be}"))
                .secondary(listed.span, "listed here")
                .note("controllers use it before the action that an action set chooses");
            self.report(diagnostic);
        }
    }

    pub(super) fn bad_default(&mut self, custom: &ast::CustomProperty) -> Option<DefaultAction> {
        if !matches!(custom.value.kind, ast::ExprKind::Malformed) {
            let diagnostic = Diagnostic::error("not-an-action", "the default action must be an action")
                .primary(custom.value.span, "expected the name of an action");
            self.report(diagnostic);
        }
        None
    }

    /// Returns core.p4's `NoAction` as the default action. Adds it to the action list if it is
    /// missing.
    pub(super) fn no_action(&mut self, table: &mut PartialTable, span: Span) -> Option<DefaultAction> {
        let binding = self.scopes.top_level().get("NoAction")?;
        let declared = binding.span;
        let action = match &binding.symbol {
            Symbol::Callables(list) => match list.as_slice() {
                [Callable::Action(action)] if self.program.actions[*action].params.is_empty() => *action,
                _ => return self.bad_no_action(table, declared),
            },
            Symbol::Poison => return None,
            _ => return self.bad_no_action(table, declared),
        };
        let index = table.positions.get(&action).copied();
        let index = index.unwrap_or_else(|| {
            let default_only =
                hir::Annotation { name: "defaultonly".to_owned(), body: hir::AnnotationBody::Empty, span };
            let annotations = hir::Annotations(vec![default_only]);
            table.actions.push(TableAction { action, bound_args: Vec::new(), annotations, span });
            table.positions.insert(action, table.actions.len() - 1);
            table.actions.len() - 1
        });
        let listed = &table.actions[index];
        let marks = ["tableonly", "groupaction"];
        if let Some(mark) = marks.into_iter().find(|mark| listed.annotations.contains(mark)) {
            let diagnostic = Diagnostic::error("action-not-allowed", format!("`NoAction` is marked @{mark}"))
                .primary(span, "without `default_action`, `NoAction` is the default action")
                .secondary(listed.span, "listed here")
                .note("add a `default_action` with another action, or remove the annotation");
            self.report(diagnostic);
        }
        Some(DefaultAction { call: ActionCall { action: index, args: Vec::new(), span }, is_const: false })
    }

    /// Reports a table without a default action in a program whose `NoAction` is not core.p4's
    /// action (P4_16 section 14.2).
    fn bad_no_action(&mut self, table: &PartialTable, declared: Span) -> Option<DefaultAction> {
        let message = format!(
            "table `{}` has no `default_action`, and `NoAction` cannot be used as the default",
            table.name.text
        );
        let diagnostic = Diagnostic::error("not-an-action", message)
            .primary(table.name.span, "`NoAction` is the default when `default_action` is omitted")
            .secondary(declared, "not an action without parameters")
            .note("add a `default_action`, or rename this declaration so that it does not hide `NoAction` of core.p4");
        self.report(diagnostic);
        None
    }
}

/// Returns the location of the first table application inside an expression.
fn application_within(expr: &hir::Expr) -> Option<Span> {
    use hir::ExprKind;
    match &expr.kind {
        ExprKind::Apply { .. } => Some(expr.span),
        ExprKind::Unary(_, operand) | ExprKind::Cast { operand, .. } => application_within(operand),
        ExprKind::Binary(_, left, right) => application_within(left).or_else(|| application_within(right)),
        ExprKind::Conditional { condition, then, otherwise } => application_within(condition)
            .or_else(|| application_within(then))
            .or_else(|| application_within(otherwise)),
        ExprKind::Aggregate(items) => items.iter().find_map(application_within),
        ExprKind::Call(call) => call.args.iter().find_map(|arg| match &arg.value {
            ArgValue::Expr(value) => application_within(value),
            _ => None,
        }),
        _ => None,
    }
}
