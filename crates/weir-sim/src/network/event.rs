//! What happens in a network.

use super::wire::Wire;
use crate::frames::FrameId;
use crate::host::ids::AppKey;

/// What will happen. Copied a lot, so it is small: numbers only.
#[derive(Clone, Copy)]
pub(super) enum Event {
    /// A transmitter wanted to be called.
    Sent { wire: Wire },
    /// A frame's last bit arrives, or would.
    Arrived { wire: Wire, frame: FrameId },
    /// A host notices a frame that has arrived over this wire.
    Noticed { wire: Wire, frame: FrameId },
    /// A host receives a packet from itself.
    Loopback { node: u32, packet: FrameId },
    /// A device's transmission that was announced for later; its port is in its buffer.
    Transmit { node: u32, frame: FrameId },
    /// A node has something to do by itself.
    Wake { node: u32 },
    /// An application starts, as noted under this number.
    AppStart { node: u32, wake: u32 },
    /// An application is woken, as noted under this number.
    AppWake { node: u32, wake: u32 },
}

/// Which applications are to be woken, and with what tokens, by numbers that are used again.
#[derive(Default)]
pub(super) struct AppWakes {
    entries: Vec<(AppKey, u64)>,
    free: Vec<u32>,
}

impl AppWakes {
    pub(super) fn add(&mut self, app: AppKey, token: u64) -> u32 {
        if let Some(number) = self.free.pop() {
            self.entries[number as usize] = (app, token);
            return number;
        }
        self.entries.push((app, token));
        (self.entries.len() - 1) as u32
    }

    pub(super) fn take(&mut self, number: u32) -> (AppKey, u64) {
        self.free.push(number);
        self.entries[number as usize]
    }

    /// Wake-ups that wait for their time.
    pub(super) fn len(&self) -> usize {
        self.entries.len() - self.free.len()
    }

    pub(super) fn capacity(&self) -> usize {
        self.entries.len()
    }
}
