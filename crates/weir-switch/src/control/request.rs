//! From names and numbers of requests to positions and widths of the program, and back.

use std::sync::Arc;

use weir_device::Nanos;
use weir_ir::{ActionCall, ExternId, TableId};

use super::batch::{PatternWords, TableNames};
use super::error::ControlError;
use super::names::resolve;
use super::schema::TableSchema;
use super::words::{accept, put};
use super::{Call, Control, Entry, EntryRef, Match};
use crate::externs::profile::Outcome;
use crate::tables::{MatchKind, OwnedTable, accepts};

impl Control<'_> {
    pub(super) fn table_id(&self, name: &str) -> Result<TableId, ControlError> {
        let index = resolve("table", None, name, self.schema.tables.iter().map(|t| t.name.as_str()))?;
        Ok(TableId::new(index))
    }

    pub(super) fn table_schema(&self, table: TableId) -> &TableSchema {
        &self.schema.tables[table.index()]
    }

    pub(super) fn table_ref(&self, table: TableId) -> &OwnedTable {
        &self.state.tables[table.index()]
    }

    pub(super) fn table_mut(&mut self, table: TableId) -> &mut OwnedTable {
        &mut self.state.tables[table.index()]
    }

    /// An extern object of this type by its name.
    pub(super) fn object(&self, kind: &'static str, name: &str) -> Result<ExternId, ControlError> {
        let of_kind: Vec<_> = self.program.externs.iter().filter(|(_, object)| object.kind == kind).collect();
        let index = resolve(kind, None, name, of_kind.iter().map(|(_, object)| object.name.as_str()))?;
        Ok(of_kind[index].0)
    }

    /// What the keys accept, those left out anything.
    pub(super) fn read_matches(
        &self,
        names: &mut TableNames,
        matches: &[(String, Match)],
        pattern: &mut PatternWords,
    ) -> Result<(), ControlError> {
        let schema = self.table_schema(names.id);
        let owner = || format!("table `{}`", schema.name);
        if schema.keys.is_empty() {
            return Err(ControlError::NoKey { table: schema.name.clone() });
        }
        let keys = &mut names.keys;
        let PatternWords { value, mask } = pattern;
        for words in [&mut *value, &mut *mask] {
            words.clear();
            words.resize(keys.words(), 0);
        }
        keys.begin();
        for (place, (name, accepts)) in matches.iter().enumerate() {
            let (index, again) = keys.give(place, name, || {
                resolve("key field", Some(&owner()), name, schema.keys.iter().map(|key| key.name.as_str()))
            })?;
            let key = &schema.keys[index];
            if again {
                let name = key.name.clone();
                return Err(ControlError::GivenTwice { what: "key field", name, owner: owner() });
            }
            let words = keys.range(index);
            accept(&owner, key, accepts, &mut value[words.clone()], &mut mask[words])?;
        }
        for index in keys.missing() {
            let key = &schema.keys[index];
            if key.kind == MatchKind::Exact {
                return Err(ControlError::Missing {
                    what: "key field",
                    name: key.name.clone(),
                    owner: owner(),
                    width: key.width,
                });
            }
            let words = keys.range(index);
            accept(&owner, key, &Match::Any, &mut value[words.clone()], &mut mask[words])?;
        }
        Ok(())
    }

    pub(super) fn priority(&self, table: TableId, priority: Option<u32>) -> Result<u32, ControlError> {
        let schema = self.table_schema(table);
        match (schema.needs_priority, priority) {
            (true, Some(priority)) => Ok(priority),
            (false, None) => Ok(0),
            (true, None) => Err(ControlError::PriorityMissing {
                table: schema.name.clone(),
                kind: schema
                    .keys
                    .iter()
                    .map(|key| key.kind)
                    .find(|kind| !matches!(kind, MatchKind::Exact | MatchKind::Lpm))
                    .unwrap_or(MatchKind::Lpm),
            }),
            (false, Some(_)) => Err(ControlError::PriorityNotAllowed { table: schema.name.clone() }),
        }
    }

    /// An action of the table with its arguments, in words. `as_default` says for what it shall serve.
    pub(super) fn read_call(
        &self,
        names: &mut TableNames,
        call: &Call,
        as_default: bool,
        row: &mut Vec<u64>,
    ) -> Result<(), ControlError> {
        let id = names.id;
        let schema = self.table_schema(id);
        let found = names.action(&call.action, || {
            let known = schema.actions.iter().map(|action| action.action.as_str());
            let index =
                resolve("action", None, &call.action, known.clone()).map_err(|error| match error {
                    ControlError::UnknownName { name, .. } => ControlError::ActionNotInTable {
                        table: schema.name.clone(),
                        suggestion: weir_suggest::nearest_dotted(&name, known.clone()).map(str::to_owned),
                        action: name,
                        known: known.map(str::to_owned).collect(),
                    },
                    other => other,
                })?;
            let action = self.program.tables[id].actions[index].action;
            let params = &self.schema.actions[action.index()].params;
            Ok((index, params.iter().map(|param| param.width)))
        })?;
        let listed = &schema.actions[found.index];
        let name = || (schema.name.clone(), listed.action.clone());
        if listed.default_only && !as_default {
            let (table, action) = name();
            return Err(ControlError::DefaultOnly { table, action });
        }
        if listed.table_only && as_default {
            let (table, action) = name();
            return Err(ControlError::TableOnly { table, action });
        }
        let action = self.program.tables[id].actions[found.index].action;
        let params = &mut found.params;
        row.clear();
        row.resize(1 + params.words(), 0);
        row[0] = action.index() as u64;
        let schema = &self.schema.actions[action.index()];
        let owner = || format!("action `{}`", schema.name);
        params.begin();
        for (place, (name, value)) in call.args.iter().enumerate() {
            let (index, again) = params.give(place, name, || {
                resolve(
                    "parameter",
                    Some(&owner()),
                    name,
                    schema.params.iter().map(|param| param.name.as_str()),
                )
            })?;
            let param = &schema.params[index];
            let words = params.range(index);
            let place = || format!("parameter `{}` of {}", param.name, owner());
            put(place, value, param.width, &mut row[1 + words.start..1 + words.end])?;
            if again {
                let name = param.name.clone();
                return Err(ControlError::GivenTwice { what: "parameter", name, owner: owner() });
            }
        }
        if let Some(index) = params.missing().next() {
            let param = &schema.params[index];
            return Err(ControlError::Missing {
                what: "parameter",
                name: param.name.clone(),
                owner: owner(),
                width: param.width,
            });
        }
        Ok(())
    }

    /// Likewise, as a call.
    pub(super) fn call(
        &self,
        table: TableId,
        call: &Call,
        as_default: bool,
    ) -> Result<Arc<ActionCall>, ControlError> {
        let mut row = Vec::new();
        self.read_call(&mut TableNames::new(self.schema, table), call, as_default, &mut row)?;
        Ok(Arc::new(self.table_ref(table).call_of(&row)))
    }

    /// The handle of an entry that is there.
    pub(super) fn handle(&self, table: TableId, entry: &EntryRef) -> Result<u64, ControlError> {
        let names = &mut TableNames::new(self.schema, table);
        let slot = self.find(names, entry, &mut PatternWords::default())?;
        Ok(self.table_ref(table).entries.handle(slot))
    }

    /// The slot of an entry that is there.
    pub(super) fn find(
        &self,
        names: &mut TableNames,
        entry: &EntryRef,
        pattern: &mut PatternWords,
    ) -> Result<u32, ControlError> {
        let table = names.id;
        match entry {
            EntryRef::Handle(handle) => self.slot(table, *handle),
            EntryRef::Key { matches, priority } => {
                self.read_matches(names, matches, pattern)?;
                let priority = self.priority(table, *priority)?;
                let found = self.table_ref(table).entries.find_slot(pattern.words(), priority);
                let name = || self.table_schema(table).name.clone();
                let missing = || ControlError::NoSuchEntry { table: name(), handle: None };
                found.ok().flatten().ok_or_else(missing)
            }
        }
    }

    /// An action call in names.
    pub(super) fn named_call(&self, call: &ActionCall) -> Call {
        let schema = &self.schema.actions[call.action.index()];
        let args =
            schema.params.iter().zip(&call.args).map(|(param, value)| (param.name.clone(), value.clone()));
        Call { action: schema.name.clone(), args: args.collect() }
    }

    /// An entry in names.
    pub(super) fn named_entry(
        &self,
        table: TableId,
        entry: &weir_tables::Entry,
        outcome: &Outcome,
        idle_timeout: Option<Nanos>,
    ) -> Entry {
        let schema = self.table_schema(table);
        let keys = schema.keys.iter().zip(&entry.patterns);
        let matches = keys.map(|(key, pattern)| (key.name.clone(), accepts(key.width, pattern)));
        Entry {
            matches: matches.collect(),
            priority: schema.needs_priority.then_some(entry.priority),
            action: self.named_target(outcome),
            idle_timeout,
        }
    }
}
