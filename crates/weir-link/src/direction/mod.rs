//! One direction of a link. Applies the effects to each frame, and holds the frames in flight.

mod frames;
mod queue;

use std::collections::BTreeMap;

use hdrhistogram::Histogram;
use weir_device::Nanos;
use weir_impair::{Impairer, Impairments, Jitter};
use weir_ports::offload::{Malformed, WireSize, for_interface, wire_size};
use weir_ports::{Frame, Offloads, TransmitCounts};
use weir_qdisc::{QUEUE_FULL, QdiscConfig, RateLimiter, Stats, TcInterface};

use self::queue::Queue;
use crate::settings::{DirectionSettings, Limit};

/// One direction of a link.
#[derive(Debug)]
pub struct LinkDirection {
    settings: DirectionSettings,
    /// The offloads that the interface at the other end may do.
    offloads: Offloads,
    impairer: Impairer,
    up: bool,
    /// The frame that is being transmitted at the rate, or the last transmitted frame.
    leaving: FrameInTransmission,
    /// The rate limiter of the sending end; its unit is a bit.
    transmitter: RateLimiter,
    /// The queue before the rate.
    queue: Queue,
    /// The time of arrival of the last frame that must not be overtaken.
    last: Nanos,
    /// The frames in flight, ordered by the time at which they leave, and then by arrival.
    waiting: BTreeMap<(Nanos, u64), Frame<'static>>,
    waiting_bytes: u64,
    number: u64,
    /// The frames whose transmission has begun, and their bytes.
    sent: WireSize,
    /// Counts since the start, without those of the queueing discipline.
    counts: Counts,
    /// The lateness of frames that have left, in nanoseconds.
    pub late: Histogram<u64>,
}

/// A frame that is being transmitted.
#[derive(Debug, Default)]
struct FrameInTransmission {
    /// The time at which the transmission ends.
    end: Nanos,
    bytes: u64,
}

/// The counts of frames in one direction. A GSO frame counts as the frames that it becomes on a
/// wire.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// The number of frames that arrived.
    pub offered_packets: u64,
    /// The bytes of the offered frames.
    pub offered_bytes: u64,
    /// Frames that left at the other end, including duplicates.
    pub delivered_packets: u64,
    /// The bytes of the delivered frames.
    pub delivered_bytes: u64,
    /// Frames that were lost at random.
    pub dropped_loss: u64,
    /// Frames that were dropped because the limit was reached.
    pub dropped_limit: u64,
    /// Frames that the queueing discipline dropped for another reason than a full queue.
    pub dropped_queue: u64,
    /// Frames in which the queueing discipline marked congestion.
    pub marked: u64,
    /// Frames that arrived, or were in flight, while the link was down.
    pub dropped_down: u64,
    /// Frames that the interface at the other end did not accept.
    pub dropped_output: u64,
    /// Frames whose offload metadata contradicts their bytes.
    pub dropped_malformed: u64,
    /// The number of frames that were duplicated.
    pub duplicates: u64,
    /// The number of frames with a flipped bit.
    pub corrupted: u64,
    /// The largest number of frames in flight.
    pub waiting_max: u64,
}

/// The queue of a direction at one time, with counts since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueueSample {
    /// The packets in the queue.
    pub waiting: u64,
    /// The packets that have left the queue.
    pub sent_packets: u64,
    /// The bytes of these packets.
    pub sent_bytes: u64,
    /// The packets that the queue dropped.
    pub dropped: u64,
    /// The packets in which the queue marked congestion.
    pub marked: u64,
}

/// The maximum lateness that the histogram records: a minute.
const MAX_LATENESS: u64 = 60_000_000_000;

impl LinkDirection {
    /// Creates a direction. The seed and the direction's name determine its random numbers.
    pub fn new(settings: DirectionSettings, seed: u64, name: &str, up: bool) -> Self {
        Self {
            impairer: Impairer::new(&settings.impairments, seed, &format!("link {name}")),
            queue: Queue::new(&settings.qdisc, seed, name),
            offloads: offloads(&settings),
            settings,
            up,
            leaving: FrameInTransmission::default(),
            transmitter: RateLimiter::new(1),
            last: 0,
            waiting: BTreeMap::new(),
            waiting_bytes: 0,
            number: 0,
            sent: WireSize::default(),
            counts: Counts::default(),
            late: Histogram::new_with_bounds(1, MAX_LATENESS, 2).expect("these bounds are valid"),
        }
    }

    /// Changes the settings. They apply to frames whose transmission has not begun; the other
    /// frames keep their times.
    pub fn set_settings(&mut self, now: Nanos, settings: DirectionSettings) {
        self.advance(now);
        self.impairer.set_config(&settings.impairments);
        self.queue.set_config(now, &settings.qdisc);
        self.offloads = offloads(&settings);
        self.settings = settings;
    }

    /// Sets the direction up or down. Frames in flight when the direction goes down are lost.
    pub fn set_up(&mut self, up: bool) {
        if self.up && !up {
            let waiting = std::mem::take(&mut self.waiting);
            let lost = waiting.values().chain(self.queue.frames());
            self.counts.dropped_down += lost.map(|frame| wire_size(frame).frames).sum::<u64>();
            self.queue.clear();
            self.waiting_bytes = 0;
            (self.leaving, self.last) = (FrameInTransmission::default(), 0);
            self.transmitter = RateLimiter::new(1);
        }
        self.up = up;
    }

    /// Returns the number of frames in flight and in the queue, and their bytes in memory.
    pub fn waiting(&self) -> (u64, u64) {
        ((self.waiting.len() + self.queue.packets()) as u64, self.waiting_bytes + self.queue.bytes())
    }

    /// Returns the current state of the queue.
    pub fn queue_sample(&self) -> QueueSample {
        let Counts { dropped_limit, dropped_queue, marked, .. } = self.counts();
        QueueSample {
            waiting: self.queue.packets() as u64,
            sent_packets: self.sent.frames,
            sent_bytes: self.sent.bytes,
            dropped: dropped_limit + dropped_queue,
            marked,
        }
    }

    /// Accepts a frame that arrived at this time, and applies the effects to it.
    pub fn receive(&mut self, arrived: Nanos, frame: &Frame<'_>) {
        let WireSize { frames: packets, bytes } = wire_size(frame);
        self.counts.offered_packets += packets;
        self.counts.offered_bytes += bytes;
        if !self.up {
            self.counts.dropped_down += packets;
            return;
        }
        let taken = for_interface(frame, self.offloads, |frame| {
            self.accept(arrived, frame);
            Ok::<(), Malformed>(())
        });
        if taken.is_err() {
            self.counts.dropped_malformed += packets;
        }
    }

    /// Accepts a frame as it would be on a wire, or a GSO frame that stays whole.
    fn accept(&mut self, arrived: Nanos, frame: &Frame<'_>) {
        self.advance(arrived);
        let FrameInTransmission { end, bytes } = self.leaving;
        let (leaving, leaving_bytes) = if end > arrived { (1, bytes) } else { (0, 0) };
        let bytes = self.queue.bytes() + leaving_bytes + frame.len() as u64;
        if !has_room(self.settings.limit(), self.queue.packets() + leaving, bytes) {
            self.counts.dropped_limit += wire_size(frame).frames;
            return;
        }
        self.queue.push(arrived, Frame::copy_of(frame.bytes(), frame.metadata));
        self.advance(arrived);
        self.count_waiting();
    }

    /// Starts the transmission of the queued frames that are due.
    pub fn advance(&mut self, now: Nanos) {
        while let Some(start) = self.queue.next(self.leaving.end)
            && start <= now
        {
            if let Some(frame) = self.queue.pop(start) {
                self.start_transmission(start, frame);
            }
        }
    }

    /// Starts the transmission of a frame at a time.
    fn start_transmission(&mut self, start: Nanos, mut frame: Frame<'static>) {
        let sent = self.transmission_end(start, &frame);
        let WireSize { frames, bytes } = wire_size(&frame);
        self.sent = WireSize { frames: self.sent.frames + frames, bytes: self.sent.bytes + bytes };
        self.leaving = FrameInTransmission { end: sent, bytes: frame.len() as u64 };
        let effects = self.impairer.next_effects();
        let due = sent.saturating_add(self.settings.delay);
        let mut due = due.saturating_add_signed(effects.extra).max(sent);
        if !effects.overtakes {
            due = due.max(self.last);
            self.last = due;
        }
        if effects.lost {
            self.counts.dropped_loss += 1;
            return;
        }
        if effects.corrupt(frame.bytes_mut()) {
            self.counts.corrupted += 1;
        }
        if effects.duplicated {
            self.counts.duplicates += 1;
            let twin = Frame::copy_of(frame.bytes(), frame.metadata);
            self.delay_frame(due, frame);
            self.delay_frame(due, twin);
        } else {
            self.delay_frame(due, frame);
        }
    }

    /// Returns the time at which the transmission of a frame ends that begins at `start`.
    fn transmission_end(&mut self, start: Nanos, frame: &Frame<'_>) -> Nanos {
        let Some(rate) = self.settings.rate else { return start };
        self.transmitter.set_rate(rate);
        self.transmitter.occupy(start, frame.len() as u64 * 8);
        self.transmitter.ready()
    }

    /// Returns the limit on frames in flight. With a rate, the configured limit applies to the
    /// queue, and the frames after the queue have the default limit of a link without a rate, which
    /// bounds the memory.
    fn in_flight_limit(&self) -> Limit {
        let limit = self.settings.limit();
        if self.settings.rate.is_none() {
            return limit;
        }
        let usual = Limit::default();
        Limit { packets: limit.packets.max(usual.packets), bytes: limit.bytes.max(usual.bytes) }
    }

    fn delay_frame(&mut self, due: Nanos, frame: Frame<'static>) {
        let bytes = self.waiting_bytes + frame.len() as u64;
        if !has_room(self.in_flight_limit(), self.waiting.len(), bytes) {
            self.counts.dropped_limit += wire_size(&frame).frames;
            return;
        }
        self.waiting_bytes = bytes;
        self.number += 1;
        self.waiting.insert((due, self.number), frame);
        self.count_waiting();
    }

    fn count_waiting(&mut self) {
        self.counts.waiting_max = self.counts.waiting_max.max(self.waiting().0);
    }

    /// Returns the earliest time at which the next frame leaves.
    pub fn next_departure(&self) -> Option<Nanos> {
        let waiting = self.waiting.first_key_value().map(|((due, _), _)| *due);
        // Jitter may be negative.
        let is_constant = self.settings.impairments.jitter == Jitter::None;
        let delay = if is_constant { self.settings.delay } else { 0 };
        // The transmission of a queued frame takes additional time, so this time may be too early,
        // but not too late.
        let queued = self.queue.next(self.leaving.end).map(|start| start.saturating_add(delay));
        waiting.into_iter().chain(queued).min()
    }

    /// Moves the frames that are due to `out`, in order, until `out` holds `most` frames.
    pub fn take_due(&mut self, now: Nanos, most: usize, out: &mut Vec<Frame<'static>>) {
        self.advance(now);
        while out.len() < most
            && let Some(first) = self.waiting.first_entry()
            && first.key().0 <= now
        {
            let (due, _) = *first.key();
            let frame = first.remove();
            self.waiting_bytes -= frame.len() as u64;
            self.late.saturating_record(now - due);
            out.push(frame);
        }
    }

    /// Counts since the start, with those of the queueing discipline.
    pub fn counts(&self) -> Counts {
        let full = self.queue.drops().iter().filter(|(reason, _)| *reason == QUEUE_FULL);
        Counts {
            dropped_limit: self.counts.dropped_limit + full.map(|(_, count)| count).sum::<u64>(),
            dropped_queue: self.drops().map(|(_, count)| count).sum(),
            marked: self.queue.marked(),
            duplicates: self.counts.duplicates + self.queue.duplicates(),
            ..self.counts
        }
    }

    /// Frames that the queueing discipline dropped for another reason than a full queue, by reason.
    pub fn drops(&self) -> impl Iterator<Item = (&'static str, u64)> {
        self.queue.drops().iter().copied().filter(|(reason, _)| *reason != QUEUE_FULL)
    }

    /// Returns the settings of the queueing discipline.
    pub fn qdisc(&self) -> &TcInterface {
        &self.settings.qdisc
    }

    /// Returns the statistics of the queueing discipline.
    pub fn queue_stats(&self) -> Stats {
        self.queue.stats()
    }

    /// Counts the frames that left and the frames that the interface did not accept. `before` and
    /// `after` are the interface's counts before and after it got the frames.
    pub fn count_left(&mut self, frames: &[Frame<'static>], before: TransmitCounts, after: TransmitCounts) {
        let offered = frames.iter().map(|frame| wire_size(frame).frames).sum::<u64>();
        let left = after.frames - before.frames;
        self.counts.delivered_packets += left;
        self.counts.delivered_bytes += after.bytes - before.bytes;
        self.counts.dropped_output += offered - left;
    }
}

/// Returns the offloads that frames may keep. If the direction has only a delay, all segments of a
/// GSO frame leave together. With any other effect, each frame on the wire is treated separately.
/// If bits are flipped, checksums are completed first, so that the receiver notices the flipped
/// bit.
fn offloads(settings: &DirectionSettings) -> Offloads {
    let DirectionSettings { rate, impairments, qdisc, .. } = settings;
    let flips = |own: &QdiscConfig| match own {
        QdiscConfig::Netem(netem) => netem.impairments.corrupt > 0.0,
        _ => false,
    };
    let corrupts =
        impairments.corrupt > 0.0 || qdisc.config().is_some_and(|config| config.any_discipline(&flips));
    let whole = rate.is_none() && qdisc.is_empty() && *impairments == Impairments::default();
    Offloads { checksum: !corrupts, gso: whole }
}

/// Returns whether there is room for one more frame; `bytes` includes its bytes.
fn has_room(limit: Limit, frames: usize, bytes: u64) -> bool {
    (frames as u64) < limit.packets && bytes <= limit.bytes
}

#[cfg(test)]
mod tests;
