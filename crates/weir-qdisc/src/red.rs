//! Random early detection (RED: S. Floyd, V. Jacobson 1993; tc-red). While the average queue length
//! is between two bounds, frames are dropped or marked with a probability that grows with the
//! average; above the bounds all frames are dropped or marked.

use weir_device::Nanos;

use super::child::ChildQdisc;
use super::{
    Dequeued, Discipline, Dropped, FrameId, FrameStore, KindStats, QdiscConfig, QdiscContext, QueuedFrame,
    RedConfig, Stats,
};
use weir_impair::Random;
use weir_impair::math;

/// The reason for drops while the average is between the bounds.
const EARLY: &str = "dropped early by RED";
/// The reason for drops while the average is above the bounds.
const ABOVE: &str = "average queue above RED's max";
/// The interval at which adaptive RED changes the probability.
const ADAPT_INTERVAL: Nanos = 500_000_000;

/// The RED queueing discipline.
#[derive(Debug)]
pub(crate) struct Red {
    config: RedConfig,
    /// The weight of the newest length in the average.
    weight: f64,
    /// The probability of an early drop when the average is just below the upper bound.
    max_probability: f64,
    /// The average in bytes.
    mean: f64,
    /// The time at which the queue became empty; `None` while it is not.
    idle: Option<Nanos>,
    /// The number of frames since the last drop or mark, including the current frame; `None` while
    /// the average is not between the bounds.
    count: Option<u64>,
    /// The uniform random number in [0, 1) that decides after how many frames the next drop occurs.
    draw: f64,
    random: Random,
    fitted: Nanos,
    queue: ChildQdisc,
    marked: u64,
    early: u64,
    /// The number of frames dropped because the queue was full.
    refused: u64,
}

/// The action of RED on a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Pass,
    Early,
    Above,
}

/// Returns the settings of the child, or of the built-in FIFO.
fn queue(config: &RedConfig) -> QdiscConfig {
    config.queue.as_deref().cloned().unwrap_or(QdiscConfig::bytes(config.limit))
}

impl Red {
    pub(super) fn new(config: &RedConfig, seed: u64, name: &str) -> Self {
        let name = format!("{name} red");
        let mut random = Random::new(seed, &name);
        Red {
            weight: config.weight().unwrap_or(1.0),
            max_probability: config.probability,
            mean: 0.0,
            idle: Some(0),
            count: None,
            draw: random.unit(),
            random,
            fitted: 0,
            queue: ChildQdisc::new(Some(&queue(config)), seed, &name),
            config: config.clone(),
            marked: 0,
            early: 0,
            refused: 0,
        }
    }

    /// Changes the settings, and keeps the average. An adaptive probability is kept if RED was and
    /// remains adaptive with the same initial value.
    pub(super) fn change(&mut self, config: &RedConfig, seed: u64, name: &str, dropped: &mut Dropped) {
        let fits_on = config.adaptive && self.config.adaptive;
        if !fits_on || config.probability != self.config.probability {
            self.max_probability = config.probability;
        }
        self.weight = config.weight().unwrap_or(1.0);
        self.config = config.clone();
        self.queue.replace(Some(&queue(config)), seed, &format!("{name} red"), dropped);
    }

    /// Returns the average `now`, during an idle period that began at `since`. It is computed as if
    /// frames of average length had arrived at the rate of the bandwidth and found the queue empty.
    fn idle_mean(&self, since: Nanos, now: Nanos) -> f64 {
        let seconds = now.saturating_sub(since) as f64 / 1e9;
        let frames = seconds * self.config.bandwidth as f64 / (8.0 * self.config.avpkt as f64);
        self.mean * math::power(1.0 - self.weight, frames)
    }

    /// Updates the average when a frame is added.
    #[inline]
    fn update_average(&mut self, now: Nanos) {
        self.mean = match self.idle.take() {
            Some(since) => self.idle_mean(since, now),
            None => self.mean + self.weight * (self.queue.bytes() as f64 - self.mean),
        };
    }

    /// Makes the adaptation steps that were due since the last frame. While the average is above
    /// the middle fifth between the bounds, the probability grows by a quarter of itself, but at
    /// most by 1 %. While the average is below the middle fifth, the probability falls by a tenth.
    /// It stays between 1 % and 50 %.
    #[inline]
    fn adapt_probability(&mut self, now: Nanos) {
        let RedConfig { adaptive, min, max, .. } = self.config;
        let span = (max - min) as f64;
        let (low, high) = (min as f64 + 0.4 * span, min as f64 + 0.6 * span);
        let mut changes = adaptive;
        while changes && self.fitted.saturating_add(ADAPT_INTERVAL) <= now {
            self.fitted += ADAPT_INTERVAL;
            let mean = self.idle.map_or(self.mean, |since| self.idle_mean(since, self.fitted));
            if mean > high && self.max_probability <= 0.5 {
                self.max_probability += (self.max_probability / 4.0).min(0.01);
            } else if mean < low && self.max_probability >= 0.01 {
                self.max_probability *= 0.9;
            } else {
                // Only a falling average can change the probability before the next frame.
                changes = self.idle.is_some() && mean >= low;
            }
        }
        self.fitted = now - (now - self.fitted) % ADAPT_INTERVAL;
    }

    #[inline]
    fn choose_verdict(&mut self) -> Verdict {
        let RedConfig { min, max, .. } = self.config;
        if self.mean < min as f64 {
            self.count = None;
            return Verdict::Pass;
        }
        if self.mean >= max as f64 {
            self.count = None;
            return Verdict::Above;
        }
        let probability = self.max_probability * (self.mean - min as f64) / (max - min) as f64;
        match self.count {
            None => {
                self.count = Some(0);
                self.draw = self.random.unit();
                Verdict::Pass
            }
            // The gaps between drops are then uniform from 1 to 1 / probability (Floyd and
            // Jacobson, section 7, method 2).
            Some(count) if probability * (count + 1) as f64 > self.draw => {
                self.count = Some(0);
                self.draw = self.random.unit();
                Verdict::Early
            }
            Some(count) => {
                self.count = Some(count + 1);
                Verdict::Pass
            }
        }
    }
}

impl Discipline for Red {
    fn enqueue(&mut self, waiting: QueuedFrame, context: &mut QdiscContext<'_, impl FrameStore>) {
        self.adapt_probability(context.now);
        self.update_average(context.now);
        let verdict = self.choose_verdict();
        if verdict != Verdict::Pass {
            let RedConfig { ecn, harddrop, nodrop, .. } = self.config;
            let marks = ecn && !(verdict == Verdict::Above && harddrop);
            if marks && context.mark(waiting.frame) {
                self.marked += 1;
            } else if !(marks && nodrop) {
                self.early += 1;
                context.drop(waiting.frame, if verdict == Verdict::Early { EARLY } else { ABOVE });
                self.become_idle(context.now);
                return;
            }
        }
        let before = context.dropped.len();
        self.queue.enqueue(waiting, context);
        self.refused += (context.dropped.len() - before) as u64;
        self.become_idle(context.now);
    }

    fn dequeue(&mut self, context: &mut QdiscContext<'_, impl FrameStore>) -> Dequeued {
        let next = self.queue.dequeue(context);
        self.become_idle(context.now);
        next
    }

    fn packets(&self) -> usize {
        self.queue.packets()
    }

    fn bytes(&self) -> u64 {
        self.queue.bytes()
    }

    fn drain(&mut self) -> Vec<FrameId> {
        self.queue.drain()
    }

    fn visit_frames(&mut self, visit: &mut dyn FnMut(&mut FrameId)) {
        self.queue.visit_frames(visit);
    }

    fn duplicates(&self) -> u64 {
        self.queue.duplicates()
    }

    /// Returns the statistics of a configured child; `None` for the built-in FIFO.
    fn child(&self) -> Option<Box<Stats>> {
        if self.config.queue.is_none() { None } else { self.queue.stats() }
    }

    fn kind_stats(&self) -> KindStats {
        KindStats::Red {
            marked: self.marked,
            early: self.early,
            refused: self.refused,
            max_probability: self.max_probability,
        }
    }
}

impl Red {
    /// Records when the queue becomes empty.
    #[inline]
    fn become_idle(&mut self, now: Nanos) {
        if self.queue.packets() == 0 {
            self.idle.get_or_insert(now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::Frames;

    /// Returns the discipline after a burst of this many frames, and its average in frames of 1000
    /// bytes.
    fn argument_of(config: &RedConfig, frames: u64) -> (Red, f64) {
        let (mut red, mut all, mut dropped) = (Red::new(config, 1, "red"), Frames::default(), Vec::new());
        for _ in 0..frames {
            let frame = all.allocate(1000);
            let waiting = QueuedFrame { frame, bytes: 1000, flow: 0, earliest: 0 };
            red.enqueue(waiting, &mut QdiscContext::new(0, &mut all, &mut dropped));
        }
        let mean = red.mean / 1000.0;
        (red, mean)
    }

    #[test]
    fn a_burst_leaves_the_mean_below_the_bound() {
        // Floyd and Jacobson, section 6.1: for a bound of 5 frames and a burst of 50, the weight is
        // at most 0.0042.
        for (min, burst) in [(5, 50), (5, 10), (20, 21), (30, 100)] {
            let config = RedConfig::new(1_000_000, 1000, Some(min * 1000), Some(min * 3000), Some(burst));
            let weight = config.weight().unwrap();
            assert!(min != 5 || burst != 50 || (0.001..=0.0042).contains(&weight), "{weight}");
            let (_, mean) = argument_of(&config, burst);
            assert!(mean < min as f64 && mean > min as f64 / 4.0, "{mean} of {min}");
        }
        let config = |burst| RedConfig::new(1_000_000, 1000, Some(20_000), Some(60_000), Some(burst));
        assert_eq!((config(19).weight(), config(20).weight()), (None, Some(0.5)));
    }

    #[test]
    fn red_counts_idle_time() {
        let config = RedConfig::new(1_000_000, 1000, Some(20_000), Some(60_000), Some(40));
        let (mut red, _) = argument_of(&config, 100);
        let (before, weight) = (red.mean, red.weight);
        red.drain();
        red.become_idle(5_000_000);
        // At 10 Mbit/s a frame of 1000 bytes takes 0.8 ms.
        red.update_average(13_000_000);
        assert!((red.mean / (before * math::power(1.0 - weight, 10.0)) - 1.0).abs() < 1e-9);
    }
}
