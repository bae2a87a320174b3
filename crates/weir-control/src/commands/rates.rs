//! Rates of meters, as the runtime commands write them.

use weir_switch::control::{MeterConfig, MeterRate};
use weir_units::{Quantity, WantedQuantity, decimal_fraction};

use super::values::number;
use crate::Error;
use crate::meter_rates::{meter_rate, parse_scaled};

/// The power of ten that converts units per microsecond to billionths of a unit per second.
const BILLIONTHS_EXPONENT: u32 = 15;

/// Reads two words `RATE:BURST`. The first one is the limit for green packets, and the second one
/// the limit for yellow packets.
pub(super) fn read(words: &[&str], in_bytes: bool) -> Result<MeterConfig, Error> {
    let (committed_rate, committed_burst) = read_one(words[0], in_bytes)?;
    let (peak_rate, peak_burst) = read_one(words[1], in_bytes)?;
    if peak_rate < committed_rate {
        return Err(Error::new(format!("the second rate ({}) is below the first ({})", words[1], words[0])));
    }
    Ok(MeterConfig { committed_rate, committed_burst, peak_rate, peak_burst, excess_burst: 0 })
}

/// Reads a rate in packets or bytes, and the burst.
fn read_one(text: &str, in_bytes: bool) -> Result<(MeterRate, u64), Error> {
    let unreadable = || Error::new(format!("expected RATE:BURST such as 0.001:10, found \"{text}\""));
    let (rate, burst) = text.split_once(':').ok_or_else(unreadable)?;
    let rate = if let Some(packets) = rate.strip_suffix("pps") {
        if in_bytes {
            return Err(wrong_unit("bytes", "packets", rate));
        }
        let billionths = parse_scaled(packets, 9).ok_or_else(|| {
            Error::new(format!("expected a rate in packets per second, a number, found \"{packets}\""))
        })?;
        meter_rate(billionths, packets)?
    } else {
        match Quantity::read(rate, WantedQuantity::rate("rate")).and_then(|rate| rate.bits_per_second()) {
            Ok(_) if !in_bytes => return Err(wrong_unit("packets", "bits", rate)),
            Ok(bits) => MeterRate::from_billionths(u128::from(bits) * MeterRate::SCALE / 8),
            Err(error) => {
                let starts_as_number = rate.starts_with(|c: char| !c.is_alphabetic());
                let has_unit = rate.ends_with(char::is_alphabetic) && error.message.contains("unit");
                if has_unit && starts_as_number {
                    return Err(error.into());
                }
                let billionths = parse_scaled(rate, BILLIONTHS_EXPONENT as i32).ok_or_else(unreadable)?;
                meter_rate(billionths, rate)?
            }
        }
    };
    Ok((rate, number(burst, "a burst")?))
}

fn wrong_unit(counts: &str, unit: &str, rate: &str) -> Error {
    Error::new(format!("this meter counts {counts}: its rates are not {unit} per second, found {rate}"))
}

/// Formats a rate as units per microsecond.
pub(super) fn rate_text(rate: MeterRate) -> String {
    decimal_fraction(rate.billionths(), 10u128.pow(BILLIONTHS_EXPONENT))
}
