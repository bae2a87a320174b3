//! From names and numbers of requests to positions and widths of the program, and back.

use std::sync::Arc;

use weir_ir::{ActionCall, ActionId, Bits, ExternId, TableId};
use weir_tables::Pattern;

use super::error::ControlError;
use super::names::{nearest, resolve};
use super::schema::{KeySchema, MatchKind, TableSchema};
use super::{Call, Control, Entry, EntryRef, Match};
use crate::device::Nanos;
use crate::externs::profile::Outcome;
use crate::tables::TableRuntime;

/// A number cut to the width of its field, if nothing is lost.
pub(super) fn fit(place: impl FnOnce() -> String, value: &Bits, width: u32) -> Result<Bits, ControlError> {
    let needs = value.to_biguint().bits();
    if needs > u64::from(width) {
        return Err(ControlError::ValueTooWide {
            place: place(),
            value: format!("{value:#}"),
            needs: u32::try_from(needs).unwrap_or(u32::MAX),
            has: width,
        });
    }
    Ok(value.resize(width))
}

impl Control<'_> {
    pub(super) fn table_id(&self, name: &str) -> Result<TableId, ControlError> {
        let index = resolve("table", None, name, self.schema.tables.iter().map(|t| t.name.as_str()))?;
        Ok(TableId::new(index))
    }

    pub(super) fn table_schema(&self, table: TableId) -> &TableSchema {
        &self.schema.tables[table.index()]
    }

    pub(super) fn table_ref(&self, table: TableId) -> &TableRuntime {
        &self.runtime.tables[table.index()]
    }

    pub(super) fn table_mut(&mut self, table: TableId) -> &mut TableRuntime {
        &mut self.runtime.tables[table.index()]
    }

    /// An extern object of this type by its name.
    pub(super) fn object(&self, kind: &'static str, name: &str) -> Result<ExternId, ControlError> {
        let of_kind: Vec<_> = self.program.externs.iter().filter(|(_, object)| object.kind == kind).collect();
        let index = resolve(kind, None, name, of_kind.iter().map(|(_, object)| object.name.as_str()))?;
        Ok(of_kind[index].0)
    }

    /// One pattern a key, don't-cares for those left out.
    pub(super) fn patterns(
        &self,
        table: TableId,
        matches: &[(String, Match)],
    ) -> Result<Vec<Pattern>, ControlError> {
        let schema = self.table_schema(table);
        let owner = || format!("table `{}`", schema.name);
        if schema.keys.is_empty() {
            return Err(ControlError::NoKey { table: schema.name.clone() });
        }
        let mut given: Vec<Option<&Match>> = vec![None; schema.keys.len()];
        for (name, accepts) in matches {
            let names = schema.keys.iter().map(|key| key.name.as_str());
            let index = resolve("key field", Some(&owner()), name, names)?;
            if given[index].replace(accepts).is_some() {
                let name = schema.keys[index].name.clone();
                return Err(ControlError::GivenTwice { what: "key field", name, owner: owner() });
            }
        }
        given
            .into_iter()
            .zip(&schema.keys)
            .map(|(accepts, key)| match accepts {
                Some(accepts) => pattern(&owner(), key, accepts),
                None if key.kind == MatchKind::Exact => Err(ControlError::Missing {
                    what: "key field",
                    name: key.name.clone(),
                    owner: owner(),
                    width: key.width,
                }),
                None => Ok(Pattern::Any),
            })
            .collect()
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

    /// An action of the table with its arguments. `as_default` says for what it shall serve.
    pub(super) fn call(
        &self,
        table: TableId,
        call: &Call,
        as_default: bool,
    ) -> Result<Arc<ActionCall>, ControlError> {
        let schema = self.table_schema(table);
        let names = schema.actions.iter().map(|action| action.action.as_str());
        let index = resolve("action", None, &call.action, names.clone()).map_err(|error| match error {
            ControlError::UnknownName { name, .. } => ControlError::ActionNotInTable {
                table: schema.name.clone(),
                suggestion: nearest(&name, names.clone()).map(str::to_owned),
                action: name,
                known: names.clone().map(str::to_owned).collect(),
            },
            other => other,
        })?;
        let listed = &schema.actions[index];
        let name = || (schema.name.clone(), listed.action.clone());
        if listed.default_only && !as_default {
            let (table, action) = name();
            return Err(ControlError::DefaultOnly { table, action });
        }
        if listed.table_only && as_default {
            let (table, action) = name();
            return Err(ControlError::TableOnly { table, action });
        }
        let action: ActionId = self.program.tables[table].actions[index].action;
        Ok(Arc::new(ActionCall { action, args: self.args(action, &call.args)? }))
    }

    fn args(&self, action: ActionId, args: &[(String, Bits)]) -> Result<Vec<Bits>, ControlError> {
        let schema = &self.schema.actions[action.index()];
        let owner = || format!("action `{}`", schema.name);
        let mut given: Vec<Option<Bits>> = vec![None; schema.params.len()];
        for (name, value) in args {
            let names = schema.params.iter().map(|param| param.name.as_str());
            let index = resolve("parameter", Some(&owner()), name, names)?;
            let param = &schema.params[index];
            let place = || format!("parameter `{}` of {}", param.name, owner());
            if given[index].replace(fit(place, value, param.width)?).is_some() {
                let name = param.name.clone();
                return Err(ControlError::GivenTwice { what: "parameter", name, owner: owner() });
            }
        }
        given
            .into_iter()
            .zip(&schema.params)
            .map(|(value, param)| {
                value.ok_or_else(|| ControlError::Missing {
                    what: "parameter",
                    name: param.name.clone(),
                    owner: owner(),
                    width: param.width,
                })
            })
            .collect()
    }

    /// The handle of an entry that is there.
    pub(super) fn handle(&self, table: TableId, entry: &EntryRef) -> Result<u64, ControlError> {
        let entries = &self.table_ref(table).entries;
        let missing =
            |handle| ControlError::NoSuchEntry { table: self.table_schema(table).name.clone(), handle };
        match entry {
            EntryRef::Handle(handle) => {
                entries.slot(*handle).map(|_| *handle).ok_or_else(|| missing(Some(*handle)))
            }
            EntryRef::Key { matches, priority } => {
                let patterns = self.patterns(table, matches)?;
                let priority = self.priority(table, *priority)?;
                entries.find_entry(&patterns, priority).ok().flatten().ok_or_else(|| missing(None))
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

/// What a pattern of a field of this width accepts.
pub(crate) fn accepts(width: u32, pattern: &Pattern) -> Match {
    let number = |bytes: &[u8]| Bits::from_be_bytes(width, bytes);
    match pattern {
        Pattern::Value(value) => Match::Exact(number(value)),
        Pattern::Prefix(value, len) => Match::Lpm(number(value), *len),
        Pattern::Mask(value, mask) => Match::Ternary(number(value), number(mask)),
        Pattern::Range(low, high) => Match::Range(number(low), number(high)),
        Pattern::Any => Match::Any,
    }
}

/// What a field accepts, as a pattern of the field.
pub(super) fn pattern(owner: &str, key: &KeySchema, accepts: &Match) -> Result<Pattern, ControlError> {
    let place = || match key.name.as_str() {
        "" => owner.to_owned(),
        name => format!("key field `{name}` of {owner}"),
    };
    let number = |value: &Bits| Ok(fit(place, value, key.width)?.to_be_bytes().into_boxed_slice());
    let wrong = |given| Err(ControlError::WrongMatch { place: place(), kind: key.kind, given });
    match (accepts, key.kind) {
        (Match::Exact(value), _) => Ok(Pattern::Value(number(value)?)),
        (Match::Lpm(value, len), MatchKind::Lpm) => {
            if *len > key.width {
                return Err(ControlError::PrefixTooLong { place: place(), len: *len, width: key.width });
            }
            Ok(Pattern::Prefix(number(value)?, *len))
        }
        (Match::Ternary(value, mask), MatchKind::Ternary) => Ok(Pattern::Mask(number(value)?, number(mask)?)),
        (Match::Range(low, high), MatchKind::Range) => {
            let (low_bytes, high_bytes) = (number(low)?, number(high)?);
            if low_bytes > high_bytes {
                let (low, high) = (format!("{low:#}"), format!("{high:#}"));
                return Err(ControlError::EmptyRange { place: place(), low, high });
            }
            Ok(Pattern::Range(low_bytes, high_bytes))
        }
        (Match::Any, kind) if kind != MatchKind::Exact => Ok(Pattern::Any),
        (Match::Lpm(..), _) => wrong("a prefix"),
        (Match::Ternary(..), _) => wrong("a mask"),
        (Match::Range(..), _) => wrong("a range"),
        (Match::Any, _) => wrong("a don't-care"),
    }
}
