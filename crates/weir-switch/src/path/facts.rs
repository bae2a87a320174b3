//! Facts that the switch knows about a packet, apart from its bytes and variables.

use weir_device::Nanos;

/// A fact that the switch knows about a packet. Times are in microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fact {
    /// The port on which it arrived; 0 after a recirculation.
    IngressPort,
    /// The number of its [`InstanceType`] at the start of the pass.
    InstanceType,
    /// The packet's length in bytes when the pass began.
    Length,
    /// When the switch received it; unknown after its first pass.
    IngressTime,
    /// The port of its queue.
    EgressPort,
    /// When egress began.
    EgressTime,
    /// When it came into its queue.
    EnqueueTime,
    /// Packets that it found in the queue.
    EnqueueDepth,
    /// How long it was in the queue.
    QueueTime,
    /// Packets that it left in the queue.
    DequeueDepth,
}

/// How a packet entered its pass, or how a copy was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InstanceType {
    Normal,
    IngressClone,
    EgressClone,
    Recirculated,
    Replicated,
    Resubmitted,
}

/// Whole microseconds.
pub(super) fn micros(time: Nanos) -> u64 {
    time / 1000
}
