//! Exact decimal numbers.

/// A decimal number: `digits` times ten to the power of `exponent`. The digits neither begin nor
/// end with 0. The number zero has no digits.
#[derive(Clone, Debug)]
pub(crate) struct Decimal {
    negative: bool,
    digits: String,
    exponent: i64,
}

/// The reason why a number times a scale is not a whole number in range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    Negative,
    TooLarge,
    TooFine,
}

impl Decimal {
    /// Reads `-1`, `+2.5` or `1e-3`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (mantissa, exponent) = match text.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, read_exponent(exponent)?),
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
        let negative = mantissa.starts_with('-') && !digits.is_empty();
        Some(Self { negative, exponent: if digits.is_empty() { 0 } else { exponent }, digits })
    }

    /// Returns whether the number is below 0.
    pub(crate) fn is_negative(&self) -> bool {
        self.negative
    }

    /// Returns whether the number is above 0 and below 1.
    pub(crate) fn is_fraction(&self) -> bool {
        !self.negative && !self.digits.is_empty() && self.point() <= 0
    }

    /// Returns whether the number is from 0 to 100.
    pub(crate) fn is_percentage(&self) -> bool {
        !self.negative && (self.point() <= 2 || (self.digits == "1" && self.exponent == 2))
    }

    /// Returns the same digits with the decimal point `places` further to the right.
    pub(crate) fn times_ten_to_the(&self, places: i64) -> Self {
        let exponent = if self.digits.is_empty() { 0 } else { self.exponent + places };
        Self { exponent, ..self.clone() }
    }

    /// Returns the nearest floating-point number.
    pub(crate) fn to_f64(&self) -> f64 {
        let sign = if self.negative { "-" } else { "" };
        // A whole number with an exponent is a number to Rust too; zero has no digits.
        format!("{sign}0{}e{}", self.digits, self.exponent).parse().unwrap_or_default()
    }

    /// Returns the number as text without exponent, such as `0.00001`; `None` if that text would be
    /// long.
    pub(crate) fn plain(&self) -> Option<String> {
        /// The most digits of a number that is shown without exponent.
        const MAX_PLAIN_DIGITS: i64 = 30;
        if self.exponent.abs() > MAX_PLAIN_DIGITS || self.digits.len() as i64 > MAX_PLAIN_DIGITS {
            return None;
        }
        let sign = if self.negative { "-" } else { "" };
        let (digits, point) = (&self.digits, self.point());
        if self.exponent >= 0 {
            let zeros = "0".repeat(self.exponent as usize);
            let whole = format!("{digits}{zeros}");
            return Some(format!("{sign}{}", if digits.is_empty() { "0" } else { &whole }));
        }
        if point <= 0 {
            return Some(format!("{sign}0.{}{digits}", "0".repeat(-point as usize)));
        }
        let (whole, fraction) = digits.split_at(point as usize);
        Some(format!("{sign}{whole}.{fraction}"))
    }

    /// Multiplies the number by `scale`, which must be at most 10^13. The product must be a whole
    /// number of at most `max`, which must be below 10^20.
    pub(crate) fn scaled(&self, scale: u64, max: u64) -> Result<u64, Fault> {
        if self.digits.is_empty() {
            return Ok(0);
        }
        if self.negative {
            return Err(Fault::Negative);
        }
        let (scale, max) = (u128::from(scale), u128::from(max));
        // The whole part has at most 20 digits; otherwise, the number exceeds every maximum.
        let point = self.point();
        if point > 20 {
            return Err(Fault::TooLarge);
        }
        let (whole, fraction) = self.digits.split_at(point.clamp(0, self.digits.len() as i64) as usize);
        let zeros = self.exponent.max(0) as u32;
        let whole = whole.parse::<u128>().unwrap_or(0) * 10u128.pow(zeros) * scale;
        if whole > max {
            return Err(Fault::TooLarge);
        }
        let part = scaled_fraction(fraction, (-self.exponent).max(0), scale).ok_or(Fault::TooFine);
        // A number that is too large and also has too many decimals is reported as too large.
        let total = whole + *part.as_ref().unwrap_or(&0);
        if total > max {
            return Err(Fault::TooLarge);
        }
        part.map(|_| total as u64)
    }

    /// Returns the number of digits before the decimal point; 0 or less for a number below 1.
    pub(crate) fn magnitude(&self) -> i64 {
        self.point()
    }

    /// Returns the position of the decimal point in the digits.
    fn point(&self) -> i64 {
        self.digits.len() as i64 + self.exponent
    }
}

/// Multiplies the fraction with these digits and this number of decimal places by `scale`. Returns
/// the product if it is a whole number.
fn scaled_fraction(fraction: &str, places: i64, scale: u128) -> Option<u128> {
    if fraction.is_empty() {
        return Some(0);
    }
    // The last digit is not 0, so the product can be whole only if the scale has as many factors 2
    // or 5 as there are decimal places. The largest power of two in a unit is 2^33 bits, a
    // gibibyte.
    let unit = 10u128.checked_pow(u32::try_from(places).ok()?)?;
    let common = gcd(unit, scale);
    let digits = fraction.parse::<u128>().ok()?;
    digits.is_multiple_of(unit / common).then(|| digits / (unit / common) * (scale / common))
}

/// Returns the greatest common divisor.
fn gcd(a: u128, b: u128) -> u128 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Reads an exponent. An exponent that does not fit in 64 bits is replaced by the largest one.
fn read_exponent(text: &str) -> Option<i64> {
    /// The largest exponent.
    const MAX_EXPONENT: i64 = i64::MAX / 4;
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    is_number(digits).then(|| sign * digits.parse::<i64>().unwrap_or(MAX_EXPONENT).min(MAX_EXPONENT))
}

/// Returns whether a text consists of decimal digits, at least one.
fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}
