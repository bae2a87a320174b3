//! An egress queue with a queueing discipline.

use std::sync::Arc;

use weir_device::Nanos;
use weir_qdisc::{Counts, Dequeued, Dropped, QUEUE_FULL, Qdisc, QdiscConfig, QdiscContext, QueuedFrame};

use super::waiting::{Packets, WaitingPacket};
use crate::packet::{PacketId, PipelinePacket};
use crate::stats::DropReason;

/// A queue with a discipline. The discipline sees packets as they came to the queue: if ingress has
/// not deparsed them, these are the bytes with which their pass began.
#[derive(Debug)]
pub(super) struct ManagedQueue {
    config: Arc<QdiscConfig>,
    qdisc: Qdisc,
    packets: Packets,
    /// The latest time that was passed to the discipline, whose time must never go back.
    now: Nanos,
    /// No packet leaves before this time, unless another packet arrives.
    not_before: Nanos,
    /// The packets that the discipline dropped; empty between calls.
    dropped: Dropped,
}

impl ManagedQueue {
    pub(super) fn new(config: &Arc<QdiscConfig>, seed: u64, name: &str) -> Self {
        Self {
            config: Arc::clone(config),
            qdisc: Qdisc::new(config, seed, name),
            packets: Packets::default(),
            now: 0,
            not_before: 0,
            dropped: Vec::new(),
        }
    }

    /// Changes the settings. Packets stay if the kind of the discipline stays.
    pub(super) fn set_config(
        &mut self,
        now: Nanos,
        config: &Arc<QdiscConfig>,
        (seed, name): (u64, impl Fn() -> String),
        lose: &mut impl FnMut(PacketId, DropReason),
    ) {
        if Arc::ptr_eq(&self.config, config) {
            return;
        }
        if self.config != *config {
            self.now = self.now.max(now);
            self.not_before = self.now;
            self.qdisc.replace(config, seed, &name(), &mut self.dropped);
            self.report_dropped(lose);
        }
        self.config = Arc::clone(config);
    }

    /// Adds a packet. Returns the reason if the discipline dropped this packet; it may also drop
    /// others.
    pub(super) fn push(
        &mut self,
        now: Nanos,
        waiting: WaitingPacket,
        lose: &mut impl FnMut(PacketId, DropReason),
    ) -> Result<(), DropReason> {
        self.now = self.now.max(now);
        self.not_before = self.now;
        let bytes = u32::try_from(waiting.packet.length).unwrap_or(u32::MAX);
        let frame = self.packets.put(waiting);
        let mut context = QdiscContext::new(self.now, &mut self.packets, &mut self.dropped);
        self.qdisc.enqueue(QueuedFrame { frame, bytes, flow: 0, earliest: 0 }, &mut context);
        let own = self.dropped.iter().position(|(dropped, _)| *dropped == frame);
        let own = own.map(|index| {
            let (frame, reason) = self.dropped.remove(index);
            self.packets.take(frame);
            reason_of(reason)
        });
        self.report_dropped(lose);
        own.map_or(Ok(()), Err)
    }

    /// Returns the earliest time at which a packet may leave; `None` if no packet waits.
    pub(super) fn ready(&self) -> Option<Nanos> {
        (self.len() > 0 && self.not_before < Nanos::MAX).then_some(self.not_before)
    }

    /// Removes the packet that leaves at `now`. If there is none, [`ManagedQueue::ready`] is later
    /// than `now`.
    pub(super) fn pop(
        &mut self,
        now: Nanos,
        lose: &mut impl FnMut(PacketId, DropReason),
    ) -> Option<WaitingPacket> {
        self.now = self.now.max(now);
        let mut context = QdiscContext::new(self.now, &mut self.packets, &mut self.dropped);
        let next = self.qdisc.dequeue(&mut context);
        self.report_dropped(lose);
        match next {
            Dequeued::Frame(waiting) => return Some(self.packets.take(waiting.frame)),
            Dequeued::At(time) => self.not_before = time.max(self.now.saturating_add(1)),
            Dequeued::Empty => self.not_before = Nanos::MAX,
        }
        None
    }

    /// Reports the packets that the discipline dropped, and forgets them.
    fn report_dropped(&mut self, lose: &mut impl FnMut(PacketId, DropReason)) {
        for (frame, reason) in self.dropped.drain(..) {
            lose(self.packets.take(frame).packet.id, reason_of(reason));
        }
    }

    /// Removes all packets.
    pub(super) fn drain(&mut self) -> Vec<PipelinePacket> {
        self.qdisc.drain().into_iter().map(|frame| self.packets.take(frame).packet).collect()
    }

    /// Returns the number of packets in the queue.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.qdisc.packets()
    }

    /// Returns the counts of the discipline.
    pub(super) fn counts(&self) -> Counts {
        self.qdisc.stats().counts
    }
}

/// Returns a discipline's reason for a drop as a reason of the switch.
pub(super) fn reason_of(reason: &'static str) -> DropReason {
    if reason == QUEUE_FULL { DropReason::QueueFull } else { DropReason::Discipline(reason) }
}
