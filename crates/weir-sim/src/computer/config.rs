//! The settings of a computer.

use weir_device::Nanos;

use crate::Error;

/// The processor time that one kind of work takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// The nanoseconds for each packet.
    pub packet: Nanos,
    /// The number of picoseconds for each byte of the frame.
    pub byte: u64,
}

impl Cost {
    /// Returns the time for a packet of `bytes` bytes, in nanoseconds.
    pub fn packet_time(self, bytes: usize) -> Nanos {
        self.packet.saturating_add(self.byte.saturating_mul(bytes as u64) / 1000)
    }
}

/// A computer that runs all switches and hosts of a network.
///
/// Work belongs to *threads*. A thread without work sleeps. When work comes and a processor is
/// idle, the thread starts [`wake_up`](Self::wake_up) later; otherwise it waits in the computer's
/// one run queue, first come, first served. A running thread does all of its work, including work
/// that comes meanwhile. It stops when no work is left, or when it has run for the
/// [`quantum`](Self::quantum) and others wait; then it goes to the end of the run queue. A piece of
/// work is never interrupted for another thread. A processor that had no work for
/// [`deep_sleep_after`](Self::deep_sleep_after) sleeps deeply, and the first thread that it runs
/// afterwards waits longer. The kernel's work for a host needs no wake-up: the
/// processor that next finishes a piece of work does it before all threads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComputerConfig {
    /// The number of processors, 1 to 1024.
    pub processors: usize,
    /// The time for which a thread may run while others wait, in nanoseconds.
    pub quantum: Nanos,
    /// The time until a sleeping thread runs on an idle processor, in nanoseconds.
    pub wake_up: Nanos,
    /// The mean of an exponential random time that each wake-up takes longer, in nanoseconds.
    pub wake_up_jitter: Nanos,
    /// The time without work after which a processor sleeps deeply, in nanoseconds.
    pub deep_sleep_after: Nanos,
    /// The mean of an exponential random time that a wake-up takes longer on a processor that
    /// sleeps deeply, in nanoseconds; 0 for none.
    pub deep_wake_up_jitter: Nanos,
    /// The time to change from one thread to another that waits, in nanoseconds.
    pub context_switch: Nanos,
    /// The mean time between the interruptions of a processor by work outside the network (other
    /// programs, the hypervisor of a virtual machine), in nanoseconds; 0 for none. The times
    /// between them are exponential.
    pub interrupted_every: Nanos,
    /// The mean length of an interruption in nanoseconds; lengths are exponential.
    pub interrupted_for: Nanos,
    /// Whether a switch has a thread for each of receive, ingress, egress and send, as BMv2 has;
    /// otherwise it has one thread for all.
    pub pipelined: bool,
    /// The time for a switch to receive a frame from the kernel.
    pub receive: Cost,
    /// The time for parser and ingress, once for each pass.
    pub ingress: Cost,
    /// The time for egress and deparser, once for each pass.
    pub egress: Cost,
    /// The time for a switch to pass a frame to the kernel.
    pub send: Cost,
    /// The time for the kernel to move a frame over a link, in the context of the sender.
    pub link: Cost,
    /// The time of a host's protocol stack for each frame that it receives or sends.
    pub stack: Cost,
    /// The time of a host's application for each packet that it sends or receives, apart from TCP.
    pub app: Cost,
    /// The time of a host's application for each TCP segment with data.
    pub stream: Cost,
    /// The maximum number of frames that may wait inside a node for its threads. Further frames are
    /// dropped on arrival.
    pub buffer: usize,
    /// The maximum number of frames from one port that may wait between a switch's ingress and its
    /// egress. Further frames are dropped after ingress. BMv2 has 64.
    pub egress_queue: usize,
}

impl Default for ComputerConfig {
    /// Returns a computer of one processor that does all work in no time.
    fn default() -> Self {
        ComputerConfig {
            processors: 1,
            quantum: 3_000_000,
            wake_up: 0,
            wake_up_jitter: 0,
            deep_sleep_after: 200_000,
            deep_wake_up_jitter: 0,
            context_switch: 0,
            interrupted_every: 0,
            interrupted_for: 0,
            pipelined: true,
            receive: Cost::default(),
            ingress: Cost::default(),
            egress: Cost::default(),
            send: Cost::default(),
            link: Cost::default(),
            stack: Cost::default(),
            app: Cost::default(),
            stream: Cost::default(),
            buffer: 1024,
            egress_queue: 1024,
        }
    }
}

/// The longest time that a setting may have.
const MAX_TIME: Nanos = 1_000_000_000;
const MAX_PROCESSORS: usize = 1024;

impl ComputerConfig {
    /// Checks that the settings are valid.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let refused = |setting, value: u64, expected| Err(Error::BadComputer { setting, value, expected });
        if !(1..=MAX_PROCESSORS).contains(&self.processors) {
            return refused("processors", self.processors as u64, "1 to 1024");
        }
        for (setting, frames) in [("buffer", self.buffer), ("egress_queue", self.egress_queue)] {
            if frames == 0 {
                return refused(setting, 0, "1 or more");
            }
        }
        if self.interrupted_every > 0 && self.interrupted_for >= self.interrupted_every {
            return refused("interrupted_for", self.interrupted_for, "less than interrupted_every");
        }
        let times = [
            ("quantum", self.quantum),
            ("wake_up", self.wake_up),
            ("wake_up_jitter", self.wake_up_jitter),
            ("deep_sleep_after", self.deep_sleep_after),
            ("deep_wake_up_jitter", self.deep_wake_up_jitter),
            ("context_switch", self.context_switch),
        ];
        let costs = [
            ("receive", self.receive),
            ("ingress", self.ingress),
            ("egress", self.egress),
            ("send", self.send),
            ("link", self.link),
            ("stack", self.stack),
            ("app", self.app),
            ("stream", self.stream),
        ];
        let costs = costs.into_iter().flat_map(|(name, cost)| [(name, cost.packet), (name, cost.byte)]);
        match times.into_iter().chain(costs).find(|(_, value)| *value > MAX_TIME) {
            Some((setting, value)) => refused(setting, value, "at most 10^9"),
            None => Ok(()),
        }
    }
}
