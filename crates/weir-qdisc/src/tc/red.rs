//! The options of `tc qdisc … red`.

use super::error::TcError;
use super::words::Words;
use crate::RedConfig;

/// Reads the options of a RED discipline.
pub(super) fn read(words: &mut Words<'_>) -> Result<RedConfig, TcError> {
    const KNOWN: [&str; 11] = [
        "limit",
        "min",
        "max",
        "avpkt",
        "burst",
        "probability",
        "bandwidth",
        "ecn",
        "adaptive",
        "harddrop",
        "nodrop",
    ];
    let (mut limit, mut avpkt, mut min, mut max, mut burst) = (None, None, None, None, None);
    let (mut probability, mut bandwidth) = (None, None);
    let (mut ecn, mut harddrop, mut nodrop, mut adaptive) = (false, false, false, false);
    while let Some(word) = words.next() {
        match word {
            "limit" => limit = Some(words.size(word)?),
            "min" => min = Some(words.size(word)?),
            "max" => max = Some(words.size(word)?),
            "avpkt" => avpkt = Some(words.size(word)?),
            "burst" => burst = Some(words.integer(word)?),
            "probability" => probability = Some(words.probability(word)?),
            "bandwidth" => bandwidth = Some(words.rate(word)?),
            "ecn" => ecn = true,
            "adaptive" | "adaptative" => adaptive = true,
            "harddrop" => harddrop = true,
            "nodrop" => nodrop = true,
            _ => return Err(words.unknown("red's option", word, &KNOWN)),
        }
    }
    let (Some(limit), Some(avpkt)) = (limit, avpkt) else {
        return Err(words.error("red needs a limit and an avpkt (bytes)"));
    };
    let usual = RedConfig::new(limit, avpkt, min, max, burst);
    let (probability, bandwidth) =
        (probability.unwrap_or(usual.probability), bandwidth.unwrap_or(usual.bandwidth));
    Ok(RedConfig { probability, bandwidth, ecn, harddrop, nodrop, adaptive, ..usual })
}
