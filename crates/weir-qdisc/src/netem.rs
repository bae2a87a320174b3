//! Network emulation (tc-netem): each frame is impaired when it is added, and leaves after its
//! delay.

use std::collections::BTreeMap;

use weir_device::Nanos;

use super::child::ChildQdisc;
use super::fifo::QUEUE_FULL;
use super::slot::Slots;
use super::{
    Dequeued, Discipline, Dropped, FrameId, FrameStore, NetemConfig, QdiscContext, QueuedFrame, Stats,
};
use crate::RateLimiter;
use weir_impair::Random;
use weir_impair::{Correlated, Impairer};

/// The reason for random losses.
const LOST: &str = "lost by netem";

/// The random streams of one netem discipline.
#[derive(Debug)]
struct RandomStreams {
    impair: Impairer,
    order: Correlated,
    slots: Option<Slots>,
}

impl RandomStreams {
    /// Creates the random streams of the network's seed and this place, or of netem's own seed,
    /// which gives the same numbers at all places.
    fn new(config: &NetemConfig, seed: u64, place: &str) -> Self {
        let (seed, name) = config.seed.map_or((seed, place), |own| (own, "netem"));
        RandomStreams {
            impair: Impairer::new(&config.impairments, seed, name),
            order: Correlated::new(seed, &format!("{name} order")),
            slots: config
                .slot
                .as_deref()
                .map(|slot| Slots::new(*slot, Random::new(seed, &format!("{name} slot")))),
        }
    }

    /// Changes the settings; the streams continue unless the settings have their own seed.
    fn change(&mut self, config: &NetemConfig, seed: u64, place: &str) {
        if config.seed.is_some() {
            *self = RandomStreams::new(config, seed, place);
            return;
        }
        self.impair.set_config(&config.impairments);
        match (&mut self.slots, config.slot.as_deref()) {
            (Some(slots), Some(slot)) => slots.change(*slot),
            (slots, _) => *slots = RandomStreams::new(config, seed, place).slots,
        }
    }
}

/// The netem discipline.
#[derive(Debug)]
pub(crate) struct Netem {
    /// The settings without the child.
    config: NetemConfig,
    random: RandomStreams,
    /// The number of frames since the last one that skipped the delay.
    since_reorder: u64,
    /// The rate limiter of the bottleneck, if there is a rate; its unit is a bit.
    bottleneck: RateLimiter,
    /// The delayed frames by the end of their delay, then by the order in which they were added.
    held: BTreeMap<(Nanos, u64), QueuedFrame>,
    held_bytes: u64,
    arrivals: u64,
    queue: ChildQdisc,
    /// The number of duplicates that were created.
    duplicates: u64,
}

fn without_child(config: &NetemConfig) -> NetemConfig {
    NetemConfig { queue: None, ..config.clone() }
}

/// Returns an idle bottleneck; it is not used if there is no rate.
fn bottleneck(config: &NetemConfig) -> RateLimiter {
    RateLimiter::new(config.rate.unwrap_or(1))
}

impl Netem {
    pub(super) fn new(config: &NetemConfig, seed: u64, name: &str) -> Self {
        let name = format!("{name} netem");
        Netem {
            config: without_child(config),
            random: RandomStreams::new(config, seed, &name),
            since_reorder: 0,
            bottleneck: bottleneck(config),
            held: BTreeMap::new(),
            held_bytes: 0,
            arrivals: 0,
            queue: ChildQdisc::new(config.queue.as_deref(), seed, &name),
            duplicates: 0,
        }
    }

    /// Changes the settings. Frames that are already delayed keep their times.
    pub(super) fn change(&mut self, config: &NetemConfig, seed: u64, name: &str, dropped: &mut Dropped) {
        let name = format!("{name} netem");
        let before = std::mem::replace(&mut self.config, without_child(config));
        self.bottleneck.set_rate(self.config.rate.unwrap_or(1));
        if self.config != before {
            self.random.change(config, seed, &name);
        }
        self.queue.replace(config.queue.as_deref(), seed, &name, dropped);
    }

    /// Returns whether the next frame skips the delay.
    #[inline]
    fn skips_delay(&mut self) -> bool {
        let Some((share, gap)) = self.config.reorder else { return false };
        let far_enough = self.since_reorder >= gap.saturating_sub(1);
        let skips_delay =
            self.random.order.chance(share, self.config.impairments.correlation.reorder) && far_enough;
        self.since_reorder = if skips_delay { 0 } else { self.since_reorder + 1 };
        skips_delay
    }

    #[inline]
    fn delay_frame(&mut self, until: Nanos, waiting: QueuedFrame) {
        self.arrivals += 1;
        self.held.insert((until, self.arrivals), waiting);
        self.held_bytes += u64::from(waiting.bytes);
    }

    /// Returns the time at which the first delayed frame may leave.
    #[inline]
    fn next_departure(&mut self) -> Option<Nanos> {
        let ((time, _), _) = self.held.first_key_value()?;
        Some(self.random.slots.as_mut().map_or(*time, |slots| slots.departure_time(*time)))
    }

    #[inline]
    fn take_due(&mut self, now: Nanos) -> Option<QueuedFrame> {
        self.next_departure().filter(|due| *due <= now)?;
        let (_, waiting) = self.held.pop_first()?;
        self.held_bytes -= u64::from(waiting.bytes);
        if let Some(slots) = &mut self.random.slots {
            slots.count_frame(now, waiting.bytes);
        }
        Some(waiting)
    }
}

impl Discipline for Netem {
    fn enqueue(&mut self, waiting: QueuedFrame, context: &mut QdiscContext<'_, impl FrameStore>) {
        let now = context.now;
        let effects = self.random.impair.next_effects();
        if effects.lost && !(self.config.ecn && context.mark(waiting.frame)) {
            return context.drop(waiting.frame, LOST);
        }
        if self.packets() >= self.config.limit {
            return context.drop(waiting.frame, QUEUE_FULL);
        }
        effects.corrupt(context.frames.bytes_mut(waiting.frame));
        context.frames.depart(waiting.frame);
        let start = match self.config.rate {
            None => now,
            Some(_) => {
                let bytes = self.config.framing.bytes(waiting.bytes);
                self.bottleneck.occupy(now, bytes.saturating_mul(8));
                self.bottleneck.ready()
            }
        };
        let leaves = if self.skips_delay() {
            now
        } else {
            start.max(start.saturating_add(self.config.delay).saturating_add_signed(effects.extra))
        };
        self.delay_frame(leaves, waiting);
        if effects.duplicated && self.packets() < self.config.limit {
            let duplicated = QueuedFrame { frame: context.frames.duplicate(waiting.frame), ..waiting };
            self.duplicates += 1;
            self.delay_frame(leaves, duplicated);
        }
    }

    fn dequeue(&mut self, context: &mut QdiscContext<'_, impl FrameStore>) -> Dequeued {
        while let Some(waiting) = self.take_due(context.now) {
            if let Some(waiting) = self.queue.enqueue(waiting, context) {
                return Dequeued::Frame(waiting);
            }
        }
        let next = self.queue.dequeue(context);
        let delayed = self.next_departure();
        match (next, delayed) {
            (Dequeued::At(a), Some(b)) => Dequeued::At(a.min(b)),
            (Dequeued::Empty, Some(time)) => Dequeued::At(time),
            (next, _) => next,
        }
    }

    fn packets(&self) -> usize {
        self.held.len() + self.queue.packets()
    }

    fn bytes(&self) -> u64 {
        self.held_bytes + self.queue.bytes()
    }

    fn drain(&mut self) -> Vec<FrameId> {
        let mut all = self.queue.drain();
        all.extend(std::mem::take(&mut self.held).into_values().map(|waiting| waiting.frame));
        (self.held_bytes, self.bottleneck) = (0, bottleneck(&self.config));
        all
    }

    fn visit_frames(&mut self, visit: &mut dyn FnMut(&mut FrameId)) {
        self.held.values_mut().for_each(|waiting| visit(&mut waiting.frame));
        self.queue.visit_frames(visit);
    }

    fn duplicates(&self) -> u64 {
        self.duplicates + self.queue.duplicates()
    }

    fn child(&self) -> Option<Box<Stats>> {
        self.queue.stats()
    }
}
