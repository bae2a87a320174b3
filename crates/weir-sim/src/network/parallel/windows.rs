//! The threads that run the parts, in windows of virtual time.
//!
//! A window begins at the time of the earliest event in any part. A frame from another part arrives
//! at least the look-ahead after it was sent, so no frame from another part arrives in a window
//! that is not longer than the look-ahead: in it, each part runs by itself.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{PoisonError, RwLock};

use weir_device::Nanos;

use super::barrier::Barrier;
use super::order::{Handled, resolve_ties};
use super::part::Outcome;
use crate::network::Network;

/// The number of windows after which a run ends if windows have been small.
const WINDOWS_PER_CHECK: u64 = 64;
/// The minimum mean number of events in a window for which it pays to use several threads. With
/// fewer, the threads mostly wait for each other.
const MIN_EVENTS_PER_WINDOW: u64 = 64;

/// The maximum number of events that a window should have, and the minimum number of such windows
/// in a run. Longer windows would not make a run faster, and the number of events in a run would be
/// less exact.
const MAX_EVENTS_PER_WINDOW: u64 = 50_000;
const MIN_WINDOWS_PER_RUN: u64 = 8;

/// The work of one thread.
pub type Task<'a> = Box<dyn FnOnce() + Send + 'a>;

/// Runs each task in a thread, all at the same time, and returns when all of them are done. A task
/// waits for the others, so tasks that ran one after the other would never be done. If one panics,
/// the others return, and the function panics.
pub type RunTasks = fn(Vec<Task<'_>>);

/// The limits of a run.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    /// No event at or after this time is handled.
    pub(super) end: Nanos,
    /// The run ends when the next window would probably exceed this number of events.
    pub(super) events: u64,
    pub(super) lookahead: Nanos,
    /// The length of the first window, at most the look-ahead.
    pub(super) length: Nanos,
    /// Whether to continue if windows are too small for several threads to pay.
    pub(super) may_be_small: bool,
}

/// Counts of the windows of a run.
#[derive(Clone, Copy)]
pub(super) struct WindowCounts {
    /// The length of the next window.
    pub(super) length: Nanos,
    pub(super) windows: u64,
    /// The sum over all windows of the events in the part with the most events.
    pub(super) critical_events: u64,
    /// Whether the run ended because windows were small.
    pub(super) are_small: bool,
}

impl WindowCounts {
    fn new(limits: Limits) -> Self {
        WindowCounts { length: limits.length, windows: 0, critical_events: 0, are_small: false }
    }
}

/// The state that all threads share.
struct Shared {
    barrier: Barrier,
    outcomes: Vec<RwLock<Outcome>>,
    /// The time of the next event in each part.
    next: Vec<AtomicU64>,
    /// The number of events that each part has handled.
    handled: Vec<AtomicU64>,
}

/// Runs all parts in this number of threads, which the caller's function starts.
pub(super) fn run(parts: &mut [Network], threads: usize, start: RunTasks, limits: Limits) -> WindowCounts {
    let share = parts.len().div_ceil(threads.max(1)).max(1);
    let shared = Shared {
        barrier: Barrier::new(parts.len().div_ceil(share)),
        outcomes: parts.iter().map(|_| RwLock::new(Outcome::new(parts.len()))).collect(),
        next: parts.iter().map(|_| AtomicU64::new(Nanos::MAX)).collect(),
        handled: parts.iter().map(|_| AtomicU64::new(0)).collect(),
    };
    let mut counts = WindowCounts::new(limits);
    let mut of_first = Some(&mut counts);
    let shares = (0..).step_by(share).zip(parts.chunks_mut(share));
    let mut tasks: Vec<Task<'_>> = Vec::new();
    for (number, parts) in shares {
        let (shared, result) = (&shared, of_first.take());
        tasks.push(Box::new(move || {
            let counts = run_share(parts, number, shared, limits);
            if let Some(result) = result {
                *result = counts;
            }
        }));
    }
    if tasks.len() > 1 {
        start(tasks);
    } else {
        tasks.into_iter().for_each(|task| task());
    }
    counts
}

/// Runs the parts of one thread until the end of the run. `first` is the index of the first of
/// these parts among all parts of the network. All threads see the same numbers, so they all make
/// the same decisions.
fn run_share(parts: &mut [Network], first: usize, shared: &Shared, limits: Limits) -> WindowCounts {
    let _guard = shared.barrier.guard();
    let mut counts = WindowCounts::new(limits);
    let most = (limits.events / MIN_WINDOWS_PER_RUN).min(MAX_EVENTS_PER_WINDOW);
    let (mut handled, mut largest) = (0, 0);
    loop {
        // Other threads may read these numbers until they reach the second barrier, so they change
        // only here.
        for (number, part) in (first..).zip(&*parts) {
            shared.next[number].store(part.next_event_time(), Ordering::Relaxed);
            shared.handled[number].store(part.events_in_run(), Ordering::Relaxed);
        }
        if !shared.barrier.wait() {
            return counts;
        }
        let start = shared.next.iter().map(|next| next.load(Ordering::Relaxed)).min().unwrap_or(Nanos::MAX);
        let total: u64 = shared.handled.iter().map(|events| events.load(Ordering::Relaxed)).sum();
        let in_window = total - handled;
        (handled, largest) = (total, in_window.max(largest - largest / 8));
        if in_window > most {
            counts.length = (counts.length / 2).max(1);
        } else if in_window < most / 2 {
            counts.length = counts.length.saturating_mul(2).min(limits.lookahead);
        }
        counts.are_small = !limits.may_be_small
            && counts.windows % WINDOWS_PER_CHECK == WINDOWS_PER_CHECK - 1
            && total < counts.windows * MIN_EVENTS_PER_WINDOW;
        if start >= limits.end || counts.are_small || total + 2 * largest >= limits.events {
            return counts;
        }
        let horizon = start.saturating_add(counts.length).min(limits.end);
        for (number, part) in (first..).zip(&mut *parts) {
            part.run_window(horizon, &shared.outcomes[number]);
        }
        if !shared.barrier.wait() {
            return counts;
        }
        counts.windows += 1;
        if first == 0 {
            counts.critical_events += order_window(shared, start);
        }
        if !shared.barrier.wait() {
            return counts;
        }
        for part in &mut *parts {
            part.take_in(&shared.outcomes);
        }
    }
}

/// Orders the events of a window. Returns the number of events in the part with the most.
fn order_window(shared: &Shared, start: Nanos) -> u64 {
    let mut outcomes: Vec<_> = shared
        .outcomes
        .iter()
        .map(|outcome| outcome.write().unwrap_or_else(PoisonError::into_inner))
        .collect();
    let mut logs: Vec<&mut [Handled]> =
        outcomes.iter_mut().map(|outcome| outcome.log.as_mut_slice()).collect();
    resolve_ties(&mut logs, start);
    logs.iter().map(|log| log.len() as u64).max().unwrap_or(0)
}
