//! Networks: nodes, links between them, and time.

mod apps;
mod audit;
mod build;
mod captures;
mod event;
mod interfaces;
mod prefetch;
mod queueing;
mod resource_usage;
mod run;
mod sampling;
mod servers;
mod stop;
mod topology;
mod wire;

use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::mem::offset_of;

use weir_device::{Device, Nanos, Port};

use self::captures::Tap;
use self::event::{AppWakes, Event};
pub use self::servers::ServerHosts;
pub use self::stop::{RunResult, StopCondition, StopReason};
pub use self::topology::{Link, LinkEnd, Node};
use self::wire::{Ports, Wire};
use crate::Error;
use crate::event_queue::{Alarm, EventQueue};
use crate::frames::Frames;
use crate::host::{Host, HostOutbox};
use crate::link::Transmitter;
use crate::sample::Samplers;

/// A node of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub(crate) usize);

/// A link of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LinkId(pub(crate) usize);

struct DeviceNode {
    device: Box<dyn Device>,
    /// Frames that came out of it, announced or sent.
    transmitted: u64,
    /// Packets that went in and did not come out again yet, by id, if that is watched; see [`audit`].
    inside: Option<BTreeMap<u64, u32>>,
}

#[expect(
    clippy::large_enum_variant,
    reason = "nearly all nodes are hosts, and their memory is to lie together"
)]
enum NodeKind {
    Host(Host),
    Device(Box<DeviceNode>),
}

/// A node. What each packet touches stands first.
#[repr(C, align(64))]
struct NodeState {
    /// The wires that lead away from this node's ports.
    ports: Ports,
    /// When it is to be called.
    alarm: Alarm,
    /// Packets named so far; see [`NodeState::next_id`].
    packets_named: u64,
    /// Applications counted as running.
    running: usize,
    kind: NodeKind,
    name: String,
    /// Frames that left through ports without a link.
    unconnected: BTreeMap<Port, u64>,
}

/// Bytes of a node, its host's with it, that calls touch as a rule.
const NODE_HOT_BYTES: usize = offset_of!(NodeState, kind) + crate::host::HOT_BYTES;

impl NodeState {
    fn port_name(&self, port: Port) -> String {
        match self.kind {
            NodeKind::Host(_) => format!("{}-eth{port}", self.name),
            NodeKind::Device(_) => format!("{}-p{port}", self.name),
        }
    }

    /// A new packet's id: 24 bits of the node's number, 40 bits of its own count. So ids depend on no other node.
    fn next_id(&mut self, node: usize) -> u64 {
        self.packets_named += 1;
        ((node as u64) << 40) | self.packets_named
    }
}

struct LinkState {
    /// By direction.
    transmitters: [Transmitter; 2],
    /// Nodes' numbers and ports.
    ends: [(usize, Port); 2],
    /// Captures and their interfaces that listen at each end.
    taps: [Vec<(usize, u32)>; 2],
}

/// A virtual network. Deterministic: it depends on its seed and on the calls made, in their order, and on nothing else.
pub struct Network {
    seed: u64,
    now: Nanos,
    events: EventQueue<Event>,
    frames: Frames,
    app_wakes: AppWakes,
    /// What a host works on: that one's while it is called.
    outbox: Option<Box<HostOutbox>>,
    nodes: Vec<NodeState>,
    names: BTreeMap<String, usize>,
    links: Vec<LinkState>,
    /// The host at the end of each wire, if it is one: in little memory, so that it is known before the wire's own is there.
    hosts_at: Vec<Option<u32>>,
    captures: Vec<Option<Tap>>,
    pub(crate) samplers: Samplers,
    /// Whether a program has asked the run to stop.
    stop_requested: bool,
    /// Whether an application has been called since that was last looked at.
    app_called: bool,
    /// Nodes that a caller has touched: devices whose deadlines, hosts whose applications may have changed.
    touched: BTreeSet<usize>,
    /// Applications that have not finished.
    running: usize,
    handled: u64,
    hops: u64,
    tracks_packet_ids: bool,
    /// Ports whose queueing disciplines `tc` has changed, by node and port.
    tc_ports: BTreeMap<(usize, Port), queueing::TcPort>,
}

impl fmt::Debug for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Network")
            .field("seed", &self.seed)
            .field("now", &self.now)
            .field("nodes", &self.names.keys())
            .field("links", &self.links.len())
            .field("pending_events", &self.events.len())
            .finish_non_exhaustive()
    }
}

impl Network {
    /// An empty network at time 0. All randomness in it comes from the seed.
    pub fn new(seed: u64) -> Self {
        Network {
            tc_ports: BTreeMap::new(),
            seed,
            now: 0,
            events: EventQueue::new(),
            frames: Frames::default(),
            app_wakes: AppWakes::default(),
            outbox: None,
            nodes: Vec::new(),
            names: BTreeMap::new(),
            links: Vec::new(),
            hosts_at: Vec::new(),
            captures: Vec::new(),
            samplers: Samplers::default(),
            stop_requested: false,
            app_called: false,
            touched: BTreeSet::new(),
            running: 0,
            handled: 0,
            hops: 0,
            tracks_packet_ids: false,
        }
    }

    /// The seed it was made with.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The time, in nanoseconds from the start.
    pub fn now(&self) -> Nanos {
        self.now
    }

    /// Lets the clock go on to a time at which nothing happens.
    pub(crate) fn advance_clock(&mut self, time: Nanos) {
        self.now = self.now.max(time);
    }

    /// Events handled since the start.
    pub fn events_handled(&self) -> u64 {
        self.handled
    }

    /// Events that wait for their time.
    pub fn events_pending(&self) -> usize {
        self.events.len()
    }

    /// Frames delivered over all directions of all links since the start.
    pub fn hops(&self) -> u64 {
        self.hops
    }

    /// Frames under way now, and frames that there is memory for: as many as were ever under way at once, by size.
    pub fn frames(&self) -> (usize, usize) {
        (self.frames.in_use(), self.frames.capacity())
    }

    fn index(&self, name: &str) -> Result<usize, Error> {
        self.names.get(name).copied().ok_or_else(|| Error::UnknownNode {
            name: name.to_owned(),
            known: self.nodes.iter().map(|node| node.name.clone()).collect(),
        })
    }

    fn check_link(&self, id: LinkId) -> Result<usize, Error> {
        if id.0 < self.links.len() { Ok(id.0) } else { Err(Error::UnknownId { what: "link", number: id.0 }) }
    }

    /// A host.
    ///
    /// # Errors
    /// There is no such node, or it is a device.
    pub fn host(&self, name: &str) -> Result<&Host, Error> {
        match &self.nodes[self.index(name)?].kind {
            NodeKind::Host(host) => Ok(host),
            NodeKind::Device(_) => Err(Error::NotAHost(name.to_owned())),
        }
    }

    /// A host, to change its routes.
    ///
    /// # Errors
    /// There is no such node, or it is a device.
    pub fn host_mut(&mut self, name: &str) -> Result<&mut Host, Error> {
        let index = self.index(name)?;
        match &mut self.nodes[index].kind {
            NodeKind::Host(host) => Ok(host),
            NodeKind::Device(_) => Err(Error::NotAHost(name.to_owned())),
        }
    }

    /// A device, as what it is.
    ///
    /// # Errors
    /// There is no such node, or it is a host or a device of another type.
    pub fn device<D: Device>(&self, name: &str) -> Result<&D, Error> {
        let NodeKind::Device(node) = &self.nodes[self.index(name)?].kind else {
            return Err(Error::NotADevice(name.to_owned()));
        };
        let device: &dyn Any = node.device.as_ref();
        device.downcast_ref().ok_or_else(|| Error::NotADevice(name.to_owned()))
    }

    /// A device to change, as what it is. Packets it is given or told to send here are looked after when the network next runs.
    ///
    /// # Errors
    /// There is no such node, or it is a host or a device of another type.
    pub fn device_mut<D: Device>(&mut self, name: &str) -> Result<&mut D, Error> {
        let index = self.index(name)?;
        let NodeKind::Device(node) = &mut self.nodes[index].kind else {
            return Err(Error::NotADevice(name.to_owned()));
        };
        self.touched.insert(index);
        let device: &mut dyn Any = node.device.as_mut();
        device.downcast_mut().ok_or_else(|| Error::NotADevice(name.to_owned()))
    }
}
