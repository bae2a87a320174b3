//! Which queueing discipline, with its settings: the data that `tc` commands and callers make.

use weir_switch::Nanos;

use crate::link::Impairments;
use crate::{Error, Filter};

/// Most bytes of a burst, a quantum or a byte limit.
const MOST_BYTES: u64 = 1 << 40;
/// Least quantum: rounds needed for a large frame's credit stay few.
const LEAST_QUANTUM: u64 = 200;
/// Levels of HTB classes, as Linux has them (`TC_HTB_MAXDEPTH`).
pub(crate) const HTB_DEPTH: usize = 8;

/// Which discipline, with its settings.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum QdiscConfig {
    /// First in, first out; a frame that finds no room is dropped. What a link's queue is if nothing else is said.
    Fifo {
        /// Frames that may wait behind the one being sent; `None` is unlimited.
        packets: Option<usize>,
        /// Bytes of frames that may wait; `None` is unlimited.
        bytes: Option<u64>,
    },
    /// A token bucket: one rate for all (tc-tbf).
    Tbf(TbfConfig),
    /// A tree of classes that lend one another what they do not use (tc-htb).
    Htb(HtbConfig),
    /// A queue a flow, in turn, with pacing (tc-fq).
    Fq(FqConfig),
    /// Delay, loss and their like before the link (tc-netem).
    Netem(NetemConfig),
}

/// A token bucket filter. Lengths are those of frames as captured.
#[derive(Clone, Debug, PartialEq)]
pub struct TbfConfig {
    /// Bits per second.
    pub rate: u64,
    /// Bytes that may leave at once after a pause; a larger frame never passes and is dropped.
    pub burst: u64,
    /// Bytes that may wait, if there is no `queue`.
    pub limit: u64,
    /// Where frames wait for tokens, instead of first in, first out.
    pub queue: Option<Box<QdiscConfig>>,
}

/// Hierarchical token buckets.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HtbConfig {
    /// The class of frames that no filter names. `None`, or a class that is not there: such frames leave at once and unshaped, as in Linux.
    pub default: Option<u32>,
    /// The classes; each parent is one of them.
    pub classes: Vec<HtbClass>,
    /// Which frames go to which class: the first that matches, by priority (lowest first), then by order.
    pub filters: Vec<HtbFilter>,
}

/// A class of [`HtbConfig`]. One that is the parent of others is inner and holds no frames.
#[derive(Clone, Debug, PartialEq)]
pub struct HtbClass {
    /// The part behind the colon of `1:10`.
    pub id: u32,
    /// The class that it borrows from; `None` for one at the root, which cannot borrow.
    pub parent: Option<u32>,
    /// Bits per second that it has in any case.
    pub rate: u64,
    /// Bits per second that it may have with what it borrows; at least `rate`.
    pub ceil: u64,
    /// Bytes that may leave at once at `rate` after a pause.
    pub burst: u64,
    /// Bytes that may leave at once at `ceil` after a pause.
    pub cburst: u64,
    /// Who borrows first: 0 to 7, lowest first. Classes of one priority share in proportion to `quantum`.
    pub priority: u8,
    /// Bytes served in a turn.
    pub quantum: u32,
    /// Where its frames wait, if it is not inner.
    pub queue: QdiscConfig,
}

impl HtbClass {
    /// A class at the root with the defaults of `tc`: ceil = rate, bursts of 1600 bytes, priority 0, [`HtbClass::usual_quantum`], and a
    /// queue of 1000 frames.
    pub fn new(id: u32, rate: u64) -> Self {
        HtbClass {
            id,
            parent: None,
            rate,
            ceil: rate,
            burst: HtbClass::USUAL_BURST,
            cburst: HtbClass::USUAL_BURST,
            priority: 0,
            quantum: HtbClass::usual_quantum(rate),
            queue: QdiscConfig::default(),
        }
    }

    /// 1600 bytes: a frame of Ethernet and some more, as `tc` has it.
    pub const USUAL_BURST: u64 = 1600;

    /// The bytes of a turn in proportion to the rate, as Linux computes them with its `r2q` of 10: rate / 8 / 10, but 1000 to 200 000.
    pub fn usual_quantum(rate: u64) -> u32 {
        (rate / 80).clamp(1000, 200_000) as u32
    }
}

/// Sends frames to a class of [`HtbConfig`].
#[derive(Clone, Debug, PartialEq)]
pub struct HtbFilter {
    /// The inner class among whose frames it chooses: those that another filter sent there. `None`: among all frames.
    pub parent: Option<u32>,
    /// Lowest first.
    pub priority: u32,
    /// Which frames.
    pub filter: Filter,
    /// The class; an inner one's own filters decide further. What none of them matches goes to the default class. 0: past all classes, at
    /// once and unshaped.
    pub class: u32,
}

impl HtbFilter {
    /// Sends frames to a class, by the priority 1.
    pub fn new(filter: Filter, class: u32) -> Self {
        HtbFilter { parent: None, priority: 1, filter, class }
    }
}

/// Fair queueing by flows, with pacing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FqConfig {
    /// Frames that may wait in all.
    pub limit: usize,
    /// Frames of one flow that may wait.
    pub flow_limit: usize,
    /// Bytes served in a turn.
    pub quantum: u32,
    /// Bytes served in a flow's first turn.
    pub initial_quantum: u32,
    /// Bits per second that each flow may have at most.
    pub maxrate: Option<u64>,
    /// Whether `maxrate` and the times that senders give their frames are kept.
    pub pacing: bool,
    /// A frame that is to leave later than so many nanoseconds from now is dropped.
    pub horizon: Nanos,
}

impl Default for FqConfig {
    /// As `tc qdisc add … fq` on an Ethernet interface.
    fn default() -> Self {
        FqConfig {
            limit: 10_000,
            flow_limit: 100,
            quantum: 2 * 1514,
            initial_quantum: 10 * 1514,
            maxrate: None,
            pacing: true,
            horizon: 10_000_000_000,
        }
    }
}

/// Network emulation on a sending side. Frames are impaired as they come in and then wait for their time.
#[derive(Clone, Debug, PartialEq)]
pub struct NetemConfig {
    /// Nanoseconds that each frame waits.
    pub delay: Nanos,
    /// What varies. Frames overtake one another where jitter makes them, whatever [`Impairments::overtake`] says.
    pub impairments: Impairments,
    /// A share of frames that do not wait, and at least how many others lie between two of them, plus 1: `reorder 25% gap 5`.
    pub hurry: Option<(f64, u64)>,
    /// Bits per second of a bottleneck before the delay.
    pub rate: Option<u64>,
    /// What frames take on that bottleneck beside their bytes.
    pub framing: Framing,
    /// Frames that may wait, those on their delay among them.
    pub limit: usize,
    /// Where frames go after their delay, if not straight to the link.
    pub queue: Option<Box<QdiscConfig>>,
}

impl Default for NetemConfig {
    /// Nothing but a limit of 1000 frames.
    fn default() -> Self {
        NetemConfig {
            delay: 0,
            impairments: Impairments::default(),
            hurry: None,
            rate: None,
            framing: Framing::default(),
            limit: 1000,
            queue: None,
        }
    }
}

/// What frames take beside their bytes on the bottleneck of [`NetemConfig::rate`]: netem's `rate RATE PACKETOVERHEAD CELLSIZE CELLOVERHEAD`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Framing {
    /// Bytes added to each frame, or taken off.
    pub packet_overhead: i32,
    /// Frames are sent in whole cells of so many bytes; 0: not in cells.
    pub cell_size: u32,
    /// Bytes added to each cell, or taken off.
    pub cell_overhead: i32,
}

impl Framing {
    /// What a frame of so many bytes takes.
    pub(super) fn bytes(&self, bytes: u32) -> u64 {
        let whole = (i64::from(bytes) + i64::from(self.packet_overhead)).max(0) as u64;
        if self.cell_size == 0 {
            return whole;
        }
        let cell = (i64::from(self.cell_size) + i64::from(self.cell_overhead)).max(0) as u64;
        whole.div_ceil(self.cell_size.into()) * cell
    }
}

impl QdiscConfig {
    /// First in, first out, with room for so many frames behind the one being sent.
    pub fn packets(packets: usize) -> Self {
        QdiscConfig::Fifo { packets: Some(packets), bytes: None }
    }

    /// First in, first out, with room for so many bytes behind the frame being sent.
    pub fn bytes(bytes: u64) -> Self {
        QdiscConfig::Fifo { packets: None, bytes: Some(bytes) }
    }

    /// Whether it holds frames until the times that their senders gave them.
    pub(crate) fn paces(&self) -> bool {
        match self {
            QdiscConfig::Fq(fq) => fq.pacing,
            QdiscConfig::Htb(htb) => htb.classes.iter().any(|class| class.queue.paces()),
            QdiscConfig::Tbf(tbf) => tbf.queue.as_ref().is_some_and(|queue| queue.paces()),
            QdiscConfig::Fifo { .. } | QdiscConfig::Netem(_) => false,
        }
    }

    /// # Errors
    /// A setting is out of its range, or classes do not make trees.
    pub(crate) fn check(&self) -> Result<(), Error> {
        self.check_depth(0)
    }

    fn check_depth(&self, depth: usize) -> Result<(), Error> {
        if depth > HTB_DEPTH {
            return bad("queue", "disciplines in one another".into(), "at most 8 levels of them");
        }
        let inner = |queue: &Option<Box<QdiscConfig>>| {
            queue.as_ref().map_or(Ok(()), |queue| queue.check_depth(depth + 1))
        };
        match self {
            QdiscConfig::Fifo { .. } => Ok(()),
            QdiscConfig::Tbf(tbf) => {
                rate("tbf rate", tbf.rate)?;
                bytes("tbf burst", tbf.burst, 1)?;
                bytes("tbf limit", tbf.limit, 1)?;
                inner(&tbf.queue)
            }
            QdiscConfig::Htb(htb) => htb.check(depth),
            QdiscConfig::Fq(fq) => {
                bytes("fq quantum", fq.quantum.into(), LEAST_QUANTUM)?;
                if let Some(maxrate) = fq.maxrate {
                    rate("fq maxrate", maxrate)?;
                }
                time("fq horizon", fq.horizon)
            }
            QdiscConfig::Netem(netem) => {
                netem.impairments.check()?;
                time("netem delay", netem.delay)?;
                if let Some(limit) = netem.rate {
                    rate("netem rate", limit)?;
                }
                if let Some((share, _)) = netem.hurry
                    && !(0.0..=1.0).contains(&share)
                {
                    return bad("netem reorder", share.to_string(), "a probability from 0 to 1");
                }
                inner(&netem.queue)
            }
        }
    }
}

impl Default for QdiscConfig {
    /// First in, first out, 1000 frames, as Linux interfaces have it.
    fn default() -> Self {
        QdiscConfig::packets(1000)
    }
}

impl HtbConfig {
    /// Whether a class is the parent of others.
    pub(super) fn is_inner(&self, id: u32) -> bool {
        self.classes.iter().any(|class| class.parent == Some(id))
    }

    fn check(&self, depth: usize) -> Result<(), Error> {
        for (index, class) in self.classes.iter().enumerate() {
            if self.classes[..index].iter().any(|other| other.id == class.id) {
                return bad("htb class", format!("{:x}", class.id), "each class once");
            }
            rate("htb rate", class.rate)?;
            if class.ceil < class.rate {
                return bad("htb ceil", format!("{} bit/s", class.ceil), "at least the class's rate");
            }
            rate("htb ceil", class.ceil)?;
            bytes("htb burst", class.burst, 1)?;
            bytes("htb cburst", class.cburst, 1)?;
            bytes("htb quantum", class.quantum.into(), LEAST_QUANTUM)?;
            if class.priority > 7 {
                return bad("htb prio", class.priority.to_string(), "0 to 7");
            }
            class.queue.check_depth(depth + 1)?;
            self.check_ancestors(class)?;
        }
        let known = |id: u32| self.classes.iter().any(|class| class.id == id);
        for filter in &self.filters {
            if filter.class != 0 && !known(filter.class) {
                let value = format!("a filter to class {:x}", filter.class);
                return bad("htb filter", value, "a class that is there, or 0");
            }
            if let Some(parent) = filter.parent.filter(|parent| !known(*parent) || !self.is_inner(*parent)) {
                let value = format!("a filter at class {parent:x}");
                return bad("htb filter", value, "a class that is there and the parent of others");
            }
        }
        Ok(())
    }

    fn check_ancestors(&self, class: &HtbClass) -> Result<(), Error> {
        let mut above = class;
        for _ in 0..HTB_DEPTH {
            let Some(parent) = above.parent else { return Ok(()) };
            match self.classes.iter().find(|other| other.id == parent) {
                Some(found) => above = found,
                None => {
                    let value = format!("parent {parent:x} of class {:x}", above.id);
                    return bad("htb class", value, "a class that is there");
                }
            }
        }
        let value = format!("class {:x} under itself or too deep", class.id);
        bad("htb class", value, "a tree of at most 8 levels")
    }
}

fn bad(setting: &'static str, value: String, expected: &'static str) -> Result<(), Error> {
    Err(Error::BadLink { setting, value, expected })
}

fn rate(setting: &'static str, rate: u64) -> Result<(), Error> {
    if rate == 0 { bad(setting, "0 bit/s".into(), "1 bit/s or more") } else { Ok(()) }
}

fn bytes(setting: &'static str, bytes: u64, least: u64) -> Result<(), Error> {
    if (least..=MOST_BYTES).contains(&bytes) {
        return Ok(());
    }
    let expected = if least == 1 { "1 byte to 1 TiB" } else { "200 bytes to 1 TiB" };
    bad(setting, format!("{bytes} bytes"), expected)
}

fn time(setting: &'static str, time: Nanos) -> Result<(), Error> {
    if time <= 1 << 62 { Ok(()) } else { bad(setting, format!("{time} ns"), "at most 2^62 ns") }
}
