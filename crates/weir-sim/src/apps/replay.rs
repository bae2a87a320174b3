//! Sends captured frames.

use weir_device::{Nanos, Port};

use crate::host::app::{App, HostContext};
use crate::host::socket::AppEvent;

/// Sends frames at given times after its start. Frames with equal times are sent in the given
/// order.
pub struct Replay {
    interface: Port,
    frames: Vec<(Nanos, Vec<u8>)>,
    started: Nanos,
    sent: usize,
    stopped: bool,
}

impl Replay {
    /// Frames from their Ethernet headers on, with their sending times in nanoseconds from the
    /// start, in any order.
    pub fn new(interface: Port, mut frames: Vec<(Nanos, Vec<u8>)>) -> Self {
        frames.sort_by_key(|(time, _)| *time);
        Replay { interface, frames, started: 0, sent: 0, stopped: false }
    }

    /// Returns the number of frames sent so far.
    pub fn sent(&self) -> u64 {
        self.sent as u64
    }

    /// Sends the frames that are due.
    fn send(&mut self, host: &mut HostContext<'_>) {
        while let (false, Some((time, frame))) = (self.stopped, self.frames.get_mut(self.sent)) {
            let due = self.started.saturating_add(*time);
            if due > host.now() {
                host.wake_at(due, 0);
                return;
            }
            host.send_frame(self.interface, std::mem::take(frame));
            self.sent += 1;
        }
    }
}

impl App for Replay {
    fn start(&mut self, host: &mut HostContext<'_>) {
        self.started = host.now();
        self.send(host);
    }

    fn wake(&mut self, _: u64, host: &mut HostContext<'_>) {
        self.send(host);
    }

    fn receive(&mut self, _: &AppEvent<'_>, _: &mut HostContext<'_>) {}

    fn stop(&mut self, _: &mut HostContext<'_>) {
        self.stopped = true;
    }

    fn is_self_contained(&self) -> bool {
        true
    }

    fn finished(&self) -> bool {
        self.stopped || self.sent == self.frames.len()
    }
}
