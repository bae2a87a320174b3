//! The event queue: what happens when, in one order for every run.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use weir_switch::Nanos;

struct Entry<E> {
    time: Nanos,
    sequence: u64,
    event: E,
}

impl<E> PartialEq for Entry<E> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<E> Eq for Entry<E> {}

impl<E> PartialOrd for Entry<E> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<E> Ord for Entry<E> {
    /// Reversed, for `BinaryHeap` gives its greatest entry first.
    fn cmp(&self, other: &Self) -> Ordering {
        (other.time, other.sequence).cmp(&(self.time, self.sequence))
    }
}

/// Events ordered by time, and at one time by the order in which they were put in.
pub(crate) struct EventQueue<E> {
    heap: BinaryHeap<Entry<E>>,
    sequence: u64,
}

impl<E> EventQueue<E> {
    pub(crate) fn new() -> Self {
        EventQueue { heap: BinaryHeap::new(), sequence: 0 }
    }

    pub(crate) fn push(&mut self, time: Nanos, event: E) {
        self.heap.push(Entry { time, sequence: self.sequence, event });
        self.sequence += 1;
    }

    pub(crate) fn next_time(&self) -> Option<Nanos> {
        self.heap.peek().map(|entry| entry.time)
    }

    /// The next event, if it happens at `until` or before.
    pub(crate) fn pop_until(&mut self, until: Nanos) -> Option<(Nanos, E)> {
        if self.next_time()? > until {
            return None;
        }
        self.heap.pop().map(|entry| (entry.time, entry.event))
    }

    pub(crate) fn len(&self) -> usize {
        self.heap.len()
    }

    /// All events, in no order that means anything.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &E> {
        self.heap.iter().map(|entry| &entry.event)
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
