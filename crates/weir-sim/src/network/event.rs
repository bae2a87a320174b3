//! The events of a network.

use super::wire::Wire;
use crate::frames::FrameId;
use crate::host::ids::AppKey;

/// An event. It is copied often, so it consists of small numbers.
#[derive(Clone, Copy)]
pub(super) enum Event {
    /// A transmitter can send its next frame.
    Sent { wire: Wire },
    /// A frame's last bit arrives, or would arrive.
    Arrived { wire: Wire, frame: FrameId },
    /// A host processes a frame that has arrived over this wire.
    Process { wire: Wire, frame: FrameId },
    /// A host receives a packet from itself.
    Loopback { node: u32, packet: FrameId },
    /// A device transmits a frame that it announced earlier; the port is in the buffer.
    Transmit { node: u32, frame: FrameId },
    /// A processor of the computer has finished a piece of work.
    Processor { processor: u32 },
    /// A deadline of a node.
    Wake { node: u32 },
    /// An application starts; `wake` is its number in [`AppWakes`].
    AppStart { node: u32, wake: u32 },
    /// An application is woken up; `wake` is its number in [`AppWakes`].
    AppWake { node: u32, wake: u32 },
}

/// The applications to wake and their tokens, in reusable slots.
#[derive(Default)]
pub(super) struct AppWakes {
    entries: Vec<(AppKey, u64)>,
    free: Vec<u32>,
}

impl AppWakes {
    /// Adds a wake-up and returns its number.
    pub(super) fn add(&mut self, app: AppKey, token: u64) -> u32 {
        if let Some(number) = self.free.pop() {
            self.entries[number as usize] = (app, token);
            return number;
        }
        self.entries.push((app, token));
        (self.entries.len() - 1) as u32
    }

    pub(super) fn take_wake(&mut self, number: u32) -> (AppKey, u64) {
        self.free.push(number);
        self.entries[number as usize]
    }

    /// Returns the number of pending wake-ups.
    pub(super) fn len(&self) -> usize {
        self.entries.len() - self.free.len()
    }

    /// Returns the number of wake-ups for which there is memory.
    pub(super) fn capacity(&self) -> usize {
        self.entries.len()
    }
}
