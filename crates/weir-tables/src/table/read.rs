//! Reading entries back.

use std::sync::atomic::Ordering::Relaxed;

use super::encoding::{StoredKey, prefix, prefix_of, with_prefix};
use super::{Entry, IndexWriter, InsertError, Table};
use crate::hash_index::hash;
use crate::hit::{Handle, Hit, NO_ROW, handle_of, row_of};
use crate::key::FieldKind;
use crate::packing::Rule;
use crate::pattern::Pattern;
use crate::table_view::{Index, TableView};
use crate::tuples::priority_of;

impl Table {
    /// Returns the slot of an entry; see [`Match::slot`](crate::Match::slot).
    pub fn slot(&self, handle: Handle) -> Option<u32> {
        let slot = self.order.find(handle, |slot| handle_of(self.view.last_word(slot)))?;
        (row_of(self.view.last_word(slot)) != NO_ROW).then_some(slot)
    }

    /// Returns the entry with this handle.
    pub fn get(&self, handle: Handle) -> Option<Entry> {
        self.slot(handle).map(|slot| self.entry(slot))
    }

    /// Finds the handle of the entry with these patterns, and this priority if the table has
    /// priorities.
    pub fn find_entry(&self, patterns: &[Pattern], priority: u32) -> Result<Option<Handle>, InsertError> {
        let (value, mask) = self.pattern_words(patterns)?;
        Ok(self.find_slot((&value, &mask), priority)?.map(|slot| self.handle(slot)))
    }

    /// Returns the slot of the entry with this pattern in words (see [`Table::insert_words`]), and
    /// with this priority if the table has priorities.
    ///
    /// # Panics
    /// If there are fewer words than a key has.
    pub fn find_slot(&self, pattern: (&[u64], &[u64]), priority: u32) -> Result<Option<u32>, InsertError> {
        let (stored, priority) = self.encode(pattern, priority)?;
        Ok(self.slot_of(&stored, priority))
    }

    /// Iterates over all entries in the order of their handles.
    pub fn iter(&self) -> impl Iterator<Item = Entry> {
        self.slots().map(|slot| self.entry(slot))
    }

    /// Returns the slots of all entries in the order of their handles.
    pub fn slots(&self) -> impl Iterator<Item = u32> {
        self.order.slots().iter().copied().filter(|slot| row_of(self.view.last_word(*slot)) != NO_ROW)
    }

    /// Returns all handles in order.
    pub fn handles(&self) -> impl Iterator<Item = Handle> {
        self.slots().map(|slot| self.handle(slot))
    }

    /// Returns the handle of the entry in a slot.
    pub fn handle(&self, slot: u32) -> Handle {
        handle_of(self.view.last_word(slot))
    }

    /// Returns the entry in a slot that [`Table::slot`] or [`Table::slots`] returned.
    pub fn entry(&self, slot: u32) -> Entry {
        let TableView { pages, entries, shape, .. } = &self.view;
        let stored: Vec<u64> = entries.get(pages, slot).iter().map(|word| word.load(Relaxed)).collect();
        let packed = shape.packing.words;
        let mut priority = 0;
        let patterns = match &self.view.index {
            Index::Exact(_) => {
                let rule = Rule { value: stored[..packed].to_vec(), mask: Vec::new() };
                shape.packing.patterns(&shape.layout, &rule)
            }
            Index::Lpm(_) => self.prefix_patterns(slot),
            Index::Tuples(_) => {
                priority = priority_of(stored[2 * packed]);
                let (value, mask) = (stored[..packed].to_vec(), stored[packed..2 * packed].to_vec());
                shape.packing.patterns(&shape.layout, &Rule { value, mask })
            }
        };
        let last = stored[stored.len() - 1];
        let row = self.view.row(row_of(last));
        Entry { handle: handle_of(last), patterns, priority, action: row.action(), data: row.to_vec() }
    }

    /// Returns the patterns of an entry of a prefix table.
    fn prefix_patterns(&self, slot: u32) -> Vec<Pattern> {
        let TableView { pages, entries, shape, .. } = &self.view;
        let (string, len) = prefix_of(entries, pages, shape, slot);
        let fields = shape.layout.fields();
        let exact: usize =
            fields.iter().filter(|f| f.kind == FieldKind::Exact).map(|f| f.width as usize).sum();
        let pattern = |(index, field): (usize, &crate::key::Field)| {
            let value = shape.packing.read_field(index, field.width, &string);
            match field.kind {
                FieldKind::Lpm => Pattern::Prefix(value, (len - exact) as u32),
                _ => Pattern::Value(value),
            }
        };
        fields.iter().enumerate().map(pattern).collect()
    }

    /// Finds the slot of an entry that stores the same key.
    pub(super) fn slot_of(&self, stored: &StoredKey, priority: u32) -> Option<u32> {
        let TableView { pages, entries, index, .. } = &self.view;
        match (index, &self.index) {
            (Index::Exact(index), _) => {
                let hash = hash(stored.words.iter().copied(), 0);
                index.find(pages, hash, |slot| self.view.has_key(slot, &stored.words))
            }
            (Index::Lpm(index), _) => {
                let string = stored.bit_string();
                let leaf = with_prefix!(prefix(&string), |key| index.get(pages, key, stored.len));
                leaf.and_then(Hit::from_word).map(Hit::slot)
            }
            (Index::Tuples(index), IndexWriter::Tuples(writer)) => {
                index.get(pages, writer, entries, (&stored.rule(), priority))
            }
            _ => unreachable!("an index and its writer are of the same kind"),
        }
    }
}
