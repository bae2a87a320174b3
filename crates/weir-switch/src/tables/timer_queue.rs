//! Timers in the order of their times.
//!
//! Timers of about the same time are in one bucket. A bucket is sorted when all earlier timers have
//! fired, so hundreds of thousands of timers cost little more than a few.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use weir_device::Nanos;
use weir_tables::Handle;

/// The time at which a timer fires, the position of its table, and its entry.
pub(super) type Timer = (Nanos, usize, Handle);

/// The number of low bits of a time that do not matter for its bucket: a bucket spans about 1 ms.
const BUCKET_BITS: u32 = 20;

fn bucket_of(timer: &Timer) -> u64 {
    timer.0 >> BUCKET_BITS
}

/// A queue of timers. While it is not empty, its first timer is in `first` or in `late`.
#[derive(Debug, Default)]
pub(super) struct TimerQueue {
    /// The number of the bucket that was sorted last.
    open: u64,
    /// The timers of that bucket, the first one at the end.
    first: Vec<Timer>,
    /// The timers that were added to that bucket, or to an earlier one, after it was sorted.
    late: BinaryHeap<Reverse<Timer>>,
    /// The other buckets.
    later: BTreeMap<u64, Vec<Timer>>,
    len: usize,
}

impl TimerQueue {
    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn push(&mut self, timer: Timer) {
        let bucket = bucket_of(&timer);
        if self.len == 0 {
            self.open = bucket;
        }
        self.len += 1;
        if bucket <= self.open {
            return self.late.push(Reverse(timer));
        }
        match self.later.last_entry() {
            // Most new timers are among the last ones.
            Some(mut last) if *last.key() == bucket => last.get_mut().push(timer),
            _ => self.later.entry(bucket).or_default().push(timer),
        }
    }

    /// Returns the first timer.
    pub(super) fn peek(&self) -> Option<&Timer> {
        let late = self.late.peek().map(|Reverse(timer)| timer);
        self.first.last().into_iter().chain(late).min()
    }

    /// Takes the first timer.
    pub(super) fn pop(&mut self) -> Option<Timer> {
        let is_late = match (self.first.last(), self.late.peek()) {
            (Some(first), Some(Reverse(late))) => late < first,
            (first, _) => first.is_none(),
        };
        let timer = if is_late { self.late.pop().map(|Reverse(timer)| timer) } else { self.first.pop() }?;
        self.len -= 1;
        self.open_next();
        Some(timer)
    }

    /// Sorts the next bucket, if all timers of the last one have fired.
    fn open_next(&mut self) {
        if !self.first.is_empty() || !self.late.is_empty() {
            return;
        }
        if let Some((bucket, mut timers)) = self.later.pop_first() {
            timers.sort_unstable_by_key(|timer| Reverse(*timer));
            (self.open, self.first) = (bucket, timers);
        }
    }

    /// Keeps only these timers, each once.
    pub(super) fn retain(&mut self, is_kept: impl Fn(&Timer) -> bool) {
        let Self { first, late, later, .. } = std::mem::take(self);
        let late = late.into_iter().map(|Reverse(timer)| timer);
        let mut timers: Vec<Timer> =
            first.into_iter().chain(late).chain(later.into_values().flatten()).collect();
        timers.sort_unstable();
        timers.dedup();
        timers.into_iter().filter(is_kept).for_each(|timer| self.push(timer));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timers_fire_in_order() {
        let (mut queue, mut heap) = (TimerQueue::default(), BinaryHeap::new());
        let mut seed = 1_u64;
        let mut draw = |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 33) % below
        };
        let mut now = 0;
        for handle in 0..20_000 {
            let span = [1, 1 << 10, 1 << BUCKET_BITS, 1 << (BUCKET_BITS + 4)][draw(4) as usize];
            let timer = (now + draw(span), draw(3) as usize, handle);
            queue.push(timer);
            heap.push(Reverse(timer));
            for _ in 0..draw(3) {
                assert_eq!(queue.peek(), heap.peek().map(|Reverse(timer)| timer));
                let fired = queue.pop();
                assert_eq!(fired, heap.pop().map(|Reverse(timer)| timer));
                now = fired.map_or(now, |(time, ..)| now.max(time));
            }
            if draw(1_000) == 0 {
                queue.retain(|(.., handle)| handle % 2 == 0);
                heap.retain(|Reverse((.., handle))| handle % 2 == 0);
            }
            assert_eq!(queue.len(), heap.len());
        }
    }
}
