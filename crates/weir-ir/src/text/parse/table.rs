//! Actions and tables.

use std::collections::BTreeMap;

use crate::arena::Id;
use crate::loc::Loc;
use crate::program::{
    Action, ActionCall, ActionParam, ActionRef, Composed, Entry, Key, PropertyValue, Table,
};

use super::super::lex::Word;
use super::{Reader, Result};

impl Reader {
    /// Parses an action.
    pub(super) fn action(&mut self) -> Result<()> {
        let name = self.name("a name")?;
        let control_plane =
            if self.eat_keyword("as") { Some(self.name("the control plane's name")?) } else { None };
        self.expect("(")?;
        let params = self.list(")", |reader| {
            let name = reader.name("a parameter")?;
            reader.expect("=")?;
            let var = reader.var()?;
            let declared = reader.declared()?;
            Ok(ActionParam { name, var, declared, annotations: reader.annotations()? })
        })?;
        let annotations = self.annotations()?;
        let loc = self.loc();
        let body = self.block()?;
        self.program.actions.push(Action { name, control_plane, params, body, annotations, loc });
        Ok(())
    }

    fn action_call(&mut self) -> Result<ActionCall> {
        let action = self.known_name("an action", |names| &names.actions)?;
        self.expect("(")?;
        Ok(ActionCall { action, args: self.list(")", Self::untyped_constant)? })
    }

    /// Parses a table.
    pub(super) fn table(&mut self) -> Result<()> {
        let name = self.name("a name")?;
        let annotations = self.annotations()?;
        let loc = self.loc();
        let mut table = Table {
            name,
            keys: Vec::new(),
            actions: Vec::new(),
            default_action: ActionCall { action: Id::new(0), args: Vec::new() },
            const_default: false,
            entries: Vec::new(),
            const_entries: false,
            size: None,
            implementation: None,
            attached: Vec::new(),
            properties: Vec::new(),
            property_locs: BTreeMap::new(),
            annotations,
            loc,
        };
        self.expect("{")?;
        let mut has_default = false;
        while !self.is_symbol("}") {
            let property = self.name("a property of the table or `}`")?;
            match property.as_str() {
                "key" => {
                    let name = self.name("the key's name")?;
                    self.expect(":")?;
                    let match_kind = self.name("a match kind")?;
                    let expr = self.expr()?;
                    let declared = self.declared()?;
                    let annotations = self.annotations()?;
                    table.keys.push(Key { name, expr, declared, match_kind, annotations, loc: self.loc() });
                }
                "action" => {
                    let action = self.known_name("an action", |names| &names.actions)?;
                    let default_only = self.eat_keyword("default_only");
                    let table_only = self.eat_keyword("table_only");
                    let group_only = self.eat_keyword("group_only");
                    let composed = if self.eat_keyword("composed") {
                        let first = self.known_name("an action", |names| &names.actions)?;
                        let second = self.known_name("an action", |names| &names.actions)?;
                        Some(Composed { first, second })
                    } else {
                        None
                    };
                    let annotations = self.annotations()?;
                    table.actions.push(ActionRef {
                        action,
                        default_only,
                        table_only,
                        group_only,
                        composed,
                        annotations,
                    });
                }
                "default" => {
                    has_default = true;
                    table.default_action = self.action_call()?;
                    table.const_default = self.eat_keyword("const");
                }
                "entry" => {
                    self.expect("(")?;
                    let keysets = self.list(")", Self::keyset)?;
                    self.expect("->")?;
                    let call = self.action_call()?;
                    let priority = if self.eat_keyword("priority") { Some(self.unsigned()?) } else { None };
                    let is_const = self.eat_keyword("const");
                    table.entries.push(Entry { keysets, call, priority, is_const, loc: self.loc() });
                }
                "const_entries" => table.const_entries = true,
                "size" => table.size = Some(self.unsigned()?),
                "implementation" => {
                    table.implementation = Some(self.known_name("an extern object", |names| &names.externs)?);
                    self.property_loc(&mut table, property);
                }
                "attached" => {
                    let property = self.name("a property")?;
                    self.expect("=")?;
                    let object = self.known_name("an extern object", |names| &names.externs)?;
                    table.attached.push((property.clone(), object));
                    self.property_loc(&mut table, property);
                }
                "property" => {
                    let property = self.name("a property")?;
                    self.expect("=")?;
                    let value = match self.next_word() {
                        Word::Symbol("(") => PropertyValue::Call(self.action_call()?),
                        _ => self.property()?,
                    };
                    table.properties.push((property.clone(), value));
                    self.property_loc(&mut table, property);
                }
                other => return self.error_before(format!("a table has no `{other}`")),
            }
        }
        if !has_default {
            return self.error(format!("the table `{}` has no `default` action", table.name));
        }
        self.step();
        self.program.tables.push(table);
        Ok(())
    }

    fn property_loc(&mut self, table: &mut Table, property: String) {
        let loc = self.loc();
        if loc != Loc::NONE {
            table.property_locs.insert(property, loc);
        }
    }
}
