//! The receiving half of a port, which is left alone for a while when it fails.

use weir_device::{Nanos, Port};
use weir_ports::{Batch, Receive, Trouble, WaitOn};

use super::trouble::report;

/// How long a port is left alone after it has failed once. It may say at once that it is ready.
const FIRST_PAUSE: Nanos = 10_000_000;
/// How long if it goes on failing.
const LONGEST_PAUSE: Nanos = 250_000_000;

/// The receiving half of a port.
pub struct Receiving {
    /// The port's number.
    pub number: Port,
    /// What receives.
    pub receive: Box<dyn Receive>,
    /// Whether to receive without waiting: there were frames the last time, or somebody says so.
    pub may_have_frames: bool,
    trouble: Trouble,
    /// How long the last pause was; 0 if the port works.
    pause: Nanos,
    /// When the pause ends; 0 if there is none.
    resumes: Nanos,
}

impl Receiving {
    /// A port that works.
    pub fn new(number: Port, receive: Box<dyn Receive>) -> Self {
        Self { number, receive, may_have_frames: true, trouble: Trouble::default(), pause: 0, resumes: 0 }
    }

    /// Adds the frames that have arrived to a batch. Adds none while the port is left alone.
    pub fn receive<'a>(
        &'a mut self,
        switch: Option<&str>,
        now: impl Fn() -> Nanos,
        batch: &mut Batch<'a>,
    ) -> Port {
        // The clock costs some time.
        if self.resumes == 0 || now() >= self.resumes {
            self.resumes = 0;
            match self.receive.receive(batch) {
                Ok(()) => self.pause = 0,
                Err(error) => {
                    let now = now();
                    self.pause = (self.pause * 2).clamp(FIRST_PAUSE, LONGEST_PAUSE);
                    self.resumes = now + self.pause;
                    report(&mut self.trouble, switch, now, &error);
                }
            }
        }
        self.number
    }

    /// What to wait for, and when to try again a port that is left alone.
    pub fn wait_on(&self) -> Result<WaitOn<'_>, Nanos> {
        if self.resumes == 0 { Ok(self.receive.wait_on()) } else { Err(self.resumes) }
    }
}
