//! The resource usage of a network.

/// The objects that a network holds now besides its nodes and links, and the capacity it has
/// allocated for them. A capacity is the maximum that existed at the same time. While no capacity
/// grows, memory use does not grow either, except for results that the user asked for (rows,
/// traces, samples, captures).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ResourceUsage {
    /// Frames in use.
    pub frames: usize,
    /// Capacity of the frame pool.
    pub frame_capacity: usize,
    /// Pending events.
    pub events: usize,
    /// Capacity of the event queue.
    pub event_capacity: usize,
    /// Pending wake-ups of applications.
    pub wakes: usize,
    /// Capacity for wake-ups.
    pub wake_capacity: usize,
    /// Applications of all hosts that are running or not released yet.
    pub apps: usize,
    /// Capacity for applications.
    pub app_capacity: usize,
    /// Bindings of all hosts.
    pub bindings: usize,
    /// Open TCP connections; each end counts.
    pub connections: usize,
    /// TCP connections in TIME-WAIT.
    pub waiting: usize,
    /// Capacity for TCP connections.
    pub connection_capacity: usize,
    /// TCP timers in the queues, including outdated ones.
    pub timers: usize,
    /// Packets that are being reassembled, and packets that wait for a neighbour's hardware
    /// address.
    pub packets_held: usize,
}
