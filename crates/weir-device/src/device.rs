//! The [`Device`] trait, and the types of its methods.

use std::any::Any;

use crate::{Buffer, Nanos, Packet, Port};

/// A packet that leaves a device, with its port and time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transmission {
    /// The time at which the packet's first bit is ready for the wire.
    pub time: Nanos,
    /// The port through which the packet leaves.
    pub port: Port,
    /// The packet that leaves.
    pub packet: Packet,
}

/// A packet that a device dropped, with the place and the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drop {
    /// The time at which the packet was dropped.
    pub time: Nanos,
    /// The place in the device, such as `ingress`, `queue 3`, `port 7`.
    pub place: String,
    /// The reason, such as `drop port`, `queue full`, `no such port`.
    pub reason: String,
    /// The packet's id.
    pub packet: u64,
}

/// The action of a device on a packet in the caller's [`Buffer`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReceiveOutcome {
    /// The device keeps the packet and handles it later. The caller may reuse the buffer, whose
    /// contents are unspecified.
    Held,
    /// The packet leaves in the same buffer. The device no longer counts it as in flight.
    Forwarded {
        /// The time at which the packet's first bit is ready for the wire: now or later.
        time: Nanos,
        /// The port through which the packet leaves.
        port: Port,
    },
    /// The device dropped the packet and counted the drop. The caller may reuse the buffer.
    Dropped,
}

/// The lookups at one place of a device that found no entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedLookups {
    /// The place of the lookups.
    pub place: String,
    /// The part of the device that makes the lookups, named as in drops: `ingress` or `egress`.
    pub part: &'static str,
    /// The number of failed lookups.
    pub count: u64,
    /// The current number of entries.
    pub size: usize,
    /// The action of the device after a failed lookup, in words; `None` if it does nothing.
    pub then: Option<String>,
}

/// A passive device with ports. A device never reads a clock. Its caller, the *world*, calls
/// [`Device::receive`] when a packet arrives, and calls [`Device::advance`] at the time that
/// [`Device::next_deadline`] returns.
///
/// The times of successive calls never decrease.
pub trait Device: Any + Send {
    /// Takes a packet whose last bit arrived on `port` at `now`.
    fn receive(&mut self, now: Nanos, port: Port, packet: Packet);

    /// Takes a packet whose last bit arrived on `port` at `now`, in memory of the caller. If the
    /// device needs no intermediate event for this packet, it may immediately return the port and
    /// the time at which the packet leaves. The result must be the same as with [`Device::receive`]
    /// and [`Device::advance`].
    fn receive_in_place(&mut self, now: Nanos, port: Port, frame: &mut Buffer<'_>) -> ReceiveOutcome {
        self.receive(now, port, frame.to_packet());
        ReceiveOutcome::Held
    }

    /// Returns the time of the device's next event; `None` if nothing is due.
    fn next_deadline(&self) -> Option<Nanos>;

    /// Handles every event up to and including `now` and appends the packets that leave to `out`,
    /// in order of time.
    fn advance(&mut self, now: Nanos, out: &mut Vec<Transmission>);

    /// Notifies the device that a port went down at `now`, or came up again. Initially, all ports
    /// are up. A device that ignores this call continues to send to the port.
    fn set_port_up(&mut self, _now: Nanos, _port: Port, _up: bool) {}

    /// Returns the drops recorded since the last call. Drops are always counted; they are recorded
    /// one by one only after [`Device::record_drops`].
    fn take_drops(&mut self) -> Vec<Drop>;

    /// Turns the recording of single drops on or off.
    fn record_drops(&mut self, on: bool);

    /// Returns the lengths of a port's queues in packets, by queue number; empty for a device
    /// without queues.
    fn queue_lengths(&self, _port: Port) -> Vec<usize> {
        Vec::new()
    }

    /// Sets whether packets that are resubmitted or recirculated ([`PacketAccount::repeated`]) wait
    /// for [`Device::start_next_pass`]; initially, they do not wait. With this setting, a world can
    /// account for the time of each pass. A device that ignores this call repeats packets by
    /// itself.
    fn wait_to_repeat(&mut self, _on: bool) {}

    /// Returns the number of packets that wait for [`Device::start_next_pass`].
    fn repeats_waiting(&self) -> usize {
        0
    }

    /// Starts the next pass of the first waiting packet.
    fn start_next_pass(&mut self, _now: Nanos) {}

    /// Returns whether the device has messages that must be delivered immediately. A world that
    /// delivers messages calls this method after each other call.
    fn has_messages(&self) -> bool {
        false
    }

    /// Returns whether the device depends only on the calls of its methods, affects nothing outside
    /// itself, and never has messages ([`Device::has_messages`]). A world may call several such
    /// devices at the same time, each from a thread. The default is false.
    fn is_self_contained(&self) -> bool {
        false
    }

    /// Returns a packet that waits inside the device; `None` if the device cannot show one.
    fn waiting_frame(&self) -> Option<&[u8]> {
        None
    }

    /// Returns the number of packets that are currently inside the device.
    fn in_flight(&self) -> usize;

    /// Returns the account of all packets so far.
    fn account(&self) -> PacketAccount;

    /// Returns the number of drops so far, by place and reason, in a deterministic order.
    fn drop_counts(&self) -> Vec<(String, String, u64)>;

    /// Returns, for each place and reason of [`Device::drop_counts`], the first bytes of a recently
    /// dropped frame, as the frame arrived. A device keeps no frame for reasons that do not depend
    /// on the frame.
    fn dropped_frames(&self) -> Vec<(String, String, Vec<u8>)> {
        Vec::new()
    }

    /// Returns the lookups that found no entry, which may explain drops.
    fn failed_lookups(&self) -> Vec<FailedLookups> {
        Vec::new()
    }
}

/// Packet counts of a device since its start. At any time `received + created = transmitted +
/// dropped + in_flight`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PacketAccount {
    /// The number of packets that arrived.
    pub received: u64,
    /// The number of packets that the device created: copies (clones, multicast) and packets of its
    /// own.
    pub created: u64,
    /// The number of packets that left.
    pub transmitted: u64,
    /// The number of packets that the device dropped.
    pub dropped: u64,
    /// The number of packets that are currently inside the device.
    pub in_flight: u64,
    /// The number of times that packets inside the device were resubmitted or recirculated.
    pub repeated: u64,
}

impl PacketAccount {
    /// Returns the differences from an `earlier` account. `in_flight` is not a difference but the
    /// current number.
    #[must_use]
    pub fn since(self, earlier: Self) -> Self {
        Self {
            received: self.received.saturating_sub(earlier.received),
            created: self.created.saturating_sub(earlier.created),
            transmitted: self.transmitted.saturating_sub(earlier.transmitted),
            dropped: self.dropped.saturating_sub(earlier.dropped),
            in_flight: self.in_flight,
            repeated: self.repeated.saturating_sub(earlier.repeated),
        }
    }
}
