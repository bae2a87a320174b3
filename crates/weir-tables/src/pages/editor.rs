//! Writing arrays.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use super::allocator::PageAllocator;
use super::array::WordArray;
use super::{LINE_WORDS, Pages};

/// Write access to the arrays in some pages.
pub(crate) struct PageEditor<'a> {
    pub(crate) allocator: &'a mut PageAllocator,
    pub(crate) pages: &'a mut Pages,
}

impl PageEditor<'_> {
    /// Writes a word of an array.
    pub(crate) fn set(&mut self, array: &mut WordArray, at: usize, value: u64) {
        if let Some(word) = array.flat_word(at) {
            return word.store(value, Relaxed);
        }
        let page = self.writable_page(array, at >> self.pages.shift);
        self.pages.word(page, at).store(value, Relaxed);
    }

    /// Writes a 32-bit number, see [`WordArray::get32`].
    pub(crate) fn set32(&mut self, array: &mut WordArray, at: usize, value: u32) {
        let shift = at % 2 * 32;
        let word = array.get(self.pages, at / 2) & !(0xffff_ffff << shift) | u64::from(value) << shift;
        self.set(array, at / 2, word);
    }

    /// Grows an array to at least this many words. New words are 0.
    pub(crate) fn grow(&mut self, array: &mut WordArray, words: usize) {
        if !self.allocator.is_paged && array.flat_len() < words {
            let before = array.flat.capacity();
            array.grow_flat(words.next_multiple_of(self.pages.page_words()));
            self.allocator.flat_words += array.flat.capacity() - before;
        }
        while array.capacity(self.pages) < words {
            let page = self.allocator.allocate(self.pages);
            (0..self.pages.page_words()).for_each(|at| self.pages.word(page, at).store(0, Relaxed));
            Arc::make_mut(&mut array.page_numbers).push(page);
        }
    }

    /// Returns whether arrays are in pages.
    pub(crate) fn is_paged(&self) -> bool {
        self.allocator.is_paged
    }

    /// Moves an array to pages. This happens to all arrays before the first snapshot is taken.
    pub(crate) fn move_to_pages(&mut self, array: &mut WordArray) {
        self.move_to_pages_by(array, self.pages.page_words());
    }

    /// Moves an array to pages, with only `words_per_page` words in each page.
    pub(crate) fn move_to_pages_by(&mut self, array: &mut WordArray, words_per_page: usize) {
        self.allocator.is_paged = true;
        let flat = std::mem::take(&mut array.flat);
        self.allocator.flat_words -= flat.capacity();
        let used = flat.len().saturating_sub(LINE_WORDS - 1);
        for words in flat.get(array.start..array.start + used).unwrap_or_default().chunks(words_per_page) {
            let page = self.allocator.allocate(self.pages);
            let words = words.iter().map(|word| word.load(Relaxed)).chain(std::iter::repeat(0));
            for (at, word) in (0..self.pages.page_words()).zip(words) {
                self.pages.word(page, at).store(word, Relaxed);
            }
            Arc::make_mut(&mut array.page_numbers).push(page);
        }
    }

    /// Returns the number of page `index` of an array, after replacing it by a copy if a snapshot
    /// may hold it.
    fn writable_page(&mut self, array: &mut WordArray, index: usize) -> u32 {
        let page = array.page_numbers[index];
        if self.allocator.is_writable(page) {
            return page;
        }
        let copy = self.allocator.allocate(self.pages);
        for at in 0..self.pages.page_words() {
            self.pages.word(copy, at).store(self.pages.word(page, at).load(Relaxed), Relaxed);
        }
        self.allocator.retire(page);
        Arc::make_mut(&mut array.page_numbers)[index] = copy;
        copy
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use super::*;

    #[test]
    fn snapshots_keep_their_contents() {
        let (mut allocator, mut pages) = PageAllocator::new(3);
        let mut array = WordArray::default();
        let mut editor = PageEditor { allocator: &mut allocator, pages: &mut pages };
        editor.grow(&mut array, 2000);
        (0..2000).for_each(|at| editor.set(&mut array, at, at as u64));
        let mut snapshots = VecDeque::new();
        editor.move_to_pages(&mut array);
        for round in 0..if cfg!(miri) { 5 } else { 200u64 } {
            snapshots.push_back((round, allocator.register_snapshot(), pages.clone(), array.clone()));
            let mut editor = PageEditor { allocator: &mut allocator, pages: &mut pages };
            editor.set(&mut array, 7, 1_000_000 + round);
            editor.set32(&mut array, 2 * 1999 + 1, round as u32 + 1);
            if snapshots.len() > 3 {
                snapshots.pop_front();
            }
            for (round, _, pages, array) in &snapshots {
                let seven = if *round == 0 { 7 } else { 1_000_000 + round - 1 };
                assert_eq!(array.get(pages, 7), seven);
                assert_eq!(
                    (array.get32(pages, 2 * 1999), array.get32(pages, 2 * 1999 + 1)),
                    (1999, *round as u32)
                );
                assert_eq!(array.get(pages, 8), 8);
            }
        }
        assert!(allocator.page_count() <= 32, "{} pages", allocator.page_count());
        snapshots.clear();
        allocator.reclaim();
        let page_numbers = array.page_numbers.clone();
        let mut editor = PageEditor { allocator: &mut allocator, pages: &mut pages };
        (0..2000).for_each(|at| editor.set(&mut array, at, 5));
        assert_eq!(page_numbers, array.page_numbers, "without snapshots nothing is copied");
    }
}
