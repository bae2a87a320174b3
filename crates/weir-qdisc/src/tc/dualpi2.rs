//! The options of `tc qdisc … dualpi2`.

use super::error::TcError;
use super::words::Words;
use crate::DualPi2Config;

/// Reads the options of a DualPI2 discipline.
pub(super) fn read(words: &mut Words<'_>) -> Result<DualPi2Config, TcError> {
    const KNOWN: [&str; 10] = [
        "limit",
        "target",
        "tupdate",
        "alpha",
        "beta",
        "coupling_factor",
        "step_thresh",
        "classic_protection",
        "drop_on_overload",
        "overflow",
    ];
    let mut config = DualPi2Config::default();
    while let Some(word) = words.next() {
        match word {
            "limit" => config.limit = words.integer(word)?,
            "target" => config.target = words.time(word)?,
            "tupdate" => config.tupdate = words.time(word)?,
            "alpha" => config.alpha = words.factor(word)?,
            "beta" => config.beta = words.factor(word)?,
            "coupling_factor" => config.coupling_factor = words.integer(word)?,
            "step_thresh" => config.step_thresh = words.time(word)?,
            "classic_protection" => {
                let share = 100.0 * words.percent(word)?;
                if share.fract() != 0.0 {
                    return Err(words.error(format!("{word}: expected a whole percentage such as 10%")));
                }
                config.classic_protection = share as u8;
            }
            "drop_on_overload" => config.drop_on_overload = true,
            "overflow" => config.drop_on_overload = false,
            _ => return Err(words.unknown("dualpi2's option", word, &KNOWN)),
        }
    }
    Ok(config)
}
