//! Looking a key up in a trie: what it reads, node by node, without branches.

use std::hint::select_unpredictable;
use std::sync::atomic::Ordering::Relaxed;

use super::{COUNT, COVER, NODE, OPEN};
use crate::bit_string::BitString;
use crate::pages::ReadWords;

/// For each next six bits the bits of those prefixes that begin them, and of the cover.
const PATHS: [u64; 64] = {
    let mut paths = [COVER; 64];
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

/// How many of the prefixes there are up to the longest that was met.
#[inline(always)]
fn count_to(prefixes: u64, met: u64) -> u32 {
    (prefixes & u64::MAX >> (met | 1).leading_zeros()).count_ones()
}

/// Tries to look up in.
#[derive(Clone, Copy)]
pub(crate) struct Nodes<W> {
    pub(super) nodes: W,
    pub(super) leaves: W,
}

/// What a look-up meets in a node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    /// Where the leaf of the longest prefix is, or what there was before.
    pub(crate) best: u32,
    /// The next node, if the look-up goes on.
    pub(crate) next: u32,
    pub(crate) goes_on: bool,
}

/// 1 if the fixed root with this first word is as other nodes are, else 0.
#[inline(always)]
pub(crate) fn is_open(head: u64) -> usize {
    (head & OPEN) as usize
}

/// The words of a fixed root.
#[derive(Clone, Copy)]
pub(crate) struct Root([u64; NODE]);

impl Root {
    /// 1 if the root is as other nodes are, else 0.
    #[inline(always)]
    pub(crate) fn is_open(self) -> usize {
        is_open(self.0[0])
    }

    /// What a key meets in one that is not open, from the bits on that are behind what the root stands for.
    #[inline(always)]
    pub(crate) fn within(self, rest: impl BitString) -> u64 {
        let [prefixes, cover, first, last] = self.0;
        let met = prefixes & PATHS[(rest.top() >> 58) as usize];
        // Whether the longer one of two is among them, or the only one.
        let leaf = select_unpredictable(met > prefixes >> 1, last, first);
        select_unpredictable(met == 0, cover, leaf)
    }
}

impl<'a, W: ReadWords<'a>> Nodes<W> {
    #[inline(always)]
    pub(super) fn node(self, node: u32) -> [u64; NODE] {
        self.nodes.block::<NODE>(node as usize).each_ref().map(|word| word.load(Relaxed))
    }

    /// Visits a node with what is left of the key; `best` is where the leaf of the longest prefix so far is. No branches: which way a
    /// look-up goes cannot be foreseen.
    #[inline(always)]
    pub(crate) fn step<K: BitString>(self, node: u32, rest: &mut K, best: u32) -> Step {
        let [prefixes, links, places, skip] = self.node(node);
        let skipped = (skip & COUNT) as u32;
        // By 63 less the bits skipped: only the lowest six bits of a shift count.
        let same = ((rest.top() ^ skip) >> 1).wrapping_shr(!skipped) == 0;
        *rest = rest.after(skipped);
        let six = (rest.top() >> 58) as usize;
        *rest = rest.after(6);
        let reach = select_unpredictable(same, PATHS[six], COVER);
        let links = select_unpredictable(same, links, 0);
        let met = prefixes & reach;
        Self::meet(met, count_to(prefixes, met), links, places, six, best)
    }

    /// A fixed root.
    #[inline(always)]
    pub(crate) fn root(self, root: u32) -> Root {
        Root(self.node(root))
    }

    /// The first word of a fixed root.
    #[inline(always)]
    pub(crate) fn head(self, root: u32) -> u64 {
        self.nodes.get(root as usize * NODE)
    }

    /// The fixed root of which this is the first word.
    #[inline(always)]
    pub(crate) fn root_behind(self, head: u64, root: u32) -> Root {
        let [_, rest @ ..] = self.nodes.block::<NODE>(root as usize);
        let [cover, first, last] = rest.each_ref().map(|word| word.load(Relaxed));
        Root([head, cover, first, last])
    }

    /// Visits an open root with a key that begins behind what the root stands for; what there is if nothing longer is met, or 0.
    #[inline(always)]
    pub(crate) fn enter<K: BitString>(self, Root(words): Root, rest: &mut K) -> (Step, u64) {
        let [prefixes, cover, places, links] = words;
        let (six, prefixes) = ((rest.top() >> 58) as usize, prefixes & !OPEN);
        *rest = rest.after(6);
        let met = prefixes & PATHS[six];
        (Self::meet(met, count_to(prefixes, met), links, places, six, 0), cover)
    }

    #[inline(always)]
    fn meet(met: u64, count: u32, links: u64, places: u64, six: usize, best: u32) -> Step {
        let leaf = ((places >> 32) as u32).wrapping_add(count).wrapping_sub(1);
        let below = (links & ((1 << six) - 1)).count_ones();
        Step {
            best: select_unpredictable(met == 0, best, leaf),
            next: (places as u32).wrapping_add(below),
            goes_on: links >> six & 1 == 1,
        }
    }

    /// Brings a node near.
    #[inline(always)]
    pub(crate) fn prefetch(self, node: u32) {
        self.nodes.prefetch(node as usize * NODE);
    }

    /// A leaf, or 0 at 0.
    #[inline(always)]
    pub(crate) fn leaf(self, at: u32) -> u64 {
        self.leaves.get(at as usize)
    }

    /// Brings the next node near, if there is one.
    #[inline(always)]
    pub(crate) fn prefetch_after(self, step: Step) {
        self.prefetch(select_unpredictable(step.goes_on, step.next, 0));
    }

    /// Brings a leaf near.
    #[inline(always)]
    pub(crate) fn prefetch_leaf(self, at: u32) {
        self.leaves.prefetch(at as usize);
    }
}
