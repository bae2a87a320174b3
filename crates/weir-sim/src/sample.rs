//! Samplers: what link ends look like at fixed times.
//!
//! A sample is taken after all that happens at its time. Samplers are no events: they never keep a run from coming to rest.

use weir_device::Nanos;

/// A sampler of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SamplerId(pub(crate) usize);

/// One end of a link at one time. Counts are since the network's start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sample {
    /// When, in nanoseconds.
    pub time: Nanos,
    /// Frames waiting to be sent from this end, without the one being sent.
    pub queue_packets: u64,
    /// Frames whose sending from this end began.
    pub sent_packets: u64,
    /// Their bytes.
    pub sent_bytes: u64,
    /// Frames that did not get through from this end: queue full, lost on the wire, link down.
    pub dropped_packets: u64,
    /// Frames in which the queueing discipline of this end noted congestion.
    pub marked_packets: u64,
    /// Time for which the end has been sending, in nanoseconds.
    pub busy: Nanos,
}

pub(crate) struct Sampler {
    pub(crate) every: Nanos,
    /// When the next sample is due; the maximum once it has ended.
    pub(crate) next: Nanos,
    pub(crate) ends: Vec<Sampled>,
}

/// One side of a link, and what was seen there.
pub(crate) struct Sampled {
    pub(crate) link: usize,
    pub(crate) side: usize,
    pub(crate) samples: Vec<Sample>,
    /// What waited in the device there for the port, a row of queues a sample; empty of a host or of a device without queues.
    pub(crate) waiting: Vec<u32>,
    pub(crate) queues: usize,
}

/// All samplers of a network.
pub(crate) struct Samplers {
    pub(crate) samplers: Vec<Sampler>,
    pub(crate) next: Nanos,
}

impl Default for Samplers {
    fn default() -> Self {
        Samplers { samplers: Vec::new(), next: Nanos::MAX }
    }
}

impl Samplers {
    /// When the next sample is due; the maximum if none ever is.
    pub(crate) fn next_time(&self) -> Nanos {
        self.next
    }

    pub(crate) fn reckon(&mut self) {
        self.next = self.samplers.iter().map(|sampler| sampler.next).min().unwrap_or(Nanos::MAX);
    }
}
