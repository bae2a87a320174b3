//! The cells of the entries of a table with a direct register.

use std::sync::Arc;

use super::chunks::{CHUNK, cell, grow_chunks};
use crate::externs::register::RegisterArray;

/// The cells of a direct register.
#[derive(Clone, Debug)]
pub(super) struct Registers {
    /// The default's cell.
    default: Arc<RegisterArray>,
    /// The chunks of cells, each of [`CHUNK`] slots.
    pub(super) chunks: Arc<Vec<Arc<RegisterArray>>>,
}

impl Registers {
    pub(super) fn new(fields: &[(String, u32)], initial: Option<&Vec<u64>>) -> Self {
        let default = RegisterArray::with_initial(1, fields.to_vec(), initial.cloned());
        Self { default: Arc::new(default), chunks: Arc::default() }
    }

    /// Returns the fields of a cell with their widths.
    pub(super) fn fields(&self) -> &[(String, u32)] {
        &self.default.fields
    }

    /// Returns the cell of a slot, if it has been allocated.
    pub(super) fn cell(&self, slot: Option<u32>) -> Option<(&RegisterArray, u64)> {
        slot.map_or(Some((&*self.default, 0)), |slot| cell(&self.chunks, slot))
    }

    /// Sets the words of an entry's cell, or resets them.
    pub(super) fn set(&mut self, slot: u32, words: Option<Vec<u64>>) {
        let default = Arc::clone(&self.default);
        grow_chunks(&mut self.chunks, slot, || {
            RegisterArray::with_initial(CHUNK, default.fields.clone(), default.initial.clone())
        });
        if let Some((cells, at)) = cell(&self.chunks, slot) {
            cells.write_words(at, &words.unwrap_or_else(|| default.initial_words()));
        }
    }
}
