//! Prefixes of bit strings, six bits a step: a tree bitmap (W. Eatherton, G. Varghese, Z. Dittia, "Tree bitmap: hardware/software IP
//! lookups with incremental updates", ACM SIGCOMM Computer Communication Review, 2004), with steps that nobody branches in left out.
//!
//! A node at depth d says by one bit each which prefixes of length d to d+5 below it are there (63 of them, shorter ones first), and which of its
//! 64 possible children. Children lie side by side, so their bitmap's population count finds one; so do the slots of its prefixes. A
//! change touches one node, whatever lies below it. A node whose way from its parent has no branch carries the bits of that
//! way, up to 54 of them.

use crate::bits::BitString;
use crate::cow::{Array, Pen, Space, Writer};
use crate::heap::Heap;

/// Words of a node.
const NODE: usize = 4;
/// The most steps that a node leaves out before it.
const MOST_SKIPPED: u32 = 9;

/// For each next six bits the bits of those prefixes that begin them.
const PATHS: [u64; 64] = {
    let mut paths = [0; 64];
    let mut bits = 0;
    while bits < 64 {
        let mut len = 0;
        while len < 6 {
            paths[bits] |= 1 << ((1 << len) - 1 + (bits >> (6 - len)));
            len += 1;
        }
        bits += 1;
    }
    paths
};

/// Some tries, named by their roots, that share memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trie {
    nodes: Array,
    slots: Array,
}

/// Which of its memory is in use.
#[derive(Clone, Debug, Default)]
pub(crate) struct TrieHeaps {
    nodes: Heap,
    slots: Heap,
}

impl TrieHeaps {
    pub(crate) fn bytes(&self) -> usize {
        self.nodes.bytes() + self.slots.bytes()
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Node {
    /// Which prefixes end here: that of length l with value v at bit 2^l - 1 + v.
    prefixes: u64,
    /// Which children there are.
    links: u64,
    /// The first child.
    children: u32,
    /// The slot of the only prefix, or where the slots of several begin.
    slots: u32,
    /// The bits left out before, from the top, and in the lowest four bits the number of steps.
    skip: u64,
}

impl Node {
    fn skipped(self) -> u32 {
        (self.skip & 15) as u32
    }

    fn rank(self, child: usize) -> u32 {
        (self.links & ((1 << child) - 1)).count_ones()
    }

    fn is_empty(self) -> bool {
        self.prefixes == 0 && self.links == 0
    }
}

/// The first `steps` steps of `bits`, as a node's `skip`.
fn skip(bits: u64, steps: u32) -> u64 {
    if steps == 0 { 0 } else { bits & u64::MAX << (64 - 6 * steps) | u64::from(steps) }
}

/// Where a look-up is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Walk {
    /// The next node; none at the end.
    node: Option<u32>,
    depth: usize,
    /// The longest prefix so far: its node's `prefixes` and `slots`, and its bit.
    best: Option<(u64, u32, u32)>,
}

impl Walk {
    /// From this root, at this depth of the bit string.
    pub(crate) fn new(root: Option<u32>, depth: usize) -> Self {
        Self { node: root, depth, best: None }
    }

    /// Whether there are nodes to visit.
    #[inline]
    pub(crate) fn goes_on(&self) -> bool {
        self.node.is_some()
    }
}

impl Trie {
    /// Puts what it has into pages.
    pub(crate) fn share(&mut self, pen: &mut Pen) {
        pen.share(&mut self.nodes);
        pen.share(&mut self.slots);
    }

    #[inline]
    fn node(&self, space: &Space, node: u32) -> Node {
        use std::sync::atomic::Ordering::Relaxed;
        let [prefixes, links, places, skip] = self.nodes.slice(space, node as usize * NODE, NODE) else {
            unreachable!("a node has four words")
        };
        let places = places.load(Relaxed);
        Node {
            prefixes: prefixes.load(Relaxed),
            links: links.load(Relaxed),
            children: places as u32,
            slots: (places >> 32) as u32,
            skip: skip.load(Relaxed),
        }
    }

    /// Visits one node.
    #[inline]
    pub(crate) fn step(&self, space: &Space, key: impl BitString, walk: &mut Walk) {
        let Some(at) = walk.node.take() else { return };
        let node = self.node(space, at);
        if node.skip != 0 {
            let steps = node.skipped();
            if (key.window(walk.depth) ^ node.skip).leading_zeros() < 6 * steps {
                return;
            }
            walk.depth += 6 * steps as usize;
        }
        let next = key.six(walk.depth);
        let matching = node.prefixes & PATHS[next];
        if matching != 0 {
            walk.best = Some((node.prefixes, node.slots, 63 - matching.leading_zeros()));
        }
        if node.links >> next & 1 == 1 {
            walk.node = Some(node.children + node.rank(next));
            walk.depth += 6;
        }
    }

    /// Brings the next node near.
    #[inline]
    pub(crate) fn prefetch(&self, space: &Space, walk: &Walk) {
        if let Some(node) = walk.node {
            self.nodes.prefetch(space, node as usize * NODE);
        }
    }

    /// The slot of the longest prefix that the walk met.
    #[inline]
    pub(crate) fn slot(&self, space: &Space, walk: &Walk) -> Option<u32> {
        let (prefixes, slots, bit) = walk.best?;
        Some(self.slot_at(space, prefixes, slots, (prefixes & ((1 << bit) - 1)).count_ones()))
    }

    /// Brings that slot near.
    #[inline]
    pub(crate) fn prefetch_slot(&self, space: &Space, walk: &Walk) {
        if let Some((prefixes, slots, _)) = walk.best
            && prefixes.count_ones() > 1
        {
            self.slots.prefetch(space, slots as usize / 2);
        }
    }

    fn slot_at(&self, space: &Space, prefixes: u64, slots: u32, rank: u32) -> u32 {
        if prefixes.is_power_of_two() { slots } else { self.slots.get32(space, (slots + rank) as usize) }
    }

    /// The slot of just this prefix.
    pub(crate) fn get(
        &self,
        space: &Space,
        root: Option<u32>,
        mut depth: usize,
        key: impl BitString,
        len: usize,
    ) -> Option<u32> {
        let mut at = root?;
        loop {
            let node = self.node(space, at);
            let steps = node.skipped();
            depth += 6 * steps as usize;
            if depth > len || (key.window(depth - 6 * steps as usize) ^ node.skip).leading_zeros() < 6 * steps
            {
                return None;
            }
            let next = key.six(depth);
            if len - depth < 6 {
                let bit = (1 << (len - depth)) - 1 + (next >> (6 - (len - depth)));
                let rank = (node.prefixes & ((1 << bit) - 1)).count_ones();
                return (node.prefixes >> bit & 1 == 1)
                    .then(|| self.slot_at(space, node.prefixes, node.slots, rank));
            }
            if node.links >> next & 1 == 0 {
                return None;
            }
            at = node.children + node.rank(next);
            depth += 6;
        }
    }

    /// Adds a prefix that is not there; returns the root. The trie begins at `depth` of the bit string; `len` is at least that.
    pub(crate) fn insert(
        &mut self,
        pen: &mut Pen,
        heaps: &mut TrieHeaps,
        root: Option<u32>,
        mut depth: usize,
        key: impl BitString,
        (len, slot): (usize, u32),
    ) -> u32 {
        let root = root.unwrap_or_else(|| {
            let root = heaps.nodes.allocate(1);
            let steps = MOST_SKIPPED.min((len - depth) as u32 / 6);
            self.write(pen, heaps, root, Node { skip: skip(key.window(depth), steps), ..Node::default() });
            root
        });
        let mut at = root;
        loop {
            let mut node = self.node(pen.space, at);
            let steps = node.skipped();
            let equal = (key.window(depth) ^ node.skip).leading_zeros() / 6;
            let shared = steps.min(equal).min((len - depth) as u32 / 6);
            if shared < steps {
                node = self.split(pen, heaps, at, node, shared);
            }
            depth += 6 * shared as usize;
            let next = key.six(depth);
            if len - depth < 6 {
                let bit = (1 << (len - depth)) - 1 + (next >> (6 - (len - depth)));
                self.add_slot(pen, heaps, &mut node, bit as u32, slot);
                self.write(pen, heaps, at, node);
                return root;
            }
            depth += 6;
            if node.links >> next & 1 == 0 {
                let steps = MOST_SKIPPED.min((len - depth) as u32 / 6);
                let child = Node { skip: skip(key.window(depth), steps), ..Node::default() };
                self.add_child(pen, heaps, &mut node, next, child);
                self.write(pen, heaps, at, node);
            }
            at = node.children + node.rank(next);
        }
    }

    /// Puts a node before `node` that leaves out only the first `shared` of its steps.
    fn split(&mut self, pen: &mut Pen, heaps: &mut TrieHeaps, at: u32, node: Node, shared: u32) -> Node {
        let next = (node.skip << (6 * shared) >> 58) as usize;
        let rest = skip(node.skip << (6 * shared) << 6, node.skipped() - shared - 1);
        let children = heaps.nodes.allocate(1);
        self.write(pen, heaps, children, Node { skip: rest, ..node });
        let above = Node { links: 1 << next, children, skip: skip(node.skip, shared), ..Node::default() };
        self.write(pen, heaps, at, above);
        above
    }

    /// Takes a prefix out that is there; returns the root, if anything is left.
    pub(crate) fn remove(
        &mut self,
        pen: &mut Pen,
        heaps: &mut TrieHeaps,
        root: u32,
        mut depth: usize,
        key: impl BitString,
        len: usize,
    ) -> Option<u32> {
        let mut way = Vec::new();
        let mut at = root;
        let mut node = self.node(pen.space, at);
        loop {
            depth += 6 * node.skipped() as usize;
            let next = key.six(depth);
            if len - depth < 6 {
                let bit = (1 << (len - depth)) - 1 + (next >> (6 - (len - depth)));
                self.remove_slot(pen, heaps, &mut node, bit as u32);
                break;
            }
            way.push((at, next));
            at = node.children + node.rank(next);
            node = self.node(pen.space, at);
            depth += 6;
        }
        while node.is_empty() {
            let Some((parent, child)) = way.pop() else {
                heaps.nodes.release(root, 1);
                return None;
            };
            at = parent;
            node = self.node(pen.space, at);
            self.remove_child(pen, heaps, &mut node, child);
        }
        if node.prefixes == 0 && node.links.is_power_of_two() {
            let child = self.node(pen.space, node.children);
            let (before, after) = (node.skipped(), child.skipped());
            if before + 1 + after <= MOST_SKIPPED {
                let next = u64::from(node.links.trailing_zeros());
                let bits = skip(node.skip, before) & !15
                    | next << 58 >> (6 * before)
                    | (child.skip & !15) >> (6 * before) >> 6;
                heaps.nodes.release(node.children, 1);
                node = Node { skip: skip(bits, before + 1 + after), ..child };
            }
        }
        self.write(pen, heaps, at, node);
        Some(root)
    }

    /// Gives up its memory.
    pub(crate) fn release(&mut self, writer: &mut Writer) {
        writer.release(&mut self.nodes);
        writer.release(&mut self.slots);
    }

    fn write(&mut self, pen: &mut Pen, heaps: &TrieHeaps, at: u32, node: Node) {
        pen.grow(&mut self.nodes, heaps.nodes.top() as usize * NODE);
        let places = u64::from(node.slots) << 32 | u64::from(node.children);
        for (index, word) in [node.prefixes, node.links, places, node.skip].into_iter().enumerate() {
            pen.set(&mut self.nodes, at as usize * NODE + index, word);
        }
    }

    fn add_child(&mut self, pen: &mut Pen, heaps: &mut TrieHeaps, node: &mut Node, child: usize, new: Node) {
        let (count, rank) = (node.links.count_ones(), node.rank(child));
        let mut children: Vec<Node> = (0..count).map(|i| self.node(pen.space, node.children + i)).collect();
        children.insert(rank as usize, new);
        let moved = if count == 0 || !Heap::same_class(count, count + 1) {
            if count > 0 {
                heaps.nodes.release(node.children, count);
            }
            node.children = heaps.nodes.allocate(count + 1);
            0
        } else {
            rank as usize
        };
        node.links |= 1 << child;
        for (index, one) in children.into_iter().enumerate().skip(moved) {
            self.write(pen, heaps, node.children + index as u32, one);
        }
    }

    fn remove_child(&mut self, pen: &mut Pen, heaps: &mut TrieHeaps, node: &mut Node, child: usize) {
        let (count, rank) = (node.links.count_ones(), node.rank(child));
        let mut children: Vec<Node> = (0..count).map(|i| self.node(pen.space, node.children + i)).collect();
        children.remove(rank as usize);
        node.links &= !(1 << child);
        let mut moved = rank as usize;
        if count == 1 || !Heap::same_class(count, count - 1) {
            heaps.nodes.release(node.children, count);
            node.children = if count == 1 { 0 } else { heaps.nodes.allocate(count - 1) };
            moved = 0;
        }
        for (index, one) in children.into_iter().enumerate().skip(moved) {
            self.write(pen, heaps, node.children + index as u32, one);
        }
    }

    fn slots_of(&self, space: &Space, node: &Node) -> Vec<u32> {
        (0..node.prefixes.count_ones())
            .map(|rank| self.slot_at(space, node.prefixes, node.slots, rank))
            .collect()
    }

    fn add_slot(&mut self, pen: &mut Pen, heaps: &mut TrieHeaps, node: &mut Node, bit: u32, slot: u32) {
        let mut slots = self.slots_of(pen.space, node);
        slots.insert((node.prefixes & ((1 << bit) - 1)).count_ones() as usize, slot);
        node.prefixes |= 1 << bit;
        self.place_slots(pen, heaps, node, &slots, slots.len() as u32 - 1);
    }

    fn remove_slot(&mut self, pen: &mut Pen, heaps: &mut TrieHeaps, node: &mut Node, bit: u32) {
        let mut slots = self.slots_of(pen.space, node);
        slots.remove((node.prefixes & ((1 << bit) - 1)).count_ones() as usize);
        node.prefixes &= !(1 << bit);
        self.place_slots(pen, heaps, node, &slots, slots.len() as u32 + 1);
    }

    /// Puts a node's slots, `before` until now, where they belong.
    fn place_slots(
        &mut self,
        pen: &mut Pen,
        heaps: &mut TrieHeaps,
        node: &mut Node,
        slots: &[u32],
        before: u32,
    ) {
        let count = slots.len() as u32;
        if before > 1 && (count < 2 || !Heap::same_class(before, count)) {
            heaps.slots.release(node.slots, before);
        }
        if count < 2 {
            node.slots = slots.first().copied().unwrap_or(0);
            return;
        }
        if before < 2 || !Heap::same_class(before, count) {
            node.slots = heaps.slots.allocate(count);
            pen.grow(&mut self.slots, heaps.slots.top() as usize / 2 + 1);
        }
        for (index, slot) in slots.iter().enumerate() {
            pen.set32(&mut self.slots, node.slots as usize + index, *slot);
        }
    }
}
