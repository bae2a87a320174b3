//! DualPI2 (RFC 9332, appendix A; tc-dualpi2): a queue with low latency for scalable traffic (L4S,
//! RFC 9331: packets with ECT(1) or CE) next to one for classic traffic.
//!
//! A controller adapts the base probability p from the delay of the queues. Classic packets are
//! dropped or marked with the probability p², L4S packets are marked with the probability k·p, so
//! that flows of both kinds get about the same rate. L4S packets that waited longer than a small
//! threshold are marked, too.

use weir_device::Nanos;
use weir_impair::Random;

use super::ecn::{ECT_1, ecn_field};
use super::fifo::QUEUE_FULL;
use super::timed_queue::TimedQueue;
use super::{Dequeued, Discipline, DualPi2Config, FrameId, FrameStore, KindStats, QdiscContext, QueuedFrame};

/// The reason for drops by the probability.
const EARLY: &str = "dropped by DualPI2";
/// The bytes of a full Ethernet frame, the unit of the scheduler's head start for L4S packets.
const FULL_FRAME: i64 = 1514;

#[derive(Debug)]
pub(crate) struct DualPi2 {
    config: DualPi2Config,
    l4s: TimedQueue,
    classic: TimedQueue,
    /// The base probability.
    probability: f64,
    /// The delay of the queues at the last update.
    delay: Nanos,
    /// The time at which the probability was updated last.
    updated: Nanos,
    /// The amount that classic packets may send before the next L4S packet, in bytes times the
    /// weights.
    credit: i64,
    random: Random,
    /// The number of frames marked by the probability, and because they waited longer than the
    /// threshold.
    marked: u64,
    step_marked: u64,
    /// The number of frames dropped because the queue was full.
    refused: u64,
    /// The maximum number of frames that have waited at the same time.
    longest: usize,
}

impl DualPi2 {
    pub(super) fn new(config: &DualPi2Config, seed: u64, name: &str) -> Self {
        DualPi2 {
            config: config.clone(),
            l4s: TimedQueue::default(),
            classic: TimedQueue::default(),
            probability: 0.0,
            delay: 0,
            updated: 0,
            credit: head_start(config),
            random: Random::new(seed, &format!("{name} dualpi2")),
            marked: 0,
            step_marked: 0,
            refused: 0,
            longest: 0,
        }
    }

    /// Changes the settings. The probability is kept, and frames that exceed a smaller limit stay
    /// in the queue.
    pub(super) fn change(&mut self, config: &DualPi2Config) {
        self.config = config.clone();
        self.credit = head_start(config);
    }

    /// Makes the updates of the probability that were due since the last call. No frame arrives or
    /// leaves between two calls, so the delays at the times of the updates can be computed.
    fn update(&mut self, now: Nanos) {
        let DualPi2Config { tupdate, .. } = self.config;
        while self.updated.saturating_add(tupdate) <= now {
            if self.probability == 0.0 && self.delay == 0 && self.packets() == 0 {
                // Nothing changes before the next frame, so the remaining updates are skipped.
                self.updated = now - (now - self.updated) % tupdate;
                return;
            }
            self.updated += tupdate;
            self.update_probability(self.l4s.delay(self.updated).max(self.classic.delay(self.updated)));
        }
    }

    /// Takes one step of the proportional integral controller.
    fn update_probability(&mut self, delay: Nanos) {
        let DualPi2Config { target, alpha, beta, coupling_factor, drop_on_overload, .. } = self.config;
        let seconds = |later: Nanos, earlier: Nanos| (later as f64 - earlier as f64) / 1e9;
        let change = alpha * seconds(delay, target) + beta * seconds(delay, self.delay);
        // Without drops on overload, the probability of a mark in the L4S queue is at most 1.
        let most = if drop_on_overload { 1.0 } else { 1.0 / f64::from(coupling_factor) };
        self.probability = (self.probability + change).clamp(0.0, most);
        self.delay = delay;
    }

    /// Returns the next frame, and whether it is from the L4S queue. The L4S queue has priority,
    /// but the choice is weighted by bytes, so that classic packets get their share.
    fn next(&mut self) -> Option<(Nanos, QueuedFrame, bool)> {
        let share = i64::from(self.config.classic_protection);
        let (l4s, classic) = (self.l4s.packets() > 0, self.classic.packets() > 0);
        let is_l4s = l4s && (!classic || self.credit <= 0);
        let (since, waiting) = if is_l4s { self.l4s.pop_front()? } else { self.classic.pop_front()? };
        let bytes = i64::from(waiting.bytes);
        if !(l4s && classic) {
            self.credit = head_start(&self.config);
        } else if is_l4s {
            self.credit = self.credit.saturating_add(share * bytes);
        } else {
            self.credit = self.credit.saturating_sub((100 - share) * bytes);
        }
        Some((since, waiting, is_l4s))
    }

    fn is_chosen(&mut self, probability: f64) -> bool {
        probability > 0.0 && self.random.unit() < probability
    }

    /// Signals congestion in a frame that leaves. Returns whether the frame is forwarded.
    fn mark_or_drop(
        &mut self,
        waiting: QueuedFrame,
        is_l4s: bool,
        wait: Nanos,
        context: &mut QdiscContext<'_, impl FrameStore>,
    ) -> bool {
        let coupled = self.probability * f64::from(self.config.coupling_factor);
        let classic = self.probability * self.probability;
        // Marks no longer suffice, so packets of the L4S queue are dropped with the same
        // probability as those of the classic queue.
        let is_overloaded = coupled > 1.0;
        if !is_l4s {
            let hit = self.is_chosen(classic);
            if hit && !is_overloaded && context.mark(waiting.frame) {
                self.marked += 1;
                return true;
            }
            return !hit;
        }
        if is_overloaded && self.is_chosen(classic) {
            return false;
        }
        if self.is_chosen(coupled) {
            self.marked += u64::from(context.mark(waiting.frame));
        } else if wait > self.config.step_thresh {
            self.step_marked += u64::from(context.mark(waiting.frame));
        }
        true
    }
}

/// Returns the initial credit of L4S packets, which is that of two full frames.
fn head_start(config: &DualPi2Config) -> i64 {
    2 * FULL_FRAME * (2 * i64::from(config.classic_protection) - 100)
}

impl Discipline for DualPi2 {
    fn enqueue(&mut self, waiting: QueuedFrame, context: &mut QdiscContext<'_, impl FrameStore>) {
        self.update(context.now);
        if self.packets() >= self.config.limit {
            self.refused += 1;
            return context.drop(waiting.frame, QUEUE_FULL);
        }
        let is_l4s = ecn_field(context.frames.bytes(waiting.frame)) & ECT_1 != 0;
        let queue = if is_l4s { &mut self.l4s } else { &mut self.classic };
        queue.push(context.now, waiting);
        self.longest = self.longest.max(self.packets());
    }

    fn dequeue(&mut self, context: &mut QdiscContext<'_, impl FrameStore>) -> Dequeued {
        self.update(context.now);
        while let Some((since, waiting, is_l4s)) = self.next() {
            let wait = context.now.saturating_sub(since);
            if self.mark_or_drop(waiting, is_l4s, wait, context) {
                return Dequeued::Frame(waiting);
            }
            context.drop(waiting.frame, EARLY);
        }
        Dequeued::Empty
    }

    #[inline]
    fn packets(&self) -> usize {
        self.l4s.packets() + self.classic.packets()
    }

    #[inline]
    fn bytes(&self) -> u64 {
        self.l4s.bytes() + self.classic.bytes()
    }

    /// Removes and returns all frames, those of the L4S queue first.
    fn drain(&mut self) -> Vec<FrameId> {
        self.l4s.drain().chain(self.classic.drain()).collect()
    }

    fn visit_frames(&mut self, visit: &mut dyn FnMut(&mut FrameId)) {
        self.l4s.visit_frames(visit);
        self.classic.visit_frames(visit);
    }

    fn kind_stats(&self) -> KindStats {
        KindStats::DualPi2 {
            probability: self.probability,
            l4s: self.l4s.packets(),
            classic: self.classic.packets(),
            marked: self.marked,
            step_marked: self.step_marked,
            refused: self.refused,
            longest: self.longest,
        }
    }
}
