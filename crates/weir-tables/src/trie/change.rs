//! Adding and removing prefixes.

use super::node::{Node, skip_word};
use super::{
    COVER_BIT, FIXED_COVER, LEAVES_OUTSIDE, Leaves, MAX_SKIPPED, NODE_WORDS, SKIP_LEN_MASK, Trie,
    TrieAllocators, bit_of,
};
use crate::bit_string::BitString;
use crate::block_allocator::BlockAllocator;
use crate::pages::{PageEditor, Pages};

impl Trie {
    /// Adds a prefix, which must be new, and returns the root. The trie begins at `depth` of the
    /// bit string; `len` is at least `depth`.
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
                Node { skip: skip_word(key.word_at(depth), steps), ..Node::default() },
            );
            root
        });
        if root < self.fixed && len - depth < 6 {
            let bit = bit_of(len - depth, key.six_bits(depth));
            if self.add_inline(editor, root, bit, leaf) {
                return root;
            }
        }
        self.expand_root(editor, allocators, root);
        let mut number = root;
        loop {
            let mut node = self.node(editor.pages, number);
            let steps = node.skipped_bits();
            let equal = (key.word_at(depth) ^ node.skip).leading_zeros() / 6;
            let shared = steps.min(equal).min((len - depth) as u32 / 6);
            if shared < steps {
                node = self.split_node(editor, allocators, number, node, shared);
            }
            depth += 6 * shared as usize;
            let next = key.six_bits(depth);
            if len - depth < 6 {
                self.add_leaf(editor, allocators, &mut node, bit_of(len - depth, next), leaf);
                self.write(editor, allocators, number, node);
                self.collapse_root(editor, allocators, root);
                return root;
            }
            depth += 6;
            if node.links >> next & 1 == 0 {
                let steps = MAX_SKIPPED.min((len - depth) as u32 / 6);
                let child = Node { skip: skip_word(key.word_at(depth), steps), ..Node::default() };
                self.add_child(editor, allocators, &mut node, next, child);
                self.write(editor, allocators, number, node);
            }
            number = node.children + node.rank(next);
        }
    }

    /// Splits a node: inserts a new node before it that skips only the first `shared` of the
    /// skipped steps.
    fn split_node(
        &mut self,
        editor: &mut PageEditor,
        allocators: &mut TrieAllocators,
        at: u32,
        mut node: Node,
        shared: u32,
    ) -> Node {
        let cover = self.take_cover(editor, allocators, &mut node);
        let next = (node.skip << (6 * shared) >> 58) as usize;
        let rest = skip_word(node.skip << (6 * shared) << 6, node.skipped_bits() - shared - 1);
        let children = allocators.nodes.allocate(1);
        self.write(editor, allocators, children, Node { skip: rest, ..node });
        let mut above =
            Node { links: 1 << next, children, skip: skip_word(node.skip, shared), ..Node::default() };
        if let Some(leaf) = cover {
            self.add_leaf(editor, allocators, &mut above, 0, leaf);
        }
        self.write(editor, allocators, at, above);
        above
    }

    /// Removes a prefix, which must exist. Returns the root, or `None` if only a cover was left.
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
            if self.remove_inline(editor, root, bit) {
                return Some(root);
            }
        }
        self.expand_root(editor, allocators, root);
        let mut path = Vec::new();
        let mut number = root;
        let mut node = self.node(editor.pages, number);
        loop {
            depth += 6 * node.skipped_bits() as usize;
            let next = key.six_bits(depth);
            if len - depth < 6 {
                self.remove_leaf(editor, allocators, &mut node, bit_of(len - depth, next));
                break;
            }
            path.push((number, next));
            number = node.children + node.rank(next);
            node = self.node(editor.pages, number);
            depth += 6;
        }
        while node.is_empty() {
            let Some((parent, child)) = path.pop() else {
                if root < self.fixed {
                    break;
                }
                self.take_cover(editor, allocators, &mut node);
                allocators.nodes.release(root, 1);
                return None;
            };
            number = parent;
            node = self.node(editor.pages, number);
            self.remove_child(editor, allocators, &mut node, child);
        }
        if number >= self.fixed && node.prefixes & !COVER_BIT == 0 && node.links.is_power_of_two() {
            self.merge_child(editor, allocators, &mut node);
        }
        self.write(editor, allocators, number, node);
        self.collapse_root(editor, allocators, root);
        Some(root)
    }

    /// Replaces a node without prefixes by its only child, if their skipped steps fit into one
    /// node.
    fn merge_child(&mut self, editor: &mut PageEditor, allocators: &mut TrieAllocators, node: &mut Node) {
        let child = self.node(editor.pages, node.children);
        let (before, without_first) = (node.skipped_bits(), child.skipped_bits());
        if before + 1 + without_first > MAX_SKIPPED {
            return;
        }
        let cover = self.take_cover(editor, allocators, node);
        let next = u64::from(node.links.trailing_zeros());
        let bits = skip_word(node.skip, before) & !SKIP_LEN_MASK
            | next << 58 >> (6 * before)
            | (child.skip & !SKIP_LEN_MASK) >> (6 * before) >> 6;
        allocators.nodes.release(node.children, 1);
        *node = Node { skip: skip_word(bits, before + 1 + without_first), ..child };
        if let Some(leaf) = cover {
            self.add_leaf(editor, allocators, node, 0, leaf);
        }
    }

    /// Writes a node, and grows the arrays if necessary.
    pub(super) fn write(
        &mut self,
        editor: &mut PageEditor,
        allocators: &TrieAllocators,
        at: u32,
        node: Node,
    ) {
        editor.grow(&mut self.nodes, allocators.nodes.unit_count() as usize * NODE_WORDS);
        let places = u64::from(node.leaves) << 32 | u64::from(node.children);
        let at_word = at as usize * NODE_WORDS;
        let words = if at < self.fixed {
            let cover = self.nodes.get(editor.pages, at_word + FIXED_COVER);
            [node.prefixes | LEAVES_OUTSIDE, cover, places, node.links]
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

    pub(super) fn leaves_of(&self, pages: &Pages, node: &Node) -> Leaves {
        (0..node.prefixes.count_ones()).map(|rank| self.leaf(pages, node.leaves + rank)).collect()
    }

    pub(super) fn add_leaf(
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
        self.write_leaves(editor, allocators, node, (&leaves, rank), leaves.len() as u32 - 1);
    }

    pub(super) fn remove_leaf(
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
        self.write_leaves(editor, allocators, node, (&leaves, rank), leaves.len() as u32 + 1);
        leaf
    }

    fn take_cover(
        &mut self,
        editor: &mut PageEditor,
        allocators: &mut TrieAllocators,
        node: &mut Node,
    ) -> Option<u64> {
        (node.prefixes & COVER_BIT != 0).then(|| self.remove_leaf(editor, allocators, node, 0))
    }

    /// Writes a node's leaves. The node had `before` leaves until now, and those before position
    /// `from` have not changed.
    pub(super) fn write_leaves(
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
                editor.grow(&mut self.leaves, allocators.leaves.unit_count() as usize);
            }
        }
        for (index, leaf) in leaves.iter().enumerate().skip(from) {
            editor.set(&mut self.leaves, node.leaves as usize + index, *leaf);
        }
    }
}
