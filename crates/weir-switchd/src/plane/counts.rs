//! What ports and threads count, as workers publish it for those who watch.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use weir_device::Port;
use weir_ports::offload::WireSize;
use weir_ports::{ReceiveCounts, TransmitCounts};

/// What the ports of a switch count, of all workers together.
#[derive(Default)]
pub struct PublishedCounts {
    counts: Mutex<BTreeMap<(usize, Port), PortCounts>>,
    sent: Mutex<Vec<(Port, Arc<Sent>)>>,
}

/// What a port has counted. Frames that it could not send are those of a wire: a GSO frame counts
/// as its segments, unless its metadata is wrong. What the kernel or the port itself refused on
/// arrival counts as it came.
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
}

/// What a worker has sent by a port, as a wire has it. The worker writes it after each batch, so
/// that it does not fall behind what others have received.
#[derive(Debug, Default)]
pub struct Sent {
    frames: AtomicU64,
    bytes: AtomicU64,
}

impl Sent {
    /// What has left so far.
    #[inline]
    pub fn set(&self, frames: u64, bytes: u64) {
        self.frames.store(frames, Ordering::Relaxed);
        self.bytes.store(bytes, Ordering::Relaxed);
    }

    /// One more frame has left. Only its worker calls this.
    pub fn add(&self, bytes: u64) {
        let add = |to: &AtomicU64, more| to.store(to.load(Ordering::Relaxed) + more, Ordering::Relaxed);
        add(&self.frames, 1);
        add(&self.bytes, bytes);
    }
}

/// Adds what a frame takes on a wire beyond what it takes whole.
pub fn add_more(more: &mut WireSize, wire: WireSize, length: usize) {
    more.frames += wire.frames - 1;
    more.bytes += wire.bytes - length as u64;
}

impl PublishedCounts {
    /// Sets what a worker's sockets of a port have counted since the start.
    pub fn publish(&self, worker: usize, port: Port, counts: PortCounts) {
        locked(&self.counts).insert((worker, port), counts);
    }

    /// Where a worker notes what it sends by a port from now on.
    pub fn sender(&self, port: Port) -> Arc<Sent> {
        let sent = Arc::<Sent>::default();
        locked(&self.sent).push((port, Arc::clone(&sent)));
        sent
    }

    /// What has left by each port, as a wire has it.
    pub fn sent(&self) -> BTreeMap<Port, WireSize> {
        let mut all: BTreeMap<Port, WireSize> = BTreeMap::new();
        for (port, sent) in locked(&self.sent).iter() {
            let sum = all.entry(*port).or_default();
            sum.frames += sent.frames.load(Ordering::Relaxed);
            sum.bytes += sent.bytes.load(Ordering::Relaxed);
        }
        all
    }

    /// What GSO frames that came take on a wire beyond what the switch counts, by port.
    pub fn more_received(&self) -> BTreeMap<Port, WireSize> {
        let mut all: BTreeMap<Port, WireSize> = BTreeMap::new();
        for ((_, port), counts) in locked(&self.counts).iter() {
            let sum = all.entry(*port).or_default();
            sum.frames += counts.more_received.frames;
            sum.bytes += counts.more_received.bytes;
        }
        all
    }

    /// Frames that ports have dropped, by port, direction and reason.
    pub fn drops(&self) -> BTreeMap<(Port, &'static str, &'static str), u64> {
        let mut drops = BTreeMap::new();
        for ((_, port), counts) in locked(&self.counts).iter() {
            let PortCounts { received, sent, wrong_offload, queue_full, failed, .. } = counts;
            for (direction, reason, count) in [
                ("in", "receive memory full", received.missed),
                ("in", "truncated", received.truncated),
                ("in", "unknown offload", received.unknown_offload),
                ("in", "wrong offload metadata", *wrong_offload),
                ("out", "no link", sent.no_link),
                ("out", "longer than the MTU", sent.too_long),
                ("out", "shorter than an Ethernet header", sent.too_short),
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

/// Counts are written in one step, so a panic leaves none half changed.
fn locked<T>(counts: &Mutex<T>) -> MutexGuard<'_, T> {
    counts.lock().unwrap_or_else(PoisonError::into_inner)
}
