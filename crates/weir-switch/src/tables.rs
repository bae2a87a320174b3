//! A table while it runs: its entries, its default, how often they were met.
//!
//! What an entry does lies in its row alone (see [`rows`]), what is counted of it beside it (see [`beside`]).

mod beside;
mod keys;
mod rows;
mod seen;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use weir_device::Nanos;
use weir_exec::LookupResult;
use weir_ir::{ActionCall, Bits, ExternId, Keyset, Program, TableId};
use weir_tables::{Entry, Field, Handle, InsertError, KeyLayout, MemoryUsage, Pattern, Table};

use crate::ahead::Ahead;
use crate::control::MatchKind;
use crate::error::{LoadError, Place};
use crate::externs::ExternState;
use crate::externs::meter::Colour;
use crate::externs::profile::{List, Outcome};
use crate::idle::{Idle, IdleTimers};
use crate::runtime::field_kind;

use beside::Kept;
pub(crate) use beside::{Beside, supports_timeout};
pub(crate) use keys::KeyWords;
pub(crate) use rows::{Actions, FIRST_OF_PROFILE};
use rows::{Calls, Lists};
pub(crate) use seen::Seen;
use seen::{Moment, in_sight};

#[derive(Debug)]
pub(crate) struct TableRuntime {
    pub entries: Table,
    /// What is kept for each entry.
    pub beside: Beside,
    /// In effect now.
    default: Arc<Default>,
    /// The program's default action: what an empty group comes down to.
    pub own_default: Arc<ActionCall>,
    pub hits: u64,
    pub misses: u64,
    /// Its action profile.
    pub profile: Option<ExternId>,
    /// Where the keys lie in the words of all keys.
    pub keys: Arc<KeyWords>,
    /// Whether all keys are match fields, rows name actions, and nothing is kept for entries.
    pub is_plain: bool,
    /// What look-ups found it in, and this moment's number.
    moment: Option<(Moment, u64)>,
    /// Look-ups made before their packets run.
    pub ahead: Ahead,
    /// The program's own entries that stay, in order.
    constant: Vec<Handle>,
    actions: Arc<Actions>,
    lists: Lists,
    calls: Calls,
}

/// A default action.
#[derive(Debug)]
struct Default {
    outcome: Outcome,
    /// The same in words.
    row: Vec<AtomicU64>,
}

/// An entry that was taken out.
#[derive(Debug)]
pub(crate) struct Taken {
    entry: Entry,
    /// The choice among actions that its row names.
    list: Option<List>,
    kept: Option<Box<Kept>>,
}

/// A row that an entry had.
#[derive(Debug)]
pub(crate) struct OldRow {
    action: u32,
    data: Vec<u64>,
    /// The choice among actions that it named.
    list: Option<List>,
}

/// What a key met.
pub(crate) struct Met<'a> {
    /// Where the entry is, if there was one.
    pub place: Option<weir_tables::Hit>,
    /// What the entry does, or the default, in words.
    pub row: &'a [AtomicU64],
    /// What the direct meter says.
    pub colour: Option<(ExternId, Colour)>,
}

impl Met<'_> {
    /// The position of an action, or [`FIRST_OF_PROFILE`] and above.
    #[inline]
    pub(crate) fn action(&self) -> u32 {
        self.row[0].load(Relaxed) as u32
    }

    /// Copies the row, as much of it as there is room for.
    pub(crate) fn copy_row(&self, into: &[AtomicU64]) {
        into.iter().zip(self.row).for_each(|(to, from)| to.store(from.load(Relaxed), Relaxed));
    }
}

impl TableRuntime {
    /// With the program's own entries.
    pub(crate) fn new(
        program: &Program,
        id: TableId,
        actions: &Arc<Actions>,
        externs: &[ExternState],
    ) -> Result<Self, LoadError> {
        let table = &program.tables[id];
        let fields = table
            .keys
            .iter()
            .enumerate()
            .filter(|(_, key)| key.match_kind != "selector")
            .map(|(position, key)| {
                let kind = MatchKind::from_name(&key.match_kind).ok_or_else(|| LoadError::Unsupported {
                    place: Place::new(program, key.loc),
                    feature: format!("match kind `{}` of table `{}`", key.match_kind, table.name),
                    note: None,
                })?;
                // Of the program's own entries some may have `_` for an exact key; the control interface still takes none.
                let any = table.entries.iter().any(|entry| entry.keysets.get(position) == Some(&Keyset::Any));
                let kind = if any && kind == MatchKind::Exact { MatchKind::Ternary } else { kind };
                Ok(Field { width: key.expr.ty.width(), kind: field_kind(kind) })
            })
            .collect::<Result<Vec<_>, LoadError>>()?;
        let data_words = table.actions.iter().map(|listed| actions.data_words(listed.action));
        let data_words = data_words.chain([usize::from(table.implementation.is_some())]).max().unwrap_or(0);
        let own_default = Arc::new(table.default_action.clone());
        let default = Outcome::Call(Arc::clone(&own_default));
        let (keys, beside) = (KeyWords::new(table), Beside::new(id, table, externs, program.atomic));
        let mut runtime = Self {
            entries: Table::new(KeyLayout::new(fields), data_words),
            moment: None,
            is_plain: table.implementation.is_none() && keys.are_fields() && !beside.is_kept(),
            beside,
            default: Arc::new(Default { outcome: default.clone(), row: Vec::new() }),
            own_default,
            hits: 0,
            misses: 0,
            profile: table.implementation,
            keys: Arc::new(keys),
            ahead: Ahead::default(),
            constant: Vec::new(),
            actions: Arc::clone(actions),
            lists: Lists::default(),
            calls: Calls::default(),
        };
        runtime.set_default(default);
        for entry in &table.entries {
            let malformed =
                |problem: String| LoadError::Malformed { place: Place::new(program, entry.loc), problem };
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
                .zip(runtime.entries.layout().fields())
                .map(|((keyset, key), field)| (keyset, field, key))
                .map(|(keyset, field, key)| {
                    pattern(keyset, *field).ok_or_else(|| {
                        malformed(format!(
                            "this entry of table `{}` does not fit its `{}` key `{}`",
                            table.name, key.match_kind, key.name
                        ))
                    })
                })
                .collect::<Result<Vec<_>, LoadError>>()?;
            let mut row = Vec::new();
            runtime.write_outcome(&Outcome::Call(Arc::new(entry.call.clone())), &mut row);
            let priority = entry.priority.unwrap_or(0);
            let inserted = runtime.entries.insert(&patterns, priority, row[0] as u32, &row[1..]);
            let handle = inserted.map_err(|error| match error {
                InsertError::Duplicate(_) => {
                    malformed(format!("table `{}` has another entry with this key", table.name))
                }
                _ => malformed(format!("this entry does not fit the keys of table `{}`", table.name)),
            })?;
            runtime.begin(handle, None);
            if table.const_entries || entry.is_const {
                runtime.constant.push(handle);
            }
        }
        Ok(runtime)
    }

    /// Adds an entry: its pattern in words (see [`Table::insert_words`]), and what it does, as [`TableRuntime::write_outcome`] wrote it or as a
    /// row of an action.
    pub(crate) fn insert(
        &mut self,
        pattern: (&[u64], &[u64]),
        priority: u32,
        row: &[u64],
        idle: Option<Idle>,
    ) -> Result<Handle, InsertError> {
        let (action, data) = (row[0] as u32, &row[1..]);
        let inserted = self.entries.insert_words(pattern, priority, action, data);
        match inserted {
            Ok(handle) => self.begin(handle, idle),
            Err(_) => drop(self.lists.give_up(action, data)),
        }
        inserted
    }

    /// Begins to keep what belongs to a new entry.
    fn begin(&mut self, handle: Handle, idle: Option<Idle>) {
        if self.beside.is_kept() {
            let slot = self.entries.slot(handle).expect("it has just been inserted");
            self.beside.begin(slot, idle);
        }
    }

    /// An outcome in words. A choice among actions is kept until an entry that is given this row goes, or cannot be inserted.
    pub(crate) fn write_outcome(&mut self, outcome: &Outcome, row: &mut Vec<u64>) {
        self.lists.write(outcome, row);
    }

    /// The call that words stand for.
    pub(crate) fn call_of(&self, row: &[u64]) -> ActionCall {
        self.actions.call(row.iter().copied())
    }

    /// Takes an entry out.
    pub(crate) fn remove(&mut self, handle: Handle) -> Option<Taken> {
        self.entries.slot(handle).map(|slot| self.remove_at(slot))
    }

    /// Takes the entry of a slot out.
    pub(crate) fn remove_at(&mut self, slot: u32) -> Taken {
        let entry = self.entries.remove_at(slot);
        Taken { list: self.lists.give_up(entry.action, &entry.data), kept: self.beside.take(slot), entry }
    }

    /// Puts an entry back that has just been taken out.
    pub(crate) fn restore(&mut self, taken: Taken) -> bool {
        let Taken { mut entry, list, kept } = taken;
        if let Some(list) = list {
            let mut row = Vec::new();
            self.lists.write(&Outcome::OneOf(list), &mut row);
            entry.data[0] = row[1];
        }
        let restored = self.entries.restore(&entry);
        if let (true, Some(kept), Some(slot)) = (restored, kept, self.entries.slot(entry.handle)) {
            self.beside.put(slot, *kept);
        }
        restored
    }

    /// Gives the entry of a slot another row, as for [`TableRuntime::insert`]; returns the one that it had.
    pub(crate) fn set_row(&mut self, slot: u32, row: &[u64]) -> Result<OldRow, InsertError> {
        let old = self.entries.view().at(slot).row;
        let (old_action, old_data) = (old.action(), old.to_vec());
        let (action, data) = (row[0] as u32, &row[1..]);
        if let Err(error) = self.entries.modify_at(slot, action, data) {
            self.lists.give_up(action, data);
            return Err(error);
        }
        let list = self.lists.give_up(old_action, &old_data);
        Ok(OldRow { action: old_action, data: old_data, list })
    }

    /// Gives an entry back the row that it had.
    pub(crate) fn restore_row(&mut self, handle: Handle, old: OldRow) -> bool {
        let Some(slot) = self.entries.slot(handle) else { return false };
        let mut row = vec![u64::from(old.action)];
        row.extend(old.data);
        if let Some(list) = old.list {
            self.lists.write(&Outcome::OneOf(list), &mut row);
        }
        self.set_row(slot, &row).is_ok()
    }

    /// What the entry of a slot does.
    pub(crate) fn outcome_at(&self, slot: u32) -> Outcome {
        rows::outcome(&self.lists.lists, &self.actions, self.entries.view().at(slot).row.words())
    }

    /// Whether there are entries of the program's own that stay.
    pub(crate) fn has_const(&self) -> bool {
        !self.constant.is_empty()
    }

    /// Whether an entry is one of the program's own that stay.
    pub(crate) fn is_const(&self, handle: Handle) -> bool {
        self.constant.binary_search(&handle).is_ok()
    }

    /// What happens on a miss.
    pub(crate) fn default(&self) -> &Outcome {
        &self.default.outcome
    }

    /// Lets something else happen on a miss; returns what did.
    pub(crate) fn set_default(&mut self, outcome: Outcome) -> Outcome {
        let old = self.default.row.iter().map(|word| word.load(Relaxed)).collect::<Vec<_>>();
        if let Some((action, data)) = old.split_first() {
            self.lists.give_up(*action as u32, data);
        }
        let mut row = Vec::new();
        self.lists.write(&outcome, &mut row);
        let row = row.into_iter().map(AtomicU64::new).collect();
        let old = std::mem::replace(&mut self.default, Arc::new(Default { outcome, row }));
        old.outcome.clone()
    }

    /// Looks a key up as [`TableRuntime::meet`] does, in a table that is plain.
    #[inline]
    pub(crate) fn meet_plain<'a>(&'a mut self, seen: Option<&'a Seen>, key: &[u64]) -> LookupResult<'a> {
        self.recognise(seen);
        let (view, version) = in_sight(&self.entries, seen);
        match self.ahead.take(version, key).unwrap_or_else(|| view.find_hit(key)) {
            Some(place) => {
                self.hits += 1;
                LookupResult { hit: true, row: view.row(place.row()).words() }
            }
            None => {
                self.misses += 1;
                LookupResult { hit: false, row: &seen.map_or(&self.default, |seen| &seen.default).row }
            }
        }
    }

    /// Looks the words of the match fields up, and counts. A table without key has no entries and always misses.
    #[inline]
    pub(crate) fn meet<'a>(
        &'a mut self,
        seen: Option<&'a Seen>,
        key: &[u64],
        now: Nanos,
        packet_length: usize,
        timers: &mut IdleTimers,
    ) -> Met<'a> {
        self.recognise(seen);
        let (view, version) = in_sight(&self.entries, seen);
        match self.ahead.take(version, key).unwrap_or_else(|| view.find_hit(key)) {
            Some(place) => {
                self.hits += 1;
                let entry = (place.slot(), || view.handle(place.slot()));
                let colour = match seen {
                    _ if !self.beside.is_kept() => None,
                    Some(seen) => self.beside.hit_of(&seen.cells, entry, now, packet_length),
                    None => self.beside.hit(entry, now, packet_length, timers),
                };
                Met { place: Some(place), row: view.row(place.row()).words(), colour }
            }
            None => {
                self.misses += 1;
                let default = seen.map_or(&self.default, |seen| &seen.default);
                Met { place: None, row: &default.row, colour: self.beside.missed() }
            }
        }
    }

    /// The name of the entry at a place.
    pub(crate) fn handle(&self, seen: Option<&Seen>, place: weir_tables::Hit) -> Handle {
        in_sight(&self.entries, seen).0.handle(place.slot())
    }

    /// The call that a row of an action stands for.
    pub(crate) fn call(&mut self, seen: Option<&Seen>, row: u32) -> Arc<ActionCall> {
        let view = seen.map_or(self.entries.view(), |seen| &seen.view);
        self.calls.call(&self.actions, row, view.row(row).words())
    }

    /// The default's call, if the default is an action of its own; the program's if not.
    pub(crate) fn default_call(&self, seen: Option<&Seen>) -> Arc<ActionCall> {
        match &seen.map_or(&self.default, |seen| &seen.default).outcome {
            Outcome::Call(call) => Arc::clone(call),
            _ => Arc::clone(&self.own_default),
        }
    }

    /// What a row that is met stands for, or the default.
    pub(crate) fn outcome_of(&self, seen: Option<&Seen>, row: Option<u32>) -> Outcome {
        let (view, lists, default) = match seen {
            Some(seen) => (&*seen.view, &seen.lists, &seen.default),
            None => (self.entries.view(), &self.lists.lists, &self.default),
        };
        match row {
            Some(row) => rows::outcome(lists, &self.actions, view.row(row).words()),
            None => default.outcome.clone(),
        }
    }

    /// What the table takes in memory, what is kept beside entries included.
    pub(crate) fn memory(&self) -> MemoryUsage {
        let memory = self.entries.memory();
        MemoryUsage { bytes: memory.bytes + self.beside.bytes(), ..memory }
    }
}

/// A keyset of the program as a pattern of the field; none if it cannot be one.
pub(crate) fn pattern(keyset: &Keyset, field: Field) -> Option<Pattern> {
    let number = |bits: &Bits| bits.resize(field.width).to_be_bytes().into_boxed_slice();
    let pattern = match keyset {
        Keyset::Any => Pattern::Any,
        Keyset::Value(value) => Pattern::Value(number(value)),
        Keyset::Mask(value, mask) if field.kind == weir_tables::FieldKind::Lpm => {
            Pattern::Prefix(number(value), prefix_length(mask, field.width)?)
        }
        Keyset::Mask(value, mask) => Pattern::Mask(number(value), number(mask)),
        Keyset::Range(low, high) => Pattern::Range(number(low), number(high)),
        Keyset::Set(_) => return None,
    };
    pattern.normalized(field).ok()
}

/// The number of leading ones of a mask that has no other ones.
fn prefix_length(mask: &Bits, width: u32) -> Option<u32> {
    let len = (0..width).take_while(|i| mask.bit(width - 1 - i)).count() as u32;
    (len..width).all(|i| !mask.bit(width - 1 - i)).then_some(len)
}
