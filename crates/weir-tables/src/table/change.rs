//! Inserting, modifying and removing entries.

use std::sync::atomic::Ordering::Relaxed;

use super::encoding::{StoredKey, exact_hash, prefix, prefix_of, with_prefix};
use super::{Entry, IndexWriter, InsertError, Table};
use crate::hash_index::hash;
use crate::hit::{Handle, Hit, NO_ROW, ROW_BITS, handle_of, row_of};
use crate::lpm::Lpm;
use crate::pages::PageEditor;
use crate::pattern::Pattern;
use crate::table_view::{Index, TableView};
use crate::tuples::{PRIORITY_WORDS, priority_of, priority_word};

/// Number of handles of a table: enough for more than 30 years of 1000 inserts per second.
const MAX_HANDLES: u64 = 1 << (64 - ROW_BITS);

impl Table {
    /// Inserts an entry. In tables without priorities, `priority` is ignored.
    pub fn insert(
        &mut self,
        patterns: &[Pattern],
        priority: u32,
        action: u32,
        data: &[u64],
    ) -> Result<Handle, InsertError> {
        let (value, mask) = self.pattern_words(patterns)?;
        self.insert_words((&value, &mask), priority, action, data)
    }

    /// Inserts an entry whose patterns are given as words in the order of a key: values and masks.
    /// Faster than [`Table::insert`].
    ///
    /// - Exact field: the mask is ignored.
    /// - Prefix: the mask has as many leading ones as the prefix has bits.
    /// - Ternary field: any mask. Optional field: all ones for a value, 0 to accept every value.
    /// - Range: the value is its low end, the mask its high end.
    ///
    /// Bits of a value outside its mask are ignored, and so are bits above a field's width.
    ///
    /// # Panics
    /// If there are fewer words than a key has.
    pub fn insert_words(
        &mut self,
        pattern: (&[u64], &[u64]),
        priority: u32,
        action: u32,
        data: &[u64],
    ) -> Result<Handle, InsertError> {
        self.insert_slot(pattern, priority, action, data).map(|slot| self.handle(slot))
    }

    /// Inserts an entry like [`Table::insert_words`], and returns its slot. Finding the slot of a
    /// handle takes about as long as a lookup.
    ///
    /// # Panics
    /// If there are fewer words than a key has.
    pub fn insert_slot(
        &mut self,
        pattern: (&[u64], &[u64]),
        priority: u32,
        action: u32,
        data: &[u64],
    ) -> Result<u32, InsertError> {
        let (stored, priority) = self.encode(pattern, priority)?;
        if let Some(slot) = self.slot_of(&stored, priority) {
            return Err(InsertError::Duplicate(handle_of(self.view.last_word(slot))));
        }
        let words = self.row_words(action, data)?;
        self.reclaim();
        if !self.order.has_room() || !self.rows.has_room() || self.next_handle == MAX_HANDLES {
            return Err(InsertError::Full);
        }
        let handle = self.next_handle;
        self.next_handle += 1;
        let slot = self.order.push();
        self.write_entry(slot, handle, stored, priority, &words);
        Ok(slot)
    }

    /// Inserts an entry that [`Table::remove`] returned, under its old handle. Returns false if the
    /// table already has the handle or the patterns, or if the entry never belonged to this table.
    pub fn restore(&mut self, entry: &Entry) -> bool {
        let Ok((value, mask)) = self.pattern_words(&entry.patterns) else { return false };
        let Ok((stored, priority)) = self.encode((&value, &mask), entry.priority) else { return false };
        let Ok(words) = self.row_words(entry.action, &entry.data) else { return false };
        self.reclaim();
        if entry.handle >= self.next_handle
            || self.slot(entry.handle).is_some()
            || self.slot_of(&stored, priority).is_some()
            || !self.order.has_room()
            || !self.rows.has_room()
        {
            return false;
        }
        let slot = self.order.reinsert(entry.handle, |slot| handle_of(self.view.last_word(slot)));
        self.write_entry(slot, entry.handle, stored, priority, &words);
        true
    }

    /// Replaces the action and data of an entry. Returns false if there is no entry with this
    /// handle.
    pub fn modify(&mut self, handle: Handle, action: u32, data: &[u64]) -> Result<bool, InsertError> {
        let Some(slot) = self.slot(handle) else { return Ok(false) };
        self.modify_at(slot, action, data).map(|()| true)
    }

    /// Replaces the action and data of the entry in a slot that [`Table::slot`] or
    /// [`Table::find_slot`] returned.
    pub fn modify_at(&mut self, slot: u32, action: u32, data: &[u64]) -> Result<(), InsertError> {
        let words = self.row_words(action, data)?;
        if !self.rows.has_room() {
            return Err(InsertError::Full);
        }
        self.reclaim();
        self.version += 1;
        let word = self.view.last_word(slot);
        let (handle, old) = (handle_of(word), row_of(word));
        let TableView { pages, entries, rows, index, shape, .. } = &mut self.view;
        let mut editor = PageEditor { allocator: &mut self.allocator, pages };
        let row = self.rows.acquire(&mut editor, rows, &words);
        let last = entries.stride() - 1;
        entries.set(&mut editor, slot, last, handle << ROW_BITS | u64::from(row));
        self.rows.release(&mut editor, rows, old);
        if let (Index::Lpm(index), IndexWriter::Lpm(writer)) = (index, &mut self.index)
            && row != old
        {
            let (words, len) = prefix_of(entries, editor.pages, shape, slot);
            let leaf = Hit::to_word(slot, row);
            with_prefix!(prefix(&words), |key| index.set(&mut editor, writer, key, len, leaf));
        }
        Ok(())
    }

    /// Removes the entry with this handle and returns it.
    pub fn remove(&mut self, handle: Handle) -> Option<Entry> {
        self.slot(handle).map(|slot| self.remove_at(slot))
    }

    /// Removes and returns the entry in a slot that [`Table::slot`] or [`Table::find_slot`]
    /// returned.
    pub fn remove_at(&mut self, slot: u32) -> Entry {
        let entry = self.entry(slot);
        self.delete_at(slot);
        entry
    }

    /// Removes an entry like [`Table::remove_at`], without reading it back. Faster than removal.
    pub fn delete_at(&mut self, slot: u32) {
        self.reclaim();
        self.version += 1;
        let TableView { pages, entries, rows, index, shape, len, .. } = &mut self.view;
        let mut editor = PageEditor { allocator: &mut self.allocator, pages };
        match (index, &mut self.index) {
            (Index::Exact(index), _) => {
                let hash = exact_hash(entries, editor.pages, slot);
                index.remove(&mut editor, hash, slot, |pages, slot| exact_hash(entries, pages, slot));
            }
            (Index::Lpm(index), IndexWriter::Lpm(writer)) => {
                let (words, prefix_len) = prefix_of(entries, editor.pages, shape, slot);
                with_prefix!(prefix(&words), |key| index.remove(&mut editor, writer, key, prefix_len));
            }
            (Index::Tuples(index), IndexWriter::Tuples(writer)) => {
                let word =
                    entries.get(editor.pages, slot)[entries.stride() - 1 - PRIORITY_WORDS].load(Relaxed);
                index.remove(&mut editor, writer, entries, slot, priority_of(word));
            }
            _ => unreachable!("an index and its writer are of the same kind"),
        }
        let last = entries.stride() - 1;
        let word = entries.get(editor.pages, slot)[last].load(Relaxed);
        entries.set(&mut editor, slot, last, handle_of(word) << ROW_BITS | u64::from(NO_ROW));
        self.rows.release(&mut editor, rows, row_of(word));
        *len -= 1;
        self.order
            .note_removed(self.allocator.generation(), |slot| row_of(self.view.last_word(slot)) == NO_ROW);
    }

    /// Removes all entries. Their handles are not used again.
    pub fn clear(&mut self) {
        let fresh = Self::new(self.layout().clone(), self.data_words);
        *self = Self { next_handle: self.next_handle, version: self.version + 1, ..fresh };
    }

    /// Frees the pages and slots that only dropped snapshots held.
    fn reclaim(&mut self) {
        self.allocator.reclaim();
        self.order.reclaim(self.allocator.oldest_snapshot());
    }

    fn write_entry(&mut self, slot: u32, handle: Handle, stored: StoredKey, priority: u32, row: &[u64]) {
        self.version += 1;
        let TableView { pages, entries, rows, index, shape, len, .. } = &mut self.view;
        let mut editor = PageEditor { allocator: &mut self.allocator, pages };
        let row = self.rows.acquire(&mut editor, rows, row);
        entries.write(&mut editor, slot, &stored.words, handle << ROW_BITS | u64::from(row));
        *len += 1;
        match (index, &mut self.index) {
            (Index::Exact(index), _) => {
                let hash = hash(stored.words.iter().copied(), 0);
                index.insert(&mut editor, hash, slot, |pages, slot| exact_hash(entries, pages, slot));
            }
            (Index::Lpm(index), IndexWriter::Lpm(writer)) => {
                if index.needs_rebuild(*len, shape.width) {
                    self.rebuild_lpm();
                } else {
                    let string = stored.bit_string();
                    let leaf = Hit::to_word(slot, row);
                    with_prefix!(prefix(&string), |key| index.insert(
                        &mut editor,
                        writer,
                        key,
                        stored.len,
                        leaf
                    ));
                }
            }
            (Index::Tuples(index), IndexWriter::Tuples(writer)) => {
                let at = entries.stride() - 1 - PRIORITY_WORDS;
                entries.set(&mut editor, slot, at, priority_word(priority));
                index.insert(&mut editor, writer, entries, slot, priority);
            }
            _ => unreachable!("an index and its writer are of the same kind"),
        }
    }

    /// Rebuilds the index of a prefix table in the form for the current number of entries.
    fn rebuild_lpm(&mut self) {
        let slots: Vec<u32> = self.slots().collect();
        let TableView { pages, entries, index, shape, len, .. } = &mut self.view;
        let mut editor = PageEditor { allocator: &mut self.allocator, pages };
        let (mut new, mut writer) = Lpm::new(&mut editor, *len, shape.width);
        for slot in slots {
            let (words, prefix_len) = prefix_of(entries, editor.pages, shape, slot);
            let last = entries.get(editor.pages, slot)[entries.stride() - 1].load(Relaxed);
            let leaf = Hit::to_word(slot, row_of(last));
            with_prefix!(prefix(&words), |key| new.insert(&mut editor, &mut writer, key, prefix_len, leaf));
        }
        if let Index::Lpm(old) = std::mem::replace(index, Index::Lpm(new)) {
            old.release(editor.allocator);
        }
        self.index = IndexWriter::Lpm(Box::new(writer));
    }
}
