//! Hosts: interfaces, address resolution, routes, an IP stack and the applications on it.

mod apps;
mod drops;
mod ip;
mod neighbour;
mod receive;
pub(crate) mod route;
mod send;

use std::collections::{BTreeMap, VecDeque};
use std::net::IpAddr;

use smoltcp::iface::SocketHandle;
use weir_switch::{Nanos, Port};

pub(crate) use self::drops::HostDrop;
use self::ip::Ip;
pub use self::neighbour::NeighbourEntry;
use self::neighbour::{Neighbours, Outcome};
use self::route::{Route, RouteTable};
use crate::address::is_unicast;
use crate::app::{App, Binding};
use crate::{Error, IpPrefix, MacAddress, Random};

/// Addresses a host can have on all its interfaces together.
const MAX_ADDRESSES: usize = 8;
/// Smallest and largest maximum transmission unit, in bytes of an IPv4 packet (RFC 791).
const MTU: std::ops::RangeInclusive<usize> = 68..=65535;

/// One interface of a host. Its number is its place in [`HostConfig::interfaces`]; people see interface 0 as `eth0`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InterfaceConfig {
    /// Its hardware address; unicast.
    pub mac: MacAddress,
    /// Its IPv4 addresses, each with its network's prefix length. The first is the source of what is sent from here.
    pub addresses: Vec<IpPrefix>,
    /// Largest IPv4 packet in bytes, without the Ethernet header: 68 to 65535, 1500 by default. Larger packets leave in fragments. A
    /// host with several interfaces uses the smallest for all of them.
    pub mtu: usize,
}

impl InterfaceConfig {
    /// An interface with one address and an MTU of 1500 bytes.
    pub fn new(mac: MacAddress, address: IpPrefix) -> Self {
        InterfaceConfig { mac, addresses: vec![address], mtu: 1500 }
    }
}

/// A host to add to a network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostConfig {
    /// Its name, unlike any other node's.
    pub name: String,
    /// Its interfaces; their numbers are the ports that links connect to.
    pub interfaces: Vec<InterfaceConfig>,
    /// Routes besides those to the interfaces' own networks, which are implied. The longest prefix wins, then the one added last.
    pub routes: Vec<Route>,
    /// Fixed neighbours, as `arp -s` and `ip neigh add … nud permanent` make them: the interface, the address, the hardware address.
    pub neighbours: Vec<(Port, IpAddr, MacAddress)>,
    /// Time in nanoseconds from a frame's arrival to the host's noticing it; 0 by default.
    pub processing_delay: Nanos,
}

impl HostConfig {
    /// A host with one interface, without routes or fixed neighbours.
    pub fn new(name: impl Into<String>, mac: MacAddress, address: IpPrefix) -> Self {
        HostConfig {
            name: name.into(),
            interfaces: vec![InterfaceConfig::new(mac, address)],
            routes: Vec::new(),
            neighbours: Vec::new(),
            processing_delay: 0,
        }
    }

    fn check(&self) -> Result<(), Error> {
        let bad = |reason: String| Err(Error::BadHost { host: self.name.clone(), reason });
        if self.interfaces.is_empty() {
            return bad("it has no interface; expected one or more".into());
        }
        let addresses = self.interfaces.iter().map(|interface| interface.addresses.len()).sum::<usize>();
        if addresses > MAX_ADDRESSES {
            return bad(format!("it has {addresses} addresses; expected at most {MAX_ADDRESSES}"));
        }
        for (number, interface) in self.interfaces.iter().enumerate() {
            if !interface.mac.is_unicast() {
                return bad(format!(
                    "eth{number} has the MAC address {}; expected a unicast one",
                    interface.mac
                ));
            }
            if !MTU.contains(&interface.mtu) {
                return bad(format!(
                    "eth{number} has an MTU of {} bytes; expected 68 to 65535",
                    interface.mtu
                ));
            }
            for prefix in &interface.addresses {
                let address = prefix.address();
                if !is_unicast(address) || prefix.broadcast().map(IpAddr::V4) == Some(address) {
                    return bad(format!("eth{number} has the address {prefix}; expected a unicast address"));
                }
                if address.is_ipv6() {
                    return bad(format!("eth{number} has the address {prefix}: hosts do not speak IPv6 yet"));
                }
            }
        }
        self.routes.iter().try_for_each(|route| self.check_route(route))?;
        self.neighbours
            .iter()
            .try_for_each(|(port, address, mac)| self.check_neighbour(*port, *address, *mac))
    }

    fn check_interface(&self, port: Port) -> Result<(), Error> {
        if (port as usize) < self.interfaces.len() {
            return Ok(());
        }
        Err(Error::UnknownInterface { host: self.name.clone(), port, interfaces: self.interfaces.len() })
    }

    fn check_route(&self, route: &Route) -> Result<(), Error> {
        self.check_interface(route.interface)?;
        match route.gateway {
            Some(gateway) if !is_unicast(gateway) => Err(Error::BadHost {
                host: self.name.clone(),
                reason: format!(
                    "the route to {} has the gateway {gateway}; expected a unicast address",
                    route.destination
                ),
            }),
            Some(gateway) if gateway.is_ipv4() != route.destination.address().is_ipv4() => {
                Err(Error::BadHost {
                    host: self.name.clone(),
                    reason: format!(
                        "the route to {} has the gateway {gateway}; expected an address of the same family",
                        route.destination
                    ),
                })
            }
            _ => Ok(()),
        }
    }

    fn check_neighbour(&self, port: Port, address: IpAddr, mac: MacAddress) -> Result<(), Error> {
        self.check_interface(port)?;
        if is_unicast(address) && mac.is_unicast() {
            return Ok(());
        }
        Err(Error::BadHost {
            host: self.name.clone(),
            reason: format!("neighbour {address} at {mac}: expected unicast addresses"),
        })
    }
}

/// What a host has seen since the start. Frames count with their bytes as captured.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostCounters {
    /// Frames that arrived and were for this host.
    pub received_packets: u64,
    /// Their bytes.
    pub received_bytes: u64,
    /// Frames that left.
    pub sent_packets: u64,
    /// Their bytes.
    pub sent_bytes: u64,
}

/// An application's place on a host.
struct Slot {
    app: Option<Box<dyn App>>,
    finished: bool,
}

/// A host in a network.
pub struct Host {
    config: HostConfig,
    /// Applications that have not finished.
    running: usize,
    ip: Ip,
    routes: RouteTable,
    neighbours: Vec<Neighbours>,
    apps: Vec<Slot>,
    bindings: BTreeMap<Binding, usize>,
    udp: BTreeMap<u16, SocketHandle>,
    random: Random,
    counters: HostCounters,
    drops: BTreeMap<(Option<Port>, HostDrop), u64>,
    /// Packets and frames this host made.
    created: u64,
    /// Frames that are to leave now, in order.
    pub(crate) out: VecDeque<(Port, Vec<u8>)>,
    /// Packets to one of the host's own addresses, to be received now.
    pub(crate) loopback: VecDeque<Vec<u8>>,
    /// Wake-ups that applications asked for: when, who, and their token.
    pub(crate) wakes: Vec<(Nanos, usize, u64)>,
    /// Whether an application has asked the run to stop.
    pub(crate) asked: bool,
}

impl Host {
    pub(crate) fn new(config: HostConfig, seed: u64) -> Result<Self, Error> {
        config.check()?;
        let mut random = Random::new(seed, &format!("host {}", config.name));
        let addresses: Vec<_> =
            config.interfaces.iter().flat_map(|interface| interface.addresses.iter().copied()).collect();
        let mtu = config.interfaces.iter().map(|interface| interface.mtu).min().unwrap_or(1500);
        let mut routes = RouteTable::default();
        for (interface, port) in config.interfaces.iter().zip(0..) {
            for prefix in &interface.addresses {
                routes.add(Route { destination: *prefix, gateway: None, interface: port });
            }
        }
        config.routes.iter().for_each(|route| routes.add(*route));
        let mut host = Host {
            running: 0,
            ip: Ip::new(random.next_u64(), mtu, &addresses),
            routes,
            neighbours: config.interfaces.iter().map(|_| Neighbours::default()).collect(),
            apps: Vec::new(),
            bindings: BTreeMap::new(),
            udp: BTreeMap::new(),
            random,
            counters: HostCounters::default(),
            drops: BTreeMap::new(),
            created: 0,
            out: VecDeque::new(),
            loopback: VecDeque::new(),
            wakes: Vec::new(),
            asked: false,
            config,
        };
        let neighbours = host.config.neighbours.clone();
        for (port, address, mac) in neighbours {
            // Nothing waits in a new host, so nothing can come of it.
            host.neighbours[port as usize].set_fixed(address, mac, &mut Outcome::default());
        }
        Ok(host)
    }

    /// As it was added; routes and neighbours set later are not in it.
    pub fn config(&self) -> &HostConfig {
        &self.config
    }

    /// The first address of the first interface that has one.
    pub fn address(&self) -> Option<IpAddr> {
        self.config.interfaces.iter().find_map(|interface| interface.addresses.first()).map(|a| a.address())
    }

    /// All routes, those to the interfaces' own networks too, in the order in which they are tried.
    pub fn routes(&self) -> &[Route] {
        self.routes.routes()
    }

    /// Adds a route.
    ///
    /// # Errors
    /// The host has no such interface, or the gateway is not a unicast address.
    pub fn add_route(&mut self, route: Route) -> Result<(), Error> {
        self.config.check_route(&route)?;
        self.routes.add(route);
        Ok(())
    }

    /// Removes a route; false if there is none like it.
    pub fn remove_route(&mut self, route: &Route) -> bool {
        self.routes.remove(route)
    }

    /// The neighbours known on an interface, fixed and learned, by address; none for an interface that does not exist.
    pub fn neighbours(&self, interface: Port) -> Vec<NeighbourEntry> {
        self.neighbours.get(interface as usize).map(|table| table.entries().collect()).unwrap_or_default()
    }

    /// What this host has received and sent.
    pub fn counters(&self) -> &HostCounters {
        &self.counters
    }

    pub(crate) fn name(&self) -> &str {
        &self.config.name
    }

    pub(crate) fn created(&self) -> u64 {
        self.created
    }

    /// Packets that wait for a neighbour's hardware address.
    pub(crate) fn waiting(&self) -> usize {
        self.neighbours.iter().map(Neighbours::waiting).sum()
    }

    pub(crate) fn drops(&self) -> impl Iterator<Item = (String, HostDrop, u64)> {
        self.drops.iter().map(|((port, reason), count)| {
            let place = match port {
                Some(port) => format!("{}-eth{port}", self.config.name),
                None => self.config.name.clone(),
            };
            (place, *reason, *count)
        })
    }

    pub(crate) fn drop_packet(&mut self, port: Option<Port>, reason: HostDrop) {
        *self.drops.entry((port, reason)).or_default() += 1;
    }

    fn owns(&self, address: IpAddr) -> bool {
        self.config.interfaces.iter().any(|i| i.addresses.iter().any(|prefix| prefix.address() == address))
    }

    /// When the host next has something to do by itself.
    pub(crate) fn next_deadline(&self) -> Option<Nanos> {
        self.neighbours.iter().filter_map(Neighbours::next_deadline).min()
    }

    /// Does what is due.
    pub(crate) fn advance(&mut self, now: Nanos) {
        for port in 0..self.neighbours.len() {
            let mut outcome = Outcome::default();
            self.neighbours[port].advance(now, &mut outcome);
            self.carry_out(now, port as Port, outcome);
        }
    }
}
