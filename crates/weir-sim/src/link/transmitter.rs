//! One direction of a link: a queueing discipline, a sender with a rate, and the wire behind it.

use std::mem::offset_of;

use weir_device::{Nanos, Port};
use weir_prefetch::prefetch as prefetch_memory;

use super::{DirectionCounters, LinkConfig};
use crate::event_queue::Alarm;
use crate::frames::{FrameId, Frames};
use crate::impair::{Impairer, Impairments};
use crate::qdisc::{Dequeued, Qdisc, QdiscContext, QueuedFrame, Stats};
use crate::time::transmission_time;

/// Bytes behind the Ethernet header and its VLAN tags (IEEE 802.1Q, 802.1ad): what a link's MTU limits.
fn network_layer_bytes(frame: &[u8]) -> usize {
    let mut header = 14;
    while let Some([0x81, 0x00] | [0x88, 0xa8]) = frame.get(header - 2..header) {
        header += 4;
    }
    frame.len().saturating_sub(header)
}

/// An MTU, or the largest number for none.
fn mtu_or_max(mtu: Option<usize>) -> u32 {
    mtu.and_then(|mtu| u32::try_from(mtu).ok()).unwrap_or(u32::MAX)
}

/// Why a frame that was sent does not arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DropReason {
    Loss,
    Down,
}

/// A frame whose sending begins.
pub(crate) struct StartedFrame {
    pub(crate) frame: FrameId,
    /// When the frame's last bit arrives at the other end, or would: see [`crate::frames::FrameMeta::lost`].
    pub(crate) arrival: Nanos,
    /// It arrives a second time right behind.
    pub(crate) duplicated: bool,
    /// Somebody listens at the end where it leaves.
    pub(crate) tapped: bool,
}

/// What a transmitter does next.
pub(crate) enum Step {
    /// Nothing waits behind this one.
    Only(StartedFrame),
    /// And then the next step.
    Start(StartedFrame),
    /// Nothing before this time; [`Transmitter::due`] wants to be called then.
    Wait(Nanos),
    /// Nothing, or nothing before a time that was told already.
    Idle,
}

/// Bytes at the beginning of [`ColdState`] that frames touch which wait.
const PREFETCHED_QUEUE_BYTES: usize = 256;

/// What each frame touches stands by itself in two lines of a cache, for networks are larger than caches.
#[repr(C, align(64))]
pub(crate) struct Transmitter {
    /// When the frame that was begun last is out.
    free_at: Nanos,
    last_arrival: Nanos,
    delay: Nanos,
    /// 0 if it is unlimited.
    rate: u64,
    /// See [`serialisation`]; in units of 1/rate nanoseconds, below rate.
    credit: u64,
    /// The largest number if there is none.
    mtu: u32,
    /// Counts the times the link went down: what was on the wire then never arrives.
    pub(crate) epoch: u32,
    /// Frames in the queueing discipline.
    waiting: u32,
    up: bool,
    /// Whether the wire does nothing to frames but carry them.
    unimpaired: bool,
    /// Whether the discipline lets a frame by where nothing waits.
    bypass_queue: bool,
    /// Whether somebody listens where frames leave, and where they arrive.
    pub(crate) tapped: [bool; 2],
    hot: HotCounters,
    cold: Box<ColdState>,
}

/// Counts of [`DirectionCounters`] that each frame changes.
#[derive(Default)]
struct HotCounters {
    offered_packets: u64,
    offered_bytes: u64,
    sent_packets: u64,
    sent_bytes: u64,
    delivered_packets: u64,
    delivered_bytes: u64,
    busy: Nanos,
    /// The node and the port where frames arrive.
    to: (u32, Port),
}

#[repr(C)]
struct ColdState {
    qdisc: Qdisc,
    /// When it is to be called.
    alarm: Alarm,
    config: LinkConfig,
    seed: u64,
    /// As in `h1-eth0->s1-p1`.
    name: String,
    impair: Impairer,
    /// Without [`HotCounters`].
    counters: DirectionCounters,
    /// What had been sent when the discipline became of its kind: packets and bytes.
    sent_before: (u64, u64),
    /// Room for what the discipline drops; empty between calls.
    dropped: Vec<(FrameId, &'static str)>,
}

impl Transmitter {
    /// One that sends from one node's port to another's.
    pub(crate) fn new(config: LinkConfig, seed: u64, name: &str, to: (usize, Port)) -> Self {
        let qdisc = Qdisc::new(&config.queue, seed, &format!("qdisc {name}"));
        Transmitter {
            free_at: 0,
            last_arrival: 0,
            delay: config.delay,
            rate: config.rate.unwrap_or(0),
            credit: 0,
            mtu: mtu_or_max(config.mtu),
            epoch: 0,
            waiting: 0,
            up: true,
            unimpaired: config.impairments == Impairments::default(),
            bypass_queue: qdisc.is_plain(),
            tapped: [false; 2],
            hot: HotCounters { to: (to.0 as u32, to.1), ..HotCounters::default() },
            cold: Box::new(ColdState {
                qdisc,
                alarm: Alarm::default(),
                impair: Impairer::new(&config.impairments, seed, &format!("link {name}")),
                config,
                seed,
                name: name.to_owned(),
                counters: DirectionCounters::default(),
                sent_before: (0, 0),
                dropped: Vec::new(),
            }),
        }
    }

    /// The node and the port where frames arrive.
    pub(crate) fn to(&self) -> (usize, Port) {
        (self.hot.to.0 as usize, self.hot.to.1)
    }

    pub(crate) fn config(&self) -> &LinkConfig {
        &self.cold.config
    }

    /// New settings hold for frames whose sending begins from now on. A queue that is now too long is left to drain.
    pub(crate) fn set_config(&mut self, config: LinkConfig, frames: &mut Frames) {
        let rate = config.rate.unwrap_or(0);
        if rate != self.rate {
            self.credit = 0;
        }
        let ColdState { config: old, seed, name, impair, dropped, qdisc, sent_before, .. } = &mut *self.cold;
        impair.set_config(&config.impairments);
        let requeue = config.queue != old.queue;
        if std::mem::discriminant(&config.queue) != std::mem::discriminant(&old.queue) {
            *sent_before = (self.hot.sent_packets, self.hot.sent_bytes);
        }
        if requeue {
            qdisc.replace(&config.queue, *seed, &format!("qdisc {name}"), dropped);
            self.bypass_queue = qdisc.is_plain();
            self.waiting = qdisc.packets() as u32;
        }
        (self.rate, self.delay) = (rate, config.delay);
        self.mtu = mtu_or_max(config.mtu);
        self.unimpaired = config.impairments == Impairments::default();
        *old = config;
        if requeue {
            self.count_dropped_by_queue(frames);
        }
    }

    pub(crate) fn is_up(&self) -> bool {
        self.up
    }

    /// Raises or lowers the link; frames that wait when it goes down are dropped.
    pub(crate) fn set_up(&mut self, up: bool, frames: &mut Frames) {
        if self.up == up {
            return;
        }
        self.up = up;
        if up {
            return;
        }
        self.epoch += 1;
        self.free_at = 0;
        self.credit = 0;
        self.cold.alarm.clear();
        self.last_arrival = 0;
        self.waiting = 0;
        for frame in self.cold.qdisc.drain() {
            self.cold.counters.dropped_down += 1;
            frames.release(frame);
        }
    }

    /// Takes a frame to send. Only [`Step::Start`] needs to be followed by [`Transmitter::next`]; before the call, all that can be sent has been.
    pub(crate) fn offer(&mut self, now: Nanos, frame: FrameId, frames: &mut Frames) -> Step {
        let bytes = frames.bytes(frame).len();
        self.hot.offered_packets += 1;
        self.hot.offered_bytes += bytes as u64;
        if !self.up {
            self.cold.counters.dropped_down += 1;
            frames.release(frame);
            return Step::Idle;
        }
        let mtu = self.mtu as usize;
        if bytes > mtu && network_layer_bytes(frames.bytes(frame)) > mtu {
            self.cold.counters.dropped_mtu += 1;
            frames.release(frame);
            return Step::Idle;
        }
        if self.free_at <= now && self.bypass_queue && self.waiting == 0 {
            self.credit = 0;
            return Step::Only(self.start(now, frame, frames));
        }
        let meta = frames.meta(frame);
        let waiting = QueuedFrame { frame, bytes: bytes as u32, flow: meta.flow, earliest: meta.earliest };
        let ColdState { qdisc, dropped, counters, .. } = &mut *self.cold;
        let mut context = QdiscContext::new(now, frames, dropped);
        qdisc.enqueue(waiting, &mut context);
        counters.marked += context.marked;
        self.waiting = qdisc.packets() as u32;
        self.count_dropped_by_queue(frames);
        let step = self.next(now, frames);
        let queue_max = &mut self.cold.counters.queue_max;
        *queue_max = (self.waiting as usize).max(*queue_max);
        step
    }

    fn count_dropped_by_queue(&mut self, frames: &mut Frames) {
        let ColdState { counters, dropped, .. } = &mut *self.cold;
        for (frame, reason) in dropped.drain(..) {
            counters.count_queue_drop(reason);
            frames.release(frame);
        }
    }

    /// Whether frames wait that can be sent now.
    pub(crate) fn can_send(&self, now: Nanos) -> bool {
        self.free_at <= now && self.waiting > 0
    }

    /// Whether a call at this time is one that it wanted.
    pub(crate) fn due(&mut self, now: Nanos) -> bool {
        self.cold.alarm.rings(now)
    }

    /// The next step; to be called again after each start.
    pub(crate) fn next(&mut self, now: Nanos, frames: &mut Frames) -> Step {
        if self.waiting == 0 {
            return Step::Idle;
        }
        if self.free_at > now {
            return self.wait(self.free_at);
        }
        let ColdState { qdisc, dropped, counters, .. } = &mut *self.cold;
        let mut context = QdiscContext::new(now, frames, dropped);
        let next = qdisc.dequeue(&mut context);
        counters.marked += context.marked;
        self.waiting = qdisc.packets() as u32;
        self.count_dropped_by_queue(frames);
        match next {
            Dequeued::Frame(waiting) => {
                if self.free_at < now {
                    self.credit = 0;
                }
                Step::Start(self.start(now, waiting.frame, frames))
            }
            Dequeued::At(time) => self.wait(time.max(now.saturating_add(1))),
            Dequeued::Empty => Step::Idle,
        }
    }

    fn wait(&mut self, time: Nanos) -> Step {
        if self.cold.alarm.set(time) { Step::Wait(time) } else { Step::Idle }
    }

    fn start(&mut self, now: Nanos, frame: FrameId, frames: &mut Frames) -> StartedFrame {
        let bytes = frames.bytes(frame).len();
        self.hot.sent_packets += 1;
        self.hot.sent_bytes += bytes as u64;
        let time = match self.rate {
            0 => 0,
            rate => {
                let (time, credit) = transmission_time(bytes, rate, self.credit);
                self.credit = credit;
                time
            }
        };
        self.hot.busy += time;
        self.free_at = now.saturating_add(time);
        let mut arrival = self.free_at.saturating_add(self.delay);
        let (mut lost, mut duplicated, mut overtakes) = (false, false, false);
        if !self.unimpaired {
            let effects = self.cold.impair.next_effects();
            arrival = arrival.saturating_add_signed(effects.extra).max(self.free_at);
            (lost, duplicated, overtakes) =
                (effects.lost, effects.duplicated && !effects.lost, effects.overtakes);
            effects.corrupt(frames.bytes_mut(frame));
            self.cold.counters.duplicates += u64::from(duplicated);
        }
        if !overtakes {
            arrival = arrival.max(self.last_arrival);
            self.last_arrival = arrival;
        }
        let meta = frames.meta(frame);
        (meta.epoch, meta.lost) = (self.epoch, lost);
        StartedFrame { frame, arrival, duplicated, tapped: self.tapped[0] }
    }

    /// Brings what each frame touches near.
    pub(crate) fn prefetch(&self) {
        prefetch_memory(self, offset_of!(Transmitter, cold));
    }

    /// Brings near what is touched where frames wait.
    pub(crate) fn prefetch_queue(&self) {
        prefetch_memory(self.cold.as_ref(), PREFETCHED_QUEUE_BYTES);
    }

    pub(crate) fn count_delivered(&mut self, bytes: usize) {
        self.hot.delivered_packets += 1;
        self.hot.delivered_bytes += bytes as u64;
    }

    pub(crate) fn count_dropped(&mut self, reason: DropReason) {
        match reason {
            DropReason::Loss => self.cold.counters.dropped_loss += 1,
            DropReason::Down => self.cold.counters.dropped_down += 1,
        }
    }

    /// The discipline's figures. Frames that found the transmitter idle passed it without waiting, and count.
    pub(crate) fn queue_stats(&self) -> Stats {
        let mut stats = self.cold.qdisc.stats();
        let (packets, bytes) = self.cold.sent_before;
        stats.counts.sent_packets = self.hot.sent_packets - packets;
        stats.counts.sent_bytes = self.hot.sent_bytes - bytes;
        stats
    }

    /// How much of the time that counts as busy has yet to pass.
    pub(crate) fn busy_ahead(&self, now: Nanos) -> Nanos {
        self.free_at.saturating_sub(now)
    }

    pub(crate) fn counters(&self) -> DirectionCounters {
        let counters = &self.cold.counters;
        DirectionCounters {
            offered_packets: self.hot.offered_packets,
            offered_bytes: self.hot.offered_bytes,
            sent_packets: self.hot.sent_packets,
            sent_bytes: self.hot.sent_bytes,
            delivered_packets: self.hot.delivered_packets,
            delivered_bytes: self.hot.delivered_bytes,
            busy: self.hot.busy,
            queue_now: self.waiting as usize,
            queue_now_bytes: self.cold.qdisc.bytes(),
            duplicates: counters.duplicates + self.cold.qdisc.duplicates(),
            ..counters.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_no_part_of_what_the_mtu_limits() {
        let frame = |header: &[u8]| [&[0; 12], header, &[0; 100]].concat();
        assert_eq!(network_layer_bytes(&frame(&[8, 0])), 100);
        assert_eq!(network_layer_bytes(&frame(&[0x81, 0, 0, 5, 8, 0])), 100);
        assert_eq!(network_layer_bytes(&frame(&[0x88, 0xa8, 0, 5, 0x81, 0, 0, 5, 8, 0])), 100);
        assert_eq!(network_layer_bytes(&[0; 13]), 0);
        assert_eq!(network_layer_bytes(&[&[0; 12][..], &[0x81, 0]].concat()), 0);
    }
}
