//! An array of words, in contiguous memory or in pages.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use weir_device::prefetch_start;

use super::read::{Flat, Paged, ReadWords};
use super::{LINE_WORDS, Pages, line_offset};
use crate::sync::AtomicU64;

/// An array of words, in contiguous memory or in pages.
#[derive(Debug, Default)]
pub(crate) struct WordArray {
    /// The words of an array in contiguous memory, else empty.
    pub(super) flat: Vec<AtomicU64>,
    /// Index in `flat` of the first word that is used.
    pub(super) start: usize,
    /// The pages of an array in pages, else empty.
    pub(super) page_numbers: Arc<Vec<u32>>,
}

/// Clones share pages. The owner of a clone must keep a token of the
/// [`PageAllocator`](super::PageAllocator) as long as it reads the clone; otherwise, the contents
/// of the clone change.
impl Clone for WordArray {
    fn clone(&self) -> Self {
        let mut clone = Self { flat: Vec::new(), start: 0, page_numbers: Arc::clone(&self.page_numbers) };
        clone.grow_flat(self.flat_len());
        let words = || self.flat.get(self.start..).unwrap_or_default();
        for (to, from) in clone.flat.get(clone.start..).unwrap_or_default().iter().zip(words()) {
            to.store(from.load(Relaxed), Relaxed);
        }
        clone
    }
}

impl WordArray {
    /// Returns the number of words in contiguous memory; 0 if the array is in pages.
    pub(super) fn flat_len(&self) -> usize {
        self.flat.len().saturating_sub(LINE_WORDS - 1)
    }

    /// Grows contiguous memory to at least this many words. New words are 0.
    pub(super) fn grow_flat(&mut self, words: usize) {
        if words <= self.flat_len() {
            return;
        }
        let (needed, before) = (words + LINE_WORDS - 1, self.flat.capacity());
        if before < needed {
            // Growing by a quarter wastes little memory.
            self.flat.reserve_exact(needed.max(before + before / 4) - self.flat.len());
        }
        let (from, len) = (self.start, self.flat_len());
        self.flat.resize_with(needed, AtomicU64::default);
        self.start = line_offset(&self.flat);
        let copy = |at: usize| {
            self.flat[self.start + at].store(self.flat[from + at].load(Relaxed), Relaxed);
        };
        if self.start > from {
            (0..len).rev().for_each(copy);
        } else if self.start < from {
            (0..len).for_each(copy);
        }
        self.flat[self.start + len..].iter().for_each(|word| word.store(0, Relaxed));
    }

    /// Returns whether the array is in contiguous memory. False for an empty array.
    #[inline(always)]
    pub(crate) fn is_flat(&self) -> bool {
        !self.flat.is_empty()
    }

    /// Returns read access, for an array that is in contiguous memory or empty.
    #[inline(always)]
    pub(crate) fn as_flat(&self) -> Flat<'_> {
        Flat(self.flat.get(self.start..).unwrap_or_default())
    }

    /// Returns read access, for an array that is in pages.
    #[inline(always)]
    pub(crate) fn as_paged<'a>(&'a self, pages: &'a Pages) -> Paged<'a> {
        Paged { page_numbers: &self.page_numbers, chunks: &pages.chunks, shift: pages.shift }
    }

    /// Returns read access, for an array in either form.
    #[inline(always)]
    pub(crate) fn words<'a>(&'a self, pages: &'a Pages) -> AnyWords<'a> {
        AnyWords(self, pages)
    }

    /// Returns the word at a position.
    #[inline(always)]
    pub(crate) fn get(&self, pages: &Pages, at: usize) -> u64 {
        if let Some(word) = self.flat.get(self.start + at) {
            return word.load(Relaxed);
        }
        pages.word(self.page_numbers[at >> pages.shift], at).load(Relaxed)
    }

    /// Returns the 32-bit number at a position. A word holds two of them, the lower half first.
    #[inline]
    pub(crate) fn get32(&self, pages: &Pages, at: usize) -> u32 {
        (self.get(pages, at / 2) >> (at % 2 * 32)) as u32
    }

    /// Returns some words of an array in contiguous memory. They may cross a position that becomes
    /// a page boundary when the array moves to pages.
    #[inline(always)]
    pub(crate) fn flat_slice(&self, at: usize, len: usize) -> Option<&[AtomicU64]> {
        let at = self.start + at;
        self.flat.get(at..at + len)
    }

    /// Returns a word of an array in contiguous memory.
    #[inline(always)]
    pub(crate) fn flat_word(&self, at: usize) -> Option<&AtomicU64> {
        self.flat.get(self.start + at)
    }

    /// Returns some words, all in one page, of an array in pages.
    #[inline]
    pub(crate) fn page_slice<'a>(&'a self, pages: &'a Pages, at: usize, len: usize) -> &'a [AtomicU64] {
        match self.as_paged(pages).words_from(at) {
            Some(words) => &words[..len],
            None => unreachable!("the words lie within the array"),
        }
    }

    /// Prefetches the word at a position.
    #[inline(always)]
    pub(crate) fn prefetch(&self, pages: &Pages, at: usize) {
        match self.flat_word(at) {
            Some(word) => prefetch_start(word),
            None => self.prefetch_in_page(pages, at),
        }
    }

    /// Prefetches the word at a position of an array in pages.
    #[inline]
    pub(crate) fn prefetch_in_page(&self, pages: &Pages, at: usize) {
        self.as_paged(pages).prefetch(at);
    }

    /// Returns the number of words for which memory is allocated.
    pub(crate) fn capacity(&self, pages: &Pages) -> usize {
        self.flat_len() + (self.page_numbers.len() << pages.shift)
    }
}

/// Read access to an array in either form.
#[derive(Clone, Copy)]
pub(crate) struct AnyWords<'a>(&'a WordArray, &'a Pages);

impl<'a> ReadWords<'a> for AnyWords<'a> {
    #[inline(always)]
    fn block<const LEN: usize>(self, index: usize) -> &'a [AtomicU64; LEN] {
        let start = self.0.start + index * LEN;
        match self.0.flat.get(start..).and_then(<[AtomicU64]>::first_chunk) {
            Some(words) => words,
            None => self.0.as_paged(self.1).block(index),
        }
    }

    #[inline(always)]
    fn prefetch(self, at: usize) {
        self.0.prefetch(self.1, at);
    }
}
