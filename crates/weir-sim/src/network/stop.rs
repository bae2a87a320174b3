//! The conditions that end a run, and the reasons for its end.

use weir_device::Nanos;

use crate::host::ids::AppId;

/// The condition that ends a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopCondition {
    /// Until this time: all events up to and including it are handled, and the clock then shows
    /// this time.
    Time(Nanos),
    /// Until there are no more events, but not beyond `limit`. The clock then shows the time of the
    /// last event.
    Idle {
        /// The latest time at which the run ends.
        limit: Nanos,
    },
    /// Until all applications have finished, but not beyond `limit`. The clock then shows the time
    /// of the last event.
    Finished {
        /// The latest time at which the run ends.
        limit: Nanos,
    },
    /// Until one application has finished, but not beyond `limit`. The clock then shows the time of
    /// the last event.
    AppFinished {
        /// The application; one that is not of this network counts as finished.
        app: AppId,
        /// The latest time at which the run ends.
        limit: Nanos,
    },
}

/// The reason why a run stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// The condition holds.
    Reached,
    /// The maximum number of events and samples was reached; call again to continue.
    EventLimit,
    /// The clock reached the time limit before the condition held.
    TimeLimit,
    /// There are no more events, so the condition will never hold.
    NothingLeft,
    /// An application, a watch or a device's message requested it: see
    /// [`crate::HostContext::request_stop`] and [`crate::Network::watch`] and
    /// [`crate::Network::read_messages`]. The current event has been handled completely; call again
    /// to continue.
    Requested,
    /// A sampler holds the maximum number of samples and takes no more; call again to continue.
    SampleLimit,
    /// Packets seem to stay in the network forever: see [`crate::Network::stop_at_loops`]. Call
    /// again to continue.
    Loop,
}

/// The result of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunResult {
    /// The time at which the run stopped.
    pub now: Nanos,
    /// The number of events handled in this run.
    pub events: u64,
    /// The reason why the run stopped.
    pub stop: StopReason,
}
