//! A table with something of the caller's beside each entry, found by its dense number.

use crate::key::KeyLayout;
use crate::pattern::Pattern;
use crate::table::{Entry, Handle, InsertError, Table};
use crate::view::{Found, View};

/// A [`Table`] with a value for each entry.
#[derive(Debug)]
pub struct MatchTable<T> {
    table: Table,
    /// By dense number.
    values: Vec<Option<T>>,
}

/// An entry that was taken out, with its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Taken<T> {
    /// The entry.
    pub entry: Entry,
    /// What was kept with it.
    pub value: T,
}

impl<T> MatchTable<T> {
    /// An empty table whose actions have at most `data_words` words of data; see [`Table::new`].
    pub fn new(layout: KeyLayout, data_words: usize) -> Self {
        Self { table: Table::new(layout, data_words), values: Vec::new() }
    }

    /// The table without the values.
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// See [`Table::snapshot`].
    pub fn snapshot(&mut self) -> View {
        self.table.snapshot()
    }

    /// The key's fields.
    pub fn layout(&self) -> &KeyLayout {
        self.table.layout()
    }

    /// Entries.
    pub fn len(&self) -> usize {
        self.table.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.table.is_empty()
    }

    /// See [`Table::insert`].
    pub fn insert(
        &mut self,
        patterns: &[Pattern],
        priority: u32,
        (action, data): (u32, &[u64]),
        value: T,
    ) -> Result<Handle, InsertError> {
        let handle = self.table.insert(patterns, priority, action, data)?;
        self.keep(handle, value);
        Ok(handle)
    }

    fn keep(&mut self, handle: Handle, value: T) {
        let slot = self.table.slot(handle).expect("the entry is there") as usize;
        if self.values.len() <= slot {
            self.values.resize_with(slot + 1, || None);
        }
        self.values[slot] = Some(value);
    }

    /// Puts an entry back that [`MatchTable::remove`] took out, under its handle. Gives it back if its place is taken or it does not
    /// belong here.
    pub fn restore(&mut self, taken: Taken<T>) -> Result<(), Taken<T>> {
        if !self.table.restore(&taken.entry) {
            return Err(taken);
        }
        self.keep(taken.entry.handle, taken.value);
        Ok(())
    }

    /// See [`Table::modify`]; the value stays.
    pub fn modify(&mut self, handle: Handle, action: u32, data: &[u64]) -> Result<bool, InsertError> {
        self.table.modify(handle, action, data)
    }

    /// Takes an entry out.
    pub fn remove(&mut self, handle: Handle) -> Option<Taken<T>> {
        let slot = self.table.slot(handle)? as usize;
        let entry = self.table.remove(handle)?;
        Some(Taken { entry, value: self.values[slot].take()? })
    }

    /// Takes all entries out. Handles go on counting.
    pub fn clear(&mut self) {
        self.table.clear();
        self.values.clear();
    }

    /// The entry that a key meets, see [`View::find`], and its value.
    pub fn find(&self, key: &[u64]) -> Option<(Found<'_>, &T)> {
        let found = self.table.view().find(key)?;
        Some((found, self.values[found.slot as usize].as_ref()?))
    }

    /// The entry that a key meets, and its value to change.
    #[inline]
    pub fn find_mut(&mut self, key: &[u64]) -> Option<(Found<'_>, &mut T)> {
        let found = self.table.view().find(key)?;
        Some((found, self.values[found.slot as usize].as_mut()?))
    }

    /// The entry of a slot that a look-up found in the table as it is now, and its value to change.
    #[inline]
    pub fn at_mut(&mut self, slot: u32) -> Option<(Found<'_>, &mut T)> {
        Some((self.table.view().at(slot), self.values[slot as usize].as_mut()?))
    }

    /// An entry by its handle.
    pub fn entry(&self, handle: Handle) -> Option<Entry> {
        self.table.get(handle)
    }

    /// An entry's value.
    pub fn get(&self, handle: Handle) -> Option<&T> {
        self.values[self.table.slot(handle)? as usize].as_ref()
    }

    /// An entry's value, to change.
    pub fn get_mut(&mut self, handle: Handle) -> Option<&mut T> {
        self.values[self.table.slot(handle)? as usize].as_mut()
    }

    /// See [`Table::find_entry`].
    pub fn find_entry(&self, patterns: &[Pattern], priority: u32) -> Result<Option<Handle>, InsertError> {
        self.table.find_entry(patterns, priority)
    }

    /// Handles in order, with their values.
    pub fn iter(&self) -> impl Iterator<Item = (Handle, &T)> {
        self.table
            .slots()
            .filter_map(|slot| Some((self.table.handle(slot), self.values[slot as usize].as_ref()?)))
    }
}
