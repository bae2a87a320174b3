//! Match tables: their entries, and how they are changed.

mod change;
mod encoding;
mod read;

use std::sync::Arc;

use crate::bucket_index::BucketIndex;
use crate::entry_order::EntryOrder;
use crate::hit::Handle;
use crate::key::KeyLayout;
use crate::lpm::{Lpm, LpmWriter};
use crate::memory_usage::MemoryUsage;
use crate::packing::Packing;
use crate::pages::{PageAllocator, PageEditor};
use crate::pattern::{Pattern, PatternError};
use crate::records::Records;
use crate::row_store::RowStore;
use crate::snapshot::TableSnapshot;
use crate::table_view::{Index, Shape, TableView};
use crate::tuples::{PRIORITY_WORDS, TupleSpace, TupleWriter};
use encoding::PREFIX_LEN_BITS;

/// An entry that was read back from a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The handle, which identifies the entry.
    pub handle: Handle,
    /// A normalized pattern for each field (see [`Pattern::normalized`]).
    pub patterns: Vec<Pattern>,
    /// The priority, of which larger ones are preferred; 0 in tables without priorities.
    pub priority: u32,
    /// The position of its action.
    pub action: u32,
    /// The action data, filled up with zeros to [`Table::data_words`] words.
    pub data: Vec<u64>,
}

/// The reason why an entry could not be inserted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InsertError {
    /// The number of patterns differs from the number of fields.
    Count,
    /// The pattern at this position does not fit its field.
    Pattern(usize, PatternError),
    /// This entry has the same patterns, and the same priority if the table has priorities.
    Duplicate(Handle),
    /// There is more action data than [`Table::data_words`].
    Data,
    /// The table has 2^28 entries, or 2^24 different rows, or has assigned 2^40 handles.
    Full,
}

/// A match table.
///
/// If several entries accept a key, the winner is:
///
/// 1. With exact fields only, at most one entry accepts a key.
/// 2. With one prefix field and otherwise exact fields, the entry of the longest prefix. Priorities
///    are ignored.
/// 3. Otherwise ([`KeyLayout::by_priority`]), the entry of the largest priority, as in P4Runtime,
///    and among equal priorities the one inserted first.
///
/// In a table of the third kind, entries may have the same patterns with different priorities.
///
/// The owner makes its lookups through [`Table::view`]. Other threads use a [`Table::snapshot`],
/// which later changes do not affect.
#[derive(Debug)]
pub struct Table {
    view: TableView,
    allocator: PageAllocator,
    order: EntryOrder,
    rows: RowStore,
    index: IndexWriter,
    next_handle: Handle,
    data_words: usize,
    version: u64,
}

/// The data that the owner needs to change the index. It is of the same kind as the view's
/// [`Index`].
#[derive(Debug)]
enum IndexWriter {
    Exact,
    Lpm(Box<LpmWriter>),
    Tuples(Box<TupleWriter>),
}

impl Table {
    /// Creates an empty table whose actions have at most `data_words` words of data.
    pub fn new(layout: KeyLayout, data_words: usize) -> Self {
        let width: usize = layout.fields().iter().map(|field| field.width as usize).sum();
        let lpm = !layout.by_priority() && layout.lpm_fields() == 1;
        let packing = if lpm { Packing::high(&layout, 0) } else { Packing::low(&layout) };
        let entry_words = match (lpm, layout.by_priority()) {
            (true, _) => (width + PREFIX_LEN_BITS).div_ceil(64) + 1,
            (_, true) => 2 * packing.words + PRIORITY_WORDS + 1,
            _ => packing.words + 1,
        };
        let (mut allocator, mut pages) = PageAllocator::new(entry_words.max(1 + data_words));
        let (index, index_writer) = if lpm {
            let mut editor = PageEditor { allocator: &mut allocator, pages: &mut pages };
            let (index, writer) = Lpm::new(&mut editor, 0, width);
            (Index::Lpm(index), IndexWriter::Lpm(Box::new(writer)))
        } else if layout.by_priority() {
            (
                Index::Tuples(TupleSpace::new(&layout, &packing)),
                IndexWriter::Tuples(Box::new(TupleWriter::new(&layout, &packing))),
            )
        } else {
            (Index::Exact(BucketIndex::default()), IndexWriter::Exact)
        };
        let view = TableView {
            entries: Records::new(entry_words, &pages),
            rows: Records::new(1 + data_words, &pages),
            pages,
            index,
            len: 0,
            one_word: packing.one_word(),
            shape: Arc::new(Shape { key_words: layout.words(), layout, packing, width }),
        };
        let (order, rows) = (EntryOrder::default(), RowStore::new());
        Self { view, allocator, order, rows, index: index_writer, next_handle: 0, data_words, version: 0 }
    }

    /// Returns the key's fields.
    pub fn layout(&self) -> &KeyLayout {
        &self.view.shape.layout
    }

    /// Returns the maximum number of words of action data.
    pub fn data_words(&self) -> usize {
        self.data_words
    }

    /// Returns the number of entries.
    pub fn len(&self) -> usize {
        self.view.len
    }

    /// Returns whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.view.len == 0
    }

    /// Returns the number of changes so far. The results of lookups stay the same as long as this
    /// number does.
    #[inline]
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Returns the view of the current table, for lookups.
    pub fn view(&self) -> &TableView {
        &self.view
    }

    /// Returns a snapshot of the current table, for other threads. A snapshot takes a few
    /// microseconds for any size of the table, except for the first snapshot, which moves the table
    /// to pages. As long as the snapshot exists, changes copy the pages that they write.
    pub fn snapshot(&mut self) -> TableSnapshot {
        let TableView { pages, entries, rows, index, .. } = &mut self.view;
        let editor = &mut PageEditor { allocator: &mut self.allocator, pages };
        entries.move_to_pages(editor);
        rows.move_to_pages(editor);
        match index {
            Index::Exact(index) => index.move_to_pages(editor),
            Index::Lpm(index) => index.move_to_pages(editor),
            Index::Tuples(index) => index.move_to_pages(editor),
        }
        let token = self.allocator.register_snapshot();
        TableSnapshot::new(self.view.duplicate(), token)
    }

    /// Returns the memory that the table takes.
    pub fn memory(&self) -> MemoryUsage {
        let index = match (&self.index, &self.view.index) {
            (IndexWriter::Lpm(writer), _) => writer.bytes(),
            (IndexWriter::Tuples(writer), Index::Tuples(index)) => writer.bytes() + index.bytes(),
            _ => 0,
        };
        let pages = self.allocator.page_count() * self.view.pages.page_words() * 8;
        let bytes = pages + self.allocator.overhead() + self.order.bytes() + self.rows.bytes() + index;
        MemoryUsage { entries: self.len(), bytes }
    }

    /// Returns the number of tuples that a lookup may have to search; `None` in tables without
    /// priorities.
    pub fn tuples(&self) -> Option<usize> {
        match &self.view.index {
            Index::Tuples(index) => Some(index.tuples()),
            _ => None,
        }
    }
}
