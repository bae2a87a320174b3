//! The resource usage of a network.

/// The objects that a network holds now besides its nodes and links, and the capacity it has
/// allocated for them. A capacity is the maximum that existed at the same time. While no capacity
/// grows, memory use does not grow either, except for results that the user asked for (rows,
/// traces, samples, captures).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ResourceUsage {
    /// The number of frames in use.
    pub frames: usize,
    /// The capacity of the frame pool.
    pub frame_capacity: usize,
    /// The number of pending events.
    pub events: usize,
    /// The capacity of the event queue.
    pub event_capacity: usize,
    /// The number of pending wake-ups of applications.
    pub wakes: usize,
    /// The capacity for wake-ups.
    pub wake_capacity: usize,
    /// The number of applications, on all hosts, that are running or not released yet.
    pub apps: usize,
    /// The capacity for applications.
    pub app_capacity: usize,
    /// The number of bindings of all hosts.
    pub bindings: usize,
    /// The number of open TCP connections; each end counts.
    pub connections: usize,
    /// The number of TCP connections in TIME-WAIT.
    pub waiting: usize,
    /// The capacity for TCP connections.
    pub connection_capacity: usize,
    /// The number of TCP timers in the queues, including outdated ones.
    pub timers: usize,
    /// The number of packets that are being reassembled or that wait for a neighbour's hardware
    /// address.
    pub packets_held: usize,
}
