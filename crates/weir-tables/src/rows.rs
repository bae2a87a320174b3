//! What entries say, each different row once.

use std::sync::atomic::Ordering::Relaxed;

use crate::cow::{Pen, Space};
use crate::hash::{HashIndex, hash};
use crate::slots::Slots;
use crate::view::NO_ROW;

/// Which rows are in use, and where equal ones are.
#[derive(Debug)]
pub(crate) struct RowWriter {
    index: HashIndex,
    /// By row: entries that have it.
    users: Vec<u32>,
    free: Vec<u32>,
}

fn hash_of(rows: &Slots, space: &Space, row: u32) -> u64 {
    hash(rows.get(space, row).iter().map(|word| word.load(Relaxed)), 0)
}

impl RowWriter {
    pub(crate) fn new() -> Self {
        Self { index: HashIndex::new(75), users: Vec::new(), free: Vec::new() }
    }

    /// Whether there can be one more.
    pub(crate) fn has_room(&self) -> bool {
        !self.free.is_empty() || self.users.len() < NO_ROW as usize
    }

    /// The row of these words, with one more user.
    pub(crate) fn take(&mut self, pen: &mut Pen, rows: &mut Slots, words: &[u64]) -> u32 {
        let hash = hash(words.iter().copied(), 0);
        let known = self.index.find(pen.space, hash, |row| {
            rows.get(pen.space, row).iter().zip(words).all(|(stored, word)| stored.load(Relaxed) == *word)
        });
        if let Some(row) = known {
            self.users[row as usize] += 1;
            return row;
        }
        let row = self.free.pop().unwrap_or_else(|| {
            self.users.push(0);
            self.users.len() as u32 - 1
        });
        self.users[row as usize] = 1;
        for (index, word) in words.iter().enumerate() {
            rows.set(pen, row, index, *word);
        }
        self.index.insert(pen, hash, row, |space, row| hash_of(rows, space, row));
        row
    }

    /// One user less.
    pub(crate) fn give_back(&mut self, pen: &mut Pen, rows: &Slots, row: u32) {
        self.users[row as usize] -= 1;
        if self.users[row as usize] == 0 {
            let hash = hash_of(rows, pen.space, row);
            self.index.remove(pen, hash, row, |space, row| hash_of(rows, space, row));
            self.free.push(row);
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        (self.users.capacity() + self.free.capacity()) * 4
    }
}
