//! Exact quantities in `tc`'s notation.

/// Parses a decimal number. Returns its digits without the point, the number of digits after the
/// point, and the rest of the text.
fn parse_decimal(text: &str) -> Option<(u128, u32, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let (whole, part) = number.split_once('.').unwrap_or((number, ""));
    if whole.len() + part.len() > 20 || (whole.is_empty() && part.is_empty()) || part.contains('.') {
        return None;
    }
    let digits = format!("{whole}{part}").parse().ok()?;
    Some((digits, part.len() as u32, unit))
}

fn scale_decimal(digits: u128, decimals: u32, by: u128, over: u128) -> Option<u64> {
    u64::try_from(digits.checked_mul(by)? / (10u128.pow(decimals) * over)).ok()
}

/// Parses a rate, in bits per second.
pub(super) fn rate(text: &str) -> Option<u64> {
    let (digits, decimals, unit) = parse_decimal(text)?;
    let unit = unit.to_ascii_lowercase();
    let (prefix, bits) = match unit.as_str() {
        "" => ("", 1),
        unit => match unit.strip_suffix("bit") {
            Some(prefix) => (prefix, 1),
            None => (unit.strip_suffix("bps")?, 8),
        },
    };
    let factor = match prefix {
        "" => 1,
        "k" => 1_000,
        "m" => 1_000_000,
        "g" => 1_000_000_000,
        "t" => 1_000_000_000_000,
        "ki" => 1 << 10,
        "mi" => 1 << 20,
        "gi" => 1 << 30,
        "ti" => 1 << 40,
        _ => return None,
    };
    // The maximum rate of the simulator is 10^15 bit/s.
    scale_decimal(digits, decimals, factor * bits, 1)
        .filter(|rate| (1..=1_000_000_000_000_000).contains(rate))
}

/// Parses a size with its unit, in bytes.
pub(super) fn size(text: &str) -> Option<u64> {
    let (digits, decimals, unit) = parse_decimal(text)?;
    let (factor, over) = match unit.to_ascii_lowercase().as_str() {
        "" | "b" => (1, 1),
        "k" | "kb" => (1 << 10, 1),
        "m" | "mb" => (1 << 20, 1),
        "g" | "gb" => (1 << 30, 1),
        "kbit" => (1 << 10, 8),
        "mbit" => (1 << 20, 8),
        "gbit" => (1 << 30, 8),
        _ => return None,
    };
    scale_decimal(digits, decimals, factor, over)
}

/// Parses a time with its unit, in nanoseconds.
pub(super) fn time(text: &str) -> Option<u64> {
    let (digits, decimals, unit) = parse_decimal(text)?;
    let factor = match unit {
        "ns" | "nsec" | "nsecs" => 1,
        "" | "us" | "usec" | "usecs" => 1_000,
        "ms" | "msec" | "msecs" => 1_000_000,
        "s" | "sec" | "secs" => 1_000_000_000,
        _ => return None,
    };
    scale_decimal(digits, decimals, factor, 1)
}

/// Parses a percentage as a probability from 0 to 1.
pub(super) fn percent(text: &str) -> Option<f64> {
    let number: f64 = text.strip_suffix('%').unwrap_or(text).parse().ok()?;
    (0.0..=100.0).contains(&number).then_some(number / 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_have_the_tools_own_units() {
        assert_eq!(
            [rate("10mbit"), rate("1.5Mbit"), rate("64kbit")],
            [Some(10_000_000), Some(1_500_000), Some(64_000)]
        );
        assert_eq!([rate("1mbps"), rate("1000"), rate("1kibit")], [Some(8_000_000), Some(1000), Some(1024)]);
        assert_eq!([rate("fast"), rate("0mbit"), rate("1xbit"), rate(""), rate("1.2.3mbit")], [None; 5]);
        assert_eq!(
            [size("1600"), size("1600b"), size("15k"), size("32kbit")],
            [Some(1600), Some(1600), Some(15360), Some(4096)]
        );
        assert_eq!(
            [time("20ms"), time("100"), time("1.5s"), time("7ns")],
            [Some(20_000_000), Some(100_000), Some(1_500_000_000), Some(7)]
        );
        assert_eq!(
            [percent("1%"), percent("0.5"), percent("101%"), percent("x")],
            [Some(0.01), Some(0.005), None, None]
        );
        assert_eq!(rate("99999999999999999999mbit"), None);
    }
}
