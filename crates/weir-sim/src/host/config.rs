//! The settings of a host.

use std::net::IpAddr;

use weir_device::{Nanos, Port};

use super::route::Route;
use crate::{Error, IpPrefix, MacAddress};
use weir_filter::is_unicast;
use weir_impair::MAX_DURATION;

/// The minimum and maximum MTU, in bytes of an IP packet (RFC 791).
const MTU: std::ops::RangeInclusive<usize> = 68..=65535;
/// The minimum MTU of an interface with IPv6 (RFC 8200, section 5).
pub(super) const MIN_MTU_V6: usize = 1280;

/// An interface of a host. Its number is its index in [`HostConfig::interfaces`]; interface 0 is
/// called `eth0`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InterfaceConfig {
    /// The MAC address; unicast.
    pub mac: MacAddress,
    /// The IP addresses with the prefix lengths of their networks. The source of a packet is the
    /// address in the next hop's network, or otherwise the first address of the family. An
    /// interface with an IPv6 address also has a link-local one ([`MacAddress::link_local`]).
    pub addresses: Vec<IpPrefix>,
    /// The MTU: the longest IP packet in bytes, 68 (with IPv6 1280) to 65535, 1500 by default.
    /// Longer packets are sent in fragments.
    pub mtu: usize,
}

impl InterfaceConfig {
    /// Creates an interface with one address and an MTU of 1500 bytes.
    pub fn new(mac: MacAddress, address: IpPrefix) -> Self {
        InterfaceConfig { mac, addresses: vec![address], mtu: 1500 }
    }

    pub(super) fn has_v6(&self) -> bool {
        self.addresses.iter().any(|prefix| prefix.address().is_ipv6())
    }
}

/// The settings of a host to add to a network.
#[derive(Clone, Debug)]
pub struct HostConfig {
    /// The name, unique among all nodes.
    pub name: String,
    /// The interfaces; their numbers are the ports that links connect to.
    pub interfaces: Vec<InterfaceConfig>,
    /// The routes in addition to those to the interfaces' own networks, which are implicit. The
    /// longest prefix wins, then the route that was added last.
    pub routes: Vec<Route>,
    /// The static neighbour entries, as `arp -s` and `ip neigh add … nud permanent` create them:
    /// interface, IP address, MAC address.
    pub neighbours: Vec<(Port, IpAddr, MacAddress)>,
    /// The default TCP settings; see [`Host::set_sysctl`](crate::Host::set_sysctl). The `mss`
    /// limits the segment size in addition to the interface's MTU.
    pub tcp: weir_tcp::Config,
    /// The time in nanoseconds from a frame's arrival until the host processes it; 0 by default.
    pub processing_delay: Nanos,
    /// A uniform random time from 0 to this many nanoseconds that is added to each frame's
    /// processing delay; 0 by default. Frames are processed in the order of arrival.
    pub processing_jitter: Nanos,
    /// Whether frames to other addresses, and frames without a packet of a known protocol, count as
    /// received; they are not processed further. This is for hosts whose frames a program outside
    /// the simulation reads (see [`Network::watch`](crate::Network::watch)), such as a switch's
    /// controller. False by default.
    pub accepts_all: bool,
}

impl HostConfig {
    /// Creates a host with one interface, without routes or static neighbours, with TCP's default
    /// settings and segments as large as the MTU allows.
    pub fn new(name: impl Into<String>, mac: MacAddress, address: IpPrefix) -> Self {
        HostConfig {
            interfaces: vec![InterfaceConfig::new(mac, address)],
            ..HostConfig::without_interfaces(name)
        }
    }

    /// Creates a host like that of [`HostConfig::new`], but without interfaces.
    pub fn without_interfaces(name: impl Into<String>) -> Self {
        HostConfig {
            name: name.into(),
            interfaces: Vec::new(),
            routes: Vec::new(),
            neighbours: Vec::new(),
            tcp: weir_tcp::Config { mss: u16::MAX, ..weir_tcp::Config::default() },
            processing_delay: 0,
            processing_jitter: 0,
            accepts_all: false,
        }
    }

    fn bad_host<T>(&self, reason: String) -> Result<T, Error> {
        Err(Error::BadHost { host: self.name.clone(), reason })
    }

    /// Checks that the settings are valid.
    pub(super) fn check(&self) -> Result<(), Error> {
        if self.interfaces.is_empty() {
            return self.bad_host("it has no interface; expected one or more".into());
        }
        for (number, interface) in self.interfaces.iter().enumerate() {
            let mtu = interface.mtu;
            if !interface.mac.is_unicast() {
                let mac = interface.mac;
                return self
                    .bad_host(format!("eth{number} has the MAC address {mac}; expected a unicast one"));
            }
            if !MTU.contains(&mtu) {
                return self.bad_host(format!("eth{number} has an MTU of {mtu} bytes; expected 68 to 65535"));
            }
            if interface.has_v6() && mtu < MIN_MTU_V6 {
                return self.bad_host(format!(
                    "eth{number} has an MTU of {mtu} bytes; expected {MIN_MTU_V6} or more for IPv6"
                ));
            }
            for prefix in &interface.addresses {
                let address = prefix.address();
                if !is_unicast(address) || prefix.broadcast().map(IpAddr::V4) == Some(address) {
                    return self.bad_host(format!(
                        "eth{number} has the address {prefix}; expected a unicast address"
                    ));
                }
            }
        }
        if self.processing_delay > MAX_DURATION || self.processing_jitter > MAX_DURATION {
            return self.bad_host("its processing takes more than 2^62 ns".into());
        }
        self.routes.iter().try_for_each(|route| self.check_route(route))?;
        self.neighbours
            .iter()
            .try_for_each(|(port, address, mac)| self.check_neighbour(*port, *address, *mac))
    }

    pub(super) fn check_interface(&self, port: Port) -> Result<(), Error> {
        if (port as usize) < self.interfaces.len() {
            return Ok(());
        }
        Err(Error::UnknownInterface { host: self.name.clone(), port, interfaces: self.interfaces.len() })
    }

    pub(super) fn check_route(&self, route: &Route) -> Result<(), Error> {
        self.check_interface(route.interface)?;
        let destination = route.destination;
        match route.gateway {
            Some(gateway) if !is_unicast(gateway) => self.bad_host(format!(
                "the route to {destination} has the gateway {gateway}; expected a unicast address"
            )),
            Some(gateway) if gateway.is_ipv4() != destination.address().is_ipv4() => self.bad_host(format!(
                "the route to {destination} has the gateway {gateway}; expected an address of the same family"
            )),
            _ => Ok(()),
        }
    }

    pub(super) fn check_neighbour(&self, port: Port, address: IpAddr, mac: MacAddress) -> Result<(), Error> {
        self.check_interface(port)?;
        if is_unicast(address) && mac.is_unicast() {
            return Ok(());
        }
        self.bad_host(format!("neighbour {address} at {mac}: expected unicast addresses"))
    }
}
