//! The ports of packets that go straight through, and what is counted of them.

use std::collections::BTreeSet;

use weir_device::{Buffer, Port};

use crate::stats::{PortStats, Stats};

/// Ports by number. What is counted stays here until it is [settled](Lanes::settle).
#[derive(Debug)]
pub(crate) struct Lanes {
    lanes: Vec<Lane>,
    /// Ports with counts.
    touched: Vec<Port>,
    /// Packets that left.
    left: u64,
}

/// A port, if there is one of that number.
#[derive(Clone, Copy, Debug, Default)]
struct Lane {
    is: Is,
    counts: PortStats,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Is {
    #[default]
    Missing,
    Untouched,
    /// It has counts.
    Touched,
}

impl Lanes {
    /// Of these ports.
    pub(crate) fn new(ports: &BTreeSet<Port>) -> Self {
        let all = 0..ports.last().map_or(0, |last| last.saturating_add(1));
        let is = |port| if ports.contains(&port) { Is::Untouched } else { Is::Missing };
        let lane = |port| Lane { is: is(port), ..Lane::default() };
        Self { lanes: all.map(lane).collect(), touched: Vec::new(), left: 0 }
    }

    pub(crate) fn exists(&self, port: Port) -> bool {
        self.lanes.get(port as usize).is_some_and(|lane| lane.is != Is::Missing)
    }

    #[inline]
    fn counts(&mut self, port: Port) -> Option<&mut PortStats> {
        let lane = self.lanes.get_mut(port as usize)?;
        if lane.is != Is::Touched {
            if lane.is == Is::Missing {
                return None;
            }
            lane.is = Is::Touched;
            self.touched.push(port);
        }
        Some(&mut lane.counts)
    }

    /// Counts packets in, up to one that comes from a port that is not there; how many these are.
    pub(crate) fn came_in(&mut self, buffers: &mut [Buffer]) -> usize {
        for (position, buffer) in buffers.iter_mut().enumerate() {
            buffer.egress_port = None;
            let Some(counts) = self.counts(buffer.ingress_port) else { return position };
            counts.packets_in += 1;
            counts.bytes_in += buffer.len() as u64;
        }
        buffers.len()
    }

    /// Lets a packet leave by a port, beginning at this byte of its buffer's memory. False if there is no such port.
    #[inline]
    pub(crate) fn leave(&mut self, buffer: &mut Buffer, start: usize, port: Port) -> bool {
        let Some(counts) = self.counts(port) else { return false };
        buffer.depart(start, port);
        counts.packets_out += 1;
        counts.bytes_out += buffer.len() as u64;
        self.left += 1;
        true
    }

    /// How many packets left since this was asked last.
    pub(crate) fn take_left(&mut self) -> u64 {
        std::mem::take(&mut self.left)
    }

    /// Adds the counts of the ports to the statistics.
    pub(crate) fn settle(&mut self, stats: &mut Stats) {
        for port in self.touched.drain(..) {
            let lane = &mut self.lanes[port as usize];
            lane.is = Is::Untouched;
            *stats.ports.of(port) += std::mem::take(&mut lane.counts);
        }
    }
}
