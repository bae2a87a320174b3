//! Rates and times with units.

use crate::Error;

/// Nanoseconds since, or for how long.
type Nanos = u64;

/// A rate in bits per second: `10Mbit`, `64kbit`, `1Gbps`.
///
/// # Errors
/// It is no rate, has no unit, is not above zero, or is no whole number of bits per second.
pub fn read_rate(text: &str) -> Result<u64, Error> {
    const MOST: u128 = 1_000_000_000_000_000;
    let unreadable =
        || Error::new(format!("cannot read rate '{text}': expected a number and a unit, such as \"10Mbit\""));
    let trimmed = text.trim();
    let split = trimmed.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | '+' | '-')));
    let (number, unit) = trimmed.split_at(split.unwrap_or(trimmed.len()));
    let unit = unit.trim_start();
    let (negative, digits) = match number.strip_prefix(['+', '-']) {
        Some(digits) => (number.starts_with('-'), digits),
        None => (false, number),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    let is_number = |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number(whole)
        || !is_number(fraction)
        || unit.contains(|c: char| c.is_whitespace() || c.is_ascii_digit())
    {
        return Err(unreadable());
    }
    if unit.is_empty() {
        return Err(Error::new(format!("rate '{text}' has no unit")).suggesting(format!("{number}Mbit")));
    }
    let unit_name = unit.to_lowercase();
    let scale: u128 = match unit_name.strip_suffix("/s").unwrap_or(&unit_name) {
        "bit" | "bps" => 1,
        "kbit" | "kbps" => 1_000,
        "mbit" | "mbps" => 1_000_000,
        "gbit" | "gbps" => 1_000_000_000,
        "tbit" | "tbps" => 1_000_000_000_000,
        _ => {
            return Err(Error::new(format!(
                "unknown unit '{unit}' in rate '{text}': use bit, kbit, Mbit, Gbit or Tbit (per second)"
            )));
        }
    };
    if negative {
        return Err(Error::new(format!("rate '{text}' is negative")));
    }
    let too_large = || Error::new(format!("rate '{text}' is too large"));
    let fraction = fraction.trim_end_matches('0');
    let finer = || Error::new(format!("rate '{text}' is finer than a bit per second"));
    let whole =
        whole.parse::<u128>().ok().and_then(|whole| whole.checked_mul(scale)).ok_or_else(too_large)?;
    let tens = 10u128.checked_pow(fraction.len() as u32).ok_or_else(finer)?;
    let part = fraction.parse::<u128>().unwrap_or(0) * scale;
    let bits = whole.checked_add(part / tens).filter(|bits| *bits <= MOST).ok_or_else(too_large)?;
    if !part.is_multiple_of(tens) {
        return Err(finer());
    }
    if bits == 0 {
        return Err(Error::new(format!(
            "rate '{text}' lets nothing through: a rate must be above zero (None means unlimited)"
        )));
    }
    Ok(bits as u64)
}

/// `10Mbit`, `64kbit`.
pub fn format_rate(bits_per_second: u64) -> String {
    let units = [(1_000_000_000_000, "Tbit"), (1_000_000_000, "Gbit"), (1_000_000, "Mbit"), (1_000, "kbit")];
    match units.into_iter().find(|(unit, _)| bits_per_second >= *unit) {
        Some((unit, name)) => format!("{}{name}", fraction(bits_per_second, unit)),
        None => format!("{bits_per_second}bit"),
    }
}

/// `20ms`, `1.5s`, `250ns`: the largest unit (up to seconds) that leaves a number of at least 1.
pub fn format_time(nanoseconds: Nanos) -> String {
    let units = [(1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "us")];
    match units.into_iter().find(|(unit, _)| nanoseconds >= *unit) {
        Some((unit, name)) => format!("{}{name}", fraction(nanoseconds, unit)),
        None => format!("{nanoseconds}ns"),
    }
}

/// A number divided by a power of ten, as a decimal fraction.
pub(crate) fn fraction(number: u64, unit: u64) -> String {
    let digits = unit.ilog10() as usize;
    let text = format!("{}.{:0digits$}", number / unit, number % unit);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
