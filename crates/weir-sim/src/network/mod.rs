//! Networks: nodes, links between them, and time.

mod account;
mod apps;
mod build;
mod queues;
mod run;
mod taps;

use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use smallvec::SmallVec;
use weir_switch::{Device, Nanos, Port};

pub use self::run::{Goal, Progress, Stop};
use self::taps::Tap;
use crate::events::{Alarm, EventQueue};
use crate::frames::{FrameId, Frames};
use crate::host::Host;
use crate::link::{Direction, LinkConfig, Transmitter};
use crate::sample::Samplers;
use crate::{DirectionCounters, Error};

/// A node of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub(crate) usize);

/// A link of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LinkId(pub(crate) usize);

/// An application on a host of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AppId {
    node: usize,
    slot: usize,
}

/// A port of a node: where a link can end. A host's ports are its interfaces, counted from 0; a device's are its data-plane ports.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct End {
    /// The node's name.
    pub node: String,
    /// The port's number.
    pub port: Port,
}

impl End {
    /// The port of this number at the node of this name.
    pub fn new(node: impl Into<String>, port: Port) -> Self {
        End { node: node.into(), port }
    }
}

/// A node as it stands in its network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Its identifier.
    pub id: NodeId,
    /// Its name.
    pub name: String,
    /// Whether it is a host; otherwise it is a device.
    pub is_host: bool,
    /// Its connected ports and their links, by port.
    pub links: Vec<(Port, LinkId)>,
}

/// A link as it stands in its network.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// Its identifier.
    pub id: LinkId,
    /// Its ends in the order in which they were connected.
    pub ends: [End; 2],
    /// How it behaves: forward, from the first end to the second, and backward.
    pub config: [LinkConfig; 2],
    /// Whether it is up.
    pub up: bool,
}

/// One direction of a link: twice the link's number, plus 1 if backward.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Wire(u32);

impl Wire {
    fn new(link: usize, direction: Direction) -> Self {
        Wire((link * 2 + direction.index()) as u32)
    }

    fn link(self) -> usize {
        self.0 as usize / 2
    }

    /// The direction's number, which is also that of the end where frames leave.
    fn side(self) -> usize {
        self.0 as usize % 2
    }
}

/// The wires that lead away from a node's ports.
#[derive(Default)]
struct Ports {
    /// Of small numbers, by number: as good as all there are.
    near: SmallVec<[Option<Wire>; 4]>,
    far: BTreeMap<Port, Wire>,
}

/// Ports from here on are looked up.
const NEAR: Port = 4096;

impl Ports {
    fn get(&self, port: Port) -> Option<Wire> {
        if port < NEAR { *self.near.get(port as usize)? } else { self.far.get(&port).copied() }
    }

    fn insert(&mut self, port: Port, wire: Wire) {
        if port >= NEAR {
            self.far.insert(port, wire);
            return;
        }
        if self.near.len() <= port as usize {
            self.near.resize(port as usize + 1, None);
        }
        self.near[port as usize] = Some(wire);
    }

    /// All, by port.
    fn iter(&self) -> impl Iterator<Item = (Port, Wire)> {
        let near = (0..).zip(&self.near).filter_map(|(port, wire)| Some((port, (*wire)?)));
        near.chain(self.far.iter().map(|(port, wire)| (*port, *wire)))
    }
}

/// What will happen. Copied a lot, so it is small: numbers only.
#[derive(Clone, Copy)]
enum Event {
    /// A transmitter wanted to be called.
    Sent { wire: Wire },
    /// A frame's last bit arrives, or would.
    Arrived { wire: Wire, frame: FrameId },
    /// A host notices a frame that has arrived over this wire.
    Noticed { wire: Wire, frame: FrameId },
    /// A host receives a packet from itself.
    Loopback { node: u32, packet: FrameId },
    /// A device's transmission that was announced for later; its port is in its buffer.
    Transmit { node: u32, frame: FrameId },
    /// A node has something to do by itself.
    Wake { node: u32 },
    /// An application starts.
    AppStart { node: u32, slot: u32 },
    /// An application is woken, as noted under this number.
    AppWake { node: u32, wake: u32 },
}

/// What applications are to be woken with: slots and tokens, by numbers that are used again.
#[derive(Default)]
struct AppWakes {
    notes: Vec<(usize, u64)>,
    free: Vec<u32>,
}

impl AppWakes {
    fn add(&mut self, slot: usize, token: u64) -> u32 {
        if let Some(number) = self.free.pop() {
            self.notes[number as usize] = (slot, token);
            return number;
        }
        self.notes.push((slot, token));
        (self.notes.len() - 1) as u32
    }

    fn take(&mut self, number: u32) -> (usize, u64) {
        self.free.push(number);
        self.notes[number as usize]
    }
}

struct DeviceNode {
    device: Box<dyn Device>,
    /// Frames that came out of it, announced or sent.
    transmitted: u64,
    /// Packets that went in and did not come out again yet, by id, if that is watched; see [`account`].
    inside: Option<BTreeMap<u64, u32>>,
}

enum Kind {
    Host(Box<Host>),
    Device(DeviceNode),
}

struct NodeState {
    name: String,
    kind: Kind,
    /// The wires that lead away from this node's ports.
    ports: Ports,
    /// When it is to be called.
    alarm: Alarm,
    /// Frames that left through ports without a link.
    unconnected: BTreeMap<Port, u64>,
    /// Packets named so far; see [`NodeState::next_id`].
    named: u64,
    /// Applications counted as running.
    running: usize,
}

impl NodeState {
    fn port_name(&self, port: Port) -> String {
        match self.kind {
            Kind::Host(_) => format!("{}-eth{port}", self.name),
            Kind::Device(_) => format!("{}-p{port}", self.name),
        }
    }

    /// A new packet's id: 24 bits of the node's number, 40 bits of its own count. So ids depend on no other node.
    fn next_id(&mut self, node: usize) -> u64 {
        self.named += 1;
        ((node as u64) << 40) | self.named
    }
}

struct LinkState {
    /// Nodes' numbers and ports.
    ends: [(usize, Port); 2],
    /// By direction.
    transmitters: [Transmitter; 2],
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
    /// Buffers that hosts write frames into: one host's while it is called, so that all use the same few, which caches hold.
    spare: Vec<Vec<u8>>,
    nodes: Vec<NodeState>,
    names: BTreeMap<String, usize>,
    links: Vec<LinkState>,
    captures: Vec<Option<Tap>>,
    pub(crate) samplers: Samplers,
    /// Whether a program has asked the run to stop.
    asked: bool,
    /// Nodes that a caller has touched: devices whose deadlines, hosts whose applications may have changed.
    touched: BTreeSet<usize>,
    /// Applications that have not finished.
    running: usize,
    handled: u64,
    hops: u64,
    watches_ids: bool,
    /// Ports whose queueing disciplines `tc` has changed, by node and port.
    shaped: BTreeMap<(usize, Port), queues::Shaped>,
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
            shaped: BTreeMap::new(),
            seed,
            now: 0,
            events: EventQueue::new(),
            frames: Frames::default(),
            app_wakes: AppWakes::default(),
            spare: Vec::new(),
            nodes: Vec::new(),
            names: BTreeMap::new(),
            links: Vec::new(),
            captures: Vec::new(),
            samplers: Samplers::default(),
            asked: false,
            touched: BTreeSet::new(),
            running: 0,
            handled: 0,
            hops: 0,
            watches_ids: false,
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
    pub(crate) fn pass_time(&mut self, time: Nanos) {
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
        (self.frames.live(), self.frames.slots())
    }

    fn index(&self, name: &str) -> Result<usize, Error> {
        self.names.get(name).copied().ok_or_else(|| Error::UnknownNode {
            name: name.to_owned(),
            known: self.nodes.iter().map(|node| node.name.clone()).collect(),
        })
    }

    /// All nodes, in the order of their making.
    pub fn nodes(&self) -> Vec<Node> {
        let node = |(index, state): (usize, &NodeState)| Node {
            id: NodeId(index),
            name: state.name.clone(),
            is_host: matches!(state.kind, Kind::Host(_)),
            links: state.ports.iter().map(|(port, wire)| (port, LinkId(wire.link()))).collect(),
        };
        self.nodes.iter().enumerate().map(node).collect()
    }

    /// The names of all hosts, in the order of their making.
    pub fn host_names(&self) -> Vec<String> {
        let hosts = self.nodes.iter().filter(|node| matches!(node.kind, Kind::Host(_)));
        hosts.map(|node| node.name.clone()).collect()
    }

    /// All links, in the order of their making.
    pub fn links(&self) -> Vec<Link> {
        (0..self.links.len()).map(|index| self.describe_link(index)).collect()
    }

    /// One link.
    ///
    /// # Errors
    /// It is not of this network.
    pub fn link(&self, id: LinkId) -> Result<Link, Error> {
        self.check_link(id).map(|index| self.describe_link(index))
    }

    /// The link at a port.
    ///
    /// # Errors
    /// There is no such node, or nothing is connected there.
    pub fn link_at(&self, end: &End) -> Result<LinkId, Error> {
        let node = self.index(&end.node)?;
        let link = self.nodes[node].ports.get(end.port).map(|wire| LinkId(wire.link()));
        link.ok_or_else(|| Error::NotConnected { node: end.node.clone(), port: end.port })
    }

    fn check_link(&self, id: LinkId) -> Result<usize, Error> {
        if id.0 < self.links.len() { Ok(id.0) } else { Err(Error::UnknownId { what: "link", number: id.0 }) }
    }

    fn describe_link(&self, index: usize) -> Link {
        let state = &self.links[index];
        let [forward, backward] = &state.transmitters;
        Link {
            id: LinkId(index),
            ends: state.ends.map(|(node, port)| End::new(self.nodes[node].name.clone(), port)),
            config: [forward.config().clone(), backward.config().clone()],
            up: forward.is_up(),
        }
    }

    /// What one direction of a link has seen.
    ///
    /// # Errors
    /// The link is not of this network.
    pub fn link_counters(&self, id: LinkId, direction: Direction) -> Result<DirectionCounters, Error> {
        let link = self.check_link(id)?;
        Ok(self.links[link].transmitters[direction.index()].counters())
    }

    /// A host.
    ///
    /// # Errors
    /// There is no such node, or it is a device.
    pub fn host(&self, name: &str) -> Result<&Host, Error> {
        match &self.nodes[self.index(name)?].kind {
            Kind::Host(host) => Ok(host),
            Kind::Device(_) => Err(Error::NotAHost(name.to_owned())),
        }
    }

    /// A host, to change its routes.
    ///
    /// # Errors
    /// There is no such node, or it is a device.
    pub fn host_mut(&mut self, name: &str) -> Result<&mut Host, Error> {
        let index = self.index(name)?;
        match &mut self.nodes[index].kind {
            Kind::Host(host) => Ok(host),
            Kind::Device(_) => Err(Error::NotAHost(name.to_owned())),
        }
    }

    /// A device, as what it is.
    ///
    /// # Errors
    /// There is no such node, or it is a host or a device of another type.
    pub fn device<D: Device>(&self, name: &str) -> Result<&D, Error> {
        let Kind::Device(node) = &self.nodes[self.index(name)?].kind else {
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
        let Kind::Device(node) = &mut self.nodes[index].kind else {
            return Err(Error::NotADevice(name.to_owned()));
        };
        self.touched.insert(index);
        let device: &mut dyn Any = node.device.as_mut();
        device.downcast_mut().ok_or_else(|| Error::NotADevice(name.to_owned()))
    }
}
