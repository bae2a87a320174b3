//! `tc qdisc`: the kinds of disciplines and their options.

use super::codel::CodelSettings;
use super::error::TcError;
use super::fq::FqSettings;
use super::words::Words;
use super::{dualpi2, fq, netem, red};
use crate::{DualPi2Config, NetemConfig, PeakRate, QdiscConfig, RedConfig, TbfConfig};

/// A discipline with its settings, without its children.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    /// The first five kinds have no children.
    Fifo(QdiscConfig),
    Fq(FqSettings),
    Codel(CodelSettings),
    FqCodel(CodelSettings),
    DualPi2(DualPi2Config),
    Tbf(TbfConfig),
    Netem(NetemConfig),
    Red(RedConfig),
    Htb {
        default: Option<u32>,
        r2q: u64,
    },
}

/// The kinds of queueing disciplines.
const KINDS: [&str; 10] =
    ["pfifo", "bfifo", "tbf", "htb", "fq", "codel", "fq_codel", "red", "dualpi2", "netem"];

/// Disciplines of Linux that are not supported, each with the most similar supported discipline.
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
    ("sfq", "fq_codel"),
    ("fq_pie", "fq_codel"),
    ("cake", "fq_codel"),
    ("pie", "codel"),
    ("gred", "red"),
    ("choke", "red"),
    ("sfb", "red"),
    ("etf", "fq"),
];

/// Reads a discipline. Returns `None` for a command without a discipline, such as a deletion.
pub(super) fn read(words: &mut Words<'_>) -> Result<Option<Kind>, TcError> {
    let Some(kind) = words.next() else { return Ok(None) };
    Ok(Some(match kind {
        "pfifo" => {
            let packets = limit(words, kind, |words| words.integer("limit"))?;
            Kind::Fifo(QdiscConfig::packets(packets.unwrap_or(1000)))
        }
        "bfifo" => {
            let bytes = limit(words, kind, |words| words.size("limit"))?;
            Kind::Fifo(QdiscConfig::bytes(bytes.unwrap_or(1000 * 1514)))
        }
        "tbf" => Kind::Tbf(tbf(words)?),
        "htb" => htb(words)?,
        "fq" => Kind::Fq(fq::read(words)?),
        "codel" => Kind::Codel(CodelSettings::read(words, kind)?),
        "fq_codel" => Kind::FqCodel(CodelSettings::read(words, kind)?),
        "red" => Kind::Red(red::read(words)?),
        "dualpi2" => Kind::DualPi2(dualpi2::read(words)?),
        "netem" => Kind::Netem(netem::read(words)?),
        _ => {
            let mut error = words.unknown("queueing discipline", kind, &KINDS);
            if let Some((_, near)) = OTHERS.iter().find(|(other, _)| *other == kind) {
                error.message = format!(
                    "the queueing discipline `{kind}` of Linux is not supported; the most similar one is `{near}`"
                );
                error.suggestion = None;
            }
            return Err(error);
        }
    }))
}

/// Reads the only option of a FIFO, its `limit`.
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

/// Reads the options of a TBF discipline.
fn tbf(words: &mut Words<'_>) -> Result<TbfConfig, TcError> {
    const KNOWN: [&str; 6] = ["rate", "burst", "limit", "latency", "peakrate", "mtu"];
    let (mut rate, mut burst, mut limit, mut latency) = (None, None, None, None);
    let (mut peakrate, mut mtu) = (None, None);
    while let Some(word) = words.next() {
        match word {
            "rate" => rate = Some(words.rate(word)?),
            "burst" | "buffer" | "maxburst" => burst = Some(words.size(word)?),
            "limit" => limit = Some(words.size(word)?),
            "latency" => latency = Some(words.time(word)?),
            "peakrate" => peakrate = Some(words.rate(word)?),
            "mtu" | "minburst" => mtu = Some(words.size(word)?),
            _ => return Err(words.unknown("tbf's option", word, &KNOWN)),
        }
    }
    let rate: u64 = rate.ok_or_else(|| words.error("tbf needs a rate"))?;
    let burst: u64 = burst.ok_or_else(|| words.error("tbf needs a burst"))?;
    // Without a peak rate the MTU has no effect, as in Linux.
    let peak = match (peakrate, mtu) {
        (None, _) => None,
        (Some(rate), Some(burst)) => Some(PeakRate { rate, burst }),
        (Some(_), None) => {
            return Err(words.error("tbf's peakrate needs an mtu: the size of its bucket in bytes"));
        }
    };
    let limit = match (limit, latency) {
        (Some(limit), None) => limit,
        (None, Some(latency)) => TbfConfig::limit_of(latency, rate, burst, peak),
        _ => return Err(words.error("tbf needs either a limit (bytes) or a latency (time)")),
    };
    Ok(TbfConfig { rate, burst, peak, limit, queue: None })
}

/// Reads the options of an HTB discipline.
fn htb(words: &mut Words<'_>) -> Result<Kind, TcError> {
    let (mut default, mut r2q) = (None, 10);
    while let Some(word) = words.next() {
        match word {
            "default" => {
                let class = words.argument_of(word)?;
                let digits = class.strip_prefix("0x").unwrap_or(class);
                let digits = digits.split_once(':').map_or(digits, |(_, minor)| minor);
                let minor = u16::from_str_radix(digits, 16);
                let minor = minor
                    .map_err(|_| words.bad_value(word, class, "a class's number such as 10 (hexadecimal)"))?;
                default = Some(minor).filter(|minor| *minor > 0).map(u32::from);
            }
            "r2q" => {
                r2q = words.integer(word)?;
                if r2q == 0 {
                    return Err(words.bad_value(word, "0", "1 or more"));
                }
            }
            _ => return Err(words.unknown("htb's option", word, &["default", "r2q"])),
        }
    }
    Ok(Kind::Htb { default, r2q })
}
