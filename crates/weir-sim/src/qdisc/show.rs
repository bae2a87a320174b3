//! Queueing disciplines in words: as `tc` writes them, as far as it could have made them.

use std::fmt;

use super::{HtbClass, HtbConfig, NetemConfig, QdiscConfig};
use crate::{Jitter, Loss};

/// `10mbit`, `1500bit`: exact.
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

/// `20ms`: exact.
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
        let below = |f: &mut fmt::Formatter<'_>, queue: &Option<Box<QdiscConfig>>| match queue {
            Some(queue) => write!(f, " [{queue}]"),
            None => Ok(()),
        };
        match self {
            QdiscConfig::Fifo { packets: Some(packets), bytes: None } => write!(f, "pfifo limit {packets}"),
            QdiscConfig::Fifo { packets: None, bytes: Some(bytes) } => write!(f, "bfifo limit {bytes}b"),
            QdiscConfig::Fifo { packets: Some(packets), bytes: Some(bytes) } => {
                write!(f, "fifo limit {packets} packets and {bytes}b")
            }
            QdiscConfig::Fifo { packets: None, bytes: None } => f.write_str("fifo without limit"),
            QdiscConfig::Tbf(tbf) => {
                write!(f, "tbf rate {} burst {}b limit {}b", Rate(tbf.rate), tbf.burst, tbf.limit)?;
                below(f, &tbf.queue)
            }
            QdiscConfig::Htb(htb) => htb.show(f),
            QdiscConfig::Fq(fq) => {
                write!(f, "fq limit {} flow_limit {} quantum {}b", fq.limit, fq.flow_limit, fq.quantum)?;
                if let Some(maxrate) = fq.maxrate {
                    write!(f, " maxrate {}", Rate(maxrate))?;
                }
                f.write_str(if fq.pacing { "" } else { " nopacing" })
            }
            QdiscConfig::Netem(netem) => {
                netem.show(f)?;
                below(f, &netem.queue)
            }
        }
    }
}

impl HtbConfig {
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
            write!(f, " ({} -> {:x})", filter.filter, filter.class)?;
        }
        Ok(())
    }
}

impl NetemConfig {
    fn show(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "netem limit {} delay {}", self.limit, Time(self.delay))?;
        match &self.impairments.jitter {
            Jitter::None => {}
            Jitter::UniformAround(spread) => write!(f, " {}", Time(*spread))?,
            Jitter::Normal { sigma } => write!(f, " {} distribution normal", Time(*sigma))?,
            Jitter::ParetoAround { sigma } => write!(f, " {} distribution pareto", Time(*sigma))?,
            other => write!(f, " jitter {other:?}")?,
        }
        match &self.impairments.loss {
            Loss::None => {}
            Loss::Random(share) => write!(f, " loss {}%", share * 100.0)?,
            Loss::GilbertElliott { enter, leave, good, bad } => {
                let [enter, leave, good, bad] = [enter, leave, good, bad].map(|share| share * 100.0);
                write!(f, " loss gemodel {enter}% {leave}% {bad}% {good}%")?;
            }
            other => write!(f, " loss {other:?}")?,
        }
        if self.impairments.duplicate > 0.0 {
            write!(f, " duplicate {}%", self.impairments.duplicate * 100.0)?;
        }
        if let Some((share, gap)) = self.hurry {
            write!(f, " reorder {}% gap {gap}", share * 100.0)?;
        }
        match self.rate {
            Some(rate) => write!(f, " rate {}", Rate(rate)),
            None => Ok(()),
        }
    }
}
