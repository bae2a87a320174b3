//! Fixed roots that store their leaves inline.

use super::node::Node;
use super::{FIXED_LEAVES, LEAVES_OUTSIDE, MAX_INLINE_LEAVES, NODE_WORDS, Trie, TrieAllocators};
use crate::pages::PageEditor;

impl Trie {
    /// Moves the leaves of a fixed root out of it, so that it has the form of other nodes.
    pub(super) fn expand_root(
        &mut self,
        editor: &mut PageEditor,
        allocators: &mut TrieAllocators,
        root: u32,
    ) {
        if root >= self.fixed {
            return;
        }
        let words = self.nodes(editor.pages).node(root);
        if words[0] & LEAVES_OUTSIDE != 0 {
            return;
        }
        let mut node = Node { prefixes: words[0], ..Node::default() };
        let leaves = &words[FIXED_LEAVES..][..node.prefixes.count_ones() as usize];
        self.write_leaves(editor, allocators, &mut node, (leaves, 0), 0);
        self.write(editor, allocators, root, node);
    }

    /// Moves the leaves of a fixed root into it, if they fit and it has no children.
    pub(super) fn collapse_root(
        &mut self,
        editor: &mut PageEditor,
        allocators: &mut TrieAllocators,
        root: u32,
    ) {
        if root >= self.fixed {
            return;
        }
        let mut node = self.node(editor.pages, root);
        let count = node.prefixes.count_ones();
        if node.links != 0 || count > MAX_INLINE_LEAVES {
            return;
        }
        let leaves = self.leaves_of(editor.pages, &node);
        self.write_leaves(editor, allocators, &mut node, (&[], 0), count);
        let [first, last] = [leaves.first(), leaves.last()].map(|leaf| leaf.copied().unwrap_or(0));
        self.write_inline(editor, root, node.prefixes, [first, last]);
    }

    /// Adds a prefix to a fixed root that stores its leaves inline. Returns false if there is no
    /// room.
    pub(super) fn add_inline(&mut self, editor: &mut PageEditor, root: u32, bit: u32, leaf: u64) -> bool {
        let [prefixes, _, known, _] = self.nodes(editor.pages).node(root);
        if prefixes & LEAVES_OUTSIDE != 0 || prefixes.count_ones() == MAX_INLINE_LEAVES {
            return false;
        }
        let leaves = match prefixes {
            0 => [leaf, leaf],
            _ if prefixes >> bit == 0 => [known, leaf],
            _ => [leaf, known],
        };
        self.write_inline(editor, root, prefixes | 1 << bit, leaves);
        true
    }

    /// Removes a prefix from a fixed root. Returns false if its leaves are not inline.
    pub(super) fn remove_inline(&mut self, editor: &mut PageEditor, root: u32, bit: u32) -> bool {
        let [prefixes, _, first, second] = self.nodes(editor.pages).node(root);
        if prefixes & LEAVES_OUTSIDE != 0 {
            return false;
        }
        let (gone, left) = (1 << bit, prefixes & !(1 << bit));
        let leaf = if gone > left { first } else { second };
        self.write_inline(editor, root, left, [leaf, leaf]);
        true
    }

    /// Writes a fixed root's prefixes and leaves. A single leaf is stored in both words.
    fn write_inline(&mut self, editor: &mut PageEditor, root: u32, prefixes: u64, leaves: [u64; 2]) {
        let start = root as usize * NODE_WORDS;
        editor.set(&mut self.nodes, start, prefixes);
        for (index, leaf) in leaves.into_iter().enumerate() {
            editor.set(&mut self.nodes, start + FIXED_LEAVES + index, leaf);
        }
    }
}
