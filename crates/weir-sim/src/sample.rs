//! Samplers: the state of link ends at regular times.
//!
//! A sample is taken after all events of its time. Samplers are not events: they never keep a run
//! from ending.

use weir_device::Nanos;

/// The maximum number of samples kept for a link end; they take 235 MB.
pub const MAX_SAMPLES: usize = 1 << 22;

/// The number of a sampler of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SamplerId(pub(crate) usize);

/// The state of one end of a link at one time. Counts start with the network.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sample {
    /// The time in nanoseconds.
    pub time: Nanos,
    /// The number of frames in the queue of this end, without the one being sent.
    pub queue_packets: u64,
    /// The number of frames whose transmission from this end has begun.
    pub sent_packets: u64,
    /// The bytes of the sent frames.
    pub sent_bytes: u64,
    /// The number of frames from this end that were lost: queue full, lost on the link, link down.
    pub dropped_packets: u64,
    /// The number of frames in which the queueing discipline of this end marked congestion.
    pub marked_packets: u64,
    /// The time in nanoseconds for which this end has been transmitting.
    pub busy: Nanos,
}

/// Samples the queues of link ends at regular times.
pub(crate) struct Sampler {
    pub(crate) every: Nanos,
    /// The time at which the next sample is due; the maximum value for a stopped sampler.
    pub(crate) next: Nanos,
    pub(crate) ends: Vec<SampledEnd>,
}

/// One side of a link, and its samples.
pub(crate) struct SampledEnd {
    pub(crate) link: usize,
    pub(crate) side: usize,
    pub(crate) samples: Vec<Sample>,
    /// The number of packets that waited in the device for this port: for each sample, one number
    /// for each queue. Empty for a host and for a device without queues.
    pub(crate) waiting: Vec<u32>,
    pub(crate) queues: usize,
}

/// All samplers of a network.
pub(crate) struct Samplers {
    pub(crate) samplers: Vec<Sampler>,
    pub(crate) next: Nanos,
    /// Whether a sampler has just stopped because it holds the maximum number of samples.
    pub(crate) full: bool,
}

impl Default for Samplers {
    fn default() -> Self {
        Samplers { samplers: Vec::new(), next: Nanos::MAX, full: false }
    }
}

impl Samplers {
    /// Returns the time at which the next sample is due; the maximum value if none is.
    pub(crate) fn next_time(&self) -> Nanos {
        self.next
    }

    pub(crate) fn update_next_time(&mut self) {
        self.next = self.samplers.iter().map(|sampler| sampler.next).min().unwrap_or(Nanos::MAX);
    }
}
