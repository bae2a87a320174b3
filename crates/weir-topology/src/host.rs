//! Hosts: interfaces, routes, neighbours and settings.

use std::net::IpAddr;

use crate::address::{HostAddress, Network};
use crate::text::{nearest, show_text};
use crate::{Error, Mac};

/// The default MTU of an interface, in bytes.
pub const DEFAULT_MTU: u32 = 1500;
/// The smallest MTU of an interface.
pub const MIN_MTU: u32 = 68;
/// The largest MTU of an interface.
pub const MAX_MTU: u32 = 65535;

/// The description of a host: its interfaces, routes and commands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Host {
    /// The name, such as `h1`.
    pub name: String,
    /// The interfaces, from `eth0` on.
    pub interfaces: Vec<Interface>,
    /// The host's routes, except those to its own networks.
    pub routes: Vec<Route>,
    /// The permanent neighbours, each address once.
    pub neighbours: Vec<Neighbour>,
    /// The commands without effect on a virtual host, such as offload settings.
    pub notes: Vec<String>,
    /// The commands for queueing disciplines, in their order.
    pub tc: Vec<String>,
    /// The settings of the kernel, name and value, in their order.
    pub sysctls: Vec<(String, String)>,
    /// The number of nanoseconds from a packet's arrival until the host's stack receives it.
    pub processing_ns: u64,
    /// The upper bound of a uniform random time that is added to `processing_ns`, in nanoseconds.
    pub processing_jitter_ns: u64,
    /// The programs that run on the host.
    pub programs: Vec<HostProgram>,
}

/// A program that runs on a host: a class of a Python file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostProgram {
    /// The file, as the topology names it.
    pub file: String,
    /// The class.
    pub class: String,
    /// The UDP ports on which it listens.
    pub udp: Vec<u16>,
    /// The TCP ports at which it accepts connections.
    pub tcp: Vec<u16>,
    /// The filter for the frames whose copies it receives; empty for all frames.
    pub frames: Option<String>,
}

/// An interface of a host, with its addresses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interface {
    /// The Ethernet address.
    pub mac: Mac,
    /// The addresses of both versions of IP.
    pub addresses: Vec<HostAddress>,
    /// The size of the longest packet that the interface sends, in bytes.
    pub mtu: u32,
    /// Whether its link is up.
    pub up: bool,
}

impl Default for Interface {
    /// Returns an interface that is up, with the default MTU, without addresses.
    fn default() -> Self {
        Self { mac: Mac([0; 6]), addresses: Vec::new(), mtu: DEFAULT_MTU, up: true }
    }
}

/// A host's route: a network and how to reach it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    /// The network that the route leads to.
    pub network: Network,
    /// The next hop; `None` for networks on the link itself.
    pub gateway: Option<IpAddr>,
    /// The number of the interface that sends.
    pub interface: usize,
}

/// A permanent entry of a host's neighbour table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Neighbour {
    /// The IP address.
    pub address: IpAddr,
    /// The Ethernet address.
    pub mac: Mac,
    /// The number of the host's interface to which it is connected.
    pub interface: usize,
}

impl Host {
    /// Creates a host with one interface and nothing else.
    pub fn new(name: impl Into<String>, mac: Mac, address: HostAddress) -> Self {
        let interface = Interface { mac, addresses: vec![address], ..Interface::default() };
        Self {
            name: name.into(),
            interfaces: vec![interface],
            routes: Vec::new(),
            neighbours: Vec::new(),
            notes: Vec::new(),
            tc: Vec::new(),
            sysctls: Vec::new(),
            processing_ns: 0,
            processing_jitter_ns: 0,
            programs: Vec::new(),
        }
    }

    /// Returns the number of an interface: `eth0` or `h1-eth0`. `lo` counts as `eth0`: its settings
    /// have no effect.
    ///
    /// # Errors
    /// The host has no such interface.
    pub fn interface_number(&self, name: &str) -> Result<usize, Error> {
        if name == "lo" && !self.interfaces.is_empty() {
            return Ok(0);
        }
        let own = name.strip_prefix(self.name.as_str()).and_then(|rest| rest.strip_prefix('-'));
        let short = own.unwrap_or(name);
        let names: Vec<_> = (0..self.interfaces.len()).map(|number| format!("eth{number}")).collect();
        names.iter().position(|name| name == short).ok_or_else(|| {
            let error = Error::new(format!("{} has no interface \"{}\"", self.name, show_text(name)));
            error.suggesting(nearest(short, &names).or_else(|| names.first().cloned()))
        })
    }

    /// Returns the number of the interface whose network contains an address; 0 if none does.
    pub fn interface_towards(&self, address: IpAddr) -> usize {
        let reaches =
            |interface: &Interface| interface.addresses.iter().any(|own| own.contains_address(address));
        self.interfaces.iter().position(reaches).unwrap_or(0)
    }

    /// Refuses the gateway of a route that its interface does not reach without another gateway, as
    /// Linux does ("Nexthop has invalid gateway"). An interface that is alone in its network (/32,
    /// /128) reaches any gateway on its link.
    ///
    /// # Errors
    /// The gateway is the host itself, or is neither in a network of the interface nor in that of a
    /// route without a gateway.
    pub fn check_gateway(&self, gateway: IpAddr, interface: usize) -> Result<(), Error> {
        let name = &self.name;
        let mut all = self.interfaces.iter().flat_map(|interface| &interface.addresses);
        if all.any(|own| own.address == gateway) {
            return Err(Error::new(format!(
                "the gateway {gateway} is {name} itself: expected another address"
            )));
        }
        let own = self.interfaces.get(interface).map_or(&[][..], |interface| &interface.addresses);
        let own: Vec<_> = own.iter().filter(|own| own.address.is_ipv6() == gateway.is_ipv6()).collect();
        let mut on_link = self.routes.iter().filter(|route| route.gateway.is_none());
        let is_near = matches!(gateway, IpAddr::V6(gateway) if gateway.is_unicast_link_local())
            || own.iter().any(|own| own.contains_address(gateway) || own.is_only_host())
            || on_link.any(|route| route.interface == interface && route.network.contains(gateway));
        let family = if gateway.is_ipv6() { "IPv6" } else { "IPv4" };
        if own.is_empty() {
            return Err(Error::new(format!(
                "{name} cannot reach the gateway {gateway}: eth{interface} has no {family} address"
            )));
        }
        if is_near {
            return Ok(());
        }
        let networks: Vec<_> = own.iter().map(|own| own.network().to_string()).collect();
        Err(Error::new(format!(
            "{name} cannot reach the gateway {gateway}: expected an address in {}, the network of eth{interface}",
            networks.join(" or ")
        )))
    }

    /// Refuses a host without an IPv4 address at `eth0`.
    ///
    /// # Errors
    /// The host has no IPv4 address at `eth0`.
    pub fn check_has_address(&self) -> Result<(), Error> {
        let mut first = self.interfaces.first().into_iter().flat_map(|interface| &interface.addresses);
        if first.any(|own| own.address.is_ipv4()) {
            return Ok(());
        }
        Err(Error::new(format!("{} has no IPv4 address at eth0", self.name)))
    }

    /// Returns whether the host has an IPv6 address.
    pub(crate) fn has_ipv6(&self) -> bool {
        self.interfaces.iter().flat_map(|interface| &interface.addresses).any(|own| own.address.is_ipv6())
    }
}
