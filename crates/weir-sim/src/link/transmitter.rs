//! One direction of a link: a queueing discipline, a transmitter with a rate, and the wire after
//! it.

use std::mem::{offset_of, take};

use weir_device::prefetch as prefetch_memory;
use weir_device::{Nanos, Port};

use super::{DirectionCounters, LinkConfig};
use crate::event_queue::Alarm;
use crate::frames::{FrameId, Frames};
use crate::time::transmission_time;
use weir_impair::{Impairer, Impairments};
use weir_qdisc::{Dequeued, Qdisc, QdiscContext, QueuedFrame, Stats};

/// Returns the bytes after the Ethernet header and its VLAN tags (IEEE 802.1Q, 802.1ad), which a
/// link's MTU limits.
fn network_layer_bytes(frame: &[u8]) -> usize {
    let mut header = 14;
    while let Some([0x81, 0x00] | [0x88, 0xa8]) = frame.get(header - 2..header) {
        header += 4;
    }
    frame.len().saturating_sub(header)
}

/// Returns the MTU, or the maximum value if there is none.
fn mtu_or_max(mtu: Option<usize>) -> u32 {
    mtu.and_then(|mtu| u32::try_from(mtu).ok()).unwrap_or(u32::MAX)
}

/// The reason why a sent frame does not arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DropReason {
    Loss,
    Down,
}

/// A frame whose transmission begins, and when it arrives.
pub(crate) struct StartedFrame {
    pub(crate) frame: FrameId,
    /// When the frame's last bit arrives at the other end, or would arrive: see
    /// [`crate::frames::FrameMeta::lost`].
    pub(crate) arrival: Nanos,
    /// Whether a duplicate arrives directly after the frame.
    pub(crate) duplicated: bool,
    /// Whether a capture or watch listens at the sending end.
    pub(crate) tapped: bool,
}

/// The next action of a transmitter.
pub(crate) enum Step {
    /// Sends this frame; no other frame waits.
    Only(StartedFrame),
    /// Sends this frame; the caller then asks for the next step.
    Start(StartedFrame),
    /// The transmitter does nothing before this time; the caller schedules an event that calls
    /// [`Transmitter::is_due`].
    Wait(Nanos),
    /// The transmitter has nothing to do, or nothing before a time for which an event is already
    /// scheduled.
    Idle,
}

/// The number of bytes of [`ColdState`] to prefetch for frames that wait in the queue.
const PREFETCHED_QUEUE_BYTES: usize = 256;

/// A transmitter. The data that every frame uses fill two separate cache lines, because the state
/// of large networks exceeds the caches.
#[repr(C, align(64))]
pub(crate) struct Transmitter {
    /// The time at which the frame being sent is finished.
    free_at: Nanos,
    last_arrival: Nanos,
    delay: Nanos,
    /// The rate in bits per second; 0 for unlimited.
    rate: u64,
    /// The rounding credit of [`transmission_time`], in units of 1/rate nanoseconds, less than the
    /// rate.
    credit: u64,
    /// The MTU in bytes; the maximum value if there is none.
    mtu: u32,
    /// The number of times that the link went down. Frames that were sent in an earlier epoch never
    /// arrive.
    pub(crate) epoch: u32,
    /// The number of frames in the queueing discipline.
    waiting: u32,
    up: bool,
    /// Whether the link has no impairments.
    unimpaired: bool,
    /// Whether a frame may skip the queueing discipline when the queue is empty.
    bypass_queue: bool,
    /// Whether a capture or watch listens at the sending and at the receiving end.
    pub(crate) tapped: [bool; 2],
    hot: HotCounters,
    cold: Box<ColdState>,
}

/// The counters of [`DirectionCounters`] that every frame changes.
#[derive(Default)]
struct HotCounters {
    offered_packets: u64,
    offered_bytes: u64,
    sent_packets: u64,
    sent_bytes: u64,
    delivered_packets: u64,
    delivered_bytes: u64,
    busy: Nanos,
    /// The node and port at the receiving end.
    to: (u32, Port),
}

#[repr(C)]
struct ColdState {
    qdisc: Qdisc,
    /// The pending events that call [`Transmitter::is_due`].
    alarm: Alarm,
    config: LinkConfig,
    seed: u64,
    /// The name of the direction, such as `h1-eth0->s1-p1`.
    name: String,
    impair: Impairer,
    /// The counters without those in [`HotCounters`].
    counters: DirectionCounters,
    /// The packets and bytes that were sent before the current kind of queueing discipline was set.
    sent_before: (u64, u64),
    /// The frames that the discipline dropped; empty between calls.
    dropped: Vec<(FrameId, &'static str)>,
}

impl Transmitter {
    /// Creates a transmitter from one node's port to another's.
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

    /// Returns the node and port at the receiving end.
    pub(crate) fn receiving_end(&self) -> (usize, Port) {
        (self.hot.to.0 as usize, self.hot.to.1)
    }

    /// Returns the settings of the link.
    pub(crate) fn config(&self) -> &LinkConfig {
        &self.cold.config
    }

    /// Changes the settings for frames whose transmission begins from now on. A queue that is now
    /// too long drains normally.
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

    /// Creates the receiving end of a transmitter that is in another part of the network.
    pub(crate) fn receiving_only(to: (usize, Port)) -> Self {
        Transmitter::new(LinkConfig::default(), 0, "", to)
    }

    /// Prepares a receiving end for frames of this transmitter.
    pub(crate) fn prepare_receiver(&self, receiver: &mut Transmitter) {
        (receiver.epoch, receiver.tapped) = (self.epoch, self.tapped);
    }

    /// Adds what a receiving end has counted to the counters, and clears it there.
    pub(crate) fn add_received(&mut self, receiver: &mut Transmitter) {
        let (hot, cold) = (&mut receiver.hot, &mut receiver.cold.counters);
        self.hot.delivered_packets += take(&mut hot.delivered_packets);
        self.hot.delivered_bytes += take(&mut hot.delivered_bytes);
        self.cold.counters.dropped_loss += take(&mut cold.dropped_loss);
        self.cold.counters.dropped_down += take(&mut cold.dropped_down);
    }

    /// Visits the numbers of the frames in the queue, so that the caller can move the frames.
    pub(crate) fn visit_frames(&mut self, visit: &mut dyn FnMut(&mut FrameId)) {
        if self.waiting > 0 {
            self.cold.qdisc.visit_frames(visit);
        }
    }

    /// Returns the number of frames that were delivered or are in the queue, as a measure of load.
    pub(crate) fn load(&self) -> u64 {
        self.hot.delivered_packets + u64::from(self.waiting)
    }

    /// Returns the minimum time from the moment at which a frame is sent until it arrives.
    pub(crate) fn min_delay(&self) -> Nanos {
        self.cold.config.impairments.jitter.max_reduction().map_or(0, |most| self.delay.saturating_sub(most))
    }

    pub(crate) fn is_up(&self) -> bool {
        self.up
    }

    /// Sets the link up or down. Frames that wait when it goes down are dropped.
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

    /// Takes a frame to send. The caller has sent everything that could be sent before. After
    /// [`Step::Start`], the caller calls [`Transmitter::next`].
    pub(crate) fn accept_frame(&mut self, now: Nanos, frame: FrameId, frames: &mut Frames) -> Step {
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

    /// Returns whether frames wait that could be sent now.
    pub(crate) fn can_send(&self, now: Nanos) -> bool {
        self.free_at <= now && self.waiting > 0
    }

    /// Returns whether an event of this time is the one that the transmitter waits for.
    pub(crate) fn is_due(&mut self, now: Nanos) -> bool {
        self.cold.alarm.take_event(now)
    }

    /// Returns the next step; called again after each [`Step::Start`].
    pub(crate) fn next(&mut self, now: Nanos, frames: &mut Frames) -> Step {
        if self.waiting == 0 {
            return Step::Idle;
        }
        if self.free_at > now {
            return self.wait_until(self.free_at);
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
            Dequeued::At(time) => self.wait_until(time.max(now.saturating_add(1))),
            Dequeued::Empty => Step::Idle,
        }
    }

    fn wait_until(&mut self, time: Nanos) -> Step {
        if self.cold.alarm.set(time) { Step::Wait(time) } else { Step::Idle }
    }

    /// Starts to transmit a frame.
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

    /// Prefetches the data that every frame uses.
    pub(crate) fn prefetch(&self) {
        prefetch_memory(self, offset_of!(Transmitter, cold));
    }

    /// Prefetches the data that a frame in the queue uses.
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

    /// Returns the statistics of the queueing discipline, including frames that skipped it because
    /// the queue was empty.
    pub(crate) fn queue_stats(&self) -> Stats {
        let mut stats = self.cold.qdisc.stats();
        let (packets, bytes) = self.cold.sent_before;
        stats.counts.sent_packets = self.hot.sent_packets - packets;
        stats.counts.sent_bytes = self.hot.sent_bytes - bytes;
        stats
    }

    /// Returns the part of the busy time that is still in the future.
    pub(crate) fn remaining_busy_time(&self, now: Nanos) -> Nanos {
        self.free_at.saturating_sub(now)
    }

    /// Returns the counters of the direction.
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
    fn mtu_excludes_vlan_tags() {
        let frame = |header: &[u8]| [&[0; 12], header, &[0; 100]].concat();
        assert_eq!(network_layer_bytes(&frame(&[8, 0])), 100);
        assert_eq!(network_layer_bytes(&frame(&[0x81, 0, 0, 5, 8, 0])), 100);
        assert_eq!(network_layer_bytes(&frame(&[0x88, 0xa8, 0, 5, 0x81, 0, 0, 5, 8, 0])), 100);
        assert_eq!(network_layer_bytes(&[0; 13]), 0);
        assert_eq!(network_layer_bytes(&[&[0; 12][..], &[0x81, 0]].concat()), 0);
    }
}
