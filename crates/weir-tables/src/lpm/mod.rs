//! The longest prefix of a bit string: tries, and in larger tables many of them, found by the first bits.
//!
//! By the first D bits of a key there is a trie of the longer prefixes, and a leaf of the longest shorter one, the trie's cover. In tables
//! of a middling size an array has for each value of the first bits a cell: a root of a trie, whose cover the trie keeps, or, where there are
//! no longer prefixes, the cover itself. In very large tables, where few tries are empty, the roots themselves stand one after the other, each
//! with its cover and, as a rule, its leaves: most look-ups read nothing else.
//!
//! The shorter prefixes also stand in a trie of their own, for the sake of changes. The prefix of length 0 stands apart from all, so
//! that changing a default route costs nothing.

use std::hint::select_unpredictable;

use crate::bit_string::BitString;
use crate::pages::{PageAllocator, PageEditor, Pages, ReadWords, WordArray};
use crate::trie::{Nodes, Step, Trie, TrieAllocators, is_open};

/// Keys that a batch has under way at once.
pub(crate) const LANES: usize = 64;

/// Bits of the array in tables that have so many entries. Six bits a step and 19 before put length 24 at the end of the first node.
const DIRECT: [(usize, u32); 2] = [(1 << 17, 19), (512, 13)];
/// Entries from which on the roots stand one after the other, and the longest keys of such tables: of longer ones, prefixes lie closer
/// together and leave most roots empty.
const FIXED: (usize, usize, u32) = (1 << 19, 64, 19);

/// The bit of a cell that names a root.
const ROOT: u64 = 1 << 63;

/// How many bits come before the tries, and whether the roots are where these say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Form {
    bits: u32,
    fixed: bool,
}

impl Form {
    /// The first bits, as a number.
    #[inline(always)]
    fn first(self, key: impl BitString) -> usize {
        (key.top() >> 1 >> (63 - self.bits)) as usize
    }
}

/// Goes on to the end; a leaf, or the cover if there is none.
#[inline(always)]
fn last<'a, W: ReadWords<'a>>(nodes: Nodes<W>, mut step: Step, mut rest: impl BitString, cover: u64) -> u64 {
    while step.goes_on {
        step = nodes.step(step.next, &mut rest, step.best);
    }
    if step.best == 0 { cover } else { nodes.leaf(step.best) }
}

/// Keys of a batch that are on their way: each with the next node, where the best leaf so far is, and what there is without one.
struct Lanes {
    next: [u32; LANES],
    best: [u32; LANES],
    covers: [u64; LANES],
    /// Those that go on.
    open: [u8; LANES],
    many: usize,
}

impl Lanes {
    fn new() -> Self {
        Self { next: [0; LANES], best: [0; LANES], covers: [0; LANES], open: [0; LANES], many: 0 }
    }

    /// Takes all that go on to where they end, step by step together, each step's memory fetched while the others take theirs, with no branch that
    /// depends on a single key.
    #[inline(always)]
    fn run<'a, K: BitString, W: ReadWords<'a>>(&mut self, nodes: Nodes<W>, keys: &mut [K; LANES]) {
        while self.many > 0 {
            let mut left = 0;
            for turn in 0..self.many {
                let lane = usize::from(self.open[turn % LANES]) % LANES;
                let step = nodes.step(self.next[lane], &mut keys[lane], self.best[lane]);
                nodes.prefetch_after(step);
                (self.next[lane], self.best[lane]) = (step.next, step.best);
                self.open[left % LANES] = lane as u8;
                left += usize::from(step.goes_on);
            }
            self.many = left;
        }
    }

    /// What a key came to.
    #[inline(always)]
    fn leaf<'a, W: ReadWords<'a>>(&self, nodes: Nodes<W>, lane: usize) -> u64 {
        let leaf = nodes.leaf(self.best[lane]);
        select_unpredictable(self.best[lane] == 0, self.covers[lane], leaf)
    }
}

/// Looks up to [`LANES`] keys up by an array of the first bits.
#[inline(never)]
fn find_direct<'a, K: BitString, W: ReadWords<'a>, T>(
    form: Form,
    (nodes, direct): (Nodes<W>, W),
    keys: &mut [K; LANES],
    into: &mut [T],
    told: impl Fn(u64) -> T,
) {
    let count = into.len().min(LANES);
    keys[..count].iter().for_each(|key| direct.prefetch(form.first(*key)));
    let mut lanes = Lanes::new();
    for (lane, key) in keys[..count].iter_mut().enumerate() {
        let cell = direct.get(form.first(*key));
        *key = key.after(form.bits);
        let all = (cell >> 63).wrapping_neg();
        lanes.covers[lane] = cell & !all;
        lanes.next[lane] = (cell & all) as u32;
        nodes.prefetch(lanes.next[lane]);
        lanes.open[lanes.many % LANES] = lane as u8;
        lanes.many += (cell >> 63) as usize;
    }
    lanes.run(nodes, keys);
    lanes.best[..count].iter().for_each(|best| nodes.prefetch_leaf(*best));
    for (lane, into) in into[..count].iter_mut().enumerate() {
        *into = told(lanes.leaf(nodes, lane));
    }
}

/// Looks up to [`LANES`] keys up where roots are fixed. Most end in their roots.
#[inline(never)]
fn find_fixed<'a, K: BitString, W: ReadWords<'a>, T>(
    form: Form,
    nodes: Nodes<W>,
    keys: &[K; LANES],
    into: &mut [T],
    told: impl Fn(u64) -> T,
) {
    let count = into.len().min(LANES);
    // Loads, not hints: a processor may drop hints about pages that it does not know, and few instructions between loads let many be under way.
    let mut heads = [0; LANES];
    let (mut others, mut many) = ([0u8; LANES], 0);
    for (lane, (head, key)) in heads.iter_mut().zip(&keys[..count]).enumerate() {
        *head = nodes.head(form.first(*key) as u32);
        others[many % LANES] = lane as u8;
        many += is_open(*head);
    }
    let (others, mut lanes, mut rests) = (&others[..many], Lanes::new(), *keys);
    let others = || others.iter().map(|lane| usize::from(*lane) % LANES);
    for lane in others() {
        let root = nodes.root(form.first(keys[lane]) as u32);
        rests[lane] = rests[lane].after(form.bits);
        let (step, cover) = nodes.enter(root, &mut rests[lane]);
        nodes.prefetch_after(step);
        (lanes.next[lane], lanes.best[lane], lanes.covers[lane]) = (step.next, step.best, cover);
        lanes.open[lanes.many % LANES] = lane as u8;
        lanes.many += usize::from(step.goes_on);
    }
    lanes.run(nodes, &mut rests);
    others().for_each(|lane| nodes.prefetch_leaf(lanes.best[lane]));
    // Their leaves come while the others are looked at.
    for ((head, key), into) in heads.iter().zip(keys).zip(&mut *into) {
        let root = nodes.root_behind(*head, form.first(*key) as u32);
        *into = told(root.within(key.after(form.bits)));
    }
    for lane in others() {
        into[lane] = told(lanes.leaf(nodes, lane));
    }
}

/// What prefixes lead to: leaves, which are neither 0 nor have the highest bit.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lpm {
    trie: Trie,
    form: Form,
    /// By the first bits, unless roots are fixed: a root, or a cover, or 0.
    direct: WordArray,
    /// The trie of prefixes shorter than the first bits.
    short: Option<u32>,
    /// The leaf of the prefix of length 0, or 0.
    default: u64,
}

/// What changing it needs.
#[derive(Debug, Default)]
pub(crate) struct LpmWriter {
    allocators: TrieAllocators,
    /// By the first bits: the length of the longest prefix that is shorter; 0 if there is none.
    lens: Vec<u8>,
}

impl LpmWriter {
    pub(crate) fn bytes(&self) -> usize {
        self.allocators.bytes() + self.lens.capacity()
    }
}

impl Lpm {
    /// Puts what it has into pages.
    pub(crate) fn move_to_pages(&mut self, editor: &mut PageEditor) {
        self.trie.move_to_pages(editor);
        editor.move_to_pages(&mut self.direct);
    }

    /// Empty; in a form that suits so many entries of keys of `width` bits.
    pub(crate) fn new(editor: &mut PageEditor, entries: usize, width: usize) -> (Self, LpmWriter) {
        Self::of(editor, Self::form(entries, width))
    }

    fn of(editor: &mut PageEditor, form: Form) -> (Self, LpmWriter) {
        let (trie, allocators) = Trie::new(editor, if form.fixed { 1 << form.bits } else { 0 });
        let mut lpm = Self { trie, form, ..Self::default() };
        if !form.fixed {
            editor.grow(&mut lpm.direct, 1 << form.bits);
        }
        (lpm, LpmWriter { allocators, lens: vec![0; 1 << form.bits] })
    }

    fn form(entries: usize, width: usize) -> Form {
        let (from, most, bits) = FIXED;
        if entries >= from && (bits as usize..=most).contains(&width) {
            return Form { bits, fixed: true };
        }
        let fits = |(from, bits): &(usize, u32)| entries >= *from && width >= *bits as usize;
        Form { bits: DIRECT.into_iter().find(fits).map_or(0, |(_, bits)| bits), fixed: false }
    }

    /// Whether with so many entries a new one would be made differently.
    pub(crate) fn needs_rebuild(&self, entries: usize, width: usize) -> bool {
        let form = Self::form(entries, width);
        (form.bits, form.fixed) > (self.form.bits, self.form.fixed)
    }

    #[inline(always)]
    fn first(&self, key: impl BitString) -> usize {
        self.form.first(key)
    }

    /// Brings what a look-up reads first near.
    #[inline(always)]
    pub(crate) fn prefetch(&self, pages: &Pages, key: impl BitString) {
        let first = self.first(key);
        if self.form.fixed {
            self.trie.nodes(pages).prefetch(first as u32);
        } else {
            self.direct.prefetch(pages, first);
        }
    }

    /// The same of many keys.
    #[inline(always)]
    pub(crate) fn prefetch_batch<K: BitString>(&self, pages: &Pages, keys: impl Iterator<Item = K>) {
        let form = self.form;
        match (self.trie.flat_nodes(), self.form.fixed) {
            (Some(nodes), true) => keys.for_each(|key| nodes.prefetch(form.first(key) as u32)),
            (None, true) => {
                let nodes = self.trie.paged_nodes(pages);
                keys.for_each(|key| nodes.prefetch(form.first(key) as u32));
            }
            _ => keys.for_each(|key| self.prefetch(pages, key)),
        }
    }

    /// The leaf of the longest prefix of the key; 0 if there is none.
    #[inline(always)]
    pub(crate) fn find(&self, pages: &Pages, key: impl BitString) -> u64 {
        let (nodes, first) = (self.trie.nodes(pages), self.first(key));
        let leaf = if self.form.fixed {
            let (root, mut rest) = (nodes.root(first as u32), key.after(self.form.bits));
            if root.is_open() == 0 {
                root.within(rest)
            } else {
                let (step, cover) = nodes.enter(root, &mut rest);
                last(nodes, step, rest, cover)
            }
        } else {
            let cell = self.direct.words(pages).get(first);
            if cell & ROOT == 0 {
                cell
            } else {
                let mut rest = key.after(self.form.bits);
                let step = nodes.step(cell as u32, &mut rest, 0);
                last(nodes, step, rest, 0)
            }
        };
        if leaf == 0 { self.default } else { leaf }
    }

    /// What `told` says of the leaves of up to [`LANES`] keys, or of 0 for those that have none.
    pub(crate) fn find_batch<K: BitString, T>(
        &self,
        pages: &Pages,
        keys: &mut [K; LANES],
        into: &mut [T],
        told: impl Fn(u64) -> T,
    ) {
        let (form, default) = (self.form, self.default);
        let told = |leaf| told(if leaf == 0 { default } else { leaf });
        match (self.trie.flat_nodes(), self.form.fixed) {
            (Some(nodes), true) => find_fixed(form, nodes, keys, into, told),
            (Some(nodes), false) => find_direct(form, (nodes, self.direct.as_flat()), keys, into, told),
            (None, true) => find_fixed(form, self.trie.paged_nodes(pages), keys, into, told),
            (None, false) => {
                let of = (self.trie.paged_nodes(pages), self.direct.as_paged(pages));
                find_direct(form, of, keys, into, told);
            }
        }
    }

    /// Where the prefixes from `len` on that begin as the key does are: their root and its depth.
    fn root(&self, pages: &Pages, key: impl BitString, len: usize) -> (Option<u32>, usize) {
        let bits = self.form.bits as usize;
        if len < bits {
            (self.short, 0)
        } else if self.form.fixed {
            (Some(self.first(key) as u32), bits)
        } else {
            let cell = self.direct.get(pages, self.first(key));
            ((cell & ROOT != 0).then_some(cell as u32), bits)
        }
    }

    /// The leaf of just this prefix.
    pub(crate) fn get(&self, pages: &Pages, key: impl BitString, len: usize) -> Option<u64> {
        if len == 0 {
            return Some(self.default).filter(|leaf| *leaf != 0);
        }
        let (root, depth) = self.root(pages, key, len);
        self.trie.get(pages, root, depth, key, len)
    }

    /// Adds a prefix that is not there. The bits behind it are 0.
    pub(crate) fn insert(
        &mut self,
        editor: &mut PageEditor,
        writer: &mut LpmWriter,
        key: impl BitString,
        len: usize,
        leaf: u64,
    ) {
        if len == 0 {
            self.default = leaf;
            return;
        }
        let (root, depth) = self.root(editor.pages, key, len);
        let new = self.trie.insert(editor, &mut writer.allocators, root, depth, key, (len, leaf));
        if len < self.form.bits as usize {
            self.short = Some(new);
            self.set_covers(editor, writer, key, len, |known| known < len, (leaf, len));
        } else if root.is_none() {
            let at = self.first(key);
            let cover = self.direct.get(editor.pages, at);
            self.trie.set_cover(editor, &mut writer.allocators, new, cover);
            editor.set(&mut self.direct, at, ROOT | u64::from(new));
        }
    }

    /// Gives a prefix that is there another leaf.
    pub(crate) fn set(
        &mut self,
        editor: &mut PageEditor,
        writer: &mut LpmWriter,
        key: impl BitString,
        len: usize,
        leaf: u64,
    ) {
        if len == 0 {
            self.default = leaf;
            return;
        }
        let (root, depth) = self.root(editor.pages, key, len);
        self.trie.set(editor, root, depth, key, (len, leaf));
        if len < self.form.bits as usize {
            self.set_covers(editor, writer, key, len, |known| known == len, (leaf, len));
        }
    }

    /// Takes a prefix out that is there.
    pub(crate) fn remove(
        &mut self,
        editor: &mut PageEditor,
        writer: &mut LpmWriter,
        key: impl BitString,
        len: usize,
    ) {
        if len == 0 {
            self.default = 0;
            return;
        }
        let (Some(root), depth) = self.root(editor.pages, key, len) else { return };
        let cover = self.trie.cover(editor.pages, root);
        let left = self.trie.remove(editor, &mut writer.allocators, root, depth, key, len);
        if len < self.form.bits as usize {
            self.short = left;
            // The next shorter one stands where this one was the longest.
            let next = (1..len).rev().find_map(|len| {
                let key = key.top() & u64::MAX << (64 - len);
                Some((self.trie.get(editor.pages, self.short, 0, key, len)?, len))
            });
            self.set_covers(editor, writer, key, len, |known| known == len, next.unwrap_or((0, 0)));
        } else if left.is_none() {
            let at = self.first(key);
            editor.set(&mut self.direct, at, cover);
        }
    }

    /// Lets another leaf, that of a prefix of such a length, stand for what a short prefix covers, wherever `due` says so of the length of the
    /// one that stands there.
    fn set_covers(
        &mut self,
        editor: &mut PageEditor,
        writer: &mut LpmWriter,
        key: impl BitString,
        len: usize,
        due: impl Fn(usize) -> bool,
        (leaf, new_len): (u64, usize),
    ) {
        let first = self.first(key);
        for at in first..first + (1 << (self.form.bits as usize - len)) {
            if !due(usize::from(writer.lens[at])) {
                continue;
            }
            writer.lens[at] = new_len as u8;
            let cell = if self.form.fixed { ROOT | at as u64 } else { self.direct.get(editor.pages, at) };
            if cell & ROOT == 0 {
                editor.set(&mut self.direct, at, leaf);
            } else {
                self.trie.set_cover(editor, &mut writer.allocators, cell as u32, leaf);
            }
        }
    }

    /// Gives up its memory.
    pub(crate) fn release(mut self, allocator: &mut PageAllocator) {
        allocator.release(&mut self.direct);
        self.trie.release(allocator);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::collections::btree_map::Entry;

    use super::*;
    use crate::workload::Numbers;

    /// Every form, in one piece and in pages, against a scan of all prefixes.
    #[test]
    fn each_form_finds_the_longest_prefix() {
        for (bits, fixed) in [(0, false), (5, false), (13, false), (3, true), (10, true)] {
            for seed in 0..6 {
                run(Form { bits, fixed }, seed);
            }
        }
    }

    fn mask(len: usize) -> u64 {
        if len == 0 { 0 } else { u64::MAX << (64 - len) }
    }

    /// A key among others that begin alike for a while.
    fn key(numbers: &mut Numbers) -> u64 {
        let base = numbers.below(5) * 0x2492_4924_9249_2493;
        base ^ numbers.draw() >> numbers.below(45)
    }

    fn run(form: Form, seed: u64) {
        let mut numbers = Numbers::new(seed);
        let (mut allocator, mut pages) = PageAllocator::new(4);
        let mut editor = PageEditor { allocator: &mut allocator, pages: &mut pages };
        let (mut lpm, mut side) = Lpm::of(&mut editor, form);
        let mut known: BTreeMap<(usize, u64), u64> = BTreeMap::new();
        for round in 0..1500 {
            let mut editor = PageEditor { allocator: &mut allocator, pages: &mut pages };
            if round == 1000 {
                lpm.move_to_pages(&mut editor);
            }
            let leaf = 1 + numbers.below(1 << 50);
            let old = known.keys().nth(numbers.below(known.len() as u64 + 1) as usize).copied();
            match (numbers.below(10), old) {
                (0..2, Some((len, key))) => {
                    lpm.set(&mut editor, &mut side, key, len, leaf);
                    known.insert((len, key), leaf);
                }
                (2..5, Some((len, key))) => {
                    lpm.remove(&mut editor, &mut side, key, len);
                    known.remove(&(len, key));
                }
                _ => {
                    let len = numbers.below(65) as usize;
                    let key = key(&mut numbers) & mask(len);
                    assert_eq!(lpm.get(editor.pages, key, len), known.get(&(len, key)).copied());
                    if let Entry::Vacant(vacant) = known.entry((len, key)) {
                        lpm.insert(&mut editor, &mut side, key, len, leaf);
                        vacant.insert(leaf);
                    }
                }
            }
            if round % 50 == 0 {
                check(&lpm, &pages, &known, &mut numbers);
            }
        }
        let mut editor = PageEditor { allocator: &mut allocator, pages: &mut pages };
        for (len, key) in known.keys() {
            lpm.remove(&mut editor, &mut side, *key, *len);
        }
        check(&lpm, &pages, &BTreeMap::new(), &mut numbers);
    }

    fn check(lpm: &Lpm, pages: &Pages, known: &BTreeMap<(usize, u64), u64>, numbers: &mut Numbers) {
        let mut keys = [0; LANES];
        for key in &mut keys {
            let near = known.keys().nth(numbers.below(known.len() as u64 + 1) as usize);
            *key = near.map_or(self::key(numbers), |(len, key)| {
                key | numbers.draw() & !mask(*len) & mask(64 - numbers.below(8) as usize)
            });
        }
        let best = |key: u64| (0..=64).rev().find_map(|len| known.get(&(len, key & mask(len))));
        let count = numbers.below(LANES as u64 + 1) as usize;
        let mut leaves = [u64::MAX; LANES];
        lpm.find_batch(pages, &mut keys.clone(), &mut leaves[..count], |leaf| leaf);
        for (at, key) in keys.iter().enumerate() {
            let best = best(*key).copied().unwrap_or(0);
            assert_eq!(lpm.find(pages, *key), best, "{key:#x}");
            assert_eq!(lpm.find(pages, u128::from(*key) << 64), best, "{key:#x}");
            if at < count {
                assert_eq!(leaves[at], best, "{key:#x} in a batch");
            }
        }
        for ((len, key), leaf) in known {
            assert_eq!(lpm.get(pages, *key, *len), Some(*leaf));
        }
    }
}
