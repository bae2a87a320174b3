//! Arrays of words that can be kept as they are: memory in pages, copied when they are written and somebody keeps them.
//!
//! As long as nobody keeps anything, an [`Array`] is one piece of memory that grows. From the first [`Pen::share`] on it is a list of page numbers. Whoever clones it, together with the [`Space`] that the pages lie in, keeps its present
//! contents for the price of a list. The one [`Writer`] of the space changes a page in place if no living clone can have it, and
//! else changes a copy; a page is used again when the last clone that could have it is gone. So readers never wait, and neither
//! does the writer. Arrays and pages begin at cache lines, so that an element as long as a line, or half of it, lies in one.
//!
//! Words are atomics, read and written relaxed: plain loads and stores to the machine, and it keeps all this within safe Rust. Readers
//! get a clone by way of something that synchronises (a channel, a lock, an `ArcSwap`), and no page that they have changes after that.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::prefetch::prefetch;

/// Words of a page, at least: 4 KiB.
const PAGE: usize = 512;
/// Pages that are allocated at once, as a power of two.
const CHUNK_SHIFT: u32 = 4;
const CHUNK_PAGES: u32 = 1 << CHUNK_SHIFT;
/// Words of a cache line.
const LINE: usize = 8;

/// Words that are left out at the start of memory, so that the first one used begins a cache line.
fn start_of(words: &[AtomicU64]) -> usize {
    // No more than a hint: whatever it says, what is left out is left over.
    words.as_ptr().align_offset(LINE * size_of::<u64>()).min(LINE - 1)
}

/// Where pages lie.
#[derive(Clone, Debug)]
pub(crate) struct Space {
    /// log2 of a page's words.
    shift: u32,
    chunks: Arc<Vec<Chunk>>,
}

/// Some pages side by side.
#[derive(Clone, Debug)]
struct Chunk {
    words: Arc<[AtomicU64]>,
    /// The first word that is used.
    start: usize,
}

impl Chunk {
    fn new(words: usize) -> Self {
        let words: Arc<[AtomicU64]> = (0..words + LINE - 1).map(|_| AtomicU64::new(0)).collect();
        Self { start: start_of(&words), words }
    }
}

impl Space {
    #[inline]
    fn word(&self, page: u32, at: usize) -> &AtomicU64 {
        let start = ((page % CHUNK_PAGES) as usize) << self.shift;
        let chunk = &self.chunks[(page >> CHUNK_SHIFT) as usize];
        &chunk.words[chunk.start + (start | at & self.mask())]
    }

    #[inline]
    fn mask(&self) -> usize {
        (1 << self.shift) - 1
    }

    /// Words of a page; no element of an array may straddle two.
    pub(crate) fn page_words(&self) -> usize {
        1 << self.shift
    }
}

/// Words in order.
#[derive(Debug, Default)]
pub(crate) struct Array {
    /// All words, before the space is shared; then none.
    flat: Vec<AtomicU64>,
    /// The first of them that is used.
    start: usize,
    pages: Arc<Vec<u32>>,
}

impl Clone for Array {
    fn clone(&self) -> Self {
        let mut clone = Self { flat: Vec::new(), start: 0, pages: Arc::clone(&self.pages) };
        clone.lengthen(self.flat_len());
        let words = || self.flat.get(self.start..).unwrap_or_default();
        for (to, from) in clone.flat.get(clone.start..).unwrap_or_default().iter().zip(words()) {
            to.store(from.load(Relaxed), Relaxed);
        }
        clone
    }
}

impl Array {
    /// Words that it has in one piece.
    fn flat_len(&self) -> usize {
        self.flat.len().saturating_sub(LINE - 1)
    }

    /// Has at least so many words in one piece; what is new is 0.
    fn lengthen(&mut self, words: usize) {
        if words <= self.flat_len() {
            return;
        }
        let (whole, before) = (words + LINE - 1, self.flat.capacity());
        if before < whole {
            // By a quarter, so that little lies unused.
            self.flat.reserve_exact(whole.max(before + before / 4) - self.flat.len());
        }
        let (from, len) = (self.start, self.flat_len());
        self.flat.resize_with(whole, AtomicU64::default);
        self.start = start_of(&self.flat);
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

    /// Whether it is in one piece; an empty one is in none.
    #[inline(always)]
    pub(crate) fn is_flat(&self) -> bool {
        !self.flat.is_empty()
    }

    /// To be read, if it is in one piece or empty.
    #[inline(always)]
    pub(crate) fn as_flat(&self) -> Flat<'_> {
        Flat(self.flat.get(self.start..).unwrap_or_default())
    }

    /// To be read, if it is in pages.
    #[inline(always)]
    pub(crate) fn as_paged<'a>(&'a self, space: &'a Space) -> Paged<'a> {
        Paged { pages: &self.pages, chunks: &space.chunks, shift: space.shift }
    }

    /// To be read.
    #[inline(always)]
    pub(crate) fn words<'a>(&'a self, space: &'a Space) -> Either<'a> {
        Either(self, space)
    }

    /// The word at this position.
    #[inline(always)]
    pub(crate) fn get(&self, space: &Space, at: usize) -> u64 {
        if let Some(word) = self.flat.get(self.start + at) {
            return word.load(Relaxed);
        }
        space.word(self.pages[at >> space.shift], at).load(Relaxed)
    }

    /// The 32-bit number at this position, two of them in a word, the lower half first.
    #[inline]
    pub(crate) fn get32(&self, space: &Space, at: usize) -> u32 {
        (self.get(space, at / 2) >> (at % 2 * 32)) as u32
    }

    /// Words that are in one piece, if the array is; they need not be in one page.
    #[inline(always)]
    pub(crate) fn piece(&self, at: usize, len: usize) -> Option<&[AtomicU64]> {
        let at = self.start + at;
        self.flat.get(at..at + len)
    }

    /// A word of an array in one piece.
    #[inline(always)]
    pub(crate) fn word(&self, at: usize) -> Option<&AtomicU64> {
        self.flat.get(self.start + at)
    }

    /// Words in one page of an array in pages.
    #[inline]
    pub(crate) fn page_slice<'a>(&'a self, space: &'a Space, at: usize, len: usize) -> &'a [AtomicU64] {
        match self.as_paged(space).from(at) {
            Some(words) => &words[..len],
            None => unreachable!("an array has the words that it is asked for"),
        }
    }

    /// Tells the processor that the word will be read soon.
    #[inline(always)]
    pub(crate) fn prefetch(&self, space: &Space, at: usize) {
        match self.word(at) {
            Some(word) => prefetch(word),
            None => self.prefetch_in_page(space, at),
        }
    }

    /// The same of an array in pages.
    #[inline]
    pub(crate) fn prefetch_in_page(&self, space: &Space, at: usize) {
        self.as_paged(space).prefetch(at);
    }

    /// Words that it has room for.
    pub(crate) fn capacity(&self, space: &Space) -> usize {
        self.flat_len() + (self.pages.len() << space.shift)
    }
}

/// The words of an array, to be read in a look-up.
pub(crate) trait Words<'a>: Copy {
    /// The block at this position of an array of blocks; none straddles two pages.
    fn block<const LEN: usize>(self, index: usize) -> &'a [AtomicU64; LEN];

    /// Tells the processor that the word will be read soon; nothing if there is none.
    fn prefetch(self, at: usize);

    /// The word at this position.
    #[inline(always)]
    fn get(self, at: usize) -> u64 {
        self.block::<1>(at)[0].load(Relaxed)
    }
}

/// Of an array in one piece: for many look-ups, so that each need not ask.
#[derive(Clone, Copy)]
pub(crate) struct Flat<'a>(&'a [AtomicU64]);

/// Of an array in pages, likewise.
#[derive(Clone, Copy)]
pub(crate) struct Paged<'a> {
    pages: &'a [u32],
    chunks: &'a [Chunk],
    /// log2 of a page's words.
    shift: u32,
}

/// Of an array in either form.
#[derive(Clone, Copy)]
pub(crate) struct Either<'a>(&'a Array, &'a Space);

impl<'a> Flat<'a> {
    /// All words.
    #[inline(always)]
    pub(crate) fn words(self) -> &'a [AtomicU64] {
        self.0
    }

    /// The block at this position of an array of blocks, which may straddle pages to be.
    #[inline(always)]
    pub(crate) fn find_block<const LEN: usize>(self, index: usize) -> Option<&'a [AtomicU64; LEN]> {
        self.0.as_chunks().0.get(index)
    }
}

impl<'a> Words<'a> for Flat<'a> {
    #[inline(always)]
    fn block<const LEN: usize>(self, index: usize) -> &'a [AtomicU64; LEN] {
        &self.0.as_chunks().0[index]
    }

    #[inline(always)]
    fn prefetch(self, at: usize) {
        if let Some(word) = self.0.get(at) {
            prefetch(word);
        }
    }
}

impl<'a> Paged<'a> {
    /// The words from this one on to the end of its chunk of pages, if there is such a page.
    #[inline(always)]
    fn from(self, at: usize) -> Option<&'a [AtomicU64]> {
        let page = *self.pages.get(at >> self.shift)?;
        let chunk = self.chunks.get((page >> CHUNK_SHIFT) as usize)?;
        let start = ((page % CHUNK_PAGES) as usize) << self.shift | at & ((1 << self.shift) - 1);
        chunk.words.get(chunk.start + start..)
    }
}

impl<'a> Words<'a> for Paged<'a> {
    #[inline(always)]
    fn block<const LEN: usize>(self, index: usize) -> &'a [AtomicU64; LEN] {
        match self.from(index * LEN).and_then(<[AtomicU64]>::first_chunk) {
            Some(words) => words,
            None => unreachable!("an array has the blocks that it is asked for"),
        }
    }

    #[inline(always)]
    fn prefetch(self, at: usize) {
        if let Some(word) = self.from(at).and_then(<[AtomicU64]>::first) {
            prefetch(word);
        }
    }
}

impl<'a> Words<'a> for Either<'a> {
    #[inline(always)]
    fn block<const LEN: usize>(self, index: usize) -> &'a [AtomicU64; LEN] {
        let at = self.0.start + index * LEN;
        match self.0.flat.get(at..).and_then(<[AtomicU64]>::first_chunk) {
            Some(words) => words,
            None => self.0.as_paged(self.1).block(index),
        }
    }

    #[inline(always)]
    fn prefetch(self, at: usize) {
        self.0.prefetch(self.1, at);
    }
}

/// The one that changes the arrays of a space.
#[derive(Debug)]
pub(crate) struct Writer {
    /// Whether arrays are in pages.
    shared: bool,
    /// Words of arrays that are not.
    flat: usize,
    /// Counts the clones that were announced.
    now: u64,
    /// By page: `now` when it was taken into use.
    born: Vec<u64>,
    free: Vec<u32>,
    /// Pages that were replaced, with `now` at that time: clones announced before may have them.
    retired: VecDeque<(u64, u32)>,
    /// Announced clones that may still live, oldest first.
    clones: VecDeque<(u64, Arc<()>)>,
}

impl Writer {
    /// A writer and its space, in which elements may be as long as `longest` words.
    pub(crate) fn new(longest: usize) -> (Self, Space) {
        let shift = longest.next_power_of_two().max(PAGE).ilog2();
        let (born, free, retired, clones) = Default::default();
        (
            Self { shared: false, flat: 0, now: 1, born, free, retired, clones },
            Space { shift, chunks: Arc::default() },
        )
    }

    /// From now on clones of the arrays as they are may be read until all clones of the token are dropped. The arrays are [shared](Pen::share).
    pub(crate) fn announce(&mut self) -> Arc<()> {
        debug_assert!(self.shared || self.flat == 0, "arrays are shared before they are cloned");
        self.reclaim();
        let token = Arc::new(());
        self.clones.push_back((self.now, Arc::clone(&token)));
        self.now += 1;
        token
    }

    /// Forgets clones that are gone and takes back the pages that only they had.
    pub(crate) fn reclaim(&mut self) {
        let dead = |clone: Option<&mut (u64, Arc<()>)>| {
            clone.is_some_and(|(_, token)| Arc::get_mut(token).is_some())
        };
        while dead(self.clones.front_mut()) {
            self.clones.pop_front();
        }
        while dead(self.clones.back_mut()) {
            self.clones.pop_back();
        }
        let oldest = self.oldest();
        while let Some((at, page)) = self.retired.front()
            && *at <= oldest
        {
            self.free.push(*page);
            self.retired.pop_front();
        }
    }

    /// The moment of the oldest clone that may live.
    pub(crate) fn oldest(&self) -> u64 {
        self.clones.front().map_or(u64::MAX, |(number, _)| *number)
    }

    /// This moment: clones announced so far are older.
    pub(crate) fn now(&self) -> u64 {
        self.now
    }

    /// Pages that are in use, or kept by clones, or free.
    pub(crate) fn pages(&self) -> usize {
        self.born.len()
    }

    /// Bytes of the writer's own lists, and of arrays that are not in pages.
    pub(crate) fn overhead(&self) -> usize {
        self.flat * 8 + self.born.capacity() * 8 + self.free.capacity() * 4 + self.retired.capacity() * 16
    }

    fn allocate(&mut self, space: &mut Space) -> u32 {
        let page = self.free.pop().unwrap_or_else(|| {
            let first = self.born.len() as u32;
            let words = (CHUNK_PAGES as usize) << space.shift;
            Arc::make_mut(&mut space.chunks).push(Chunk::new(words));
            self.born.resize(self.born.len() + CHUNK_PAGES as usize, 0);
            self.free.extend((first + 1..first + CHUNK_PAGES).rev());
            first
        });
        self.born[page as usize] = self.now;
        page
    }

    /// Gives up an array's pages.
    pub(crate) fn release(&mut self, array: &mut Array) {
        self.flat -= std::mem::take(&mut array.flat).capacity();
        let (pages, now) = (std::mem::take(&mut array.pages), self.now);
        self.retired.extend(pages.iter().map(|page| (now, *page)));
        self.reclaim();
    }
}

/// A writer at work in its space.
pub(crate) struct Pen<'a> {
    pub(crate) writer: &'a mut Writer,
    pub(crate) space: &'a mut Space,
}

impl Pen<'_> {
    /// Writes a word.
    pub(crate) fn set(&mut self, array: &mut Array, at: usize, value: u64) {
        if let Some(word) = array.word(at) {
            return word.store(value, Relaxed);
        }
        let page = self.own(array, at >> self.space.shift);
        self.space.word(page, at).store(value, Relaxed);
    }

    /// Writes a 32-bit number, see [`Array::get32`].
    pub(crate) fn set32(&mut self, array: &mut Array, at: usize, value: u32) {
        let shift = at % 2 * 32;
        let word = array.get(self.space, at / 2) & !(0xffff_ffff << shift) | u64::from(value) << shift;
        self.set(array, at / 2, word);
    }

    /// Makes room for this many words; what is new is 0.
    pub(crate) fn grow(&mut self, array: &mut Array, words: usize) {
        if !self.writer.shared && array.flat_len() < words {
            let before = array.flat.capacity();
            array.lengthen(words.next_multiple_of(self.space.page_words()));
            self.writer.flat += array.flat.capacity() - before;
        }
        while array.capacity(self.space) < words {
            let page = self.writer.allocate(self.space);
            (0..self.space.page_words()).for_each(|at| self.space.word(page, at).store(0, Relaxed));
            Arc::make_mut(&mut array.pages).push(page);
        }
    }

    /// Whether arrays are in pages.
    pub(crate) fn is_shared(&self) -> bool {
        self.writer.shared
    }

    /// Puts an array into pages, which can be kept. All arrays of the space go this way before the first is cloned.
    pub(crate) fn share(&mut self, array: &mut Array) {
        self.share_by(array, self.space.page_words());
    }

    /// The same with only so many words in each page.
    pub(crate) fn share_by(&mut self, array: &mut Array, page_words: usize) {
        self.writer.shared = true;
        let flat = std::mem::take(&mut array.flat);
        self.writer.flat -= flat.capacity();
        let used = flat.len().saturating_sub(LINE - 1);
        for words in flat.get(array.start..array.start + used).unwrap_or_default().chunks(page_words) {
            let page = self.writer.allocate(self.space);
            let words = words.iter().map(|word| word.load(Relaxed)).chain(std::iter::repeat(0));
            for (at, word) in (0..self.space.page_words()).zip(words) {
                self.space.word(page, at).store(word, Relaxed);
            }
            Arc::make_mut(&mut array.pages).push(page);
        }
    }

    /// The number of a page of the array that may be written.
    fn own(&mut self, array: &mut Array, index: usize) -> u32 {
        let page = array.pages[index];
        let newest = self.writer.clones.back().map_or(0, |(number, _)| *number);
        if self.writer.born[page as usize] > newest {
            return page;
        }
        let copy = self.writer.allocate(self.space);
        for at in 0..self.space.page_words() {
            self.space.word(copy, at).store(self.space.word(page, at).load(Relaxed), Relaxed);
        }
        self.writer.retired.push_back((self.writer.now, page));
        Arc::make_mut(&mut array.pages)[index] = copy;
        copy
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_keep_what_they_saw_and_pages_come_back() {
        let (mut writer, mut space) = Writer::new(3);
        let mut array = Array::default();
        let mut pen = Pen { writer: &mut writer, space: &mut space };
        pen.grow(&mut array, 2000);
        (0..2000).for_each(|at| pen.set(&mut array, at, at as u64));
        let mut kept = VecDeque::new();
        pen.share(&mut array);
        for round in 0..200u64 {
            kept.push_back((round, writer.announce(), space.clone(), array.clone()));
            let mut pen = Pen { writer: &mut writer, space: &mut space };
            pen.set(&mut array, 7, 1_000_000 + round);
            pen.set32(&mut array, 2 * 1999 + 1, round as u32 + 1);
            if kept.len() > 3 {
                kept.pop_front();
            }
            for (round, _, space, array) in &kept {
                let seven = if *round == 0 { 7 } else { 1_000_000 + round - 1 };
                assert_eq!(array.get(space, 7), seven);
                assert_eq!(
                    (array.get32(space, 2 * 1999), array.get32(space, 2 * 1999 + 1)),
                    (1999, *round as u32)
                );
                assert_eq!(array.get(space, 8), 8);
            }
        }
        assert!(writer.pages() <= 32, "{} pages", writer.pages());
        kept.clear();
        writer.reclaim();
        let pages = array.pages.clone();
        let mut pen = Pen { writer: &mut writer, space: &mut space };
        (0..2000).for_each(|at| pen.set(&mut array, at, 5));
        assert_eq!(pages, array.pages, "nobody keeps anything, so nothing is copied");
    }
}
