//! Cells of entries in chunks, so that cells can be added while other threads use those that exist.

use std::sync::Arc;

/// The number of cells that are allocated at once.
pub(super) const CHUNK: usize = 512;

/// Finds the array that holds a slot's cell, and the index of the cell in the array.
pub(super) fn cell<C>(chunks: &[Arc<C>], slot: u32) -> Option<(&C, u64)> {
    Some((chunks.get(slot as usize / CHUNK)?, u64::from(slot) % CHUNK as u64))
}

/// Allocates chunks up to the chunk of the slot.
pub(super) fn grow_chunks<C>(chunks: &mut Arc<Vec<Arc<C>>>, slot: u32, new: impl Fn() -> C) {
    while chunks.len() <= slot as usize / CHUNK {
        Arc::make_mut(chunks).push(Arc::new(new()));
    }
}
