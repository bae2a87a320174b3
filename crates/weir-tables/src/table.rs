//! A table: its entries, and the one way to change them.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use smallvec::smallvec;

use crate::bits::Long;
use crate::buckets::Buckets;
use crate::cow::{Pen, Space, Writer};
use crate::hash::hash;
use crate::key::{Field, FieldKind, KeyLayout};
use crate::lpm::{Lpm, LpmWriter};
use crate::memory::Memory;
use crate::order::Order;
use crate::pack::{Packing, Rule, Words};
use crate::pattern::{Pattern, PatternError};
use crate::rows::RowWriter;
use crate::slots::Slots;
use crate::tuples::{LINKS, TupleSpace, TupleWriter, links};
use crate::view::{Index, NO_ROW, Place, ROW_BITS, Shape, View, handle_of, row_of};

/// Names an entry for as long as it is in its table. Handles count up from 0 and are not used twice.
pub type Handle = u64;

/// Handles end here: more than 30 years of 1000 inserts a second.
const MOST_HANDLES: u64 = 1 << (64 - ROW_BITS);

/// An entry as it is read back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its name.
    pub handle: Handle,
    /// One a field, normalised (see [`Pattern::normalised`]).
    pub patterns: Vec<Pattern>,
    /// Larger is preferred; 0 in tables without priorities.
    pub priority: u32,
    /// The position of its action.
    pub action: u32,
    /// Its action data, zeros behind it up to the table's [`Table::data_words`].
    pub data: Vec<u64>,
}

/// Why an entry could not be inserted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InsertError {
    /// Not as many patterns as fields.
    Count,
    /// The pattern at this position does not fit its field.
    Pattern(usize, PatternError),
    /// This entry has the same patterns (and priority, where priorities count).
    Duplicate(Handle),
    /// More action data than the table was made for.
    Data,
    /// 2^28 entries, 2^24 different rows or 2^40 handles, whichever came first.
    Full,
}

/// A match table. Which entry wins when several accept a key:
///
/// 1. All fields exact: there is at most one.
/// 2. One prefix field, the others exact: the longest prefix. Priorities do not count.
/// 3. Otherwise ([`KeyLayout::by_priority`]): the largest priority (as P4Runtime has it); among equal ones the entry inserted first.
///
/// In a table of the third kind the same patterns may stand with different priorities.
///
/// Look-ups go through [`Table::view`], or on other threads through [`Table::snapshot`]s, which changes leave alone.
#[derive(Debug)]
pub struct Table {
    view: View,
    writer: Writer,
    order: Order,
    rows: RowWriter,
    index: IndexWriter,
    next_handle: Handle,
    data_words: usize,
    version: u64,
}

#[derive(Debug)]
enum IndexWriter {
    Exact,
    Lpm(Box<LpmWriter>),
    Tuples(Box<TupleWriter>),
}

/// Bits that a packed prefix leaves free for its length.
const LEN_BITS: usize = 32;

/// A bit string of a prefix table's entry, by its length in words.
enum Prefix<'a> {
    One(u64),
    Two(u128),
    Long(Long<'a>),
}

/// Does the same with each kind of bit string.
macro_rules! with_prefix {
    ($prefix:expr, |$key:ident| $body:expr) => {
        match $prefix {
            Prefix::One($key) => $body,
            Prefix::Two($key) => $body,
            Prefix::Long($key) => $body,
        }
    };
}

fn prefix(words: &[u64]) -> Prefix<'_> {
    match words {
        [one] => Prefix::One(*one),
        [high, low] => Prefix::Two(u128::from(*high) << 64 | u128::from(*low)),
        long => Prefix::Long(Long::new(long)),
    }
}

/// What an entry stores before its last word.
struct Stored {
    words: Words,
    /// Of prefix tables: how many of the words are the bit string, and how many of its bits count.
    string: usize,
    len: usize,
}

impl Table {
    /// An empty table whose actions have at most `data_words` words of data.
    pub fn new(layout: KeyLayout, data_words: usize) -> Self {
        let width: usize = layout.fields().iter().map(|field| field.width as usize).sum();
        let lpm = !layout.by_priority() && layout.lpm_fields() == 1;
        let packing = if lpm { Packing::high(&layout, 0) } else { Packing::low(&layout) };
        let entry_words = match (lpm, layout.by_priority()) {
            (true, _) => (width + LEN_BITS).div_ceil(64) + 1,
            (_, true) => 2 * packing.words + LINKS + 1,
            _ => packing.words + 1,
        };
        let (mut writer, mut space) = Writer::new(entry_words.max(1 + data_words));
        let (index, index_writer) = if lpm {
            let mut pen = Pen { writer: &mut writer, space: &mut space };
            let (index, writer) = Lpm::new(&mut pen, 0, width);
            (Index::Lpm(index), IndexWriter::Lpm(Box::new(writer)))
        } else if layout.by_priority() {
            (
                Index::Tuples(TupleSpace::new(&layout, &packing)),
                IndexWriter::Tuples(Box::new(TupleWriter::new(&layout, &packing))),
            )
        } else {
            (Index::Exact(Buckets::default()), IndexWriter::Exact)
        };
        let view = View {
            entries: Slots::new(entry_words, &space),
            rows: Slots::new(1 + data_words, &space),
            space,
            index,
            len: 0,
            token: None,
            one_word: packing.one_word(),
            shape: Arc::new(Shape { key_words: layout.words(), layout, packing, width }),
        };
        let (order, rows) = (Order::default(), RowWriter::new());
        Self { view, writer, order, rows, index: index_writer, next_handle: 0, data_words, version: 0 }
    }

    /// The key's fields.
    pub fn layout(&self) -> &KeyLayout {
        &self.view.shape.layout
    }

    /// Words of action data that an entry may have.
    pub fn data_words(&self) -> usize {
        self.data_words
    }

    /// Entries.
    pub fn len(&self) -> usize {
        self.view.len
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.view.len == 0
    }

    /// Changes so far. What look-ups find stays the same while this does.
    #[inline]
    pub fn version(&self) -> u64 {
        self.version
    }

    /// The table as it is now, to look up in.
    pub fn view(&self) -> &View {
        &self.view
    }

    /// The table as it is now, for other threads. Costs a few microseconds however large the table is; while it lives, changes copy the pages that
    /// they touch.
    pub fn snapshot(&mut self) -> View {
        let View { space, entries, rows, index, .. } = &mut self.view;
        let pen = &mut Pen { writer: &mut self.writer, space };
        entries.share(pen);
        rows.share(pen);
        match index {
            Index::Exact(index) => index.share(pen),
            Index::Lpm(index) => index.share(pen),
            Index::Tuples(index) => index.share(pen),
        }
        View { token: Some(self.writer.announce()), ..self.view.clone() }
    }

    /// What the table takes in memory.
    pub fn memory(&self) -> Memory {
        let index = match (&self.index, &self.view.index) {
            (IndexWriter::Lpm(writer), _) => writer.bytes(),
            (IndexWriter::Tuples(writer), Index::Tuples(index)) => writer.bytes() + index.bytes(),
            _ => 0,
        };
        let pages = self.writer.pages() * self.view.space.page_words() * 8;
        let bytes = pages + self.writer.overhead() + self.order.bytes() + self.rows.bytes() + index;
        Memory { entries: self.len(), bytes }
    }

    /// Tuples that a look-up may have to go through, in tables with priorities.
    pub fn tuples(&self) -> Option<usize> {
        match &self.view.index {
            Index::Tuples(index) => Some(index.tuples()),
            _ => None,
        }
    }

    /// Adds an entry; in tables without priorities `priority` is ignored.
    pub fn insert(
        &mut self,
        patterns: &[Pattern],
        priority: u32,
        action: u32,
        data: &[u64],
    ) -> Result<Handle, InsertError> {
        let (value, mask) = self.words_of(patterns)?;
        self.insert_words((&value, &mask), priority, action, data)
    }

    /// Adds an entry whose patterns are words that lie like those of a key: first the values, then the masks. A prefix's mask has as many
    /// leading ones; that of a value of a ternary or optional field has all ones, that of any value none. A range is its low end and, in place of the
    /// mask, its high end. The masks of exact fields do not count, nor do bits of the value that the mask has not, nor bits above the width.
    /// It does what [`Table::insert`] does, and quicker.
    ///
    /// # Panics
    /// If there are fewer words than a key has.
    pub fn insert_words(
        &mut self,
        pattern: (&[u64], &[u64]),
        priority: u32,
        action: u32,
        data: &[u64],
    ) -> Result<Handle, InsertError> {
        let (stored, priority) = self.stored(pattern, priority)?;
        if let Some(slot) = self.slot_of(&stored, priority) {
            return Err(InsertError::Duplicate(handle_of(self.view.last_word(slot))));
        }
        let words = self.row_words(action, data)?;
        self.reclaim();
        if !self.order.has_room() || !self.rows.has_room() || self.next_handle == MOST_HANDLES {
            return Err(InsertError::Full);
        }
        let handle = self.next_handle;
        self.next_handle += 1;
        let slot = self.order.push();
        self.place(slot, handle, stored, priority, &words);
        Ok(handle)
    }

    /// Puts an entry back that [`Table::remove`] took out, under its handle. False if its place is taken or it does not belong here.
    pub fn restore(&mut self, entry: &Entry) -> bool {
        let Ok((value, mask)) = self.words_of(&entry.patterns) else { return false };
        let Ok((stored, priority)) = self.stored((&value, &mask), entry.priority) else { return false };
        let Ok(words) = self.row_words(entry.action, &entry.data) else { return false };
        self.reclaim();
        if entry.handle >= self.next_handle
            || self.slot(entry.handle).is_some()
            || self.slot_of(&stored, priority).is_some()
            || !self.order.has_room()
            || !self.rows.has_room()
        {
            return false;
        }
        let slot = self.order.put_back(entry.handle, |slot| handle_of(self.view.last_word(slot)));
        self.place(slot, entry.handle, stored, priority, &words);
        true
    }

    /// Gives an entry another row. False if there is no such entry.
    pub fn modify(&mut self, handle: Handle, action: u32, data: &[u64]) -> Result<bool, InsertError> {
        let Some(slot) = self.slot(handle) else { return Ok(false) };
        self.modify_at(slot, action, data).map(|()| true)
    }

    /// Gives the entry of a dense number another row that [`Table::slot`] or [`Table::find_slot`] gave.
    pub fn modify_at(&mut self, slot: u32, action: u32, data: &[u64]) -> Result<(), InsertError> {
        let words = self.row_words(action, data)?;
        if !self.rows.has_room() {
            return Err(InsertError::Full);
        }
        self.reclaim();
        self.version += 1;
        let word = self.view.last_word(slot);
        let (handle, old) = (handle_of(word), row_of(word));
        let View { space, entries, rows, index, shape, .. } = &mut self.view;
        let mut pen = Pen { writer: &mut self.writer, space };
        let row = self.rows.take(&mut pen, rows, &words);
        let last = entries.stride() - 1;
        entries.set(&mut pen, slot, last, handle << ROW_BITS | u64::from(row));
        self.rows.give_back(&mut pen, rows, old);
        if let (Index::Lpm(index), IndexWriter::Lpm(writer)) = (index, &mut self.index)
            && row != old
        {
            let (words, len) = prefix_of(entries, pen.space, shape, slot);
            let leaf = Place::word(slot, row);
            with_prefix!(prefix(&words), |key| index.set(&mut pen, writer, key, len, leaf));
        }
        Ok(())
    }

    /// Takes an entry out.
    pub fn remove(&mut self, handle: Handle) -> Option<Entry> {
        self.slot(handle).map(|slot| self.remove_at(slot))
    }

    /// Takes the entry of a dense number out that [`Table::slot`] or [`Table::find_slot`] gave.
    pub fn remove_at(&mut self, slot: u32) -> Entry {
        let entry = self.entry(slot);
        self.reclaim();
        self.version += 1;
        let View { space, entries, rows, index, shape, len, .. } = &mut self.view;
        let mut pen = Pen { writer: &mut self.writer, space };
        match (index, &mut self.index) {
            (Index::Exact(index), _) => {
                let hash = exact_hash(entries, pen.space, slot);
                index.remove(&mut pen, hash, slot, |space, slot| exact_hash(entries, space, slot));
            }
            (Index::Lpm(index), IndexWriter::Lpm(writer)) => {
                let (words, prefix_len) = prefix_of(entries, pen.space, shape, slot);
                with_prefix!(prefix(&words), |key| index.remove(&mut pen, writer, key, prefix_len));
            }
            (Index::Tuples(index), IndexWriter::Tuples(writer)) => {
                index.remove(&mut pen, writer, entries, slot, entry.priority);
            }
            _ => unreachable!("an index and its writer are of one kind"),
        }
        let last = entries.stride() - 1;
        let row = row_of(entries.get(pen.space, slot)[last].load(Relaxed));
        entries.set(&mut pen, slot, last, entry.handle << ROW_BITS | u64::from(NO_ROW));
        self.rows.give_back(&mut pen, rows, row);
        *len -= 1;
        self.order.note_gone(self.writer.now(), |slot| row_of(self.view.last_word(slot)) == NO_ROW);
        entry
    }

    /// Takes all entries out. Handles go on counting.
    pub fn clear(&mut self) {
        let fresh = Self::new(self.layout().clone(), self.data_words);
        *self = Self { next_handle: self.next_handle, version: self.version + 1, ..fresh };
    }

    /// The dense number of an entry; see [`Found::slot`](crate::Found::slot).
    pub fn slot(&self, handle: Handle) -> Option<u32> {
        let slot = self.order.find(handle, |slot| handle_of(self.view.last_word(slot)))?;
        (row_of(self.view.last_word(slot)) != NO_ROW).then_some(slot)
    }

    /// An entry by its handle.
    pub fn get(&self, handle: Handle) -> Option<Entry> {
        self.slot(handle).map(|slot| self.entry(slot))
    }

    /// The entry with these patterns, and this priority where priorities count.
    pub fn find_entry(&self, patterns: &[Pattern], priority: u32) -> Result<Option<Handle>, InsertError> {
        let (value, mask) = self.words_of(patterns)?;
        Ok(self.find_slot((&value, &mask), priority)?.map(|slot| self.handle(slot)))
    }

    /// The dense number of the entry with this pattern in words, see [`Table::insert_words`], and this priority where priorities count.
    ///
    /// # Panics
    /// If there are fewer words than a key has.
    pub fn find_slot(&self, pattern: (&[u64], &[u64]), priority: u32) -> Result<Option<u32>, InsertError> {
        let (stored, priority) = self.stored(pattern, priority)?;
        Ok(self.slot_of(&stored, priority))
    }

    /// Entries in the order of their handles.
    pub fn iter(&self) -> impl Iterator<Item = Entry> {
        self.slots().map(|slot| self.entry(slot))
    }

    /// Their dense numbers.
    pub fn slots(&self) -> impl Iterator<Item = u32> {
        self.order.slots().iter().copied().filter(|slot| row_of(self.view.last_word(*slot)) != NO_ROW)
    }

    /// Handles in order.
    pub fn handles(&self) -> impl Iterator<Item = Handle> {
        self.slots().map(|slot| self.handle(slot))
    }

    /// The handle of the entry of a dense number.
    pub fn handle(&self, slot: u32) -> Handle {
        handle_of(self.view.last_word(slot))
    }

    /// An entry of a dense number that [`Table::slot`] or [`Table::slots`] gave.
    pub fn entry(&self, slot: u32) -> Entry {
        let View { space, entries, shape, .. } = &self.view;
        let stored: Vec<u64> = entries.get(space, slot).iter().map(|word| word.load(Relaxed)).collect();
        let packed = shape.packing.words;
        let mut priority = 0;
        let rule = match &self.view.index {
            Index::Exact(_) => Rule { value: stored[..packed].to_vec(), mask: Vec::new() },
            Index::Lpm(_) => {
                Rule { value: prefix_of(entries, space, shape, slot).0.to_vec(), mask: Vec::new() }
            }
            Index::Tuples(_) => {
                priority = (stored[2 * packed] >> 32) as u32;
                Rule { value: stored[..packed].to_vec(), mask: stored[packed..2 * packed].to_vec() }
            }
        };
        let patterns = match &self.view.index {
            Index::Lpm(_) => {
                let (_, len) = prefix_of(entries, space, shape, slot);
                let fields = shape.layout.fields();
                let exact: usize =
                    fields.iter().filter(|f| f.kind == FieldKind::Exact).map(|f| f.width as usize).sum();
                let value = |index: usize, width| shape.packing.take(index, width, &rule.value);
                fields
                    .iter()
                    .enumerate()
                    .map(|(index, field)| match field.kind {
                        FieldKind::Lpm => Pattern::Prefix(value(index, field.width), (len - exact) as u32),
                        _ => Pattern::Value(value(index, field.width)),
                    })
                    .collect()
            }
            _ => shape.packing.patterns(&shape.layout, &rule),
        };
        let last = stored[stored.len() - 1];
        let row = self.view.row(row_of(last));
        Entry { handle: handle_of(last), patterns, priority, action: row.action(), data: row.to_vec() }
    }

    fn row_words(&self, action: u32, data: &[u64]) -> Result<Words, InsertError> {
        if data.len() > self.data_words {
            return Err(InsertError::Data);
        }
        let mut words = smallvec![0; 1 + self.data_words];
        words[0] = u64::from(action);
        words[1..=data.len()].copy_from_slice(data);
        Ok(words)
    }

    /// Patterns in words, see [`Table::insert_words`].
    fn words_of(&self, patterns: &[Pattern]) -> Result<(Words, Words), InsertError> {
        let fields = self.layout().fields();
        if patterns.len() != fields.len() {
            return Err(InsertError::Count);
        }
        let (mut values, mut masks) = (Words::new(), Words::new());
        for (index, (pattern, field)) in patterns.iter().zip(fields).enumerate() {
            let pattern = pattern.normalised(*field).map_err(|error| InsertError::Pattern(index, error))?;
            let (value, mask) = pattern.numbers(*field);
            push_number(&mut values, &value, *field);
            push_number(&mut masks, &mask, *field);
        }
        Ok((values, masks))
    }

    /// What an entry of this pattern stores, and the priority that counts.
    fn stored(&self, (values, masks): (&[u64], &[u64]), priority: u32) -> Result<(Stored, u32), InsertError> {
        let Shape { layout, packing, width, .. } = &*self.view.shape;
        let mut values = Words::from_slice(&values[..layout.words()]);
        // Of prefix tables: bits of the prefix field that do not count.
        let mut short = 0;
        let mut at = 0;
        for (index, field) in layout.fields().iter().enumerate() {
            let words = at..at + field.words();
            let (value, mask) = (&mut values[words.clone()], &masks[words]);
            at += field.words();
            let wrong = |error| Err(InsertError::Pattern(index, error));
            match field.kind {
                FieldKind::Exact => continue,
                FieldKind::Range if field.is_above(value, mask) => return wrong(PatternError::EmptyRange),
                FieldKind::Range => continue,
                FieldKind::Lpm => match field.prefix_len(mask) {
                    Some(len) => short = (field.width - len) as usize,
                    None => return wrong(PatternError::PrefixLength),
                },
                FieldKind::Optional if field.ones_in(mask) % field.width.max(1) != 0 => {
                    return wrong(PatternError::Kind(field.kind));
                }
                FieldKind::Ternary | FieldKind::Optional => {}
            }
            value.iter_mut().zip(mask).for_each(|(value, mask)| *value &= mask);
        }
        let mut words: Words = smallvec![0; packing.words];
        packing.pack(&values, &mut words);
        let stored = match &self.view.index {
            Index::Exact(_) => Stored { words, string: 0, len: 0 },
            Index::Lpm(_) => {
                let len = width - short;
                let string = words.len();
                words.resize((width + LEN_BITS).div_ceil(64), 0);
                if let Some(last) = words.last_mut() {
                    *last |= len as u64;
                }
                Stored { words, string, len }
            }
            Index::Tuples(_) => {
                let mut mask = vec![0; packing.words];
                packing.pack(masks, &mut mask);
                for (index, field) in layout.fields().iter().enumerate() {
                    if field.kind == FieldKind::Exact {
                        packing.put(index, &field.ones(), &mut mask);
                    }
                }
                words.extend_from_slice(&mask);
                return Ok((Stored { words, string: 0, len: 0 }, priority));
            }
        };
        Ok((stored, 0))
    }

    /// The slot of an entry that stores the same.
    fn slot_of(&self, stored: &Stored, priority: u32) -> Option<u32> {
        let View { space, entries, index, .. } = &self.view;
        match (index, &self.index) {
            (Index::Exact(index), _) => {
                let hash = hash(stored.words.iter().copied(), 0);
                index.find(space, hash, |slot| self.view.has_key(slot, &stored.words))
            }
            (Index::Lpm(index), _) => {
                let string = stored.string();
                let leaf = with_prefix!(prefix(&string), |key| index.get(space, key, stored.len));
                leaf.and_then(Place::from_word).map(Place::slot)
            }
            (Index::Tuples(index), IndexWriter::Tuples(writer)) => {
                let (value, mask) = stored.words.split_at(stored.words.len() / 2);
                let rule = Rule { value: value.to_vec(), mask: mask.to_vec() };
                index.get(space, writer, entries, (&rule, priority))
            }
            _ => unreachable!("an index and its writer are of one kind"),
        }
    }

    /// Takes back what snapshots had that are gone.
    fn reclaim(&mut self) {
        self.writer.reclaim();
        self.order.reclaim(self.writer.oldest());
    }

    fn place(&mut self, slot: u32, handle: Handle, stored: Stored, priority: u32, row: &[u64]) {
        self.version += 1;
        let View { space, entries, rows, index, shape, len, .. } = &mut self.view;
        let mut pen = Pen { writer: &mut self.writer, space };
        let row = self.rows.take(&mut pen, rows, row);
        for (at, word) in stored.words.iter().enumerate() {
            entries.set(&mut pen, slot, at, *word);
        }
        let last = entries.stride() - 1;
        entries.set(&mut pen, slot, last, handle << ROW_BITS | u64::from(row));
        *len += 1;
        match (index, &mut self.index) {
            (Index::Exact(index), _) => {
                let hash = hash(stored.words.iter().copied(), 0);
                index.insert(&mut pen, hash, slot, |space, slot| exact_hash(entries, space, slot));
            }
            (Index::Lpm(index), IndexWriter::Lpm(writer)) => {
                if index.outgrown(*len, shape.width) {
                    self.regrow();
                } else {
                    let string = stored.string();
                    let leaf = Place::word(slot, row);
                    with_prefix!(prefix(&string), |key| index
                        .insert(&mut pen, writer, key, stored.len, leaf));
                }
            }
            (Index::Tuples(index), IndexWriter::Tuples(writer)) => {
                entries.set(&mut pen, slot, last - LINKS, links(priority));
                index.insert(&mut pen, writer, entries, slot, priority);
            }
            _ => unreachable!("an index and its writer are of one kind"),
        }
    }

    /// Makes the index of a prefix table anew, in a form that suits its entries' number.
    fn regrow(&mut self) {
        let slots: Vec<u32> = self.slots().collect();
        let View { space, entries, index, shape, len, .. } = &mut self.view;
        let mut pen = Pen { writer: &mut self.writer, space };
        let (mut new, mut writer) = Lpm::new(&mut pen, *len, shape.width);
        for slot in slots {
            let (words, prefix_len) = prefix_of(entries, pen.space, shape, slot);
            let leaf =
                Place::word(slot, row_of(entries.get(pen.space, slot)[entries.stride() - 1].load(Relaxed)));
            with_prefix!(prefix(&words), |key| new.insert(&mut pen, &mut writer, key, prefix_len, leaf));
        }
        if let Index::Lpm(old) = std::mem::replace(index, Index::Lpm(new)) {
            old.release(pen.writer);
        }
        self.index = IndexWriter::Lpm(Box::new(writer));
    }
}

impl Stored {
    /// The bit string of a prefix, without the length behind it.
    fn string(&self) -> Words {
        bare(&self.words, self.string)
    }
}

/// Appends a big-endian number of a field in whole words, least significant first.
fn push_number(words: &mut Words, number: &[u8], field: Field) {
    let start = words.len();
    words.resize(start + field.words(), 0);
    for (index, byte) in number.iter().rev().enumerate() {
        words[start + index / 8] |= u64::from(*byte) << (index % 8 * 8);
    }
}

/// The first `words` of a prefix entry's words, without the length in the last.
fn bare(stored: &[u64], words: usize) -> Words {
    let mut bare = Words::from_slice(&stored[..words]);
    if words == stored.len()
        && let Some(last) = bare.last_mut()
    {
        *last &= !((1 << LEN_BITS) - 1);
    }
    bare
}

/// The bit string of a prefix table's entry and how many of its bits count.
fn prefix_of(entries: &Slots, space: &Space, shape: &Shape, slot: u32) -> (Words, usize) {
    let words: Words =
        entries.get(space, slot)[..entries.stride() - 1].iter().map(|word| word.load(Relaxed)).collect();
    let len = words[words.len() - 1] as usize & ((1 << LEN_BITS) - 1);
    (bare(&words, shape.packing.words), len)
}

fn exact_hash(entries: &Slots, space: &Space, slot: u32) -> u64 {
    let entry = entries.get(space, slot);
    hash(entry[..entries.stride() - 1].iter().map(|word| word.load(Relaxed)), 0)
}
