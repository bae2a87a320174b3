//! Latencies and bandwidths of links.

use weir_json::{Kind, Value};

use crate::Error;
use crate::text::{is_number, shown};

/// Above these, numbers no longer fit the simulator's 64 bits.
const MAX_TIME_NS: u128 = 1_000_000_000_000_000_000;
const MAX_RATE_BPS: u128 = 1_000_000_000_000_000;

const NANOSECONDS: [(&str, u128); 7] = [
    ("ns", 1),
    ("us", 1_000),
    ("µs", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("min", 60_000_000_000),
    ("h", 3_600_000_000_000),
];

const BITS_PER_SECOND: [(&str, u128); 10] = [
    ("bit", 1),
    ("bps", 1),
    ("kbit", 1_000),
    ("kbps", 1_000),
    ("mbit", 1_000_000),
    ("mbps", 1_000_000),
    ("gbit", 1_000_000_000),
    ("gbps", 1_000_000_000),
    ("tbit", 1_000_000_000_000),
    ("tbps", 1_000_000_000_000),
];

/// A latency in nanoseconds. A bare number counts milliseconds; a string has a unit, except `"0"`.
pub(crate) fn latency(value: &Value) -> Result<u64, Error> {
    if value.kind == Kind::Text("0".to_owned()) {
        return Ok(0);
    }
    let quantity = Quantity::read(value, "latency", "1ms", "ms")?;
    let unit = quantity.unit.as_str();
    let Some((_, scale)) = NANOSECONDS.iter().find(|(name, _)| *name == unit) else {
        return Err(quantity.unknown_unit("ns, us, ms, s, min or h"));
    };
    quantity.scaled(*scale, MAX_TIME_NS, "a nanosecond")
}

/// A bandwidth in bits per second. A bare number counts megabits per second, a string has a unit,
/// null means unlimited.
pub(crate) fn bandwidth(value: &Value) -> Result<Option<u64>, Error> {
    if value.kind == Kind::Null {
        return Ok(None);
    }
    let quantity = Quantity::read(value, "bandwidth", "10Mbit", "Mbit")?;
    let unit = quantity.unit.to_lowercase();
    let unit = unit.strip_suffix("/s").unwrap_or(&unit);
    let Some((_, scale)) = BITS_PER_SECOND.iter().find(|(name, _)| *name == unit) else {
        return Err(quantity.unknown_unit("bit, kbit, Mbit, Gbit or Tbit (per second)"));
    };
    match quantity.scaled(*scale, MAX_RATE_BPS, "a bit per second")? {
        0 => {
            let what = quantity.name();
            Err(Error::new(format!(
                "{what} lets nothing through: a rate must be above zero (null means unlimited)"
            )))
        }
        bits => Ok(Some(bits)),
    }
}

/// A number with a unit, as the user wrote it.
struct Quantity {
    what: &'static str,
    text: String,
    number: Decimal,
    unit: String,
}

impl Quantity {
    /// Reads a number, which is in `usual` units, or a string with a number and a unit.
    fn read(value: &Value, what: &'static str, example: &str, usual: &str) -> Result<Self, Error> {
        let (text, number, unit) = match &value.kind {
            Kind::Number(number) => (format!("{number}{usual}"), number.as_str(), usual),
            Kind::Text(text) => {
                let trimmed = text.trim();
                let end = trimmed.find(|c: char| !(c.is_ascii_digit() || "+-.".contains(c)));
                let (number, unit) = trimmed.split_at(end.unwrap_or(trimmed.len()));
                (text.clone(), number.trim_end(), unit.trim_start())
            }
            _ => {
                let found = value.describe();
                return Err(Error::new(format!("expected a {what} such as \"{example}\", found {found}")));
            }
        };
        let quoted = shorten(&text);
        let is_unit = !unit.contains(|c: char| c.is_whitespace() || c.is_ascii_digit());
        let Some(decimal) = Decimal::parse(number).filter(|_| is_unit) else {
            return Err(Error::new(format!(
                "cannot read {what} '{quoted}': expected a number and a unit, such as \"{example}\""
            )));
        };
        if unit.is_empty() && number.starts_with('-') {
            return Err(Error::new(format!(
                "{what} '{quoted}' is negative, and has no unit: expected one such as \"{example}\""
            )));
        }
        if unit.is_empty() {
            let near = shorten(number);
            return Err(Error::new(format!(
                "{what} '{quoted}' has no unit: did you mean \"{near}{usual}\"?"
            )));
        }
        Ok(Self { what, text, number: decimal, unit: unit.to_owned() })
    }

    fn name(&self) -> String {
        format!("{} '{}'", self.what, shorten(&self.text))
    }

    fn unknown_unit(&self, known: &str) -> Error {
        Error::new(format!("unknown unit '{}' in {}: use {known}", shorten(&self.unit), self.name()))
    }

    /// The number times `scale`, at most `max`; `resolution` describes a difference of 1.
    fn scaled(&self, scale: u128, max: u128, resolution: &str) -> Result<u64, Error> {
        let fault = match self.number.scaled(scale, max) {
            Ok(number) => return Ok(number),
            Err(Fault::Negative) => "negative".to_owned(),
            Err(Fault::TooLarge) => "too large".to_owned(),
            Err(Fault::TooFine) => format!("finer than {resolution}"),
        };
        Err(Error::new(format!("{} is {fault}", self.name())))
    }
}

/// The beginning of a long text in a message.
fn shorten(text: &str) -> String {
    const SHOWN: usize = 40;
    if text.chars().count() <= SHOWN {
        return shown(text);
    }
    let start: String = text.chars().take(SHOWN).collect();
    format!("{}…", shown(&start))
}

/// A decimal number: `digits` times ten to the power of `exponent`. The digits neither begin nor
/// end with 0.
struct Decimal {
    negative: bool,
    digits: String,
    exponent: i64,
}

enum Fault {
    Negative,
    TooLarge,
    TooFine,
}

impl Decimal {
    /// Reads `-1`, `+2.5` or `1e-3`.
    fn parse(text: &str) -> Option<Self> {
        let (mantissa, exponent) = match text.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => {
                let (sign, digits) = match exponent.strip_prefix('-') {
                    Some(digits) => (-1, digits),
                    None => (1, exponent.strip_prefix('+').unwrap_or(exponent)),
                };
                if !is_number(digits) {
                    return None;
                }
                // An exponent of more digits than this is as good as the largest one.
                (mantissa, sign * digits.parse::<i64>().unwrap_or(i64::MAX / 4).min(i64::MAX / 4))
            }
            None => (text, 0),
        };
        let digits = mantissa.strip_prefix(['+', '-']).unwrap_or(mantissa);
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
        if !is_number(whole) || !is_number(fraction) {
            return None;
        }
        let all = format!("{whole}{fraction}");
        let trimmed = all.trim_end_matches('0');
        let exponent = exponent - fraction.len() as i64 + (all.len() - trimmed.len()) as i64;
        let digits = trimmed.trim_start_matches('0').to_owned();
        Some(Self { negative: mantissa.starts_with('-'), digits, exponent })
    }

    /// The number times `scale`, which is at most 10^13: a whole number up to `max`, which is below
    /// 10^20.
    fn scaled(&self, scale: u128, max: u128) -> Result<u64, Fault> {
        if self.digits.is_empty() {
            return Ok(0);
        }
        if self.negative {
            return Err(Fault::Negative);
        }
        // The place of the decimal point in the digits; what lies before it has at most 20 digits.
        let point = self.digits.len() as i64 + self.exponent;
        if point > 20 {
            return Err(Fault::TooLarge);
        }
        let split = point.clamp(0, self.digits.len() as i64) as usize;
        let (whole, fraction) = self.digits.split_at(split);
        let zeros = self.exponent.max(0) as u32;
        let whole = whole.parse::<u128>().unwrap_or(0) * 10u128.pow(zeros) * scale;
        if whole > max {
            return Err(Fault::TooLarge);
        }
        if fraction.is_empty() {
            return Ok(whole as u64);
        }
        // The last digit is not 0, so that with more than 18 places no scale makes the number
        // whole.
        let places = -self.exponent;
        if places > 18 {
            return Err(Fault::TooFine);
        }
        let part = fraction.parse::<u128>().unwrap_or(0) * scale;
        let unit = 10u128.pow(places as u32);
        if !part.is_multiple_of(unit) {
            return Err(Fault::TooFine);
        }
        let total = whole + part / unit;
        if total > max { Err(Fault::TooLarge) } else { Ok(total as u64) }
    }
}
