//! Interruptions: work outside the network that takes a processor away.

use weir_device::Nanos;
use weir_impair::Random;
use weir_impair::math::exponential;

/// The interruptions of one processor. They are drawn when work needs the processor, so an idle
/// computer has no events.
pub(super) struct Interruptions {
    random: Random,
    /// The mean time between interruptions and their mean length; `None` if the processor has no
    /// interruptions.
    means: Option<(Nanos, Nanos)>,
    /// The next one that is not over yet.
    next: (Nanos, Nanos),
}

impl Interruptions {
    pub(super) fn new(seed: u64, processor: usize, every: Nanos, length: Nanos) -> Self {
        let mut interruptions = Interruptions {
            random: Random::new(seed, &format!("computer processor {processor}")),
            means: (every > 0 && length > 0).then_some((every, length)),
            next: (Nanos::MAX, Nanos::MAX),
        };
        interruptions.draw_next(0);
        interruptions
    }

    /// Draws the interruption that follows one that ended at `end`.
    fn draw_next(&mut self, end: Nanos) {
        let Some((every, length)) = self.means else { return };
        let begin = end.saturating_add(draw_time(&mut self.random, every));
        self.next = (begin, begin.saturating_add(draw_time(&mut self.random, length)));
    }

    /// Returns when the processor is free, at `now` or later.
    pub(super) fn free_at(&mut self, now: Nanos) -> Nanos {
        while self.next.1 <= now {
            self.draw_next(self.next.1);
        }
        if self.next.0 <= now { self.next.1 } else { now }
    }

    /// Returns the time at which work is done that begins at `begin` and takes `cost`.
    pub(super) fn finish_time(&mut self, begin: Nanos, mut cost: Nanos) -> Nanos {
        let mut time = self.free_at(begin);
        loop {
            let end = time.saturating_add(cost);
            let (interrupted, resumed) = self.next;
            if interrupted >= end {
                return end;
            }
            cost -= interrupted.saturating_sub(time);
            time = resumed.max(time);
            self.draw_next(time);
        }
    }
}

/// Draws an exponential random time.
pub(super) fn draw_time(random: &mut Random, mean: Nanos) -> Nanos {
    (exponential(random) * mean as f64) as Nanos
}
