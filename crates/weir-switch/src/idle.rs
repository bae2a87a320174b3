//! Entries that nothing has hit for a while.
//!
//! A timer lies in a heap by the time at which its entry has been idle for long enough if nothing hits it before. A hit only
//! notes its time; the timer finds that when it fires, and is set anew. So a packet costs nothing more than a note, and nothing ever
//! looks at all entries. After its notice an entry has no timer until the next hit: one notice for each time of idleness.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use weir_device::Nanos;
use weir_ir::TableId;
use weir_tables::Entry;

use crate::externs::profile::Outcome;
use crate::runtime::KEPT;
use crate::tables::TableRuntime;

/// An entry's time-out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Idle {
    /// How long it may go without a hit, at least 1.
    pub timeout: Nanos,
    /// Idle since: the last hit, or when the time-out was set.
    pub since: Nanos,
    /// The timer's time; none after a notice. A timer in the heap with another time is void.
    pub timer: Option<Nanos>,
}

impl Idle {
    fn end(&self) -> Nanos {
        self.since.saturating_add(self.timeout)
    }
}

/// A notice that waits for its reader.
#[derive(Debug)]
pub(crate) struct Notice {
    pub time: Nanos,
    pub table: TableId,
    /// As it was then.
    pub entry: Entry,
    pub outcome: Outcome,
    pub timeout: Nanos,
}

/// All timers and notices.
#[derive(Debug, Default)]
pub(crate) struct IdleTimers {
    heap: BinaryHeap<Reverse<(Nanos, usize, u64)>>,
    pub notices: VecDeque<Notice>,
}

impl IdleTimers {
    /// Sees to it that the entry has a timer.
    pub(crate) fn arm(&mut self, table: TableId, handle: u64, idle: &mut Idle) {
        if idle.timer.is_none() {
            idle.timer = Some(idle.end());
            self.heap.push(Reverse((idle.end(), table.index(), handle)));
        }
    }

    /// When the next timer fires.
    pub(crate) fn next_time(&self) -> Option<Nanos> {
        self.heap.peek().map(|Reverse((time, ..))| *time)
    }

    /// Lets the first timer fire.
    pub(crate) fn fire(&mut self, tables: &mut [TableRuntime]) {
        let Some(Reverse((time, table, handle))) = self.heap.pop() else { return };
        let runtime = &mut tables[table];
        let Some(slot) = runtime.entries.slot(handle) else { return };
        let Some(idle) = runtime.beside.idle_mut(slot).and_then(Option::as_mut) else { return };
        if idle.timer != Some(time) {
            return;
        }
        idle.timer = None;
        let table = TableId::new(table);
        if idle.end() > time {
            return self.arm(table, handle, idle);
        }
        let timeout = idle.timeout;
        if self.notices.len() == KEPT {
            self.notices.pop_front();
        }
        let (entry, outcome) = (runtime.entries.entry(slot), runtime.outcome_at(slot));
        self.notices.push_back(Notice { time, table, entry, outcome, timeout });
    }
}
