//! Stores the pending events of a switch, by time.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use weir_device::Nanos;

/// A queue of events in the order of their times. Among events of the same time, events that were
/// added as first events come first. The other events come in the order in which they were added.
#[derive(Debug)]
pub(crate) struct Events<E> {
    heap: BinaryHeap<Reverse<ScheduledEvent<E>>>,
    next_sequence: u64,
}

#[derive(Debug)]
struct ScheduledEvent<E> {
    time: Nanos,
    is_first: bool,
    sequence: u64,
    event: E,
}

impl<E> ScheduledEvent<E> {
    /// Returns the key by which events are ordered: the time, whether the event comes first at that
    /// time, and its number.
    fn order(&self) -> (Nanos, Reverse<bool>, u64) {
        (self.time, Reverse(self.is_first), self.sequence)
    }
}

impl<E> PartialEq for ScheduledEvent<E> {
    fn eq(&self, other: &Self) -> bool {
        self.order() == other.order()
    }
}
impl<E> Eq for ScheduledEvent<E> {}
impl<E> PartialOrd for ScheduledEvent<E> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl<E> Ord for ScheduledEvent<E> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.order().cmp(&other.order())
    }
}

impl<E> Events<E> {
    pub(crate) fn new() -> Self {
        Self { heap: BinaryHeap::new(), next_sequence: 0 }
    }

    pub(crate) fn add(&mut self, time: Nanos, event: E) {
        self.push(time, false, event);
    }

    /// Adds an event that comes before all events of the same time that [`Events::add`] has added.
    pub(crate) fn add_first(&mut self, time: Nanos, event: E) {
        self.push(time, true, event);
    }

    fn push(&mut self, time: Nanos, is_first: bool, event: E) {
        self.heap.push(Reverse(ScheduledEvent { time, is_first, sequence: self.next_sequence, event }));
        self.next_sequence += 1;
    }

    /// Returns the time of the next event.
    pub(crate) fn next_time(&self) -> Option<Nanos> {
        self.heap.peek().map(|Reverse(next)| next.time)
    }

    /// Returns all events, in an order that is arbitrary but always the same.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &E> {
        self.heap.iter().map(|Reverse(scheduled)| &scheduled.event)
    }

    /// Takes the next event if it is due at `now`.
    pub(crate) fn take_due(&mut self, now: Nanos) -> Option<(Nanos, E)> {
        if self.next_time()? > now {
            return None;
        }
        self.heap.pop().map(|Reverse(next)| (next.time, next.event))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_events_precede_others() {
        let mut events = Events::new();
        events.add(5, "c");
        events.add_first(5, "a");
        events.add(1, "0");
        events.add_first(5, "b");
        let order: Vec<_> = std::iter::from_fn(|| events.take_due(5)).collect();
        assert_eq!(order, [(1, "0"), (5, "a"), (5, "b"), (5, "c")]);
    }

    #[test]
    fn events_come_by_time_then_by_insertion() {
        let mut events = Events::new();
        for (time, event) in [(5, "c"), (1, "a"), (5, "d"), (1, "b"), (9, "e")] {
            events.add(time, event);
        }
        let mut order = String::new();
        while let Some((_, event)) = events.take_due(5) {
            order += event;
        }
        assert_eq!((order.as_str(), events.next_time()), ("abcd", Some(9)));
    }
}
