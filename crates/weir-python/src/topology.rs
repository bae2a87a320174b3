//! Topologies: reads topology files, and the addresses and host commands of topologies built in
//! Python.

use std::net::IpAddr;
use std::path::{Path, PathBuf};

use pyo3::prelude::*;
use pyo3::types::PyDict;
use weir_json::Document;
use weir_topology::{
    End, Error, FileSystem, Files, Host, HostAddress, HostProgram, Interface, Link, Mac, Neighbour,
    QueueRate, Route, address, commands, end, host,
};

use crate::topology_rules::{Rules, check_tc};
use crate::{errors, value};

/// An address and its prefix length.
type AddressRow = (String, u8);
/// An interface: MAC address, addresses, MTU, whether it is up.
type InterfaceRow = (String, Vec<AddressRow>, u32, bool);
/// A route: network, gateway, interface.
type RouteRow = (String, Option<String>, usize);
/// A neighbour: IP address, MAC address, interface.
type NeighbourRow = (String, String, usize);
/// A host: name, interfaces, routes, neighbours, notes, `tc` commands, settings.
type HostRow = (
    String,
    Vec<InterfaceRow>,
    Vec<RouteRow>,
    Vec<NeighbourRow>,
    Vec<String>,
    Vec<String>,
    Vec<(String, String)>,
);
/// The processing time of a host for a packet and its jitter in nanoseconds, and its programs.
type HostExtras = (u64, u64, Vec<ProgramRow>);
/// A program of a host: file, class, UDP ports, TCP ports, the filter of frames if it receives any.
type ProgramRow = (String, String, Vec<u16>, Vec<u16>, Option<String>);
/// A switch.
#[derive(IntoPyObject)]
pub struct SwitchRow {
    name: String,
    entries: Option<String>,
    p4: Option<String>,
    profile: Option<String>,
    cpu_port: Option<u16>,
    commands: Option<String>,
    queue_rate: Option<String>,
    queue_depth: Option<u32>,
    priorities: u8,
}
/// An end: node, port of a switch, interface of a host.
pub(crate) type EndRow = (String, Option<u16>, usize);
/// A link.
#[derive(IntoPyObject)]
pub struct LinkRow {
    a: EndRow,
    b: EndRow,
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
    /// Nodes and commands of tc.
    tc: Vec<(String, String)>,
}

/// The files of this computer.
struct Disk;

impl FileSystem for Disk {
    fn exists(&self, path: &Path) -> bool {
        path.exists() && !path.is_dir()
    }

    fn real(&self, folder: &Path) -> Option<PathBuf> {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        folder.canonicalize().ok()
    }

    fn names(&self, folder: &Path) -> Vec<String> {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let entries = folder.read_dir().into_iter().flatten().flatten();
        let files = entries.filter(|entry| entry.path().is_file());
        files.filter_map(|entry| entry.file_name().into_string().ok()).collect()
    }
}

/// The parts of a topology file.
#[derive(IntoPyObject)]
pub struct TopologyRows {
    hosts: Vec<(HostRow, HostExtras)>,
    switches: Vec<SwitchRow>,
    links: Vec<LinkRow>,
    notes: Vec<String>,
}

/// Reads the text of the topology in `file` and returns its hosts, switches and links.
#[pyfunction]
pub fn read_topology(file: String, text: String) -> PyResult<TopologyRows> {
    let files = Files::new(&file, &Disk);
    let document = Document::parse(file, text).map_err(|error| errors::topology_files(&error))?;
    let read =
        weir_topology::read(&document, &files, &Rules).map_err(|error| errors::topology_files(&error))?;
    let switches = read.switches.into_iter().map(|switch| SwitchRow {
        name: switch.name,
        entries: switch.runtime_json,
        p4: switch.program,
        profile: switch.profile,
        cpu_port: switch.cpu_port,
        commands: switch.cli_input,
        queue_rate: queue_rate_text(switch.queue_rate),
        queue_depth: switch.queue_depth,
        priorities: switch.priorities.unwrap_or(1),
    });
    Ok(TopologyRows {
        hosts: read.hosts.into_iter().map(|host| (host_row(&host), host_extras(host))).collect(),
        switches: switches.collect(),
        links: read.links.into_iter().map(link_row).collect(),
        notes: read.notes,
    })
}

fn host_extras(host: Host) -> HostExtras {
    let program = |one: HostProgram| (one.file, one.class, one.udp, one.tcp, one.frames);
    let programs = host.programs.into_iter().map(program).collect();
    (host.processing_ns, host.processing_jitter_ns, programs)
}

fn link_row(link: Link) -> LinkRow {
    LinkRow {
        a: end_row(link.a),
        b: end_row(link.b),
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

/// None for no limit.
fn queue_rate_text(rate: QueueRate) -> Option<String> {
    (rate != QueueRate::Unlimited).then(|| rate.to_string())
}

/// Reads the rate at which a switch's queues drain: `auto`, `link`, a rate, or None for no limit.
#[pyfunction]
pub fn queue_rate(given: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
    QueueRate::read(&value::read(given)?).map(queue_rate_text).map_err(|error| errors::queue_rate(&error))
}

/// A host as Python describes it.
#[derive(FromPyObject)]
pub struct HostSpec<'py> {
    name: String,
    interfaces: Vec<InterfaceSpec>,
    routes: Vec<RouteSpec>,
    arp: Bound<'py, PyDict>,
    arp_interfaces: Bound<'py, PyDict>,
    notes: Vec<String>,
    tc: Vec<String>,
    sysctls: Vec<(String, String)>,
}

#[derive(FromPyObject)]
struct InterfaceSpec {
    mac: String,
    addresses: Vec<AddressSpec>,
    mtu: u32,
    up: bool,
}

#[derive(FromPyObject)]
struct AddressSpec {
    address: String,
    prefix: u8,
}

#[derive(FromPyObject)]
struct RouteSpec {
    network: String,
    gateway: Option<String>,
    interface: usize,
}

impl InterfaceSpec {
    fn read(self) -> Result<Interface, Error> {
        let own = |own: AddressSpec| {
            Ok(HostAddress { address: address::parse_any(&own.address)?, prefix: own.prefix })
        };
        Ok(Interface {
            mac: Mac::parse(&self.mac)?,
            addresses: self.addresses.into_iter().map(own).collect::<Result<_, Error>>()?,
            mtu: self.mtu,
            up: self.up,
        })
    }
}

impl HostSpec<'_> {
    /// The host as a value.
    pub(crate) fn read(self) -> PyResult<Host> {
        let topology = |error: Error| errors::topology(&error);
        let interfaces = self.interfaces.into_iter().map(InterfaceSpec::read).collect::<Result<_, _>>();
        let route = |route: RouteSpec| {
            Ok(Route {
                network: address::parse_network(&route.network)?,
                gateway: route.gateway.as_deref().map(address::parse_any).transpose()?,
                interface: route.interface,
            })
        };
        let routes = self.routes.into_iter().map(route).collect::<Result<_, Error>>();
        let mut neighbours = Vec::new();
        for (ip, mac) in self.arp {
            let interface = self.arp_interfaces.get_item(&ip)?.map_or(Ok(0), |number| number.extract())?;
            let address = address::parse_any(&ip.extract::<String>()?).map_err(topology)?;
            let mac = Mac::parse(&mac.extract::<String>()?).map_err(topology)?;
            neighbours.push(Neighbour { address, mac, interface });
        }
        Ok(Host {
            name: self.name,
            interfaces: interfaces.map_err(topology)?,
            routes: routes.map_err(topology)?,
            neighbours,
            notes: self.notes,
            tc: self.tc,
            sysctls: self.sysctls,
            processing_ns: 0,
            processing_jitter_ns: 0,
            programs: Vec::new(),
        })
    }
}

fn host_row(host: &Host) -> HostRow {
    let interface = |interface: &Interface| {
        let addresses = interface.addresses.iter().map(address_row).collect();
        (interface.mac.to_string(), addresses, interface.mtu, interface.up)
    };
    let route = |route: &Route| {
        (route.network.to_string(), route.gateway.map(|gateway| gateway.to_string()), route.interface)
    };
    let neighbour = |one: &Neighbour| (one.address.to_string(), one.mac.to_string(), one.interface);
    (
        host.name.clone(),
        host.interfaces.iter().map(interface).collect(),
        host.routes.iter().map(route).collect(),
        host.neighbours.iter().map(neighbour).collect(),
        host.notes.clone(),
        host.tc.clone(),
        host.sysctls.clone(),
    )
}

fn address_row(own: &HostAddress) -> AddressRow {
    (own.address.to_string(), own.prefix)
}

pub(crate) fn end_row(end: End) -> EndRow {
    match end {
        End::Host { name, interface } => (name, None, interface),
        End::Switch { name, port } => (name, port, 0),
    }
}

/// Calls `read` on a Python value and turns its error into an exception.
pub(crate) fn read<T>(
    given: &Bound<'_, PyAny>,
    read: impl FnOnce(&weir_json::Value) -> Result<T, Error>,
) -> PyResult<T> {
    read(&value::read(given)?).map_err(|error| errors::topology(&error))
}

/// Runs a command on a host and returns the changed host.
#[pyfunction]
pub fn host_command(command: &Bound<'_, PyAny>, host: HostSpec<'_>) -> PyResult<HostRow> {
    let mut host = host.read()?;
    read(command, |command| commands::apply(command, &mut host, &check_tc))?;
    Ok(host_row(&host))
}

/// The number of the interface through which a host reaches an address.
#[pyfunction]
pub fn interface_towards(host: HostSpec<'_>, address: &str) -> PyResult<usize> {
    let address: IpAddr = address::parse_any(address).map_err(|error| errors::topology(&error))?;
    Ok(host.read()?.interface_towards(address))
}

/// The number of the interface through which a host reaches a gateway; refuses a gateway that no
/// interface reaches.
#[pyfunction]
pub fn towards_gateway(host: HostSpec<'_>, gateway: &str) -> PyResult<usize> {
    let topology = |error: Error| errors::topology(&error);
    let (host, gateway) = (host.read()?, address::parse_any(gateway).map_err(topology)?);
    let interface = host.interface_towards(gateway);
    host.check_gateway(gateway, interface).map_err(topology)?;
    Ok(interface)
}

/// Reads `10.0.1.1/24`.
#[pyfunction]
pub fn host_address(given: &Bound<'_, PyAny>) -> PyResult<AddressRow> {
    read(given, address::host_v4).map(|own| address_row(&own))
}

/// Reads `2001:db8::1/64`.
#[pyfunction]
pub fn host_address6(given: &Bound<'_, PyAny>) -> PyResult<AddressRow> {
    read(given, address::host_v6).map(|own| address_row(&own))
}

/// Reads an IPv4 address.
#[pyfunction]
pub fn ipv4_address(given: &Bound<'_, PyAny>) -> PyResult<String> {
    read(given, address::v4).map(|address| address.to_string())
}

/// Reads an IPv6 address.
#[pyfunction]
pub fn ipv6_address(given: &Bound<'_, PyAny>) -> PyResult<String> {
    read(given, address::v6).map(|address| address.to_string())
}

/// Reads an IPv4 or IPv6 address.
#[pyfunction]
pub fn ip_address(given: &Bound<'_, PyAny>) -> PyResult<String> {
    read(given, address::any).map(|address| address.to_string())
}

/// Reads a MAC address.
#[pyfunction]
pub fn mac_address(given: &Bound<'_, PyAny>) -> PyResult<String> {
    read(given, Mac::read).map(|mac| mac.to_string())
}

/// Reads a MAC address that a host can have.
#[pyfunction]
pub fn host_mac(given: &Bound<'_, PyAny>) -> PyResult<String> {
    read(given, |given| Mac::read(given)?.check_host()).map(|mac| mac.to_string())
}

/// Refuses a port that a switch cannot have.
#[pyfunction]
pub fn check_switch_port(given: &Bound<'_, PyAny>) -> PyResult<u16> {
    read(given, end::read_port)
}

/// The minimum and maximum MTU of a host, and the highest port number of a switch.
pub const LIMITS: [(&str, u32); 3] =
    [("MIN_MTU", host::MIN_MTU), ("MAX_MTU", host::MAX_MTU), ("MAX_PORT", end::MAX_PORT as u32)];

/// The default rate of a link, in bits per second.
pub const DEFAULT_RATE_BPS: u64 = weir_topology::quantity::DEFAULT_RATE_BPS;
