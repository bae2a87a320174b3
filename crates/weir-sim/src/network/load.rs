//! What a network holds.

use super::{Kind, Network};
use crate::ResourceUsage;

impl Network {
    /// What the network holds now.
    pub fn load(&self) -> ResourceUsage {
        let mut load = ResourceUsage {
            frames: self.frames.live(),
            frame_capacity: self.frames.slots(),
            events: self.events.len(),
            event_capacity: self.events.room(),
            wakes: self.app_wakes.len(),
            wake_capacity: self.app_wakes.room(),
            ..ResourceUsage::default()
        };
        for node in &self.nodes {
            if let Kind::Host(host) = &node.kind {
                host.add_load(&mut load);
            }
        }
        load
    }
}
