//! What ports and threads count, as workers publish it for those who watch.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use weir_device::Port;
use weir_ports::offload::WireSize;
use weir_ports::{ReceiveCounts, TransmitCounts};

/// What the ports of a switch count, of all workers together.
#[derive(Default)]
pub struct PublishedCounts(Mutex<BTreeMap<(usize, Port), PortCounts>>);

/// What a port has counted. Frames that it could not send are those of a wire: a GSO frame counts as
/// its segments, unless its metadata is wrong. What the kernel or the port itself refused on arrival
/// counts as it came.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PortCounts {
    /// By its receiving half.
    pub received: ReceiveCounts,
    /// By its sending half.
    pub sent: TransmitCounts,
    /// Frames that came with wrong offload metadata.
    pub wrong_offload: u64,
    /// Frames that the interface's queue had no room for.
    pub queue_full: u64,
    /// Frames that were not sent because the port failed.
    pub failed: u64,
    /// What the GSO frames that the switch got whole take on a wire, beyond what the switch counts.
    pub more_received: WireSize,
    /// The same for those that left the switch whole.
    pub more_sent: WireSize,
}

/// Adds what a frame takes on a wire beyond what it takes whole.
pub fn add_more(more: &mut WireSize, wire: WireSize, length: usize) {
    more.frames += wire.frames - 1;
    more.bytes += wire.bytes - length as u64;
}

impl PublishedCounts {
    /// Sets what a worker's sockets of a port have counted since the start.
    pub fn publish(&self, worker: usize, port: Port, counts: PortCounts) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert((worker, port), counts);
    }

    /// What GSO frames take on a wire beyond what the switch counts, in and out, by port.
    pub fn more(&self) -> BTreeMap<Port, [WireSize; 2]> {
        let mut all: BTreeMap<Port, [WireSize; 2]> = BTreeMap::new();
        for ((_, port), counts) in self.0.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            let sums = all.entry(*port).or_default();
            for (sum, more) in sums.iter_mut().zip([counts.more_received, counts.more_sent]) {
                sum.frames += more.frames;
                sum.bytes += more.bytes;
            }
        }
        all
    }

    /// Frames that ports have dropped, by port, direction and reason.
    pub fn drops(&self) -> BTreeMap<(Port, &'static str, &'static str), u64> {
        let mut drops = BTreeMap::new();
        for ((_, port), counts) in self.0.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            let PortCounts { received, sent, wrong_offload, queue_full, failed, .. } = counts;
            for (direction, reason, count) in [
                ("in", "receive memory full", received.missed),
                ("in", "truncated", received.truncated),
                ("in", "unknown offload", received.unknown_offload),
                ("in", "wrong offload metadata", *wrong_offload),
                ("out", "no link", sent.no_link),
                ("out", "longer than the MTU", sent.too_long),
                ("out", "wrong offload metadata", sent.malformed),
                ("out", "interface queue full", *queue_full),
                ("out", "port failed", *failed),
            ] {
                *drops.entry((*port, direction, reason)).or_default() += count;
            }
        }
        drops
    }
}
