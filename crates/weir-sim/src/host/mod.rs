//! Hosts: interfaces, neighbours, routes, the internet protocols and the applications on them.

pub(crate) mod app;
mod app_table;
mod arp;
mod bindings;
mod change;
mod config;
mod drops;
mod ethernet;
mod icmp;
pub(crate) mod ids;
mod ip;
mod ndp;
mod neighbour;
mod outbox;
mod path_cache;
mod receive;
pub(crate) mod route;
mod send;
pub(crate) mod socket;
mod sysctl;
mod tcp;
mod udp;

use std::collections::BTreeMap;
use std::mem::offset_of;
use std::net::{IpAddr, Ipv4Addr};

use smallvec::SmallVec;
use weir_device::{Nanos, Port};
use weir_prefetch::prefetch as prefetch_memory;
use weir_tcp::Connection;

use self::app_table::Apps;
use self::bindings::Bindings;
pub use self::config::{HostConfig, InterfaceConfig};
use self::drops::Discard;
pub(crate) use self::drops::HostDrop;
use self::icmp::ErrorRateLimiter;
use self::ip::fragments::Reassembly;
use self::ip::path_mtu::PathMtus;
pub use self::neighbour::NeighbourEntry;
use self::neighbour::{NeighbourActions, Neighbours};
pub(crate) use self::outbox::{HostOutbox, OutgoingFrame};
use self::path_cache::PathCache;
use self::route::{Route, RouteTable};
use crate::qdisc::QdiscConfig;
use crate::{Error, MacAddress, Random};

/// Bits of the prefix of link-local addresses (RFC 4291, section 2.5.6, as routes have it).
const LINK_LOCAL: u8 = 64;

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

/// What goes with the frames of a connection's segment.
struct SegmentInfo {
    socket: u32,
    earliest: Nanos,
    /// Some frame left with it.
    queued: bool,
}

/// A host in a network. What each packet touches stands first and close together, for networks are larger than caches.
#[repr(C)]
pub struct Host {
    /// What it works on while it is called: the network's.
    pub(crate) outbox: Option<Box<HostOutbox>>,
    path_cache: PathCache,
    bindings: Bindings,
    /// The interfaces' hardware addresses.
    macs: SmallVec<[MacAddress; 2]>,
    counters: HostCounters,
    /// Packets and frames this host made.
    created: u64,
    /// The connection whose segment is being sent; none of one that is not told of departures.
    sending_segment: Option<SegmentInfo>,
    /// Whether frames are noticed as they arrive.
    immediate: bool,
    /// Neither is a neighbour asked for, nor is a fragment kept: nothing of that has a deadline.
    no_deadlines: bool,
    apps: Apps,
    tcp: tcp::Tcp,
    /// All addresses, link-local ones too, and their interfaces.
    addresses: SmallVec<[(IpAddr, Port); 2]>,
    /// Those of all hosts of each network.
    broadcasts: SmallVec<[Ipv4Addr; 2]>,
    config: Box<HostConfig>,
    routes: RouteTable,
    neighbours: Vec<Neighbours>,
    /// By interface: whether the queue behind it paces frames; none without a link.
    queues: Vec<Option<bool>>,
    fragments: Reassembly,
    paths: PathMtus,
    error_limiter: ErrorRateLimiter,
    /// The identification of the last packet that left in fragments.
    ident: u32,
    random: Random,
    /// For the jitter of processing, and when the last frame is noticed.
    processing: (Random, Nanos),
    discards: BTreeMap<Discard, u64>,
    drops: BTreeMap<(Option<Port>, HostDrop), u64>,
}

/// Bytes at an application's beginning that are asked for ahead.
const APP: usize = 256;

/// Bytes of a host that calls touch as a rule.
pub(crate) const HOT_BYTES: usize = offset_of!(Host, tcp) + tcp::HOT_BYTES;

impl Host {
    pub(crate) fn new(config: HostConfig, seed: u64) -> Result<Self, Error> {
        config.check()?;
        let mut random = Random::new(seed, &format!("host {}", config.name));
        let (own, broadcasts) = change::answered(&config);
        let mut routes = RouteTable::default();
        for (interface, port) in config.interfaces.iter().zip(0..) {
            change::connected(interface, port).into_iter().for_each(|route| routes.add(route));
        }
        config.routes.iter().for_each(|route| routes.add(*route));
        let mut host = Host {
            outbox: None,
            path_cache: PathCache::default(),
            bindings: Bindings::default(),
            macs: config.interfaces.iter().map(|interface| interface.mac).collect(),
            counters: HostCounters::default(),
            created: 0,
            sending_segment: None,
            immediate: config.processing_delay == 0 && config.processing_jitter == 0,
            no_deadlines: false,
            apps: Apps::default(),
            tcp: tcp::Tcp::new(Random::new(seed, &format!("host {} tcp", config.name))),
            addresses: own,
            broadcasts,
            routes,
            neighbours: config.interfaces.iter().map(|_| Neighbours::default()).collect(),
            queues: vec![None; config.interfaces.len()],
            fragments: Reassembly::default(),
            paths: PathMtus::default(),
            error_limiter: ErrorRateLimiter::default(),
            ident: random.next_u64() as u32,
            random,
            processing: (Random::new(seed, &format!("host {} processing", config.name)), 0),
            discards: BTreeMap::new(),
            drops: BTreeMap::new(),
            config: Box::new(config),
        };
        let neighbours = host.config.neighbours.clone();
        for (port, address, mac) in neighbours {
            // Nothing waits in a new host, so nothing can come of it.
            host.neighbours[port as usize].set_fixed(address, mac, &mut NeighbourActions::default());
        }
        Ok(host)
    }

    /// As it was added, with its interfaces as they are now; routes and neighbours set later are not in it.
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
        self.path_cache.clear();
        Ok(())
    }

    /// Removes a route; false if there is none like it.
    pub fn remove_route(&mut self, route: &Route) -> bool {
        self.path_cache.clear();
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

    /// A link was connected to an interface, or its queue changed.
    pub(crate) fn set_queue(&mut self, port: Port, paces: bool) {
        if self.queues[port as usize].replace(paces) != Some(paces) {
            self.pace_connections();
        }
    }

    /// Asks for a queueing discipline behind an interface.
    pub(crate) fn change_queue(&mut self, port: Port, config: QdiscConfig) -> Result<(), Error> {
        self.config.check_interface(port)?;
        config.check()?;
        if self.queues[port as usize].is_none() {
            return Err(Error::NotConnected { node: self.config.name.clone(), port });
        }
        self.outbox().queue_changes.push((port, config));
        Ok(())
    }

    pub(crate) fn name(&self) -> &str {
        &self.config.name
    }

    /// When a frame that arrives now is noticed; none if at once.
    pub(crate) fn notices_at(&mut self, now: Nanos) -> Option<Nanos> {
        if self.immediate {
            return None;
        }
        let (delay, jitter) = (self.config.processing_delay, self.config.processing_jitter);
        if jitter == 0 {
            return (delay > 0).then(|| now.saturating_add(delay));
        }
        let (random, last) = &mut self.processing;
        *last = now.saturating_add(delay).saturating_add(random.up_to(jitter)).max(*last);
        Some(*last)
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

    fn discard(&mut self, reason: Discard) {
        *self.discards.entry(reason).or_default() += 1;
    }

    /// What the host received and then gave up above its interfaces: why and how often. In the account of packets these frames count as
    /// delivered.
    pub fn discards(&self) -> impl Iterator<Item = (&'static str, u64)> {
        self.discards.iter().map(|(reason, count)| (reason.text(), *count))
    }

    /// What TCP keeps: open connections, remains of connections in TIME-WAIT, and times at which it wants to be called, some of them
    /// outdated.
    pub fn tcp_load(&self) -> (usize, usize, usize) {
        let (open, waiting, _) = self.tcp.sockets();
        (open, waiting, self.tcp.timers())
    }

    fn owns(&self, address: IpAddr) -> bool {
        self.addresses.iter().any(|(own, _)| *own == address)
    }

    fn owns_on(&self, port: Port, address: IpAddr) -> bool {
        self.addresses.contains(&(address, port))
    }

    /// Brings near what lies beside the host's own memory, where that can be told: the connection and the application.
    pub(crate) fn prefetch(&self) {
        let (connection, app) = match self.tcp.only_connection() {
            Some((connection, app)) => (Some(connection), Some(app)),
            None => (None, self.bindings.first()),
        };
        if let Some(connection) = connection {
            prefetch_memory(connection, size_of::<Connection>());
        }
        if let Some(app) = app.and_then(|app| self.app(app)) {
            prefetch_memory(app, APP);
        }
    }

    /// What it works on. It is lent one where it may leave something there.
    pub(crate) fn outbox(&mut self) -> &mut HostOutbox {
        self.outbox.get_or_insert_default()
    }

    /// When the host next has something to do by itself.
    pub(crate) fn next_deadline(&mut self) -> Option<Nanos> {
        if self.no_deadlines {
            return self.tcp.next_timer();
        }
        let neighbours = self.neighbours.iter().filter_map(Neighbours::next_deadline);
        let other = neighbours.chain(self.fragments.next_deadline()).min();
        self.no_deadlines = other.is_none();
        other.into_iter().chain(self.tcp.next_timer()).min()
    }

    /// Does what is due.
    pub(crate) fn advance(&mut self, now: Nanos) {
        if !self.no_deadlines {
            for port in 0..self.neighbours.len() {
                let mut actions = NeighbourActions::default();
                self.neighbours[port].advance(now, &mut actions);
                self.apply(now, port as Port, actions);
            }
            self.expire_fragments(now);
        }
        self.fire_timers(now);
    }
}
