//! What a network holds.

/// What a network holds now beside its nodes and links, and what it has room for: all that comes and goes with packets and applications.
/// Rooms are of the most there were at once; where no counter of this grows any more, memory does not either, but for results that were asked
/// for (rows, traces, samples, captures).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ResourceUsage {
    /// Frames under way.
    pub frames: usize,
    /// Frames that there is memory for, by size as many as were ever under way at once.
    pub frame_capacity: usize,
    /// Events that wait for their time.
    pub events: usize,
    /// Events that there is room for.
    pub event_capacity: usize,
    /// Wake-ups that applications have asked for and that wait for their time.
    pub wakes: usize,
    /// Wake-ups that there is room for.
    pub wake_capacity: usize,
    /// Applications of all hosts that were not released, or have not finished.
    pub apps: usize,
    /// Applications that there are places for.
    pub app_capacity: usize,
    /// What applications of all hosts listen for.
    pub bindings: usize,
    /// Open connections of TCP, at both ends.
    pub connections: usize,
    /// Remains of connections in TIME-WAIT.
    pub waiting: usize,
    /// Connections and remains that there are places for.
    pub connection_capacity: usize,
    /// Times at which connections want to be called, some of them outdated.
    pub timers: usize,
    /// Packets of which fragments have come, and packets that wait for a neighbour's hardware address.
    pub packets_held: usize,
}
