//! Reports the resource usage of a network.

use super::{Network, NodeKind};
use crate::ResourceUsage;

impl Network {
    /// Returns the current resource usage.
    pub fn resource_usage(&self) -> ResourceUsage {
        let mut load = ResourceUsage {
            frames: self.frames.in_use(),
            frame_capacity: self.frames.capacity(),
            events: self.events.len(),
            event_capacity: self.events.capacity(),
            wakes: self.app_wakes.len(),
            wake_capacity: self.app_wakes.capacity(),
            ..ResourceUsage::default()
        };
        for node in &self.nodes {
            if let NodeKind::Host(host) = &node.kind {
                host.add_usage(&mut load);
            }
        }
        load
    }
}
