//! Prefetching of the memory that events need.
//!
//! The state of many hosts exceeds the nearest caches, and handling a frame uses a few dozen cache
//! lines. The data to which an event refers directly are prefetched while the event before it is
//! handled. The data to which those refer are prefetched when the event itself is handled.

use weir_device::prefetch as prefetch_memory;

use super::{Event, NODE_HOT_BYTES, Network, NodeKind, Wire};

impl Network {
    /// Prefetches what the event to be handled uses indirectly, and what the next event refers to
    /// directly.
    pub(super) fn prefetch(&self, event: Event) {
        if let Some(host) = self.host_of(event) {
            self.prefetch_dependents(host);
        } else if let Event::Sent { wire } = event {
            self.links[wire.link()].transmitters[wire.side()].prefetch_queue();
        }
        if let Some(next) = self.events.likely_next() {
            self.prefetch_direct(next);
        }
    }

    /// Returns the host that an event concerns.
    fn host_of(&self, event: Event) -> Option<usize> {
        match event {
            Event::Arrived { wire, .. } | Event::Process { wire, .. } => {
                self.hosts_at[wire.number()].map(|node| node as usize)
            }
            Event::AppWake { node, .. }
            | Event::Wake { node }
            | Event::Loopback { node, .. }
            | Event::AppStart { node, .. } => Some(node as usize),
            Event::Transmit { .. } | Event::Sent { .. } | Event::Processor { .. } => None,
        }
    }

    /// Prefetches an event's transmitter, frame and host.
    fn prefetch_direct(&self, event: Event) {
        match event {
            Event::Arrived { wire, frame } | Event::Process { wire, frame } => {
                self.frames.prefetch(frame);
                self.prefetch_wire(wire);
            }
            Event::Transmit { node, frame } => {
                self.frames.prefetch(frame);
                let port = self.frames.egress_port(frame);
                if let Some(wire) = port.and_then(|port| self.nodes[node as usize].ports.get(port)) {
                    self.prefetch_wire(wire);
                }
            }
            Event::Sent { wire } => self.prefetch_wire(wire),
            Event::AppWake { .. }
            | Event::Wake { .. }
            | Event::Loopback { .. }
            | Event::AppStart { .. }
            | Event::Processor { .. } => {}
        }
        if let Some(host) = self.host_of(event) {
            prefetch_memory(&self.nodes[host], NODE_HOT_BYTES);
        }
    }

    /// Prefetches a host's connection and application, and the link that it probably sends to.
    fn prefetch_dependents(&self, node: usize) {
        let state = &self.nodes[node];
        if let NodeKind::Host(host) = &state.kind {
            host.prefetch();
            if let Some(wire) = state.ports.get(0) {
                self.prefetch_wire(wire);
            }
        }
    }

    fn prefetch_wire(&self, wire: Wire) {
        self.links[wire.link()].transmitters[wire.side()].prefetch();
    }
}
