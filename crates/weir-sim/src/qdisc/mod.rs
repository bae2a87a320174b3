//! Queueing disciplines: where frames wait at the sending end of a link's direction, and which is next.
//!
//! A discipline is a value: frames and times go in, frames and times come out. It knows neither links nor hosts.

mod bucket;
mod child;
mod codel;
mod config;
mod ecn;
mod fifo;
mod fq;
mod fq_codel;
mod htb;
mod netem;
mod red;
mod show;
mod slot;
mod stats;
mod tbf;
mod tc;
#[cfg(test)]
mod tests;

use weir_device::Nanos;

use self::codel::Codel;
pub use self::config::{
    CodelConfig, FqCodelConfig, FqConfig, Framing, HtbClass, HtbConfig, HtbFilter, NetemConfig, PeakRate,
    QdiscConfig, RedConfig, Slot, TbfConfig,
};
use self::fifo::Fifo;
pub(crate) use self::fifo::QUEUE_FULL;
use self::fq::Fq;
use self::fq_codel::FqCodel;
use self::htb::Htb;
use self::netem::Netem;
use self::red::Red;
pub(crate) use self::stats::{ClassStats, Counts, KindStats, Stats};
use self::tbf::Tbf;
pub use self::tc::{TcCommand, TcInterface};
use crate::filter;
use crate::frames::{FrameId, Frames};

/// Why frames are dropped that wait when their discipline is replaced by one of another kind.
pub(crate) const REPLACED: &str = "queueing discipline replaced";

/// Frames that a discipline drops, and why. Whoever handed the list in gives them back.
pub(crate) type Dropped = Vec<(FrameId, &'static str)>;

/// What a discipline works with when it is called: the time, all frames, and where those go that it drops.
pub(crate) struct QdiscContext<'a> {
    pub(crate) now: Nanos,
    pub(crate) frames: &'a mut Frames,
    pub(crate) dropped: &'a mut Dropped,
    /// Frames that it has marked.
    pub(crate) marked: u64,
}

impl<'a> QdiscContext<'a> {
    pub(crate) fn new(now: Nanos, frames: &'a mut Frames, dropped: &'a mut Dropped) -> Self {
        QdiscContext { now, frames, dropped, marked: 0 }
    }

    fn drop(&mut self, frame: FrameId, reason: &'static str) {
        self.dropped.push((frame, reason));
    }

    /// The flow that a frame belongs to, for disciplines by flows.
    fn flow(&self, waiting: &QueuedFrame) -> u64 {
        if waiting.flow == 0 { filter::flow(self.frames.bytes(waiting.frame)) } else { waiting.flow }
    }

    /// Notes congestion in a frame, if that means something to its transport.
    fn mark(&mut self, frame: FrameId) -> bool {
        let marked = ecn::mark(self.frames.bytes_mut(frame));
        self.marked += u64::from(marked);
        marked
    }
}

/// A frame that waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct QueuedFrame {
    pub(crate) frame: FrameId,
    /// Its bytes as captured.
    pub(crate) bytes: u32,
    /// See [`crate::frames::FrameMeta::flow`]; 0 for frames of devices; see [`QdiscContext::flow`].
    pub(crate) flow: u64,
    /// Not to leave before.
    pub(crate) earliest: Nanos,
}

/// What leaves a discipline next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dequeued {
    /// This one, now.
    Frame(QueuedFrame),
    /// Something waits, but nothing leaves before this time, which is later than now.
    At(Nanos),
    /// Nothing waits.
    Empty,
}

/// What each kind of discipline does.
trait Discipline {
    /// Takes a frame in. Frames that are dropped for it, or it itself, are noted with the reason.
    fn enqueue(&mut self, waiting: QueuedFrame, context: &mut QdiscContext<'_>);
    /// Takes the next frame out, or says when to ask again. Frames that it does not let go on are noted as dropped.
    fn dequeue(&mut self, context: &mut QdiscContext<'_>) -> Dequeued;
    /// Frames waiting.
    fn packets(&self) -> usize;
    /// Their bytes.
    fn bytes(&self) -> u64;
    /// Takes all frames out, in an order that is always the same.
    fn drain(&mut self) -> Vec<FrameId>;
    /// Frames it made beside those it was given.
    fn duplicates(&self) -> u64 {
        0
    }
    /// The figures of its classes.
    fn classes(&self) -> Vec<ClassStats> {
        Vec::new()
    }
    /// The figures of what hangs in it.
    fn child(&self) -> Option<Box<Stats>> {
        None
    }
    /// KindStats of its kind.
    fn kind_stats(&self) -> KindStats {
        KindStats::None
    }
}

/// A queueing discipline at work.
#[derive(Debug)]
pub(crate) struct Qdisc {
    kind: Kind,
    /// Frames made by those that it replaced.
    duplicates: u64,
    /// Since the kind is what it is.
    counts: Counts,
}

#[derive(Debug)]
enum Kind {
    Fifo(Fifo),
    Tbf(Tbf),
    Htb(Box<Htb>),
    Fq(Box<Fq>),
    Netem(Box<Netem>),
    Codel(Box<Codel>),
    FqCodel(Box<FqCodel>),
    Red(Box<Red>),
}

/// Calls a discipline of whatever kind.
macro_rules! with_discipline {
    ($kind:expr, $it:ident => $call:expr) => {
        match $kind {
            Kind::Fifo($it) => $call,
            Kind::Tbf($it) => $call,
            Kind::Htb($it) => $call,
            Kind::Fq($it) => $call,
            Kind::Netem($it) => $call,
            Kind::Codel($it) => $call,
            Kind::FqCodel($it) => $call,
            Kind::Red($it) => $call,
        }
    };
}

impl Qdisc {
    /// An empty one. Its randomness, if it has any, comes from the stream of `name` in the world of this seed.
    pub(crate) fn new(config: &QdiscConfig, seed: u64, name: &str) -> Self {
        let kind = match config {
            QdiscConfig::Fifo { packets, bytes } => Kind::Fifo(Fifo::new(*packets, *bytes)),
            QdiscConfig::Tbf(config) => Kind::Tbf(Tbf::new(config, seed, name)),
            QdiscConfig::Htb(config) => Kind::Htb(Box::new(Htb::new(config, seed, name))),
            QdiscConfig::Fq(config) => Kind::Fq(Box::new(Fq::new(config))),
            QdiscConfig::Netem(config) => Kind::Netem(Box::new(Netem::new(config, seed, name))),
            QdiscConfig::Codel(config) => Kind::Codel(Box::new(Codel::new(config))),
            QdiscConfig::FqCodel(config) => Kind::FqCodel(Box::new(FqCodel::new(config, seed, name))),
            QdiscConfig::Red(config) => Kind::Red(Box::new(Red::new(config, seed, name))),
        };
        Qdisc { kind, duplicates: 0, counts: Counts::default() }
    }

    /// Goes on with other settings. What waits stays if the kind does (or the class, the child that it waits in); else it is dropped.
    pub(crate) fn replace(&mut self, config: &QdiscConfig, seed: u64, name: &str, dropped: &mut Dropped) {
        match (&mut self.kind, config) {
            (Kind::Fifo(fifo), QdiscConfig::Fifo { packets, bytes }) => fifo.set_limits(*packets, *bytes),
            (Kind::Tbf(tbf), QdiscConfig::Tbf(config)) => tbf.change(config, seed, name, dropped),
            (Kind::Htb(htb), QdiscConfig::Htb(config)) => htb.change(config, seed, name, dropped),
            (Kind::Fq(fq), QdiscConfig::Fq(config)) => fq.change(config),
            (Kind::Netem(netem), QdiscConfig::Netem(config)) => netem.change(config, seed, name, dropped),
            (Kind::Codel(codel), QdiscConfig::Codel(config)) => codel.change(config),
            (Kind::FqCodel(fq), QdiscConfig::FqCodel(config)) => fq.change(config),
            (Kind::Red(red), QdiscConfig::Red(config)) => red.change(config, seed, name, dropped),
            _ => {
                dropped.extend(self.drain().into_iter().map(|frame| (frame, REPLACED)));
                *self = Qdisc { duplicates: self.duplicates(), ..Qdisc::new(config, seed, name) };
            }
        }
    }

    /// Whether a frame that meets an idle transmitter may leave without waiting here when nothing else waits: nothing is shaped,
    /// ordered or drawn.
    pub(crate) fn is_plain(&self) -> bool {
        matches!(self.kind, Kind::Fifo(_))
    }

    /// See [`Discipline::enqueue`].
    pub(crate) fn enqueue(&mut self, waiting: QueuedFrame, context: &mut QdiscContext<'_>) {
        let before = (context.dropped.len(), context.marked);
        with_discipline!(&mut self.kind, it => it.enqueue(waiting, context));
        self.counts.note(before, context);
    }

    /// See [`Discipline::dequeue`].
    pub(crate) fn dequeue(&mut self, context: &mut QdiscContext<'_>) -> Dequeued {
        let before = (context.dropped.len(), context.marked);
        let next = with_discipline!(&mut self.kind, it => it.dequeue(context));
        self.counts.note(before, context);
        match (&next, &self.kind) {
            (Dequeued::Frame(waiting), _) => self.counts.add(waiting.bytes),
            (Dequeued::At(_), Kind::Tbf(_) | Kind::Htb(_)) => self.counts.overlimits += 1,
            _ => {}
        }
        next
    }

    /// See [`Discipline::packets`].
    pub(crate) fn packets(&self) -> usize {
        with_discipline!(&self.kind, it => it.packets())
    }

    /// See [`Discipline::bytes`].
    pub(crate) fn bytes(&self) -> u64 {
        with_discipline!(&self.kind, it => it.bytes())
    }

    /// See [`Discipline::drain`].
    pub(crate) fn drain(&mut self) -> Vec<FrameId> {
        with_discipline!(&mut self.kind, it => it.drain())
    }

    /// See [`Discipline::made`].
    pub(crate) fn duplicates(&self) -> u64 {
        self.duplicates + with_discipline!(&self.kind, it => it.duplicates())
    }

    /// What it has done since its kind is what it is.
    pub(crate) fn stats(&self) -> Stats {
        let (classes, child, kind_stats) =
            with_discipline!(&self.kind, it => (it.classes(), it.child(), it.kind_stats()));
        let mut counts = self.counts;
        if let KindStats::Red { marked, early, .. } = kind_stats {
            counts.overlimits = marked + early;
        }
        Stats { counts, packets: self.packets(), bytes: self.bytes(), classes, child, kind_stats }
    }
}
