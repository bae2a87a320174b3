//! Arrays of records of equal length. The records are adjacent in contiguous memory, or are in
//! pages, and no record crosses a page boundary.

use crate::sync::AtomicU64;

use crate::pages::{Flat, PageEditor, Pages, ReadWords, WordArray};
use weir_device::prefetch_start;

/// Records of one length, by slot.
#[derive(Clone, Debug)]
pub(crate) struct Records {
    array: WordArray,
    /// The number of words of a record.
    stride: usize,
    /// The number of records in a page.
    per_page: u32,
    /// 2^64/`per_page`, rounded up, for divisions by `per_page`; 0 if `per_page` is 1.
    magic: u64,
    page_words: usize,
}

/// Read access to records in a lookup, where their length is known.
pub(crate) trait RecordAccess<'a>: Copy {
    /// Returns a record; `None` if records do not have `LEN` words or the array is too short.
    fn record<const LEN: usize>(self, slot: u32) -> Option<&'a [AtomicU64; LEN]>;

    /// Prefetches a record of `LEN` words. Does nothing if the array is too short.
    fn prefetch<const LEN: usize>(self, slot: u32);
}

/// Read access to records in contiguous memory.
#[derive(Clone, Copy)]
pub(crate) struct FlatRecords<'a>(Flat<'a>);

/// Read access to records in either form.
#[derive(Clone, Copy)]
pub(crate) struct AnyRecords<'a>(&'a Records, &'a Pages);

/// Read access to records of any length in contiguous memory, without a check of their form at each
/// read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DynFlatRecords<'a> {
    words: &'a [AtomicU64],
    stride: usize,
}

impl<'a> DynFlatRecords<'a> {
    /// Returns the words of a record.
    #[inline(always)]
    pub(crate) fn get(self, slot: u32) -> &'a [AtomicU64] {
        &self.words[slot as usize * self.stride..][..self.stride]
    }
}

impl<'a> RecordAccess<'a> for FlatRecords<'a> {
    #[inline(always)]
    fn record<const LEN: usize>(self, slot: u32) -> Option<&'a [AtomicU64; LEN]> {
        self.0.find_block(slot as usize)
    }

    #[inline(always)]
    fn prefetch<const LEN: usize>(self, slot: u32) {
        self.0.prefetch(slot as usize * LEN);
        if LEN > 2 {
            self.0.prefetch(slot as usize * LEN + LEN - 1);
        }
    }
}

impl<'a> RecordAccess<'a> for AnyRecords<'a> {
    #[inline(always)]
    fn record<const LEN: usize>(self, slot: u32) -> Option<&'a [AtomicU64; LEN]> {
        let Self(slots, pages) = self;
        if slots.stride != LEN || slot == u32::MAX {
            return None;
        }
        slots.get(pages, slot).first_chunk()
    }

    #[inline(always)]
    fn prefetch<const LEN: usize>(self, slot: u32) {
        self.0.prefetch(self.1, slot);
    }
}

impl Records {
    /// Returns read access, if the records have this length and are in contiguous memory.
    #[inline(always)]
    pub(crate) fn flat(&self, len: usize) -> Option<FlatRecords<'_>> {
        (self.array.is_flat() && self.stride == len).then(|| FlatRecords(self.array.as_flat()))
    }

    /// Returns read access in either form.
    #[inline(always)]
    pub(crate) fn any_form<'a>(&'a self, pages: &'a Pages) -> AnyRecords<'a> {
        AnyRecords(self, pages)
    }

    /// Returns read access for records of any length, if they are in contiguous memory.
    #[inline(always)]
    pub(crate) fn flat_dyn(&self) -> Option<DynFlatRecords<'_>> {
        let flat = self.array.is_flat();
        flat.then(|| DynFlatRecords { words: self.array.as_flat().words(), stride: self.stride })
    }

    /// Moves the records to pages.
    pub(crate) fn move_to_pages(&mut self, editor: &mut PageEditor) {
        editor.move_to_pages_by(&mut self.array, self.per_page as usize * self.stride);
    }

    pub(crate) fn new(stride: usize, pages: &Pages) -> Self {
        let stride = stride.max(1);
        let per_page = (pages.page_words() / stride) as u32;
        let magic = if per_page == 1 { 0 } else { u64::MAX / u64::from(per_page) + 1 };
        Self { array: WordArray::default(), stride, per_page, magic, page_words: pages.page_words() }
    }

    /// Returns the number of words of a record.
    pub(crate) fn stride(&self) -> usize {
        self.stride
    }

    /// Returns the position of a record in an array in pages.
    #[inline]
    fn position_in_page(&self, slot: u32) -> usize {
        let page =
            if self.magic == 0 { slot } else { ((u128::from(slot) * u128::from(self.magic)) >> 64) as u32 };
        page as usize * self.page_words + (slot - page * self.per_page) as usize * self.stride
    }

    /// Returns the words of a record.
    #[inline(always)]
    pub(crate) fn get<'a>(&'a self, pages: &'a Pages, slot: u32) -> &'a [AtomicU64] {
        self.array
            .flat_slice(slot as usize * self.stride, self.stride)
            .unwrap_or_else(|| self.record_in_page(pages, slot))
    }

    #[inline]
    fn record_in_page<'a>(&'a self, pages: &'a Pages, slot: u32) -> &'a [AtomicU64] {
        self.array.page_slice(pages, self.position_in_page(slot), self.stride)
    }

    /// Prefetches the first and the last word of a record.
    #[inline(always)]
    pub(crate) fn prefetch(&self, pages: &Pages, slot: u32) {
        let start = slot as usize * self.stride;
        match self.array.flat_word(start) {
            Some(word) => {
                prefetch_start(word);
                if self.stride > 2
                    && let Some(last) = self.array.flat_word(start + self.stride - 1)
                {
                    prefetch_start(last);
                }
            }
            None => self.prefetch_in_page(pages, slot),
        }
    }

    fn prefetch_in_page(&self, pages: &Pages, slot: u32) {
        let position = self.position_in_page(slot);
        self.array.prefetch_in_page(pages, position);
        if self.stride > 2 {
            self.array.prefetch_in_page(pages, position + self.stride - 1);
        }
    }

    /// Returns the number of words for which memory is allocated.
    pub(crate) fn capacity(&self, pages: &Pages) -> usize {
        self.array.capacity(pages)
    }

    /// Writes one word of a record, after growing the array if necessary.
    pub(crate) fn set(&mut self, editor: &mut PageEditor, slot: u32, word: usize, value: u64) {
        let start = if editor.is_paged() { self.position_in_page(slot) } else { slot as usize * self.stride };
        editor.grow(&mut self.array, start + self.stride);
        editor.set(&mut self.array, start + word, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pages::PageAllocator;
    use std::sync::atomic::Ordering::Relaxed;

    #[test]
    fn elements_of_every_length_keep_apart() {
        for stride in [1, 2, 3, 5, 7, 100, 170, 256, 300, 512, 700] {
            let (mut allocator, mut pages) = PageAllocator::new(stride);
            let mut slots = Records::new(stride, &pages);
            let mut editor = PageEditor { allocator: &mut allocator, pages: &mut pages };
            for slot in 0..2000u32 {
                slots.set(&mut editor, slot, 0, u64::from(slot));
                slots.set(&mut editor, slot, stride - 1, u64::from(slot) + 7 * u64::from(stride > 1));
            }
            check(&slots, &pages, stride);
            slots.move_to_pages(&mut PageEditor { allocator: &mut allocator, pages: &mut pages });
            check(&slots, &pages, stride);
            let mut editor = PageEditor { allocator: &mut allocator, pages: &mut pages };
            (2000..3000).for_each(|slot| slots.set(&mut editor, slot, 0, u64::from(slot)));
            check(&slots, &pages, stride);
        }
    }

    fn check(slots: &Records, pages: &Pages, stride: usize) {
        for slot in 0..2000 {
            let words = slots.get(pages, slot);
            assert_eq!(words.len(), stride);
            assert_eq!(words[0].load(Relaxed), u64::from(slot));
            assert_eq!(words[stride - 1].load(Relaxed), u64::from(slot) + 7 * u64::from(stride > 1));
        }
    }
}
