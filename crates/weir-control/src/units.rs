//! Rates and times with units.

use weir_switch::control::MeterRate;

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

/// A time in nanoseconds: `20ms`, `1.5s`, `2min`. Messages call it `what`.
///
/// # Errors
/// It is no time, has no unit, or is finer than a nanosecond.
pub fn read_time(text: &str, what: &str) -> Result<Nanos, Error> {
    const UNITS: [(&str, u128); 7] = [
        ("ns", 1),
        ("us", 1_000),
        ("µs", 1_000),
        ("ms", 1_000_000),
        ("s", 1_000_000_000),
        ("min", 60_000_000_000),
        ("h", 3_600_000_000_000),
    ];
    /// Billionths of a unit, so that a product is exact.
    const SCALE: u128 = 1_000_000_000;
    let split = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
    let (number, unit) = (&text[..split], text[split..].trim());
    let Some(billionths) = scaled(number, 9) else {
        let message = format!("cannot read {what} '{text}': expected a number and a unit, such as \"1s\"");
        return Err(Error::new(message));
    };
    let Some((_, scale)) = UNITS.iter().find(|(name, _)| *name == unit) else {
        let message = format!("unknown unit '{unit}' in {what} '{text}': use ns, us, ms, s, min or h");
        return Err(Error::new(message));
    };
    let product = billionths.checked_mul(*scale);
    match product.and_then(|product| u64::try_from(product / SCALE).ok()) {
        None => Err(Error::new(format!("{what} '{text}' is too large"))),
        Some(_) if product.is_some_and(|product| !product.is_multiple_of(SCALE)) => {
            Err(Error::new(format!("{what} '{text}' is finer than a nanosecond")))
        }
        Some(time) => Ok(time),
    }
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

/// A decimal number such as `0.5` or `2e-3` times a power of ten, rounded to the nearest whole
/// number, halves to the even one: nothing if it is no number or has more than 96 bits.
pub(crate) fn scaled(text: &str, power: i32) -> Option<u128> {
    let (digits, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, decimals) = digits.split_once('.').unwrap_or((digits, ""));
    let all = format!("{whole}{decimals}");
    if all.is_empty() || all.len() > 30 || !all.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let number = all.parse::<u128>().ok()?;
    let exponent = exponent.parse::<i32>().ok()?.checked_add(power)?.checked_sub(decimals.len() as i32)?;
    if number == 0 {
        return Some(0);
    }
    let scale = 10u128.checked_pow(exponent.unsigned_abs());
    let scaled = match (exponent >= 0, scale) {
        (true, scale) => number.checked_mul(scale?)?,
        (false, None) => 0,
        (false, Some(scale)) => {
            let (whole, rest) = (number / scale, number % scale);
            let up = rest > scale / 2 || (rest == scale / 2 && whole % 2 == 1);
            whole + u128::from(up)
        }
    };
    (scaled < 1 << 96).then_some(scaled)
}

/// The rate of a meter from a decimal number of units per second.
///
/// # Errors
/// It is no number, is too large, or is above 0 and less than half a billionth.
pub fn read_meter_rate(text: &str) -> Result<MeterRate, Error> {
    let shown = crate::value::short(text);
    let is_number = text.starts_with(|c: char| c.is_ascii_digit());
    let Some(billionths) = scaled(text, 9).filter(|_| is_number) else {
        return Err(Error::new(format!(
            "expected a rate in units per second such as 100 or 0.5, found {shown}"
        )));
    };
    meter_rate(billionths, text)
}

/// The rate of a meter, which is 0 only if it was written so.
pub(crate) fn meter_rate(billionths: u128, text: &str) -> Result<MeterRate, Error> {
    let is_zero =
        |text: &str| !text.split(['e', 'E']).next().unwrap_or("").contains(|c| matches!(c, '1'..='9'));
    if billionths == 0 && !is_zero(text) {
        return Err(Error::new(format!("{text} is less than a billionth a second: no meter is that slow")));
    }
    Ok(MeterRate::from_billionths(billionths))
}

/// A number divided by a power of ten, as a decimal fraction.
pub(crate) fn fraction(number: impl Into<u128>, unit: impl Into<u128>) -> String {
    let (number, unit): (u128, u128) = (number.into(), unit.into());
    let digits = unit.ilog10() as usize;
    let text = format!("{}.{:0digits$}", number / unit, number % unit);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
