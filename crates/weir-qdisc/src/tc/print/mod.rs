//! The output of `tc qdisc show`, `tc class show` and `tc filter show`: disciplines, classes and
//! statistics in `tc`'s format. Features that Weir does not have (reference counts, hash tables,
//! offloads) are omitted; filters are printed in the [filter language](weir_filter::Filter).

mod options;
mod units;

use std::fmt::{self, Write};

use self::units::{Rate, Size, Time};
use super::command::{Object, TcCommand};
use super::kinds::Kind;
use super::node::{Class, Node};
use super::tree::TcInterface;
use crate::QdiscConfig;
use crate::{ClassStats, Counts, KindStats, Stats};

/// The length in nanoseconds of `tc`'s ticks, in which it shows tokens.
const TICK: i64 = 64;

impl TcCommand {
    /// Returns the output of a `show` command for an interface with this discipline and these
    /// statistics. `tc` is the configuration made by commands, if any.
    pub fn print(
        &self,
        device: &str,
        tc: Option<&TcInterface>,
        config: &QdiscConfig,
        stats: &Stats,
    ) -> String {
        let explicit_root = tc.and_then(|tc| tc.root.clone());
        let root = explicit_root.unwrap_or_else(|| {
            // The default discipline of an interface has the handle 0:, as in Linux.
            let mut free = if matches!(config, QdiscConfig::Fifo { .. }) { 0 } else { 1 };
            Node::from_config(config, &mut free)
        });
        let mut printer = Printer { text: String::new(), device, statistics: self.statistics };
        // Writing to a string cannot fail.
        let _ = match self.object {
            Object::Qdisc { .. } => printer.qdisc(&root, "root", stats),
            Object::Class { .. } => printer.classes(&root, stats),
            Object::Filter { .. } => printer.filters(&root),
        };
        printer.text
    }
}

/// The state of printing the output of `tc`.
struct Printer<'a> {
    text: String,
    device: &'a str,
    statistics: bool,
}

impl Printer<'_> {
    /// Prints a discipline and its children.
    fn qdisc(&mut self, node: &Node, place: &str, stats: &Stats) -> fmt::Result {
        let handle = node.handle;
        let name = options::name(&node.kind);
        write!(self.text, "qdisc {name} {handle:x}: dev {} {place}", self.device)?;
        options::print(&node.kind, &mut self.text)?;
        self.text.push('\n');
        if self.statistics {
            self.kind_stats(&stats.counts, stats.packets, stats.bytes)?;
            self.kind_figures(&stats.kind_stats)?;
        }
        for (minor, child) in &node.children {
            let of_class = || stats.classes.iter().find(|class| class.id == u32::from(*minor));
            let below = stats.child.as_deref().or_else(|| of_class()?.queue.as_deref());
            let place = format!("parent {handle:x}:{minor:x}");
            self.qdisc(child, &place, below.unwrap_or(&Stats::default()))?;
        }
        Ok(())
    }

    fn kind_stats(&mut self, counts: &Counts, packets: usize, bytes: u64) -> fmt::Result {
        let Counts { sent_packets, sent_bytes, dropped, overlimits, .. } = counts;
        writeln!(
            self.text,
            " Sent {sent_bytes} bytes {sent_packets} pkt (dropped {dropped}, overlimits {overlimits} requeues 0)"
        )?;
        writeln!(self.text, " backlog {} {packets}p requeues 0", Size(bytes))
    }

    /// Prints the statistics specific to one kind of discipline.
    fn kind_figures(&mut self, kind_stats: &KindStats) -> fmt::Result {
        let text = &mut self.text;
        match *kind_stats {
            KindStats::None => Ok(()),
            KindStats::Fq { flows, idle, throttled, ce_marked } => {
                writeln!(text, "  flows {flows} (inactive {idle} throttled {throttled}) ce_mark {ce_marked}")
            }
            KindStats::Codel { count, last_count, wait, dropping, ecn_marked, ce_marked, refused } => {
                let dropping = if dropping { " dropping" } else { "" };
                writeln!(text, "  count {count} lastcount {last_count} ldelay {}{dropping}", Time(wait))?;
                writeln!(text, "  ecn_mark {ecn_marked} drop_overlimit {refused} ce_mark {ce_marked}")
            }
            KindStats::FqCodel { overlimit, overmemory, activations, ecn_marked, ce_marked, new, old } => {
                writeln!(
                    text,
                    "  drop_overlimit {overlimit} new_flow_count {activations} ecn_mark {ecn_marked} ce_mark {ce_marked} \
                     drop_overmemory {overmemory}"
                )?;
                writeln!(text, "  new_flows_len {new} old_flows_len {old}")
            }
            KindStats::DualPi2 { probability, l4s, classic, marked, step_marked, refused, longest } => {
                writeln!(text, "  prob {probability:.6} pkts_in_c {classic} pkts_in_l {l4s} maxq {longest}")?;
                writeln!(text, "  ecn_mark {marked} step_marks {step_marked} drop_overlimit {refused}")
            }
            KindStats::Red { marked, early, refused, max_probability } => {
                writeln!(
                    text,
                    "  marked {marked} early {early} pdrop {refused} other 0 probability {max_probability:.4}"
                )
            }
        }
    }

    /// Prints the classes of a discipline.
    fn classes(&mut self, node: &Node, stats: &Stats) -> fmt::Result {
        for class in &node.classes {
            let kind_stats = stats.classes.iter().find(|kind_stats| kind_stats.id == u32::from(class.id));
            self.class(node, class, kind_stats)?;
        }
        for (minor, child) in &node.children {
            let of_class = || stats.classes.iter().find(|class| class.id == u32::from(*minor));
            let below = stats.child.as_deref().or_else(|| of_class()?.queue.as_deref());
            self.classes(child, below.unwrap_or(&Stats::default()))?;
        }
        Ok(())
    }

    /// Prints a class with its statistics.
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
        self.kind_stats(&stats.counts, packets, bytes)?;
        writeln!(self.text, " lended: {} borrowed: {} giants: 0", stats.lent, stats.borrowed)?;
        writeln!(self.text, " tokens: {} ctokens: {}", stats.tokens / TICK, stats.ceil_tokens / TICK)
    }

    /// Prints the filters of a discipline.
    fn filters(&mut self, node: &Node) -> fmt::Result {
        let handle = node.handle;
        let mut filters: Vec<_> = node.filters.iter().collect();
        filters.sort_by_key(|filter| (filter.parent, filter.priority));
        for filter in filters {
            let (parent, class) = (filter.parent.unwrap_or(0), filter.class);
            let parent_text =
                if parent == 0 { format!("{handle:x}:") } else { format!("{handle:x}:{parent:x}") };
            write!(self.text, "filter dev {} parent {parent_text} pref {}", self.device, filter.priority)?;
            let text = filter.filter.to_string();
            let test = if text.is_empty() { "all".to_owned() } else { format!("match {text}") };
            writeln!(self.text, " flowid {handle:x}:{class:x} {test}")?;
        }
        node.children.values().try_for_each(|child| self.filters(child))
    }
}
