//! A topology as data.

use crate::{End, Host, QueueRate};

/// Hosts, switches and links, in the order in which the file has them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Topology {
    /// The hosts.
    pub hosts: Vec<Host>,
    /// The switches.
    pub switches: Vec<Switch>,
    /// The links.
    pub links: Vec<Link>,
}

/// A switch. Files are named as the user would name them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Switch {
    /// Such as `s1`.
    pub name: String,
    /// The file with its table entries.
    pub runtime_json: Option<String>,
    /// The source of its own P4 program.
    pub program: Option<String>,
    /// The name of its own timing profile.
    pub profile: Option<String>,
    /// The port of its controller.
    pub cpu_port: Option<u16>,
    /// The file with runtime commands.
    pub cli_input: Option<String>,
    /// How fast its queues drain.
    pub queue_rate: QueueRate,
}

/// A link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// One end.
    pub a: End,
    /// The other end.
    pub b: End,
    /// Nanoseconds.
    pub latency_ns: u64,
    /// Bits per second; none if it is unlimited.
    pub bandwidth_bps: Option<u64>,
}
