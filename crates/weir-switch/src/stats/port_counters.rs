//! Counts packets and bytes of ports on the fast path.

use std::collections::BTreeSet;

use weir_device::{Buffer, Port};

use super::{PortStats, Stats};

/// The number from which on ports are found by a search.
const MANY: Port = 1 << 16;

/// The ports of a switch by number, with counts that are not in its [`Stats`] yet.
/// [`PortCounters::settle`] adds them.
#[derive(Debug)]
pub(crate) struct PortCounters {
    /// The counters of the ports below `low` by number, followed by those of `high`.
    ports: Vec<PortCounter>,
    /// The number after the last port below [`MANY`].
    low: Port,
    /// The ports from [`MANY`] on, in order.
    high: Vec<Port>,
    /// The positions of counters that are not 0, with their ports.
    counted: Vec<(usize, Port)>,
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
        let high: Vec<Port> = ports.range(MANY..).copied().collect();
        let low = ports.range(..MANY).last().map_or(0, |last| last + 1);
        let state = |port| if ports.contains(&port) { PortState::Zero } else { PortState::Missing };
        let counter = |port| PortCounter { state: state(port), ..PortCounter::default() };
        let ports = (0..low).chain(high.iter().copied()).map(counter).collect();
        Self { ports, low, high, counted: Vec::new(), transmitted: 0 }
    }

    /// Returns the position of a port's counter; `None` if there is no counter.
    #[inline]
    fn position(&self, port: Port) -> Option<usize> {
        if port < self.low { Some(port as usize) } else { self.position_of_high(port) }
    }

    #[cold]
    fn position_of_high(&self, port: Port) -> Option<usize> {
        let position = self.high.binary_search(&port).ok()?;
        Some(self.low as usize + position)
    }

    /// Returns whether the switch has this port.
    pub(crate) fn exists(&self, port: Port) -> bool {
        let counter = self.position(port).and_then(|position| self.ports.get(position));
        counter.is_some_and(|port| port.state != PortState::Missing)
    }

    /// Returns the counts of a port, and lists the port as counted; `None` if there is no such
    /// port.
    #[inline]
    fn counts(&mut self, port: Port) -> Option<&mut PortStats> {
        let position = self.position(port)?;
        let counter = self.ports.get_mut(position)?;
        if counter.state != PortState::Counted {
            if counter.state == PortState::Missing {
                return None;
            }
            counter.state = PortState::Counted;
            self.counted.push((position, port));
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
        for (position, port) in self.counted.drain(..) {
            let counter = &mut self.ports[position];
            counter.state = PortState::Zero;
            *stats.ports.entry(port) += std::mem::take(&mut counter.counts);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_of_any_number_are_counted() {
        let ports = BTreeSet::from([0, 2, 65535, 65536, 0xffff_fffd]);
        for (ports, missing) in [(ports.clone(), 1), (ports.iter().skip(3).copied().collect(), 0)] {
            let mut counters = PortCounters::new(&ports);
            assert!([missing, 65537, 0xffff_fffe].into_iter().all(|port| !counters.exists(port)));
            for port in &ports {
                assert!(counters.exists(*port));
                let mut buffer = Buffer::new(64);
                buffer.receive(*port, 0, &[0; 60]);
                assert_eq!(counters.receive(std::slice::from_mut(&mut buffer)), 1);
                assert!(counters.transmit(&mut buffer, weir_device::HEADROOM + 20, *port));
            }
            assert_eq!(counters.take_transmitted(), ports.len() as u64);
            let mut stats = Stats::default();
            counters.settle(&mut stats);
            let expected = PortStats { packets_in: 1, bytes_in: 60, packets_out: 1, bytes_out: 40 };
            for port in &ports {
                assert_eq!(*stats.ports.entry(*port), expected, "port {port}");
            }
        }
    }
}
