//! Memory is asked for ahead of its use.
//!
//! The state of many hosts does not fit the nearest caches, and a hop touches a few dozen lines of it. What an event names is asked for while the one before it
//! is handled; what that points to, when the event's turn has come.

use weir_prefetch::prefetch as prefetch_memory;

use super::{Event, NODE_HOT_BYTES, Network, NodeKind, Wire};

impl Network {
    /// Asks for what an event that is about to be handled needs beside what it names, and for what the next one names.
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

    /// The host that an event happens to.
    fn host_of(&self, event: Event) -> Option<usize> {
        match event {
            Event::Arrived { wire, .. } | Event::Noticed { wire, .. } => {
                self.hosts_at[wire.number()].map(|node| node as usize)
            }
            Event::AppWake { node, .. }
            | Event::Wake { node }
            | Event::Loopback { node, .. }
            | Event::AppStart { node, .. } => Some(node as usize),
            Event::Transmit { .. } | Event::Sent { .. } => None,
        }
    }

    /// An event's transmitter, its frame, its host.
    fn prefetch_direct(&self, event: Event) {
        match event {
            Event::Arrived { wire, frame } | Event::Noticed { wire, frame } => {
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
            Event::AppWake { .. } | Event::Wake { .. } | Event::Loopback { .. } | Event::AppStart { .. } => {}
        }
        if let Some(host) = self.host_of(event) {
            prefetch_memory(&self.nodes[host], NODE_HOT_BYTES);
        }
    }

    /// A host's connection and application, and the link that it sends to as a rule.
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
