//! The simplest table: a list of entries that each lookup scans.

use std::cmp::Reverse;

use weir_tables::{Entry, Field, InsertError, KeyLayout, Pattern};

#[derive(Clone, Debug)]
pub struct Reference {
    pub layout: KeyLayout,
    pub entries: Vec<Entry>,
    next_handle: u64,
}

impl Reference {
    pub fn new(layout: KeyLayout) -> Self {
        Self { layout, entries: Vec::new(), next_handle: 0 }
    }

    pub fn insert(
        &mut self,
        patterns: &[Pattern],
        priority: u32,
        action: u32,
        data: &[u64],
    ) -> Result<u64, InsertError> {
        let fields = self.layout.fields();
        let patterns: Vec<_> = fields.iter().zip(patterns).map(|(f, p)| p.normalized(*f).unwrap()).collect();
        let priority = if self.layout.by_priority() { priority } else { 0 };
        if let Some(twin) = self.entries.iter().find(|e| e.patterns == patterns && e.priority == priority) {
            return Err(InsertError::Duplicate(twin.handle));
        }
        let handle = self.next_handle;
        self.next_handle += 1;
        self.entries.push(Entry { handle, patterns, priority, action, data: data.to_vec() });
        Ok(handle)
    }

    pub fn best(&self, key: &[u8]) -> Option<&Entry> {
        let prefixes = |entry: &Entry| {
            entry.patterns.iter().map(|p| if let Pattern::Prefix(_, len) = p { *len } else { 0 }).sum::<u32>()
        };
        let accepts = |entry: &&Entry| {
            let fields = self.layout.fields();
            entry.patterns.iter().enumerate().all(|(i, p)| p.accepts(fields[i], &key[self.layout.range(i)]))
        };
        self.entries.iter().filter(accepts).min_by_key(|entry| {
            let rank = if self.layout.by_priority() { entry.priority } else { prefixes(entry) };
            (Reverse(rank), entry.handle)
        })
    }
}

/// Returns a small number in a field, big-endian.
pub fn number(field: Field, value: u64) -> Box<[u8]> {
    let mut bytes = vec![0; field.bytes()].into_boxed_slice();
    bytes.iter_mut().rev().zip(value.to_le_bytes()).for_each(|(byte, value)| *byte = value);
    bytes.iter_mut().zip(field.ones()).for_each(|(byte, one)| *byte &= one);
    bytes
}

/// Returns the fields of a key as one byte string.
pub fn key_bytes(key: &[Box<[u8]>]) -> Vec<u8> {
    key.concat()
}

/// Returns the fields of a key as words.
pub fn key_words(fields: &[Field], key: &[Box<[u8]>]) -> Vec<u64> {
    let words = |(field, bytes): (&Field, &[u8])| {
        let mut words = vec![0u64; field.words()];
        for (index, byte) in bytes.iter().rev().enumerate() {
            words[index / 8] |= u64::from(*byte) << (index % 8 * 8);
        }
        words
    };
    fields.iter().zip(key.iter().map(AsRef::as_ref)).flat_map(words).collect()
}
