//! Runs a slice of a simulation, with checks for Ctrl-C in between; starts threads.
//!
//! One event can take a second, for example if the interpreter runs long loops for a packet.
//! Therefore a slice with many events runs in parts, which become longer while they are fast. The
//! boundaries of the parts do not affect the network.

use std::time::{Duration, Instant};

use pyo3::prelude::*;
use weir_sim::{RunResult, StopCondition, StopReason, Task};

use crate::own_externs;

/// The number of events in the first part.
const FIRST_EVENTS: u64 = 16;

/// The approximate duration of a part.
const PART_DURATION: Duration = Duration::from_millis(10);

/// Runs a slice of at most `events` events. `run` runs a part of the slice. The slice ends early
/// when `interrupted` returns true after a signal.
///
/// # Errors
/// Errors of `run`, and exceptions that a signal handler or `interrupted` raises.
pub(super) fn run(
    py: Python<'_>,
    goal: StopCondition,
    events: u64,
    interrupted: &Bound<'_, PyAny>,
    run: impl Fn(StopCondition, u64) -> PyResult<RunResult> + Sync,
) -> PyResult<StopReason> {
    let (mut left, mut part) = (events, FIRST_EVENTS.min(events));
    loop {
        let begin = Instant::now();
        let stop = py.detach(|| run(goal, part))?.stop;
        own_externs::raise()?;
        // Exceptions of signal handlers are raised here, because the next Python code to run might
        // be a weak reference's callback, which loses exceptions.
        py.check_signals()?;
        left -= part;
        if stop != StopReason::EventLimit || left == 0 || interrupted.call0()?.is_truthy()? {
            return Ok(stop);
        }
        part = if begin.elapsed() < PART_DURATION { part.saturating_mul(2) } else { (part / 2).max(1) }
            .min(left);
    }
}

/// Runs each task in a thread, the first in the caller's.
pub(super) fn run_in_threads(tasks: Vec<Task<'_>>) {
    std::thread::scope(|scope| {
        let mut tasks = tasks.into_iter();
        let first = tasks.next();
        tasks.for_each(|task| drop(scope.spawn(task)));
        first.into_iter().for_each(|task| task());
    });
}
