//! One direction of a link: what happens to each frame, and the frames on the way.

use std::collections::{BTreeMap, VecDeque};

use hdrhistogram::Histogram;
use weir_device::Nanos;
use weir_impair::{Impairer, Impairments, Jitter};
use weir_ports::offload::{Malformed, WireSize, for_interface, wire_size};
use weir_ports::{Frame, Offloads, TransmitCounts};

use crate::settings::{DirectionSettings, Limit};

/// One direction of a link.
#[derive(Debug)]
pub struct Way {
    settings: DirectionSettings,
    impairer: Impairer,
    up: bool,
    /// The frame that leaves the sending end at the rate, or did last.
    leaving: Leaving,
    /// The queue in front of the rate.
    queue: Queue,
    /// When the last frame arrives that may not be overtaken.
    last: Nanos,
    /// By the time when they leave, and in order of arrival among those of one time.
    waiting: BTreeMap<(Nanos, u64), Frame<'static>>,
    waiting_bytes: u64,
    number: u64,
    /// What happened so far.
    pub counts: Counts,
    /// By how many nanoseconds frames left too late.
    pub late: Histogram<u64>,
}

/// A frame that leaves the sending end.
#[derive(Debug, Default)]
struct Leaving {
    /// When it has left.
    end: Nanos,
    bytes: u64,
}

/// The frames that have not begun to leave the sending end, first in, first out.
#[derive(Debug, Default)]
struct Queue {
    /// When each arrived, and the frame.
    frames: VecDeque<(Nanos, Frame<'static>)>,
    bytes: u64,
}

/// What happened to frames in one direction. GSO frames count as the frames that they stand for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Frames that arrived.
    pub offered_packets: u64,
    /// Their bytes.
    pub offered_bytes: u64,
    /// Frames that left at the other end, duplicates included.
    pub delivered_packets: u64,
    /// Their bytes.
    pub delivered_bytes: u64,
    /// Frames lost at random.
    pub dropped_loss: u64,
    /// Frames beyond the limit.
    pub dropped_limit: u64,
    /// Frames that arrived, or were on the way, while the link was down.
    pub dropped_down: u64,
    /// Frames that the interface at the other end did not take.
    pub dropped_output: u64,
    /// Frames whose offload metadata contradicts their bytes.
    pub dropped_malformed: u64,
    /// Frames that exist twice.
    pub duplicates: u64,
    /// Frames with a flipped bit.
    pub corrupted: u64,
    /// The largest number of frames on the way.
    pub waiting_max: u64,
}

/// How long a frame may be late, for the histogram: a minute.
const LATEST: u64 = 60_000_000_000;

impl Way {
    /// A direction with random streams of this name.
    pub fn new(settings: DirectionSettings, seed: u64, stream: &str, up: bool) -> Self {
        Self {
            impairer: Impairer::new(&settings.impairments, seed, stream),
            settings,
            up,
            leaving: Leaving::default(),
            queue: Queue::default(),
            last: 0,
            waiting: BTreeMap::new(),
            waiting_bytes: 0,
            number: 0,
            counts: Counts::default(),
            late: Histogram::new_with_bounds(1, LATEST, 2).expect("these bounds are valid"),
        }
    }

    /// Changes the settings for frames that begin to leave from now on. The others keep their
    /// times.
    pub fn set(&mut self, now: Nanos, settings: DirectionSettings) {
        self.advance(now);
        self.impairer.set_config(&settings.impairments);
        self.settings = settings;
    }

    /// Sets the direction up or down. What is on the way when it goes down is lost.
    pub fn set_up(&mut self, up: bool) {
        if self.up && !up {
            let (waiting, queue) = (std::mem::take(&mut self.waiting), std::mem::take(&mut self.queue));
            let lost = waiting.values().chain(queue.frames.iter().map(|(_, frame)| frame));
            self.counts.dropped_down += lost.map(|frame| wire_size(frame).frames).sum::<u64>();
            self.waiting_bytes = 0;
            (self.leaving, self.last) = (Leaving::default(), 0);
        }
        self.up = up;
    }

    /// Frames on the way, and their bytes in memory: those in the queue, too.
    pub fn waiting(&self) -> (u64, u64) {
        ((self.waiting.len() + self.queue.frames.len()) as u64, self.waiting_bytes + self.queue.bytes)
    }

    /// Takes a frame that arrived at this time.
    pub fn offer(&mut self, arrived: Nanos, frame: &Frame<'_>) {
        let WireSize { frames: packets, bytes } = wire_size(frame);
        self.counts.offered_packets += packets;
        self.counts.offered_bytes += bytes;
        if !self.up {
            self.counts.dropped_down += packets;
            return;
        }
        // With a delay only, what the frame stands for leaves together. With anything else each
        // frame of the wire has its own fate. A flipped bit must be seen by the receiver: its
        // checksum is complete.
        let whole = self.settings.rate.is_none() && self.settings.impairments == Impairments::default();
        let offloads = Offloads { checksum: self.settings.impairments.corrupt == 0.0, gso: whole };
        let taken = for_interface(frame, offloads, |frame| {
            self.take(arrived, frame);
            Ok::<(), Malformed>(())
        });
        if taken.is_err() {
            self.counts.dropped_malformed += packets;
        }
    }

    /// Takes a frame of the wire, or a GSO frame that stays whole.
    fn take(&mut self, arrived: Nanos, frame: &Frame<'_>) {
        self.advance(arrived);
        let Leaving { end, bytes } = self.leaving;
        let (leaving, leaving_bytes) = if end > arrived { (1, bytes) } else { (0, 0) };
        let bytes = self.queue.bytes + leaving_bytes + frame.len() as u64;
        if !has_room(self.settings.limit(), self.queue.frames.len() + leaving, bytes) {
            self.counts.dropped_limit += wire_size(frame).frames;
            return;
        }
        self.queue.bytes += frame.len() as u64;
        self.queue.frames.push_back((arrived, Frame::copied(frame.bytes(), frame.metadata)));
        self.advance(arrived);
        self.count_waiting();
    }

    /// Lets the frames in the queue leave the sending end that begin to by now.
    pub fn advance(&mut self, now: Nanos) {
        while let Some((arrived, _)) = self.queue.frames.front()
            && let start = self.leaving.end.max(*arrived)
            && start <= now
            && let Some((_, frame)) = self.queue.frames.pop_front()
        {
            self.queue.bytes -= frame.len() as u64;
            self.begin(start, frame);
        }
    }

    /// Lets a frame leave the sending end from a time on.
    fn begin(&mut self, start: Nanos, mut frame: Frame<'static>) {
        let sent = self.sent(start, &frame);
        self.leaving = Leaving { end: sent, bytes: frame.len() as u64 };
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
            let twin = Frame::copied(frame.bytes(), frame.metadata);
            self.wait(due, frame);
            self.wait(due, twin);
        } else {
            self.wait(due, frame);
        }
    }

    /// When a frame that begins to leave the sending end at a time has left it.
    fn sent(&self, start: Nanos, frame: &Frame<'_>) -> Nanos {
        let Some(rate) = self.settings.rate else { return start };
        let takes = u128::from(frame.len() as u64 * 8) * 1_000_000_000 / u128::from(rate.max(1));
        start.saturating_add(Nanos::try_from(takes).unwrap_or(Nanos::MAX))
    }

    /// How much may be on the way. The limit is that of the queue if there is a rate: what has left
    /// then has the room of a link without one, which bounds the memory.
    fn most_on_the_way(&self) -> Limit {
        let limit = self.settings.limit();
        if self.settings.rate.is_none() {
            return limit;
        }
        let usual = Limit::default();
        Limit { packets: limit.packets.max(usual.packets), bytes: limit.bytes.max(usual.bytes) }
    }

    fn wait(&mut self, due: Nanos, frame: Frame<'static>) {
        let bytes = self.waiting_bytes + frame.len() as u64;
        if !has_room(self.most_on_the_way(), self.waiting.len(), bytes) {
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

    /// When the next frame leaves, at the earliest.
    pub fn due(&self) -> Option<Nanos> {
        let waiting = self.waiting.first_key_value().map(|((due, _), _)| *due);
        // Jitter may be negative.
        let is_constant = self.settings.impairments.jitter == Jitter::None;
        let delay = if is_constant { self.settings.delay } else { 0 };
        let queued =
            self.queue.frames.front().map(|(arrived, frame)| {
                self.sent(self.leaving.end.max(*arrived), frame).saturating_add(delay)
            });
        waiting.into_iter().chain(queued).min()
    }

    /// Takes frames out that leave by now, in their order, as far as `out` has room for `most`.
    pub fn leave(&mut self, now: Nanos, most: usize, out: &mut Vec<Frame<'static>>) {
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

    /// Counts frames that left, and those that the interface did not take. The interface's counts
    /// are those before it got them, and those after.
    pub fn count_left(&mut self, frames: &[Frame<'static>], before: TransmitCounts, after: TransmitCounts) {
        let offered = frames.iter().map(|frame| wire_size(frame).frames).sum::<u64>();
        let left = after.frames - before.frames;
        self.counts.delivered_packets += left;
        self.counts.delivered_bytes += after.bytes - before.bytes;
        self.counts.dropped_output += offered - left;
    }
}

/// Whether there is room for one more frame, with which there are so many bytes.
fn has_room(limit: Limit, frames: usize, bytes: u64) -> bool {
    (frames as u64) < limit.packets && bytes <= limit.bytes
}

#[cfg(test)]
mod tests;
