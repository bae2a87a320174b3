//! Counts of ports and threads, as workers publish them for metrics.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use weir_device::Port;
use weir_ports::offload::WireSize;
use weir_ports::{ReceiveCounts, TransmitCounts};

/// The counts of a switch's ports, over all workers.
#[derive(Default)]
pub struct PublishedCounts {
    counts: Mutex<BTreeMap<(usize, Port), PortCounts>>,
    sent: Mutex<Vec<(Port, Arc<Sent>)>>,
}

/// The counts of a port. If frames could not be sent, a GSO frame counts as its segments, unless
/// its metadata is wrong. If the kernel or the port refused frames on arrival, a GSO frame counts
/// as one frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PortCounts {
    /// The counts of the receiving half.
    pub received: ReceiveCounts,
    /// The counts of the sending half.
    pub sent: TransmitCounts,
    /// The number of frames that arrived with wrong offload metadata.
    pub wrong_offload: u64,
    /// The number of frames for which the interface's queue had no space.
    pub queue_full: u64,
    /// The number of frames that were not sent because the port failed.
    pub failed: u64,
    /// The frames and bytes that whole received GSO frames take on a wire, in addition to those
    /// that the switch counts.
    pub more_received: WireSize,
}

/// The number of frames that a worker has sent through a port. GSO frames count as their segments.
/// The worker updates these counts after each batch.
#[derive(Debug, Default)]
pub struct Sent {
    frames: AtomicU64,
    bytes: AtomicU64,
}

impl Sent {
    /// The frames and bytes sent so far.
    #[inline]
    pub fn set(&self, frames: u64, bytes: u64) {
        self.frames.store(frames, Ordering::Relaxed);
        self.bytes.store(bytes, Ordering::Relaxed);
    }

    /// Counts one more sent frame. Only the worker calls this.
    pub fn add(&self, bytes: u64) {
        let add = |to: &AtomicU64, more| to.store(to.load(Ordering::Relaxed) + more, Ordering::Relaxed);
        add(&self.frames, 1);
        add(&self.bytes, bytes);
    }
}

/// Adds the frames and bytes that a GSO frame takes on a wire in addition to those of the whole
/// frame.
pub fn add_more(more: &mut WireSize, wire: WireSize, length: usize) {
    more.frames += wire.frames - 1;
    more.bytes += wire.bytes - length as u64;
}

impl PublishedCounts {
    /// Sets the counts since the start of a worker's sockets for a port.
    pub fn publish(&self, worker: usize, port: Port, counts: PortCounts) {
        lock(&self.counts).insert((worker, port), counts);
    }

    /// Creates counts in which a worker records the frames that it sends through a port from now
    /// on.
    pub fn sender(&self, port: Port) -> Arc<Sent> {
        let sent = Arc::<Sent>::default();
        lock(&self.sent).push((port, Arc::clone(&sent)));
        sent
    }

    /// Returns the frames sent by each port, as on a wire.
    pub fn sent(&self) -> BTreeMap<Port, WireSize> {
        let mut all: BTreeMap<Port, WireSize> = BTreeMap::new();
        for (port, sent) in lock(&self.sent).iter() {
            let sum = all.entry(*port).or_default();
            sum.frames += sent.frames.load(Ordering::Relaxed);
            sum.bytes += sent.bytes.load(Ordering::Relaxed);
        }
        all
    }

    /// Returns the frames and bytes that received GSO frames take on a wire, in addition to those
    /// that the switch counts, by port.
    pub fn more_received(&self) -> BTreeMap<Port, WireSize> {
        let mut all: BTreeMap<Port, WireSize> = BTreeMap::new();
        for ((_, port), counts) in lock(&self.counts).iter() {
            let sum = all.entry(*port).or_default();
            sum.frames += counts.more_received.frames;
            sum.bytes += counts.more_received.bytes;
        }
        all
    }

    /// Returns the number of frames that ports have dropped, by port, direction and reason.
    pub fn drops(&self) -> BTreeMap<(Port, &'static str, &'static str), u64> {
        let mut drops = BTreeMap::new();
        for ((_, port), counts) in lock(&self.counts).iter() {
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

/// Locks counts. Each update is one assignment, so a panic leaves no partial change.
fn lock<T>(counts: &Mutex<T>) -> MutexGuard<'_, T> {
    counts.lock().unwrap_or_else(PoisonError::into_inner)
}
