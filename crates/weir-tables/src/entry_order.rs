//! Entries in the order of their handles, and free slots.
//!
//! New handles are larger than all earlier ones, so a new entry is appended at the end. A removed
//! entry stays in the list until enough entries have been removed to compact it. The slots of
//! removed entries become free when no snapshot can hold the entries any more. So data that a
//! caller stores by slot belongs to one entry, even for readers of old snapshots.

use std::collections::VecDeque;

use crate::hit::Handle;

/// The slots of a table in the order of their entries' handles.
#[derive(Debug, Default)]
pub(crate) struct EntryOrder {
    slots: Vec<u32>,
    free: Vec<u32>,
    /// The slots that become free when all snapshots of earlier generations are gone, oldest first.
    waiting: VecDeque<(u64, u32)>,
    /// Number of slots ever used.
    top: u32,
    /// Number of slots in `slots` whose entries have been removed.
    removed: usize,
}

/// The maximum number of slots of a table.
pub(crate) const MAX_SLOTS: u32 = 1 << 28;

impl EntryOrder {
    /// Returns whether a slot is left for another entry.
    pub(crate) fn has_room(&self) -> bool {
        !self.free.is_empty() || self.top < MAX_SLOTS
    }

    /// Returns all slots in order, including those of removed entries.
    pub(crate) fn slots(&self) -> &[u32] {
        &self.slots
    }

    /// Frees the slots that no living snapshot can hold. `oldest` is the generation of the oldest
    /// snapshot.
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

    /// Adds a slot for a new entry, whose handle is larger than all earlier handles.
    pub(crate) fn push(&mut self) -> u32 {
        let slot = self.new_slot();
        self.slots.push(slot);
        slot
    }

    /// Returns a slot for an entry that was removed and is inserted again.
    pub(crate) fn reinsert(&mut self, handle: Handle, handle_of: impl Fn(u32) -> Handle) -> u32 {
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

    /// Returns the slot of this handle, even if its entry has been removed.
    pub(crate) fn find(&self, handle: Handle, handle_of: impl Fn(u32) -> Handle) -> Option<u32> {
        self.position(handle, handle_of).ok().map(|at| self.slots[at])
    }

    /// Returns the position of a handle in the order, or the position at which it would be
    /// inserted. The search starts at the position that the handle would have if no earlier handle
    /// were missing, because few handles are missing.
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

    /// Records that an entry has been removed, and compacts the list when enough entries have been
    /// removed. `is_gone` says whether the entry of a slot has been removed. Snapshots of
    /// generations before `now` may hold the entry.
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

    /// Returns the memory of the lists in bytes.
    pub(crate) fn bytes(&self) -> usize {
        (self.slots.capacity() + self.free.capacity()) * 4 + self.waiting.capacity() * 16
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn few_removed_entries_stay_in_the_list() {
        let mut order = EntryOrder::default();
        let slots: Vec<u32> = (0..10_000).map(|_| order.push()).collect();
        let mut gone = BTreeSet::new();
        for slot in &slots[..9_000] {
            gone.insert(*slot);
            order.note_removed(1, |slot| gone.contains(&slot));
            let left = slots.len() - gone.len();
            assert!(order.slots.len() <= left + 64 + left / 4, "{left} entries, {}", order.slots.len());
        }
        order.reclaim(1);
        assert!(gone.contains(&order.push()), "a slot is reused");
    }
}
