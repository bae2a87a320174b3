//! Memory that the next event needs is asked for while this one is handled.
//!
//! The state of many hosts does not fit the nearest caches, and a hop touches a few lines of it, one after the other. Loads whose
//! results nobody waits for go on beside other work.

use std::hint::black_box;

use super::{Event, Kind, Network, Wire};

impl Network {
    /// Asks for what an event that comes soon will touch first.
    pub(super) fn fetch_soon(&self) {
        match self.events.soon() {
            Some(Event::Arrived { wire, frame } | Event::Noticed { wire, frame }) => {
                let transmitter = &self.links[wire.link()].transmitters[wire.side()];
                transmitter.fetch();
                self.frames.fetch(frame);
                self.fetch_host(transmitter.to().0);
            }
            Some(Event::AppWake { node, wake }) => {
                self.fetch_host(node as usize);
                if let Kind::Host(host) = &self.nodes[node as usize].kind {
                    host.fetch_app(self.app_wakes.app(wake));
                }
            }
            Some(Event::Wake { node } | Event::Loopback { node, .. } | Event::AppStart { node, .. }) => {
                self.fetch_host(node as usize);
            }
            Some(Event::Transmit { node, frame }) => {
                self.frames.fetch(frame);
                let port = self.frames.out(frame);
                self.fetch_way(port.and_then(|port| self.nodes[node as usize].ports.get(port)));
            }
            Some(Event::Sent { wire }) => self.fetch_way(Some(wire)),
            None => {}
        }
    }

    /// A host's, and that of the link it sends to as a rule.
    fn fetch_host(&self, node: usize) {
        let state = &self.nodes[node];
        if let Kind::Host(host) = &state.kind {
            black_box(state.named);
            host.fetch();
            self.fetch_way(state.ports.get(0));
        }
    }

    fn fetch_way(&self, wire: Option<Wire>) {
        if let Some(wire) = wire {
            self.links[wire.link()].transmitters[wire.side()].fetch();
        }
    }
}
