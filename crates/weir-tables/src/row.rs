//! Rows: the action and the data of entries.

use std::sync::atomic::Ordering::Relaxed;

use crate::records::DynFlatRecords;
use crate::sync::AtomicU64;

/// The action and the data of an entry: the position of the action and its data, adjacent in
/// memory.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a>(pub(crate) &'a [AtomicU64]);

impl<'a> Row<'a> {
    /// Returns the position of the action.
    #[inline]
    pub fn action(self) -> u32 {
        self.0[0].load(Relaxed) as u32
    }

    /// Returns word `index` of the action data.
    #[inline]
    pub fn data(self, index: usize) -> u64 {
        self.0[1 + index].load(Relaxed)
    }

    /// Returns the position of the action followed by its data, in the order of memory. The words
    /// do not change as long as the view is borrowed, so machine code may read them as plain words
    /// for that time.
    #[inline]
    pub fn words(self) -> &'a [AtomicU64] {
        self.0
    }

    /// Returns a copy of the action data.
    pub fn to_vec(self) -> Vec<u64> {
        self.0[1..].iter().map(|word| word.load(Relaxed)).collect()
    }
}

/// All rows of a view, for reading many of them.
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a>(pub(crate) DynFlatRecords<'a>);

impl<'a> Rows<'a> {
    /// Returns the row with this number.
    #[inline(always)]
    pub fn row(self, row: u32) -> Row<'a> {
        Row(self.0.get(row))
    }
}
