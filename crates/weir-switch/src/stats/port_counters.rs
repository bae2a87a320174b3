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
    /// The counters of the ports below [`MANY`], by number.
    low: Vec<PortCounter>,
    /// The counters of the ports from [`MANY`] on, in order.
    high: Vec<(Port, PortCounter)>,
    /// The ports whose counts are not 0.
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
        let end = ports.range(..MANY).last().map_or(0, |last| last + 1);
        let state = |port| if ports.contains(&port) { PortState::Zero } else { PortState::Missing };
        let counter = |port| PortCounter { state: state(port), ..PortCounter::default() };
        let high = ports.range(MANY..).map(|port| (*port, counter(*port))).collect();
        Self { low: (0..end).map(counter).collect(), high, counted: Vec::new(), transmitted: 0 }
    }

    /// Finds the counter of a port.
    fn counter(&mut self, port: Port) -> Option<&mut PortCounter> {
        match self.position_of_high(port) {
            Some(position) => Some(&mut self.high[position].1),
            None => self.low.get_mut(port as usize),
        }
    }

    fn position_of_high(&self, port: Port) -> Option<usize> {
        self.high.binary_search_by_key(&port, |(high, _)| *high).ok()
    }

    /// Returns whether the switch has this port.
    pub(crate) fn exists(&self, port: Port) -> bool {
        let is_low = self.low.get(port as usize).is_some_and(|counter| counter.state != PortState::Missing);
        is_low || self.position_of_high(port).is_some()
    }

    /// Returns the counts of a port, and lists the port as counted; `None` if there is no such
    /// port.
    #[inline(always)]
    fn counts(&mut self, port: Port) -> Option<&mut PortStats> {
        let is_counted =
            self.low.get(port as usize).is_some_and(|counter| counter.state == PortState::Counted);
        if is_counted { Some(&mut self.low[port as usize].counts) } else { self.other_counts(port) }
    }

    /// Does what [`PortCounters::counts`] does for ports that have not been counted or are high.
    #[inline(never)]
    fn other_counts(&mut self, port: Port) -> Option<&mut PortStats> {
        let counter = self.counter(port)?;
        match counter.state {
            PortState::Missing => return None,
            PortState::Counted => {}
            PortState::Zero => {
                counter.state = PortState::Counted;
                self.counted.push(port);
            }
        }
        Some(&mut self.counter(port)?.counts)
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
        while let Some(port) = self.counted.pop() {
            let Some(counter) = self.counter(port) else { continue };
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
