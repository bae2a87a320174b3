//! A part of a network: a network in which the nodes and links of other parts are placeholders.

use std::mem::swap;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

use weir_device::{ForwardingMetadata, Nanos};

use super::order::{Birth, Handled};
use crate::frames::FrameMeta;
use crate::network::{Event, Network, Wire};

/// The further state of a network while it is a part.
pub(in crate::network) struct Part {
    number: u16,
    /// The part that receives the frames of each wire.
    receivers: Arc<[u16]>,
    /// The end of the current window. Events from this time on are added to the queue after the
    /// window, when their order is known.
    horizon: Nanos,
    /// The births of the events in the queue, by place.
    births: Vec<Birth>,
    /// The number of events that the current event has added.
    children: u32,
    /// The part's own events for later windows.
    postponed: Vec<Postponed>,
    /// The outcome of a window, which other threads read after it.
    outcome: Outcome,
    pub(super) counts: PartCounts,
}

/// The work of a part in the current run.
#[derive(Clone, Copy, Default)]
pub(super) struct PartCounts {
    pub(super) events: u64,
    pub(super) messages: u64,
    pub(super) message_bytes: u64,
}

/// An event that its part adds to its queue after the window.
struct Postponed {
    time: Nanos,
    event: Event,
    origin: Origin,
}

/// The event that added another one: its index in the log, and the number of the added event among
/// all that it added.
#[derive(Clone, Copy)]
struct Origin {
    parent: u32,
    child: u32,
}

impl Origin {
    /// Returns the birth of the added event, after ties were resolved.
    fn birth(self, log: &[Handled]) -> Birth {
        log[self.parent as usize].child(self.child)
    }
}

/// The outcome of a window.
pub(super) struct Outcome {
    /// The events that the part has handled, in order.
    pub(super) log: Vec<Handled>,
    /// The frames for each other part.
    sent: Vec<SentFrames>,
}

/// Frames for another part, in the order in which they were sent.
#[derive(Default)]
struct SentFrames {
    frames: Vec<SentFrame>,
    /// The bytes of all frames, one after the other.
    bytes: Vec<u8>,
}

/// A frame that arrives in another part.
struct SentFrame {
    arrival: Nanos,
    wire: Wire,
    origin: Origin,
    length: usize,
    meta: FrameMeta,
    metadata: ForwardingMetadata,
}

impl Outcome {
    /// Creates an empty outcome in a network with this number of parts.
    pub(super) fn new(parts: usize) -> Self {
        Outcome { log: Vec::new(), sent: (0..parts).map(|_| SentFrames::default()).collect() }
    }

    fn clear(&mut self) {
        self.log.clear();
        for sent in &mut self.sent {
            sent.frames.clear();
            sent.bytes.clear();
        }
    }
}

impl Part {
    pub(super) fn new(number: u16, parts: usize, receivers: Arc<[u16]>) -> Self {
        Part {
            number,
            receivers,
            horizon: 0,
            births: Vec::new(),
            children: 0,
            postponed: Vec::new(),
            outcome: Outcome::new(parts),
            counts: PartCounts::default(),
        }
    }
}

/// Locks an outcome to read it.
pub(super) fn read(outcome: &RwLock<Outcome>) -> RwLockReadGuard<'_, Outcome> {
    outcome.read().unwrap_or_else(PoisonError::into_inner)
}

impl Network {
    /// Adds an event to the queue of a part.
    pub(super) fn add_born(&mut self, time: Nanos, event: Event, birth: Birth) {
        let place = self.events.push(time, event) as usize;
        if let Some(part) = &mut self.part {
            match part.births.get_mut(place) {
                Some(other) => *other = birth,
                // Places are numbered in order, so this is the next one.
                None => part.births.push(birth),
            }
        }
    }

    /// Takes the next event of a part from its queue, with its birth.
    pub(super) fn take_born(&mut self) -> Option<(Nanos, Birth, Event)> {
        let (time, event, place) = self.events.pop_place_until(Nanos::MAX)?;
        Some((time, self.part.as_ref()?.births[place as usize], event))
    }

    /// Adds an event that follows from the current one.
    #[inline]
    pub(in crate::network) fn add_event(&mut self, time: Nanos, event: Event) {
        if self.part.is_some() {
            self.add_event_in_part(time, event);
        } else {
            self.events.push(time, event);
        }
    }

    fn add_event_in_part(&mut self, time: Nanos, event: Event) {
        let Some(part) = &mut self.part else { return };
        let origin = Origin { parent: part.outcome.log.len() as u32 - 1, child: part.children };
        part.children += 1;
        if time < part.horizon {
            let birth = Birth::in_window(self.now, origin.parent, origin.child);
            return self.add_born(time, event, birth);
        }
        if let Event::Arrived { wire, frame } = event
            && let to = part.receivers[wire.number()]
            && to != part.number
        {
            let sent = &mut part.outcome.sent[usize::from(to)];
            let bytes = self.frames.bytes(frame);
            let length = bytes.len();
            sent.bytes.extend_from_slice(bytes);
            let (meta, metadata) = (self.frames.meta(frame).clone(), self.frames.buffer(frame).metadata);
            sent.frames.push(SentFrame { arrival: time, wire, origin, length, meta, metadata });
            part.counts.messages += 1;
            part.counts.message_bytes += length as u64;
            self.frames.release(frame);
            return;
        }
        part.postponed.push(Postponed { time, event, origin });
    }

    /// Returns the time of the part's next event; the maximum value if there is none.
    pub(super) fn next_event_time(&self) -> Nanos {
        self.events.next_time().unwrap_or(Nanos::MAX)
    }

    /// Returns the number of events that the part has handled in the current run.
    pub(super) fn events_in_run(&self) -> u64 {
        self.part.as_ref().map_or(0, |part| part.counts.events)
    }

    /// Handles the part's events before the horizon, and passes the outcome on.
    pub(super) fn run_window(&mut self, horizon: Nanos, outcome: &RwLock<Outcome>) {
        let Some(part) = &mut self.part else { return };
        part.horizon = horizon;
        part.outcome.clear();
        while let Some((time, event, place)) = self.events.pop_place_until(horizon - 1) {
            if let Some(part) = &mut self.part {
                let index = part.outcome.log.len() as u32;
                part.outcome.log.push(Handled::new(time, part.births[place as usize], index));
                part.children = 0;
            }
            self.handle_at(time, event);
        }
        if let Some(part) = &mut self.part {
            part.counts.events += part.outcome.log.len() as u64;
            swap(&mut part.outcome, &mut outcome.write().unwrap_or_else(PoisonError::into_inner));
        }
    }

    /// Adds the events for later windows to the queue: the part's own and the frames from other
    /// parts, in the order of their births.
    pub(super) fn take_in(&mut self, outcomes: &[RwLock<Outcome>]) {
        let Some(part) = &mut self.part else { return };
        let number = usize::from(part.number);
        let mut postponed = std::mem::take(&mut part.postponed);
        let own_outcome = read(&outcomes[number]);
        let mut own_events =
            postponed.drain(..).map(|later| (later.origin.birth(&own_outcome.log), later)).peekable();
        let others: Vec<_> = (0..outcomes.len()).filter(|other| *other != number).collect();
        let others: Vec<_> = others.into_iter().map(|other| read(&outcomes[other])).collect();
        let mut arriving = Vec::new();
        for other in &others {
            let sent = &other.sent[number];
            let mut start = 0;
            for frame in &sent.frames {
                let bytes = &sent.bytes[start..start + frame.length];
                start += frame.length;
                arriving.push((frame.origin.birth(&other.log), frame, bytes));
            }
        }
        if others.len() > 1 {
            arriving.sort_unstable_by_key(|(birth, ..)| *birth);
        }
        for (birth, sent, bytes) in arriving {
            while let Some((birth, later)) = own_events.next_if(|(own_outcome, _)| *own_outcome < birth) {
                self.add_born(later.time, later.event, birth);
            }
            let frame = self.frames.allocate_copy(bytes);
            *self.frames.meta(frame) = sent.meta.clone();
            self.frames.buffer(frame).metadata = sent.metadata;
            self.add_born(sent.arrival, Event::Arrived { wire: sent.wire, frame }, birth);
        }
        for (birth, later) in own_events {
            self.add_born(later.time, later.event, birth);
        }
        drop(own_outcome);
        if let Some(part) = &mut self.part {
            part.postponed = postponed;
        }
    }
}
