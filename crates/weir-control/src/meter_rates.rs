//! Rates of meters in text.

use weir_switch::control::MeterRate;

use crate::Error;

/// Returns a decimal number such as `0.5` or `2e-3`, multiplied by a power of ten and rounded to
/// the nearest whole number (halves to even). `None` if the text is not a number, or the result has
/// more than 96 bits.
pub(crate) fn parse_scaled(text: &str, power: i32) -> Option<u128> {
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

/// Returns the rate of a meter from a decimal number of units per second.
///
/// # Errors
/// The text is not a number, the rate is too large, or the rate is above 0 but less than half a
/// billionth.
pub fn read_meter_rate(text: &str) -> Result<MeterRate, Error> {
    let shortened = crate::value::shorten(text);
    let is_number = text.starts_with(|c: char| c.is_ascii_digit());
    let Some(billionths) = parse_scaled(text, 9).filter(|_| is_number) else {
        return Err(Error::new(format!(
            "expected a rate in units per second such as 100 or 0.5, found {shortened}"
        )));
    };
    meter_rate(billionths, text)
}

/// Reads the rate of a meter, which is 0 only if it was written as 0.
pub(crate) fn meter_rate(billionths: u128, text: &str) -> Result<MeterRate, Error> {
    let is_zero =
        |text: &str| !text.split(['e', 'E']).next().unwrap_or("").contains(|c| matches!(c, '1'..='9'));
    if billionths == 0 && !is_zero(text) {
        return Err(Error::new(format!("{text} is less than a billionth a second: no meter is that slow")));
    }
    Ok(MeterRate::from_billionths(billionths))
}
