//! Elements of equal length in words, numbered densely, none straddling two pages.

use std::sync::atomic::AtomicU64;

use crate::cow::{Array, Pen, Space};

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

impl Slots {
    /// Puts what it has into pages.
    pub(crate) fn share(&mut self, pen: &mut Pen) {
        pen.share(&mut self.array);
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

    #[inline]
    fn at(&self, slot: u32) -> usize {
        let page =
            if self.magic == 0 { slot } else { ((u128::from(slot) * u128::from(self.magic)) >> 64) as u32 };
        page as usize * self.page_words + (slot - page * self.per_page) as usize * self.stride
    }

    /// An element's words.
    #[inline]
    pub(crate) fn get<'a>(&'a self, space: &'a Space, slot: u32) -> &'a [AtomicU64] {
        self.array.slice(space, self.at(slot), self.stride)
    }

    #[inline]
    pub(crate) fn prefetch(&self, space: &Space, slot: u32) {
        self.array.prefetch(space, self.at(slot));
    }

    /// Writes one word of an element, which is made if need be.
    pub(crate) fn set(&mut self, pen: &mut Pen, slot: u32, word: usize, value: u64) {
        let at = self.at(slot);
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
            for slot in 0..2000 {
                let words = slots.get(&space, slot);
                assert_eq!(words.len(), stride);
                assert_eq!(words[0].load(Relaxed), u64::from(slot));
                assert_eq!(words[stride - 1].load(Relaxed), u64::from(slot) + 7 * u64::from(stride > 1));
            }
        }
    }
}
