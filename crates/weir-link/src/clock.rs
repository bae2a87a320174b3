//! The clock that times delays, and a timer on this clock.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::time::{
    ClockId, Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, clock_gettime,
    timerfd_create, timerfd_settime,
};
use weir_device::Nanos;

fn read(clock: ClockId) -> Nanos {
    let time = clock_gettime(clock);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Returns the time on the monotonic clock, in nanoseconds.
pub fn now() -> Nanos {
    read(ClockId::Monotonic)
}

/// Returns the time at which a frame arrived, on the clock of [`now`]. The kernel gives the time of
/// arrival on the wall clock, which may jump. If the result is impossible, it is replaced by the
/// current time.
pub fn arrival(time_of_day: Option<Nanos>) -> Nanos {
    /// The maximum time that a frame waits in a socket. If a frame seems to have waited longer, the
    /// wall clock was changed.
    const MAX_FRAME_AGE: Nanos = 1_000_000_000;
    let (now, today) = (now(), read(ClockId::Realtime));
    let age = time_of_day.and_then(|time| today.checked_sub(time)).filter(|age| *age < MAX_FRAME_AGE);
    now.saturating_sub(age.unwrap_or(0))
}

/// A timer that wakes a thread at an exact time, without the timer slack that the kernel adds to
/// timeouts.
#[derive(Debug)]
pub struct Timer {
    descriptor: OwnedFd,
    set: Option<Nanos>,
}

impl Timer {
    /// Creates a timer that is not set.
    ///
    /// # Errors
    /// There are no more descriptors.
    pub fn new() -> io::Result<Self> {
        let flags = TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC;
        Ok(Self { descriptor: timerfd_create(TimerfdClockId::Monotonic, flags)?, set: None })
    }

    /// Sets the timer to a time, or to none.
    ///
    /// # Errors
    /// The operating system failed unexpectedly.
    pub fn set(&mut self, time: Option<Nanos>) -> io::Result<()> {
        if self.set == time {
            return Ok(());
        }
        self.set = time;
        // A time of zero would stop the timer.
        let time = time.map_or(0, |time| time.max(1));
        let expiry = Timespec {
            tv_sec: i64::try_from(time / 1_000_000_000).unwrap_or(i64::MAX),
            tv_nsec: (time % 1_000_000_000) as _,
        };
        let never = Timespec { tv_sec: 0, tv_nsec: 0 };
        let value = Itimerspec { it_interval: never, it_value: expiry };
        timerfd_settime(&self.descriptor, TimerfdTimerFlags::ABSTIME, &value)?;
        Ok(())
    }

    /// Clears the expiry that makes the timer readable.
    pub fn clear(&mut self) {
        self.set = None;
        // This fails only if the timer was set again in the meantime.
        let _ = rustix::io::read(&self.descriptor, &mut [0; 8]);
    }
}

impl AsFd for Timer {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.descriptor.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_times_of_arrival_are_now() {
        let today = read(ClockId::Realtime);
        for impossible in [None, Some(today + 3_600_000_000_000), Some(today - 3_600_000_000_000)] {
            let before = now();
            let arrived = arrival(impossible);
            assert!(before <= arrived && arrived <= now());
        }
        let before = now();
        let arrived = arrival(Some(today));
        assert!(arrived <= now() && arrived >= before - 1_000_000_000);
    }
}
