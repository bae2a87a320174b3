//! Forwarding on several threads.

use std::sync::{Arc, Mutex};

use weir_device::{Buffer, Device, Nanos, Packet, Port, Transmission};
use weir_exec::Executor;

use super::Switch;
use super::forward::Forwarding;
use crate::config::SwitchConfig;
use crate::externs::locked;
use crate::packet::Verdict;
use crate::path::{Extent, PacketPath, PathContext};
use crate::state::{Reports, Shared, ThreadState};
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
    thread: ThreadState,
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
    On(Vec<Verdict>),
}

/// What a worker reports to its switch.
#[derive(Debug, Default)]
pub(super) struct Mail {
    stats: Stats,
    reports: Reports,
}

impl Switch {
    /// A worker for another thread; see [`Worker`]. They are numbered in the order in which they are made, which decides
    /// about their random numbers.
    pub fn worker(&mut self) -> Worker {
        let shared = self.state.share();
        self.thread.register_lock.share(Some(Arc::clone(&shared.register_lock)));
        let mailbox = Arc::<Mutex<Mail>>::default();
        let (tables, lock) = (self.state.tables.len(), Arc::clone(&shared.register_lock));
        let thread = ThreadState::for_worker(tables, self.config.seed, self.workers_made, lock);
        self.workers_made += 1;
        self.mailboxes.push(Arc::clone(&mailbox));
        self.tell_workers();
        Worker {
            executor: Arc::clone(&self.executor),
            path: Arc::clone(&self.path),
            config: self.config.clone(),
            shared,
            mailbox,
            thread,
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
        self.record_reports();
        let Self { mailboxes, stats, state, .. } = self;
        mailboxes.retain(|mailbox| {
            // Read first: a worker hands its reports in before it is dropped.
            let is_used = Arc::strong_count(mailbox) > 1;
            let Mail { stats: more, reports } = std::mem::take(&mut *locked(mailbox));
            stats.add(more);
            state.record(reports);
            is_used
        });
        if mailboxes.is_empty() {
            state.publish();
            self.thread.register_lock.share(None);
        }
    }

    /// Takes over what packets on this thread have to report.
    pub(super) fn record_reports(&mut self) {
        self.state.record_thread(&mut self.thread);
    }

    /// Records the hits of entries with time-outs, from which their timers run.
    #[inline]
    pub(super) fn record_hits(&mut self) {
        if !self.thread.hits.is_empty() {
            self.state.record_hits(self.thread.hits.drain(..));
        }
    }

    /// Goes on with packets that workers have left over, in order. What leaves the switch is in `out`; what has to wait inside comes out of
    /// [`Device::advance`].
    pub fn take_over(&mut self, now: Nanos, left: &mut Vec<Leftover>, out: &mut Vec<Transmission>) {
        self.advance(now, out);
        for Leftover(way) in left.drain(..) {
            match way {
                Way::In(port, packet) => self.receive(now, port, packet),
                Way::On(verdicts) => {
                    self.passes.take(now.max(self.passes.ready()), 1);
                    verdicts.into_iter().for_each(|verdict| self.go_on(now, verdict, out));
                }
            }
            self.advance(now, out);
        }
    }

    /// Tells workers whether packets may go straight through.
    pub(super) fn tell_workers(&self) {
        if let Some(publisher) = &self.state.publisher {
            let open = self.config.pass_latency == 0
                && self.trace.left() == 0
                && self.noted.is_none()
                && self.queues.hold_nothing_up();
            publisher.shared.open_fast_path(open);
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
        let snapshot = self.shared.load();
        let Some(mut forwarding) = self.shared.is_fast_path_open().then(|| self.forwarding.take()).flatten()
        else {
            for buffer in buffers {
                buffer.egress_port = None;
                let packet = Packet { bytes: buffer.bytes().to_vec(), id: buffer.id };
                left.push(Leftover(Way::In(buffer.ingress_port, packet)));
            }
            return;
        };
        let mut rest = buffers;
        while !rest.is_empty() {
            let mut context = PathContext {
                executor: &*self.executor,
                control: snapshot.view(),
                thread: &mut self.thread,
                config: &self.config,
                now,
                trace: &mut self.trace,
            };
            forwarding.step(&*self.path, &mut context, &mut rest, &mut self.stats);
            if !forwarding.verdicts.is_empty() {
                let verdicts =
                    forwarding.verdicts.drain(..).filter_map(|verdict| self.meet(now, verdict, out));
                let verdicts: Vec<_> = verdicts.collect();
                left.extend((!verdicts.is_empty()).then_some(Leftover(Way::On(verdicts))));
            }
        }
        // Nothing is held between batches.
        drop(snapshot);
        forwarding.settle(&mut self.stats);
        self.forwarding = Some(forwarding);
        self.hand_in();
    }

    /// Lets a packet that is in flight meet its verdict, which is returned if that cannot be here.
    fn meet(&mut self, now: Nanos, verdict: Verdict, out: &mut Vec<Transmission>) -> Option<Verdict> {
        match verdict {
            Verdict::Transmit { port, id, bytes } if self.config.ports.contains(&port) => {
                self.stats.record_sent(port, bytes.len());
                out.push(Transmission { time: now, port, packet: Packet { bytes, id: id.packet } });
            }
            Verdict::Transmit { port, .. } => {
                self.stats.in_flight -= 1;
                self.stats.record_drops(DropPlace::Port(port), DropReason::NoSuchPort, 1);
            }
            Verdict::Drop { place, reason, .. } => {
                self.stats.in_flight -= 1;
                self.stats.record_drops(place, reason, 1);
            }
            verdict => return Some(verdict),
        }
        None
    }

    /// Reports to the switch what happened to the packets.
    fn hand_in(&mut self) {
        let mut mail = locked(&self.mailbox);
        mail.stats.add(std::mem::take(&mut self.stats));
        mail.reports.add(&mut self.thread);
    }
}
