//! Actions, tables and their entries.

use crate::program::{ActionCall, ActionRef, Keyset, PropertyValue, Table, VarRole};
use crate::types::Type;

use super::Validator;
use super::stmt::StmtContext;

impl Validator<'_> {
    /// Checks all actions and tables.
    pub(super) fn tables(&mut self) {
        let mut owners = vec![0u32; self.program.vars.len()];
        for action in self.program.actions.values() {
            self.enter(&action.name, action.loc);
            self.unique(action.params.iter().map(|p| p.name.as_str()), "parameters");
            for param in &action.params {
                let var = &self.program.vars[param.var];
                owners[param.var.index()] += 1;
                self.check(var.role == VarRole::Plain && !matches!(var.ty, Type::Varbit { .. }), |_| {
                    format!("the parameter `{}` is not a plain variable of fixed width", param.name)
                });
                self.check(owners[param.var.index()] == 1, |_| {
                    format!("`{}` is the variable of two action parameters", var.name)
                });
            }
            self.block(&action.body, StmtContext { may_return: true, ..StmtContext::default() });
        }
        self.program.tables.values().for_each(|table| self.table(table));
    }

    /// Checks a table.
    fn table(&mut self, table: &Table) {
        self.enter(&table.name, table.loc);
        self.unique(
            table
                .actions
                .iter()
                .map(|a| self.program.actions[a.action].control_plane_name())
                .collect::<Vec<_>>(),
            "actions",
        );
        for listed in &table.actions {
            let Some(pair) = listed.composed else { continue };
            let is_listed = |id| table.listed().any(|listed| listed.action == id);
            self.check(is_listed(pair.first) && is_listed(pair.second), |program| {
                let name = &program.actions[listed.action].name;
                format!("the action `{name}` is composed of actions that the table does not list")
            });
        }
        self.call(table, &table.default_action, true);
        for (_, value) in &table.properties {
            if let PropertyValue::Call(call) = value {
                // A property may call each of the table's actions.
                let for_default = |listed: &ActionRef| listed.action == call.action && listed.default_only;
                self.call(table, call, table.actions.iter().any(for_default));
            }
        }
        for key in &table.keys {
            self.enter(&table.name, key.loc);
            self.expr(&key.expr);
            self.check(!matches!(key.expr.ty, Type::Varbit { .. }), |_| {
                format!("the key `{}` is a varbit, which no table can match", key.name)
            });
        }
        for entry in &table.entries {
            self.enter(&table.name, entry.loc);
            self.call(table, &entry.call, false);
            self.check(entry.keysets.len() == table.keys.len(), |_| {
                format!("an entry has {} keysets for {} keys", entry.keysets.len(), table.keys.len())
            });
            for (keyset, key) in entry.keysets.iter().zip(&table.keys) {
                self.check(!matches!(keyset, Keyset::Set(_)), |_| "an entry has a value set".into());
                self.keyset(keyset, key.expr.ty);
            }
        }
    }

    /// Checks that a keyset's constants have the key's width.
    pub(super) fn keyset(&mut self, keyset: &Keyset, ty: Type) {
        let constants = match keyset {
            Keyset::Any | Keyset::Set(_) => return,
            Keyset::Value(value) => vec![value],
            Keyset::Mask(a, b) | Keyset::Range(a, b) => vec![a, b],
        };
        for constant in constants {
            self.check(constant.width() == ty.width(), |program| {
                format!(
                    "the keyset's {constant:?} does not have the width of its key, {}",
                    crate::text::ty(program, ty)
                )
            });
        }
    }

    /// Checks a call of an action by an entry or default.
    fn call(&mut self, table: &Table, call: &ActionCall, is_default: bool) {
        let action = &self.program.actions[call.action];
        match table.actions.iter().find(|listed| listed.action == call.action) {
            None => self.fail(format!("the action `{}` is not in the table's list", action.name)),
            Some(listed) if is_default && listed.table_only => {
                self.fail(format!("the action `{}` is for entries only, but is the default", action.name));
            }
            Some(listed) if !is_default && listed.default_only => {
                self.fail(format!(
                    "the action `{}` is for the default only, but an entry has it",
                    action.name
                ));
            }
            Some(listed) if listed.group_only || listed.composed.is_some() => {
                self.fail(format!(
                    "the action `{}` is for action sets only, but an entry or the default has it",
                    action.name
                ));
            }
            Some(_) => {}
        }
        self.check(call.args.len() == action.params.len(), |_| {
            format!(
                "the action `{}` has {} parameters, but {} values are given",
                action.name,
                action.params.len(),
                call.args.len()
            )
        });
        for (arg, param) in call.args.iter().zip(&action.params) {
            self.check_constant(
                arg,
                self.program.vars[param.var].ty,
                &format!("the value of `{}`,", param.name),
            );
        }
    }
}
