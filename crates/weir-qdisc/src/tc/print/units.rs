//! Quantities in the format of `tc`'s output.

use std::fmt;

/// Shows a rate, such as `10Mbit` or `1500Kbit`.
pub(super) struct Rate(pub(super) u64);

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mut rate, mut unit) = (self.0, "");
        for larger in ["K", "M", "G", "T"] {
            if rate < 1000 || (rate % 1000 != 0 && rate < 1_000_000) {
                break;
            }
            (rate, unit) = (rate / 1000, larger);
        }
        write!(f, "{rate}{unit}bit")
    }
}

/// A size such as `1600b`, `15Kb`: in units of 1024 if it is a multiple.
pub(super) struct Size(pub(super) u64);

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            size if size >= 1 << 20 && size.is_multiple_of(1 << 20) => write!(f, "{}Mb", size >> 20),
            size if size >= 1 << 10 && size.is_multiple_of(1 << 10) => write!(f, "{}Kb", size >> 10),
            size => write!(f, "{size}b"),
        }
    }
}

/// Shows a time, such as `100ms` or `1.5s`.
pub(super) struct Time(pub(super) u64);

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (unit, name) in [(1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "us")] {
            if self.0 >= unit {
                return write!(f, "{}{name}", self.0 as f64 / unit as f64);
            }
        }
        write!(f, "{}ns", self.0)
    }
}
