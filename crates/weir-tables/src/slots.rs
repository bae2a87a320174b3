//! Elements of equal length in words, numbered densely: one after the other, or in pages, none straddling two.

use std::sync::atomic::AtomicU64;

use crate::cow::{Array, Flat, Pen, Space, Words};
use crate::prefetch::prefetch;

/// Elements by number.
#[derive(Clone, Debug)]
pub(crate) struct Slots {
    array: Array,
    /// Words of an element.
    stride: usize,
    /// Elements of a page.
    per_page: u32,
    /// 2^64/`per_page`, rounded up, to divide by it; 0 if it is 1.
    magic: u64,
    page_words: usize,
}

/// Elements, to be read in a look-up; their length is known.
pub(crate) trait Elements<'a>: Copy {
    /// An element; none if it is not `LEN` words long or there is no room for it.
    fn element<const LEN: usize>(self, slot: u32) -> Option<&'a [AtomicU64; LEN]>;

    /// Brings an element of so many words near, if there is room for it.
    fn prefetch<const LEN: usize>(self, slot: u32);
}

/// Of elements one after the other.
#[derive(Clone, Copy)]
pub(crate) struct InRow<'a>(Flat<'a>);

/// Of elements in either form.
#[derive(Clone, Copy)]
pub(crate) struct AnyWay<'a>(&'a Slots, &'a Space);

/// Of elements of any length one after the other: for many, so that where they lie need not be read anew for each.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Many<'a> {
    words: &'a [AtomicU64],
    stride: usize,
}

impl<'a> Many<'a> {
    /// An element's words.
    #[inline(always)]
    pub(crate) fn get(self, slot: u32) -> &'a [AtomicU64] {
        &self.words[slot as usize * self.stride..][..self.stride]
    }
}

impl<'a> Elements<'a> for InRow<'a> {
    #[inline(always)]
    fn element<const LEN: usize>(self, slot: u32) -> Option<&'a [AtomicU64; LEN]> {
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

impl<'a> Elements<'a> for AnyWay<'a> {
    #[inline(always)]
    fn element<const LEN: usize>(self, slot: u32) -> Option<&'a [AtomicU64; LEN]> {
        let Self(slots, space) = self;
        if slots.stride != LEN || slot == u32::MAX {
            return None;
        }
        slots.get(space, slot).first_chunk()
    }

    #[inline(always)]
    fn prefetch<const LEN: usize>(self, slot: u32) {
        self.0.prefetch(self.1, slot);
    }
}

impl Slots {
    /// To be read, if elements of this length lie one after the other.
    #[inline(always)]
    pub(crate) fn in_row(&self, len: usize) -> Option<InRow<'_>> {
        (self.array.is_flat() && self.stride == len).then(|| InRow(self.array.as_flat()))
    }

    /// To be read.
    #[inline(always)]
    pub(crate) fn any_way<'a>(&'a self, space: &'a Space) -> AnyWay<'a> {
        AnyWay(self, space)
    }

    /// To read many, if they lie one after the other.
    #[inline(always)]
    pub(crate) fn many(&self) -> Option<Many<'_>> {
        let flat = self.array.is_flat();
        flat.then(|| Many { words: self.array.as_flat().words(), stride: self.stride })
    }

    /// Puts what it has into pages.
    pub(crate) fn share(&mut self, pen: &mut Pen) {
        pen.share_by(&mut self.array, self.per_page as usize * self.stride);
    }

    pub(crate) fn new(stride: usize, space: &Space) -> Self {
        let stride = stride.max(1);
        let per_page = (space.page_words() / stride) as u32;
        let magic = if per_page == 1 { 0 } else { u64::MAX / u64::from(per_page) + 1 };
        Self { array: Array::default(), stride, per_page, magic, page_words: space.page_words() }
    }

    pub(crate) fn stride(&self) -> usize {
        self.stride
    }

    /// Where an element is in pages.
    #[inline]
    fn in_page(&self, slot: u32) -> usize {
        let page =
            if self.magic == 0 { slot } else { ((u128::from(slot) * u128::from(self.magic)) >> 64) as u32 };
        page as usize * self.page_words + (slot - page * self.per_page) as usize * self.stride
    }

    /// An element's words.
    #[inline(always)]
    pub(crate) fn get<'a>(&'a self, space: &'a Space, slot: u32) -> &'a [AtomicU64] {
        self.array.piece(slot as usize * self.stride, self.stride).unwrap_or_else(|| self.paged(space, slot))
    }

    #[inline]
    fn paged<'a>(&'a self, space: &'a Space, slot: u32) -> &'a [AtomicU64] {
        self.array.page_slice(space, self.in_page(slot), self.stride)
    }

    /// Brings an element near, its first and its last word.
    #[inline(always)]
    pub(crate) fn prefetch(&self, space: &Space, slot: u32) {
        let at = slot as usize * self.stride;
        match self.array.word(at) {
            Some(word) => {
                prefetch(word);
                if self.stride > 2
                    && let Some(last) = self.array.word(at + self.stride - 1)
                {
                    prefetch(last);
                }
            }
            None => self.prefetch_in_page(space, slot),
        }
    }

    fn prefetch_in_page(&self, space: &Space, slot: u32) {
        let at = self.in_page(slot);
        self.array.prefetch_in_page(space, at);
        if self.stride > 2 {
            self.array.prefetch_in_page(space, at + self.stride - 1);
        }
    }

    /// Words that there is room for.
    pub(crate) fn capacity(&self, space: &Space) -> usize {
        self.array.capacity(space)
    }

    /// Writes one word of an element, which is made if need be.
    pub(crate) fn set(&mut self, pen: &mut Pen, slot: u32, word: usize, value: u64) {
        let at = if pen.is_shared() { self.in_page(slot) } else { slot as usize * self.stride };
        pen.grow(&mut self.array, at + self.stride);
        pen.set(&mut self.array, at + word, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cow::Writer;
    use std::sync::atomic::Ordering::Relaxed;

    #[test]
    fn elements_of_every_length_keep_apart() {
        for stride in [1, 2, 3, 5, 7, 100, 170, 256, 300, 512, 700] {
            let (mut writer, mut space) = Writer::new(stride);
            let mut slots = Slots::new(stride, &space);
            let mut pen = Pen { writer: &mut writer, space: &mut space };
            for slot in 0..2000u32 {
                slots.set(&mut pen, slot, 0, u64::from(slot));
                slots.set(&mut pen, slot, stride - 1, u64::from(slot) + 7 * u64::from(stride > 1));
            }
            check(&slots, &space, stride);
            slots.share(&mut Pen { writer: &mut writer, space: &mut space });
            check(&slots, &space, stride);
            let mut pen = Pen { writer: &mut writer, space: &mut space };
            (2000..3000).for_each(|slot| slots.set(&mut pen, slot, 0, u64::from(slot)));
            check(&slots, &space, stride);
        }
    }

    fn check(slots: &Slots, space: &Space, stride: usize) {
        for slot in 0..2000 {
            let words = slots.get(space, slot);
            assert_eq!(words.len(), stride);
            assert_eq!(words[0].load(Relaxed), u64::from(slot));
            assert_eq!(words[stride - 1].load(Relaxed), u64::from(slot) + 7 * u64::from(stride > 1));
        }
    }
}
