//! The form of nodes that changes of a trie use.

use super::{COVER_BIT, SKIP_LEN_MASK};

/// A node of a trie, which covers six bits of the key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Node {
    /// The bits of the prefixes that end in this node: the prefix of length l and value v has the
    /// bit 2^l + v. Bit 0 is a root's cover.
    pub(super) prefixes: u64,
    /// Bits of the children.
    pub(super) links: u64,
    /// The position of the first child.
    pub(super) children: u32,
    /// The position of the first leaf.
    pub(super) leaves: u32,
    /// The skipped bits, left-aligned, and in the low six bits their number.
    pub(super) skip: u64,
}

impl Node {
    pub(super) fn skipped_bits(self) -> u32 {
        (self.skip & SKIP_LEN_MASK) as u32 / 6
    }

    /// Returns how many links of the node are before this child.
    pub(super) fn rank(self, child: usize) -> u32 {
        (self.links & ((1 << child) - 1)).count_ones()
    }

    /// Returns the position of a prefix's leaf among the node's leaves.
    pub(super) fn leaf_rank(self, bit: u32) -> u32 {
        (self.prefixes & ((1 << bit) - 1)).count_ones()
    }

    /// Returns whether the node has neither prefixes nor children; it may have a cover.
    pub(super) fn is_empty(self) -> bool {
        self.prefixes & !COVER_BIT == 0 && self.links == 0
    }
}

/// Returns the `skip` word of a node that skips the first `steps` steps of `bits`.
pub(super) fn skip_word(bits: u64, steps: u32) -> u64 {
    if steps == 0 { 0 } else { bits & u64::MAX << (64 - 6 * steps) | u64::from(6 * steps) }
}
