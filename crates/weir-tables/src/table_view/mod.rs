//! Lookups in a table's entries.

mod batch;
mod find;

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use crate::bucket_index::BucketIndex;
use crate::hit::{Handle, Hit, handle_of, row_of};
use crate::key::KeyLayout;
use crate::lpm::Lpm;
use crate::packing::{OneWord, Packing};
use crate::pages::Pages;
use crate::records::Records;
use crate::row::{Row, Rows};
use crate::tuples::TupleSpace;

/// A table's entries at one moment: borrowed from the table by [`Table::view`](crate::Table::view),
/// or kept in a [`TableSnapshot`](crate::TableSnapshot).
///
/// A view that is not a snapshot cannot be cloned, because its pages change with the table:
///
/// ```compile_fail,E0308
/// # use weir_tables::{KeyLayout, Table, TableView};
/// let table = Table::new(KeyLayout::new(Vec::new()), 0);
/// let kept: TableView = table.view().clone();
/// ```
#[derive(Debug)]
pub struct TableView {
    pub(crate) pages: Pages,
    pub(crate) entries: Records,
    pub(crate) rows: Records,
    pub(crate) index: Index,
    pub(crate) shape: Arc<Shape>,
    /// The layout of packed keys, if a packed key is one word.
    pub(crate) one_word: Option<OneWord>,
    pub(crate) len: usize,
}

/// The properties of a table that never change.
#[derive(Debug)]
pub(crate) struct Shape {
    pub(crate) layout: KeyLayout,
    pub(crate) packing: Packing,
    /// The number of words of a key.
    pub(crate) key_words: usize,
    /// The number of bits of all fields.
    pub(crate) width: usize,
}

/// The structure that finds the entries of a table, by the kind of table.
#[derive(Clone, Debug)]
pub(crate) enum Index {
    Exact(BucketIndex),
    Lpm(Lpm),
    Tuples(TupleSpace),
}

/// The entry that a key matched.
#[derive(Clone, Copy, Debug)]
pub struct Match<'a> {
    /// The entry's slot: a small number with which callers can index their own arrays. No two
    /// entries have the same slot at one time. A slot is reused when its entry is gone from the
    /// table and from all living snapshots.
    pub slot: u32,
    /// The number of the row. Entries whose rows are equal share one.
    pub row_number: u32,
    /// The handle, which identifies the entry.
    pub handle: Handle,
    /// The entry's action and action data.
    pub row: Row<'a>,
}

impl TableView {
    /// Returns the key's fields.
    pub fn layout(&self) -> &KeyLayout {
        &self.shape.layout
    }

    /// Returns the number of entries.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the entry in a slot. The slot comes from a [`Match`] or [`Hit`] of this view, or
    /// from the current table.
    #[inline]
    pub fn match_at(&self, slot: u32) -> Match<'_> {
        let word = self.last_word(slot);
        let row = row_of(word);
        Match { slot, row_number: row, handle: handle_of(word), row: self.row(row) }
    }

    /// Returns the entry of a hit of this view.
    #[inline]
    pub fn match_of_hit(&self, hit: Hit) -> Match<'_> {
        let (slot, row) = (hit.slot(), hit.row());
        Match { slot, row_number: row, handle: self.handle(slot), row: self.row(row) }
    }

    /// Returns the handle of the entry in a slot, as for [`TableView::match_at`].
    #[inline]
    pub fn handle(&self, slot: u32) -> Handle {
        handle_of(self.last_word(slot))
    }

    /// Returns the row with this number.
    #[inline]
    pub fn row(&self, row: u32) -> Row<'_> {
        Row(self.rows.get(&self.pages, row))
    }

    /// Returns faster access to many rows, while they are in contiguous memory: until the table's
    /// first [`snapshot`](crate::Table::snapshot).
    #[inline]
    pub fn rows(&self) -> Option<Rows<'_>> {
        self.rows.flat_dyn().map(Rows)
    }

    /// Returns whether the entry in a slot begins with these words.
    #[inline]
    pub(crate) fn has_key(&self, slot: u32, packed: &[u64]) -> bool {
        let entry = self.entries.get(&self.pages, slot);
        packed.iter().zip(entry).all(|(word, stored)| *word == stored.load(Relaxed))
    }

    /// Returns the last word of an entry.
    #[inline]
    pub(crate) fn last_word(&self, slot: u32) -> u64 {
        self.entries.get(&self.pages, slot)[self.entries.stride() - 1].load(Relaxed)
    }

    /// Clones the view for a snapshot, which shares the pages of this view.
    pub(crate) fn duplicate(&self) -> Self {
        Self {
            pages: self.pages.clone(),
            entries: self.entries.clone(),
            rows: self.rows.clone(),
            index: self.index.clone(),
            shape: Arc::clone(&self.shape),
            one_word: self.one_word,
            len: self.len,
        }
    }
}
