//! Tables: keys, actions, default action, entries, other properties (P4_16 section 14.2).

use indexmap::IndexMap;
use num_traits::{Signed, ToPrimitive};
use weir_syntax::ast::{self, EraseLocations, TablePropertyKind as Kind};
use weir_syntax::{Diagnostic, Span};

use super::args::{Constant, Invocation};
use super::constant::{Value, evaluate, is_compile_time, representation, wrap};
use super::infer::Bindings;
use super::keyset::KeysetHome;
use super::scope::{Callable, Symbol, nearest};
use super::{Checker, Context, Place};
use crate::hir::{
    self, ActionCall, ActionId, ArgValue, DefaultAction, Entry, Table, TableAction, TableKey, TableProperty,
    Type, TypeId, Types,
};

/// The table as far as it was checked: what later properties refer to.
struct Partial {
    name: hir::Name,
    keys: Vec<TableKey>,
    actions: Vec<TableAction>,
    /// As written, for each action: the arguments for its parameters with a direction.
    bound: Vec<Vec<ast::Argument>>,
    largest_priority_wins: bool,
    priority_delta: i64,
}

impl Checker<'_> {
    pub(super) fn table(
        &mut self,
        declaration: &ast::Declaration,
        name: &ast::Name,
        written: &ast::TableDecl,
    ) -> Option<hir::TableId> {
        self.single_properties(written);
        self.ordered_properties(written);
        let annotations = self.annotations(&declaration.annotations);
        let mut table = Partial {
            name: self.hir_name(name),
            keys: Vec::new(),
            actions: Vec::new(),
            bound: Vec::new(),
            largest_priority_wins: true,
            priority_delta: 1,
        };
        // Keys and arguments bound in the action list are evaluated when the table is applied.
        let (keys, _) = self.within(Context::new(Place::ControlApply), |c| {
            written.key().iter().map(|key| c.table_key(key)).collect::<Vec<Option<TableKey>>>()
        });
        let keys_good = keys.iter().all(Option::is_some);
        table.keys = keys.into_iter().flatten().collect();
        let has_actions = written.properties.iter().any(|p| matches!(p.kind, Kind::Actions(_)));
        if !has_actions {
            let diagnostic = Diagnostic::error("missing-actions", format!("table `{name}` has no `actions`"))
                .primary(name.span, "expected `actions = { ... }` among its properties");
            self.report(diagnostic);
        }
        let (actions, _) =
            self.within(Context::new(Place::ControlApply), |c| c.table_actions(written.actions()));
        let actions_good = has_actions && actions.is_some();
        table.actions = actions.unwrap_or_default();
        if actions_good {
            let bound = |item: &ast::ActionListItem| item.action.args.clone().unwrap_or_default();
            table.bound = written.actions().iter().map(bound).collect();
        }

        let (mut default_action, mut size) = (None, None);
        let mut properties = Vec::new();
        for property in &written.properties {
            let Kind::Custom(custom) = &property.kind else { continue };
            match custom.name.as_str() {
                "default_action" => {
                    if actions_good {
                        default_action = self.default_action(custom, &table);
                    }
                }
                "size" => size = self.table_size(&custom.value),
                "largest_priority_wins" => {
                    if let Some(wins) = self.constant_bool(&custom.value) {
                        table.largest_priority_wins = wins;
                    }
                }
                "priority_delta" => {
                    if let Some(delta) = self.priority_number(&custom.value, 1) {
                        table.priority_delta = delta;
                    }
                }
                _ => properties.extend(self.table_property(property, custom)),
            }
        }
        if actions_good && written.custom("default_action").is_none() {
            default_action = self.no_action(&mut table, name.span);
        }
        let (mut entries, mut const_entries) = (Vec::new(), false);
        if let Some(given) = written.entries() {
            const_entries = given.is_const;
            if keys_good && actions_good {
                entries = self.entries(given, &table, name.span);
            }
        }
        let id = self.program.tables.push(Table {
            name: table.name,
            annotations,
            keys: table.keys,
            actions: table.actions,
            default_action,
            entries,
            const_entries,
            size,
            largest_priority_wins: table.largest_priority_wins,
            properties,
            span: declaration.span,
        });
        self.declare(name, Symbol::Table(id), Some("table"));
        Some(id)
    }

    /// Reports properties that stand twice.
    fn single_properties(&mut self, written: &ast::TableDecl) {
        let mut seen: IndexMap<&str, Span> = IndexMap::new();
        for property in &written.properties {
            let name = match &property.kind {
                Kind::Key(_) => "key",
                Kind::Actions(_) => "actions",
                Kind::Entries(_) => "entries",
                Kind::Custom(custom) => custom.name.as_str(),
            };
            if let Some(&first) = seen.get(name) {
                let message = format!("property `{name}` stands twice");
                let diagnostic = Diagnostic::error("duplicate-property", message)
                    .primary(property.span, "again here")
                    .secondary(first, "first here");
                self.report(diagnostic);
            } else {
                seen.insert(name, property.span);
            }
        }
    }

    /// Reports properties that stand before those they refer to.
    fn ordered_properties(&mut self, written: &ast::TableDecl) {
        let place = |wanted: fn(&Kind) -> bool| written.properties.iter().position(|p| wanted(&p.kind));
        let key = place(|kind| matches!(kind, Kind::Key(_)));
        let actions = place(|kind| matches!(kind, Kind::Actions(_)));
        let entries = place(|kind| matches!(kind, Kind::Entries(_)));
        let default =
            place(|kind| matches!(kind, Kind::Custom(custom) if custom.name.as_str() == "default_action"));
        for (early, what, late, needed) in [
            (default, "default_action", actions, "actions"),
            (entries, "entries", actions, "actions"),
            (entries, "entries", key, "key"),
        ] {
            let (Some(early), Some(late)) = (early, late) else { continue };
            if early < late {
                let message = format!("`{what}` must stand behind `{needed}`");
                let diagnostic = Diagnostic::error("property-order", message)
                    .primary(written.properties[early].span, "refers to what is below")
                    .secondary(written.properties[late].span, format!("`{needed}`"));
                self.report(diagnostic);
            }
        }
    }

    fn table_key(&mut self, written: &ast::KeyElement) -> Option<TableKey> {
        let expr = self.expr(&written.expr, None);
        let annotations = self.annotations(&written.annotations);
        let match_kind = self.match_kind(&written.match_kind);
        if expr.ty == Types::POISON {
            return None;
        }
        let matchable = matches!(
            self.program.types[expr.ty],
            Type::Bits { .. }
                | Type::Bool
                | Type::Enum(_)
                | Type::Error
                | Type::Varbit { .. }
                | Type::Newtype(_)
        );
        if !matchable {
            let message = format!("a table cannot match {}", self.show(expr.ty));
            let diagnostic = Diagnostic::error("type-mismatch", message)
                .primary(expr.span, "expected a number with a width, `bool`, an enum or `error`");
            self.report(diagnostic);
            return None;
        }
        let name = match annotations.control_plane_name() {
            Some(name) => name.to_owned(),
            None => match key_name(&written.expr) {
                Some(name) => name,
                None => {
                    let diagnostic =
                        Diagnostic::error("unnamed-key", "this key needs a name for the control plane")
                            .primary(expr.span, "too complex to name itself")
                            .suggest("name it", written.match_kind.span.after(), " @name(\"...\")");
                    self.report(diagnostic);
                    return None;
                }
            },
        };
        Some(TableKey { expr, name, match_kind: match_kind?, annotations, span: written.span })
    }

    fn match_kind(&mut self, name: &ast::Name) -> Option<hir::MatchKindId> {
        if let Some(&id) = self.match_kinds.get(name.as_str()) {
            return Some(id);
        }
        let mut diagnostic =
            Diagnostic::error("unknown-match-kind", format!("there is no match kind `{name}`"))
                .primary(name.span, "not declared in any `match_kind { ... }`");
        let known = self.match_kinds.keys().map(String::as_str);
        if let Some(near) = nearest(name.as_str(), known) {
            diagnostic = diagnostic.suggest(format!("did you mean `{near}`?"), name.span, near);
        } else if self.match_kinds.is_empty() {
            diagnostic = diagnostic.note("`#include <core.p4>` declares exact, ternary and lpm");
        }
        self.report(diagnostic);
        None
    }

    /// The action list; `None` if an action in it is wrong.
    fn table_actions(&mut self, written: &[ast::ActionListItem]) -> Option<Vec<TableAction>> {
        let mut actions: Vec<TableAction> = Vec::new();
        let mut good = true;
        for item in written {
            let annotations = self.annotations(&item.annotations);
            let Some(action) = self.named_action(&item.action.name) else {
                good = false;
                continue;
            };
            if let Some(first) = actions.iter().find(|other| other.action == action) {
                let first = first.span;
                let message = format!("action `{}` is listed twice", item.action.name.name);
                let diagnostic = Diagnostic::error("duplicate-action", message)
                    .primary(item.action.span, "again here")
                    .secondary(first, "first here");
                self.report(diagnostic);
                good = false;
                continue;
            }
            match self.bound_args(action, &item.action) {
                Some(bound_args) => {
                    actions.push(TableAction { action, bound_args, annotations, span: item.action.span });
                }
                None => good = false,
            }
        }
        good.then_some(actions)
    }

    fn named_action(&mut self, path: &ast::PathName) -> Option<ActionId> {
        let name = &path.name;
        let found = self.scopes.resolve(name.as_str(), path.global).map(|b| (b.symbol.clone(), b.span));
        match found {
            Some((Symbol::Callables(list), declared)) => match list.as_slice() {
                [Callable::Action(id)] => Some(*id),
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

    /// Arguments in the action list: for all parameters with a direction, none else.
    fn bound_args(&mut self, action: ActionId, written: &ast::ActionRef) -> Option<Vec<hir::Arg>> {
        let declared = &self.program.actions[action];
        let directed = declared.directed_params();
        let (name, params) = (declared.name.clone(), declared.params[..directed].to_vec());
        let args = written.args.as_deref().unwrap_or_default();
        if args.len() > directed && args.len() <= declared.params.len() {
            let message = format!("`{}` takes the rest of its arguments from the control plane", name.text);
            let diagnostic = Diagnostic::error("argument-count", message)
                .primary(written.span, format!("expected {directed} arguments here"))
                .secondary(name.span, "only parameters with a direction are given in the list");
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
        Some(args)
    }

    /// An action of the table with the control plane's arguments, in an entry or as the default.
    fn action_call(
        &mut self,
        path: &ast::PathName,
        args: Option<&[ast::Argument]>,
        table: &Partial,
        span: Span,
    ) -> Option<ActionCall> {
        let action = self.named_action(path)?;
        let declared = self.program.actions[action].clone();
        let Some(index) = table.actions.iter().position(|listed| listed.action == action) else {
            let message = format!("`{}` is not among the actions of table `{}`", path.name, table.name.text);
            let diagnostic = Diagnostic::error("action-not-listed", message)
                .primary(span, "not in `actions`")
                .secondary(table.name.span, "the table");
            self.report(diagnostic);
            return None;
        };
        let directed = declared.directed_params();
        let args = args.unwrap_or_default();
        // The bound arguments may be repeated in front (P4_16 section 14.2.1.3).
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
    fn same_bound_args(&mut self, args: &[ast::Argument], table: &Partial, index: usize, span: Span) {
        let mut repeated = args.to_vec();
        let mut listed = table.bound.get(index).cloned().unwrap_or_default();
        for arg in repeated.iter_mut().chain(&mut listed) {
            arg.erase_locations();
            if let Some(ast::Expr { kind: ast::ExprKind::Struct(written), .. }) = &mut arg.value {
                written.fields.sort_by(|a, b| a.name.text.cmp(&b.name.text));
            }
        }
        if repeated != listed {
            let message = "the bound arguments differ from those in the action list";
            let diagnostic = Diagnostic::error("bound-arguments", message)
                .primary(span, "must repeat them word for word")
                .secondary(table.actions[index].span, "listed here");
            self.report(diagnostic);
        }
    }

    fn default_action(&mut self, custom: &ast::CustomProperty, table: &Partial) -> Option<DefaultAction> {
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
        if listed.annotations.has("tableonly") {
            let message = format!("`{}` is marked @tableonly", path.name);
            let diagnostic = Diagnostic::error("action-not-allowed", message)
                .primary(custom.value.span, "cannot be the default action")
                .secondary(listed.span, "listed here");
            self.report(diagnostic);
        }
        Some(DefaultAction { call, is_const: custom.is_const })
    }

    fn bad_default(&mut self, custom: &ast::CustomProperty) -> Option<DefaultAction> {
        if !matches!(custom.value.kind, ast::ExprKind::Malformed) {
            let diagnostic = Diagnostic::error("not-an-action", "the default action must be an action")
                .primary(custom.value.span, "expected the name of an action");
            self.report(diagnostic);
        }
        None
    }

    /// core.p4's `NoAction` as the default, added to the list if it is not there.
    fn no_action(&mut self, table: &mut Partial, span: Span) -> Option<DefaultAction> {
        let binding = self.scopes.top().get("NoAction")?;
        let Symbol::Callables(list) = &binding.symbol else { return None };
        let [Callable::Action(action)] = list.as_slice() else { return None };
        let action = *action;
        if !self.program.actions[action].params.is_empty() {
            return None;
        }
        let index = table.actions.iter().position(|listed| listed.action == action);
        let index = index.unwrap_or_else(|| {
            let default_only =
                hir::Annotation { name: "defaultonly".to_owned(), body: hir::AnnotationBody::Empty, span };
            let annotations = hir::Annotations(vec![default_only]);
            table.actions.push(TableAction { action, bound_args: Vec::new(), annotations, span });
            table.actions.len() - 1
        });
        Some(DefaultAction { call: ActionCall { action: index, args: Vec::new(), span }, is_const: false })
    }

    fn table_size(&mut self, written: &ast::Expr) -> Option<hir::Expr> {
        let size = self.expr(written, None);
        match self.program.types[size.ty] {
            Type::Int | Type::Bits { .. } => {}
            Type::Poison => return None,
            _ => {
                let message = format!("the size of a table is a number, not {}", self.show(size.ty));
                self.report(Diagnostic::error("type-mismatch", message).primary(size.span, "not a number"));
                return None;
            }
        }
        if !is_compile_time(&self.program, &size) {
            let diagnostic = Diagnostic::error("not-constant", "the size of a table must be constant")
                .primary(size.span, "not known at compile time");
            self.report(diagnostic);
            return None;
        }
        if matches!(evaluate(&self.program, &size), Some(Value::Int(value)) if value.is_negative()) {
            let diagnostic = Diagnostic::error("bad-argument", "the size of a table cannot be negative")
                .primary(size.span, "negative");
            self.report(diagnostic);
            return None;
        }
        Some(size)
    }

    fn constant_bool(&mut self, written: &ast::Expr) -> Option<bool> {
        let value = self.expr_of_type(written, Types::BOOL);
        match evaluate(&self.program, &value) {
            Some(Value::Bool(value)) => Some(value),
            _ if value.ty == Types::POISON => None,
            _ => {
                let diagnostic = Diagnostic::error("not-constant", "this property must be constant")
                    .primary(written.span, "not known at compile time");
                self.report(diagnostic);
                None
            }
        }
    }

    /// A number for priorities, at least `least`.
    fn priority_number(&mut self, written: &ast::Expr, least: i64) -> Option<i64> {
        let value = self.constant_integer(written, "priority")?;
        self.priority_in_range(value.to_i64(), least, written.span)
    }

    fn priority_in_range(&mut self, value: Option<i64>, least: i64, span: Span) -> Option<i64> {
        let most = i64::from(i32::MAX);
        let good = value.filter(|value| (least..=most).contains(value));
        if good.is_none() {
            let diagnostic = Diagnostic::error("bad-priority", "this priority is out of range")
                .primary(span, format!("must be from {least} to {most}"));
            self.report(diagnostic);
        }
        good
    }

    fn table_property(
        &mut self,
        property: &ast::TableProperty,
        custom: &ast::CustomProperty,
    ) -> Option<TableProperty> {
        let value = self.expr(&custom.value, None);
        if value.ty == Types::POISON {
            return None;
        }
        if !is_compile_time(&self.program, &value) {
            let message = format!("property `{}` must be constant", custom.name);
            let diagnostic = Diagnostic::error("not-constant", message)
                .primary(custom.value.span, "not known at compile time");
            self.report(diagnostic);
            return None;
        }
        let annotations = self.annotations(&property.annotations);
        Some(TableProperty {
            name: self.hir_name(&custom.name),
            value,
            is_const: custom.is_const,
            annotations,
        })
    }

    fn entries(&mut self, written: &ast::EntriesProperty, table: &Partial, name_span: Span) -> Vec<Entry> {
        if table.keys.is_empty() && !written.entries.is_empty() {
            let diagnostic = Diagnostic::error("entries-without-key", "a table without key has no entries")
                .primary(name_span, "has `entries` but no `key`")
                .note("its default action always runs");
            self.report(diagnostic);
            return Vec::new();
        }
        let types: Vec<TypeId> = table.keys.iter().map(|key| key.expr.ty).collect();
        let mut entries = Vec::new();
        let mut given: Vec<Option<i64>> = Vec::new();
        for entry in &written.entries {
            let priority = match &entry.priority {
                None => None,
                Some(ast::EntryPriority::Literal(literal, span)) => {
                    self.priority_in_range(literal.value.to_i64(), 0, *span)
                }
                Some(ast::EntryPriority::Expr(expr)) => self.priority_number(expr, 0),
            };
            let keyset = self.keyset(&entry.keyset, &types, KeysetHome::Entry);
            let call =
                self.action_call(&entry.action.name, entry.action.args.as_deref(), table, entry.action.span);
            let annotations = self.annotations(&entry.annotations);
            let (Some(keyset), Some(call)) = (keyset, call) else { continue };
            let listed = &table.actions[call.action];
            if listed.annotations.has("defaultonly") && listed.span != name_span {
                let message = format!("`{}` is marked @defaultonly", entry.action.name.name);
                let diagnostic = Diagnostic::error("action-not-allowed", message)
                    .primary(entry.action.span, "cannot stand in an entry")
                    .secondary(listed.span, "listed here");
                self.report(diagnostic);
            }
            self.check_entry_kinds(&keyset, table);
            given.push(priority);
            entries.push(Entry {
                keyset,
                call,
                priority: 0,
                is_const: written.is_const || entry.is_const,
                annotations,
                span: entry.span,
            });
        }
        self.number_entries(&mut entries, &given, table);
        entries
    }

    /// Masks, ranges and don't-cares only where the match kind has them.
    fn check_entry_kinds(&mut self, keyset: &hir::Keyset, table: &Partial) {
        for (element, key) in keyset.elements.iter().zip(&table.keys) {
            let kind = self.program.match_kinds[key.match_kind].0.name.text.clone();
            let (what, span) = match element {
                hir::KeysetElement::Mask { value, .. } => ("a mask", value.span),
                hir::KeysetElement::Range { low, .. } => ("a range", low.span),
                hir::KeysetElement::Any => ("`_`", keyset.span),
                _ => continue,
            };
            let unfit = matches!(
                (kind.as_str(), element),
                ("exact", _)
                    | ("range", hir::KeysetElement::Mask { .. })
                    | ("lpm" | "ternary" | "optional", hir::KeysetElement::Range { .. })
                    | ("optional", hir::KeysetElement::Mask { .. })
            );
            if let (hir::KeysetElement::Mask { mask, .. }, "lpm") = (element, kind.as_str()) {
                self.check_prefix(mask, &key.name);
            }
            if unfit {
                let message = format!("{what} cannot match key `{}`, which is {kind}", key.name);
                let diagnostic = Diagnostic::error("bad-keyset", message)
                    .primary(span, format!("not for {kind} keys"))
                    .secondary(key.span, "the key");
                self.report(diagnostic);
            }
        }
    }

    /// Reports a mask that is not ones followed by zeros.
    fn check_prefix(&mut self, mask: &hir::Expr, key: &str) {
        let Some((_, width)) = representation(&self.program, mask.ty) else { return };
        let Some(Value::Int(value)) = evaluate(&self.program, mask) else { return };
        let bits = wrap(&value, false, width);
        let zeros = bits.trailing_zeros().unwrap_or(u64::from(width)).min(u64::from(width));
        let host = wrap(&!&bits, false, width);
        if host != (num_bigint::BigInt::from(1) << zeros) - 1 {
            let message = format!("key `{key}` is lpm: its mask must be a prefix");
            let diagnostic =
                Diagnostic::error("bad-keyset", message).primary(mask.span, "not ones followed by zeros");
            self.report(diagnostic);
        }
    }

    /// Priorities of entries that have none written (P4_16 section 14.2.1.4.1).
    fn number_entries(&mut self, entries: &mut [Entry], given: &[Option<i64>], table: &Partial) {
        let delta = table.priority_delta;
        if given.iter().all(Option::is_none) {
            let count = entries.len();
            for (index, entry) in entries.iter_mut().enumerate() {
                let rank = if table.largest_priority_wins { count - 1 - index } else { index };
                entry.priority = (rank as i64).saturating_mul(delta).saturating_add(1);
            }
            return;
        }
        let mut last: Option<i64> = None;
        for (entry, priority) in entries.iter_mut().zip(given) {
            let next = match (priority, last) {
                (Some(priority), _) => *priority,
                (None, Some(last)) if table.largest_priority_wins => last.saturating_sub(delta),
                (None, Some(last)) => last.saturating_add(delta),
                (None, None) => {
                    let diagnostic =
                        Diagnostic::error("bad-priority", "the first entry must have a priority too")
                            .primary(entry.span, "has none, but a later entry has")
                            .note("write `priority = 10 : ...`");
                    self.report(diagnostic);
                    return;
                }
            };
            if priority.is_none() && self.priority_in_range(Some(next), 0, entry.span).is_none() {
                return;
            }
            entry.priority = next;
            last = Some(next);
        }
    }
}

/// The control plane's name of a key, from its expression (P4_16 section 18.3.1.3).
fn key_name(expr: &ast::Expr) -> Option<String> {
    Some(match &expr.kind {
        ast::ExprKind::Name(path) => path.name.text.to_string(),
        ast::ExprKind::Integer(literal) => literal.value.to_string(),
        ast::ExprKind::Bool(value) => value.to_string(),
        ast::ExprKind::ErrorMember(name) => format!("error.{name}"),
        ast::ExprKind::Member(member) => format!("{}.{}", key_name(&member.base)?, member.member),
        ast::ExprKind::Index(index) => format!("{}[{}]", key_name(&index.base)?, key_name(&index.index)?),
        ast::ExprKind::Slice(slice) => {
            format!("{}[{}:{}]", key_name(&slice.base)?, key_name(&slice.high)?, key_name(&slice.low)?)
        }
        ast::ExprKind::Binary(binary) if binary.op == ast::BinaryOp::BitAnd => {
            let ast::ExprKind::Integer(mask) = &binary.right.kind else { return None };
            format!("{} & {mask}", key_name(&binary.left)?)
        }
        ast::ExprKind::Call(call) => match &call.callee.kind {
            ast::ExprKind::Member(member) if member.member.as_str() == "isValid" && call.args.is_empty() => {
                format!("{}.isValid()", key_name(&member.base)?)
            }
            _ => return None,
        },
        _ => return None,
    })
}
