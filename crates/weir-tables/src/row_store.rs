//! Reference-counted rows: equal rows are stored once.

use std::sync::atomic::Ordering::Relaxed;

use crate::hash_index::{HashIndex, hash};
use crate::hit::NO_ROW;
use crate::pages::{PageEditor, Pages};
use crate::records::Records;

/// The rows that are in use, and an index of them by content.
#[derive(Debug)]
pub(crate) struct RowStore {
    index: HashIndex,
    /// For each row: the number of entries that use it.
    users: Vec<u32>,
    free: Vec<u32>,
}

fn hash_of(rows: &Records, pages: &Pages, row: u32) -> u64 {
    hash(rows.get(pages, row).iter().map(|word| word.load(Relaxed)), 0)
}

impl RowStore {
    pub(crate) fn new() -> Self {
        Self { index: HashIndex::new(75), users: Vec::new(), free: Vec::new() }
    }

    /// Returns whether the store has room for another row.
    pub(crate) fn has_room(&self) -> bool {
        !self.free.is_empty() || self.users.len() < NO_ROW as usize
    }

    /// Returns the number of the row with these words, with one more user.
    pub(crate) fn acquire(&mut self, editor: &mut PageEditor, rows: &mut Records, words: &[u64]) -> u32 {
        let hash = hash(words.iter().copied(), 0);
        let equal_row = self.index.find(editor.pages, hash, |row| {
            rows.get(editor.pages, row).iter().zip(words).all(|(stored, word)| stored.load(Relaxed) == *word)
        });
        if let Some(row) = equal_row {
            self.users[row as usize] += 1;
            return row;
        }
        let row = self.free.pop().unwrap_or_else(|| {
            self.users.push(0);
            self.users.len() as u32 - 1
        });
        self.users[row as usize] = 1;
        for (index, word) in words.iter().enumerate() {
            rows.set(editor, row, index, *word);
        }
        self.index.insert(editor, hash, row, |pages, row| hash_of(rows, pages, row));
        row
    }

    /// Removes one user from a row.
    pub(crate) fn release(&mut self, editor: &mut PageEditor, rows: &Records, row: u32) {
        self.users[row as usize] -= 1;
        if self.users[row as usize] == 0 {
            let hash = hash_of(rows, editor.pages, row);
            self.index.remove(editor, hash, row, |pages, row| hash_of(rows, pages, row));
            self.free.push(row);
        }
    }

    /// Returns the memory of the lists in bytes.
    pub(crate) fn bytes(&self) -> usize {
        (self.users.capacity() + self.free.capacity()) * 4
    }
}
