//! Properties of a packet that are known to the switch but are not in its bytes or variables.

use weir_device::Nanos;

/// A property of a packet that the switch knows. Times are in microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fact {
    /// The port on which the packet arrived; 0 after a recirculation.
    IngressPort,
    /// The number of the packet's [`InstanceType`] at the start of the pass.
    InstanceType,
    /// The packet's length in bytes when the pass began.
    Length,
    /// The time at which the switch received the packet; unknown after its first pass.
    IngressTime,
    /// The port of the packet's queue.
    EgressPort,
    /// The time at which egress began.
    EgressTime,
    /// The time at which the packet was put into its queue.
    EnqueueTime,
    /// The number of packets in the queue when this packet was put in.
    EnqueueDepth,
    /// The time that the packet was in the queue.
    QueueTime,
    /// The number of packets left in the queue when this packet was taken out.
    DequeueDepth,
}

/// The way in which a packet entered its pass, or in which a copy was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InstanceType {
    Normal,
    IngressClone,
    EgressClone,
    Recirculated,
    Replicated,
    Resubmitted,
}

/// Converts a time to whole microseconds.
pub(super) fn micros(time: Nanos) -> u64 {
    time / 1000
}
