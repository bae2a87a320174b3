//! Makes tables as the program declares them, with the program's own entries.

use std::sync::Arc;

use weir_ir::{ActionCall, Bits, Keyset, Loc, Program, PropertyValue, Table, TableId};
use weir_tables::{Field, FieldKind, InsertError, KeyLayout, Pattern};

use super::aging::limit_of_added;
use super::entry_data::EntryCells;
use super::{Actions, Aging, Composed, EntryData, KeyWords, MatchKind, OwnedTable, TableShape, field_kind};
use crate::error::LoadError;
use crate::externs::ExternState;
use crate::externs::profile::Outcome;

/// Returns the action that a table runs for empty groups.
fn empty_group_action(table: &Table) -> &ActionCall {
    let called = table.properties.iter().find_map(|(name, value)| match (name.as_str(), value) {
        ("psa_empty_group_action" | "pna_empty_group_action", PropertyValue::Call(call)) => Some(call),
        _ => None,
    });
    called.unwrap_or(&table.default_action)
}

impl OwnedTable {
    /// Creates a table with the program's own entries.
    pub(crate) fn new(
        program: &Program,
        id: TableId,
        actions: &Arc<Actions>,
        externs: &[ExternState],
    ) -> Result<Self, LoadError> {
        let table = &program.tables[id];
        let fields = fields(program, table)?;
        let data_words = table.actions.iter().map(|listed| actions.data_words(listed.action));
        let data_words = data_words.chain([usize::from(table.implementation.is_some())]).max().unwrap_or(0);
        let keys = KeyWords::new(table);
        let cells = EntryCells::new(table, externs);
        let (aging, limit_of_added) = (Aging::of_table(program, table), limit_of_added(table));
        let shape = TableShape {
            id,
            is_plain: table.implementation.is_none()
                && keys.are_all_fields()
                && aging.is_none()
                && limit_of_added.is_none()
                && cells.is_empty(),
            keys,
            actions: Arc::clone(actions),
            own_default: Arc::new(table.default_action.clone()),
            empty_group: Arc::new(empty_group_action(table).clone()),
            profile: table.implementation,
            composed: Composed::new(table),
            aging,
            limit_of_added,
            needs_lock: program.atomic && cells.has_meters(),
        };
        let entries = weir_tables::Table::new(KeyLayout::new(fields), data_words);
        let mut state = Self::without_entries(shape, entries, EntryData::new(cells, aging.is_some()));
        for entry in &table.entries {
            state.insert_declared(program, table, entry)?;
        }
        Ok(state)
    }

    /// Adds an entry that the program declares.
    fn insert_declared(
        &mut self,
        program: &Program,
        table: &Table,
        entry: &weir_ir::Entry,
    ) -> Result<(), LoadError> {
        let malformed = |problem: String| LoadError::malformed(program, entry.loc, problem);
        let keysets = || entry.keysets.iter().zip(&table.keys);
        if let Some((_, key)) =
            keysets().find(|(set, key)| key.match_kind == "selector" && !matches!(set, Keyset::Any))
        {
            return Err(malformed(format!(
                "`selector` key `{}` of table `{}` matches nothing by itself: write `_`",
                key.name, table.name
            )));
        }
        let patterns = keysets()
            .filter(|(_, key)| key.match_kind != "selector")
            .zip(self.entries.layout().fields())
            .map(|((keyset, key), field)| {
                let found = if is_empty_signed(keyset, key) { None } else { pattern(keyset, *field) };
                found.ok_or_else(|| {
                    malformed(format!(
                        "this entry of table `{}` does not fit its `{}` key `{}`",
                        table.name, key.match_kind, key.name
                    ))
                })
            })
            .collect::<Result<Vec<_>, LoadError>>()?;
        let mut row = Vec::new();
        self.write_outcome(&Outcome::Call(Arc::new(entry.call.clone())), &mut row);
        let priority = entry.priority.unwrap_or(0);
        let inserted = self.entries.insert(&patterns, priority, row[0] as u32, &row[1..]);
        let handle = inserted.map_err(|error| match error {
            InsertError::Duplicate(_) => {
                malformed(format!("table `{}` has another entry with this key", table.name))
            }
            _ => malformed(format!("this entry does not fit the keys of table `{}`", table.name)),
        })?;
        let slot = self.entries.slot(handle).expect("it has just been inserted");
        self.add_entry_data(slot, 0, None);
        if table.const_entries || entry.is_const {
            self.constant.push(handle);
        }
        Ok(())
    }
}

/// Returns the match fields of a table's key.
fn fields(program: &Program, table: &Table) -> Result<Vec<Field>, LoadError> {
    let keys = table.keys.iter().enumerate().filter(|(_, key)| key.match_kind != "selector");
    keys.map(|(position, key)| {
        let what = || format!("table `{}`", table.name);
        let kind = match_kind(program, &key.match_kind, key.loc, what)?;
        // Some of the program's own entries may have `_` for an exact key. The control interface
        // does not accept it.
        let any = table.entries.iter().any(|entry| entry.keysets.get(position) == Some(&Keyset::Any));
        let kind = if any && kind == MatchKind::Exact { MatchKind::Ternary } else { kind };
        Ok(Field { width: key.expr.ty.width(), kind: field_kind(kind) })
    })
    .collect()
}

/// Finds the match kind with this name. `what` describes the key or the value set's field for
/// messages.
pub(crate) fn match_kind(
    program: &Program,
    name: &str,
    loc: Loc,
    what: impl FnOnce() -> String,
) -> Result<MatchKind, LoadError> {
    MatchKind::from_name(name).ok_or_else(|| {
        LoadError::unsupported(program, loc, format!("match kind `{name}` of {}", what()), None)
    })
}

/// Returns whether a range of signed values, such as 5 to -5, is empty although the range of its
/// unsigned bits is not.
fn is_empty_signed(keyset: &Keyset, key: &weir_ir::Key) -> bool {
    let Keyset::Range(low, high) = keyset else { return false };
    key.expr.ty.is_signed() && low.to_signed() > high.to_signed()
}

/// Converts a keyset of the program to a pattern of the field. Returns `None` if that is
/// impossible.
fn pattern(keyset: &Keyset, field: Field) -> Option<Pattern> {
    let number = |bits: &Bits| bits.resize(field.width).to_be_bytes().into_boxed_slice();
    let pattern = match keyset {
        Keyset::Any => Pattern::Any,
        Keyset::Value(value) => Pattern::Value(number(value)),
        Keyset::Mask(value, mask) if field.kind == FieldKind::Lpm => {
            Pattern::Prefix(number(value), prefix_length(mask, field.width)?)
        }
        Keyset::Mask(value, mask) => Pattern::Mask(number(value), number(mask)),
        Keyset::Range(low, high) => Pattern::Range(number(low), number(high)),
        Keyset::Set(_) => return None,
    };
    pattern.normalized(field).ok()
}

/// Returns the length of the prefix that a mask stands for, or `None` if the mask does not consist
/// of ones followed by zeros.
fn prefix_length(mask: &Bits, width: u32) -> Option<u32> {
    let len = (0..width).take_while(|i| mask.bit(width - 1 - i)).count() as u32;
    (len..width).all(|i| !mask.bit(width - 1 - i)).then_some(len)
}
