//! The word that contains the slot of an entry and the number of its row.

use std::num::NonZeroU64;

/// Identifies an entry for as long as it is in its table. Handles count up from 0 and are never
/// reused.
pub type Handle = u64;

/// The low bits of an entry's last word hold the number of its row; the bits above, its handle.
pub(crate) const ROW_BITS: u32 = 24;
/// The row number of an entry that has been removed.
pub(crate) const NO_ROW: u32 = (1 << ROW_BITS) - 1;

/// Returns the handle in an entry's last word.
pub(crate) fn handle_of(word: u64) -> Handle {
    word >> ROW_BITS
}

/// Returns the row number in an entry's last word.
pub(crate) fn row_of(word: u64) -> u32 {
    word as u32 & NO_ROW
}

/// The result of a lookup, in one word: the slot of an entry and the number of its row.
///
/// Most callers need only the slot and the row number, so they do not read the entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hit(NonZeroU64);

impl Hit {
    /// Packs slot and row number into a word that is not 0 and whose highest bit is 0.
    pub(crate) fn to_word(slot: u32, row: u32) -> u64 {
        (u64::from(slot) + 1) << ROW_BITS | u64::from(row)
    }

    /// Returns the hit that a word encodes; `None` for 0.
    pub(crate) fn from_word(word: u64) -> Option<Self> {
        NonZeroU64::new(word).map(Self)
    }

    pub(crate) fn new(slot: u32, row: u32) -> Option<Self> {
        Self::from_word(Self::to_word(slot, row))
    }

    /// Returns the entry's slot, see [`Match::slot`](crate::Match::slot).
    #[inline]
    pub fn slot(self) -> u32 {
        ((self.0.get() >> ROW_BITS) - 1) as u32
    }

    /// Returns the number of the entry's row, for [`TableView::row`](crate::TableView::row).
    #[inline]
    pub fn row(self) -> u32 {
        row_of(self.0.get())
    }
}
