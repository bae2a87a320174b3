//! Arrays of words with cheap snapshots: memory in pages that are copied on write.
//!
//! Until the first snapshot, a [`WordArray`] is one contiguous piece of memory that grows. From
//! [`PageEditor::move_to_pages`] on it is a list of page numbers. A clone of the array, together
//! with a clone of its [`Pages`], is a snapshot. It keeps the current contents, and costs only a
//! copy of the list.
//!
//! The one owner of the pages writes through a [`PageEditor`]. Its [`PageAllocator`] knows in which
//! generation each page was allocated and which snapshots may still be alive. A page that no living
//! snapshot can hold is written in place; otherwise a copy is written. The old page is reused
//! when the last snapshot that could hold it has been dropped. So neither readers nor the owner
//! wait.
//!
//! Words are atomics that are read and written with relaxed ordering. This costs the same as plain
//! loads and stores, and needs no unsafe code. A snapshot is consistent because its pages do not
//! change while its token is alive:
//!
//! - A reader receives a snapshot through something that synchronizes (a channel, a lock, an
//!   `ArcSwap`), so it sees every write that was made before the snapshot was taken.
//! - The owner learns that a snapshot is gone from the reference count of its token, by
//!   `Arc::get_mut`, which synchronizes with the drop of the last reference. So every read of the
//!   snapshot happened before the owner writes to its pages again.
//!
//! The test in `loom_tests.rs` checks this over all interleavings.
//!
//! Arrays and pages begin at a cache line, so that a record of a whole or half cache line is inside
//! one cache line.

mod allocator;
mod array;
mod editor;
#[cfg(all(test, feature = "loom"))]
mod loom_tests;
mod read;

use std::sync::Arc;

pub(crate) use allocator::PageAllocator;
pub(crate) use array::{AnyWords, WordArray};
pub(crate) use editor::PageEditor;
pub(crate) use read::{Flat, Paged, ReadWords};

use crate::sync::AtomicU64;

/// Minimum length of a page in words: 4 KiB, and as few as possible under loom.
const MIN_PAGE_WORDS: usize = if cfg!(feature = "loom") { 2 } else { 512 };
/// The binary logarithm of the number of pages that are allocated together.
const CHUNK_SHIFT: u32 = if cfg!(feature = "loom") { 1 } else { 4 };
const CHUNK_PAGES: u32 = 1 << CHUNK_SHIFT;
/// The number of words of a cache line.
const LINE_WORDS: usize = 8;

/// Returns the number of words to skip so that the first word used begins a cache line.
fn line_offset(words: &[AtomicU64]) -> usize {
    if cfg!(feature = "loom") {
        // Under loom, executions must not depend on addresses.
        return 0;
    }
    // Any result is correct, because there are always `LINE_WORDS - 1` spare words.
    words.as_ptr().align_offset(LINE_WORDS * size_of::<u64>()).min(LINE_WORDS - 1)
}

/// The memory of all pages.
#[derive(Clone, Debug)]
pub(crate) struct Pages {
    /// log2 of the words of a page.
    shift: u32,
    chunks: Arc<Vec<Chunk>>,
}

/// Several adjacent pages.
#[derive(Clone, Debug)]
struct Chunk {
    words: Arc<[AtomicU64]>,
    /// Index of the first word that is used.
    start: usize,
}

impl Chunk {
    fn new(words: usize) -> Self {
        let words: Arc<[AtomicU64]> = (0..words + LINE_WORDS - 1).map(|_| AtomicU64::new(0)).collect();
        Self { start: line_offset(&words), words }
    }
}

impl Pages {
    #[inline]
    fn word(&self, page: u32, at: usize) -> &AtomicU64 {
        let start = ((page % CHUNK_PAGES) as usize) << self.shift;
        let chunk = &self.chunks[(page >> CHUNK_SHIFT) as usize];
        &chunk.words[chunk.start + (start | at & self.mask())]
    }

    /// Returns the bits of a position within a page.
    #[inline]
    fn mask(&self) -> usize {
        (1 << self.shift) - 1
    }

    /// Returns the number of words in a page. No record of an array may cross a page boundary.
    pub(crate) fn page_words(&self) -> usize {
        1 << self.shift
    }
}
