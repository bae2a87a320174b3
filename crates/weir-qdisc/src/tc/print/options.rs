//! The options of each kind of discipline in `tc`'s format.

use std::fmt::{self, Write};

use super::units::{Rate, Size, Time};
use crate::show::{Correlation, Share};
use crate::tc::kinds::Kind;
use crate::{
    CodelConfig, DualPi2Config, FqCodelConfig, FqConfig, Framing, NetemConfig, QdiscConfig, RedConfig, Slot,
    TbfConfig,
};
use weir_impair::{Jitter, Loss};

/// Returns the name that `tc` has for the kind.
pub(super) fn name(kind: &Kind) -> &'static str {
    match kind {
        Kind::Fifo(QdiscConfig::Fifo { packets: None, bytes: Some(_) }) => "bfifo",
        Kind::Fifo(_) => "pfifo",
        Kind::Fq(_) => "fq",
        Kind::Codel(_) => "codel",
        Kind::FqCodel(_) => "fq_codel",
        Kind::DualPi2(_) => "dualpi2",
        Kind::Tbf(_) => "tbf",
        Kind::Netem(_) => "netem",
        Kind::Red(_) => "red",
        Kind::Htb { .. } => "htb",
    }
}

/// Prints the options of a discipline as `tc` does.
pub(super) fn print(kind: &Kind, text: &mut String) -> fmt::Result {
    match kind {
        Kind::Fifo(config) => fifo(text, config),
        Kind::Fq(settings) => fq(text, &settings.config()),
        Kind::Codel(settings) => {
            let config = settings.codel();
            write!(text, " limit {}p", config.limit)?;
            codel(text, &config)
        }
        Kind::FqCodel(settings) => fq_codel(text, &settings.fq_codel()),
        Kind::DualPi2(dual) => dualpi2(text, dual),
        Kind::Tbf(config) => tbf(text, config),
        Kind::Netem(config) => netem(text, config),
        Kind::Red(config) => red(text, config),
        Kind::Htb { default, r2q } => write!(text, " r2q {r2q} default {:#x}", default.unwrap_or(0)),
    }
}

/// Prints the options of a TBF discipline.
fn tbf(text: &mut String, tbf: &TbfConfig) -> fmt::Result {
    write!(text, " rate {} burst {}", Rate(tbf.rate), Size(tbf.burst))?;
    if let Some(peak) = tbf.peak {
        write!(text, " peakrate {} minburst {}", Rate(peak.rate), Size(peak.burst))?;
    }
    write!(text, " limit {}", Size(tbf.limit))
}

/// Writes all options except the limit.
fn codel(text: &mut String, codel: &CodelConfig) -> fmt::Result {
    write!(text, " target {} interval {}", Time(codel.target), Time(codel.interval))?;
    if let Some(threshold) = codel.ce_threshold {
        write!(text, " ce_threshold {}", Time(threshold))?;
    }
    text.push_str(if codel.ecn { " ecn" } else { "" });
    Ok(())
}

fn fq_codel(text: &mut String, fq: &FqCodelConfig) -> fmt::Result {
    write!(text, " limit {}p flows {} quantum {}", fq.codel.limit, fq.flows, fq.quantum)?;
    codel(text, &fq.codel)?;
    write!(text, " memory_limit {} drop_batch {}", Size(fq.memory_limit), fq.drop_batch)
}

fn dualpi2(text: &mut String, dual: &DualPi2Config) -> fmt::Result {
    let DualPi2Config { limit, alpha, beta, coupling_factor, classic_protection, .. } = dual;
    write!(text, " limit {limit}p target {} tupdate {}", Time(dual.target), Time(dual.tupdate))?;
    let overload = if dual.drop_on_overload { "drop_on_overload" } else { "overflow" };
    write!(text, " alpha {alpha} beta {beta} {overload} coupling_factor {coupling_factor}")?;
    write!(text, " step_thresh {} classic_protection {classic_protection}%", Time(dual.step_thresh))
}

/// Prints the options of a RED discipline.
fn red(text: &mut String, red: &RedConfig) -> fmt::Result {
    write!(text, " limit {} min {} max {}", Size(red.limit), Size(red.min), Size(red.max))?;
    let flags =
        [(red.ecn, "ecn"), (red.harddrop, "harddrop"), (red.adaptive, "adaptive"), (red.nodrop, "nodrop")];
    for (_, name) in flags.iter().filter(|(on, _)| *on) {
        write!(text, " {name}")?;
    }
    // The exponent of the power of 1/2 that is the weight of the newest length in the average.
    let log = red.weight().map_or(0, |weight| (1.0 / weight) as u64).max(1).ilog2();
    write!(text, " ewma {log} probability {}", red.probability)
}

/// Prints the options of a FIFO.
fn fifo(text: &mut String, fifo: &QdiscConfig) -> fmt::Result {
    let QdiscConfig::Fifo { packets, bytes } = fifo else { return Ok(()) };
    if let Some(packets) = packets {
        write!(text, " limit {packets}p")?;
    }
    if let Some(bytes) = bytes {
        write!(text, " limit {}", Size(*bytes))?;
    }
    Ok(())
}

/// Prints the options of an FQ discipline.
fn fq(text: &mut String, fq: &FqConfig) -> fmt::Result {
    let FqConfig { limit, flow_limit, quantum, initial_quantum, .. } = fq;
    write!(text, " limit {limit}p flow_limit {flow_limit}p quantum {quantum}b")?;
    write!(text, " initial_quantum {initial_quantum}b")?;
    if !fq.pacing {
        text.push_str(" nopacing");
    }
    if let Some(maxrate) = fq.maxrate {
        write!(text, " maxrate {}", Rate(maxrate))?;
    }
    if let Some(threshold) = fq.ce_threshold {
        write!(text, " ce_threshold {}", Time(threshold))?;
    }
    write!(text, " horizon {} horizon_drop", Time(fq.horizon))
}

/// Prints the options of a netem discipline.
fn netem(text: &mut String, netem: &NetemConfig) -> fmt::Result {
    let impairments = &netem.impairments;
    let correlation = &impairments.correlation;
    write!(text, " limit {}", netem.limit)?;
    let spread = match impairments.jitter {
        Jitter::UniformAround(spread) => Some(spread),
        Jitter::Normal { sigma } | Jitter::ParetoAround { sigma } | Jitter::ParetoNormalAround { sigma } => {
            Some(sigma)
        }
        _ => None,
    };
    if netem.delay > 0 || spread.is_some() {
        write!(text, " delay {}", Time(netem.delay))?;
    }
    if let Some(spread) = spread {
        write!(text, "  {}{}", Time(spread), Correlation(correlation.jitter))?;
    } else if impairments.jitter != Jitter::None {
        write!(text, " jitter {:?}", impairments.jitter)?;
    }
    match &impairments.loss {
        Loss::None => {}
        Loss::Random(share) => {
            write!(text, " loss {}{}", Share(*share), Correlation(correlation.loss))?;
        }
        Loss::GilbertElliott { enter, leave, good, bad } => {
            let [p, r, h, k] = [enter, leave, bad, good].map(|share| Share(*share));
            write!(text, " loss gemodel p {p} r {r} 1-h {h} 1-k {k}")?;
        }
        Loss::FourState { p13, p31, p32, p23, p14 } => {
            let [p13, p31, p32, p23, p14] = [p13, p31, p32, p23, p14].map(|share| Share(*share));
            write!(text, " loss state p13 {p13} p31 {p31} p32 {p32} p23 {p23} p14 {p14}")?;
        }
        other => write!(text, " loss {other:?}")?,
    }
    if impairments.duplicate > 0.0 {
        let share = Share(impairments.duplicate);
        write!(text, " duplicate {share}{}", Correlation(correlation.duplicate))?;
    }
    if let Some((share, gap)) = netem.reorder {
        write!(text, " reorder {}{} gap {gap}", Share(share), Correlation(correlation.reorder))?;
    }
    if impairments.corrupt > 0.0 {
        let share = Share(impairments.corrupt);
        write!(text, " corrupt {share}{}", Correlation(correlation.corrupt))?;
    }
    if let Some(rate) = netem.rate {
        write!(text, " rate {}", Rate(rate))?;
        let Framing { packet_overhead, cell_size, cell_overhead } = netem.framing;
        for (name, bytes) in [
            ("packetoverhead", i64::from(packet_overhead)),
            ("cellsize", cell_size.into()),
            ("celloverhead", cell_overhead.into()),
        ] {
            if bytes != 0 {
                write!(text, " {name} {bytes}")?;
            }
        }
    }
    if let Some(Slot { min, max, packets, bytes }) = netem.slot.as_deref().copied() {
        write!(text, " slot {} {}", Time(min), Time(max))?;
        if let Some(packets) = packets {
            write!(text, " packets {packets}")?;
        }
        if let Some(bytes) = bytes {
            write!(text, " bytes {bytes}")?;
        }
    }
    if netem.ecn {
        text.push_str(" ecn");
    }
    netem.seed.map_or(Ok(()), |seed| write!(text, " seed {seed}"))
}
