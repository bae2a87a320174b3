//! Longest-prefix matching: a trie, or in larger tables many tries, selected by the first bits of a
//! key.
//!
//! For each value of the first D bits, there is a trie of the longer prefixes. The leaf of the
//! longest prefix with at most D bits is the trie's *cover*, the result for keys that no longer
//! prefix matches. In tables of medium size an array has a cell for each value of the first bits.
//! It holds the root of a trie, which stores its cover, or the cover itself if there are no longer
//! prefixes. In very large tables, where few tries are empty, the array contains the roots
//! themselves ("fixed roots"). Each root includes its cover and usually its leaves, so that most
//! lookups read only the root.
//!
//! The shorter prefixes are also in a separate trie, which is needed for changes of the table. The
//! prefix of length 0 is stored separately, so that changing a default route is cheap.

mod batch;

use self::batch::{find_direct, find_fixed};
use crate::bit_string::BitString;
use crate::pages::{PageAllocator, PageEditor, Pages, ReadWords, WordArray};
use crate::trie::{Nodes, Step, Trie, TrieAllocators};

/// The number of keys that are looked up together in a batch.
pub(crate) const BATCH_KEYS: usize = 64;

/// The minimum number of entries for an array of cells, and the number of bits of its index. With
/// 19 bits and six more in a node, prefixes of length 24 end in the first node.
const DIRECT_FORMS: [(usize, u32); 2] = [(1 << 17, 19), (512, 13)];
/// The minimum number of entries for fixed roots, the maximum key length, and the number of bits of
/// their index. In tables with longer keys, prefixes are closer together, and most roots would be
/// empty.
const FIXED_FORM: (usize, usize, u32) = (1 << 19, 64, 19);

/// The bit of a cell that marks a root.
const ROOT_BIT: u64 = 1 << 63;

/// The number of bits that select a trie, and whether the tries' roots are fixed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Form {
    bits: u32,
    fixed: bool,
}

impl Form {
    #[inline(always)]
    fn first_bits(self, key: impl BitString) -> usize {
        (key.first_word() >> 1 >> (63 - self.bits)) as usize
    }
}

/// Walks from a step to the last node and returns the best leaf, or the cover if there is none.
#[inline(always)]
fn finish<'a, W: ReadWords<'a>>(
    nodes: Nodes<W>,
    mut step: Step,
    mut rest: impl BitString,
    cover: u64,
) -> u64 {
    while step.goes_on {
        step = nodes.step(step.next, &mut rest, step.best);
    }
    if step.best == 0 { cover } else { nodes.leaf(step.best) }
}

/// A map from prefixes to leaves, which are words that are not 0 and whose highest bit is 0.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lpm {
    trie: Trie,
    form: Form,
    /// An array indexed by the first bits, unless roots are fixed. A cell holds a root, a cover, or
    /// 0.
    direct: WordArray,
    /// The trie of prefixes shorter than the first bits.
    short: Option<u32>,
    /// The leaf of the prefix of length 0, or 0.
    default: u64,
}

/// The data that the owner needs to change an [`Lpm`].
#[derive(Debug, Default)]
pub(crate) struct LpmWriter {
    allocators: TrieAllocators,
    /// The length of the cover's prefix, indexed by the first bits; 0 if there is no cover.
    cover_lens: Vec<u8>,
}

impl LpmWriter {
    /// Returns the memory of the allocators in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.allocators.bytes() + self.cover_lens.capacity()
    }
}

impl Lpm {
    /// Moves all arrays to pages.
    pub(crate) fn move_to_pages(&mut self, editor: &mut PageEditor) {
        self.trie.move_to_pages(editor);
        editor.move_to_pages(&mut self.direct);
    }

    /// Creates an empty map, in the form for this number of entries and keys of `width` bits.
    pub(crate) fn new(editor: &mut PageEditor, entries: usize, width: usize) -> (Self, LpmWriter) {
        Self::with_form(editor, Self::form(entries, width))
    }

    fn with_form(editor: &mut PageEditor, form: Form) -> (Self, LpmWriter) {
        let (trie, allocators) = Trie::new(editor, if form.fixed { 1 << form.bits } else { 0 });
        let mut lpm = Self { trie, form, ..Self::default() };
        if !form.fixed {
            editor.grow(&mut lpm.direct, 1 << form.bits);
        }
        (lpm, LpmWriter { allocators, cover_lens: vec![0; 1 << form.bits] })
    }

    /// Chooses the form of a map for its number of entries and the width of its keys.
    fn form(entries: usize, width: usize) -> Form {
        let (from, most, bits) = FIXED_FORM;
        if entries >= from && (bits as usize..=most).contains(&width) {
            return Form { bits, fixed: true };
        }
        let fits = |(from, bits): &(usize, u32)| entries >= *from && width >= *bits as usize;
        Form { bits: DIRECT_FORMS.into_iter().find(fits).map_or(0, |(_, bits)| bits), fixed: false }
    }

    /// Returns whether a table of this number of entries has another form.
    pub(crate) fn needs_rebuild(&self, entries: usize, width: usize) -> bool {
        let form = Self::form(entries, width);
        (form.bits, form.fixed) > (self.form.bits, self.form.fixed)
    }

    #[inline(always)]
    fn first_bits(&self, key: impl BitString) -> usize {
        self.form.first_bits(key)
    }

    /// Prefetches the memory that a lookup reads first.
    #[inline(always)]
    pub(crate) fn prefetch(&self, pages: &Pages, key: impl BitString) {
        let first = self.first_bits(key);
        if self.form.fixed {
            self.trie.nodes(pages).prefetch(first as u32);
        } else {
            self.direct.prefetch(pages, first);
        }
    }

    /// Prefetches the memory that lookups of many keys read first.
    #[inline(always)]
    pub(crate) fn prefetch_batch<K: BitString>(&self, pages: &Pages, keys: impl Iterator<Item = K>) {
        let form = self.form;
        match (self.trie.flat_nodes(), self.form.fixed) {
            (Some(nodes), true) => keys.for_each(|key| nodes.prefetch(form.first_bits(key) as u32)),
            (None, true) => {
                let nodes = self.trie.paged_nodes(pages);
                keys.for_each(|key| nodes.prefetch(form.first_bits(key) as u32));
            }
            _ => keys.for_each(|key| self.prefetch(pages, key)),
        }
    }

    /// Finds the leaf of the longest prefix of the key; 0 if there is none.
    #[inline(always)]
    pub(crate) fn find(&self, pages: &Pages, key: impl BitString) -> u64 {
        let (nodes, first) = (self.trie.nodes(pages), self.first_bits(key));
        let leaf = if self.form.fixed {
            let (root, mut rest) = (nodes.root(first as u32), key.without_first(self.form.bits));
            if root.is_expanded() == 0 {
                root.find_inline(rest)
            } else {
                let (step, cover) = nodes.enter_expanded(root, &mut rest);
                finish(nodes, step, rest, cover)
            }
        } else {
            let cell = self.direct.words(pages).get(first);
            if cell & ROOT_BIT == 0 {
                cell
            } else {
                let mut rest = key.without_first(self.form.bits);
                let step = nodes.step(cell as u32, &mut rest, 0);
                finish(nodes, step, rest, 0)
            }
        };
        if leaf == 0 { self.default } else { leaf }
    }

    /// Looks up at most [`BATCH_KEYS`] keys. Each result is `convert` of the leaf, or of 0 if there
    /// is none.
    pub(crate) fn find_batch<K: BitString, T>(
        &self,
        pages: &Pages,
        keys: &mut [K; BATCH_KEYS],
        into: &mut [T],
        convert: impl Fn(u64) -> T,
    ) {
        let (form, default) = (self.form, self.default);
        let convert = |leaf| convert(if leaf == 0 { default } else { leaf });
        match (self.trie.flat_nodes(), self.form.fixed) {
            (Some(nodes), true) => find_fixed(form, nodes, keys, into, convert),
            (Some(nodes), false) => find_direct(form, (nodes, self.direct.as_flat()), keys, into, convert),
            (None, true) => find_fixed(form, self.trie.paged_nodes(pages), keys, into, convert),
            (None, false) => {
                let nodes = (self.trie.paged_nodes(pages), self.direct.as_paged(pages));
                find_direct(form, nodes, keys, into, convert);
            }
        }
    }

    /// Returns the root of the trie that holds the key's prefix of length `len`, and the depth at
    /// which the trie begins.
    fn root(&self, pages: &Pages, key: impl BitString, len: usize) -> (Option<u32>, usize) {
        let bits = self.form.bits as usize;
        if len < bits {
            (self.short, 0)
        } else if self.form.fixed {
            (Some(self.first_bits(key) as u32), bits)
        } else {
            let cell = self.direct.get(pages, self.first_bits(key));
            ((cell & ROOT_BIT != 0).then_some(cell as u32), bits)
        }
    }

    /// Returns the leaf of exactly this prefix.
    pub(crate) fn get(&self, pages: &Pages, key: impl BitString, len: usize) -> Option<u64> {
        if len == 0 {
            return Some(self.default).filter(|leaf| *leaf != 0);
        }
        let (root, depth) = self.root(pages, key, len);
        self.trie.get(pages, root, depth, key, len)
    }

    /// Adds a prefix, which must be new. The bits after it are 0.
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
            let root_index = self.first_bits(key);
            let cover = self.direct.get(editor.pages, root_index);
            self.trie.set_cover(editor, &mut writer.allocators, new, cover);
            editor.set(&mut self.direct, root_index, ROOT_BIT | u64::from(new));
        }
    }

    /// Replaces the leaf of a prefix, which must exist.
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

    /// Removes a prefix, which must exist.
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
            // The next shorter prefix becomes the cover.
            let next = (1..len).rev().find_map(|len| {
                let key = key.first_word() & u64::MAX << (64 - len);
                Some((self.trie.get(editor.pages, self.short, 0, key, len)?, len))
            });
            self.set_covers(editor, writer, key, len, |known| known == len, next.unwrap_or((0, 0)));
        } else if left.is_none() {
            let root_index = self.first_bits(key);
            editor.set(&mut self.direct, root_index, cover);
        }
    }

    /// Replaces the covers of all tries within a short prefix of length `len` for which `applies`,
    /// called with the length of the current cover's prefix, returns true.
    fn set_covers(
        &mut self,
        editor: &mut PageEditor,
        writer: &mut LpmWriter,
        key: impl BitString,
        len: usize,
        applies: impl Fn(usize) -> bool,
        (leaf, new_len): (u64, usize),
    ) {
        let first = self.first_bits(key);
        for at in first..first + (1 << (self.form.bits as usize - len)) {
            if !applies(usize::from(writer.cover_lens[at])) {
                continue;
            }
            writer.cover_lens[at] = new_len as u8;
            let cell = if self.form.fixed { ROOT_BIT | at as u64 } else { self.direct.get(editor.pages, at) };
            if cell & ROOT_BIT == 0 {
                editor.set(&mut self.direct, at, leaf);
            } else {
                self.trie.set_cover(editor, &mut writer.allocators, cell as u32, leaf);
            }
        }
    }

    /// Frees the memory of the map.
    pub(crate) fn release(mut self, allocator: &mut PageAllocator) {
        allocator.release(&mut self.direct);
        self.trie.release(allocator);
    }
}
#[cfg(test)]
mod tests;
