//! Declarations and applications of tables.

use std::collections::BTreeMap;
use std::rc::Rc;

use num_traits::ToPrimitive;
use rustc_hash::FxHashSet;
use weir_ir as ir;
use weir_ir::StmtKind;
use weir_syntax::{Diagnostic, Span};

use super::bound_action::ListedAction;
use super::callable::LoweredTable;
use super::context::{BodyKind, Context};
use super::names::{self, NameKind};
use super::object::Object;
use super::value::Value;
use super::{Lowered, Lowerer, scan};
use crate::hir::{self, ExprKind, Types};

impl Lowerer<'_> {
    /// Lowers a table in the current frame.
    pub(super) fn declare_table(&mut self, id: hir::TableId) -> Lowered<()> {
        let table = &self.hir.tables[id];
        let frame = self.cx.frame;
        let name =
            names::control_plane(&self.frames[frame].control_plane, &table.name.text, &table.annotations);
        self.claim_name(NameKind::Table, &name, table.name.span)?;
        let (keys, before) = self.keys(table)?;
        let mut actions = Vec::with_capacity(table.actions.len());
        let mut may_unwind = false;
        let mut variants = Vec::new();
        let mut listed = FxHashSet::default();
        for item in &table.actions {
            let ListedAction { action, may_unwind: unwinds, variant } = self.table_action(item)?;
            may_unwind |= unwinds;
            variants.extend(variant);
            let outside = self.out.actions[action].control_plane_name();
            if !listed.insert(outside.to_string()) {
                let message = format!("two actions of this table have the control-plane name `{outside}`");
                return self.refuse(
                    Diagnostic::error("duplicate-control-plane-name", message)
                        .primary(item.span, "the second action")
                        .note("rename one of them with `@name(\"…\")`"),
                );
            }
            self.claim_action(action, item.span)?;
            actions.push(ir::ActionRef {
                action,
                default_only: item.annotations.contains("defaultonly"),
                table_only: item.annotations.contains("tableonly"),
                group_only: item.annotations.contains("groupaction"),
                composed: None,
                annotations: names::annotations(&item.annotations),
            });
        }
        let default_action = match &table.default_action {
            Some(default) => self.entry_call(&default.call, &actions)?,
            None => self.no_action(&mut actions, table.name.span)?,
        };
        let entries = self.entries(table, &keys, &actions)?;
        let size = match &table.size {
            Some(size) => self.table_size(size)?,
            None => None,
        };
        let properties = self.properties(table, &name)?;
        let loc = self.loc(table.name.span);
        let lowered = self.out.tables.push(ir::Table {
            name,
            keys,
            actions,
            default_action,
            const_default: table.default_action.as_ref().is_some_and(|default| default.is_const),
            entries,
            const_entries: table.const_entries,
            size,
            implementation: properties.implementation,
            attached: properties.attached,
            properties: properties.others,
            property_locs: properties.locs,
            annotations: names::annotations(&table.annotations),
            loc,
        });
        self.frames[frame]
            .tables
            .insert(id, Rc::new(LoweredTable { id: lowered, before, may_unwind, variants }));
        Ok(())
    }

    /// Reserves the control-plane name of an action for the tables of the program.
    ///
    /// Programs translated from P4_14 declare an action in each control that uses it, with one
    /// absolute name. To the control plane such copies are one action, so they must have the same
    /// parameters.
    fn claim_action(&mut self, id: ir::ActionId, span: Span) -> Lowered<()> {
        let frame = self.cx.frame;
        let action = &self.out.actions[id];
        if action.annotations.iter().any(|one| one.name == "hidden") {
            return Ok(());
        }
        let name = action.control_plane_name().to_owned();
        let (first, declared) = *self.listed_actions.entry(name.clone()).or_insert((id, frame));
        if first == id {
            return Ok(());
        }
        let parts = |id: ir::ActionId| -> Vec<_> {
            let params = self.out.actions[id].params.iter();
            params.map(|param| (&param.name, self.out.vars[param.var].ty)).collect()
        };
        let message = if declared == frame {
            format!("two actions have the control-plane name `{name}`")
        } else if parts(first) != parts(id) {
            format!("two actions with different parameters have the control-plane name `{name}`")
        } else {
            return Ok(());
        };
        self.refuse(
            Diagnostic::error("duplicate-control-plane-name", message)
                .primary(span, "the second action")
                .note("rename one of them with `@name(\"…\")`"),
        )
    }

    /// Lowers the keys. Returns pure expressions, and the statements that must run before they are
    /// evaluated.
    fn keys(&mut self, table: &hir::Table) -> Lowered<(Vec<ir::Key>, Vec<ir::Stmt>)> {
        let loc = self.loc(table.name.span);
        let outer = std::mem::replace(&mut self.cx.loc, loc);
        let result = self.repeatable_code(|this| this.collect(|this| this.key_list(table)));
        self.cx.loc = outer;
        result
    }

    fn key_list(&mut self, table: &hir::Table) -> Lowered<Vec<ir::Key>> {
        let exprs: Vec<&hir::Expr> = table.keys.iter().map(|key| &key.expr).collect();
        let values = self.values(&exprs)?;
        // The statements of all keys run before the lookup, so pure keys need not be saved.
        let mut keys = Vec::with_capacity(values.len());
        for (key, value) in table.keys.iter().zip(values) {
            let Value::Scalar(expr) = value else {
                let ty = self.type_name(key.expr.ty);
                return self.unsupported(key.span, &format!("a key of type `{ty}`"));
            };
            let expr = if scan::has_effects(&key.expr) { self.save_scalar(expr) } else { expr };
            let loc = self.loc(key.span);
            keys.push(ir::Key {
                name: key.name.clone(),
                expr,
                declared: self.declared(key.expr.ty),
                match_kind: self.hir.match_kinds[key.match_kind].0.name.text.clone(),
                annotations: names::annotations(&key.annotations),
                loc,
            });
        }
        Ok(keys)
    }

    /// Returns the default action of a table that specifies none, in a program without a declared
    /// `NoAction`.
    fn no_action(&mut self, actions: &mut Vec<ir::ActionRef>, span: Span) -> Lowered<ir::ActionCall> {
        let declared =
            self.out.actions.iter().find(|(_, action)| action.name == "NoAction").map(|(id, _)| id);
        let action = match declared {
            Some(action) => action,
            None => {
                self.claim_name(NameKind::Action, "NoAction", span)?;
                self.out.actions.push(ir::Action {
                    name: "NoAction".to_string(),
                    control_plane: None,
                    params: Vec::new(),
                    body: ir::Block::default(),
                    annotations: Vec::new(),
                    loc: ir::Loc::NONE,
                })
            }
        };
        if actions.iter().all(|item| item.action != action) {
            actions.push(ir::ActionRef {
                action,
                default_only: true,
                table_only: false,
                group_only: false,
                composed: None,
                annotations: Vec::new(),
            });
        }
        Ok(ir::ActionCall { action, args: Vec::new() })
    }

    /// Returns the maximum number of entries of a table. As in p4c, a size of 0 means no limit.
    /// Programs use it for tables whose size they do not guarantee.
    fn table_size(&mut self, size: &hir::Expr) -> Lowered<Option<u64>> {
        match self.constant_int(size)?.to_u64() {
            Some(size) => Ok((size > 0).then_some(size)),
            None => self.refuse(
                Diagnostic::error("table-size", "the size of a table must be between 0 and 2^64 - 1")
                    .primary(size.span, ""),
            ),
        }
    }

    /// Applies a table, and sets `hit` and `action_run` if they are given.
    pub(super) fn apply_table(
        &mut self,
        table: hir::TableId,
        hit: Option<ir::VarId>,
        action_run: Option<ir::VarId>,
        span: Span,
    ) -> Lowered<()> {
        let Some(lowered) = self.frames[self.cx.frame].tables.get(&table).cloned() else {
            // If lowering the table failed, the error was reported at its declaration.
            return self.unknown(span, "`apply` of this table at this place");
        };
        self.cx.output.extend(lowered.before.iter().cloned());
        for &(var, variant) in &lowered.variants {
            self.set(var, super::fold::u32_const(variant));
        }
        self.emit(StmtKind::Apply { table: lowered.id, hit, action_run });
        if lowered.may_unwind {
            self.continue_exit();
        }
        Ok(())
    }

    fn properties(&mut self, table: &hir::Table, table_name: &str) -> Lowered<Properties> {
        let mut properties = Properties::default();
        for property in &table.properties {
            let name = &property.name.text;
            let value = self.property(property, table_name)?;
            properties.locs.insert(name.clone(), self.loc(property.name.span));
            match value {
                Value::Object(Object::Extern(id)) if name == "implementation" => {
                    properties.implementation = Some(id);
                }
                Value::Object(Object::Extern(id)) => properties.attached.push((name.clone(), id)),
                Value::Group(objects) if objects.is_empty() => {
                    return self.unsupported(property.name.span, "an empty list as a table property");
                }
                Value::Group(objects) if objects.iter().all(|item| extern_object(item).is_some()) => {
                    let objects = objects.iter().filter_map(extern_object);
                    properties.attached.extend(objects.map(|id| (name.clone(), id)));
                }
                Value::Int(value) => properties.others.push((name.clone(), ir::PropertyValue::Int(value))),
                Value::Text(text) => properties.others.push((name.clone(), ir::PropertyValue::Text(text))),
                Value::Scalar(expr) => match super::fold::as_const(&expr) {
                    Some(bits) if expr.ty == ir::Type::Bool => {
                        properties.others.push((name.clone(), ir::PropertyValue::Bool(bits.is_true())));
                    }
                    Some(bits) => {
                        properties
                            .others
                            .push((name.clone(), ir::PropertyValue::Int(bits.to_bigint(expr.ty))));
                    }
                    None => {
                        return self.unsupported(property.name.span, "a table property that is not constant");
                    }
                },
                _ => return self.unsupported(property.name.span, "a table property of this type"),
            }
        }
        Ok(properties)
    }

    /// Lowers the value of one property, which may construct an extern.
    fn property(&mut self, property: &hir::TableProperty, table_name: &str) -> Lowered<Value> {
        let expr = &property.value;
        match &expr.kind {
            ExprKind::Construct(construct) => {
                let full = names::control_plane(table_name, &property.name.text, &property.annotations);
                // The name of the property is used without the table's name, unless another object
                // has this name.
                let own_name =
                    property.annotations.control_plane_name().map(|name| name.trim_start_matches('.'));
                let name =
                    own_name.filter(|name| !self.names.is_taken(NameKind::Extern, name)).unwrap_or(&full);
                let annotations = &property.annotations;
                self.construct(construct, Some(expr.ty), name, name, annotations, expr.span)
                    .map(Value::Object)
            }
            _ if expr.ty == Types::INT => self.int(expr).map(Value::Int),
            _ => self.constant_value(expr),
        }
    }

    /// Returns a context for a separate body of code in the current frame.
    pub(super) fn separate_body(&self) -> Context {
        Context {
            frame: self.cx.frame,
            kind: BodyKind::Routine,
            storage: self.cx.storage.clone(),
            unwind: self.cx.unwind,
            ..Context::default()
        }
    }
}

/// The lowered properties of a table.
#[derive(Default)]
struct Properties {
    implementation: Option<ir::ExternId>,
    attached: Vec<(String, ir::ExternId)>,
    others: Vec<(String, ir::PropertyValue)>,
    locs: BTreeMap<String, ir::Loc>,
}

fn extern_object(value: &Value) -> Option<ir::ExternId> {
    match value {
        Value::Object(Object::Extern(id)) => Some(*id),
        _ => None,
    }
}
