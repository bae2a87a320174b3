//! The network: nodes, links between them, the virtual clock.

mod apps;
mod audit;
mod build;
mod captures;
mod computing;
mod event;
mod interfaces;
mod loops;
mod parallel;
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
use std::net::IpAddr;

use weir_device::{Device, Nanos, Port};

use self::captures::Tap;
use self::computing::Computing;
use self::event::{AppWakes, Event};
pub use self::loops::EndlessLoop;
use self::loops::LoopWatch;
pub use self::parallel::{MAX_THREADS, ParallelWork, RunTasks, Task};
use self::parallel::{Parallel, Part};
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

/// The number of a node of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub(crate) usize);

/// The number of a link of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LinkId(pub(crate) usize);

struct DeviceNode {
    device: Box<dyn Device>,
    /// The number of frames that the device has transmitted or announced.
    transmitted: u64,
    /// The packets inside the device by id, if ids are tracked; see [`audit`].
    inside: Option<BTreeMap<u64, u32>>,
}

#[expect(
    clippy::large_enum_variant,
    reason = "nearly all nodes are hosts, whose memory should be contiguous"
)]
enum NodeKind {
    Host(Host),
    Device(Box<DeviceNode>),
}

/// A node. The fields that each packet uses come first.
#[repr(C, align(64))]
struct NodeState {
    /// The wires that start at this node's ports.
    ports: Ports,
    /// The node's pending wake-up events.
    alarm: Alarm,
    /// The number of packet ids assigned so far; see [`NodeState::next_id`].
    packets_named: u64,
    /// The number of applications that count as running.
    running: usize,
    kind: NodeKind,
    name: String,
    /// The number of frames that found no room to wait for the computer.
    unread: u64,
    /// The number of frames that were sent to ports without a link.
    unconnected: BTreeMap<Port, u64>,
}

/// The number of bytes of a node and its host that most calls use.
const NODE_HOT_BYTES: usize = offset_of!(NodeState, kind) + crate::host::HOT_BYTES;

impl NodeState {
    fn port_name(&self, port: Port) -> String {
        match self.kind {
            NodeKind::Host(_) => format!("{}-eth{port}", self.name),
            NodeKind::Device(_) => format!("{}-p{port}", self.name),
        }
    }

    /// Returns the id of a new packet: 24 bits for the node, 40 bits for its own count. So ids do
    /// not depend on other nodes.
    fn next_id(&mut self, node: usize) -> u64 {
        self.packets_named += 1;
        ((node as u64) << 40) | self.packets_named
    }
}

struct LinkState {
    /// One transmitter per direction.
    transmitters: [Transmitter; 2],
    /// The nodes and ports of the two ends.
    ends: [(usize, Port); 2],
    /// For each end, captures and their interface numbers.
    taps: [Vec<(usize, u32)>; 2],
}

/// A virtual network. It is deterministic: the result depends only on the seed and on the sequence
/// of calls.
pub struct Network {
    seed: u64,
    now: Nanos,
    events: EventQueue<Event>,
    frames: Frames,
    app_wakes: AppWakes,
    /// The outbox lent to the host that is being called.
    outbox: Option<Box<HostOutbox>>,
    nodes: Vec<NodeState>,
    names: BTreeMap<String, usize>,
    links: Vec<LinkState>,
    /// For each wire, the host at its receiving end; `None` if there is a device. The table is
    /// small, so that the host is known before the link's memory is loaded.
    hosts_at: Vec<Option<u32>>,
    captures: Vec<Option<Tap>>,
    pub(crate) samplers: Samplers,
    /// Whether an application, a watch or a device's message has requested to stop the run.
    stop_requested: bool,
    /// The maximum random delay of traffic that starts.
    start_jitter: Nanos,
    /// Whether messages of devices stop the run.
    reads_messages: bool,
    /// Whether an application has been called since this was last checked.
    app_called: bool,
    /// The nodes that a caller may have changed: the deadlines of devices, the applications of
    /// hosts.
    changed_nodes: BTreeSet<usize>,
    /// The number of applications that have not finished.
    running: usize,
    handled: u64,
    hops: u64,
    tracks_packet_ids: bool,
    loops: LoopWatch,
    /// The computer that all nodes share; `None` if nodes do not share one.
    computing: Option<Box<Computing>>,
    /// The ports configured by `tc` commands, by node and port.
    tc_ports: BTreeMap<(usize, Port), queueing::TcPort>,
    /// The number of handled events from which on several threads may be used.
    parallel_from: u64,
    /// The threads that simulate the network; `None` for one thread.
    parallel: Option<Box<Parallel>>,
    /// Pairs of nodes whose applications share data.
    together: BTreeSet<(usize, usize)>,
    /// The further state of a network that is a part of another one.
    part: Option<Box<Part>>,
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
    /// Creates an empty network at time 0. All randomness comes from the seed.
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
            start_jitter: 0,
            reads_messages: false,
            app_called: false,
            changed_nodes: BTreeSet::new(),
            running: 0,
            handled: 0,
            hops: 0,
            tracks_packet_ids: false,
            loops: LoopWatch::default(),
            computing: None,
            parallel_from: u64::MAX,
            parallel: None,
            together: BTreeSet::new(),
            part: None,
        }
    }

    /// Returns the seed of the network's random numbers.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// Returns the current time in nanoseconds since the start.
    pub fn now(&self) -> Nanos {
        self.now
    }

    /// Advances the clock to a time at which there are no events.
    pub(crate) fn advance_clock(&mut self, time: Nanos) {
        self.now = self.now.max(time);
    }

    /// Returns the number of events handled since the start.
    pub fn events_handled(&self) -> u64 {
        self.handled
    }

    /// Returns the number of pending events.
    pub fn events_pending(&self) -> usize {
        self.events.len()
    }

    /// Returns the number of frames delivered over all links since the start.
    pub fn hops(&self) -> u64 {
        self.hops
    }

    /// Returns the number of frames in use, and the capacity of the frame pool.
    pub fn frames(&self) -> (usize, usize) {
        (self.frames.in_use(), self.frames.capacity())
    }

    /// Returns the number of the node with this name.
    fn index(&self, name: &str) -> Result<usize, Error> {
        self.names.get(name).copied().ok_or_else(|| Error::UnknownNode {
            name: name.to_owned(),
            known: self.nodes.iter().map(|node| node.name.clone()).collect(),
        })
    }

    fn check_link(&self, id: LinkId) -> Result<usize, Error> {
        if id.0 < self.links.len() { Ok(id.0) } else { Err(Error::UnknownId { what: "link", number: id.0 }) }
    }

    /// Whether a device that has messages ([`Device::has_messages`]) stops the run
    /// ([`StopReason::Requested`]); false by default.
    pub fn read_messages(&mut self, on: bool) {
        self.reads_messages = on;
    }

    /// Returns a host.
    ///
    /// # Errors
    /// There is no such node, or it is a device.
    pub fn host(&self, name: &str) -> Result<&Host, Error> {
        match &self.nodes[self.index(name)?].kind {
            NodeKind::Host(host) => Ok(host),
            NodeKind::Device(_) => Err(Error::NotAHost(name.to_owned())),
        }
    }

    /// Returns a host, mutably.
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

    /// Returns the name of the first host that has an address.
    pub fn address_owner(&self, address: IpAddr) -> Option<&str> {
        let owns =
            |node: &&NodeState| matches!(&node.kind, NodeKind::Host(host) if host.has_address(address));
        self.nodes.iter().find(owns).map(|node| node.name.as_str())
    }

    /// Returns a device by its type.
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

    /// Returns a device by its type, mutably. The effects of calls on it are processed when the
    /// network next runs.
    ///
    /// # Errors
    /// There is no such node, or it is a host or a device of another type.
    pub fn device_mut<D: Device>(&mut self, name: &str) -> Result<&mut D, Error> {
        let index = self.index(name)?;
        let NodeKind::Device(node) = &mut self.nodes[index].kind else {
            return Err(Error::NotADevice(name.to_owned()));
        };
        self.changed_nodes.insert(index);
        let device: &mut dyn Any = node.device.as_mut();
        device.downcast_mut().ok_or_else(|| Error::NotADevice(name.to_owned()))
    }
}
