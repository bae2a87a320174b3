//! Packets from memory to memory, where the switch itself takes no time.

use weir_ir::State;
use weir_ir::pipeline::Fused;

use super::{Event, Switch};
use crate::buffer::Buffer;
use crate::device::{Device, Nanos, Packet, Port, Transmission};
use crate::path::{Arrival, Fate, Id, Origin, Surroundings};
use crate::stats::{DropPlace, DropReason, PortStats};

/// Ports are numbers below this, or packets take the long way: they are looked up by number.
const MOST_PORTS: Port = 1 << 16;

/// What [`Switch::forward`] works with.
pub(super) struct Forwarding {
    fused: Box<dyn Fused>,
    state: State,
    /// By port: whether there is such a port, and what went through in the batch at hand.
    ports: Vec<(bool, PortStats)>,
    /// Ports with counts.
    touched: Vec<Port>,
}

impl Forwarding {
    fn counts(&mut self, port: Port) -> Option<&mut PortStats> {
        let (exists, stats) = self.ports.get_mut(port as usize)?;
        if !*exists {
            return None;
        }
        if *stats == PortStats::default() {
            self.touched.push(port);
        }
        Some(stats)
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
        for buffer in buffers {
            self.forward_one(now, &mut forwarding, buffer, out);
            // What did not go straight through comes before the next packet.
            self.advance(now, out);
        }
        for port in forwarding.touched.drain(..) {
            let counted = std::mem::take(&mut forwarding.ports[port as usize].1);
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
            let ports = ports.map(|port| (self.config.ports.contains(&port), PortStats::default()));
            Some(Forwarding {
                state: self.executor.layout().state(),
                fused: std::sync::Arc::clone(&self.executor).fuse(pipeline),
                ports: ports.collect(),
                touched: Vec::new(),
            })
        })
    }

    fn forward_one(
        &mut self,
        now: Nanos,
        forwarding: &mut Forwarding,
        buffer: &mut Buffer,
        out: &mut Vec<Transmission>,
    ) {
        buffer.out = None;
        self.stats.received += 1;
        self.stats.in_flight += 1;
        let Some(counts) = forwarding.counts(buffer.port) else {
            let place = DropPlace::Port(buffer.port);
            return self.drop_packet(now, place, DropReason::NoSuchPort, Id { packet: buffer.id, copy: 0 });
        };
        counts.packets_in += 1;
        counts.bytes_in += buffer.len() as u64;
        self.stats.passes += 1;
        let mut around = Surroundings {
            executor: &*self.executor,
            runtime: &mut self.runtime,
            config: &self.config,
            now,
            trace: &mut self.trace,
        };
        let mut fates = Vec::new();
        let (fused, state) = (&*forwarding.fused, &mut forwarding.state);
        match self.path.forward(&mut around, fused, buffer, state, &mut fates) {
            Some(port) => match forwarding.counts(port) {
                Some(counts) => {
                    counts.packets_out += 1;
                    counts.bytes_out += buffer.len() as u64;
                    self.stats.transmitted += 1;
                    self.stats.in_flight -= 1;
                    buffer.out = Some(port);
                }
                None => self.drop_packet(
                    now,
                    DropPlace::Port(port),
                    DropReason::NoSuchPort,
                    Id { packet: buffer.id, copy: 0 },
                ),
            },
            None => {
                self.passes.take(now.max(self.passes.ready()), 1);
                self.count_copies(&fates);
                for fate in fates {
                    match fate {
                        // In its turn, as from a pass in time.
                        Fate::Queue { .. } | Fate::Again(Arrival { origin: Origin::Resubmitted(_), .. }) => {
                            self.events.add(now, Event::Arrived(fate));
                        }
                        fate => self.meet(now, fate, out),
                    }
                }
            }
        }
    }
}
