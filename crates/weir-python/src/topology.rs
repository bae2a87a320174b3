//! Reads topology files, and the addresses and host commands of topologies that Python code builds.

use std::net::IpAddr;
use std::path::{Path, PathBuf};

use pyo3::prelude::*;
use pyo3::types::PyDict;
use weir_json::Document;
use weir_topology::{
    self as topology, Error, FileSystem, Files, Host, Interface, Mac, Neighbour, QueueRate, address,
    commands, end, host,
};

use crate::topology_parts::{
    HostAddress, HostState, LinkState, Route, SwitchState, TopologyParts, queue_rate_text,
};
use crate::topology_rules::{Rules, check_tc};
use crate::{errors, value};

/// The files of the computer that runs Weir.
struct Disk;

impl FileSystem for Disk {
    fn exists(&self, path: &Path) -> bool {
        path.exists() && !path.is_dir()
    }

    fn canonical_path(&self, folder: &Path) -> Option<PathBuf> {
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

/// Reads the text of the topology in `file` and returns its hosts, switches and links.
#[pyfunction]
pub fn read_topology(file: String, text: String) -> PyResult<TopologyParts> {
    let files = Files::new(&file, &Disk);
    let document = Document::parse(file, text).map_err(|error| errors::topology_files(&error))?;
    let read = topology::read(&document, &files, &Rules).map_err(|error| errors::topology_files(&error))?;
    Ok(TopologyParts {
        hosts: read.hosts.into_iter().map(HostState::from).collect(),
        switches: read.switches.into_iter().map(SwitchState::from).collect(),
        links: read.links.into_iter().map(LinkState::from).collect(),
        notes: read.notes,
        computer: read.computer,
    })
}

/// Reads the rate at which a switch's queues drain: `auto`, `link`, a rate, or `None` for no limit.
#[pyfunction]
pub fn queue_rate(given: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
    QueueRate::read(&value::read(given)?).map(queue_rate_text).map_err(|error| errors::queue_rate(&error))
}

/// A host as Python describes it.
#[derive(FromPyObject)]
pub struct HostSpec<'py> {
    name: String,
    interfaces: Vec<InterfaceSpec>,
    routes: Vec<Route>,
    arp: Bound<'py, PyDict>,
    arp_interfaces: Bound<'py, PyDict>,
    notes: Vec<String>,
    tc: Vec<String>,
    sysctls: Vec<(String, String)>,
}

#[derive(FromPyObject)]
struct InterfaceSpec {
    mac: String,
    addresses: Vec<HostAddress>,
    mtu: u32,
    up: bool,
}

impl InterfaceSpec {
    fn read(self) -> Result<Interface, Error> {
        let address_of_interface = |address_of_interface: HostAddress| {
            Ok(topology::HostAddress {
                address: address::parse_any(&address_of_interface.address)?,
                prefix: address_of_interface.prefix,
            })
        };
        Ok(Interface {
            mac: Mac::parse(&self.mac)?,
            addresses: self.addresses.into_iter().map(address_of_interface).collect::<Result<_, Error>>()?,
            mtu: self.mtu,
            up: self.up,
        })
    }
}

impl HostSpec<'_> {
    /// Converts the host to a value.
    pub(crate) fn read(self) -> PyResult<Host> {
        let refused = |error: Error| errors::topology(&error);
        let interfaces = self.interfaces.into_iter().map(InterfaceSpec::read).collect::<Result<_, _>>();
        let route = |route: Route| {
            Ok(topology::Route {
                network: address::parse_network(&route.network)?,
                gateway: route.gateway.as_deref().map(address::parse_any).transpose()?,
                interface: route.interface,
            })
        };
        let routes = self.routes.into_iter().map(route).collect::<Result<_, Error>>();
        let mut neighbours = Vec::new();
        for (ip, mac) in self.arp {
            let interface = self.arp_interfaces.get_item(&ip)?.map_or(Ok(0), |number| number.extract())?;
            let address = address::parse_any(&ip.extract::<String>()?).map_err(refused)?;
            let mac = Mac::parse(&mac.extract::<String>()?).map_err(refused)?;
            neighbours.push(Neighbour { address, mac, interface });
        }
        Ok(Host {
            name: self.name,
            interfaces: interfaces.map_err(refused)?,
            routes: routes.map_err(refused)?,
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

/// Calls `read` on a Python value and turns its error into an exception.
pub(crate) fn read<T>(
    given: &Bound<'_, PyAny>,
    read: impl FnOnce(&weir_json::Value) -> Result<T, Error>,
) -> PyResult<T> {
    read(&value::read(given)?).map_err(|error| errors::topology(&error))
}

/// Runs a command on a host and returns the changed host.
#[pyfunction]
pub fn host_command(command: &Bound<'_, PyAny>, host: HostSpec<'_>) -> PyResult<HostState> {
    let mut host = host.read()?;
    read(command, |command| commands::apply(command, &mut host, &check_tc))?;
    Ok(host.into())
}

/// Returns the number of the interface through which a host reaches an address.
#[pyfunction]
pub fn interface_towards(host: HostSpec<'_>, address: &str) -> PyResult<usize> {
    let address: IpAddr = address::parse_any(address).map_err(|error| errors::topology(&error))?;
    Ok(host.read()?.interface_towards(address))
}

/// Returns the number of the interface through which a host reaches a gateway. Refuses a gateway
/// that no interface reaches.
#[pyfunction]
pub fn towards_gateway(host: HostSpec<'_>, gateway: &str) -> PyResult<usize> {
    let refused = |error: Error| errors::topology(&error);
    let (host, gateway) = (host.read()?, address::parse_any(gateway).map_err(refused)?);
    let interface = host.interface_towards(gateway);
    host.check_gateway(gateway, interface).map_err(refused)?;
    Ok(interface)
}

/// Reads an IPv4 address with its prefix length, such as `10.0.1.1/24`.
#[pyfunction]
pub fn host_address(given: &Bound<'_, PyAny>) -> PyResult<HostAddress> {
    read(given, address::host_v4).map(|own| HostAddress::from(&own))
}

/// Reads an IPv6 address with its prefix length, such as `2001:db8::1/64`.
#[pyfunction]
pub fn host_address6(given: &Bound<'_, PyAny>) -> PyResult<HostAddress> {
    read(given, address::host_v6).map(|own| HostAddress::from(&own))
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
    read(given, address::read_address).map(|address| address.to_string())
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
pub fn check_switch_port(given: &Bound<'_, PyAny>) -> PyResult<u32> {
    read(given, end::read_port)
}

/// The minimum and maximum MTU of a host, and the largest number of a port of any program.
pub const LIMITS: [(&str, u32); 3] =
    [("MIN_MTU", host::MIN_MTU), ("MAX_MTU", host::MAX_MTU), ("MAX_PORT", end::MAX_PORT)];

/// The default rate of a link, in bits per second.
pub const DEFAULT_RATE_BPS: u64 = topology::quantity::DEFAULT_RATE_BPS;
