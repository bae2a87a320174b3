//! `tc qdisc`: the kinds of disciplines and their options.

use super::words::Words;
use super::{TcError, netem};
use crate::{FqConfig, NetemConfig, QdiscConfig, TbfConfig};

/// A discipline without what hangs below it.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    /// Nothing hangs below these two.
    Fifo(QdiscConfig),
    Fq(FqSettings),
    Tbf(TbfConfig),
    Netem(NetemConfig),
    Htb {
        default: Option<u32>,
        r2q: u64,
    },
}

/// What commands said of FQ; the rest has its default. `change` leaves alone what it does not name, as in Linux.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct FqSettings {
    limit: Option<usize>,
    flow_limit: Option<usize>,
    quantum: Option<u32>,
    initial_quantum: Option<u32>,
    maxrate: Option<u64>,
    pacing: Option<bool>,
    horizon: Option<u64>,
}

impl FqSettings {
    /// These, and where they say nothing, those.
    pub(super) fn over(&self, there: &FqSettings) -> FqSettings {
        FqSettings {
            limit: self.limit.or(there.limit),
            flow_limit: self.flow_limit.or(there.flow_limit),
            quantum: self.quantum.or(there.quantum),
            initial_quantum: self.initial_quantum.or(there.initial_quantum),
            maxrate: self.maxrate.or(there.maxrate),
            pacing: self.pacing.or(there.pacing),
            horizon: self.horizon.or(there.horizon),
        }
    }

    pub(super) fn of(config: &FqConfig) -> FqSettings {
        FqSettings {
            limit: Some(config.limit),
            flow_limit: Some(config.flow_limit),
            quantum: Some(config.quantum),
            initial_quantum: Some(config.initial_quantum),
            maxrate: config.maxrate,
            pacing: Some(config.pacing),
            horizon: Some(config.horizon),
        }
    }

    pub(super) fn config(&self) -> FqConfig {
        let usual = FqConfig::default();
        FqConfig {
            limit: self.limit.unwrap_or(usual.limit),
            flow_limit: self.flow_limit.unwrap_or(usual.flow_limit),
            quantum: self.quantum.unwrap_or(usual.quantum),
            initial_quantum: self.initial_quantum.unwrap_or(usual.initial_quantum),
            maxrate: self.maxrate.or(usual.maxrate),
            pacing: self.pacing.unwrap_or(usual.pacing),
            horizon: self.horizon.unwrap_or(usual.horizon),
        }
    }
}

const KINDS: [&str; 6] = ["pfifo", "bfifo", "tbf", "htb", "fq", "netem"];

/// What Linux has beside these, and what comes near.
const OTHERS: [(&str, &str); 17] = [
    ("pfifo_fast", "pfifo"),
    ("pfifo_head_drop", "pfifo"),
    ("noqueue", "pfifo"),
    ("mq", "pfifo"),
    ("prio", "htb"),
    ("drr", "htb"),
    ("hfsc", "htb"),
    ("cbq", "htb"),
    ("qfq", "htb"),
    ("sfq", "fq"),
    ("fq_codel", "fq"),
    ("fq_pie", "fq"),
    ("cake", "fq"),
    ("codel", "bfifo"),
    ("pie", "bfifo"),
    ("red", "bfifo"),
    ("etf", "fq"),
];

/// None for a command that names no discipline, such as one that deletes.
pub(super) fn read(words: &mut Words<'_>) -> Result<Option<Kind>, TcError> {
    let Some(kind) = words.next() else { return Ok(None) };
    Ok(Some(match kind {
        "pfifo" => {
            let packets = limit(words, kind, |words| words.whole("limit"))?;
            Kind::Fifo(QdiscConfig::packets(packets.unwrap_or(1000)))
        }
        "bfifo" => {
            let bytes = limit(words, kind, |words| words.size("limit"))?;
            Kind::Fifo(QdiscConfig::bytes(bytes.unwrap_or(1000 * 1514)))
        }
        "tbf" => Kind::Tbf(tbf(words)?),
        "htb" => htb(words)?,
        "fq" => Kind::Fq(fq(words)?),
        "netem" => Kind::Netem(netem::read(words)?),
        _ => {
            let mut error = words.unknown("queueing discipline", kind, &KINDS);
            if let Some((_, near)) = OTHERS.iter().find(|(other, _)| *other == kind) {
                error.message =
                    format!("Linux' queueing discipline `{kind}` is not there; `{near}` comes nearest");
                error.suggestion = None;
            }
            return Err(error);
        }
    }))
}

fn limit<T>(
    words: &mut Words<'_>,
    kind: &str,
    read: impl Fn(&mut Words<'_>) -> Result<T, TcError>,
) -> Result<Option<T>, TcError> {
    let mut limit = None;
    while let Some(word) = words.next() {
        match word {
            "limit" => limit = Some(read(words)?),
            _ => return Err(words.unknown(&format!("{kind}'s option"), word, &["limit"])),
        }
    }
    Ok(limit)
}

fn tbf(words: &mut Words<'_>) -> Result<TbfConfig, TcError> {
    let (mut rate, mut burst, mut limit, mut latency) = (None, None, None, None);
    while let Some(word) = words.next() {
        match word {
            "rate" => rate = Some(words.rate(word)?),
            "burst" | "buffer" | "maxburst" => burst = Some(words.size(word)?),
            "limit" => limit = Some(words.size(word)?),
            "latency" => latency = Some(words.time(word)?),
            "peakrate" | "mtu" | "minburst" => {
                return Err(
                    words.error(format!("tbf's `{word}` is not supported: there is one bucket, of the rate"))
                );
            }
            _ => return Err(words.unknown("tbf's option", word, &["rate", "burst", "limit", "latency"])),
        }
    }
    let rate: u64 = rate.ok_or_else(|| words.error("tbf needs a rate"))?;
    let burst: u64 = burst.ok_or_else(|| words.error("tbf needs a burst"))?;
    let limit = match (limit, latency) {
        (Some(limit), None) => limit,
        // What the rate carries in that time, and the burst.
        (None, Some(latency)) => {
            let carried = u128::from(rate) * u128::from(latency) / 8_000_000_000;
            u64::try_from(carried).unwrap_or(u64::MAX).saturating_add(burst)
        }
        _ => return Err(words.error("tbf needs either a limit (bytes) or a latency (time)")),
    };
    Ok(TbfConfig { rate, burst, limit, queue: None })
}

fn htb(words: &mut Words<'_>) -> Result<Kind, TcError> {
    let (mut default, mut r2q) = (None, 10);
    while let Some(word) = words.next() {
        match word {
            "default" => {
                let class = words.after(word)?;
                let digits = class.strip_prefix("0x").unwrap_or(class);
                let digits = digits.split_once(':').map_or(digits, |(_, minor)| minor);
                let minor = u16::from_str_radix(digits, 16);
                let minor =
                    minor.map_err(|_| words.bad(word, class, "a class's number such as 10 (hexadecimal)"))?;
                default = Some(minor).filter(|minor| *minor > 0).map(u32::from);
            }
            "r2q" => {
                r2q = words.whole(word)?;
                if r2q == 0 {
                    return Err(words.bad(word, "0", "1 or more"));
                }
            }
            _ => return Err(words.unknown("htb's option", word, &["default", "r2q"])),
        }
    }
    Ok(Kind::Htb { default, r2q })
}

fn fq(words: &mut Words<'_>) -> Result<FqSettings, TcError> {
    const KNOWN: [&str; 9] = [
        "limit",
        "flow_limit",
        "quantum",
        "initial_quantum",
        "maxrate",
        "buckets",
        "pacing",
        "nopacing",
        "horizon",
    ];
    let mut fq = FqSettings::default();
    let bytes = |size: u64| u32::try_from(size).unwrap_or(u32::MAX);
    while let Some(word) = words.next() {
        match word {
            "limit" => fq.limit = Some(words.whole(word)?),
            "flow_limit" => fq.flow_limit = Some(words.whole(word)?),
            "quantum" => fq.quantum = Some(bytes(words.size(word)?)),
            "initial_quantum" => fq.initial_quantum = Some(bytes(words.size(word)?)),
            "maxrate" => fq.maxrate = Some(words.rate(word)?),
            // Flows never share a bucket here.
            "buckets" => drop(words.whole::<u32>(word)?),
            "pacing" => fq.pacing = Some(true),
            "nopacing" => fq.pacing = Some(false),
            "horizon" => fq.horizon = Some(words.time(word)?),
            "horizon_drop" => {}
            _ => return Err(words.unknown("fq's option", word, &KNOWN)),
        }
    }
    Ok(fq)
}
