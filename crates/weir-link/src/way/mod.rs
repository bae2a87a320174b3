//! One direction of a link: what happens to each frame, and the frames on the way.

use std::collections::{BTreeMap, VecDeque};

use hdrhistogram::Histogram;
use weir_device::Nanos;
use weir_impair::{Impairer, Impairments};
use weir_ports::offload::{Malformed, WireSize, for_interface, wire_size};
use weir_ports::{Frame, Offloads, TransmitCounts};

use crate::settings::{DirectionSettings, Limit};

/// One direction of a link.
#[derive(Debug)]
pub struct Way {
    settings: DirectionSettings,
    impairer: Impairer,
    up: bool,
    /// When the last frame has left the sending end, at the rate.
    sent: Nanos,
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

/// The frames that have not left the sending end yet, at a rate.
#[derive(Debug, Default)]
struct Queue {
    /// When each has left, and its bytes, first in, first out.
    frames: VecDeque<(Nanos, u64)>,
    bytes: u64,
}

impl Queue {
    /// Forgets the frames that have left by now.
    fn advance(&mut self, now: Nanos) {
        while let Some(&(sent, bytes)) = self.frames.front()
            && sent <= now
        {
            self.frames.pop_front();
            self.bytes -= bytes;
        }
    }

    fn push(&mut self, sent: Nanos, bytes: u64) {
        self.frames.push_back((sent, bytes));
        self.bytes += bytes;
    }
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
            sent: 0,
            queue: Queue::default(),
            last: 0,
            waiting: BTreeMap::new(),
            waiting_bytes: 0,
            number: 0,
            counts: Counts::default(),
            late: Histogram::new_with_bounds(1, LATEST, 2).expect("these bounds are valid"),
        }
    }

    /// Changes the settings from the next frame on. Frames on the way keep their times.
    pub fn set(&mut self, settings: DirectionSettings) {
        self.impairer.set_config(&settings.impairments);
        self.settings = settings;
    }

    /// Sets the direction up or down. What is on the way when it goes down is lost.
    pub fn set_up(&mut self, up: bool) {
        if self.up && !up {
            let lost = std::mem::take(&mut self.waiting);
            self.counts.dropped_down += lost.values().map(|frame| wire_size(frame).frames).sum::<u64>();
            self.waiting_bytes = 0;
            self.queue = Queue::default();
            (self.sent, self.last) = (0, 0);
        }
        self.up = up;
    }

    /// Frames on the way, and their bytes in memory.
    pub fn waiting(&self) -> (u64, u64) {
        (self.waiting.len() as u64, self.waiting_bytes)
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
        // With a delay only, what the frame stands for leaves together. With anything else each frame
        // of the wire has its own fate. A flipped bit must be seen by the receiver: its checksum is complete.
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
        let Some(sent) = self.send(arrived, frame) else { return };
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
        let mut copy = Frame::copied(frame.bytes(), frame.metadata);
        if effects.corrupt(copy.bytes_mut()) {
            self.counts.corrupted += 1;
        }
        if effects.duplicated {
            self.counts.duplicates += 1;
            let twin = Frame::copied(copy.bytes(), copy.metadata);
            self.wait(due, copy);
            self.wait(due, twin);
        } else {
            self.wait(due, copy);
        }
    }

    /// When a frame has left the sending end: one that the queue has no room for never does.
    fn send(&mut self, arrived: Nanos, frame: &Frame<'_>) -> Option<Nanos> {
        let Some(rate) = self.settings.rate else { return Some(arrived) };
        let bytes = frame.len() as u64;
        self.queue.advance(arrived);
        if !has_room(self.settings.limit(), self.queue.frames.len(), self.queue.bytes + bytes) {
            self.counts.dropped_limit += 1;
            return None;
        }
        let takes = u128::from(bytes * 8) * 1_000_000_000 / u128::from(rate.max(1));
        self.sent = arrived.max(self.sent).saturating_add(Nanos::try_from(takes).unwrap_or(Nanos::MAX));
        self.queue.push(self.sent, bytes);
        Some(self.sent)
    }

    /// How much may be on the way. The limit is that of the queue if there is a rate: what has left then
    /// has the room of a link without one, which bounds the memory.
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
        self.counts.waiting_max = self.counts.waiting_max.max(self.waiting.len() as u64);
    }

    /// When the next frame leaves.
    pub fn due(&self) -> Option<Nanos> {
        self.waiting.first_key_value().map(|((due, _), _)| *due)
    }

    /// Takes frames out that leave by now, in their order, as far as `out` has room for `most`.
    pub fn leave(&mut self, now: Nanos, most: usize, out: &mut Vec<Frame<'static>>) {
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

    /// Counts frames that left, and those that the interface did not take: frames without GSO, or one
    /// with. The interface's counts are those before it got them, and those after.
    pub fn count_left(&mut self, frames: &[Frame<'static>], before: TransmitCounts, after: TransmitCounts) {
        let offered = frames.iter().map(|frame| wire_size(frame).frames).sum::<u64>();
        let left = match frames {
            [frame] if frame.metadata.gso.is_some() => {
                // The interface may have counted it as one.
                let is_whole = after.frames > before.frames && after.malformed == before.malformed;
                if is_whole { wire_size(frame) } else { WireSize::default() }
            }
            _ => WireSize { frames: after.frames - before.frames, bytes: after.bytes - before.bytes },
        };
        self.counts.delivered_packets += left.frames;
        self.counts.delivered_bytes += left.bytes;
        self.counts.dropped_output += offered - left.frames;
    }
}

/// Whether there is room for one more frame, with which there are so many bytes.
fn has_room(limit: Limit, frames: usize, bytes: u64) -> bool {
    (frames as u64) < limit.packets && bytes <= limit.bytes
}

#[cfg(test)]
mod tests;
