//! The order of events in a network that runs in parts: exactly the order of a run in one thread.
//!
//! In one thread, events of equal times are handled in the order in which they were added. The
//! *parent* of an event is the event that added it. Of two events, the one whose parent was handled
//! first was added first. So the place of an event among all events of the same time follows from
//! the time of its parent and, if parents have equal times, from the places of the parents. Within
//! a part, the event queue keeps this order by itself. Between parts, it is found after each
//! window: see [`resolve_ties`].

use weir_device::Nanos;

/// The place of an event among all events of its time: events of equal times are handled in the
/// order of their births.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Birth {
    /// One more than the time of the parent; 0 for an event from before the parallel run.
    parent: Nanos,
    /// The number of the parent among events of its time in the upper half, and the event's number
    /// among the events that this parent added in the lower half. For a parent in the current
    /// window, the upper half is its index in the log.
    order: u64,
}

impl Birth {
    /// Returns the birth of the n-th event in the order of a run in one thread.
    pub(super) fn initial(n: u64) -> Self {
        Birth { parent: 0, order: n }
    }

    /// Returns the birth of an event that the logged event with this index adds at this time.
    pub(super) fn in_window(now: Nanos, parent: u32, child: u32) -> Self {
        Birth { parent: now + 1, order: (u64::from(parent) << 32) | u64::from(child) }
    }

    /// Returns the birth with the number of the parent among all events of its time, for an event
    /// of the part with this log. `window` is the start of the window.
    fn resolve(self, log: &[Handled], window: Nanos) -> Self {
        if self.parent <= window {
            return self;
        }
        let parent = &log[(self.order >> 32) as usize];
        Birth { order: (u64::from(parent.place) << 32) | (self.order & u64::from(u32::MAX)), ..self }
    }
}

/// An event that a part has handled in the current window.
#[derive(Clone, Copy, Debug)]
pub(super) struct Handled {
    pub(super) time: Nanos,
    birth: Birth,
    /// The number of the event among all events of its time, after [`resolve_ties`]; before that,
    /// its index in the log.
    place: u32,
}

impl Handled {
    pub(super) fn new(time: Nanos, birth: Birth, index: u32) -> Self {
        Handled { time, birth, place: index }
    }

    /// Returns the birth of an event that this event added, after [`resolve_ties`].
    pub(super) fn child(&self, child: u32) -> Birth {
        Birth::in_window(self.time, self.place, child)
    }
}

/// Numbers the events of each time that occurs in several logs, in the order of their births. For
/// the other times, the index in the log gives the order. `window` is the start of the window.
pub(super) fn resolve_ties(logs: &mut [&mut [Handled]], window: Nanos) {
    // In each log, the events before this index have their numbers.
    let mut resolved = vec![0; logs.len()];
    let mut next: Vec<Nanos> = logs.iter().map(|log| time_at(log, 0)).collect();
    while let Some((first, time)) = earliest(&next)
        && time < Nanos::MAX
    {
        // The earliest time in another log.
        let other = next.iter().enumerate().filter(|(at, _)| *at != first).map(|(_, time)| *time).min();
        let other = other.unwrap_or(Nanos::MAX);
        if time < other {
            let log = &logs[first];
            let same = log[resolved[first]..].iter().take_while(|handled| handled.time < other).count();
            resolved[first] += same;
            next[first] = time_at(log, resolved[first]);
        } else {
            number_events(logs, &mut resolved, time, window);
            next.iter_mut().zip(logs.iter().zip(&resolved)).for_each(|(next, (log, resolved))| {
                *next = time_at(log, *resolved);
            });
        }
    }
}

/// Numbers the events of one time, which occurs in several logs.
fn number_events(logs: &mut [&mut [Handled]], done: &mut [usize], time: Nanos, window: Nanos) {
    for number in 0.. {
        // An event's parent is earlier in the same log, so its number is known.
        let births = logs.iter().zip(&*done).enumerate().filter_map(|(part, (log, done))| {
            let handled = log.get(*done).filter(|handled| handled.time == time)?;
            Some((handled.birth.resolve(log, window), part))
        });
        let Some((_, part)) = births.min() else { return };
        logs[part][done[part]].place = number;
        done[part] += 1;
    }
}

/// Returns the time of the logged event with this index; the maximum value after the last one.
fn time_at(log: &[Handled], index: usize) -> Nanos {
    log.get(index).map_or(Nanos::MAX, |handled| handled.time)
}

/// Returns the index of the first earliest time, and this time.
fn earliest(times: &[Nanos]) -> Option<(usize, Nanos)> {
    times.iter().copied().enumerate().min_by_key(|(_, time)| *time)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes a log of events with these times and births.
    fn log(events: &[(Nanos, Birth)]) -> Vec<Handled> {
        (0..).zip(events).map(|(index, (time, birth))| Handled::new(*time, *birth, index)).collect()
    }

    fn places(log: &[Handled]) -> Vec<u32> {
        log.iter().map(|handled| handled.place).collect()
    }

    #[test]
    fn events_of_equal_times_follow_their_parents() {
        let old = Birth::initial;
        // At time 7, the window's own events come after the old ones, in the order of their parents
        // at time 5. The parent in the second log is older.
        let mut first =
            log(&[(5, old(2)), (7, old(8)), (7, Birth::in_window(5, 0, 0)), (7, Birth::in_window(5, 0, 1))]);
        let mut second = log(&[(4, old(0)), (5, old(1)), (7, old(3)), (7, Birth::in_window(5, 1, 0))]);
        resolve_ties(&mut [&mut first, &mut second], 4);
        assert_eq!(places(&first), [1, 1, 3, 4]);
        assert_eq!(places(&second), [0, 0, 0, 2]);
        assert!(second[1].child(9) < first[0].child(0) && first[0].child(9) < first[1].child(0));
    }

    #[test]
    fn events_without_delay_follow_each_other() {
        // Each event adds another one for the same time.
        let mut first = log(&[(5, Birth::initial(1)), (5, Birth::in_window(5, 0, 0))]);
        let mut second = log(&[(5, Birth::initial(0)), (5, Birth::in_window(5, 0, 0))]);
        resolve_ties(&mut [&mut first, &mut second], 5);
        assert_eq!((places(&first), places(&second)), (vec![1, 3], vec![0, 2]));
    }
}
