//! What a network holds.

use super::{Kind, Network};
use crate::Load;

impl Network {
    /// What the network holds now.
    pub fn load(&self) -> Load {
        let mut load = Load {
            frames: self.frames.live(),
            frame_room: self.frames.slots(),
            events: self.events.len(),
            event_room: self.events.room(),
            wakes: self.app_wakes.len(),
            wake_room: self.app_wakes.room(),
            ..Load::default()
        };
        for node in &self.nodes {
            if let Kind::Host(host) = &node.kind {
                host.add_load(&mut load);
            }
        }
        load
    }
}
