//! The switch's time: nanoseconds since the service began, on a monotonic clock.

use std::time::Instant;

use weir_device::Nanos;

/// Time since the service began.
#[derive(Clone, Copy, Debug)]
pub struct Clock(Instant);

impl Clock {
    /// Starts a clock at 0.
    pub fn start() -> Self {
        Self(Instant::now())
    }

    /// Returns the time in nanoseconds.
    pub fn now(self) -> Nanos {
        Nanos::try_from(self.0.elapsed().as_nanos()).unwrap_or(Nanos::MAX)
    }
}
