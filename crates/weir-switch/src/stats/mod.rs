//! Statistics of the packets of a switch.

mod port_counters;

pub(crate) use port_counters::PortCounters;

use std::collections::BTreeMap;
use std::fmt;

use weir_device::Port;

/// The place in the switch at which a packet was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DropPlace {
    /// The packet was dropped before its pass.
    Input,
    /// The packet was dropped in the parser.
    Parser,
    /// The packet was dropped during or after ingress.
    Ingress,
    /// The packet was dropped at an egress queue of this port.
    Queue(Port),
    /// The packet was dropped during or after egress.
    Egress,
    /// The packet was dropped at a port.
    Port(Port),
}

impl fmt::Display for DropPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Input => f.write_str("input"),
            Self::Parser => f.write_str("parser"),
            Self::Ingress => f.write_str("ingress"),
            Self::Queue(port) => write!(f, "queue {port}"),
            Self::Egress => f.write_str("egress"),
            Self::Port(port) => write!(f, "port {port}"),
        }
    }
}

/// The reason why a packet was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DropReason {
    /// The switch has no such port.
    NoSuchPort,
    /// Too many packets waited for their pass.
    InputQueueFull,
    /// The program dropped the packet: `egress_spec` was the drop port.
    DropPort,
    /// Too many packets waited in the egress queue.
    QueueFull,
    /// The discipline of the egress queue dropped the packet; the text is the same as at links.
    Discipline(&'static str),
    /// The value of `priority` is not the number of a queue.
    NoSuchQueue,
    /// The multicast group is not configured or has no members.
    EmptyGroup,
    /// The executor stopped an endless loop.
    LoopLimit,
    /// An `assert` or `assume` failed.
    AssertionFailed,
    /// The code of an extern that the program declares itself failed.
    ExternFailed,
    /// Clones made too many further clones at one point in time, or a chain of clones became too
    /// long.
    CloneLimit,
    /// The switch's program was replaced while the packet was inside.
    ProgramReplaced,
    /// The controller has not sent a program yet.
    NoProgram,
}

impl fmt::Display for DropReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoSuchPort => "no such port",
            Self::InputQueueFull => "input queue full",
            Self::DropPort => "drop port",
            Self::QueueFull => "queue full",
            Self::Discipline(reason) => reason,
            Self::NoSuchQueue => "no such queue",
            Self::EmptyGroup => "empty multicast group",
            Self::LoopLimit => "loop limit",
            Self::AssertionFailed => "assertion failed",
            Self::ExternFailed => "extern failed",
            Self::CloneLimit => "clone limit",
            Self::ProgramReplaced => "program replaced",
            Self::NoProgram => "no program yet",
        })
    }
}

/// The counts of all packets. At any time, `received + copied = transmitted + dropped() +
/// in_flight`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// The number of packets received, including those dropped at once.
    pub received: u64,
    /// The number of copies that clones and multicast made, and of generated packets.
    pub copied: u64,
    /// The number of packets sent out.
    pub transmitted: u64,
    /// The number of dropped packets, by place and reason.
    pub drops: BTreeMap<(DropPlace, DropReason), u64>,
    /// The number of packets inside the switch.
    pub in_flight: u64,
    /// The number of passes started.
    pub passes: u64,
    /// The number of passes that ended in a recirculation.
    pub recirculated: u64,
    /// The number of passes that ended in a resubmission.
    pub resubmitted: u64,
    /// The numbers of packets and bytes, by port.
    pub ports: PortCounts,
}

impl Stats {
    /// Adds the statistics of other packets.
    pub(crate) fn add(&mut self, other: Self) {
        let Self {
            received,
            copied,
            transmitted,
            drops,
            in_flight,
            passes,
            recirculated,
            resubmitted,
            ports,
        } = other;
        self.received += received;
        self.copied += copied;
        self.transmitted += transmitted;
        self.in_flight += in_flight;
        self.passes += passes;
        self.recirculated += recirculated;
        self.resubmitted += resubmitted;
        for ((place, reason), count) in drops {
            self.record_drops(place, reason, count);
        }
        for (port, counted) in ports.iter() {
            *self.ports.entry(port) += *counted;
        }
    }

    /// Counts dropped packets.
    pub(crate) fn record_drops(&mut self, place: DropPlace, reason: DropReason, packets: u64) {
        *self.drops.entry((place, reason)).or_default() += packets;
    }

    /// Counts a packet that was in flight and is sent out.
    pub(crate) fn record_sent(&mut self, port: Port, bytes: usize) {
        self.transmitted += 1;
        self.in_flight -= 1;
        let counts = self.ports.entry(port);
        counts.packets_out += 1;
        counts.bytes_out += bytes as u64;
    }

    /// Returns the number of chains of clones that were ended because they were too long.
    pub fn ended_clone_chains(&self) -> u64 {
        let drops = self.drops.iter().filter(|((_, reason), _)| *reason == DropReason::CloneLimit);
        drops.map(|(_, count)| count).sum()
    }

    /// Returns the number of all dropped packets.
    pub fn dropped(&self) -> u64 {
        self.drops.values().sum()
    }

    /// Returns whether the counts account for every packet.
    pub fn is_balanced(&self) -> bool {
        self.received + self.copied == self.transmitted + self.dropped() + self.in_flight
    }
}

/// The packet and byte counts of all ports.
#[derive(Clone, Debug, Default)]
pub struct PortCounts {
    /// The counts of the ports below [`DENSE`], by number, up to the largest port that was ever
    /// counted.
    dense: Vec<PortStats>,
    /// The counts of the other ports.
    sparse: BTreeMap<Port, PortStats>,
}

/// The first port number that is not in the list of counts. Larger port numbers are rare, and their
/// counts are in a map.
const DENSE: Port = 1024;

impl PortCounts {
    /// Returns the ports that packets used, in ascending order, with their counts.
    pub fn iter(&self) -> impl Iterator<Item = (Port, &PortStats)> {
        let dense = (0..).zip(&self.dense).filter(|(_, counts)| **counts != PortStats::default());
        dense.chain(self.sparse.iter().map(|(port, counts)| (*port, counts)))
    }

    /// Returns a port's counts, so that the caller can increase them.
    pub(crate) fn entry(&mut self, port: Port) -> &mut PortStats {
        if port >= DENSE {
            return self.sparse.entry(port).or_default();
        }
        let index = port as usize;
        if index >= self.dense.len() {
            self.dense.resize(index + 1, PortStats::default());
        }
        &mut self.dense[index]
    }
}

impl std::ops::Index<&Port> for PortCounts {
    type Output = PortStats;

    /// Returns a port's counts, or zeros if no packet ever used the port.
    fn index(&self, port: &Port) -> &PortStats {
        const NONE: &PortStats = &PortStats { packets_in: 0, bytes_in: 0, packets_out: 0, bytes_out: 0 };
        let stats = if *port < DENSE { self.dense.get(*port as usize) } else { self.sparse.get(port) };
        stats.unwrap_or(NONE)
    }
}

impl PartialEq for PortCounts {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl Eq for PortCounts {}

/// The packet and byte counts of one port.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PortStats {
    /// The number of packets that arrived.
    pub packets_in: u64,
    /// The bytes of the packets that arrived.
    pub bytes_in: u64,
    /// The number of packets that left.
    pub packets_out: u64,
    /// The bytes of the packets that left.
    pub bytes_out: u64,
}

impl std::ops::AddAssign for PortStats {
    fn add_assign(&mut self, other: Self) {
        self.packets_in += other.packets_in;
        self.bytes_in += other.bytes_in;
        self.packets_out += other.packets_out;
        self.bytes_out += other.bytes_out;
    }
}
