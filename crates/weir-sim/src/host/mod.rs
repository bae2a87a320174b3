//! Hosts: interfaces, neighbours, routes, the internet protocols, and applications.

pub(crate) mod app;
mod app_table;
mod arp;
mod bindings;
mod change;
mod config;
mod drops;
mod ethernet;
mod frame_class;
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
mod unread;

use std::collections::BTreeMap;
use std::mem::offset_of;
use std::net::{IpAddr, Ipv4Addr};

use smallvec::SmallVec;
use weir_device::prefetch as prefetch_memory;
use weir_device::{Nanos, Port};
use weir_tcp::Connection;

use self::app_table::Apps;
use self::bindings::Bindings;
pub use self::config::{HostConfig, InterfaceConfig};
use self::drops::Discard;
pub(crate) use self::drops::HostDrop;
pub(crate) use self::frame_class::FrameClass;
use self::icmp::ErrorRateLimiter;
use self::ip::fragments::Reassembly;
use self::ip::path_mtu::PathMtus;
pub use self::neighbour::NeighbourEntry;
use self::neighbour::{NeighbourActions, Neighbours};
pub(crate) use self::outbox::{HostOutbox, OutgoingFrame};
use self::path_cache::PathCache;
use self::route::{Route, RouteTable};
use self::unread::Unread;
use crate::{Error, MacAddress, Random};
use weir_qdisc::QdiscConfig;

/// The prefix length of link-local routes (RFC 4291, section 2.5.6).
const LINK_LOCAL: u8 = 64;

/// Frame counters of a host since its start. Lengths are those of captured bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostCounters {
    /// The number of frames that arrived and were accepted.
    pub received_packets: u64,
    /// The bytes of the received frames.
    pub received_bytes: u64,
    /// The number of frames that were sent.
    pub sent_packets: u64,
    /// The bytes of the sent frames.
    pub sent_bytes: u64,
}

/// The metadata for the frames of a TCP segment that is being sent.
struct SegmentInfo {
    socket: u32,
    earliest: Nanos,
    /// Whether a frame with this metadata was sent.
    queued: bool,
}

/// A host of a network. The fields that each packet uses come first and close together, because
/// large networks exceed the caches.
#[repr(C)]
pub struct Host {
    /// The outbox of the network, lent during calls.
    pub(crate) outbox: Option<Box<HostOutbox>>,
    path_cache: PathCache,
    bindings: Bindings,
    /// The MAC addresses of the interfaces.
    macs: SmallVec<[MacAddress; 2]>,
    counters: HostCounters,
    /// The number of packets and frames that this host created.
    created: u64,
    /// The segment being sent, if its connection is notified of departures.
    sending_segment: Option<SegmentInfo>,
    /// Whether frames are processed on arrival, without a delay.
    immediate: bool,
    /// Whether no neighbour is being resolved and no packet reassembled, so that neither has a
    /// deadline.
    no_deadlines: bool,
    apps: Apps,
    tcp: tcp::Tcp,
    /// All addresses, including link-local ones, and their interfaces.
    addresses: SmallVec<[(IpAddr, Port); 2]>,
    /// The broadcast addresses of the networks.
    broadcasts: SmallVec<[Ipv4Addr; 2]>,
    config: Box<HostConfig>,
    routes: RouteTable,
    neighbours: Vec<Neighbours>,
    /// For each interface, whether its queue paces frames; `None` for an interface without a link.
    queues: Vec<Option<bool>>,
    fragments: Reassembly,
    paths: PathMtus,
    error_limiter: ErrorRateLimiter,
    /// The identification of the last packet that was sent in fragments.
    ident: u32,
    random: Random,
    /// The random stream of the processing jitter, and the time at which the last frame will be
    /// processed.
    processing: (Random, Nanos),
    /// Connections with data that their applications have not read, because the host shares a
    /// computer and applications wait for its processors; None if they read at once.
    unread: Option<Unread>,
    discards: BTreeMap<Discard, u64>,
    drops: BTreeMap<(Option<Port>, HostDrop), u64>,
}

/// The number of bytes of an application to prefetch.
const APP: usize = 256;

/// The number of bytes at the beginning of a host that most calls use.
pub(crate) const HOT_BYTES: usize = offset_of!(Host, tcp) + tcp::HOT_BYTES;

impl Host {
    pub(crate) fn new(config: HostConfig, seed: u64) -> Result<Self, Error> {
        config.check()?;
        let mut random = Random::new(seed, &format!("host {}", config.name));
        let (own, broadcasts) = change::accepted_addresses(&config);
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
            unread: None,
            discards: BTreeMap::new(),
            drops: BTreeMap::new(),
            config: Box::new(config),
        };
        let neighbours = host.config.neighbours.clone();
        for (port, address, mac) in neighbours {
            // A new host has no waiting packets, so there are no actions to apply.
            host.neighbours[port as usize].set_fixed(address, mac, &mut NeighbourActions::default());
        }
        Ok(host)
    }

    /// Applications read the data of connections only in [`Host::read_all`].
    pub(crate) fn let_apps_wait(&mut self) {
        self.unread = Some(Unread::default());
    }

    /// Returns the settings with which the host was added. They include later changes of
    /// interfaces, but not of routes and neighbours.
    pub fn config(&self) -> &HostConfig {
        &self.config
    }

    /// Returns the first address of the first interface that has one.
    pub fn address(&self) -> Option<IpAddr> {
        self.config.interfaces.iter().find_map(|interface| interface.addresses.first()).map(|a| a.address())
    }

    /// Returns all routes, including those to the interfaces' own networks, in the order of lookup.
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

    /// Removes a route. Returns false if there is no such route.
    pub fn remove_route(&mut self, route: &Route) -> bool {
        self.path_cache.clear();
        self.routes.remove(route)
    }

    /// Returns the neighbour entries of an interface, static and learned, by address; none for an
    /// interface that does not exist.
    pub fn neighbours(&self, interface: Port) -> Vec<NeighbourEntry> {
        self.neighbours.get(interface as usize).map(|table| table.entries().collect()).unwrap_or_default()
    }

    /// Returns the counters of the host's frames.
    pub fn counters(&self) -> &HostCounters {
        &self.counters
    }

    /// Called when a link was connected to an interface, or when the interface's queue changed.
    pub(crate) fn set_queue(&mut self, port: Port, paces: bool) {
        if self.queues[port as usize].replace(paces) != Some(paces) {
            self.pace_connections();
        }
    }

    /// Requests a queueing discipline for an interface.
    pub(crate) fn change_queue(&mut self, port: Port, config: QdiscConfig) -> Result<(), Error> {
        self.config.check_interface(port)?;
        config.check()?;
        if self.queues[port as usize].is_none() {
            return Err(Error::NotConnected { node: self.config.name.clone(), port });
        }
        self.outbox().queue_changes.push((port, config));
        Ok(())
    }

    /// Returns the host's name.
    pub(crate) fn name(&self) -> &str {
        &self.config.name
    }

    /// Returns the time at which a frame that arrives now will be processed; `None` if immediately.
    pub(crate) fn processing_time(&mut self, now: Nanos) -> Option<Nanos> {
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

    pub(crate) fn packets_created(&self) -> u64 {
        self.created
    }

    /// Returns the number of packets that wait for a neighbour's hardware address.
    pub(crate) fn waiting(&self) -> usize {
        self.neighbours.iter().map(Neighbours::waiting).sum()
    }

    /// Returns the neighbours that have not answered yet, and how many packets wait for each.
    pub(crate) fn waiting_for(&self) -> impl Iterator<Item = (IpAddr, usize)> {
        self.neighbours.iter().flat_map(Neighbours::waiting_for)
    }

    /// Returns the drops so far, by place and reason.
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

    /// Counts a packet that the host created but has no route for.
    pub(crate) fn drop_unroutable(&mut self) {
        self.created += 1;
        self.drop_packet(None, HostDrop::NoRoute);
    }

    /// Counts a packet that the host discarded.
    fn discard(&mut self, reason: Discard) {
        *self.discards.entry(reason).or_default() += 1;
    }

    /// Returns the number of packets, by reason, that the host discarded after its interface had
    /// accepted them. The audit counts these frames as delivered.
    pub fn discards(&self) -> impl Iterator<Item = (&'static str, u64)> {
        self.discards.iter().map(|(reason, count)| (reason.text(), *count))
    }

    /// Returns the numbers of open TCP connections, of TCP connections in TIME-WAIT, and of TCP
    /// timers, including outdated ones.
    pub fn tcp_usage(&self) -> (usize, usize, usize) {
        let (open, waiting, _) = self.tcp.sockets();
        (open, waiting, self.tcp.timers())
    }

    pub(crate) fn has_address(&self, address: IpAddr) -> bool {
        self.addresses.iter().any(|(own, _)| *own == address)
    }

    fn has_address_on(&self, port: Port, address: IpAddr) -> bool {
        self.addresses.contains(&(address, port))
    }

    /// Prefetches what a call probably uses outside the host's own memory: the connection and the
    /// application.
    pub(crate) fn prefetch(&self) {
        let (connection, app) = match self.tcp.only_connection() {
            Some((connection, app)) => (Some(connection), Some(app)),
            None => (None, self.bindings.first_app()),
        };
        if let Some(connection) = connection {
            prefetch_memory(connection, size_of::<Connection>());
        }
        if let Some(app) = app.and_then(|app| self.app(app)) {
            prefetch_memory(app, APP);
        }
    }

    /// Returns the outbox; the network lends one for calls that may use it.
    pub(crate) fn outbox(&mut self) -> &mut HostOutbox {
        self.outbox.get_or_insert_default()
    }

    /// Returns the time of the host's next deadline.
    pub(crate) fn next_deadline(&mut self) -> Option<Nanos> {
        if self.no_deadlines {
            return self.tcp.next_timer();
        }
        let neighbours = self.neighbours.iter().filter_map(Neighbours::next_deadline);
        let other = neighbours.chain(self.fragments.next_deadline()).min();
        self.no_deadlines = other.is_none();
        other.into_iter().chain(self.tcp.next_timer()).min()
    }

    /// Handles everything at the host that is due.
    pub(crate) fn advance(&mut self, now: Nanos) {
        if !self.no_deadlines {
            for port in 0..self.neighbours.len() {
                let mut actions = NeighbourActions::default();
                self.neighbours[port].advance(now, &mut actions);
                self.run_neighbour_actions(now, port as Port, actions);
            }
            self.expire_fragments(now);
        }
        self.fire_timers(now);
    }
}
