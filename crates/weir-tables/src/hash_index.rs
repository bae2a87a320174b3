//! A hash index with open addressing: from hashes to slots, in four bytes per cell. The caller
//! compares keys, which it keeps by slot.
//!
//! A cell is 0, or the slot plus one in its low bits with bits of the hash above, so that nearly
//! all comparisons of keys succeed. Probing begins at the cell that the top bits of the hash
//! select, and continues cell by cell. Removal needs no tombstones, because it moves later cells
//! up.

use crate::pages::{PageEditor, Pages, WordArray};

/// An index that finds slots by hash, in single cells.
#[derive(Clone, Debug)]
pub(crate) struct HashIndex {
    cells: WordArray,
    /// The number of cells.
    count: usize,
    /// The number of bits of a cell that hold the slot.
    slot_bits: u32,
    len: usize,
    /// Maximum load in percent.
    fill: usize,
}

/// Multiplies to 128 bits and combines the halves by exclusive or: each bit of the result depends
/// on each bit of the arguments.
#[inline]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

/// Computes the hash of some words.
#[inline]
pub(crate) fn hash(words: impl IntoIterator<Item = u64>, seed: u64) -> u64 {
    // Digits of pi.
    let start = 0x243f_6a88_85a3_08d3 ^ seed;
    let mixed = words.into_iter().fold(start, |hash, word| fold(hash ^ word, 0x1319_8a2e_0370_7345));
    fold(mixed ^ 0xa409_3822_299f_31d0, 0x082e_fa98_ec4e_6c89)
}

impl HashIndex {
    /// Moves the index to pages.
    pub(crate) fn move_to_pages(&mut self, editor: &mut PageEditor) {
        editor.move_to_pages(&mut self.cells);
    }

    /// Creates an empty index with a maximum load in percent.
    pub(crate) fn new(fill: usize) -> Self {
        Self { cells: WordArray::default(), count: 0, slot_bits: 16, len: 0, fill }
    }

    #[inline]
    fn home_cell(&self, hash: u64) -> usize {
        ((u128::from(hash) * self.count as u128) >> 64) as usize
    }

    /// Returns the place after another; the first follows the last.
    #[inline]
    fn next(&self, at: usize) -> usize {
        if at + 1 == self.count { 0 } else { at + 1 }
    }

    /// Returns the number of steps from one cell to another.
    fn distance(&self, from: usize, to: usize) -> usize {
        if to >= from { to - from } else { to + self.count - from }
    }

    /// Returns the part of a cell that identifies the hash.
    #[inline]
    fn tag(&self, hash: u64) -> u32 {
        (hash as u32) << self.slot_bits
    }

    fn cell(&self, hash: u64, slot: u32) -> u32 {
        self.tag(hash) | (slot + 1)
    }

    #[inline]
    fn slot(&self, cell: u32) -> u32 {
        (cell & ((1 << self.slot_bits) - 1)) - 1
    }

    /// Prefetches the first cell of a hash.
    #[inline]
    pub(crate) fn prefetch(&self, pages: &Pages, hash: u64) {
        if self.count > 0 {
            self.cells.prefetch(pages, self.home_cell(hash) / 2);
        }
    }

    /// Finds the first slot with this hash for which `found` returns true.
    #[inline]
    pub(crate) fn find(&self, pages: &Pages, hash: u64, mut found: impl FnMut(u32) -> bool) -> Option<u32> {
        if self.count == 0 {
            return None;
        }
        let (mut at, tag) = (self.home_cell(hash), self.tag(hash));
        let tag_mask = u32::MAX << self.slot_bits;
        loop {
            let cell = self.cells.get32(pages, at);
            if cell == 0 {
                return None;
            }
            if cell & tag_mask == tag {
                let slot = self.slot(cell);
                if found(slot) {
                    return Some(slot);
                }
            }
            at = self.next(at);
        }
    }

    /// Adds a slot. `hash_of` returns the hash of a slot in the index, in case cells have to move.
    pub(crate) fn insert(
        &mut self,
        editor: &mut PageEditor,
        hash: u64,
        slot: u32,
        hash_of: impl Fn(&Pages, u32) -> u64,
    ) {
        let full = (self.len + 1) * 100 > self.count * self.fill;
        let wide = slot + 1 >= 1 << self.slot_bits;
        if full || wide {
            self.rebuild(editor, full, slot, hash_of);
        }
        self.len += 1;
        self.insert_slot(editor, hash, slot);
    }

    fn insert_slot(&mut self, editor: &mut PageEditor, hash: u64, slot: u32) {
        let mut at = self.home_cell(hash);
        while self.cells.get32(editor.pages, at) != 0 {
            at = self.next(at);
        }
        let cell = self.cell(hash, slot);
        editor.set32(&mut self.cells, at, cell);
    }

    /// Grows the index by half if it is full, and widens cells until they have room for the slot.
    fn rebuild(
        &mut self,
        editor: &mut PageEditor,
        full: bool,
        slot: u32,
        hash_of: impl Fn(&Pages, u32) -> u64,
    ) {
        let old = std::mem::replace(self, Self { len: self.len, ..Self::new(self.fill) });
        self.count = if full { (old.count + old.count / 2).max(8) } else { old.count };
        self.slot_bits = old.slot_bits;
        while slot + 1 >= 1 << self.slot_bits {
            self.slot_bits += 4;
        }
        editor.grow(&mut self.cells, self.count.div_ceil(2));
        for at in 0..old.count {
            let cell = old.cells.get32(editor.pages, at);
            if cell != 0 {
                let slot = old.slot(cell);
                self.insert_slot(editor, hash_of(editor.pages, slot), slot);
            }
        }
        let mut cells = old.cells;
        editor.allocator.release(&mut cells);
    }

    /// Returns the position of a slot's cell.
    fn position(&self, pages: &Pages, hash: u64, slot: u32) -> Option<usize> {
        if self.count == 0 {
            return None;
        }
        let (mut at, wanted) = (self.home_cell(hash), self.cell(hash, slot));
        loop {
            match self.cells.get32(pages, at) {
                0 => return None,
                cell if cell == wanted => return Some(at),
                _ => at = self.next(at),
            }
        }
    }

    /// Frees the memory of the index.
    pub(crate) fn release(mut self, editor: &mut PageEditor) {
        editor.allocator.release(&mut self.cells);
    }

    /// Removes a slot. `hash_of` is as in [`HashIndex::insert`].
    pub(crate) fn remove(
        &mut self,
        editor: &mut PageEditor,
        hash: u64,
        slot: u32,
        hash_of: impl Fn(&Pages, u32) -> u64,
    ) {
        let Some(mut gap) = self.position(editor.pages, hash, slot) else { return };
        let mut at = gap;
        loop {
            at = self.next(at);
            let cell = self.cells.get32(editor.pages, at);
            if cell == 0 {
                break;
            }
            // The cell may move up unless its probing begins after the gap.
            let home = self.home_cell(hash_of(editor.pages, self.slot(cell)));
            if self.distance(home, at) >= self.distance(gap, at) {
                editor.set32(&mut self.cells, gap, cell);
                gap = at;
            }
        }
        editor.set32(&mut self.cells, gap, 0);
        self.len -= 1;
    }
}
