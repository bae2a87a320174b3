//! Replaces the program of a running switch.

use std::collections::VecDeque;
use std::sync::Arc;

use weir_device::Nanos;

use super::{Event, Switch};
use crate::packet::PacketId;
use crate::stats::{DropPlace, DropReason};

impl Switch {
    /// Replaces the switch `old` at the time `now`. This switch takes over the ports and their
    /// states, queue settings, time, statistics, traces, subscriptions, unread log lines and the
    /// number of the last flow, and keeps its own table entries. Packets in `old` are dropped
    /// (`program replaced`), and its digests and notices are lost. Of the
    /// [`Worker`](crate::Worker)s of `old`, only the packet counts are still used.
    ///
    /// This switch must be new. It must have the settings of `old`, and only its configuration may
    /// have changed.
    pub fn take_place_of(mut self, old: &mut Self, now: Nanos) {
        old.now = old.now.max(now);
        old.collect_reports();
        old.record_reports();
        old.drop_all();
        self.now = self.now.max(old.now);
        self.state.set_start_time(self.now);
        self.runner.stats = std::mem::take(&mut old.runner.stats);
        self.runner.trace = std::mem::take(&mut old.runner.trace);
        self.recorded_drops = old.recorded_drops.take();
        self.subscriptions = old.subscriptions;
        self.queues.settings = old.queues.settings.clone();
        self.state.settings.down_ports = Arc::clone(&old.state.settings.down_ports);
        self.state.messages.log.append(&mut old.state.messages.log);
        self.old_mailboxes = std::mem::take(&mut old.old_mailboxes);
        self.old_mailboxes.append(&mut old.mailboxes);
        // Entries that are carried over keep the numbers of their flows.
        self.runner.thread.next_flow = old.runner.thread.next_flow;
        self.repeats = old.repeats.as_ref().map(|_| VecDeque::new());
        self.replaced = old.replaced + 1;
        *old = self;
    }

    /// Drops all packets inside the switch.
    fn drop_all(&mut self) {
        let repeats = self.repeats.iter_mut().flat_map(|repeats| repeats.drain(..));
        let waiting = self.input.drain(..).map(|(_, arrival)| arrival).chain(repeats);
        let waiting: Vec<PacketId> = waiting.map(|arrival| arrival.id).collect();
        let mut inside: Vec<_> = waiting.into_iter().map(|id| (DropPlace::Input, id)).collect();
        while let Some((_, event)) = self.events.take_due(Nanos::MAX) {
            let Event::Arrived(verdict) = event else { continue };
            inside.push((DropPlace::Ingress, verdict.packet()));
        }
        let queued = self.queues.take_all().into_iter();
        inside.extend(queued.map(|(port, packet)| (DropPlace::Queue(port), packet.id)));
        for (place, id) in inside {
            self.drop_packet(self.now, place, DropReason::ProgramReplaced, id);
        }
    }
}
