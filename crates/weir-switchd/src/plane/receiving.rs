//! The receiving half of a port, which is paused for a while after it fails.

use weir_device::{Nanos, Port};
use weir_ports::{Batch, ErrorLog, Receive, WaitOn};

use super::port_errors::report;

/// The time for which a port is paused after its first failure. Without a pause, the port could
/// report at once that it is ready again.
const FIRST_PAUSE: Nanos = 10_000_000;
/// The longest pause of a port that keeps failing.
const MAX_PAUSE: Nanos = 250_000_000;

/// The receiving half of a port.
pub struct ReceivingPort {
    /// The port's number.
    pub number: Port,
    /// The half that receives.
    pub receive: Box<dyn Receive>,
    /// Whether to receive without waiting, because the last receive returned frames or more frames
    /// are expected.
    pub may_have_frames: bool,
    trouble: ErrorLog,
    /// The length of the last pause; 0 if the port works.
    pause: Nanos,
    /// The time at which the pause ends; 0 if the port is not paused.
    resumes: Nanos,
}

impl ReceivingPort {
    /// Creates a port that has not failed.
    pub fn new(number: Port, receive: Box<dyn Receive>) -> Self {
        Self { number, receive, may_have_frames: true, trouble: ErrorLog::default(), pause: 0, resumes: 0 }
    }

    /// Adds the frames that have arrived to a batch. Adds none while the port is paused.
    pub fn receive<'a>(
        &'a mut self,
        switch: Option<&str>,
        now: impl Fn() -> Nanos,
        batch: &mut Batch<'a>,
    ) -> Port {
        // Reading the clock takes some time.
        if self.resumes == 0 || now() >= self.resumes {
            self.resumes = 0;
            match self.receive.receive(batch) {
                Ok(()) => self.pause = 0,
                Err(error) => {
                    let now = now();
                    self.pause = (self.pause * 2).clamp(FIRST_PAUSE, MAX_PAUSE);
                    self.resumes = now + self.pause;
                    report(&mut self.trouble, switch, now, &error);
                }
            }
        }
        self.number
    }

    /// Returns what to wait for. For a paused port, returns the time at which to try the port
    /// again.
    pub fn wait_on(&self) -> Result<WaitOn<'_>, Nanos> {
        if self.resumes == 0 { Ok(self.receive.wait_on()) } else { Err(self.resumes) }
    }
}
