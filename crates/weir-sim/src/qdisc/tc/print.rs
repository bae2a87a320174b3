//! What `tc qdisc show`, `tc class show` and `tc filter show` print: disciplines, classes and their figures in `tc`'s words. What means
//! nothing here (reference counts, hash tables, offloads) is left out; filters are in the [filter language](crate::Filter).

use std::fmt::{self, Write};

use super::command::{Object, TcCommand};
use super::kinds::Kind;
use super::tree::{Class, Node, Tc};
use crate::qdisc::show::{Correlation, Share};
use crate::qdisc::{ClassStats, Counts, Stats};
use crate::{FqConfig, Jitter, Loss, NetemConfig, QdiscConfig};

/// A nanosecond's tokens in `tc`'s ticks of 64 ns.
const TICK: i64 = 64;

/// `10Mbit`, `1500Kbit`.
struct Rate(u64);

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mut rate, mut unit) = (self.0, "");
        for larger in ["K", "M", "G", "T"] {
            if rate < 1000 || (rate % 1000 != 0 && rate < 1_000_000) {
                break;
            }
            (rate, unit) = (rate / 1000, larger);
        }
        write!(f, "{rate}{unit}bit")
    }
}

/// `1600b`, `15Kb`: units of 1024 where they come out even.
struct Size(u64);

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            size if size >= 1 << 20 && size.is_multiple_of(1 << 20) => write!(f, "{}Mb", size >> 20),
            size if size >= 1 << 10 && size.is_multiple_of(1 << 10) => write!(f, "{}Kb", size >> 10),
            size => write!(f, "{size}b"),
        }
    }
}

/// `100ms`, `1.5s`.
struct Time(u64);

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (unit, name) in [(1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "us")] {
            if self.0 >= unit {
                return write!(f, "{}{name}", self.0 as f64 / unit as f64);
            }
        }
        write!(f, "{}ns", self.0)
    }
}

impl TcCommand {
    /// What a command that shows prints for an interface whose discipline is this, with these figures. `tc` is what commands have made
    /// there, if any.
    pub(crate) fn print(&self, device: &str, tc: Option<&Tc>, config: &QdiscConfig, stats: &Stats) -> String {
        let made = tc.and_then(|tc| tc.root.clone());
        let root = made.unwrap_or_else(|| {
            // What an interface has by itself has the handle 0:, as in Linux.
            let mut free = if matches!(config, QdiscConfig::Fifo { .. }) { 0 } else { 1 };
            Node::of(config, &mut free)
        });
        let mut printer = Printer { text: String::new(), device, statistics: self.statistics };
        // Writing to a string does not fail.
        let _ = match self.object {
            Object::Qdisc { .. } => printer.qdisc(&root, "root", stats),
            Object::Class { .. } => printer.classes(&root, stats),
            Object::Filter { .. } => printer.filters(&root),
        };
        printer.text
    }
}

struct Printer<'a> {
    text: String,
    device: &'a str,
    statistics: bool,
}

impl Printer<'_> {
    fn qdisc(&mut self, node: &Node, place: &str, stats: &Stats) -> fmt::Result {
        let handle = node.handle;
        let name = match &node.kind {
            Kind::Fifo(QdiscConfig::Fifo { packets: None, bytes: Some(_) }) => "bfifo",
            Kind::Fifo(_) => "pfifo",
            Kind::Fq(_) => "fq",
            Kind::Tbf(_) => "tbf",
            Kind::Netem(_) => "netem",
            Kind::Htb { .. } => "htb",
        };
        write!(self.text, "qdisc {name} {handle:x}: dev {} {place}", self.device)?;
        match &node.kind {
            Kind::Fifo(fifo) => self.fifo(fifo)?,
            Kind::Fq(settings) => self.fq(&settings.config())?,
            Kind::Tbf(tbf) => {
                let limit = Size(tbf.limit);
                write!(self.text, " rate {} burst {} limit {limit}", Rate(tbf.rate), Size(tbf.burst))?;
            }
            Kind::Netem(netem) => self.netem(netem)?,
            Kind::Htb { default, r2q } => {
                write!(self.text, " r2q {r2q} default {:#x}", default.unwrap_or(0))?;
            }
        }
        self.text.push('\n');
        if self.statistics {
            self.figures(&stats.counts, stats.packets, stats.bytes)?;
            if let Some((flows, silent, throttled)) = stats.flows {
                writeln!(self.text, "  flows {flows} (inactive {silent} throttled {throttled})")?;
            }
        }
        for (minor, child) in &node.children {
            let of_class = || stats.classes.iter().find(|class| class.id == u32::from(*minor));
            let below = stats.child.as_deref().or_else(|| of_class()?.queue.as_deref());
            let place = format!("parent {handle:x}:{minor:x}");
            self.qdisc(child, &place, below.unwrap_or(&Stats::default()))?;
        }
        Ok(())
    }

    fn figures(&mut self, counts: &Counts, packets: usize, bytes: u64) -> fmt::Result {
        let Counts { sent_packets, sent_bytes, dropped, overlimits } = counts;
        writeln!(
            self.text,
            " Sent {sent_bytes} bytes {sent_packets} pkt (dropped {dropped}, overlimits {overlimits} requeues 0)"
        )?;
        writeln!(self.text, " backlog {} {packets}p requeues 0", Size(bytes))
    }

    fn fifo(&mut self, fifo: &QdiscConfig) -> fmt::Result {
        let QdiscConfig::Fifo { packets, bytes } = fifo else { return Ok(()) };
        if let Some(packets) = packets {
            write!(self.text, " limit {packets}p")?;
        }
        if let Some(bytes) = bytes {
            write!(self.text, " limit {}", Size(*bytes))?;
        }
        Ok(())
    }

    fn fq(&mut self, fq: &FqConfig) -> fmt::Result {
        let FqConfig { limit, flow_limit, quantum, initial_quantum, .. } = fq;
        write!(self.text, " limit {limit}p flow_limit {flow_limit}p quantum {quantum}b")?;
        write!(self.text, " initial_quantum {initial_quantum}b")?;
        if !fq.pacing {
            self.text.push_str(" nopacing");
        }
        if let Some(maxrate) = fq.maxrate {
            write!(self.text, " maxrate {}", Rate(maxrate))?;
        }
        write!(self.text, " horizon {} horizon_drop", Time(fq.horizon))
    }

    fn netem(&mut self, netem: &NetemConfig) -> fmt::Result {
        let impairments = &netem.impairments;
        let correlation = &impairments.correlation;
        write!(self.text, " limit {}", netem.limit)?;
        let spread = match impairments.jitter {
            Jitter::UniformAround(spread) => Some(spread),
            Jitter::Normal { sigma }
            | Jitter::ParetoAround { sigma }
            | Jitter::ParetoNormalAround { sigma } => Some(sigma),
            _ => None,
        };
        if netem.delay > 0 || spread.is_some() {
            write!(self.text, " delay {}", Time(netem.delay))?;
        }
        if let Some(spread) = spread {
            write!(self.text, "  {}{}", Time(spread), Correlation(correlation.jitter))?;
        } else if impairments.jitter != Jitter::None {
            write!(self.text, " jitter {:?}", impairments.jitter)?;
        }
        match &impairments.loss {
            Loss::None => {}
            Loss::Random(share) => {
                write!(self.text, " loss {}{}", Share(*share), Correlation(correlation.loss))?;
            }
            Loss::GilbertElliott { enter, leave, good, bad } => {
                let [p, r, h, k] = [enter, leave, bad, good].map(|share| Share(*share));
                write!(self.text, " loss gemodel p {p} r {r} 1-h {h} 1-k {k}")?;
            }
            Loss::FourState { p13, p31, p32, p23, p14 } => {
                let [p13, p31, p32, p23, p14] = [p13, p31, p32, p23, p14].map(|share| Share(*share));
                write!(self.text, " loss state p13 {p13} p31 {p31} p32 {p32} p23 {p23} p14 {p14}")?;
            }
            other => write!(self.text, " loss {other:?}")?,
        }
        if impairments.duplicate > 0.0 {
            let share = Share(impairments.duplicate);
            write!(self.text, " duplicate {share}{}", Correlation(correlation.duplicate))?;
        }
        if let Some((share, gap)) = netem.hurry {
            write!(self.text, " reorder {}{} gap {gap}", Share(share), Correlation(correlation.reorder))?;
        }
        if impairments.corrupt > 0.0 {
            let share = Share(impairments.corrupt);
            write!(self.text, " corrupt {share}{}", Correlation(correlation.corrupt))?;
        }
        match netem.rate {
            Some(rate) => write!(self.text, " rate {}", Rate(rate)),
            None => Ok(()),
        }
    }

    fn classes(&mut self, node: &Node, stats: &Stats) -> fmt::Result {
        for class in &node.classes {
            let figures = stats.classes.iter().find(|figures| figures.id == u32::from(class.id));
            self.class(node, class, figures)?;
        }
        for (minor, child) in &node.children {
            let of_class = || stats.classes.iter().find(|class| class.id == u32::from(*minor));
            let below = stats.child.as_deref().or_else(|| of_class()?.queue.as_deref());
            self.classes(child, below.unwrap_or(&Stats::default()))?;
        }
        Ok(())
    }

    fn class(&mut self, node: &Node, class: &Class, stats: Option<&ClassStats>) -> fmt::Result {
        let (handle, id) = (node.handle, class.id);
        write!(self.text, "class htb {handle:x}:{id:x} dev {}", self.device)?;
        match class.parent {
            Some(parent) => write!(self.text, " parent {handle:x}:{parent:x}")?,
            None => self.text.push_str(" root"),
        }
        if let Some(leaf) = node.children.get(&id) {
            write!(self.text, " leaf {:x}:", leaf.handle)?;
        }
        let r2q = if let Kind::Htb { r2q, .. } = node.kind { r2q } else { 10 };
        let all = node.class(class, r2q);
        if !node.classes.iter().any(|other| other.parent == Some(id)) {
            write!(self.text, " prio {} quantum {}", all.priority, all.quantum)?;
        }
        let (burst, cburst) = (Size(all.burst), Size(all.cburst));
        writeln!(
            self.text,
            " rate {} ceil {} burst {burst} cburst {cburst}",
            Rate(all.rate),
            Rate(all.ceil)
        )?;
        let Some(stats) = stats.filter(|_| self.statistics) else { return Ok(()) };
        let (packets, bytes) = stats.queue.as_ref().map_or((0, 0), |queue| (queue.packets, queue.bytes));
        self.figures(&stats.counts, packets, bytes)?;
        writeln!(self.text, " lended: {} borrowed: {} giants: 0", stats.lent, stats.borrowed)?;
        writeln!(self.text, " tokens: {} ctokens: {}", stats.tokens / TICK, stats.ceil_tokens / TICK)
    }

    fn filters(&mut self, node: &Node) -> fmt::Result {
        let handle = node.handle;
        let mut filters: Vec<_> = node.filters.iter().collect();
        filters.sort_by_key(|filter| (filter.parent, filter.priority));
        for filter in filters {
            let (parent, class) = (filter.parent.unwrap_or(0), filter.class);
            let at = if parent == 0 { format!("{handle:x}:") } else { format!("{handle:x}:{parent:x}") };
            write!(self.text, "filter dev {} parent {at} pref {}", self.device, filter.priority)?;
            let text = filter.filter.to_string();
            let test = if text.is_empty() { "all".to_owned() } else { format!("match {text}") };
            writeln!(self.text, " flowid {handle:x}:{class:x} {test}")?;
        }
        node.children.values().try_for_each(|child| self.filters(child))
    }
}
