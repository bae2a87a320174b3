//! Changes that packets make to table entries: entries that they add, and time-outs that they set.
//! Changes that a packet on the owner's thread requests in a part of its pass are made at the end
//! of this part, so the next packet finds them.

use smallvec::SmallVec;
use weir_device::Nanos;
use weir_ir::TableId;
use weir_tables::Handle;

use super::{IdleTimeout, IdleTimers, OwnedTable};

/// A change of a table's entries.
#[derive(Debug)]
pub(crate) enum EntryChange {
    /// Adds an entry.
    Add(AddedEntry),
    /// Starts the time-out of an entry again.
    Restart { table: TableId, handle: Handle, time: Nanos },
    /// Sets the time-out of an entry, which starts now; without one, the entry never expires.
    SetTimeout { table: TableId, handle: Handle, time: Nanos, timeout: Option<Nanos> },
}

/// A few words, without an allocation.
pub(crate) type FewWords = SmallVec<[u64; 6]>;

/// An entry that a packet adds to a table whose keys are all exact.
#[derive(Debug)]
pub(crate) struct AddedEntry {
    pub table: TableId,
    /// The words of the key.
    pub key: FewWords,
    /// The words of the action and its arguments.
    pub row: FewWords,
    pub time: Nanos,
    /// The time-out; `None` if the entry never expires.
    pub timeout: Option<Nanos>,
}

impl EntryChange {
    pub(crate) fn table(&self) -> TableId {
        match self {
            Self::Add(added) => added.table,
            Self::Restart { table, .. } | Self::SetTimeout { table, .. } => *table,
        }
    }
}

/// Makes a time-out that starts at `since`.
fn started(timeout: Nanos, since: Nanos) -> IdleTimeout {
    IdleTimeout { timeout: timeout.max(1), since, timer: None, is_reported: false }
}

impl OwnedTable {
    /// Makes a change that a packet has requested.
    pub(crate) fn change(&mut self, change: EntryChange, timers: &mut IdleTimers) {
        let (handle, time, timeout) = match change {
            EntryChange::Add(AddedEntry { key, row, time, timeout, .. }) => {
                let idle =
                    timeout.filter(|_| self.shape.aging.is_some()).map(|timeout| started(timeout, time));
                // Exact fields have no masks.
                if let Ok(handle) = self.insert((&key, &key), 0, &row, (time, idle)) {
                    self.start_timer(handle, timers);
                }
                return;
            }
            EntryChange::Restart { handle, time, .. } => {
                let Some(slot) = self.entries.slot(handle) else { return };
                if let Some(Some(idle)) = self.entry_data.idle_mut(slot) {
                    idle.since = idle.since.max(time);
                }
                return self.start_timer(handle, timers);
            }
            EntryChange::SetTimeout { handle, time, timeout, .. } => (handle, time, timeout),
        };
        let Some(slot) = self.entries.slot(handle) else { return };
        let Some(place) = self.entry_data.idle_mut(slot) else { return };
        let mut idle = timeout.map(|timeout| started(timeout, time));
        if let (Some(idle), Some(old)) = (&mut idle, &place) {
            idle.take_over(old);
        }
        *place = idle;
        self.start_timer(handle, timers);
    }

    /// Starts the timer of an entry's time-out, if the entry has one.
    fn start_timer(&mut self, handle: Handle, timers: &mut IdleTimers) {
        let Some(slot) = self.entries.slot(handle) else { return };
        let table = self.shape.id;
        if let Some(Some(idle)) = self.entry_data.idle_mut(slot) {
            timers.set_timer(table, handle, idle);
        }
    }
}
