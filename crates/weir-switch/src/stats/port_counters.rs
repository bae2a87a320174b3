//! Counts packets and bytes of ports on the fast path.

use std::collections::BTreeSet;

use weir_device::{Buffer, Port};

use super::{PortStats, Stats};

/// The ports of a switch by number, with counts that are not in its [`Stats`] yet.
/// [`PortCounters::settle`] adds them.
#[derive(Debug)]
pub(crate) struct PortCounters {
    ports: Vec<PortCounter>,
    /// The ports with counts that are not 0.
    counted: Vec<Port>,
    /// The number of packets that left.
    transmitted: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct PortCounter {
    state: PortState,
    counts: PortStats,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum PortState {
    /// The switch has no port of this number.
    #[default]
    Missing,
    /// The port's counts are all 0.
    Zero,
    /// The port has counts.
    Counted,
}

impl PortCounters {
    /// Returns the counters of these ports, all 0.
    pub(crate) fn new(ports: &BTreeSet<Port>) -> Self {
        let all = 0..ports.last().map_or(0, |last| last.saturating_add(1));
        let state = |port| if ports.contains(&port) { PortState::Zero } else { PortState::Missing };
        let counter = |port| PortCounter { state: state(port), ..PortCounter::default() };
        Self { ports: all.map(counter).collect(), counted: Vec::new(), transmitted: 0 }
    }

    /// Returns whether the switch has this port.
    pub(crate) fn exists(&self, port: Port) -> bool {
        self.ports.get(port as usize).is_some_and(|port| port.state != PortState::Missing)
    }

    /// Returns the counts of a port, and lists the port as counted; `None` if there is no such
    /// port.
    #[inline]
    fn counts(&mut self, port: Port) -> Option<&mut PortStats> {
        let counter = self.ports.get_mut(port as usize)?;
        if counter.state != PortState::Counted {
            if counter.state == PortState::Missing {
                return None;
            }
            counter.state = PortState::Counted;
            self.counted.push(port);
        }
        Some(&mut counter.counts)
    }

    /// Counts received packets up to the first packet from a port that does not exist. Returns how
    /// many packets were counted.
    pub(crate) fn receive(&mut self, buffers: &mut [Buffer<'_>]) -> usize {
        for (position, buffer) in buffers.iter_mut().enumerate() {
            buffer.metadata.egress_port = None;
            let Some(counts) = self.counts(buffer.metadata.ingress_port) else { return position };
            counts.packets_in += 1;
            counts.bytes_in += buffer.len() as u64;
        }
        buffers.len()
    }

    /// Undoes the counting of packets by [`PortCounters::receive`] since the last
    /// [`PortCounters::settle`].
    pub(crate) fn take_back(&mut self, buffers: &[Buffer<'_>]) {
        for buffer in buffers {
            let Some(counts) = self.counts(buffer.metadata.ingress_port) else { continue };
            counts.packets_in -= 1;
            counts.bytes_in -= buffer.len() as u64;
        }
    }

    /// Sends a packet out of a port. The packet begins at byte `start` of its buffer's memory.
    /// Returns false if there is no such port.
    #[inline]
    pub(crate) fn transmit(&mut self, buffer: &mut Buffer<'_>, start: usize, port: Port) -> bool {
        let Some(counts) = self.counts(port) else { return false };
        buffer.set_departure(start, port);
        counts.packets_out += 1;
        counts.bytes_out += buffer.len() as u64;
        self.transmitted += 1;
        true
    }

    /// Takes the number of packets that have left since the last call.
    pub(crate) fn take_transmitted(&mut self) -> u64 {
        std::mem::take(&mut self.transmitted)
    }

    /// Moves the counts of the ports to the statistics.
    pub(crate) fn settle(&mut self, stats: &mut Stats) {
        for port in self.counted.drain(..) {
            let counter = &mut self.ports[port as usize];
            counter.state = PortState::Zero;
            *stats.ports.entry(port) += std::mem::take(&mut counter.counts);
        }
    }
}
