//! Lookups in a trie, node by node and without branches.

use std::hint::select_unpredictable;
use std::sync::atomic::Ordering::Relaxed;

use super::{COVER_BIT, LEAVES_OUTSIDE, NODE_WORDS, SKIP_LEN_MASK};
use crate::bit_string::BitString;
use crate::pages::ReadWords;

/// For each value of the next six bits, the bits of the prefixes that match the value, and of the
/// cover.
const PREFIXES_OF: [u64; 64] = {
    let mut paths = [COVER_BIT; 64];
    let mut bits = 0;
    while bits < 64 {
        let mut len = 0;
        while len < 6 {
            paths[bits] |= 1 << ((1 << len) + (bits >> (6 - len)));
            len += 1;
        }
        bits += 1;
    }
    paths
};

/// Returns the number of prefixes up to the longest prefix that matched.
#[inline(always)]
fn count_prefixes(prefixes: u64, matched: u64) -> u32 {
    (prefixes & u64::MAX >> (matched | 1).leading_zeros()).count_ones()
}

/// Read access to tries in lookups.
#[derive(Clone, Copy)]
pub(crate) struct Nodes<W> {
    pub(super) nodes: W,
    pub(super) leaves: W,
}

/// The result of a lookup in a node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    /// The position of the leaf of the longest prefix in this node or before it.
    pub(crate) best: u32,
    /// The next node, if the lookup continues.
    pub(crate) next: u32,
    pub(crate) goes_on: bool,
}

/// Returns 1 if the fixed root with this first word has the form of other nodes, 0 if its leaves
/// are inline.
#[inline(always)]
pub(crate) fn is_expanded(head: u64) -> usize {
    (head & LEAVES_OUTSIDE) as usize
}

/// The words of a fixed root.
#[derive(Clone, Copy)]
pub(crate) struct FixedRoot([u64; NODE_WORDS]);

impl FixedRoot {
    /// Returns 1 if the root has the form of other nodes, 0 if its leaves are inline.
    #[inline(always)]
    pub(crate) fn is_expanded(self) -> usize {
        is_expanded(self.0[0])
    }

    /// Returns the leaf that a key matches in a root with inline leaves, or its cover. `rest` is
    /// the key without the bits that select the root.
    #[inline(always)]
    pub(crate) fn find_inline(self, rest: impl BitString) -> u64 {
        let [prefixes, cover, first, last] = self.0;
        let matched = prefixes & PREFIXES_OF[(rest.first_word() >> 58) as usize];
        // True if the longer of two prefixes matched, or the only prefix.
        let leaf = select_unpredictable(matched > prefixes >> 1, last, first);
        select_unpredictable(matched == 0, cover, leaf)
    }
}

impl<'a, W: ReadWords<'a>> Nodes<W> {
    /// Reads the words of a node.
    #[inline(always)]
    pub(super) fn node(self, node: u32) -> [u64; NODE_WORDS] {
        self.nodes.block::<NODE_WORDS>(node as usize).each_ref().map(|word| word.load(Relaxed))
    }

    /// Visits a node with the rest of the key. `best` is the position of the best leaf so far.
    /// There are no branches, because processors could not predict them.
    #[inline(always)]
    pub(crate) fn step<K: BitString>(self, node: u32, rest: &mut K, best: u32) -> Step {
        let [prefixes, links, places, skip] = self.node(node);
        let skipped = (skip & SKIP_LEN_MASK) as u32;
        // This shifts by 63 minus the number of skipped bits, because only the lowest six bits of a
        // shift's amount count.
        let same = ((rest.first_word() ^ skip) >> 1).wrapping_shr(!skipped) == 0;
        *rest = rest.without_first(skipped);
        let six = (rest.first_word() >> 58) as usize;
        *rest = rest.without_first(6);
        let reach = select_unpredictable(same, PREFIXES_OF[six], COVER_BIT);
        let links = select_unpredictable(same, links, 0);
        let matched = prefixes & reach;
        Self::descend(matched, count_prefixes(prefixes, matched), links, places, six, best)
    }

    /// Reads a fixed root.
    #[inline(always)]
    pub(crate) fn root(self, root: u32) -> FixedRoot {
        FixedRoot(self.node(root))
    }

    /// Returns the first word of a fixed root.
    #[inline(always)]
    pub(crate) fn head(self, root: u32) -> u64 {
        self.nodes.get(root as usize * NODE_WORDS)
    }

    /// Returns the fixed root whose first word has already been loaded.
    #[inline(always)]
    pub(crate) fn root_with_head(self, head: u64, root: u32) -> FixedRoot {
        let [_, rest @ ..] = self.nodes.block::<NODE_WORDS>(root as usize);
        let [cover, first, last] = rest.each_ref().map(|word| word.load(Relaxed));
        FixedRoot([head, cover, first, last])
    }

    /// Visits a root whose leaves are not inline, with the key without the bits that select the
    /// root. Returns the step and the root's cover.
    #[inline(always)]
    pub(crate) fn enter_expanded<K: BitString>(
        self,
        FixedRoot(words): FixedRoot,
        rest: &mut K,
    ) -> (Step, u64) {
        let [prefixes, cover, places, links] = words;
        let (six, prefixes) = ((rest.first_word() >> 58) as usize, prefixes & !LEAVES_OUTSIDE);
        *rest = rest.without_first(6);
        let matched = prefixes & PREFIXES_OF[six];
        (Self::descend(matched, count_prefixes(prefixes, matched), links, places, six, 0), cover)
    }

    /// Goes down one step from a node, and remembers the longest prefix that matched.
    #[inline(always)]
    fn descend(matched: u64, count: u32, links: u64, places: u64, six: usize, best: u32) -> Step {
        let leaf = ((places >> 32) as u32).wrapping_add(count).wrapping_sub(1);
        let below = (links & ((1 << six) - 1)).count_ones();
        Step {
            best: select_unpredictable(matched == 0, best, leaf),
            next: (places as u32).wrapping_add(below),
            goes_on: links >> six & 1 == 1,
        }
    }

    /// Prefetches a node.
    #[inline(always)]
    pub(crate) fn prefetch(self, node: u32) {
        self.nodes.prefetch(node as usize * NODE_WORDS);
    }

    /// Returns the leaf at a position; 0 at position 0.
    #[inline(always)]
    pub(crate) fn leaf(self, at: u32) -> u64 {
        self.leaves.get(at as usize)
    }

    /// Prefetches the next node, if there is one.
    #[inline(always)]
    pub(crate) fn prefetch_after(self, step: Step) {
        self.prefetch(select_unpredictable(step.goes_on, step.next, 0));
    }

    /// Prefetches a leaf.
    #[inline(always)]
    pub(crate) fn prefetch_leaf(self, at: u32) {
        self.leaves.prefetch(at as usize);
    }
}
