//! Detects idle entries, which no packet has hit for some time.
//!
//! A queue contains a timer for each entry, ordered by the time at which the time-out of the entry
//! expires if no packet hits it. A hit only records its time. When the timer fires, it reads this
//! time, and is set again if there was a hit. Therefore a hit costs only one write, and no code
//! scans all entries.
//!
//! Notices repeat while the entry stays idle. An entry whose notice has not been read has no timer
//! until it is hit again. Therefore unread notices do not repeat, and an idle switch has no further
//! events.

use std::collections::VecDeque;

use weir_device::Nanos;
use weir_ir::TableId;
use weir_tables::{Entry, Handle};

use super::timer_queue::TimerQueue;
use crate::externs::profile::Outcome;

/// The maximum number of notices that are kept for a reader. The oldest are lost first.
const MAX_NOTICES: usize = 4096;

/// The minimum time between two notices of the same idle entry, 1 ms, so that a short time-out does
/// not keep the switch and its reader busy.
const MIN_REPEAT: Nanos = 1_000_000;

/// An entry's time-out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct IdleTimeout {
    /// The time without a hit after which the entry is idle, at least 1.
    pub timeout: Nanos,
    /// The time since which the entry has been idle: the last hit, or the time at which the
    /// time-out was set.
    pub since: Nanos,
    /// The time at which the timer fires; `None` after a notice. A timer in the queue with another
    /// time is ignored.
    pub timer: Option<Nanos>,
    /// Whether a notice of the entry has not been read yet. The entry is then in
    /// [`IdleTimers::reported`].
    pub is_reported: bool,
}

impl IdleTimeout {
    /// Returns when the timeout ends.
    pub(super) fn end(&self) -> Nanos {
        self.since.saturating_add(self.timeout)
    }

    /// Takes over the timer of the entry's previous time-out, if it fires early enough.
    pub(crate) fn take_over(&mut self, old: &Self) {
        self.timer = old.timer.filter(|timer| *timer <= self.end());
        self.is_reported = old.is_reported;
    }

    /// Returns the time of the next notice after `now`, for an entry that is idle and that no
    /// packet hits. The time between the first notice and any other is a multiple of the time-out,
    /// or a multiple of [`MIN_REPEAT`] if that is longer.
    fn repeat(&self, now: Nanos) -> Nanos {
        let period = self.timeout.max(MIN_REPEAT);
        let passed = now.saturating_sub(self.end()) / period;
        self.end().saturating_add((passed + 1).saturating_mul(period))
    }
}

/// A notice for the control plane that an entry's time-out has expired.
#[derive(Debug)]
pub(crate) struct IdleNotice {
    pub time: Nanos,
    pub table: TableId,
    /// The entry as it was when the time-out expired.
    pub entry: Entry,
    pub outcome: Outcome,
    pub timeout: Nanos,
}

/// The timers and notices of all entries.
#[derive(Debug, Default)]
pub(crate) struct IdleTimers {
    queue: TimerQueue,
    pub notices: VecDeque<IdleNotice>,
    /// The entries with a notice that was not taken, or that was lost.
    reported: Vec<(TableId, Handle)>,
}

impl IdleTimers {
    /// Sets the entry's timer to the end of its time-out, unless it has an earlier timer.
    pub(crate) fn set_timer(&mut self, table: TableId, handle: Handle, idle: &mut IdleTimeout) {
        self.set_timer_at(idle.end(), table, handle, idle);
    }

    fn set_timer_at(&mut self, time: Nanos, table: TableId, handle: Handle, idle: &mut IdleTimeout) {
        if idle.timer.is_none_or(|timer| timer > time) {
            idle.timer = Some(time);
            self.queue.push((time, table.index(), handle));
        }
    }

    /// Sets the timer of an entry whose notice was taken at `now`.
    pub(super) fn repeat(&mut self, now: Nanos, table: TableId, handle: Handle, idle: &mut IdleTimeout) {
        idle.is_reported = false;
        if idle.timer.is_none() {
            self.set_timer_at(idle.repeat(now), table, handle, idle);
        }
    }

    /// Returns the time at which the next timer fires.
    pub(crate) fn next_time(&self) -> Option<Nanos> {
        self.queue.peek().map(|(time, ..)| *time)
    }

    /// Takes the first timer: its time, its table and its entry.
    pub(crate) fn take_first(&mut self) -> Option<(Nanos, TableId, Handle)> {
        let (time, table, handle) = self.queue.pop()?;
        Some((time, TableId::new(table), handle))
    }

    /// Adds a notice. If there are too many notices, the oldest is lost.
    pub(super) fn add_notice(&mut self, notice: IdleNotice, idle: &mut IdleTimeout) {
        if !std::mem::replace(&mut idle.is_reported, true) {
            self.reported.push((notice.table, notice.entry.handle));
        }
        if self.notices.len() == MAX_NOTICES {
            self.notices.pop_front();
        }
        self.notices.push_back(notice);
    }

    /// Takes the entries that have unread notices.
    pub(crate) fn take_reported(&mut self) -> Vec<(TableId, Handle)> {
        std::mem::take(&mut self.reported)
    }

    /// Forgets timers that will be ignored when they fire, if there are many more timers than
    /// entries in the tables (`entries`). Packets that change time-outs back and forth leave such
    /// timers.
    pub(crate) fn forget_ignored(
        &mut self,
        entries: impl FnOnce() -> usize,
        is_set: impl Fn(TableId, Handle, Nanos) -> bool,
    ) {
        if self.queue.len() > MAX_NOTICES && self.queue.len() > 2 * entries() {
            self.queue.retain(|(time, table, handle)| is_set(TableId::new(*table), *handle, *time));
        }
    }

    /// Forgets reported entries that were removed from the tables, if there are many more reported
    /// entries than entries in the tables (`entries`).
    pub(crate) fn forget_removed(
        &mut self,
        entries: impl FnOnce() -> usize,
        is_there: impl Fn(TableId, Handle) -> bool,
    ) {
        if self.reported.len() > MAX_NOTICES && self.reported.len() > 2 * entries() {
            self.reported.sort_unstable();
            self.reported.dedup();
            self.reported.retain(|(table, handle)| is_there(*table, *handle));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ignored_timers_are_forgotten() {
        let (mut timers, table) = (IdleTimers::default(), TableId::new(0));
        let mut idle = IdleTimeout { timeout: 1, since: 0, timer: None, is_reported: false };
        for now in 0..10_000 {
            // The timer has fired, and the time-out changes back and forth: a long timer is left
            // over.
            idle.timer = None;
            for timeout in [1_000_000, 1] {
                let changed = IdleTimeout { timeout, since: now, timer: None, is_reported: false };
                let old = std::mem::replace(&mut idle, changed);
                idle.take_over(&old);
                timers.set_timer(table, 7, &mut idle);
            }
            timers.forget_ignored(|| 1, |_, _, time| idle.timer == Some(time));
            assert!(timers.queue.len() <= MAX_NOTICES, "{}", timers.queue.len());
            assert_eq!(timers.next_time(), Some(now + 1));
            timers.take_first();
        }
    }

    #[test]
    fn reported_entries_are_forgotten_after_their_removal() {
        let (mut timers, table) = (IdleTimers::default(), TableId::new(0));
        let there = [7, 50_000];
        for handle in 0..100_000 {
            timers.reported.push((table, handle));
            timers.forget_removed(|| there.len(), |_, handle| there.contains(&handle));
            assert!(timers.reported.len() <= MAX_NOTICES);
        }
        let kept = timers.take_reported().into_iter().filter(|(_, handle)| there.contains(handle));
        assert_eq!(kept.count(), 2);
    }
}
