//! How far to run, and how far a run came.

use weir_device::Nanos;

use crate::host::ids::AppId;

/// How far to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopCondition {
    /// Until this time: all events up to and at it happen, and the clock then shows it.
    Time(Nanos),
    /// Until nothing is left to happen, but not beyond `limit`. The clock then shows the last event's time.
    Idle {
        /// The latest time.
        limit: Nanos,
    },
    /// Until all applications have finished, but not beyond `limit`. The clock then shows the last event's time.
    Finished {
        /// The latest time.
        limit: Nanos,
    },
    /// Until one application has finished, but not beyond `limit`. The clock then shows the last event's time.
    AppFinished {
        /// The application; one that is not of this network counts as finished.
        app: AppId,
        /// The latest time.
        limit: Nanos,
    },
}

/// Why a run stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// The goal is reached.
    Reached,
    /// As many events as allowed have happened; call again to go on.
    EventLimit,
    /// The goal's limit is reached before the goal; the clock shows the limit.
    TimeLimit,
    /// Nothing is left to happen, so the goal will never be reached.
    NothingLeft,
    /// A program on a host, or a watch on a link, wants its caller to look: see [`crate::HostContext::request_stop`] and [`crate::Network::watch`].
    /// All that belongs to the event at hand has been done; call again to go on.
    Requested,
}

/// How far a run came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunResult {
    /// The time now.
    pub now: Nanos,
    /// Events that happened in this run.
    pub events: u64,
    /// Why it stopped.
    pub stop: StopReason,
}
