//! Entries in the order of their handles, and which slots are free.
//!
//! Handles only grow, so that a new entry goes to the end. One that is taken out stays in its place, marked by its slot, until enough are to
//! tidy up; then the slots become free, as soon as no snapshot can have their entries: what a caller keeps by slot is an entry's own even for
//! those who look up in an old snapshot.

use std::collections::VecDeque;

use crate::hit::Handle;

/// Records by handle.
#[derive(Debug, Default)]
pub(crate) struct EntryOrder {
    slots: Vec<u32>,
    free: Vec<u32>,
    /// Records that become free when all snapshots are removed that were made before this moment, oldest first.
    waiting: VecDeque<(u64, u32)>,
    /// Records ever used.
    top: u32,
    /// Records in `slots` whose entries are removed.
    removed: usize,
}

/// The most slots of a table.
pub(crate) const MAX_SLOTS: u32 = 1 << 28;

impl EntryOrder {
    /// Whether there can be one more.
    pub(crate) fn has_room(&self) -> bool {
        !self.free.is_empty() || self.top < MAX_SLOTS
    }

    /// All slots in order, those of entries that are removed too.
    pub(crate) fn slots(&self) -> &[u32] {
        &self.slots
    }

    /// Frees the slots that only snapshots made before the oldest living one could have.
    pub(crate) fn reclaim(&mut self, oldest: u64) {
        while let Some((at, slot)) = self.waiting.front()
            && *at <= oldest
        {
            self.free.push(*slot);
            self.waiting.pop_front();
        }
    }

    fn new_slot(&mut self) -> u32 {
        self.free.pop().unwrap_or_else(|| {
            self.top += 1;
            self.top - 1
        })
    }

    /// A slot for a new entry of a handle that is larger than all before.
    pub(crate) fn push(&mut self) -> u32 {
        let slot = self.new_slot();
        self.slots.push(slot);
        slot
    }

    /// A slot for an entry that was removed.
    pub(crate) fn put_back(&mut self, handle: Handle, handle_of: impl Fn(u32) -> Handle) -> u32 {
        match self.position(handle, handle_of) {
            Ok(at) => {
                self.removed -= 1;
                self.slots[at]
            }
            Err(at) => {
                let slot = self.new_slot();
                self.slots.insert(at, slot);
                slot
            }
        }
    }

    /// The slot that has, or had, this handle.
    pub(crate) fn find(&self, handle: Handle, handle_of: impl Fn(u32) -> Handle) -> Option<u32> {
        self.position(handle, handle_of).ok().map(|at| self.slots[at])
    }

    /// Where a handle stands, or would stand. Few are missing as a rule, so the search begins where it stands if none are.
    fn position(&self, handle: Handle, handle_of: impl Fn(u32) -> Handle) -> Result<usize, usize> {
        let Some(first) = self.slots.first().map(|slot| handle_of(*slot)) else { return Err(0) };
        if handle < first {
            return Err(0);
        }
        let mut end = usize::try_from(handle - first).unwrap_or(usize::MAX).min(self.slots.len() - 1) + 1;
        let mut step = 1;
        while end > step && handle_of(self.slots[end - step]) > handle {
            end -= step;
            step *= 2;
        }
        let begin = end.saturating_sub(step);
        self.slots[begin..end]
            .binary_search_by_key(&handle, |slot| handle_of(*slot))
            .map(|at| begin + at)
            .map_err(|at| begin + at)
    }

    /// Notes that an entry is removed, and tidies up if it is time. `is_gone` tells of slots; snapshots made before `now` may have the entry.
    pub(crate) fn note_removed(&mut self, now: u64, is_gone: impl Fn(u32) -> bool) {
        self.removed += 1;
        if self.removed > 64 + (self.slots.len() - self.removed) / 4 {
            let waiting = &mut self.waiting;
            self.slots.retain(|slot| {
                let removed = is_gone(*slot);
                if removed {
                    waiting.push_back((now, *slot));
                }
                !removed
            });
            self.removed = 0;
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        (self.slots.capacity() + self.free.capacity()) * 4 + self.waiting.capacity() * 16
    }
}
