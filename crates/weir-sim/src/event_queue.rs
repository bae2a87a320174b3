//! The event queue: events in the order of their times. Events of equal times keep the order in
//! which they were added.

use smallvec::SmallVec;
use weir_device::Nanos;

/// The bits of a time that one level of the queue distinguishes, and the number of levels that
/// covers all bits.
const DIGIT_BITS: u32 = 6;
/// The number of slots on each level.
const SLOTS: usize = 1 << DIGIT_BITS;
/// The number of levels of slots.
const LEVELS: usize = Nanos::BITS.div_ceil(DIGIT_BITS) as usize;
/// The number of events in a slot that are scanned for the earliest one.
const MAX_SCANNED: usize = 4;
/// The index that marks the end of a list.
const END_OF_LIST: u32 = u32::MAX;

/// An event in the list of its slot.
#[derive(Clone, Copy)]
struct Node<E> {
    time: Nanos,
    event: E,
    /// The next node in the same slot, or in the free list.
    next: u32,
}

/// A list of nodes, in the order in which they were added.
#[derive(Clone, Copy)]
struct Slot {
    first: u32,
    last: u32,
    /// The earliest time in the list.
    earliest: Nanos,
}

/// Events ordered by time, and among equal times by insertion.
///
/// A radix heap (Ahuja, Mehlhorn, Orlin, Tarjan 1990) with digits of six bits. Time never runs
/// backwards, so an event is stored at the level of the highest digit in which its time differs
/// from the time of the last event taken, in the slot of that digit's value. When the lower levels
/// are empty, the first slot of the next level is redistributed to them. An event moves down a
/// level at most ten times, usually three or four times, regardless of the number of events. Events
/// of equal times are always in the same slot, each slot keeps insertion order, and redistribution
/// keeps it too.
pub(crate) struct EventQueue<E> {
    /// The time of the last event taken; no event is earlier.
    now: Nanos,
    nodes: Vec<Node<E>>,
    /// The first node of the free list.
    free: u32,
    slots: Box<[[Slot; SLOTS]; LEVELS]>,
    /// For each level, a bit for each slot that has events.
    filled: [u64; LEVELS],
    /// A bit for each level that has events.
    levels: u32,
    len: usize,
}

impl<E: Copy> EventQueue<E> {
    pub(crate) fn new() -> Self {
        EventQueue::starting_at(0)
    }

    /// Creates an empty queue that takes no event before this time.
    pub(crate) fn starting_at(now: Nanos) -> Self {
        let empty = Slot { first: END_OF_LIST, last: END_OF_LIST, earliest: 0 };
        EventQueue {
            now,
            nodes: Vec::new(),
            free: END_OF_LIST,
            slots: Box::new([[empty; SLOTS]; LEVELS]),
            filled: [0; LEVELS],
            levels: 0,
            len: 0,
        }
    }

    /// Adds an event. Its time is not before that of the last event taken. Returns the number of
    /// the event's place, which is reused after the event was taken.
    pub(crate) fn push(&mut self, time: Nanos, event: E) -> u32 {
        debug_assert!(time >= self.now, "time does not run backwards");
        let node = Node { time: time.max(self.now), event, next: END_OF_LIST };
        let number = match self.nodes.get_mut(self.free as usize) {
            Some(place) => {
                let number = self.free;
                self.free = place.next;
                *place = node;
                number
            }
            None => {
                self.nodes.push(node);
                (self.nodes.len() - 1) as u32
            }
        };
        self.len += 1;
        self.append(node.time, number);
        number
    }

    /// Appends a node to its slot.
    fn append(&mut self, time: Nanos, number: u32) {
        let level = ((time ^ self.now | 1).ilog2() / DIGIT_BITS) as usize;
        let digit = (time >> (level as u32 * DIGIT_BITS)) as usize % SLOTS;
        let slot = &mut self.slots[level][digit];
        if self.filled[level] >> digit & 1 == 0 {
            self.filled[level] |= 1 << digit;
            self.levels |= 1 << level;
            *slot = Slot { first: number, last: number, earliest: time };
        } else {
            self.nodes[slot.last as usize].next = number;
            slot.last = number;
            slot.earliest = slot.earliest.min(time);
        }
    }

    /// Returns the first slot with events: its level and digit.
    fn first_slot(&self) -> Option<(usize, usize)> {
        let level = self.levels.trailing_zeros() as usize;
        Some((level, self.filled.get(level)?.trailing_zeros() as usize))
    }

    fn mark_empty(&mut self, level: usize, digit: usize) {
        self.filled[level] &= !(1 << digit);
        if self.filled[level] == 0 {
            self.levels &= !(1 << level);
        }
    }

    pub(crate) fn next_time(&self) -> Option<Nanos> {
        self.first_slot().map(|(level, digit)| self.slots[level][digit].earliest)
    }

    /// Takes the next event if its time is at or before `until`. Otherwise nothing changes, and
    /// earlier events may still be added.
    pub(crate) fn pop_until(&mut self, until: Nanos) -> Option<(Nanos, E)> {
        self.pop_place_until(until).map(|(time, event, _)| (time, event))
    }

    /// Like [`EventQueue::pop_until`]; also returns the number of the event's place.
    #[inline]
    pub(crate) fn pop_place_until(&mut self, until: Nanos) -> Option<(Nanos, E, u32)> {
        let (mut level, mut digit) = self.first_slot()?;
        let Slot { mut first, last, earliest } = self.slots[level][digit];
        if earliest > until {
            return None;
        }
        self.now = earliest;
        self.len -= 1;
        if level > 0 && first != last {
            self.mark_empty(level, digit);
            let mut number = first;
            while number != END_OF_LIST {
                let node = &mut self.nodes[number as usize];
                let (time, next) = (node.time, std::mem::replace(&mut node.next, END_OF_LIST));
                self.append(time, number);
                number = next;
            }
            (level, digit) = (0, earliest as usize % SLOTS);
            first = self.slots[level][digit].first;
        }
        let node = &mut self.nodes[first as usize];
        let next = std::mem::replace(&mut node.next, self.free);
        self.free = first;
        let taken = (node.time, node.event, first);
        match next {
            END_OF_LIST => self.mark_empty(level, digit),
            next => self.slots[level][digit].first = next,
        }
        Some(taken)
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Returns an event that is likely to be the next one, as a prefetch hint.
    pub(crate) fn likely_next(&self) -> Option<E> {
        let (level, digit) = self.first_slot()?;
        let Slot { first, earliest, .. } = self.slots[level][digit];
        let mut node = &self.nodes[first as usize];
        // Slots usually hold few events. In a long list, any event is as good a hint as another.
        for _ in 0..MAX_SCANNED {
            match self.nodes.get(node.next as usize) {
                Some(next) if node.time != earliest => node = next,
                _ => break,
            }
        }
        Some(node.event)
    }

    /// Returns the number of events that fit without an allocation: the maximum number that were
    /// ever in the queue.
    pub(crate) fn capacity(&self) -> usize {
        self.nodes.len()
    }

    /// Iterates over all events, in an unspecified order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &E> {
        let slots = self.slots.as_flattened().iter().zip(0..);
        let filled = slots.filter(|(_, place)| self.filled[place / SLOTS] >> (place % SLOTS) & 1 == 1);
        filled.flat_map(move |(slot, _)| {
            let mut number = slot.first;
            std::iter::from_fn(move || {
                let node = self.nodes.get(number as usize)?;
                number = node.next;
                Some(&node.event)
            })
        })
    }
}

/// The times of the pending wake-up events of one owner. Only the earliest time matters; later
/// events are ignored when they occur.
#[derive(Debug, Default)]
pub(crate) struct Alarm {
    /// The times, latest first. A time is added only if it is earlier than all others.
    times: SmallVec<[Nanos; 2]>,
}

impl Alarm {
    /// Sets the alarm. Returns whether an event for this time must be added to the queue; it must
    /// not if an earlier event is pending.
    pub(crate) fn set(&mut self, time: Nanos) -> bool {
        let earlier = self.times.last().is_none_or(|first| time < *first);
        if earlier {
            self.times.push(time);
        }
        earlier
    }

    /// Called when an event occurs. Returns whether the owner waits for this event.
    pub(crate) fn take_event(&mut self, now: Nanos) -> bool {
        let next = self.times.last() == Some(&now);
        if next {
            self.times.pop();
        }
        next
    }

    /// Forgets all pending events.
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

    #[test]
    fn likely_next_event_is_exact_in_short_queues() {
        let mut queue = EventQueue::new();
        assert_eq!(queue.likely_next(), None);
        for (time, number) in [(900, 0), (70, 1), (65, 2), (65, 3), (1 << 40, 4)] {
            queue.push(time, number);
        }
        while let Some(soon) = queue.likely_next() {
            assert_eq!(queue.pop_until(Nanos::MAX).map(|(_, event)| event), Some(soon));
        }
        assert_eq!(queue.len(), 0);
    }

    /// An operation on the queue.
    #[derive(Clone, Debug)]
    enum Step {
        /// Adds an event this long after the clock.
        Push(Nanos),
        /// Takes all events up to this long after the clock, which then advances to that time.
        Run(Nanos),
        /// Takes at most this many events.
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
        fn queue_behaves_as_a_stable_heap(steps in prop::collection::vec(step(), 1..400)) {
            let (mut queue, mut heap) = (EventQueue::new(), BinaryHeap::new());
            let (mut now, mut number) = (0, 0u32);
            for step in steps {
                let (until, max_events) = match step {
                    Step::Push(span) => {
                        let time = now + span % (1 << 50);
                        queue.push(time, number);
                        heap.push(Reverse((time, number)));
                        number += 1;
                        continue;
                    }
                    Step::Run(span) => (now + span % (1 << 50), usize::MAX),
                    Step::Take(max_events) => (Nanos::MAX, max_events),
                };
                for _ in 0..max_events {
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
    fn an_alarm_needs_one_event_for_each_time() {
        let mut alarm = Alarm::default();
        assert!(alarm.set(20) && !alarm.set(20) && !alarm.set(30));
        assert!(alarm.set(10) && !alarm.set(15));
        assert!(!alarm.take_event(5) && alarm.take_event(10) && !alarm.take_event(10));
        assert!(alarm.set(15) && alarm.take_event(15));
        // The event for time 20 is still pending.
        assert!(!alarm.set(25) && alarm.take_event(20) && alarm.set(25));
        alarm.clear();
        assert!(!alarm.take_event(25));
    }
}
