//! A topology as data.

use crate::{End, Host, Node, Nodes};

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

/// A switch. Files are named as [`Files::find`](crate::Files::find) answers.
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

impl Nodes for Topology {
    fn node(&self, name: &str) -> Option<Node> {
        if let Some(host) = self.hosts.iter().find(|host| host.name == name) {
            return Some(Node::Host { interfaces: host.interfaces.len() });
        }
        self.switches.iter().any(|switch| switch.name == name).then_some(Node::Switch)
    }

    fn names(&self) -> Vec<String> {
        let hosts = self.hosts.iter().map(|host| host.name.clone());
        hosts.chain(self.switches.iter().map(|switch| switch.name.clone())).collect()
    }
}
