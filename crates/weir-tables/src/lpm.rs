//! The longest prefix of a bit string: tries, and in larger tables an array by the first bits that leads into them.
//!
//! The array has for each value of its D bits the root of a trie of the longer prefixes, and the slot of the longest shorter one. The
//! shorter ones also stand in a trie of their own, for the sake of changes. The prefix of length 0 stands apart from both, so that
//! changing a default route costs nothing.

use crate::bits::BitString;
use crate::cow::{Array, Pen, Space, Writer};
use crate::trie::{Trie, TrieHeaps, Walk};

/// Keys that a batch has under way at once.
pub(crate) const LANES: usize = 16;

/// Entries from which on the array has so many bits. Six bits a step and 19 before put length 24 at the end of the first node.
const DIRECT: [(usize, usize); 2] = [(1 << 17, 19), (512, 13)];

/// Prefixes to slots.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lpm {
    trie: Trie,
    /// The trie of all prefixes, or of those shorter than `direct_bits`.
    root: Option<u32>,
    /// By the first bits: the root of the longer ones plus one below, the slot of the longest shorter one plus one above.
    direct: Array,
    direct_bits: usize,
    /// The slot of the prefix of length 0, plus one.
    default: u32,
}

/// What changing it needs.
#[derive(Debug, Default)]
pub(crate) struct LpmWriter {
    heaps: TrieHeaps,
    /// By the first bits: the length of the longest prefix that is shorter; 0 if there is none.
    lens: Vec<u8>,
}

impl LpmWriter {
    pub(crate) fn bytes(&self) -> usize {
        self.heaps.bytes() + self.lens.capacity()
    }
}

fn plus_one(root: Option<u32>) -> u64 {
    root.map_or(0, |root| u64::from(root) + 1)
}

fn minus_one(half: u64) -> Option<u32> {
    (half as u32).checked_sub(1)
}

impl Lpm {
    /// Puts what it has into pages.
    pub(crate) fn share(&mut self, pen: &mut Pen) {
        self.trie.share(pen);
        pen.share(&mut self.direct);
    }

    /// Empty; with an array that suits so many entries of keys of `width` bits.
    pub(crate) fn new(pen: &mut Pen, entries: usize, width: usize) -> (Self, LpmWriter) {
        let direct_bits = Self::direct_bits(entries, width);
        let mut lpm = Self { direct_bits, ..Self::default() };
        let mut writer = LpmWriter::default();
        if direct_bits > 0 {
            pen.grow(&mut lpm.direct, 1 << direct_bits);
            writer.lens = vec![0; 1 << direct_bits];
        }
        (lpm, writer)
    }

    fn direct_bits(entries: usize, width: usize) -> usize {
        DIRECT.into_iter().find(|(from, bits)| entries >= *from && width >= *bits).map_or(0, |(_, bits)| bits)
    }

    /// Whether with so many entries a new one would be made differently.
    pub(crate) fn outgrown(&self, entries: usize, width: usize) -> bool {
        Self::direct_bits(entries, width) > self.direct_bits
    }

    #[inline]
    fn begin(&self, space: &Space, key: impl BitString) -> (Walk, u32) {
        if self.direct_bits == 0 {
            return (Walk::new(self.root, 0), self.default);
        }
        let word = self.direct.get(space, self.first(key));
        let shorter = (word >> 32) as u32;
        (Walk::new(minus_one(word), self.direct_bits), if shorter > 0 { shorter } else { self.default })
    }

    #[inline]
    fn first(&self, key: impl BitString) -> usize {
        (key.window(0) >> (64 - self.direct_bits)) as usize
    }

    /// Brings what a look-up reads first near.
    #[inline]
    pub(crate) fn prefetch(&self, space: &Space, key: impl BitString) {
        if self.direct_bits == 0 {
            self.trie.prefetch(space, &Walk::new(self.root, 0));
        } else {
            self.direct.prefetch(space, self.first(key));
        }
    }

    /// The slot of the longest prefix of the key.
    #[inline]
    pub(crate) fn find(&self, space: &Space, key: impl BitString) -> Option<u32> {
        let (mut walk, shorter) = self.begin(space, key);
        while walk.goes_on() {
            self.trie.step(space, key, &mut walk);
        }
        self.trie.slot(space, &walk).or(shorter.checked_sub(1))
    }

    /// The slots of up to [`LANES`] keys, which go step by step together, each step's memory fetched while the others take theirs.
    #[inline]
    pub(crate) fn find_batch(&self, space: &Space, keys: &[impl BitString], slots: &mut [Option<u32>]) {
        for key in keys {
            self.prefetch(space, *key);
        }
        let mut walks = [(Walk::new(None, 0), 0); LANES];
        for (walk, key) in walks.iter_mut().zip(keys) {
            *walk = self.begin(space, *key);
            self.trie.prefetch(space, &walk.0);
        }
        let mut on = true;
        while on {
            on = false;
            for ((walk, _), key) in walks.iter_mut().zip(keys) {
                if walk.goes_on() {
                    self.trie.step(space, *key, walk);
                    self.trie.prefetch(space, walk);
                    on |= walk.goes_on();
                    if !walk.goes_on() {
                        self.trie.prefetch_slot(space, walk);
                    }
                }
            }
        }
        for ((walk, shorter), slot) in walks.iter().zip(slots) {
            *slot = self.trie.slot(space, walk).or(shorter.checked_sub(1));
        }
    }

    /// The slot of just this prefix.
    pub(crate) fn get(&self, space: &Space, key: impl BitString, len: usize) -> Option<u32> {
        match len {
            0 => self.default.checked_sub(1),
            _ if len < self.direct_bits || self.direct_bits == 0 => {
                self.trie.get(space, self.root, 0, key, len)
            }
            _ => {
                let root = minus_one(self.direct.get(space, self.first(key)));
                self.trie.get(space, root, self.direct_bits, key, len)
            }
        }
    }

    /// Adds a prefix that is not there. The bits behind it are 0.
    pub(crate) fn insert(
        &mut self,
        pen: &mut Pen,
        writer: &mut LpmWriter,
        key: impl BitString,
        len: usize,
        slot: u32,
    ) {
        let heaps = &mut writer.heaps;
        if len == 0 {
            self.default = slot + 1;
        } else if self.direct_bits == 0 {
            self.root = Some(self.trie.insert(pen, heaps, self.root, 0, key, (len, slot)));
        } else if len < self.direct_bits {
            self.root = Some(self.trie.insert(pen, heaps, self.root, 0, key, (len, slot)));
            let first = self.first(key);
            for at in first..first + (1 << (self.direct_bits - len)) {
                if usize::from(writer.lens[at]) < len {
                    self.set_shorter(pen, at, slot + 1);
                    writer.lens[at] = len as u8;
                }
            }
        } else {
            let at = self.first(key);
            let word = self.direct.get(pen.space, at);
            let (root, depth) = (minus_one(word), self.direct_bits);
            let new = self.trie.insert(pen, heaps, root, depth, key, (len, slot));
            self.set_root(pen, at, word, Some(new));
        }
    }

    /// Takes a prefix out that is there.
    pub(crate) fn remove(&mut self, pen: &mut Pen, writer: &mut LpmWriter, key: impl BitString, len: usize) {
        let heaps = &mut writer.heaps;
        if len == 0 {
            self.default = 0;
        } else if len < self.direct_bits || self.direct_bits == 0 {
            let Some(root) = self.root else { return };
            self.root = self.trie.remove(pen, heaps, root, 0, key, len);
            if self.direct_bits > 0 {
                self.uncover(pen, writer, key, len);
            }
        } else {
            let at = self.first(key);
            let word = self.direct.get(pen.space, at);
            let Some(root) = minus_one(word) else { return };
            let left = self.trie.remove(pen, heaps, root, self.direct_bits, key, len);
            self.set_root(pen, at, word, left);
        }
    }

    /// Lets the next shorter prefix stand where one was the longest.
    fn uncover(&mut self, pen: &mut Pen, writer: &mut LpmWriter, key: impl BitString, len: usize) {
        let next = (1..len).rev().find_map(|len| {
            let key = key.window(0) & u64::MAX << (64 - len);
            Some((self.trie.get(pen.space, self.root, 0, key, len)?, len))
        });
        let (slot, next_len) = next.map_or((0, 0), |(slot, len)| (slot + 1, len));
        let first = self.first(key);
        for at in first..first + (1 << (self.direct_bits - len)) {
            if usize::from(writer.lens[at]) == len {
                self.set_shorter(pen, at, slot);
                writer.lens[at] = next_len as u8;
            }
        }
    }

    /// Gives up its memory.
    pub(crate) fn release(mut self, writer: &mut Writer) {
        writer.release(&mut self.direct);
        self.trie.release(writer);
    }

    fn set_shorter(&mut self, pen: &mut Pen, at: usize, slot: u32) {
        pen.set32(&mut self.direct, 2 * at + 1, slot);
    }

    fn set_root(&mut self, pen: &mut Pen, at: usize, word: u64, root: Option<u32>) {
        if word as u32 != plus_one(root) as u32 {
            pen.set32(&mut self.direct, 2 * at, plus_one(root) as u32);
        }
    }
}
