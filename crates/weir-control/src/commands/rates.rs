//! Rates of meters, as the runtime commands write them.

use weir_switch::control::MeterConfig;

use super::values::number;
use crate::Error;
use crate::units::{fraction, read_rate};

/// Two words `RATE:BURST`: what is green, and what is yellow.
pub(super) fn read(words: &[&str], in_bytes: bool) -> Result<MeterConfig, Error> {
    let (committed_rate, committed_burst) = read_one(words[0], in_bytes)?;
    let (peak_rate, peak_burst) = read_one(words[1], in_bytes)?;
    if peak_rate < committed_rate {
        return Err(Error::new(format!("the second rate ({}) is below the first ({})", words[1], words[0])));
    }
    Ok(MeterConfig { committed_rate, committed_burst, peak_rate, peak_burst })
}

/// Packets or bytes per second, and the burst.
fn read_one(text: &str, in_bytes: bool) -> Result<(u64, u64), Error> {
    let Some((rate, burst)) = text.split_once(':') else { return Err(unreadable(text)) };
    let per_second = if let Some(packets) = rate.strip_suffix("pps") {
        if in_bytes {
            return Err(wrong_unit("bytes", "packets", rate));
        }
        number(packets, "a rate in packets per second")?
    } else {
        match read_rate(rate) {
            Ok(_) if !in_bytes => return Err(wrong_unit("packets", "bits", rate)),
            Ok(bits) => {
                half_even(u128::from(bits), 8).filter(|bytes| *bytes > 0).ok_or_else(|| slow(rate))?
            }
            Err(error) => {
                let starts_as_number = rate.starts_with(|c: char| !c.is_alphabetic());
                let has_unit = rate.ends_with(char::is_alphabetic) && error.message.contains("unit");
                if has_unit && starts_as_number {
                    return Err(error);
                }
                per_microsecond(rate).ok_or_else(|| unreadable(text))?.ok_or_else(|| slow(rate))?
            }
        }
    };
    Ok((per_second, number(burst, "a burst")?))
}

fn unreadable(text: &str) -> Error {
    Error::new(format!("expected RATE:BURST such as 0.001:10, found \"{text}\""))
}

fn wrong_unit(counts: &str, unit: &str, rate: &str) -> Error {
    Error::new(format!("this meter counts {counts}: its rates are no {unit} per second, found {rate}"))
}

fn slow(rate: &str) -> Error {
    Error::new(format!("{rate} is less than one a second: rates are whole packets or bytes per second"))
}

/// A decimal number of units per microsecond as whole units per second: nothing if it is none or
/// too large; within, nothing if it is above 0 and below 1 a second.
fn per_microsecond(text: &str) -> Option<Option<u64>> {
    let (digits, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, decimals) = digits.split_once('.').unwrap_or((digits, ""));
    let all = format!("{whole}{decimals}");
    if all.is_empty() || all.len() > 30 || !all.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let mantissa = all.parse::<u128>().ok()?;
    let exponent = exponent.parse::<i32>().ok()?.checked_add(6)?.checked_sub(decimals.len() as i32)?;
    let most = |number: u128| u64::try_from(number).ok().filter(|number| *number < 1 << 63);
    if mantissa == 0 {
        return Some(Some(0));
    }
    if exponent >= 0 {
        let scale = 10u128.checked_pow(exponent.unsigned_abs())?;
        return Some(Some(most(mantissa.checked_mul(scale)?)?));
    }
    let Some(scale) = 10u128.checked_pow(exponent.unsigned_abs()) else { return Some(None) };
    if mantissa < scale {
        return Some(None);
    }
    Some(Some(half_even(mantissa, scale).filter(|number| *number < 1 << 63)?))
}

/// A quotient rounded to the nearest whole number, halves to the even one; none below 1 or where it
/// does not fit.
fn half_even(number: u128, divisor: u128) -> Option<u64> {
    let (whole, rest) = (number / divisor, number % divisor);
    let up = 2 * rest > divisor || (2 * rest == divisor && whole % 2 == 1);
    (whole > 0).then(|| u64::try_from(whole + u128::from(up)).ok()).flatten()
}

/// Units per second as units per microsecond.
pub(super) fn shown(per_second: u64) -> String {
    fraction(per_second, 1_000_000)
}
