//! Tries over strings of bits, six bits per step: tree bitmaps (W. Eatherton, G. Varghese, Z.
//! Dittia, "Tree bitmap: hardware/software IP lookups with incremental updates", ACM SIGCOMM
//! Computer Communication Review, 2004) with path compression.
//!
//! A node at depth d has one bit for each of the 63 prefixes of length d to d+5 below it, and one
//! bit for each of its 64 possible children. The children are adjacent in memory, so that a
//! population count gives the position of a child. The leaves of the prefixes, which are the
//! results of lookups, are stored in the same way. A change affects only one node, and not the
//! nodes below it. A node that is reached by a path without branches stores the bits of that path,
//! at most 54. A root may have one more leaf, its cover, which is the result for keys that match no
//! prefix of the trie.

mod change;
mod inline_root;
mod node;
mod nodes;

use smallvec::SmallVec;

use self::node::Node;
pub(crate) use self::nodes::{Nodes, Step, is_expanded};
use crate::bit_string::BitString;
use crate::block_allocator::BlockAllocator;
use crate::pages::{AnyWords, Flat, PageAllocator, PageEditor, Paged, Pages, WordArray};

/// The number of words of a node.
const NODE_WORDS: usize = 4;
/// The maximum number of steps that a node skips.
const MAX_SKIPPED: u32 = 9;
/// The bits of a node's last word that hold the number of bits skipped.
const SKIP_LEN_MASK: u64 = 63;
/// The bit for a root's cover among the bits for prefixes.
const COVER_BIT: u64 = 1;
/// In a fixed root, the same bit says that its leaves are not inline.
const LEAVES_OUTSIDE: u64 = 1;
/// The word of a fixed root that holds its cover, and the first of the words that hold inline
/// leaves.
const FIXED_COVER: usize = 1;
const FIXED_LEAVES: usize = 2;
/// The maximum number of inline leaves.
const MAX_INLINE_LEAVES: u32 = 2;

/// Returns the bit for a prefix that ends `len` (fewer than six) bits into a node. `next` holds the
/// six bits of the key at that node.
fn bit_of(len: usize, next: usize) -> u32 {
    ((1 << len) + (next >> (6 - len))) as u32
}

/// Several tries, identified by their roots, that share memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trie {
    nodes: WordArray,
    /// The leaves, which are not 0. The first word is unused.
    leaves: WordArray,
    /// Number of fixed roots, which are the first nodes, whether they are in use or not. Fixed
    /// roots skip nothing and store their covers separately. A fixed root without children and with
    /// at most two leaves stores them inline.
    fixed: u32,
}

/// The allocators of a trie's arrays, which know which memory is in use.
#[derive(Clone, Debug, Default)]
pub(crate) struct TrieAllocators {
    nodes: BlockAllocator,
    leaves: BlockAllocator,
}

impl TrieAllocators {
    /// Returns the memory of the arrays in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.nodes.bytes() + self.leaves.bytes()
    }
}

/// A few leaves of a trie.
type Leaves = SmallVec<[u64; 8]>;

/// Where a leaf is stored: in the array of leaves, or in words of a fixed root.
enum LeafLocation {
    Array(u32),
    Inline(std::ops::Range<usize>),
}

impl Trie {
    /// Creates an array of tries with this number of fixed roots.
    pub(crate) fn new(editor: &mut PageEditor, fixed: u32) -> (Self, TrieAllocators) {
        let (mut trie, mut allocators) = (Self { fixed, ..Self::default() }, TrieAllocators::default());
        allocators.leaves.skip_to(1);
        allocators.nodes.skip_to(fixed);
        editor.grow(&mut trie.nodes, fixed as usize * NODE_WORDS);
        editor.grow(&mut trie.leaves, 1);
        (trie, allocators)
    }

    /// Moves all arrays to pages.
    pub(crate) fn move_to_pages(&mut self, editor: &mut PageEditor) {
        editor.move_to_pages(&mut self.nodes);
        editor.move_to_pages(&mut self.leaves);
    }

    /// Returns access for lookups, in either form.
    #[inline(always)]
    pub(crate) fn nodes<'a>(&'a self, pages: &'a Pages) -> Nodes<AnyWords<'a>> {
        Nodes { nodes: self.nodes.words(pages), leaves: self.leaves.words(pages) }
    }

    /// Returns access for lookups, if the arrays are in contiguous memory.
    #[inline(always)]
    pub(crate) fn flat_nodes(&self) -> Option<Nodes<Flat<'_>>> {
        self.leaves.is_flat().then(|| Nodes { nodes: self.nodes.as_flat(), leaves: self.leaves.as_flat() })
    }

    /// Returns access for lookups, if the arrays are in pages.
    #[inline(always)]
    pub(crate) fn paged_nodes<'a>(&'a self, pages: &'a Pages) -> Nodes<Paged<'a>> {
        Nodes { nodes: self.nodes.as_paged(pages), leaves: self.leaves.as_paged(pages) }
    }

    /// Returns the leaf at a position.
    fn leaf(&self, pages: &Pages, at: u32) -> u64 {
        self.leaves.get(pages, at as usize)
    }

    /// Returns a node. The leaves of a fixed root must not be inline.
    fn node(&self, pages: &Pages, node: u32) -> Node {
        let words = self.nodes(pages).node(node);
        let [prefixes, links, places, skip] = match words {
            [prefixes, _, places, links] if node < self.fixed => {
                [prefixes & !LEAVES_OUTSIDE, links, places, 0]
            }
            other => other,
        };
        Node { prefixes, links, children: places as u32, leaves: (places >> 32) as u32, skip }
    }

    /// Finds the location of the leaf of exactly this prefix.
    fn locate(
        &self,
        pages: &Pages,
        root: Option<u32>,
        mut depth: usize,
        key: impl BitString,
        len: usize,
    ) -> Option<LeafLocation> {
        let mut number = root?;
        loop {
            let words = self.nodes(pages).node(number);
            if number < self.fixed && words[0] & LEAVES_OUTSIDE == 0 {
                let node = Node { prefixes: words[0], ..Node::default() };
                let bit = (len - depth < 6).then(|| bit_of(len - depth, key.six_bits(depth)))?;
                let rank = node.leaf_rank(bit) as usize;
                let (first, many) = (number as usize * NODE_WORDS + FIXED_LEAVES, node.prefixes.count_ones());
                let words = first + rank..first + if many == 1 { 2 } else { rank + 1 };
                return (node.prefixes >> bit & 1 == 1).then_some(LeafLocation::Inline(words));
            }
            let node = self.node(pages, number);
            let steps = node.skipped_bits();
            depth += 6 * steps as usize;
            if depth > len
                || (key.word_at(depth - 6 * steps as usize) ^ node.skip).leading_zeros() < 6 * steps
            {
                return None;
            }
            let next = key.six_bits(depth);
            if len - depth < 6 {
                let bit = bit_of(len - depth, next);
                return (node.prefixes >> bit & 1 == 1)
                    .then(|| LeafLocation::Array(node.leaves + node.leaf_rank(bit)));
            }
            if node.links >> next & 1 == 0 {
                return None;
            }
            number = node.children + node.rank(next);
            depth += 6;
        }
    }

    /// Returns the leaf of exactly this prefix.
    pub(crate) fn get(
        &self,
        pages: &Pages,
        root: Option<u32>,
        depth: usize,
        key: impl BitString,
        len: usize,
    ) -> Option<u64> {
        self.locate(pages, root, depth, key, len).map(|place| match place {
            LeafLocation::Array(at) => self.leaf(pages, at),
            LeafLocation::Inline(words) => self.nodes.get(pages, words.start),
        })
    }

    /// Replaces the leaf of a prefix, which must exist.
    pub(crate) fn set(
        &mut self,
        editor: &mut PageEditor,
        root: Option<u32>,
        depth: usize,
        key: impl BitString,
        (len, leaf): (usize, u64),
    ) {
        match self.locate(editor.pages, root, depth, key, len) {
            Some(LeafLocation::Array(at)) => editor.set(&mut self.leaves, at as usize, leaf),
            Some(LeafLocation::Inline(words)) => words.for_each(|at| editor.set(&mut self.nodes, at, leaf)),
            None => {}
        }
    }

    /// Returns a root's cover; 0 if there is none.
    pub(crate) fn cover(&self, pages: &Pages, root: u32) -> u64 {
        if root < self.fixed {
            return self.nodes(pages).node(root)[FIXED_COVER];
        }
        let node = self.node(pages, root);
        if node.prefixes & COVER_BIT == 0 { 0 } else { self.leaf(pages, node.leaves) }
    }

    /// Replaces a root's cover; 0 removes it.
    pub(crate) fn set_cover(
        &mut self,
        editor: &mut PageEditor,
        allocators: &mut TrieAllocators,
        root: u32,
        leaf: u64,
    ) {
        if root < self.fixed {
            return editor.set(&mut self.nodes, root as usize * NODE_WORDS + FIXED_COVER, leaf);
        }
        let mut node = self.node(editor.pages, root);
        match (node.prefixes & COVER_BIT != 0, leaf) {
            (true, 0) => drop(self.remove_leaf(editor, allocators, &mut node, 0)),
            (true, _) => return editor.set(&mut self.leaves, node.leaves as usize, leaf),
            (false, 0) => return,
            (false, _) => self.add_leaf(editor, allocators, &mut node, 0, leaf),
        }
        self.write(editor, allocators, root, node);
    }

    /// Frees the memory of the tries.
    pub(crate) fn release(&mut self, allocator: &mut PageAllocator) {
        allocator.release(&mut self.nodes);
        allocator.release(&mut self.leaves);
    }
}
