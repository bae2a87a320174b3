//! An egress queue: first in, first out, or with a queueing discipline.

use std::collections::VecDeque;
use std::sync::Arc;

use weir_device::Nanos;
use weir_qdisc::{Counts, QdiscConfig};

use super::managed::{ManagedQueue, reason_of};
use super::waiting::WaitingPacket;
use crate::packet::{PacketId, PipelinePacket};
use crate::stats::DropReason;

/// A queue.
#[derive(Debug)]
pub(super) enum Queue {
    /// First in, first out. The traffic manager checks the depth.
    Fifo(VecDeque<WaitingPacket>),
    /// A queue with a discipline.
    Managed(Box<ManagedQueue>),
}

impl Default for Queue {
    fn default() -> Self {
        Self::Fifo(VecDeque::new())
    }
}

impl Queue {
    /// Returns the number of packets in the queue.
    #[inline]
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Fifo(waiting) => waiting.len(),
            Self::Managed(queue) => queue.len(),
        }
    }

    /// Returns whether the queue has a discipline.
    #[inline]
    pub(super) fn is_managed(&self) -> bool {
        matches!(self, Self::Managed(_))
    }

    /// Returns the counts of the discipline; zeros without one.
    pub(super) fn counts(&self) -> Counts {
        match self {
            Self::Fifo(_) => Counts::default(),
            Self::Managed(queue) => queue.counts(),
        }
    }

    /// Sets the discipline. Packets stay if the kind of the discipline stays; otherwise, they are
    /// lost, as at links. `random` contains the seed and the name of the discipline's random
    /// numbers.
    pub(super) fn adopt(
        &mut self,
        now: Nanos,
        discipline: Option<&Arc<QdiscConfig>>,
        (seed, name): (u64, impl Fn() -> String),
        lose: &mut impl FnMut(PacketId, DropReason),
    ) {
        match (&mut *self, discipline) {
            (Self::Fifo(_), None) => {}
            (Self::Managed(queue), Some(config)) => queue.set_config(now, config, (seed, name), lose),
            (queue, discipline) => {
                for packet in queue.drain() {
                    lose(packet.id, reason_of(weir_qdisc::REPLACED));
                }
                *self = match discipline {
                    None => Self::default(),
                    Some(config) => Self::Managed(Box::new(ManagedQueue::new(config, seed, &name()))),
                };
            }
        }
    }

    /// Adds a packet. Returns the reason if the discipline dropped this packet; it may also drop
    /// others.
    pub(super) fn push(
        &mut self,
        now: Nanos,
        waiting: WaitingPacket,
        lose: &mut impl FnMut(PacketId, DropReason),
    ) -> Result<(), DropReason> {
        match self {
            Self::Fifo(queue) => {
                queue.push_back(waiting);
                Ok(())
            }
            Self::Managed(queue) => queue.push(now, waiting, lose),
        }
    }

    /// Returns the earliest time at which a packet may leave the queue, if its rate and its port
    /// allow it; `None` if no packet waits.
    pub(super) fn ready(&self) -> Option<Nanos> {
        match self {
            Self::Fifo(waiting) => waiting.front().map(|first| first.enqueued),
            Self::Managed(queue) => queue.ready(),
        }
    }

    /// Returns whether a packet may leave the queue at `now`, which is not in the past.
    pub(super) fn may_leave(&self, now: Nanos) -> bool {
        match self {
            Self::Fifo(waiting) => !waiting.is_empty(),
            Self::Managed(queue) => queue.ready().is_some_and(|ready| ready <= now),
        }
    }

    /// Removes the packet that leaves at `now`; `None` if the discipline keeps all packets for now,
    /// or has dropped them.
    pub(super) fn pop(
        &mut self,
        now: Nanos,
        lose: &mut impl FnMut(PacketId, DropReason),
    ) -> Option<WaitingPacket> {
        match self {
            Self::Fifo(waiting) => waiting.pop_front(),
            Self::Managed(queue) => queue.pop(now, lose),
        }
    }

    /// Removes all packets.
    pub(super) fn drain(&mut self) -> Vec<PipelinePacket> {
        match self {
            Self::Fifo(waiting) => waiting.drain(..).map(|waiting| waiting.packet).collect(),
            Self::Managed(queue) => queue.drain(),
        }
    }
}
