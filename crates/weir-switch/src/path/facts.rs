//! Properties of a packet that are known to the switch but are not in its bytes or variables.

/// A property of a packet that the switch knows. Times are in nanoseconds, lengths in bytes, and
/// depths of queues in packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fact {
    /// The port on which the packet arrived. After a recirculation, the port of
    /// [`Metadata::recirculation`](super::Metadata::recirculation).
    IngressPort,
    /// 1 if that port is a [host port](crate::SwitchConfig::first_host_port), 0 if not.
    FromHost,
    /// The number of recirculations before this pass.
    Pass,
    /// The number of the packet's [`PacketKind`](crate::packet::PacketKind): at the start of the
    /// pass; in egress, the kind with which it came from ingress.
    Kind,
    /// The packet's length when the pass began.
    Length,
    /// The time at which the switch received the packet; unknown after its first pass.
    IngressTime,
    /// The time at which the pass began.
    PassTime,
    /// The port of the packet's queue.
    EgressPort,
    /// The number that the packet got as a copy, from its multicast group or clone session.
    Instance,
    /// The priority of the packet in its queue.
    Priority,
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
    /// 1 if the packet found its queue full and was deflected, 0 if not.
    Deflected,
}

/// A fact in the unit in which an architecture shows it to programs. The variable to which it is
/// assigned determines the width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reading {
    pub fact: Fact,
    pub unit: Unit,
}

/// The unit of a [`Reading`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    /// The unit of [`Fact`].
    Own,
    /// Microseconds, rounded down. Only for times.
    Micros,
}

impl Fact {
    /// Reads the fact in its own unit.
    pub(crate) const fn plain(self) -> Reading {
        Reading { fact: self, unit: Unit::Own }
    }

    /// Reads the time in microseconds.
    pub(crate) const fn micros(self) -> Reading {
        Reading { fact: self, unit: Unit::Micros }
    }
}

impl Unit {
    /// Converts a value to this unit.
    #[inline]
    pub(super) fn convert(self, value: u64) -> u64 {
        match self {
            Self::Own => value,
            Self::Micros => value / 1000,
        }
    }
}
