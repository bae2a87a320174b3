//! The options of `tc qdisc … netem`.

use super::error::TcError;
use super::words::Words;
use crate::{Framing, NetemConfig, Slot};
use weir_impair::{Correlations, Impairments, Jitter, Loss};

/// Reads the options of a netem discipline.
pub(super) fn read(words: &mut Words<'_>) -> Result<NetemConfig, TcError> {
    const KNOWN: [&str; 12] = [
        "limit",
        "delay",
        "distribution",
        "loss",
        "duplicate",
        "reorder",
        "corrupt",
        "gap",
        "rate",
        "slot",
        "ecn",
        "seed",
    ];
    let mut netem = NetemConfig::default();
    let mut correlation = Correlations::default();
    let (mut spread, mut distribution, mut reorder, mut gap) = (0, None, None, None);
    while let Some(word) = words.next() {
        match word {
            "limit" => netem.limit = words.integer(word)?,
            "delay" | "latency" => {
                netem.delay = words.time(word)?;
                if words.number_follows() {
                    spread = words.time(word)?;
                    correlation.jitter = words.correlation(word)?;
                }
            }
            "distribution" => distribution = Some(words.argument_of(word)?),
            "loss" | "drop" => netem.impairments.loss = loss(words, &mut correlation.loss)?,
            "duplicate" => {
                netem.impairments.duplicate = words.percent(word)?;
                correlation.duplicate = words.correlation(word)?;
            }
            "corrupt" => {
                netem.impairments.corrupt = words.percent(word)?;
                correlation.corrupt = words.correlation(word)?;
            }
            "reorder" => {
                reorder = Some(words.percent(word)?);
                correlation.reorder = words.correlation(word)?;
            }
            "gap" => gap = Some(words.integer(word)?),
            "rate" => {
                netem.rate = Some(words.rate(word)?);
                netem.framing = framing(words)?;
            }
            "slot" => netem.slot = Some(Box::new(slot(words)?)),
            "ecn" => netem.ecn = true,
            "seed" => netem.seed = Some(words.integer(word)?),
            _ => return Err(words.unknown("netem's option", word, &KNOWN)),
        }
    }
    netem.impairments.jitter = jitter(words, spread, distribution)?;
    netem.reorder = match (reorder, gap) {
        (None, None) => None,
        // As in Linux, a gap without a probability reorders every frame that is far enough from the
        // last reordered frame.
        (share, gap) => Some((share.unwrap_or(1.0), gap.unwrap_or(1))),
    };
    if netem.reorder.is_some() && netem.delay == 0 {
        return Err(words.error("reordering needs a delay: packets without delay overtake the others"));
    }
    netem.impairments = Impairments { overtake: true, correlation, ..netem.impairments };
    Ok(netem)
}

/// Returns the jitter for a spread in nanoseconds and the name of a distribution.
fn jitter(words: &Words<'_>, spread: u64, distribution: Option<&str>) -> Result<Jitter, TcError> {
    const KNOWN: [&str; 4] = ["uniform", "normal", "pareto", "paretonormal"];
    if spread == 0 {
        return match distribution {
            None => Ok(Jitter::None),
            Some(_) => {
                Err(words
                    .error("a distribution needs a jitter, such as `delay 100ms 20ms distribution normal`"))
            }
        };
    }
    match distribution {
        None | Some("uniform") => Ok(Jitter::UniformAround(spread)),
        Some("normal") => Ok(Jitter::Normal { sigma: spread }),
        Some("pareto") => Ok(Jitter::ParetoAround { sigma: spread }),
        Some("paretonormal") => Ok(Jitter::ParetoNormalAround { sigma: spread }),
        Some(other) => Err(words.unknown("distribution", other, &KNOWN)),
    }
}

/// Parses `PACKETOVERHEAD [CELLSIZE [CELLOVERHEAD]]` after a rate, each in bytes.
fn framing(words: &mut Words<'_>) -> Result<Framing, TcError> {
    let mut framing = Framing::default();
    if words.number_follows() {
        framing.packet_overhead = words.integer("packet overhead")?;
    }
    if words.number_follows() {
        framing.cell_size = words.integer("cell size")?;
    }
    if words.number_follows() {
        framing.cell_overhead = words.integer("cell overhead")?;
    }
    Ok(framing)
}

/// Parses `MIN [MAX] [packets N] [bytes N]`.
fn slot(words: &mut Words<'_>) -> Result<Slot, TcError> {
    if words.peek() == Some("distribution") {
        let message =
            "netem's slots with a `distribution` are not supported: they are uniform, `slot MIN MAX`";
        return Err(words.error(message));
    }
    let min = words.time("slot")?;
    let max = if words.number_follows() { words.time("slot")? } else { min };
    let mut slot = Slot { min, max, packets: None, bytes: None };
    while let Some(word) = words.peek().filter(|word| ["packets", "bytes"].contains(word)) {
        words.next();
        if word == "packets" {
            slot.packets = Some(words.integer(word)?);
        } else {
            slot.bytes = Some(words.size(word)?);
        }
    }
    Ok(slot)
}

/// Reads the loss model and its parameters.
fn loss(words: &mut Words<'_>, correlation: &mut f64) -> Result<Loss, TcError> {
    let model = words.peek();
    if matches!(model, Some("gemodel" | "state" | "random")) {
        words.next();
    }
    let optional = |words: &mut Words<'_>, usual: f64| {
        if words.number_follows() { words.percent("loss") } else { Ok(usual) }
    };
    match model {
        Some("gemodel") => {
            let enter = words.percent("gemodel")?;
            let leave = optional(words, 1.0 - enter)?;
            let bad = optional(words, 1.0)?;
            let good = optional(words, 0.0)?;
            Ok(Loss::GilbertElliott { enter, leave, good, bad })
        }
        Some("state") => {
            let p13 = words.percent("state")?;
            let p31 = optional(words, 1.0 - p13)?;
            let p32 = optional(words, 0.0)?;
            let p23 = optional(words, 1.0)?;
            let p14 = optional(words, 0.0)?;
            Ok(Loss::FourState { p13, p31, p32, p23, p14 })
        }
        _ => {
            let share = words.percent("loss")?;
            *correlation = words.correlation("loss")?;
            Ok(Loss::Random(share))
        }
    }
}
