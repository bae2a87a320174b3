//! Forwarding on several threads.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex};

use weir_device::{Buffer, Device, Nanos, Packet, Port, Transmission};
use weir_exec::Executor;
use weir_ir::TableId;

use super::Switch;
use super::forward::Forwarding;
use crate::config::SwitchConfig;
use crate::control::{Digest, LogLine};
use crate::externs::locked;
use crate::path::{Extent, Fate, PacketPath, Surroundings};
use crate::plane::{Settings, Shared};
use crate::runtime::{Runtime, keep};
use crate::stats::{DropPlace, DropReason, Stats};
use crate::trace::Recorder;

/// Carries packets through a switch on a thread of its own, as [`Switch::forward`] does on the owner's. Any number of them work at once, beside
/// the [`Switch`] that they were made from ([`Switch::worker`]).
///
/// **Tables** and all else that is controlled they see as [`Control`](crate::control::Control) left it: each batch of changes whole or not at all, and for certain
/// in packets that come after it. Nobody waits for that, neither packets nor who changes. (Only single cells of counters, registers and meters that a batch
/// sets change at once, each for itself.)
///
/// **Counters, registers, meters** and the counts of entries are shared, and no update is lost. What a packet does in one block with registers that the
/// program reads and writes is one step for packets on other threads; they wait for each other there. A worker has random numbers of its own: other ones than the
/// switch and the other workers, and the same ones in each run.
///
/// **Statistics**, hits and misses of tables, digests, log lines and the hits that idle time-outs look at are handed to the switch at the end of
/// each batch, and counted there by [`Switch::collect`].
///
/// A packet that does not go straight through (to a multicast group, cloned, resubmitted, recirculated, into a queue that holds it up) is
/// **left over**: the switch goes on with it in [`Switch::take_over`]. So are all packets while the switch's passes take time, its queues have rates
/// or hold packets, it traces packets to come or notes drops.
pub struct Worker {
    executor: Arc<dyn Executor>,
    path: Arc<dyn PacketPath>,
    config: SwitchConfig,
    shared: Arc<Shared>,
    mailbox: Arc<Mutex<Mail>>,
    runtime: Runtime,
    /// Those that the runtime has.
    settings: Arc<Settings>,
    /// None if no packet of this program can go straight through.
    forwarding: Option<Forwarding>,
    stats: Stats,
    trace: Recorder,
}

/// A packet, or a copy of one, with which a [`Worker`]'s switch has to go on.
#[derive(Debug)]
pub struct Leftover(Way);

#[derive(Debug)]
enum Way {
    /// It has not begun.
    In(Port, Packet),
    /// It is through ingress, or egress; what becomes of it and its copies.
    On(Vec<Fate>),
}

/// What a worker tells its switch.
#[derive(Debug, Default)]
pub(super) struct Mail {
    stats: Stats,
    /// By `TableId`: hits and misses.
    tables: Vec<(u64, u64)>,
    digests: VecDeque<Digest>,
    log: VecDeque<LogLine>,
    /// When entries of tables with time-outs were hit last.
    hits: BTreeMap<(TableId, u64), Nanos>,
}

impl Switch {
    /// A worker for another thread; see [`Worker`]. They are numbered in the order in which they are made, which decides
    /// about their random numbers.
    pub fn worker(&mut self) -> Worker {
        let shared = self.runtime.share();
        let settings = Arc::clone(&shared.pin().settings);
        let mailbox = Arc::<Mutex<Mail>>::default();
        let runtime = self.runtime.for_worker(self.config.seed, self.workers_made);
        self.workers_made += 1;
        self.mailboxes.push(Arc::clone(&mailbox));
        self.tell_workers();
        Worker {
            executor: Arc::clone(&self.executor),
            path: Arc::clone(&self.path),
            config: self.config.clone(),
            shared,
            mailbox,
            runtime,
            settings,
            forwarding: Forwarding::new(&*self.path, &self.executor, &self.config, Extent::Whole),
            stats: Stats::default(),
            trace: Recorder::default(),
        }
    }

    /// Counts what workers have handed in: their packets, their tables' hits, their digests and log lines. [`Device::advance`],
    /// [`Switch::forward`] and [`Switch::control`] begin with it.
    pub fn collect(&mut self) {
        if self.mailboxes.is_empty() {
            return;
        }
        let Self { mailboxes, stats, runtime, .. } = self;
        mailboxes.retain(|mailbox| {
            // Looked at first: what a worker hands in, it hands in before it goes.
            let is_used = Arc::strong_count(mailbox) > 1;
            let Mail { stats: more, tables, digests, log, hits } = std::mem::take(&mut *locked(mailbox));
            stats.add(more);
            for (table, (hits, misses)) in runtime.tables.iter_mut().zip(tables) {
                table.hits += hits;
                table.misses += misses;
            }
            keep(&mut runtime.digests, digests);
            keep(&mut runtime.log, log);
            for ((table, handle), time) in hits {
                runtime.tables[table.index()].hit_at(handle, time, &mut runtime.idle);
            }
            is_used
        });
        if mailboxes.is_empty() {
            runtime.publish();
        }
    }

    /// Goes on with packets that workers have left over, in order. What leaves the switch is in `out`; what has to wait inside comes out of
    /// [`Device::advance`].
    pub fn take_over(&mut self, now: Nanos, left: &mut Vec<Leftover>, out: &mut Vec<Transmission>) {
        self.advance(now, out);
        for Leftover(way) in left.drain(..) {
            match way {
                Way::In(port, packet) => self.receive(now, port, packet),
                Way::On(fates) => {
                    self.passes.take(now.max(self.passes.ready()), 1);
                    fates.into_iter().for_each(|fate| self.go_on(now, fate, out));
                }
            }
            self.advance(now, out);
        }
    }

    /// Tells workers whether packets may go straight through.
    pub(super) fn tell_workers(&self) {
        if let Some(publisher) = &self.runtime.publisher {
            let open = self.config.pass_latency == 0
                && self.trace.left() == 0
                && self.noted.is_none()
                && self.queues.hold_nothing_up();
            publisher.shared.detour.store(!open, Relaxed);
        }
    }
}

impl Worker {
    /// Carries packets through the switch at one instant, as [`Switch::forward`] does. Those that leave in their buffer have [`Buffer::out`] set; of the
    /// others those that leave another way are in `out`, those with which the switch has to go on in `left`, and the rest is dropped.
    pub fn forward(
        &mut self,
        now: Nanos,
        buffers: &mut [Buffer],
        out: &mut Vec<Transmission>,
        left: &mut Vec<Leftover>,
    ) {
        let plane = self.shared.pin();
        let Some(mut forwarding) = self.shared.is_open().then(|| self.forwarding.take()).flatten() else {
            for buffer in buffers {
                buffer.egress_port = None;
                let packet = Packet { bytes: buffer.bytes().to_vec(), id: buffer.id };
                left.push(Leftover(Way::In(buffer.ingress_port, packet)));
            }
            return;
        };
        if !Arc::ptr_eq(&plane.settings, &self.settings) {
            plane.settings.give(&mut self.runtime);
            self.settings = Arc::clone(&plane.settings);
        }
        self.runtime.plane = Some(plane);
        let mut rest = buffers;
        while !rest.is_empty() {
            let mut around = Surroundings {
                executor: &*self.executor,
                runtime: &mut self.runtime,
                config: &self.config,
                now,
                trace: &mut self.trace,
            };
            forwarding.step(&*self.path, &mut around, &mut rest, &mut self.stats);
            if !forwarding.fates.is_empty() {
                let fates = forwarding.fates.drain(..).filter_map(|fate| self.meet(now, fate, out));
                let fates: Vec<_> = fates.collect();
                left.extend((!fates.is_empty()).then_some(Leftover(Way::On(fates))));
            }
        }
        // Nothing is held between batches.
        self.runtime.plane = None;
        forwarding.settle(&mut self.stats);
        self.forwarding = Some(forwarding);
        self.hand_in();
    }

    /// Lets a packet that is in flight meet its fate, which is returned if that cannot be here.
    fn meet(&mut self, now: Nanos, fate: Fate, out: &mut Vec<Transmission>) -> Option<Fate> {
        match fate {
            Fate::Transmit { port, id, bytes } if self.config.ports.contains(&port) => {
                self.stats.sent(port, bytes.len());
                out.push(Transmission { time: now, port, packet: Packet { bytes, id: id.packet } });
            }
            Fate::Transmit { port, .. } => {
                self.stats.in_flight -= 1;
                self.stats.lost(DropPlace::Port(port), DropReason::NoSuchPort, 1);
            }
            Fate::Drop { place, reason, .. } => {
                self.stats.in_flight -= 1;
                self.stats.lost(place, reason, 1);
            }
            fate => return Some(fate),
        }
        None
    }

    /// Tells the switch what became of the packets.
    fn hand_in(&mut self) {
        let mut mail = locked(&self.mailbox);
        mail.stats.add(std::mem::take(&mut self.stats));
        mail.tables.resize(self.runtime.tables.len(), (0, 0));
        for (index, table) in self.runtime.tables.iter_mut().enumerate() {
            let (hits, misses) = &mut mail.tables[index];
            *hits += std::mem::take(&mut table.hits);
            *misses += std::mem::take(&mut table.misses);
            for (handle, time) in table.take_hits() {
                let last = mail.hits.entry((TableId::new(index), handle)).or_default();
                *last = time.max(*last);
            }
        }
        keep(&mut mail.digests, self.runtime.digests.drain(..));
        keep(&mut mail.log, self.runtime.log.drain(..));
    }
}
