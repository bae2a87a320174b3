//! A topology as data.

use crate::quantity::DEFAULT_RATE_BPS;
use crate::{End, Host, QueueRate};

/// Hosts, switches and links, in the order of the file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Topology {
    /// The hosts.
    pub hosts: Vec<Host>,
    /// The switches.
    pub switches: Vec<Switch>,
    /// The links.
    pub links: Vec<Link>,
    /// Settings without effect in the file, one line each, with what to do instead.
    pub notes: Vec<String>,
    /// The computer that all nodes share: its name, or that of a file.
    pub computer: Option<String>,
}

/// A switch. Files are named as the user would name them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Switch {
    /// The name, such as `s1`.
    pub name: String,
    /// The file with its table entries.
    pub runtime_json: Option<String>,
    /// The source of its own P4 program.
    pub program: Option<String>,
    /// The name of its own timing profile.
    pub profile: Option<String>,
    /// The port of its controller.
    pub cpu_port: Option<u32>,
    /// The file with runtime commands.
    pub cli_input: Option<String>,
    /// The rate at which the queues of the switch drain.
    pub queue_rate: QueueRate,
    /// The maximum number of packets in each of its queues, if it is set.
    pub queue_depth: Option<u32>,
    /// The number of queues at each port, 1 by default.
    pub priorities: Option<u8>,
}

/// The description of a link: its ends, and its effects on frames.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// The first end of the link.
    pub a: End,
    /// The second end of the link.
    pub b: End,
    /// The propagation delay in nanoseconds.
    pub delay_ns: u64,
    /// Bits per second; `None` if it is unlimited.
    pub rate_bps: Option<u64>,
    /// The upper bound of a uniform random time added to the delay, in nanoseconds.
    pub jitter_ns: Option<u64>,
    /// Whether packets can overtake others because of jitter.
    pub overtake: bool,
    /// The share of packets that are lost, 0 to 1.
    pub loss: f64,
    /// The share of packets that arrive twice, 0 to 1.
    pub duplicate: f64,
    /// The share of packets that arrive with one bit flipped, 0 to 1.
    pub corrupt: f64,
    /// The share of packets that are held while others pass, and for how many nanoseconds.
    pub reorder: Option<(f64, u64)>,
    /// The limit of the queue at both ends: `100p` or `64000B`.
    pub queue: Option<String>,
    /// The size of the longest packet after the Ethernet header, in bytes.
    pub mtu: Option<u64>,
    /// Whether the link is up at the start.
    pub up: bool,
    /// The queueing disciplines of its ends, as commands of tc.
    pub qdiscs: Vec<(End, String)>,
}

impl Link {
    /// Creates a link with the default rate and nothing else set.
    pub fn new(a: End, b: End) -> Self {
        Self {
            a,
            b,
            delay_ns: 0,
            rate_bps: Some(DEFAULT_RATE_BPS),
            jitter_ns: None,
            overtake: false,
            loss: 0.0,
            duplicate: 0.0,
            corrupt: 0.0,
            reorder: None,
            queue: None,
            mtu: None,
            up: true,
            qdiscs: Vec::new(),
        }
    }
}
