//! A packet straight through a switch whose passes take time: all is done when the pass starts, and the packet leaves when it would have.

use super::forward::Forwarding;
use super::{Event, Switch};
use crate::buffer::Buffer;
use crate::device::{Nanos, Passed, Port};
use crate::path::{Fate, Surroundings};

impl Switch {
    /// Takes a packet at the start of its pass through all blocks at once, if nobody can tell from outside that egress did not run later:
    ///
    /// - the pass starts now: nothing waits for one, and the capacity allows it;
    /// - the packet will not wait for egress: no queue has a rate, none holds anything;
    /// - what egress does depends on the packet alone (and on the time, which is known);
    /// - nothing in the switch is due at or before now, nobody traces or wants to hear of drops.
    ///
    /// Otherwise none, and nothing has changed. A packet that leaves the straight way (to a group, cloned, resubmitted, recirculated) goes on as the
    /// others do.
    pub(super) fn straight(&mut self, now: Nanos, port: Port, frame: &mut Buffer) -> Option<Passed> {
        if !self.may_go_straight(now) || !self.has_way() {
            return None;
        }
        let forwarding = self.forwarding.as_mut().filter(|forwarding| forwarding.exists(port))?;
        self.now = self.now.max(now);
        frame.port = port;
        self.passes.take(now, 1);
        let mut around = Surroundings {
            executor: &*self.executor,
            runtime: &mut self.runtime,
            config: &self.config,
            now,
            trace: &mut self.trace,
        };
        let mut rest = std::slice::from_mut(frame);
        forwarding.step(&*self.path, &mut around, &mut rest, &mut self.stats);
        forwarding.settle(&mut self.stats);
        let time = now.saturating_add(self.config.pass_latency);
        if let Some(port) = frame.out {
            return Some(Passed::Leaves { time, port });
        }
        if forwarding.fates.is_empty() {
            return Some(Passed::Dropped);
        }
        let mut fates = std::mem::take(&mut forwarding.fates);
        for fate in fates.drain(..) {
            match fate {
                Fate::Drop { place, reason, id } => self.drop_packet(now, place, reason, id),
                fate => self.events.add(time, Event::Arrived(fate)),
            }
        }
        if let Some(forwarding) = &mut self.forwarding {
            forwarding.fates = fates;
        }
        Some(Passed::Inside)
    }

    fn may_go_straight(&self, now: Nanos) -> bool {
        let due = |time: Option<Nanos>| time.is_some_and(|time| time <= now);
        self.input.is_empty()
            && self.passes.ready() <= now
            && !due(self.events.next_time())
            && !due(self.runtime.idle.next_time())
            && self.trace.left() == 0
            && self.noted.is_none()
            && self.mailboxes.is_empty()
            && self.queues.hold_nothing_up()
    }

    /// Whether the program has a way straight through with time in between; made when it is first asked for.
    fn has_way(&mut self) -> bool {
        let Self { late_part_is_alone, path, executor, config, forwarding, .. } = self;
        *late_part_is_alone.get_or_insert_with(|| {
            if !path.late_part_is_alone(executor.program()) {
                return false;
            }
            if forwarding.is_none() {
                *forwarding = Forwarding::new(&**path, executor, config);
            }
            forwarding.is_some()
        })
    }
}
