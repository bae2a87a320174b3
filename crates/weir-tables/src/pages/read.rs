//! Reading arrays in lookups.

use std::sync::atomic::Ordering::Relaxed;

use weir_device::prefetch_start;

use super::{CHUNK_PAGES, CHUNK_SHIFT, Chunk};
use crate::sync::AtomicU64;

/// Read access to the words of an array.
pub(crate) trait ReadWords<'a>: Copy {
    /// Returns block number `index` of an array of blocks of `LEN` words. No block crosses a page
    /// boundary.
    fn block<const LEN: usize>(self, index: usize) -> &'a [AtomicU64; LEN];

    /// Prefetches a word. Does nothing if the array is too short.
    fn prefetch(self, at: usize);

    /// Returns the word at a position.
    #[inline(always)]
    fn get(self, at: usize) -> u64 {
        self.block::<1>(at)[0].load(Relaxed)
    }
}

/// Read access to an array in contiguous memory, without a check of the array's form at each read.
#[derive(Clone, Copy)]
pub(crate) struct Flat<'a>(pub(super) &'a [AtomicU64]);

/// Read access to an array in pages, without a check of the array's form at each read.
#[derive(Clone, Copy)]
pub(crate) struct Paged<'a> {
    pub(super) page_numbers: &'a [u32],
    pub(super) chunks: &'a [Chunk],
    /// log2 of the words of a page.
    pub(super) shift: u32,
}

impl<'a> Flat<'a> {
    /// Returns all words of the array.
    #[inline(always)]
    pub(crate) fn words(self) -> &'a [AtomicU64] {
        self.0
    }

    /// Returns block number `index` of an array of blocks, if there is one.
    #[inline(always)]
    pub(crate) fn find_block<const LEN: usize>(self, index: usize) -> Option<&'a [AtomicU64; LEN]> {
        self.0.as_chunks().0.get(index)
    }
}

impl<'a> ReadWords<'a> for Flat<'a> {
    #[inline(always)]
    fn block<const LEN: usize>(self, index: usize) -> &'a [AtomicU64; LEN] {
        &self.0.as_chunks().0[index]
    }

    #[inline(always)]
    fn prefetch(self, at: usize) {
        if let Some(word) = self.0.get(at) {
            prefetch_start(word);
        }
    }
}

impl<'a> Paged<'a> {
    /// Returns the words from position `at` to the end of its chunk, if the array is long enough.
    #[inline(always)]
    pub(super) fn words_from(self, at: usize) -> Option<&'a [AtomicU64]> {
        let page = *self.page_numbers.get(at >> self.shift)?;
        let chunk = self.chunks.get((page >> CHUNK_SHIFT) as usize)?;
        let start = ((page % CHUNK_PAGES) as usize) << self.shift | at & ((1 << self.shift) - 1);
        chunk.words.get(chunk.start + start..)
    }
}

impl<'a> ReadWords<'a> for Paged<'a> {
    #[inline(always)]
    fn block<const LEN: usize>(self, index: usize) -> &'a [AtomicU64; LEN] {
        match self.words_from(index * LEN).and_then(<[AtomicU64]>::first_chunk) {
            Some(words) => words,
            None => unreachable!("the block lies within the array"),
        }
    }

    #[inline(always)]
    fn prefetch(self, at: usize) {
        if let Some(word) = self.words_from(at).and_then(<[AtomicU64]>::first) {
            prefetch_start(word);
        }
    }
}
