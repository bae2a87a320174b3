//! Prefixes of bit strings, six_bits bits a step: a tree bitmap (W. Eatherton, G. Varghese, Z. Dittia, "Tree bitmap: hardware/software IP
//! lookups with incremental updates", ACM SIGCOMM Computer Communication Review, 2004), with steps that nobody branches in left out.
//!
//! A node at depth d says by one bit each which prefixes of length d to d+5 below it are there (63 of them), and which of its
//! 64 possible children. Children lie side by side, so their bitmap's population count finds one; so do the leaves of its prefixes: what a
//! look-up wants to know of them. A change touches one node, whatever lies below it. A node whose way from its parent has no branch
//! carries the bits of that way, up to 54 of them. A root may have one leaf more, its cover: what stands for the keys that meet no prefix
//! of the trie.

mod nodes;

use smallvec::SmallVec;

pub(crate) use self::nodes::{Nodes, Step, is_open};
use crate::bit_string::BitString;
use crate::block_allocator::BlockAllocator;
use crate::pages::{AnyWords, Flat, PageAllocator, PageEditor, Paged, Pages, WordArray};

/// WordVec of a node.
const NODE: usize = 4;
/// The most steps that a node leaves out before it.
const MAX_SKIPPED: u32 = 9;
/// Where a node has how many bits it leaves out.
const COUNT: u64 = 63;
/// The bit of a root's cover among those of its prefixes.
const COVER: u64 = 1;
/// In its place, in a fixed root: that the root is as other nodes are.
const OPEN: u64 = 1;
/// Where a fixed root has its cover, and the words that its leaves are in unless it is open.
const FIXED_COVER: usize = 1;
const FIXED_LEAVES: usize = 2;
/// The most leaves that lie in a fixed root.
const MAX_IN_ROOT: u32 = 2;

/// The bit of a prefix that goes so far into a node, fewer than six_bits bits, along the next six_bits bits of its key.
fn bit_of(len: usize, next: usize) -> u32 {
    ((1 << len) + (next >> (6 - len))) as u32
}

/// Some tries, named by their roots, that move_to_pages memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trie {
    nodes: WordArray,
    /// WordVec that are not 0. The first of all is nobody's.
    leaves: WordArray,
    /// As many roots stand in front, by number, whether they are empty or not. They leave nothing out and have their covers
    /// apart. One without children and with no more than two leaves has the leaves within.
    fixed: u32,
}

/// Which of its memory is in use.
#[derive(Clone, Debug, Default)]
pub(crate) struct TrieAllocators {
    nodes: BlockAllocator,
    leaves: BlockAllocator,
}

impl TrieAllocators {
    pub(crate) fn bytes(&self) -> usize {
        self.nodes.bytes() + self.leaves.bytes()
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Node {
    /// Which prefixes end here: that of length l with value v at bit 2^l + v. Bit 0 is a root's cover.
    prefixes: u64,
    /// Which children there are.
    links: u64,
    /// The first child.
    children: u32,
    /// Where the leaves of its prefixes begin.
    leaves: u32,
    /// The bits left out before, from the top, and in the lowest six_bits bits their number.
    skip: u64,
}

impl Node {
    fn skipped(self) -> u32 {
        (self.skip & COUNT) as u32 / 6
    }

    fn rank(self, child: usize) -> u32 {
        (self.links & ((1 << child) - 1)).count_ones()
    }

    /// Which of its leaves belongs to this bit.
    fn leaf_rank(self, bit: u32) -> u32 {
        (self.prefixes & ((1 << bit) - 1)).count_ones()
    }

    /// Whether there is nothing but a cover.
    fn is_empty(self) -> bool {
        self.prefixes & !COVER == 0 && self.links == 0
    }
}

/// The first `steps` steps of `bits`, as a node's `skip`.
fn skip(bits: u64, steps: u32) -> u64 {
    if steps == 0 { 0 } else { bits & u64::MAX << (64 - 6 * steps) | u64::from(6 * steps) }
}

/// A few leaves.
type Leaves = SmallVec<[u64; 8]>;

/// Where a leaf is: among leaves, or in a root's words.
enum Place {
    Leaf(u32),
    Root(std::ops::Range<usize>),
}

impl Trie {
    /// A trie of so many fixed roots.
    pub(crate) fn new(editor: &mut PageEditor, fixed: u32) -> (Self, TrieAllocators) {
        let (mut trie, mut allocators) = (Self { fixed, ..Self::default() }, TrieAllocators::default());
        allocators.leaves.skip_to(1);
        allocators.nodes.skip_to(fixed);
        editor.grow(&mut trie.nodes, fixed as usize * NODE);
        editor.grow(&mut trie.leaves, 1);
        (trie, allocators)
    }

    /// Puts what it has into pages.
    pub(crate) fn move_to_pages(&mut self, editor: &mut PageEditor) {
        editor.move_to_pages(&mut self.nodes);
        editor.move_to_pages(&mut self.leaves);
    }

    /// To look up in.
    #[inline(always)]
    pub(crate) fn nodes<'a>(&'a self, pages: &'a Pages) -> Nodes<AnyWords<'a>> {
        Nodes { nodes: self.nodes.words(pages), leaves: self.leaves.words(pages) }
    }

    /// The same, if it lies in one piece.
    #[inline(always)]
    pub(crate) fn flat_nodes(&self) -> Option<Nodes<Flat<'_>>> {
        self.leaves.is_flat().then(|| Nodes { nodes: self.nodes.as_flat(), leaves: self.leaves.as_flat() })
    }

    /// The same, if it lies in pages.
    #[inline(always)]
    pub(crate) fn paged_nodes<'a>(&'a self, pages: &'a Pages) -> Nodes<Paged<'a>> {
        Nodes { nodes: self.nodes.as_paged(pages), leaves: self.leaves.as_paged(pages) }
    }

    fn leaf(&self, pages: &Pages, at: u32) -> u64 {
        self.leaves.get(pages, at as usize)
    }

    /// A node; a fixed root is to be open.
    fn node(&self, pages: &Pages, node: u32) -> Node {
        let words = self.nodes(pages).node(node);
        let [prefixes, links, places, skip] = match words {
            [prefixes, _, places, links] if node < self.fixed => [prefixes & !OPEN, links, places, 0],
            other => other,
        };
        Node { prefixes, links, children: places as u32, leaves: (places >> 32) as u32, skip }
    }

    /// Takes the leaves out of a fixed root, so that it is as other nodes are.
    fn open(&mut self, editor: &mut PageEditor, allocators: &mut TrieAllocators, root: u32) {
        if root >= self.fixed {
            return;
        }
        let words = self.nodes(editor.pages).node(root);
        if words[0] & OPEN != 0 {
            return;
        }
        let mut node = Node { prefixes: words[0], ..Node::default() };
        let leaves = &words[FIXED_LEAVES..][..node.prefixes.count_ones() as usize];
        self.place_leaves(editor, allocators, &mut node, (leaves, 0), 0);
        self.write(editor, allocators, root, node);
    }

    /// Takes the leaves of a fixed root in, if there is room for them.
    fn close(&mut self, editor: &mut PageEditor, allocators: &mut TrieAllocators, root: u32) {
        if root >= self.fixed {
            return;
        }
        let mut node = self.node(editor.pages, root);
        let count = node.prefixes.count_ones();
        if node.links != 0 || count > MAX_IN_ROOT {
            return;
        }
        let leaves = self.leaves_of(editor.pages, &node);
        self.place_leaves(editor, allocators, &mut node, (&[], 0), count);
        let [first, last] = [leaves.first(), leaves.last()].map(|leaf| leaf.copied().unwrap_or(0));
        self.write_within(editor, root, node.prefixes, [first, last]);
    }

    /// Adds a prefix to a fixed root that has room for its leaf; false if it has none.
    fn add_within(&mut self, editor: &mut PageEditor, root: u32, bit: u32, leaf: u64) -> bool {
        let [prefixes, _, known, _] = self.nodes(editor.pages).node(root);
        if prefixes & OPEN != 0 || prefixes.count_ones() == MAX_IN_ROOT {
            return false;
        }
        let leaves = match prefixes {
            0 => [leaf, leaf],
            _ if prefixes >> bit == 0 => [known, leaf],
            _ => [leaf, known],
        };
        self.write_within(editor, root, prefixes | 1 << bit, leaves);
        true
    }

    /// Takes a prefix out of a fixed root that has its leaf within; false if it has not.
    fn remove_within(&mut self, editor: &mut PageEditor, root: u32, bit: u32) -> bool {
        let [prefixes, _, first, second] = self.nodes(editor.pages).node(root);
        if prefixes & OPEN != 0 {
            return false;
        }
        let (gone, left) = (1 << bit, prefixes & !(1 << bit));
        let leaf = if gone > left { first } else { second };
        self.write_within(editor, root, left, [leaf, leaf]);
        true
    }

    /// An only leaf stands in both words.
    fn write_within(&mut self, editor: &mut PageEditor, root: u32, prefixes: u64, leaves: [u64; 2]) {
        let at = root as usize * NODE;
        editor.set(&mut self.nodes, at, prefixes);
        for (index, leaf) in leaves.into_iter().enumerate() {
            editor.set(&mut self.nodes, at + FIXED_LEAVES + index, leaf);
        }
    }

    /// Where the leaf of just this prefix is.
    fn place(
        &self,
        pages: &Pages,
        root: Option<u32>,
        mut depth: usize,
        key: impl BitString,
        len: usize,
    ) -> Option<Place> {
        let mut at = root?;
        loop {
            let words = self.nodes(pages).node(at);
            if at < self.fixed && words[0] & OPEN == 0 {
                let node = Node { prefixes: words[0], ..Node::default() };
                let bit = (len - depth < 6).then(|| bit_of(len - depth, key.six_bits(depth)))?;
                let rank = node.leaf_rank(bit) as usize;
                let (first, many) = (at as usize * NODE + FIXED_LEAVES, node.prefixes.count_ones());
                let words = first + rank..first + if many == 1 { 2 } else { rank + 1 };
                return (node.prefixes >> bit & 1 == 1).then_some(Place::Root(words));
            }
            let node = self.node(pages, at);
            let steps = node.skipped();
            depth += 6 * steps as usize;
            if depth > len || (key.window(depth - 6 * steps as usize) ^ node.skip).leading_zeros() < 6 * steps
            {
                return None;
            }
            let next = key.six_bits(depth);
            if len - depth < 6 {
                let bit = bit_of(len - depth, next);
                return (node.prefixes >> bit & 1 == 1)
                    .then(|| Place::Leaf(node.leaves + node.leaf_rank(bit)));
            }
            if node.links >> next & 1 == 0 {
                return None;
            }
            at = node.children + node.rank(next);
            depth += 6;
        }
    }

    /// The leaf of just this prefix.
    pub(crate) fn get(
        &self,
        pages: &Pages,
        root: Option<u32>,
        depth: usize,
        key: impl BitString,
        len: usize,
    ) -> Option<u64> {
        self.place(pages, root, depth, key, len).map(|place| match place {
            Place::Leaf(at) => self.leaf(pages, at),
            Place::Root(words) => self.nodes.get(pages, words.start),
        })
    }

    /// Gives a prefix that is there another leaf.
    pub(crate) fn set(
        &mut self,
        editor: &mut PageEditor,
        root: Option<u32>,
        depth: usize,
        key: impl BitString,
        (len, leaf): (usize, u64),
    ) {
        match self.place(editor.pages, root, depth, key, len) {
            Some(Place::Leaf(at)) => editor.set(&mut self.leaves, at as usize, leaf),
            Some(Place::Root(words)) => words.for_each(|at| editor.set(&mut self.nodes, at, leaf)),
            None => {}
        }
    }

    /// A root's cover; 0 if there is none.
    pub(crate) fn cover(&self, pages: &Pages, root: u32) -> u64 {
        if root < self.fixed {
            return self.nodes(pages).node(root)[FIXED_COVER];
        }
        let node = self.node(pages, root);
        if node.prefixes & COVER == 0 { 0 } else { self.leaf(pages, node.leaves) }
    }

    /// Gives a root another cover; 0 for none.
    pub(crate) fn set_cover(
        &mut self,
        editor: &mut PageEditor,
        allocators: &mut TrieAllocators,
        root: u32,
        leaf: u64,
    ) {
        if root < self.fixed {
            return editor.set(&mut self.nodes, root as usize * NODE + FIXED_COVER, leaf);
        }
        let mut node = self.node(editor.pages, root);
        match (node.prefixes & COVER != 0, leaf) {
            (true, 0) => drop(self.remove_leaf(editor, allocators, &mut node, 0)),
            (true, _) => return editor.set(&mut self.leaves, node.leaves as usize, leaf),
            (false, 0) => return,
            (false, _) => self.add_leaf(editor, allocators, &mut node, 0, leaf),
        }
        self.write(editor, allocators, root, node);
    }

    /// Adds a prefix that is not there; returns the root. The trie begins at `depth` of the bit string; `len` is at least that.
    pub(crate) fn insert(
        &mut self,
        editor: &mut PageEditor,
        allocators: &mut TrieAllocators,
        root: Option<u32>,
        mut depth: usize,
        key: impl BitString,
        (len, leaf): (usize, u64),
    ) -> u32 {
        let root = root.unwrap_or_else(|| {
            let root = allocators.nodes.allocate(1);
            let steps = MAX_SKIPPED.min((len - depth) as u32 / 6);
            self.write(
                editor,
                allocators,
                root,
                Node { skip: skip(key.window(depth), steps), ..Node::default() },
            );
            root
        });
        if root < self.fixed && len - depth < 6 {
            let bit = bit_of(len - depth, key.six_bits(depth));
            if self.add_within(editor, root, bit, leaf) {
                return root;
            }
        }
        self.open(editor, allocators, root);
        let mut at = root;
        loop {
            let mut node = self.node(editor.pages, at);
            let steps = node.skipped();
            let equal = (key.window(depth) ^ node.skip).leading_zeros() / 6;
            let shared = steps.min(equal).min((len - depth) as u32 / 6);
            if shared < steps {
                node = self.split(editor, allocators, at, node, shared);
            }
            depth += 6 * shared as usize;
            let next = key.six_bits(depth);
            if len - depth < 6 {
                self.add_leaf(editor, allocators, &mut node, bit_of(len - depth, next), leaf);
                self.write(editor, allocators, at, node);
                self.close(editor, allocators, root);
                return root;
            }
            depth += 6;
            if node.links >> next & 1 == 0 {
                let steps = MAX_SKIPPED.min((len - depth) as u32 / 6);
                let child = Node { skip: skip(key.window(depth), steps), ..Node::default() };
                self.add_child(editor, allocators, &mut node, next, child);
                self.write(editor, allocators, at, node);
            }
            at = node.children + node.rank(next);
        }
    }

    /// Puts a node before `node` that leaves out only the first `shared` of its steps.
    fn split(
        &mut self,
        editor: &mut PageEditor,
        allocators: &mut TrieAllocators,
        at: u32,
        mut node: Node,
        shared: u32,
    ) -> Node {
        let cover = self.take_cover(editor, allocators, &mut node);
        let next = (node.skip << (6 * shared) >> 58) as usize;
        let rest = skip(node.skip << (6 * shared) << 6, node.skipped() - shared - 1);
        let children = allocators.nodes.allocate(1);
        self.write(editor, allocators, children, Node { skip: rest, ..node });
        let mut above = Node { links: 1 << next, children, skip: skip(node.skip, shared), ..Node::default() };
        if let Some(leaf) = cover {
            self.add_leaf(editor, allocators, &mut above, 0, leaf);
        }
        self.write(editor, allocators, at, above);
        above
    }

    /// Takes a prefix out that is there; returns the root, if anything is left but a cover.
    pub(crate) fn remove(
        &mut self,
        editor: &mut PageEditor,
        allocators: &mut TrieAllocators,
        root: u32,
        mut depth: usize,
        key: impl BitString,
        len: usize,
    ) -> Option<u32> {
        if root < self.fixed && len - depth < 6 {
            let bit = bit_of(len - depth, key.six_bits(depth));
            if self.remove_within(editor, root, bit) {
                return Some(root);
            }
        }
        self.open(editor, allocators, root);
        let mut way = Vec::new();
        let mut at = root;
        let mut node = self.node(editor.pages, at);
        loop {
            depth += 6 * node.skipped() as usize;
            let next = key.six_bits(depth);
            if len - depth < 6 {
                self.remove_leaf(editor, allocators, &mut node, bit_of(len - depth, next));
                break;
            }
            way.push((at, next));
            at = node.children + node.rank(next);
            node = self.node(editor.pages, at);
            depth += 6;
        }
        while node.is_empty() {
            let Some((parent, child)) = way.pop() else {
                if root < self.fixed {
                    break;
                }
                self.take_cover(editor, allocators, &mut node);
                allocators.nodes.release(root, 1);
                return None;
            };
            at = parent;
            node = self.node(editor.pages, at);
            self.remove_child(editor, allocators, &mut node, child);
        }
        if at >= self.fixed && node.prefixes & !COVER == 0 && node.links.is_power_of_two() {
            self.join(editor, allocators, &mut node);
        }
        self.write(editor, allocators, at, node);
        self.close(editor, allocators, root);
        Some(root)
    }

    /// Takes the only child of a node without prefixes into its place, if what they leave out is not too long.
    fn join(&mut self, editor: &mut PageEditor, allocators: &mut TrieAllocators, node: &mut Node) {
        let child = self.node(editor.pages, node.children);
        let (before, after) = (node.skipped(), child.skipped());
        if before + 1 + after > MAX_SKIPPED {
            return;
        }
        let cover = self.take_cover(editor, allocators, node);
        let next = u64::from(node.links.trailing_zeros());
        let bits = skip(node.skip, before) & !COUNT
            | next << 58 >> (6 * before)
            | (child.skip & !COUNT) >> (6 * before) >> 6;
        allocators.nodes.release(node.children, 1);
        *node = Node { skip: skip(bits, before + 1 + after), ..child };
        if let Some(leaf) = cover {
            self.add_leaf(editor, allocators, node, 0, leaf);
        }
    }

    /// Gives up its memory.
    pub(crate) fn release(&mut self, allocator: &mut PageAllocator) {
        allocator.release(&mut self.nodes);
        allocator.release(&mut self.leaves);
    }

    fn write(&mut self, editor: &mut PageEditor, allocators: &TrieAllocators, at: u32, node: Node) {
        editor.grow(&mut self.nodes, allocators.nodes.top() as usize * NODE);
        let places = u64::from(node.leaves) << 32 | u64::from(node.children);
        let at_word = at as usize * NODE;
        let words = if at < self.fixed {
            let cover = self.nodes.get(editor.pages, at_word + FIXED_COVER);
            [node.prefixes | OPEN, cover, places, node.links]
        } else {
            [node.prefixes, node.links, places, node.skip]
        };
        for (index, word) in words.into_iter().enumerate() {
            editor.set(&mut self.nodes, at_word + index, word);
        }
    }

    fn add_child(
        &mut self,
        editor: &mut PageEditor,
        allocators: &mut TrieAllocators,
        node: &mut Node,
        child: usize,
        new: Node,
    ) {
        let (count, rank) = (node.links.count_ones(), node.rank(child));
        let mut children: Vec<Node> =
            (0..count).map(|i| self.node(editor.pages, node.children + i)).collect();
        children.insert(rank as usize, new);
        let moved = if count == 0 || !BlockAllocator::same_class(count, count + 1) {
            if count > 0 {
                allocators.nodes.release(node.children, count);
            }
            node.children = allocators.nodes.allocate(count + 1);
            0
        } else {
            rank as usize
        };
        node.links |= 1 << child;
        for (index, one) in children.into_iter().enumerate().skip(moved) {
            self.write(editor, allocators, node.children + index as u32, one);
        }
    }

    fn remove_child(
        &mut self,
        editor: &mut PageEditor,
        allocators: &mut TrieAllocators,
        node: &mut Node,
        child: usize,
    ) {
        let (count, rank) = (node.links.count_ones(), node.rank(child));
        let mut children: Vec<Node> =
            (0..count).map(|i| self.node(editor.pages, node.children + i)).collect();
        children.remove(rank as usize);
        node.links &= !(1 << child);
        let mut moved = rank as usize;
        if count == 1 || !BlockAllocator::same_class(count, count - 1) {
            allocators.nodes.release(node.children, count);
            node.children = if count == 1 { 0 } else { allocators.nodes.allocate(count - 1) };
            moved = 0;
        }
        for (index, one) in children.into_iter().enumerate().skip(moved) {
            self.write(editor, allocators, node.children + index as u32, one);
        }
    }

    fn leaves_of(&self, pages: &Pages, node: &Node) -> Leaves {
        (0..node.prefixes.count_ones()).map(|rank| self.leaf(pages, node.leaves + rank)).collect()
    }

    fn add_leaf(
        &mut self,
        editor: &mut PageEditor,
        allocators: &mut TrieAllocators,
        node: &mut Node,
        bit: u32,
        leaf: u64,
    ) {
        let mut leaves = self.leaves_of(editor.pages, node);
        let rank = node.leaf_rank(bit) as usize;
        leaves.insert(rank, leaf);
        node.prefixes |= 1 << bit;
        self.place_leaves(editor, allocators, node, (&leaves, rank), leaves.len() as u32 - 1);
    }

    fn remove_leaf(
        &mut self,
        editor: &mut PageEditor,
        allocators: &mut TrieAllocators,
        node: &mut Node,
        bit: u32,
    ) -> u64 {
        let mut leaves = self.leaves_of(editor.pages, node);
        let rank = node.leaf_rank(bit) as usize;
        let leaf = leaves.remove(rank);
        node.prefixes &= !(1 << bit);
        self.place_leaves(editor, allocators, node, (&leaves, rank), leaves.len() as u32 + 1);
        leaf
    }

    fn take_cover(
        &mut self,
        editor: &mut PageEditor,
        allocators: &mut TrieAllocators,
        node: &mut Node,
    ) -> Option<u64> {
        (node.prefixes & COVER != 0).then(|| self.remove_leaf(editor, allocators, node, 0))
    }

    /// Puts a node's leaves, of which there were `before` until now, where they belong; those in front of `from` are where they were.
    fn place_leaves(
        &mut self,
        editor: &mut PageEditor,
        allocators: &mut TrieAllocators,
        node: &mut Node,
        (leaves, mut from): (&[u64], usize),
        before: u32,
    ) {
        let count = leaves.len() as u32;
        if before == 0 || count == 0 || !BlockAllocator::same_class(before, count) {
            if before > 0 {
                allocators.leaves.release(node.leaves, before);
            }
            from = 0;
            node.leaves = 0;
            if count > 0 {
                node.leaves = allocators.leaves.allocate(count);
                editor.grow(&mut self.leaves, allocators.leaves.top() as usize);
            }
        }
        for (index, leaf) in leaves.iter().enumerate().skip(from) {
            editor.set(&mut self.leaves, node.leaves as usize + index, *leaf);
        }
    }
}
