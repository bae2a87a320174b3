//! Packets from memory to memory, where the switch itself takes no time.

use std::sync::Arc;

use weir_device::{Buffer, Device, Nanos, Packet, Port, Transmission};
use weir_exec::Executor;

use super::{Event, Switch};
use crate::config::SwitchConfig;
use crate::packet::{Arrival, Origin, Verdict};
use crate::path::{Extent, PacketPath, PathContext, Straight};
use crate::stats::{DropPlace, DropReason, PortCounters, Stats};

/// Ports are numbers below this, or packets take the long way: they are looked up by number.
const MOST_PORTS: Port = 1 << 16;

/// What carries packets straight through: in [`Switch::forward`], and in [`Worker`](super::Worker)s.
pub(super) struct Forwarding {
    straight: Straight,
    /// Of the packets that come next, so many have been counted in; none between batches.
    known: usize,
    /// Of the packet that went another way; empty between packets.
    pub(super) verdicts: Vec<Verdict>,
}

impl Forwarding {
    /// If packets of this program can go straight through.
    pub(super) fn new(
        path: &dyn PacketPath,
        executor: &Arc<dyn Executor>,
        config: &SwitchConfig,
        extent: Extent,
    ) -> Option<Self> {
        let pipeline = path.pipeline(executor.program(), config, extent)?;
        if config.ports.last().is_some_and(|last| *last >= MOST_PORTS) {
            return None;
        }
        let fused = Arc::clone(executor).compile_pipeline(pipeline);
        Some(Self {
            straight: Straight::new(fused, executor.layout().state(), PortCounters::new(&config.ports)),
            known: 0,
            verdicts: Vec::new(),
        })
    }

    pub(super) fn exists(&self, port: Port) -> bool {
        self.straight.ports.exists(port)
    }

    /// Carries the first of the packets that are left of a batch: up to one that does not go straight through, and that one; what becomes of
    /// it and its copies is in [`Forwarding::verdicts`], where all of them count as in flight. Or drops the first, if it comes from a port that is not there.
    pub(super) fn step(
        &mut self,
        path: &dyn PacketPath,
        context: &mut PathContext<'_>,
        rest: &mut &mut [Buffer],
        stats: &mut Stats,
    ) {
        if self.known == 0 {
            self.known = self.straight.ports.receive(rest);
        }
        let taken = match self.known {
            0 => {
                stats.received += 1;
                stats.record_drops(DropPlace::Port(rest[0].ingress_port), DropReason::NoSuchPort, 1);
                1
            }
            known => {
                let taken = self.carry(path, context, &mut rest[..known], stats);
                self.known -= taken;
                taken
            }
        };
        *rest = &mut std::mem::take(rest)[taken..];
    }

    /// Carries packets that have been counted in; how many.
    fn carry(
        &mut self,
        path: &dyn PacketPath,
        context: &mut PathContext<'_>,
        buffers: &mut [Buffer],
        stats: &mut Stats,
    ) -> usize {
        let taken = path.forward(context, &mut self.straight, buffers, &mut self.verdicts);
        stats.received += taken as u64;
        stats.in_flight += taken as u64;
        stats.passes += taken as u64;
        let left = self.straight.ports.take_transmitted();
        stats.transmitted += left;
        let mut lost = 0;
        for ((place, reason), count) in self.straight.drops.drain(..) {
            stats.record_drops(place, reason, count);
            lost += count;
        }
        stats.in_flight -= left + lost;
        if !self.verdicts.is_empty() {
            stats.copied += self.verdicts.len() as u64 - 1;
            stats.in_flight += self.verdicts.len() as u64 - 1;
        }
        taken
    }

    /// Adds the counts of the ports to the statistics.
    pub(super) fn settle(&mut self, stats: &mut Stats) {
        self.straight.ports.settle(stats);
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
                buffer.egress_port = None;
                let packet = Packet { bytes: buffer.bytes().to_vec(), id: buffer.id };
                self.receive(now, buffer.ingress_port, packet);
                self.advance(now, out);
            }
            return;
        };
        let mut rest = buffers;
        while !rest.is_empty() {
            let mut context = PathContext {
                executor: &*self.executor,
                control: self.state.view(),
                thread: &mut self.thread,
                config: &self.config,
                now,
                trace: &mut self.trace,
            };
            forwarding.step(&*self.path, &mut context, &mut rest, &mut self.stats);
            self.record_hits();
            if !forwarding.verdicts.is_empty() {
                self.passes.take(now.max(self.passes.ready()), 1);
                for verdict in forwarding.verdicts.drain(..) {
                    self.go_on(now, verdict, out);
                }
                // It comes before the next packet.
                self.advance(now, out);
            }
        }
        forwarding.settle(&mut self.stats);
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
        let Self { forwarding, path, executor, config, .. } = self;
        forwarding.take().or_else(|| Forwarding::new(&**path, executor, config, Extent::Whole))
    }

    /// Goes on with a packet that did not go straight through.
    pub(super) fn go_on(&mut self, now: Nanos, verdict: Verdict, out: &mut Vec<Transmission>) {
        match verdict {
            // In its turn, as from a pass in time.
            Verdict::Queue { .. } | Verdict::NextPass(Arrival { origin: Origin::Resubmitted(_), .. }) => {
                self.events.add(now, Event::Arrived(verdict));
            }
            verdict => self.meet(now, verdict, out),
        }
    }
}
