//! Checks tables: keys, actions, default action, entries and other properties (P4_16 section 14.2).

use indexmap::IndexMap;
use num_traits::Signed;
use rustc_hash::FxHashMap;
use weir_syntax::ast::{self, TablePropertyKind as Kind};
use weir_syntax::{Diagnostic, Span};

use super::constant::{Value, evaluate, is_compile_time};
use super::scope::Symbol;
use super::{Checker, Context, Place};
use crate::hir::{self, ItemKind, Table, TableAction, TableKey, TableProperty, Type, Types};

/// The parts of a table checked so far, which later properties refer to.
pub(super) struct PartialTable {
    pub name: hir::Name,
    pub keys: Vec<TableKey>,
    pub actions: Vec<TableAction>,
    /// The index of each action in `actions`.
    pub positions: FxHashMap<hir::ActionId, usize>,
    /// For each action, the arguments bound to its parameters with a direction, as written.
    pub bound: Vec<Vec<ast::Argument>>,
    pub largest_priority_wins: bool,
    pub priority_delta: i64,
}

impl Checker<'_> {
    /// Checks the declaration of a table.
    pub(super) fn table(
        &mut self,
        declaration: &ast::Declaration,
        name: &ast::Name,
        written: &ast::TableDecl,
    ) -> Option<hir::TableId> {
        let outer = self.table.replace((name.text.to_string(), name.span));
        let table = self.table_properties(declaration, name, written);
        self.table = outer;
        let id = self.program.tables.push(table);
        self.declare(name, Symbol::Table(id), Some("table"));
        Some(id)
    }

    fn table_properties(
        &mut self,
        declaration: &ast::Declaration,
        name: &ast::Name,
        written: &ast::TableDecl,
    ) -> Table {
        self.single_properties(written);
        self.ordered_properties(written);
        let annotations = self.annotations_of(declaration, ItemKind::Table);
        let mut table = PartialTable {
            name: self.hir_name(name),
            keys: Vec::new(),
            actions: Vec::new(),
            positions: FxHashMap::default(),
            bound: Vec::new(),
            largest_priority_wins: true,
            priority_delta: 1,
        };
        // Keys and arguments bound in the action list are evaluated when the table is applied.
        let (keys, _) = self.in_context(Context::new(Place::ControlApply), |c| {
            written.key().iter().map(|key| c.table_key(key)).collect::<Vec<Option<TableKey>>>()
        });
        let keys_valid = keys.iter().all(Option::is_some);
        table.keys = keys.into_iter().flatten().collect();
        let has_actions = written.properties.iter().any(|p| matches!(p.kind, Kind::Actions(_)));
        if !has_actions {
            let diagnostic = Diagnostic::error("missing-actions", format!("table `{name}` has no `actions`"))
                .primary(name.span, "expected `actions = { ... }` among its properties");
            self.report(diagnostic);
        }
        let (actions, _) =
            self.in_context(Context::new(Place::ControlApply), |c| c.table_actions(written.actions()));
        let actions_valid = has_actions && actions.is_some();
        table.actions = actions.unwrap_or_default();
        table.positions =
            table.actions.iter().enumerate().map(|(index, listed)| (listed.action, index)).collect();
        if actions_valid {
            let bound = |item: &ast::ActionListItem| item.action.args.clone().unwrap_or_default();
            table.bound = written.actions().iter().map(bound).collect();
        }

        let (mut default_action, mut size) = (None, None);
        let (mut properties, mut action_properties) = (Vec::new(), Vec::new());
        for property in &written.properties {
            let Kind::Custom(custom) = &property.kind else {
                self.annotations(&property.annotations, ItemKind::Property, property.span);
                continue;
            };
            match custom.name.as_str() {
                "default_action" => {
                    if actions_valid {
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
                _ if self.is_action_property(custom) => {
                    if actions_valid {
                        action_properties.extend(self.action_property(custom, &table));
                    }
                }
                _ => {
                    properties.extend(self.table_property(property, custom));
                    continue;
                }
            }
            self.annotations(&property.annotations, ItemKind::Property, property.span);
        }
        if actions_valid && written.custom("default_action").is_none() {
            default_action = self.no_action(&mut table, name.span);
        }
        let (mut entries, mut const_entries) = (Vec::new(), false);
        if let Some(given) = written.entries() {
            const_entries = given.is_const;
            if keys_valid && actions_valid {
                entries = self.entries(given, &table, name.span);
            }
        }
        if keys_valid {
            self.ignored_properties(written, &table, size.as_ref());
        }
        Table {
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
            action_properties,
            span: declaration.span,
        }
    }

    /// Reports properties that a table has twice.
    pub(super) fn single_properties(&mut self, written: &ast::TableDecl) {
        let mut seen: IndexMap<&str, Span> = IndexMap::new();
        for property in &written.properties {
            let name = match &property.kind {
                Kind::Key(_) => "key",
                Kind::Actions(_) => "actions",
                Kind::Entries(_) => "entries",
                Kind::Custom(custom) => custom.name.as_str(),
            };
            if let Some(&first) = seen.get(name) {
                let message = format!("duplicate property `{name}`");
                let diagnostic = Diagnostic::error("duplicate-property", message)
                    .primary(property.span, "again here")
                    .secondary(first, "first here");
                self.report(diagnostic);
            } else {
                seen.insert(name, property.span);
            }
        }
    }

    /// Reports properties that come before the properties they refer to.
    pub(super) fn ordered_properties(&mut self, written: &ast::TableDecl) {
        let position = |wanted: fn(&Kind) -> bool| written.properties.iter().position(|p| wanted(&p.kind));
        let key = position(|kind| matches!(kind, Kind::Key(_)));
        let actions = position(|kind| matches!(kind, Kind::Actions(_)));
        let entries = position(|kind| matches!(kind, Kind::Entries(_)));
        let default =
            position(|kind| matches!(kind, Kind::Custom(custom) if custom.name.as_str() == "default_action"));
        for (early, what, late, needed) in [
            (default, "default_action", actions, "actions"),
            (entries, "entries", actions, "actions"),
            (entries, "entries", key, "key"),
        ] {
            let (Some(early), Some(late)) = (early, late) else { continue };
            if early < late {
                let message = format!("`{what}` must follow `{needed}`");
                let diagnostic = Diagnostic::error("property-order", message)
                    .primary(written.properties[early].span, "refers to a property below")
                    .secondary(written.properties[late].span, format!("`{needed}`"));
                self.report(diagnostic);
            }
        }
    }

    pub(super) fn table_key(&mut self, written: &ast::KeyElement) -> Option<TableKey> {
        let expr = self.expr(&written.expr, None);
        let annotations = self.annotations(&written.annotations, ItemKind::Key, written.span);
        let match_kind = self.match_kind(&written.match_kind);
        if expr.ty == Types::POISON {
            return None;
        }
        let matchable = matches!(
            self.program.types[expr.ty],
            Type::Bits { .. } | Type::Bool | Type::Enum(_) | Type::Error | Type::Newtype(_)
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
            None => match self.renamed_key(&expr).or_else(|| key_name(&written.expr)) {
                Some(name) => name,
                None => {
                    let diagnostic =
                        Diagnostic::error("unnamed-key", "this key needs a name for the control plane")
                            .primary(expr.span, "no name can be derived from this expression")
                            .suggest("name it", written.match_kind.span.after(), " @name(\"...\")");
                    self.report(diagnostic);
                    return None;
                }
            },
        };
        Some(TableKey { expr, name, match_kind: match_kind?, annotations, span: written.span })
    }

    /// Returns the name of a key if a field in it has a control-plane name from `@name`; a name
    /// that begins with a dot replaces the part before it.
    fn renamed_key(&self, expr: &hir::Expr) -> Option<String> {
        let (base, field) = match &expr.kind {
            hir::ExprKind::Field { base, field } => (base, field),
            hir::ExprKind::IsValid(base) => return Some(format!("{}.isValid()", self.renamed_key(base)?)),
            hir::ExprKind::Slice { base, high, low } => {
                return Some(format!("{}[{high}:{low}]", self.renamed_key(base)?));
            }
            hir::ExprKind::Index { base, index } => {
                let hir::ExprKind::Int(index) = &index.kind else { return None };
                return Some(format!("{}[{index}]", self.renamed_key(base)?));
            }
            _ => return None,
        };
        let Type::Record { decl, .. } = self.program.types[base.ty] else { return None };
        let declared = &self.program.records[decl].fields[*field];
        match declared.annotations.control_plane_name() {
            Some(name) if name.starts_with('.') => Some(name[1..].to_owned()),
            Some(name) => Some(format!("{}.{name}", self.key_prefix(base)?)),
            None => Some(format!("{}.{}", self.renamed_key(base)?, declared.name.text)),
        }
    }

    /// Returns the name of the record that a field belongs to.
    fn key_prefix(&self, expr: &hir::Expr) -> Option<String> {
        if let Some(name) = self.renamed_key(expr) {
            return Some(name);
        }
        match &expr.kind {
            hir::ExprKind::Var(id) => Some(self.program.vars[*id].name.text.clone()),
            hir::ExprKind::Field { base, field } => {
                let Type::Record { decl, .. } = self.program.types[base.ty] else { return None };
                let name = &self.program.records[decl].fields[*field].name.text;
                Some(format!("{}.{name}", self.key_prefix(base)?))
            }
            _ => None,
        }
    }

    pub(super) fn match_kind(&mut self, name: &ast::Name) -> Option<hir::MatchKindId> {
        if let Some(&id) = self.match_kinds.get(name.as_str()) {
            return Some(id);
        }
        let mut diagnostic = Diagnostic::error("unknown-match-kind", format!("unknown match kind `{name}`"))
            .primary(name.span, "not declared in any `match_kind { ... }`");
        let kinds: Vec<&str> = self.match_kinds.keys().map(String::as_str).collect();
        let habit = super::habits::match_kind(name.as_str()).filter(|kind| kinds.contains(kind));
        if let Some(nearest) = habit.or_else(|| self.nearest_name(name.as_str(), || kinds.iter().copied())) {
            diagnostic = diagnostic.suggest(format!("did you mean `{nearest}`?"), name.span, nearest);
        } else if !kinds.is_empty() {
            diagnostic = diagnostic.note(format!("there are {}", super::habits::list_names(&kinds)));
        } else {
            diagnostic = diagnostic.note("`#include <core.p4>` declares exact, ternary and lpm");
        }
        self.report(diagnostic);
        None
    }

    pub(super) fn table_size(&mut self, written: &ast::Expr) -> Option<hir::Expr> {
        let size = self.expr(written, None);
        match self.program.types[size.ty] {
            Type::Int | Type::Bits { .. } => {}
            Type::Poison => return None,
            _ => {
                let message = format!("the size of a table must be a number, not {}", self.show(size.ty));
                self.report(
                    Diagnostic::error("type-mismatch", message).primary(size.span, "expected a number"),
                );
                return None;
            }
        }
        if !is_compile_time(&self.program, &size) {
            let diagnostic =
                Diagnostic::error("not-constant", "the size of a table must be a compile-time constant")
                    .primary(size.span, "value not known at compile time");
            self.report(diagnostic);
            return None;
        }
        if matches!(evaluate(&self.program, &size), Some(Value::Int(value)) if value.is_negative()) {
            let diagnostic = Diagnostic::error("bad-argument", "the size of a table cannot be negative")
                .primary(size.span, "this is negative");
            self.report(diagnostic);
            return None;
        }
        Some(size)
    }

    pub(super) fn constant_bool(&mut self, written: &ast::Expr) -> Option<bool> {
        let value = self.expr_of_type(written, Types::BOOL);
        match evaluate(&self.program, &value) {
            Some(Value::Bool(value)) => Some(value),
            _ if value.ty == Types::POISON => None,
            _ => {
                let diagnostic =
                    Diagnostic::error("not-constant", "this property must be a compile-time constant")
                        .primary(written.span, "value not known at compile time");
                self.report(diagnostic);
                None
            }
        }
    }

    pub(super) fn table_property(
        &mut self,
        property: &ast::TableProperty,
        custom: &ast::CustomProperty,
    ) -> Option<TableProperty> {
        if self.calls_action(&custom.value) {
            let message = format!("the property `{}` cannot call an action", custom.name);
            let diagnostic = Diagnostic::error("misplaced-call", message)
                .primary(custom.value.span, "an action")
                .suggest("did you mean `default_action`?", custom.name.span, "default_action");
            self.report(diagnostic);
            return None;
        }
        let value = self.expr(&custom.value, None);
        if value.ty == Types::POISON {
            return None;
        }
        if !is_compile_time(&self.program, &value) {
            let message = format!("property `{}` must be a compile-time constant", custom.name);
            let diagnostic = Diagnostic::error("not-constant", message)
                .primary(custom.value.span, "value not known at compile time");
            self.report(diagnostic);
            return None;
        }
        let kind = match value.kind {
            hir::ExprKind::Construct(_) => ItemKind::ObjectProperty,
            _ => ItemKind::Property,
        };
        let annotations = self.annotations(&property.annotations, kind, property.span);
        Some(TableProperty {
            name: self.hir_name(&custom.name),
            value,
            is_const: custom.is_const,
            annotations,
        })
    }
}

/// Returns the control plane's name of a key, derived from its expression (P4_16 section 18.3.1.3).
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
        ast::ExprKind::Chain(chain) => {
            let mut name = key_name(&chain.first)?;
            for link in &chain.links {
                let (ast::BinaryOp::BitAnd, ast::ExprKind::Integer(mask)) = (link.op, &link.operand.kind)
                else {
                    return None;
                };
                name.push_str(&format!(" & {mask}"));
            }
            name
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
