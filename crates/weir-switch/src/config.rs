//! Settings of a switch: timing, ports, queues.

use std::collections::BTreeSet;

use weir_device::{Nanos, Port};

use crate::own_externs::OwnExterns;

/// The settings of a switch.
///
/// A *pass* is one trip through ingress and egress. All packets wait for their passes in one input
/// queue, first come, first served: new packets as well as recirculated and resubmitted packets. A
/// pass starts at the packet's arrival or when [`capacity`](Self::capacity) allows, whichever is
/// later, and occupies the switch for 1/capacity seconds. Ingress sees the time of the start. The
/// packet reaches its egress queue [`pass_latency`](Self::pass_latency) later, and leaves the queue
/// at once unless a rate delays it. Egress runs when the packet leaves the queue. After egress, the
/// packet leaves the switch or goes into the input queue again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SwitchConfig {
    /// The time in nanoseconds from the start of a pass until the packet reaches its egress queue.
    pub pass_latency: Nanos,
    /// The number of passes that can start per second. 0 means 1.
    pub capacity: u64,
    /// The maximum number of packets that may wait for their pass. Further packets are dropped
    /// (`input queue full`).
    pub input_queue: usize,
    /// The seed of all random numbers. The same seed, program and packets give the same run.
    pub seed: u64,
    /// The data-plane ports. Packets from or to other ports are dropped (`no such port`).
    pub ports: BTreeSet<Port>,
    /// The port number that means "drop". `None` means the number in the program's [port
    /// space](crate::arch::PortSpace), which is 511 in v1model.
    pub drop_port: Option<Port>,
    /// The first port of the host, for architectures in which the ports of networks and those of
    /// the host differ. Ports with smaller numbers are those of networks.
    pub first_host_port: Port,
    /// The times after which idle entries expire, by the number of the profile that a program
    /// names. Entries with other profiles never expire.
    pub expire_times: Vec<Nanos>,
    /// The code of externs that the program declares itself.
    pub own_externs: OwnExterns,
    /// The number of egress queues of a port, at least 1. If there are several,
    /// `standard_metadata.priority` chooses one; the queue with the largest priority is served
    /// first.
    pub priorities: usize,
    /// The maximum number of packets in each queue.
    pub queue_depth: usize,
    /// The rate at which each port takes packets out of its queues. Without a rate, packets leave
    /// at once.
    pub queue_rate: Option<Rate>,
    /// The number of packets in the switch above which a packet is dropped (`input queue full`) and
    /// not resubmitted or recirculated. The limit is needed if passes take no time: packets then
    /// never wait in the input queue, and packets that are copied in each pass would fill the
    /// memory.
    pub repeat_limit: u64,
    /// The maximum number of events that the switch handles at one instant. Further events remain
    /// due. A switch on a virtual clock handles all events. On a real clock, passes take no virtual
    /// time. Without this limit, a packet that is repeated forever would keep the caller busy
    /// forever.
    pub events_at_once: u64,
}

/// The rate at which packets leave a queue. 0 means 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rate {
    /// A number of packets per second.
    PacketsPerSecond(u64),
    /// A number of bits per second. The bytes of a packet are counted at the start of its pass
    /// (`packet_length`).
    BitsPerSecond(u64),
}

/// The usual first port of the host.
const FIRST_HOST_PORT: Port = 256;

/// The usual times after which idle entries expire, in seconds, by profile.
const EXPIRE_TIMES: [Nanos; 8] = [10, 30, 60, 120, 300, 43_200, 120, 120];

/// The names of the timing profiles, each with a description.
pub const PROFILES: [(&str, &str); 3] = [
    ("default", "a modern switch: 1 us a pass, 10^9 passes/s"),
    ("bmv2-vm", "BMv2 simple_switch in a virtual machine: 312.5 us a pass, 3200 passes/s"),
    ("bmv2-server", "BMv2 simple_switch on a Linux server: 995 us a pass, 1005 passes/s (assumed)"),
];

impl SwitchConfig {
    /// Returns the settings of a timing profile (see [`PROFILES`]), without ports.
    ///
    /// The two BMv2 profiles are fitted to measurements of a thesis on delay control by
    /// recirculation. In that thesis, a ping through one switch, recirculated X = 0, 1, 3 and 7
    /// times on each way, took at least 0.97, 1.66, 2.97 and 5.36 ms in the virtual machine, and
    /// 2.16, 4.27, 8.3 and 16.13 ms on the server. Least-squares lines through all four points are
    /// 1.023 + 0.624·X and 2.242 + 1.990·X ms. Each recirculation adds one pass to the request and
    /// one to the reply, so a pass takes half of the slope: 312 us and 995 us, rounded so that
    /// passes follow each other without gaps. (Of the remaining time, the switch takes two passes,
    /// and the hosts take the rest.)
    ///
    /// The capacity is assumed: one pass at a time, so 1/pass time. It was not fitted to a measured
    /// throughput. The thesis measured only the throughput of the virtual machine, which tests this
    /// assumption, and not of the server.
    ///
    /// As in BMv2, input queues hold 1024 packets and egress queues hold 64 packets in every
    /// profile.
    pub fn profile(name: &str) -> Option<Self> {
        let (pass_latency, capacity) = match name {
            "default" => (1_000, 1_000_000_000),
            "bmv2-vm" => (312_500, 3_200),
            "bmv2-server" => (995_025, 1_005),
            _ => return None,
        };
        Some(Self {
            pass_latency,
            capacity,
            input_queue: 1024,
            seed: 0,
            ports: BTreeSet::new(),
            drop_port: None,
            first_host_port: FIRST_HOST_PORT,
            expire_times: EXPIRE_TIMES.map(|seconds| seconds * 1_000_000_000).into(),
            own_externs: OwnExterns::default(),
            priorities: 1,
            queue_depth: 64,
            queue_rate: None,
            repeat_limit: u64::MAX,
            events_at_once: u64::MAX,
        })
    }

    /// Returns whether a port belongs to the host.
    pub(crate) fn is_host_port(&self, port: Port) -> bool {
        port >= self.first_host_port
    }

    /// Returns the same settings with these ports.
    #[must_use]
    pub fn with_ports(mut self, ports: impl IntoIterator<Item = Port>) -> Self {
        self.ports = ports.into_iter().collect();
        self
    }

    /// Returns the same settings with this seed.
    #[must_use]
    pub fn with_seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }
}

impl Default for SwitchConfig {
    /// Returns the profile `default`.
    fn default() -> Self {
        Self::profile("default").expect("the default profile exists")
    }
}
