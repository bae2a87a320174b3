//! Entries that nothing has hit for a while.
//!
//! A heap orders timers by the time at which their entry will have been idle for long enough if
//! nothing hits it before. A hit only records its time; the timer reads it when it fires, and is
//! set again. So a hit costs a packet one record, and nothing ever scans all entries. After its
//! notice an entry has no timer until the next hit: one notice for each idle period.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use weir_device::Nanos;
use weir_ir::TableId;
use weir_tables::{Entry, Handle};

use crate::externs::profile::Outcome;

/// How many notices are kept for a reader; the oldest are lost first.
const MAX_NOTICES: usize = 4096;

/// An entry's time-out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct IdleTimeout {
    /// How long it may go without a hit, at least 1.
    pub timeout: Nanos,
    /// Idle since: the last hit, or when the time-out was set.
    pub since: Nanos,
    /// The timer's time; none after a notice. A timer in the heap with another time does nothing.
    pub timer: Option<Nanos>,
}

impl IdleTimeout {
    pub(super) fn end(&self) -> Nanos {
        self.since.saturating_add(self.timeout)
    }
}

/// A notice for the control plane that an entry's time-out has run out.
#[derive(Debug)]
pub(crate) struct IdleNotice {
    pub time: Nanos,
    pub table: TableId,
    /// The entry as it was then.
    pub entry: Entry,
    pub outcome: Outcome,
    pub timeout: Nanos,
}

/// All timers and notices.
#[derive(Debug, Default)]
pub(crate) struct IdleTimers {
    heap: BinaryHeap<Reverse<(Nanos, usize, Handle)>>,
    pub notices: VecDeque<IdleNotice>,
}

impl IdleTimers {
    /// Sets the entry's timer unless it has one.
    pub(crate) fn arm(&mut self, table: TableId, handle: Handle, idle: &mut IdleTimeout) {
        if idle.timer.is_none() {
            idle.timer = Some(idle.end());
            self.heap.push(Reverse((idle.end(), table.index(), handle)));
        }
    }

    /// When the next timer fires.
    pub(crate) fn next_time(&self) -> Option<Nanos> {
        self.heap.peek().map(|Reverse((time, ..))| *time)
    }

    /// Takes the first timer: its time, its table and its entry.
    pub(crate) fn take_first(&mut self) -> Option<(Nanos, TableId, Handle)> {
        let Reverse((time, table, handle)) = self.heap.pop()?;
        Some((time, TableId::new(table), handle))
    }

    /// Adds a notice; the oldest is lost if there are too many.
    pub(super) fn notify(&mut self, notice: IdleNotice) {
        if self.notices.len() == MAX_NOTICES {
            self.notices.pop_front();
        }
        self.notices.push_back(notice);
    }
}
