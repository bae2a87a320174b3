//! Text form of queueing disciplines, as `tc` writes them if `tc` has a form for them.

use std::fmt;

use super::{
    CodelConfig, DualPi2Config, FqCodelConfig, Framing, HtbClass, HtbConfig, NetemConfig, QdiscConfig,
    RedConfig, Slot, TbfConfig,
};
use weir_impair::{Jitter, Loss};

/// Shows an exact rate, such as `10mbit` or `1500bit`.
struct Rate(u64);

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (unit, name) in [(1_000_000_000, "gbit"), (1_000_000, "mbit"), (1_000, "kbit")] {
            if self.0.is_multiple_of(unit) && self.0 > 0 {
                return write!(f, "{}{name}", self.0 / unit);
            }
        }
        write!(f, "{}bit", self.0)
    }
}

/// Shows an exact time, such as `20ms`.
struct Time(u64);

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (unit, name) in [(1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "us")] {
            if self.0.is_multiple_of(unit) && self.0 > 0 {
                return write!(f, "{}{name}", self.0 / unit);
            }
        }
        write!(f, "{}ns", self.0)
    }
}

impl fmt::Display for QdiscConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.show(f)?;
        self.queue().map_or(Ok(()), |queue| write!(f, " [{queue}]"))
    }
}

impl QdiscConfig {
    /// Writes the discipline without its child.
    fn show(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            QdiscConfig::Fifo { packets: Some(packets), bytes: None } => write!(f, "pfifo limit {packets}"),
            QdiscConfig::Fifo { packets: None, bytes: Some(bytes) } => write!(f, "bfifo limit {bytes}b"),
            QdiscConfig::Fifo { packets: Some(packets), bytes: Some(bytes) } => {
                write!(f, "fifo limit {packets} packets and {bytes}b")
            }
            QdiscConfig::Fifo { packets: None, bytes: None } => f.write_str("fifo without limit"),
            QdiscConfig::Tbf(tbf) => tbf.show(f),
            QdiscConfig::Htb(htb) => htb.show(f),
            QdiscConfig::Fq(fq) => {
                write!(f, "fq limit {} flow_limit {} quantum {}b", fq.limit, fq.flow_limit, fq.quantum)?;
                if let Some(maxrate) = fq.maxrate {
                    write!(f, " maxrate {}", Rate(maxrate))?;
                }
                if let Some(threshold) = fq.ce_threshold {
                    write!(f, " ce_threshold {}", Time(threshold))?;
                }
                f.write_str(if fq.pacing { "" } else { " nopacing" })
            }
            QdiscConfig::Netem(netem) => netem.show(f),
            QdiscConfig::Codel(codel) => {
                write!(f, "codel limit {}", codel.limit)?;
                codel.show(f)
            }
            QdiscConfig::FqCodel(fq) => fq.show(f),
            QdiscConfig::Red(red) => red.show(f),
            QdiscConfig::DualPi2(dual) => dual.show(f),
        }
    }
}

impl TbfConfig {
    /// Shows the settings in one line.
    fn show(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "tbf rate {} burst {}b", Rate(self.rate), self.burst)?;
        if let Some(peak) = self.peak {
            write!(f, " peakrate {} mtu {}b", Rate(peak.rate), peak.burst)?;
        }
        write!(f, " limit {}b", self.limit)
    }
}

impl CodelConfig {
    /// Writes all settings except the limit.
    fn show(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, " target {} interval {}", Time(self.target), Time(self.interval))?;
        if let Some(threshold) = self.ce_threshold {
            write!(f, " ce_threshold {}", Time(threshold))?;
        }
        f.write_str(if self.ecn { " ecn" } else { "" })
    }
}

impl FqCodelConfig {
    /// Shows the settings in one line.
    fn show(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "fq_codel limit {} flows {} quantum {}b", self.codel.limit, self.flows, self.quantum)?;
        self.codel.show(f)?;
        write!(f, " memory_limit {}b drop_batch {}", self.memory_limit, self.drop_batch)
    }
}

impl DualPi2Config {
    /// Shows the settings in one line.
    fn show(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let DualPi2Config { limit, alpha, beta, coupling_factor, classic_protection, .. } = self;
        write!(f, "dualpi2 limit {limit} target {} tupdate {}", Time(self.target), Time(self.tupdate))?;
        write!(f, " alpha {alpha} beta {beta} coupling_factor {coupling_factor}")?;
        write!(f, " step_thresh {} classic_protection {classic_protection}%", Time(self.step_thresh))?;
        f.write_str(if self.drop_on_overload { "" } else { " overflow" })
    }
}

impl RedConfig {
    /// Shows the settings in one line.
    fn show(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RedConfig { limit, min, max, avpkt, burst, probability, bandwidth, .. } = self;
        write!(f, "red limit {limit}b min {min}b max {max}b avpkt {avpkt}b burst {burst}")?;
        write!(f, " probability {probability} bandwidth {}", Rate(*bandwidth))?;
        let flags = [
            (self.ecn, "ecn"),
            (self.harddrop, "harddrop"),
            (self.adaptive, "adaptive"),
            (self.nodrop, "nodrop"),
        ];
        flags.iter().filter(|(on, _)| *on).try_for_each(|(_, name)| write!(f, " {name}"))
    }
}

impl HtbConfig {
    /// Shows the settings in one line.
    fn show(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("htb")?;
        if let Some(default) = self.default {
            write!(f, " default {default:x}")?;
        }
        for class in &self.classes {
            let HtbClass { id, rate, ceil, priority, .. } = class;
            write!(f, " {{{id:x}")?;
            if let Some(parent) = class.parent {
                write!(f, " of {parent:x}")?;
            }
            write!(f, ": rate {} ceil {} prio {priority}", Rate(*rate), Rate(*ceil))?;
            if !self.is_inner(*id) {
                write!(f, " [{}]", class.queue)?;
            }
            f.write_str("}")?;
        }
        for filter in &self.filters {
            match filter.parent {
                Some(parent) => write!(f, " (at {parent:x} {} -> {:x})", filter.filter, filter.class)?,
                None => write!(f, " ({} -> {:x})", filter.filter, filter.class)?,
            }
        }
        Ok(())
    }
}

impl NetemConfig {
    /// Shows the settings in one line.
    fn show(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let correlation = &self.impairments.correlation;
        write!(f, "netem limit {} delay {}", self.limit, Time(self.delay))?;
        let (spread, distribution) = match &self.impairments.jitter {
            Jitter::UniformAround(spread) => (Some(*spread), ""),
            Jitter::Normal { sigma } => (Some(*sigma), " distribution normal"),
            Jitter::ParetoAround { sigma } => (Some(*sigma), " distribution pareto"),
            Jitter::ParetoNormalAround { sigma } => (Some(*sigma), " distribution paretonormal"),
            _ => (None, ""),
        };
        match (spread, &self.impairments.jitter) {
            (Some(spread), _) => {
                write!(f, " {}{}{distribution}", Time(spread), Correlation(correlation.jitter))?;
            }
            (None, Jitter::None) => {}
            (None, other) => write!(f, " jitter {other:?}{}", Correlation(correlation.jitter))?,
        }
        match &self.impairments.loss {
            Loss::None => {}
            Loss::Random(share) => write!(f, " loss {}{}", Share(*share), Correlation(correlation.loss))?,
            Loss::GilbertElliott { enter, leave, good, bad } => {
                let [enter, leave, good, bad] = [enter, leave, good, bad].map(|share| Share(*share));
                write!(f, " loss gemodel {enter} {leave} {bad} {good}")?;
            }
            Loss::FourState { p13, p31, p32, p23, p14 } => {
                f.write_str(" loss state")?;
                [p13, p31, p32, p23, p14]
                    .into_iter()
                    .try_for_each(|share| write!(f, " {}", Share(*share)))?;
            }
            other => write!(f, " loss {other:?}")?,
        }
        let effects = [
            ("duplicate", self.impairments.duplicate, correlation.duplicate),
            ("corrupt", self.impairments.corrupt, correlation.corrupt),
        ];
        for (name, share, correlation) in effects {
            if share > 0.0 {
                write!(f, " {name} {}{}", Share(share), Correlation(correlation))?;
            }
        }
        if let Some((share, gap)) = self.reorder {
            write!(f, " reorder {}{} gap {gap}", Share(share), Correlation(correlation.reorder))?;
        }
        let Framing { packet_overhead, cell_size, cell_overhead } = self.framing;
        match self.rate {
            None => Ok(()),
            Some(rate) if self.framing == Framing::default() => write!(f, " rate {}", Rate(rate)),
            Some(rate) => {
                write!(f, " rate {} {packet_overhead} {cell_size} {cell_overhead}", Rate(rate))
            }
        }?;
        if let Some(Slot { min, max, packets, bytes }) = self.slot.as_deref().copied() {
            write!(f, " slot {} {}", Time(min), Time(max))?;
            packets.map_or(Ok(()), |packets| write!(f, " packets {packets}"))?;
            bytes.map_or(Ok(()), |bytes| write!(f, " bytes {bytes}"))?;
        }
        f.write_str(if self.ecn { " ecn" } else { "" })?;
        self.seed.map_or(Ok(()), |seed| write!(f, " seed {seed}"))
    }
}

/// Shows a percentage, such as `0.1%`.
pub(super) struct Share(pub(super) f64);

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The share is rounded so that a value that was parsed from a few digits is shown with the
        // same digits.
        write!(f, "{}%", (self.0 * 1e14).round() / 1e12)
    }
}

/// Shows a correlation, such as ` 25%`; empty for 0.
pub(super) struct Correlation(pub(super) f64);

impl fmt::Display for Correlation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 > 0.0 { write!(f, " {}", Share(self.0)) } else { Ok(()) }
    }
}
