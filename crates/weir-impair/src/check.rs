//! The ranges of settings.

use weir_device::Nanos;

/// The longest duration that a setting may have, about 146 years. It keeps sums of times far below
/// 2^64.
pub const MAX_DURATION: Nanos = 1 << 62;

/// The error for a setting that is out of range.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("link setting {setting}: {value} is out of range; expected {expected}")]
pub struct OutOfRange {
    /// The name of the setting.
    pub setting: &'static str,
    /// The value that is out of range.
    pub value: String,
    /// The allowed range.
    pub expected: &'static str,
}

pub(crate) fn out_of_range(
    setting: &'static str,
    value: String,
    expected: &'static str,
) -> Result<(), OutOfRange> {
    Err(OutOfRange { setting, value, expected })
}

/// Checks that a setting is a probability.
pub(crate) fn probability(setting: &'static str, value: f64) -> Result<(), OutOfRange> {
    if (0.0..=1.0).contains(&value) {
        return Ok(());
    }
    out_of_range(setting, value.to_string(), "a probability from 0 to 1")
}

/// Checks that a setting is a time in the supported range.
pub(crate) fn time(setting: &'static str, value: Nanos) -> Result<(), OutOfRange> {
    if value <= MAX_DURATION {
        Ok(())
    } else {
        out_of_range(setting, format!("{value} ns"), "at most 2^62 ns")
    }
}
