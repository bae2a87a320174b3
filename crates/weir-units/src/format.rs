//! Writes quantities.

use crate::decimal::Decimal;

/// Formats a rate, such as `10Mbit` or `64kbit`.
pub fn format_rate(bits_per_second: u64) -> String {
    let units = [(1_000_000_000_000, "Tbit"), (1_000_000_000, "Gbit"), (1_000_000, "Mbit"), (1_000, "kbit")];
    match units.into_iter().find(|(unit, _)| bits_per_second >= *unit) {
        Some((unit, name)) => format!("{}{name}", decimal_fraction(bits_per_second, unit)),
        None => format!("{bits_per_second}bit"),
    }
}

/// Formats a time, such as `20ms`, `1.5s` or `250ns`: in the largest unit up to seconds in which
/// the number is at least 1.
pub fn format_time(nanoseconds: u64) -> String {
    let units = [(1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "us")];
    match units.into_iter().find(|(unit, _)| nanoseconds >= *unit) {
        Some((unit, name)) => format!("{}{name}", decimal_fraction(nanoseconds, unit)),
        None => format!("{nanoseconds}ns"),
    }
}

/// Formats a size, such as `1500B`, `64kB` or `1.5MB`: in the largest unit in which the number has
/// at most three decimals.
pub fn format_size(bytes: u64) -> String {
    let units = [(1_000_000_000, "GB"), (1_000_000, "MB"), (1_000, "kB")];
    let fits = |unit: u64| bytes >= unit && bytes.is_multiple_of(unit / 1_000);
    match units.into_iter().find(|(unit, _)| fits(*unit)) {
        Some((unit, name)) => format!("{}{name}", decimal_fraction(bytes, unit)),
        None => format!("{bytes}B"),
    }
}

/// Returns a share as text, such as `1%` or `0.5%`. It is the shortest percentage that reads back
/// as the same share.
pub fn format_share(share: f64) -> String {
    let text = share.to_string();
    let percent = Decimal::parse(&text).and_then(|share| share.times_ten_to_the(2).plain());
    percent.map_or_else(|| format!("{}%", share * 100.0), |percent| format!("{percent}%"))
}

/// Writes a number divided by a power of ten as a decimal fraction: 1 500 divided by 1 000 is
/// `1.5`.
pub fn decimal_fraction(number: impl Into<u128>, power_of_ten: impl Into<u128>) -> String {
    let (number, power_of_ten): (u128, u128) = (number.into(), power_of_ten.into());
    let digits = power_of_ten.ilog10() as usize;
    let text = format!("{}.{:0digits$}", number / power_of_ten, number % power_of_ten);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
