//! Forwards packets on several threads.

use std::sync::{Arc, Mutex};

use weir_device::{Buffer, Device, Nanos, Packet, Port, Transmission};

use super::Switch;
use crate::externs::lock;
use crate::packet::{PacketId, Verdict};
use crate::path::{Extent, FastPath, PathRunner};
use crate::state::{Reports, Shared, ThreadState};
use crate::stats::{DropPlace, DropReason, Stats};
use crate::trace::Recorder;

/// Forwards packets of a switch on another thread, as [`Switch::forward`] does on the owner's
/// thread. Several workers can run at the same time, next to the [`Switch`] that created them
/// ([`Switch::worker`]).
///
/// **Tables** and everything else that the control plane changes: workers see each batch of changes
/// of [`Control`](crate::control::Control) as a whole or not at all, and packets that come after a
/// batch always see it. Neither packets nor control requests wait. The exceptions are cells of
/// counters, registers and meters: if a batch sets them, each cell changes immediately.
///
/// **Counters, registers, meters** and the counts of entries are shared, and no update is lost. If
/// a program reads and writes registers, everything that a packet does with them in one block is
/// one step for packets on other threads. Those packets wait for each other. A worker has its own
/// random numbers, which differ from those of the switch and of other workers, and are the same in
/// each run.
///
/// **Statistics**, hits and misses of tables, digests, log lines and the hits that idle time-outs
/// need go to the switch at the end of each batch. [`Switch::collect_reports`] adds them.
///
/// A packet that leaves the fast path (to a multicast group, cloned, resubmitted, recirculated, or
/// into a queue that delays it) is a **leftover**, which the switch continues to process in
/// [`Switch::take_over`]. All packets are leftovers while the passes of the switch take time, its
/// queues have rates or contain packets, or it traces future packets or records drops. All packets
/// of a program that adds entries are leftovers, too; [`Switch::forward_in_order`] takes them in
/// their buffers ([`Worker::leaves_all`]).
pub struct Worker {
    runner: PathRunner,
    shared: Arc<Shared>,
    mailbox: Arc<Mutex<WorkerReport>>,
    /// The fast path; `None` if no packet of this program can take it.
    fast_path: Option<Box<FastPath>>,
    has_new_digests: bool,
}

/// A packet that the [`Worker`]'s switch must continue to process.
#[derive(Debug)]
pub struct UnfinishedPacket(Progress);

#[derive(Debug)]
enum Progress {
    /// The packet's pass has not begun. The values are the time and the port of its arrival, and
    /// the packet.
    Received(Nanos, Port, Packet),
    /// The packet has finished ingress or egress. The values are the verdicts for the packet and
    /// its copies.
    Decided(Vec<Verdict>),
}

/// The report of a worker to its switch.
#[derive(Debug, Default)]
pub(super) struct WorkerReport {
    stats: Stats,
    reports: Reports,
}

impl Switch {
    /// Creates a worker for another thread; see [`Worker`]. Its random numbers depend on the number
    /// of workers created before it.
    pub fn worker(&mut self) -> Worker {
        let may_run = !self.runner.path.changes_entries();
        let shared = self.state.share(may_run);
        self.runner.thread.register_lock.share(Some(Arc::clone(&shared.register_lock)));
        let mailbox = Arc::<Mutex<WorkerReport>>::default();
        let (tables, lock) = (self.state.tables.len(), Arc::clone(&shared.register_lock));
        let thread = ThreadState::for_worker(tables, self.runner.config.seed, self.workers_made, lock);
        self.workers_made += 1;
        self.mailboxes.push(Arc::clone(&mailbox));
        self.update_workers();
        let runner = PathRunner {
            executor: Arc::clone(&self.runner.executor),
            path: Arc::clone(&self.runner.path),
            config: self.runner.config.clone(),
            thread,
            stats: Stats::default(),
            trace: Recorder::default(),
        };
        let fast_path = may_run.then(|| FastPath::new(&runner, Extent::Whole)).flatten().map(Box::new);
        Worker { runner, shared, mailbox, fast_path, has_new_digests: false }
    }

    /// Adds the reports of workers: counts of packets and lookups, digests and log lines.
    /// [`Device::advance`], [`Switch::forward`] and [`Switch::control`] call this first.
    pub fn collect_reports(&mut self) {
        self.collect_old();
        if self.mailboxes.is_empty() {
            return;
        }
        self.record_reports();
        let Self { mailboxes, runner, state, .. } = self;
        mailboxes.retain(|mailbox| {
            // The number of references is read first, because a worker submits its reports before
            // it is dropped.
            let is_used = Arc::strong_count(mailbox) > 1;
            let WorkerReport { stats: more, reports } = std::mem::take(&mut *lock(mailbox));
            runner.stats.add(more);
            state.take_over_reports(reports);
            is_used
        });
        if mailboxes.is_empty() {
            state.publish();
            self.runner.thread.register_lock.share(None);
        }
    }

    /// Adds the packet counts of workers that ran earlier programs. Their lookups and digests are
    /// ignored, because they concern tables and externs that no longer exist.
    fn collect_old(&mut self) {
        let Self { old_mailboxes, runner, .. } = self;
        old_mailboxes.retain(|mailbox| {
            let is_used = Arc::strong_count(mailbox) > 1;
            runner.stats.add(std::mem::take(&mut *lock(mailbox)).stats);
            is_used
        });
    }

    /// Takes over the reports of the packets on the owner's thread.
    pub(super) fn record_reports(&mut self) {
        self.state.record_thread(&mut self.runner.thread);
    }

    /// Continues to process the leftovers of workers, in order. Adds packets that leave the switch
    /// to `out`. Packets that wait in the switch leave later, in [`Device::advance`].
    pub fn take_over(&mut self, now: Nanos, left: &mut Vec<UnfinishedPacket>, out: &mut Vec<Transmission>) {
        self.advance(now, out);
        for UnfinishedPacket(progress) in left.drain(..) {
            match progress {
                Progress::Received(arrived, port, packet) => self.receive_from(arrived, now, port, packet),
                Progress::Decided(verdicts) => {
                    self.passes.occupy(now.max(self.passes.ready()), 1);
                    verdicts.into_iter().for_each(|verdict| self.apply_at_once(now, verdict, out));
                }
            }
            self.advance(now, out);
        }
    }

    /// Drops the leftovers of a worker of another program (`program replaced`), whose state this
    /// program cannot interpret.
    pub fn drop_leftovers(&mut self, now: Nanos, left: &mut Vec<UnfinishedPacket>) {
        // The worker has already reported that these packets are inside.
        self.collect_old();
        for UnfinishedPacket(progress) in left.drain(..) {
            let verdicts = match progress {
                Progress::Decided(verdicts) => verdicts,
                Progress::Received(_, _, packet) => {
                    self.runner.stats.received += 1;
                    self.runner.stats.in_flight += 1;
                    let id = PacketId { packet: packet.id, copy: 0 };
                    self.drop_packet(now, DropPlace::Input, DropReason::ProgramReplaced, id);
                    continue;
                }
            };
            for verdict in verdicts {
                self.drop_packet(now, DropPlace::Ingress, DropReason::ProgramReplaced, verdict.packet());
            }
        }
    }
}

impl Worker {
    /// Forwards packets at one instant, as [`Switch::forward`] does. Packets that leave in their
    /// own buffer have
    /// [`ForwardingMetadata::egress_port`](weir_device::ForwardingMetadata::egress_port) set. `out`
    /// contains the other packets that leave. `left` contains the packets that the switch must
    /// continue to process. All other packets are dropped.
    pub fn forward(
        &mut self,
        now: Nanos,
        buffers: &mut [Buffer<'_>],
        out: &mut Vec<Transmission>,
        left: &mut Vec<UnfinishedPacket>,
    ) {
        self.run((now, now), buffers, out, left, false);
    }

    /// Forwards packets like [`Worker::forward`], but for packets that arrived before `now`.
    /// Ingress sees the time `arrived`, and egress sees the time `now`. Stops after a packet that
    /// does not leave in its own buffer, so that the packets in `out` and `left` come after the
    /// handled buffers and before the remaining ones. Returns the number of handled buffers.
    #[must_use = "the rest of the packets waits"]
    pub fn forward_in_order(
        &mut self,
        arrived: Nanos,
        now: Nanos,
        buffers: &mut [Buffer<'_>],
        out: &mut Vec<Transmission>,
        left: &mut Vec<UnfinishedPacket>,
    ) -> usize {
        self.run((arrived, now), buffers, out, left, true)
    }

    /// Returns whether the worker's packets have sent digests since the last call. The switch has
    /// not [collected](Switch::collect_reports) these digests yet, unless its owner has used it in
    /// between.
    pub fn has_new_digests(&mut self) -> bool {
        std::mem::take(&mut self.has_new_digests)
    }

    /// Returns whether the worker leaves all packets to the switch, because packets of the program
    /// add entries to tables, or change when entries expire.
    #[inline]
    pub fn leaves_all(&self) -> bool {
        self.runner.path.changes_entries()
    }

    /// Returns whether packets leave as soon as they arrive: passes take no time, no queue has a
    /// rate or contains packets, no packets are traced, and no drops are recorded.
    #[inline]
    pub fn forwards_at_once(&self) -> bool {
        self.shared.is_fast_path_open()
    }

    fn run(
        &mut self,
        (arrived, now): (Nanos, Nanos),
        buffers: &mut [Buffer<'_>],
        out: &mut Vec<Transmission>,
        left: &mut Vec<UnfinishedPacket>,
        in_order: bool,
    ) -> usize {
        let snapshot = self.shared.load();
        let count = buffers.len();
        let Some(mut fast_path) = self.shared.is_fast_path_open().then(|| self.fast_path.take()).flatten()
        else {
            for buffer in buffers {
                buffer.metadata.egress_port = None;
                let port = buffer.metadata.ingress_port;
                left.push(UnfinishedPacket(Progress::Received(arrived, port, buffer.to_packet())));
            }
            return count;
        };
        let mut rest = buffers;
        while !rest.is_empty() {
            self.runner.run(snapshot.view(), now, |path, context, stats| {
                fast_path.step(path, context, arrived, &mut rest, stats)
            });
            if !fast_path.verdicts.is_empty() {
                let verdicts =
                    fast_path.verdicts.drain(..).filter_map(|verdict| self.apply_verdict(now, verdict, out));
                let verdicts: Vec<_> = verdicts.collect();
                left.extend((!verdicts.is_empty()).then_some(UnfinishedPacket(Progress::Decided(verdicts))));
                if in_order {
                    fast_path.take_back(rest);
                    break;
                }
            }
        }
        let done = count - rest.len();
        // The thread holds no snapshot between batches.
        drop(snapshot);
        fast_path.flush_port_counts(&mut self.runner.stats);
        self.fast_path = Some(fast_path);
        self.send_report();
        done
    }

    /// Applies a verdict, or returns it if the switch must apply it.
    fn apply_verdict(
        &mut self,
        now: Nanos,
        verdict: Verdict,
        out: &mut Vec<Transmission>,
    ) -> Option<Verdict> {
        match verdict {
            Verdict::Transmit { port, id, offload, bytes } if self.runner.config.ports.contains(&port) => {
                self.runner.stats.record_sent(port, bytes.len());
                out.push(Transmission { time: now, port, packet: Packet { bytes, id: id.packet, offload } });
            }
            Verdict::Transmit { port, .. } => {
                self.runner.stats.in_flight -= 1;
                self.runner.stats.record_drops(DropPlace::Port(port), DropReason::NoSuchPort, 1);
            }
            Verdict::Drop { place, reason, .. } => {
                self.runner.stats.in_flight -= 1;
                self.runner.stats.record_drops(place, reason, 1);
            }
            verdict => return Some(verdict),
        }
        None
    }

    /// Sends the counts of the worker's packets to the switch.
    fn send_report(&mut self) {
        let mut mail = lock(&self.mailbox);
        mail.stats.add(std::mem::take(&mut self.runner.stats));
        mail.reports.add(&mut self.runner.thread);
        self.has_new_digests |= !mail.reports.messages.digests.is_empty();
    }
}
