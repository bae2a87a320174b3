//! A table: patterns with what belongs to them, found by key, by pattern or by handle.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::exact::ExactIndex;
use crate::key::{FieldKind, KeyLayout};
use crate::lpm::LpmIndex;
use crate::pattern::{Pattern, PatternError};
use crate::prioritised::PrioritisedIndex;

/// Names an entry for as long as it is in its table. Handles count up from 0 and are not used twice.
pub type Handle = u64;

/// An entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry<T> {
    /// Its name.
    pub handle: Handle,
    /// One a field, normalised (see [`Pattern::normalised`]).
    pub patterns: Vec<Pattern>,
    /// Larger is preferred; 0 in tables without priorities.
    pub priority: u32,
    /// What the caller keeps with it.
    pub value: T,
}

/// Why an entry could not be inserted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InsertError {
    /// Not as many patterns as fields.
    Count,
    /// The pattern at this position does not fit its field.
    Pattern(usize, PatternError),
    /// This entry has the same patterns (and priority, where priorities count).
    Duplicate(Handle),
}

/// A match table. Which entry wins when several accept a key:
///
/// 1. All fields exact: there is at most one.
/// 2. One prefix field, the others exact: the longest prefix. Priorities do not count.
/// 3. Otherwise ([`KeyLayout::by_priority`]): the largest priority (as P4Runtime has it); among equal ones the entry inserted first.
///
/// In a table of the third kind the same patterns may stand with different priorities.
#[derive(Clone, Debug)]
pub struct MatchTable<T> {
    layout: KeyLayout,
    slots: Vec<Option<Entry<T>>>,
    free: Vec<usize>,
    handles: BTreeMap<Handle, usize>,
    keys: FxHashMap<(Vec<Pattern>, u32), Handle>,
    next_handle: Handle,
    index: Index,
}

#[derive(Clone, Debug)]
enum Index {
    Exact(ExactIndex),
    Lpm(LpmIndex),
    Prioritised(PrioritisedIndex),
}

impl Index {
    fn new(layout: &KeyLayout) -> Self {
        match layout.fields().iter().position(|f| f.kind == FieldKind::Lpm) {
            _ if layout.by_priority() => Self::Prioritised(PrioritisedIndex::default()),
            Some(field) => Self::Lpm(LpmIndex::new(field)),
            None => Self::Exact(ExactIndex::default()),
        }
    }
}

impl<T> MatchTable<T> {
    /// An empty table.
    pub fn new(layout: KeyLayout) -> Self {
        Self {
            index: Index::new(&layout),
            layout,
            slots: Vec::new(),
            free: Vec::new(),
            handles: BTreeMap::new(),
            keys: FxHashMap::default(),
            next_handle: 0,
        }
    }

    /// The key's fields.
    pub fn layout(&self) -> &KeyLayout {
        &self.layout
    }

    /// Entries.
    pub fn len(&self) -> usize {
        self.handles.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.handles.is_empty()
    }

    /// Adds an entry; in tables without priorities `priority` is ignored.
    pub fn insert(&mut self, patterns: &[Pattern], priority: u32, value: T) -> Result<Handle, InsertError> {
        let (patterns, priority) = self.normalise(patterns, priority)?;
        if let Some(handle) = self.keys.get(&(patterns.clone(), priority)) {
            return Err(InsertError::Duplicate(*handle));
        }
        let handle = self.next_handle;
        self.next_handle += 1;
        self.place(Entry { handle, patterns, priority, value });
        Ok(handle)
    }

    /// Puts an entry back that [`MatchTable::remove`] took out, under its handle. Gives it back if its place is taken or it does not
    /// belong here.
    pub fn restore(&mut self, entry: Entry<T>) -> Result<(), Entry<T>> {
        let known = (entry.patterns.clone(), entry.priority);
        let fits =
            self.normalise(&entry.patterns, entry.priority).is_ok_and(|normalised| normalised == known);
        if !fits
            || entry.handle >= self.next_handle
            || self.handles.contains_key(&entry.handle)
            || self.keys.contains_key(&known)
        {
            return Err(entry);
        }
        self.place(entry);
        Ok(())
    }

    /// Takes an entry out.
    pub fn remove(&mut self, handle: Handle) -> Option<Entry<T>> {
        let slot = self.handles.remove(&handle)?;
        let entry = self.slots[slot].take()?;
        self.free.push(slot);
        match &mut self.index {
            Index::Exact(index) => index.remove(&base(&self.layout, &entry.patterns)),
            Index::Lpm(index) => {
                let len = prefix_length(&entry.patterns[index.field()]);
                index.remove(&base(&self.layout, &entry.patterns), len);
            }
            Index::Prioritised(index) => index.remove(entry.priority, handle),
        }
        let key = (entry.patterns, entry.priority);
        self.keys.remove(&key);
        Some(Entry { handle, patterns: key.0, priority: key.1, value: entry.value })
    }

    /// Takes all entries out. Handles go on counting.
    pub fn clear(&mut self) {
        self.index = Index::new(&self.layout);
        self.slots.clear();
        self.free.clear();
        self.handles.clear();
        self.keys.clear();
    }

    /// The entry that `key` meets.
    pub fn lookup(&self, key: &[u8]) -> Option<&Entry<T>> {
        self.slots[self.find(key)?].as_ref()
    }

    /// The handle of the entry that `key` meets and what is kept with it, to change.
    pub fn lookup_mut(&mut self, key: &[u8]) -> Option<(Handle, &mut T)> {
        let slot = self.find(key)?;
        self.slots[slot].as_mut().map(|entry| (entry.handle, &mut entry.value))
    }

    /// An entry by its handle.
    pub fn get(&self, handle: Handle) -> Option<&Entry<T>> {
        self.slots[*self.handles.get(&handle)?].as_ref()
    }

    /// What is kept with an entry, to change.
    pub fn get_mut(&mut self, handle: Handle) -> Option<&mut T> {
        self.slots[*self.handles.get(&handle)?].as_mut().map(|entry| &mut entry.value)
    }

    /// The entry with these patterns, and this priority where priorities count.
    pub fn find_entry(&self, patterns: &[Pattern], priority: u32) -> Result<Option<Handle>, InsertError> {
        Ok(self.keys.get(&self.normalise(patterns, priority)?).copied())
    }

    /// Entries in the order in which they were inserted.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Entry<T>> {
        self.handles.values().map(|slot| self.slots[*slot].as_ref().expect("handles name filled slots"))
    }

    fn find(&self, key: &[u8]) -> Option<usize> {
        debug_assert_eq!(key.len(), self.layout.bytes());
        match &self.index {
            Index::Exact(index) => index.find(key),
            Index::Lpm(index) => index.find(&self.layout, key),
            Index::Prioritised(index) => index.find(&self.layout, key),
        }
    }

    fn normalise(&self, patterns: &[Pattern], priority: u32) -> Result<(Vec<Pattern>, u32), InsertError> {
        if patterns.len() != self.layout.fields().len() {
            return Err(InsertError::Count);
        }
        let normalised = patterns
            .iter()
            .zip(self.layout.fields())
            .enumerate()
            .map(|(index, (pattern, field))| {
                pattern.normalised(*field).map_err(|e| InsertError::Pattern(index, e))
            })
            .collect::<Result<_, _>>()?;
        Ok((normalised, if self.layout.by_priority() { priority } else { 0 }))
    }

    fn place(&mut self, entry: Entry<T>) {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.slots.push(None);
            self.slots.len() - 1
        });
        match &mut self.index {
            Index::Exact(index) => index.insert(base(&self.layout, &entry.patterns), slot),
            Index::Lpm(index) => {
                let len = prefix_length(&entry.patterns[index.field()]);
                index.insert(&self.layout, base(&self.layout, &entry.patterns), len, slot);
            }
            Index::Prioritised(index) => {
                index.insert(&self.layout, &entry.patterns, entry.priority, entry.handle, slot);
            }
        }
        self.handles.insert(entry.handle, slot);
        self.keys.insert((entry.patterns.clone(), entry.priority), entry.handle);
        self.slots[slot] = Some(entry);
    }
}

fn base(layout: &KeyLayout, patterns: &[Pattern]) -> Box<[u8]> {
    patterns.iter().zip(layout.fields()).flat_map(|(pattern, field)| pattern.base(*field)).collect()
}

fn prefix_length(pattern: &Pattern) -> u32 {
    match pattern {
        Pattern::Prefix(_, len) => *len,
        _ => 0,
    }
}
