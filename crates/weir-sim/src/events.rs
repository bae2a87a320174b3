//! The event queue: what happens when, in one order for every run.

use weir_switch::Nanos;

/// Buckets: one for each number of low bits in which a time differs from the last one taken.
const BUCKETS: usize = 65;

/// Events ordered by time, and at one time by the order in which they were put in.
///
/// A radix heap (Ahuja, Mehlhorn, Orlin, Tarjan 1990): time never runs backwards, so an event lies in the bucket of the highest bit in which its time
/// differs from the time taken last. When the lower buckets are empty, the first one with events is dealt out to them. An event moves down a few
/// times in its life, however many others there are. Events of one time are in one bucket at any moment, each bucket keeps the order in which they came,
/// and so does dealing out.
pub(crate) struct EventQueue<E> {
    /// The time taken last; none is before.
    last: Nanos,
    buckets: [Vec<(Nanos, E)>; BUCKETS],
    /// The earliest time in each bucket that has events.
    earliest: [Nanos; BUCKETS],
    /// One bit for each bucket that has events, but for bucket 0.
    filled: u64,
    /// Events of bucket 0 that were taken already.
    taken: usize,
    len: usize,
}

impl<E: Copy> EventQueue<E> {
    pub(crate) fn new() -> Self {
        EventQueue {
            last: 0,
            buckets: [const { Vec::new() }; BUCKETS],
            earliest: [Nanos::MAX; BUCKETS],
            filled: 0,
            taken: 0,
            len: 0,
        }
    }

    /// Puts an event in; its time is not before the one taken last.
    pub(crate) fn push(&mut self, time: Nanos, event: E) {
        debug_assert!(time >= self.last, "time does not run backwards");
        self.len += 1;
        self.put(time.max(self.last), event);
    }

    fn put(&mut self, time: Nanos, event: E) {
        let bucket = (Nanos::BITS - (time ^ self.last).leading_zeros()) as usize;
        self.buckets[bucket].push((time, event));
        if bucket > 0 {
            let earliest = &mut self.earliest[bucket];
            *earliest = if self.filled >> (bucket - 1) & 1 == 0 { time } else { time.min(*earliest) };
            self.filled |= 1 << (bucket - 1);
        }
    }

    pub(crate) fn next_time(&self) -> Option<Nanos> {
        if self.taken < self.buckets[0].len() {
            return Some(self.last);
        }
        match self.filled {
            0 => None,
            filled => Some(self.earliest[filled.trailing_zeros() as usize + 1]),
        }
    }

    /// The next event, if it happens at `until` or before. Otherwise nothing changes: earlier ones may still be put in.
    pub(crate) fn pop_until(&mut self, until: Nanos) -> Option<(Nanos, E)> {
        if self.next_time()? > until {
            return None;
        }
        self.len -= 1;
        if self.taken == self.buckets[0].len() {
            let bucket = self.filled.trailing_zeros() as usize + 1;
            self.filled &= self.filled - 1;
            self.last = self.earliest[bucket];
            if let [(time, event)] = self.buckets[bucket][..] {
                self.buckets[bucket].clear();
                return Some((time, event));
            }
            let mut events = std::mem::take(&mut self.buckets[bucket]);
            for (time, event) in events.drain(..) {
                self.put(time, event);
            }
            self.buckets[bucket] = events;
        }
        let next = self.buckets[0][self.taken];
        self.taken += 1;
        if self.taken == self.buckets[0].len() {
            self.buckets[0].clear();
            self.taken = 0;
        }
        Some(next)
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// All events, in no order that means anything.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &E> {
        let [now, later @ ..] = &self.buckets;
        now[self.taken..].iter().chain(later.iter().flatten()).map(|(_, event)| event)
    }
}

/// The times for which somebody has events in the queue, of whom only the next one matters: later ones fall out by themselves.
#[derive(Debug, Default)]
pub(crate) struct Alarm {
    /// Latest first. One is added only before all others.
    times: Vec<Nanos>,
}

impl Alarm {
    /// Whether an event at this time has to be put into the queue; none if there is one before it.
    pub(crate) fn set(&mut self, time: Nanos) -> bool {
        let earlier = self.times.last().is_none_or(|first| time < *first);
        if earlier {
            self.times.push(time);
        }
        earlier
    }

    /// An event has come: whether it is one that is waited for.
    pub(crate) fn rings(&mut self, now: Nanos) -> bool {
        let next = self.times.last() == Some(&now);
        if next {
            self.times.pop();
        }
        next
    }

    /// No event is waited for any more.
    pub(crate) fn clear(&mut self) {
        self.times.clear();
    }
}

#[cfg(test)]
mod tests {
    use std::cmp::Reverse;
    use std::collections::BinaryHeap;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn equal_times_keep_their_order() {
        let mut queue = EventQueue::new();
        for (time, name) in [(5, "c"), (3, "a"), (5, "d"), (3, "b"), (9, "e")] {
            queue.push(time, name);
        }
        let mut seen = Vec::new();
        while let Some((_, name)) = queue.pop_until(5) {
            seen.push(name);
        }
        assert_eq!(seen, ["a", "b", "c", "d"]);
        assert_eq!((queue.next_time(), queue.len()), (Some(9), 1));
    }

    /// What is done with a queue.
    #[derive(Clone, Debug)]
    enum Step {
        /// An event this long after the clock.
        Push(Nanos),
        /// Everything up to this long after the clock, which then shows that.
        Run(Nanos),
        /// At most so many events.
        Take(usize),
    }

    fn step() -> impl Strategy<Value = Step> {
        let span = prop_oneof![4 => 0u64..4, 4 => 0u64..5000, 1 => 0u64..1 << 40, 1 => Just(1 << 62)];
        prop_oneof![
            6 => span.clone().prop_map(Step::Push),
            1 => span.prop_map(Step::Run),
            4 => (1usize..6).prop_map(Step::Take),
        ]
    }

    proptest! {
        #[test]
        fn it_is_a_binary_heap_that_keeps_the_order_of_equal_times(steps in prop::collection::vec(step(), 1..400)) {
            let (mut queue, mut heap) = (EventQueue::new(), BinaryHeap::new());
            let (mut now, mut number) = (0, 0u32);
            for step in steps {
                let (until, most) = match step {
                    Step::Push(span) => {
                        let time = now + span % (1 << 50);
                        queue.push(time, number);
                        heap.push(Reverse((time, number)));
                        number += 1;
                        continue;
                    }
                    Step::Run(span) => (now + span % (1 << 50), usize::MAX),
                    Step::Take(most) => (Nanos::MAX, most),
                };
                for _ in 0..most {
                    let expected = heap.peek().map(|Reverse(next)| *next).filter(|(time, _)| *time <= until);
                    prop_assert_eq!(queue.next_time(), heap.peek().map(|Reverse((time, _))| *time));
                    prop_assert_eq!(queue.pop_until(until), expected);
                    let Some((time, _)) = expected else { break };
                    heap.pop();
                    now = time;
                }
                if until < Nanos::MAX {
                    now = until;
                }
                prop_assert_eq!(queue.len(), heap.len());
                let (mut left, mut right): (Vec<u32>, Vec<u32>) =
                    (queue.iter().copied().collect(), heap.iter().map(|Reverse((_, number))| *number).collect());
                left.sort_unstable();
                right.sort_unstable();
                prop_assert_eq!(left, right);
            }
        }
    }

    #[test]
    fn an_alarm_wants_one_event_for_each_time() {
        let mut alarm = Alarm::default();
        assert!(alarm.set(20) && !alarm.set(20) && !alarm.set(30));
        assert!(alarm.set(10) && !alarm.set(15));
        assert!(!alarm.rings(5) && alarm.rings(10) && !alarm.rings(10));
        assert!(alarm.set(15) && alarm.rings(15));
        // The event for 20 is still under way.
        assert!(!alarm.set(25) && alarm.rings(20) && alarm.set(25));
        alarm.clear();
        assert!(!alarm.rings(25));
    }
}
