//! A packet straight through a switch whose passes take time: all is done when the pass starts, and the packet leaves when it would have.

use weir_device::{Buffer, Nanos, Port, ReceiveOutcome};

use super::forward::Forwarding;
use super::{Event, Switch};
use crate::packet::Verdict;
use crate::path::{Extent, PathContext};

/// How long before its pass starts a packet may be taken through, in nanoseconds: packets that come at one time from links of one rate pass one
/// behind the other.
const EARLY: Nanos = 100;

impl Switch {
    /// Takes a packet at the start of its pass through all blocks at once, if nobody can tell from outside that egress did not run later:
    ///
    /// - the pass starts now or in no time to speak of: nothing else waits for one, and the capacity allows it;
    /// - the packet will not wait for egress: no queue has a rate, none holds anything;
    /// - what egress does depends on the packet alone (and on the time, which is known);
    /// - nothing in the switch is due until then, nobody traces or wants to hear of drops.
    ///
    /// If not for the queues or egress, it goes through all blocks before the queues at once, and on as others do. So does a packet that leaves the
    /// straight way (to a group, cloned, resubmitted, recirculated).
    ///
    /// Otherwise none, and nothing has changed.
    pub(super) fn straight(&mut self, now: Nanos, port: Port, frame: &mut Buffer) -> Option<ReceiveOutcome> {
        let start = self.passes.ready().max(now);
        if !self.may_begin(now, start) {
            return None;
        }
        let whole = self.queues.hold_nothing_up() && self.has_way(Extent::Whole);
        if !whole && !self.has_way(Extent::ToQueues) {
            return None;
        }
        let way = if whole { &mut self.forwarding } else { &mut self.to_queues };
        let forwarding = way.as_mut().filter(|forwarding| forwarding.exists(port))?;
        self.now = self.now.max(now);
        frame.ingress_port = port;
        self.passes.take(start, 1);
        let mut context = PathContext {
            executor: &*self.executor,
            control: self.state.view(),
            thread: &mut self.thread,
            config: &self.config,
            now: start,
            trace: &mut self.trace,
        };
        let mut rest = std::slice::from_mut(frame);
        forwarding.step(&*self.path, &mut context, &mut rest, &mut self.stats);
        forwarding.settle(&mut self.stats);
        if !self.thread.hits.is_empty() {
            self.state.record_hits(self.thread.hits.drain(..));
        }
        let time = start.saturating_add(self.config.pass_latency);
        if let Some(port) = frame.egress_port {
            return Some(ReceiveOutcome::Forwarded { time, port });
        }
        if forwarding.verdicts.is_empty() {
            return Some(ReceiveOutcome::Dropped);
        }
        let mut verdicts = std::mem::take(&mut forwarding.verdicts);
        for verdict in verdicts.drain(..) {
            match verdict {
                Verdict::Drop { place, reason, id } => self.drop_packet(now, place, reason, id),
                verdict => self.events.add(time, Event::Arrived(verdict)),
            }
        }
        let way = if whole { &mut self.forwarding } else { &mut self.to_queues };
        if let Some(forwarding) = way {
            forwarding.verdicts = verdicts;
        }
        Some(ReceiveOutcome::Held)
    }

    fn may_begin(&self, now: Nanos, start: Nanos) -> bool {
        let due = |time: Option<Nanos>| time.is_some_and(|time| time <= start);
        // No more can wait than there are passes until then.
        let fits = |wait: Nanos| {
            let before = wait.saturating_mul(self.config.capacity) / 1_000_000_000 + 2;
            wait <= EARLY && before <= self.config.input_queue as u64
        };
        self.input.is_empty()
            && (start == now || fits(start - now))
            && !due(self.events.next_time())
            && !due(self.state.idle.next_time())
            && self.trace.left() == 0
            && self.noted.is_none()
            && self.mailboxes.is_empty()
    }

    /// Whether the program has such a way; made when it is first asked for.
    fn has_way(&mut self, extent: Extent) -> bool {
        let Self { ways, path, executor, config, forwarding, to_queues, .. } = self;
        let (known, way) = match extent {
            Extent::Whole => (&mut ways[0], forwarding),
            Extent::ToQueues => (&mut ways[1], to_queues),
        };
        *known.get_or_insert_with(|| {
            if extent == Extent::Whole && !path.late_part_is_alone(executor.program()) {
                return false;
            }
            if way.is_none() {
                *way = Forwarding::new(&**path, executor, config, extent);
            }
            way.is_some()
        })
    }
}
