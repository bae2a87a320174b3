//! The parts of topologies, as values for Python: hosts, switches, links, addresses and ends.

use pyo3::prelude::*;
use weir_topology::{self as topology, End, Host, HostProgram, Interface, Link, Neighbour, QueueRate};

use crate::record::{Tuple, records};

records! {
    /// A host's IPv4 or IPv6 address.
    HostAddress {
        /// The address without the prefix length.
        address: String,
        /// The prefix length of the address's network in bits.
        prefix: u8,
    }

    /// A host's route.
    Route {
        /// The destination, such as `10.0.0.0/24`; `0.0.0.0/0` and `::/0` are the default routes.
        network: String,
        /// The next hop; `None` if the network is on the link itself.
        gateway: Option<String>,
        /// The number of the interface through which packets leave.
        interface: usize = 0,
    }

    /// One end of a link: a host (`port` is `None`) and its interface, or a switch and its port.
    Endpoint {
        /// The host or switch.
        node: String,
        /// The switch's port; `None` for a host.
        port: Option<u32> = None,
        /// The number of the host's interface.
        interface: usize = 0,
    }

    /// An interface of a host as a topology file or a command has left it, described by the data
    /// class `InterfaceSpec`.
    InterfaceState {
        mac: String,
        addresses: Tuple<HostAddress>,
        mtu: u32,
        up: bool,
    }

    /// A permanent neighbour entry of a host, and the number of the interface that leads to the
    /// neighbour.
    NeighbourState {
        address: String,
        mac: String,
        interface: usize,
    }

    /// A program of a host in a topology file, described by the data class `ProgramSpec`.
    ProgramState {
        file: String,
        name: String,
        udp: Tuple<u16>,
        tcp: Tuple<u16>,
        /// The filter for the frames that the program receives: empty for all frames, `None` for no
        /// frames.
        frames: Option<String>,
    }

    /// A host as a topology file or a command has left it, described by the data class `HostSpec`.
    HostState {
        name: String,
        interfaces: Tuple<InterfaceState>,
        routes: Tuple<Route>,
        neighbours: Tuple<NeighbourState>,
        notes: Tuple<String>,
        processing_ns: u64,
        processing_jitter_ns: u64,
        tc: Tuple<String>,
        sysctls: Tuple<(String, String)>,
        programs: Tuple<ProgramState>,
    }
}

/// A switch of a topology file.
#[derive(IntoPyObject)]
pub struct SwitchState {
    name: String,
    entries: Option<String>,
    p4: Option<String>,
    profile: Option<String>,
    cpu_port: Option<u32>,
    commands: Option<String>,
    queue_rate: Option<String>,
    queue_depth: Option<u32>,
    priorities: u8,
}

/// A link of a topology file.
#[derive(IntoPyObject)]
pub struct LinkState {
    a: Endpoint,
    b: Endpoint,
    delay_ns: u64,
    rate_bps: Option<u64>,
    jitter_ns: Option<u64>,
    overtake: bool,
    loss: f64,
    duplicate: f64,
    corrupt: f64,
    reorder: Option<(f64, u64)>,
    queue: Option<String>,
    mtu: Option<u64>,
    up: bool,
    /// The `tc` commands, each with its node.
    tc: Vec<(String, String)>,
}

#[pymethods]
impl HostAddress {
    /// The network that the host is attached to.
    #[getter]
    fn network<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.import("ipaddress")?.call_method1("ip_interface", (self.__str__(),))?.getattr("network")
    }

    fn __str__(&self) -> String {
        format!("{}/{}", self.address, self.prefix)
    }
}

impl From<&topology::HostAddress> for HostAddress {
    fn from(own: &topology::HostAddress) -> Self {
        Self { address: own.address.to_string(), prefix: own.prefix }
    }
}

#[pymethods]
impl Endpoint {
    /// The number of the port or of the interface.
    #[getter]
    fn number(&self) -> usize {
        self.port.map_or(self.interface, |port| port as usize)
    }

    /// The name of the interface, such as `h1-eth0` or `s1-p2`.
    #[getter]
    fn interface_name(&self) -> String {
        match self.port {
            Some(port) => format!("{}-p{port}", self.node),
            None => format!("{}-eth{}", self.node, self.interface),
        }
    }

    fn __str__(&self) -> String {
        match (self.port, self.interface) {
            (None, 0) => self.node.clone(),
            _ => self.interface_name(),
        }
    }
}

impl From<End> for Endpoint {
    fn from(end: End) -> Self {
        match end {
            End::Host { name, interface } => Self { node: name, port: None, interface },
            End::Switch { name, port } => Self { node: name, port, interface: 0 },
        }
    }
}

impl From<Endpoint> for End {
    fn from(end: Endpoint) -> Self {
        match end.port {
            None => Self::Host { name: end.node, interface: end.interface },
            port => Self::Switch { name: end.node, port },
        }
    }
}

/// The parts of a topology file.
#[derive(IntoPyObject)]
pub struct TopologyParts {
    pub hosts: Vec<HostState>,
    pub switches: Vec<SwitchState>,
    pub links: Vec<LinkState>,
    pub notes: Vec<String>,
    pub computer: Option<String>,
}

impl From<Host> for HostState {
    fn from(host: Host) -> Self {
        let interface = |interface: &Interface| InterfaceState {
            mac: interface.mac.to_string(),
            addresses: interface.addresses.iter().map(HostAddress::from).collect(),
            mtu: interface.mtu,
            up: interface.up,
        };
        let route = |route: &topology::Route| Route {
            network: route.network.to_string(),
            gateway: route.gateway.map(|gateway| gateway.to_string()),
            interface: route.interface,
        };
        let neighbour = |one: &Neighbour| NeighbourState {
            address: one.address.to_string(),
            mac: one.mac.to_string(),
            interface: one.interface,
        };
        let program = |one: HostProgram| ProgramState {
            file: one.file,
            name: one.class,
            udp: one.udp.into_iter().collect(),
            tcp: one.tcp.into_iter().collect(),
            frames: one.frames,
        };
        Self {
            interfaces: host.interfaces.iter().map(interface).collect(),
            routes: host.routes.iter().map(route).collect(),
            neighbours: host.neighbours.iter().map(neighbour).collect(),
            name: host.name,
            notes: host.notes.into_iter().collect(),
            processing_ns: host.processing_ns,
            processing_jitter_ns: host.processing_jitter_ns,
            tc: host.tc.into_iter().collect(),
            sysctls: host.sysctls.into_iter().collect(),
            programs: host.programs.into_iter().map(program).collect(),
        }
    }
}

impl From<topology::Switch> for SwitchState {
    fn from(switch: topology::Switch) -> Self {
        Self {
            name: switch.name,
            entries: switch.runtime_json,
            p4: switch.program,
            profile: switch.profile,
            cpu_port: switch.cpu_port,
            commands: switch.cli_input,
            queue_rate: queue_rate_text(switch.queue_rate),
            queue_depth: switch.queue_depth,
            priorities: switch.priorities.unwrap_or(1),
        }
    }
}

impl From<Link> for LinkState {
    fn from(link: Link) -> Self {
        LinkState {
            a: link.a.into(),
            b: link.b.into(),
            delay_ns: link.delay_ns,
            rate_bps: link.rate_bps,
            jitter_ns: link.jitter_ns,
            overtake: link.overtake,
            loss: link.loss,
            duplicate: link.duplicate,
            corrupt: link.corrupt,
            reorder: link.reorder,
            queue: link.queue,
            mtu: link.mtu,
            up: link.up,
            tc: link.qdiscs.into_iter().map(|(end, line)| (end.node().to_owned(), line)).collect(),
        }
    }
}

/// Formats the rate of a queue. Returns `None` for no limit.
pub fn queue_rate_text(rate: QueueRate) -> Option<String> {
    (rate != QueueRate::Unlimited).then(|| rate.to_string())
}
