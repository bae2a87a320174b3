//! Packets from memory to memory, where the switch itself takes no time.

use super::{Event, Switch};
use crate::buffer::Buffer;
use crate::device::{Device, Nanos, Packet, Port, Transmission};
use crate::path::{Arrival, Fate, Id, Origin, Straight, Surroundings};
use crate::stats::{DropPlace, DropReason, PortStats};

/// Ports are numbers below this, or packets take the long way: they are looked up by number.
const MOST_PORTS: Port = 1 << 16;

/// What [`Switch::forward`] works with.
pub(super) struct Forwarding {
    straight: Straight,
    /// By number.
    ports: Vec<Lane>,
    /// Ports with counts.
    touched: Vec<Port>,
    /// Of the packet that went another way; empty between packets.
    fates: Vec<Fate>,
}

/// A port, if there is one of that number.
#[derive(Clone, Copy, Debug, Default)]
struct Lane {
    exists: bool,
    /// What went through in the batch at hand.
    counts: PortStats,
}

impl Forwarding {
    #[inline]
    fn counts(&mut self, port: Port) -> Option<&mut PortStats> {
        let lane = self.ports.get_mut(port as usize)?;
        if !lane.exists {
            return None;
        }
        if lane.counts.packets_in | lane.counts.packets_out == 0 {
            self.touched.push(port);
        }
        Some(&mut lane.counts)
    }

    /// Counts packets in, up to one that comes from a port that is not there; how many these are.
    fn came_in(&mut self, buffers: &mut [Buffer]) -> usize {
        for (position, buffer) in buffers.iter_mut().enumerate() {
            buffer.out = None;
            let Some(counts) = self.counts(buffer.port) else { return position };
            counts.packets_in += 1;
            counts.bytes_in += buffer.len() as u64;
        }
        buffers.len()
    }
}

impl Switch {
    /// Carries packets through the switch at one instant. Those that leave in their buffer have [`Buffer::out`] set; the others are dropped,
    /// or wait inside, or left another way, and then are in `out` as are all copies.
    ///
    /// It does what [`Device::receive`] of each packet in turn and [`Device::advance`] do in a switch whose passes take no time; where
    /// nothing stands in the way it does so without queues and events. That is the case if [`pass_latency`](crate::SwitchConfig::pass_latency) is
    /// 0, queues have no rates, nothing waits, nothing is traced and no drops are noted. Passes of packets that go
    /// straight through do not count towards the limit of passes per second.
    pub fn forward(&mut self, now: Nanos, buffers: &mut [Buffer], out: &mut Vec<Transmission>) {
        self.advance(now, out);
        let Some(mut forwarding) = self.take_forwarding() else {
            for buffer in buffers {
                buffer.out = None;
                let packet = Packet { bytes: buffer.bytes().to_vec(), id: buffer.id };
                self.receive(now, buffer.port, packet);
                self.advance(now, out);
            }
            return;
        };
        let mut rest = buffers;
        while !rest.is_empty() {
            let known = forwarding.came_in(rest);
            let (mut some, others) = rest.split_at_mut(known);
            while !some.is_empty() {
                let taken = self.forward_some(now, &mut forwarding, some, out);
                some = &mut some[taken..];
            }
            let Some((stranger, others)) = others.split_first_mut() else { break };
            rest = others;
            self.stats.received += 1;
            self.stats.in_flight += 1;
            self.drop_buffer(now, stranger, stranger.port);
        }
        for port in forwarding.touched.drain(..) {
            let counted = std::mem::take(&mut forwarding.ports[port as usize].counts);
            let stats = self.stats.ports.entry(port).or_default();
            stats.packets_in += counted.packets_in;
            stats.bytes_in += counted.bytes_in;
            stats.packets_out += counted.packets_out;
            stats.bytes_out += counted.bytes_out;
        }
        self.forwarding = Some(forwarding);
    }

    /// What is needed to go straight through, if that is possible now.
    fn take_forwarding(&mut self) -> Option<Forwarding> {
        let straight = self.config.pass_latency == 0
            && self.trace.left() == 0
            && self.noted.is_none()
            && self.input.is_empty()
            && self.events.next_time().is_none()
            && self.queues.hold_nothing_up();
        if !straight {
            return None;
        }
        self.forwarding.take().or_else(|| {
            let pipeline = self.path.pipeline(self.executor.program(), &self.config)?;
            let ports = 0..self.config.ports.last().map_or(0, |last| last.saturating_add(1));
            if ports.end > MOST_PORTS {
                return None;
            }
            let lane =
                |port| Lane { exists: self.config.ports.contains(&port), counts: PortStats::default() };
            let fused = std::sync::Arc::clone(&self.executor).fuse(pipeline);
            Some(Forwarding {
                straight: Straight::new(fused, self.executor.layout().state()),
                ports: ports.map(lane).collect(),
                touched: Vec::new(),
                fates: Vec::new(),
            })
        })
    }

    /// Carries packets that came in by ports that are there, up to one that does not go straight through, and that one; how many.
    fn forward_some(
        &mut self,
        now: Nanos,
        forwarding: &mut Forwarding,
        buffers: &mut [Buffer],
        out: &mut Vec<Transmission>,
    ) -> usize {
        let mut around = Surroundings {
            executor: &*self.executor,
            runtime: &mut self.runtime,
            config: &self.config,
            now,
            trace: &mut self.trace,
        };
        let mut fates = std::mem::take(&mut forwarding.fates);
        let taken = self.path.forward(&mut around, &mut forwarding.straight, buffers, &mut fates);
        self.stats.received += taken as u64;
        self.stats.in_flight += taken as u64;
        self.stats.passes += taken as u64;
        let mut left = 0;
        for buffer in &mut buffers[..taken] {
            let Some(port) = buffer.out else { continue };
            match forwarding.counts(port) {
                Some(counts) => {
                    counts.packets_out += 1;
                    counts.bytes_out += buffer.len() as u64;
                    left += 1;
                }
                None => self.drop_buffer(now, buffer, port),
            }
        }
        self.stats.transmitted += left;
        self.stats.in_flight -= left;
        for (reason, count) in forwarding.straight.drops.drain(..) {
            *self.stats.drops.entry(reason).or_default() += count;
            self.stats.in_flight -= count;
        }
        if !fates.is_empty() {
            self.passes.take(now.max(self.passes.ready()), 1);
            self.count_copies(&fates);
            for fate in fates.drain(..) {
                match fate {
                    // In its turn, as from a pass in time.
                    Fate::Queue { .. } | Fate::Again(Arrival { origin: Origin::Resubmitted(_), .. }) => {
                        self.events.add(now, Event::Arrived(fate));
                    }
                    fate => self.meet(now, fate, out),
                }
            }
            // It comes before the next packet.
            self.advance(now, out);
        }
        forwarding.fates = fates;
        taken
    }

    /// Drops a packet at a port that is not there.
    fn drop_buffer(&mut self, now: Nanos, buffer: &mut Buffer, port: Port) {
        buffer.out = None;
        self.drop_packet(
            now,
            DropPlace::Port(port),
            DropReason::NoSuchPort,
            Id { packet: buffer.id, copy: 0 },
        );
    }
}
