//! The sets of used pages, of free pages, and of pages that a snapshot may still hold.

use std::collections::VecDeque;
use std::sync::Arc;

use super::array::WordArray;
use super::{CHUNK_PAGES, Chunk, MIN_PAGE_WORDS, Pages};
use crate::sync::TokenArc;

/// The owner's data about pages.
///
/// Time is counted in generations: each snapshot begins a new one.
#[derive(Debug)]
pub(crate) struct PageAllocator {
    /// Whether arrays are in pages.
    pub(super) is_paged: bool,
    /// The number of words allocated by arrays that are in contiguous memory.
    pub(super) flat_words: usize,
    /// The present generation.
    generation: u64,
    /// For each page: the generation in which it was allocated.
    allocated_in: Vec<u64>,
    free: Vec<u32>,
    /// The pages that were replaced by copies or freed, with the generation in which that happened.
    /// Snapshots of earlier generations may hold them.
    retired: VecDeque<(u64, u32)>,
    /// The generations and tokens of snapshots that may be alive, oldest first.
    snapshots: VecDeque<(u64, TokenArc<()>)>,
}

impl PageAllocator {
    /// Creates an allocator and its pages, for records of at most `max_record` words.
    pub(crate) fn new(max_record: usize) -> (Self, Pages) {
        let shift = max_record.next_power_of_two().max(MIN_PAGE_WORDS).ilog2();
        let (allocated_in, free, retired, snapshots) = Default::default();
        (
            Self { is_paged: false, flat_words: 0, generation: 1, allocated_in, free, retired, snapshots },
            Pages { shift, chunks: Arc::default() },
        )
    }

    /// Takes a snapshot: clones of the current arrays stay unchanged until all clones of the token
    /// have been dropped. All arrays have been moved to pages before
    /// ([`PageEditor::move_to_pages`](super::PageEditor::move_to_pages)).
    pub(crate) fn register_snapshot(&mut self) -> TokenArc<()> {
        debug_assert!(self.is_paged || self.flat_words == 0, "arrays are in pages before a snapshot");
        self.reclaim();
        let token = TokenArc::new(());
        self.snapshots.push_back((self.generation, TokenArc::clone(&token)));
        self.generation += 1;
        token
    }

    /// Forgets snapshots that have been dropped and frees the pages that only they held.
    pub(crate) fn reclaim(&mut self) {
        // `get_mut` synchronizes with the drop of the last clone of the token: all reads of the
        // snapshot happened before the code that follows here.
        let dropped = |snapshot: Option<&mut (u64, TokenArc<()>)>| {
            snapshot.is_some_and(|(_, token)| TokenArc::get_mut(token).is_some())
        };
        while dropped(self.snapshots.front_mut()) {
            self.snapshots.pop_front();
        }
        while dropped(self.snapshots.back_mut()) {
            self.snapshots.pop_back();
        }
        let oldest = self.oldest_snapshot();
        while let Some((generation, page)) = self.retired.front()
            && *generation <= oldest
        {
            self.free.push(*page);
            self.retired.pop_front();
        }
    }

    /// Returns the generation of the oldest snapshot that may be alive; `u64::MAX` if there is
    /// none.
    pub(crate) fn oldest_snapshot(&self) -> u64 {
        self.snapshots.front().map_or(u64::MAX, |(generation, _)| *generation)
    }

    /// Returns the present generation. All snapshots taken so far belong to earlier generations.
    pub(crate) fn generation(&self) -> u64 {
        self.generation
    }

    /// Returns the number of all pages: in use, held by snapshots, or free.
    pub(crate) fn page_count(&self) -> usize {
        self.allocated_in.len()
    }

    /// Returns the size in bytes of the allocator's own lists and of arrays in contiguous memory.
    pub(crate) fn overhead(&self) -> usize {
        self.flat_words * 8
            + self.allocated_in.capacity() * 8
            + self.free.capacity() * 4
            + self.retired.capacity() * 16
    }

    /// Takes a free page into use. Its contents are arbitrary.
    pub(super) fn allocate(&mut self, pages: &mut Pages) -> u32 {
        let page = self.free.pop().unwrap_or_else(|| {
            let first = self.allocated_in.len() as u32;
            let words = (CHUNK_PAGES as usize) << pages.shift;
            Arc::make_mut(&mut pages.chunks).push(Chunk::new(words));
            self.allocated_in.resize(self.allocated_in.len() + CHUNK_PAGES as usize, 0);
            self.free.extend((first + 1..first + CHUNK_PAGES).rev());
            first
        });
        self.allocated_in[page as usize] = self.generation;
        page
    }

    /// Returns whether a page was allocated after the newest snapshot that may be alive, so that no
    /// snapshot holds the page.
    pub(super) fn is_writable(&self, page: u32) -> bool {
        let newest = self.snapshots.back().map_or(0, |(generation, _)| *generation);
        self.allocated_in[page as usize] > newest
    }

    /// Retires a page that snapshots taken until now may hold.
    pub(super) fn retire(&mut self, page: u32) {
        self.retired.push_back((self.generation, page));
    }

    /// Frees the memory of an array.
    pub(crate) fn release(&mut self, array: &mut WordArray) {
        self.flat_words -= std::mem::take(&mut array.flat).capacity();
        let page_numbers = std::mem::take(&mut array.page_numbers);
        page_numbers.iter().for_each(|page| self.retire(*page));
        self.reclaim();
    }
}
