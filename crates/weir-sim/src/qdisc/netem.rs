//! Network emulation (tc-netem): each frame is struck as it comes in, and leaves when its delay is over.

use std::collections::BTreeMap;

use weir_switch::Nanos;

use super::child::Child;
use super::fifo::QUEUE_FULL;
use super::{Dropped, Framing, Moment, NetemConfig, Next, Stats, Waiting};
use crate::frames::FrameId;
use crate::link::{Correlated, Impair, serialisation};

/// Why a frame is dropped that this discipline loses.
const LOST: &str = "lost by netem";

#[derive(Debug)]
pub(crate) struct Netem {
    delay: Nanos,
    hurry: Option<(f64, u64)>,
    /// Of `hurry`.
    correlation: f64,
    rate: Option<u64>,
    framing: Framing,
    limit: usize,
    impair: Impair,
    order: Correlated,
    /// Frames since the last that did not have to wait.
    since_hurry: u64,
    /// When the bottleneck is free again.
    free_at: Nanos,
    /// See [`serialisation`].
    credit: u64,
    /// On their delay, by the time it is over, then in the order in which they came.
    held: BTreeMap<(Nanos, u64), Waiting>,
    held_bytes: u64,
    arrivals: u64,
    queue: Child,
    /// Copies made.
    made: u64,
}

impl Netem {
    pub(super) fn new(config: &NetemConfig, seed: u64, name: &str) -> Self {
        let name = format!("{name} netem");
        Netem {
            delay: config.delay,
            hurry: config.hurry,
            correlation: config.impairments.correlation.reorder,
            rate: config.rate,
            framing: config.framing,
            limit: config.limit,
            impair: Impair::new(&config.impairments, seed, &name),
            order: Correlated::new(seed, &format!("{name} order")),
            since_hurry: 0,
            free_at: 0,
            credit: 0,
            held: BTreeMap::new(),
            held_bytes: 0,
            arrivals: 0,
            queue: Child::new(config.queue.as_deref(), seed, &name),
            made: 0,
        }
    }

    /// Frames on their delay keep the time they got.
    pub(super) fn change(&mut self, config: &NetemConfig, seed: u64, name: &str, dropped: &mut Dropped) {
        (self.delay, self.hurry, self.limit) = (config.delay, config.hurry, config.limit);
        if self.rate != config.rate {
            self.credit = 0;
        }
        (self.rate, self.framing) = (config.rate, config.framing);
        self.correlation = config.impairments.correlation.reorder;
        self.impair.set_config(&config.impairments);
        self.queue.replace(config.queue.as_deref(), seed, &format!("{name} netem"), dropped);
    }

    pub(super) fn enqueue(&mut self, waiting: Waiting, moment: &mut Moment<'_>) {
        let now = moment.now;
        let struck = self.impair.strike();
        if struck.lost {
            return moment.drop(waiting.frame, LOST);
        }
        if self.packets() >= self.limit {
            return moment.drop(waiting.frame, QUEUE_FULL);
        }
        struck.spoil(moment.frames.bytes_mut(waiting.frame));
        // Its way begins here, as far as the sender is concerned: a connection that waits for its own queue to empty does not count it,
        // as in Linux. Else a long delay would hold it to a few segments a round trip.
        moment.frames.depart(waiting.frame);
        let start = match self.rate {
            None => now,
            Some(rate) => {
                if self.free_at < now {
                    (self.free_at, self.credit) = (now, 0);
                }
                let bytes = self.framing.bytes(waiting.bytes);
                let (time, credit) = serialisation(bytes as usize, rate, self.credit);
                self.free_at = self.free_at.saturating_add(time);
                self.credit = credit;
                self.free_at
            }
        };
        let leaves = if self.hurries() {
            now
        } else {
            start.max(start.saturating_add(self.delay).saturating_add_signed(struck.extra))
        };
        self.hold(leaves, waiting);
        if struck.twin && self.packets() < self.limit {
            let twin = Waiting { frame: moment.frames.twin(waiting.frame), ..waiting };
            self.made += 1;
            self.hold(leaves, twin);
        }
    }

    /// Whether the next frame does not have to wait.
    fn hurries(&mut self) -> bool {
        let Some((share, gap)) = self.hurry else { return false };
        let far_enough = self.since_hurry >= gap.saturating_sub(1);
        let hurries = self.order.chance(share, self.correlation) && far_enough;
        self.since_hurry = if hurries { 0 } else { self.since_hurry + 1 };
        hurries
    }

    fn hold(&mut self, until: Nanos, waiting: Waiting) {
        self.arrivals += 1;
        self.held.insert((until, self.arrivals), waiting);
        self.held_bytes += u64::from(waiting.bytes);
    }

    fn release(&mut self, now: Nanos) -> Option<Waiting> {
        let first = self.held.first_entry().filter(|entry| entry.key().0 <= now)?;
        let waiting = first.remove();
        self.held_bytes -= u64::from(waiting.bytes);
        Some(waiting)
    }

    pub(super) fn dequeue(&mut self, moment: &mut Moment<'_>) -> Next {
        while let Some(waiting) = self.release(moment.now) {
            if let Some(waiting) = self.queue.enqueue(waiting, moment) {
                return Next::Frame(waiting);
            }
        }
        let next = self.queue.dequeue(moment);
        let delayed = self.held.first_key_value().map(|((time, _), _)| *time);
        match (next, delayed) {
            (Next::At(a), Some(b)) => Next::At(a.min(b)),
            (Next::Empty, Some(time)) => Next::At(time),
            (next, _) => next,
        }
    }

    pub(super) fn packets(&self) -> usize {
        self.held.len() + self.queue.packets()
    }

    pub(super) fn bytes(&self) -> u64 {
        self.held_bytes + self.queue.bytes()
    }

    pub(super) fn drain(&mut self) -> Vec<FrameId> {
        let mut all = self.queue.drain();
        all.extend(std::mem::take(&mut self.held).into_values().map(|waiting| waiting.frame));
        (self.held_bytes, self.free_at, self.credit) = (0, 0, 0);
        all
    }

    pub(super) fn made(&self) -> u64 {
        self.made + self.queue.made()
    }

    pub(super) fn child(&self) -> Option<Box<Stats>> {
        self.queue.stats()
    }
}
