//! Queueing disciplines, in which frames wait at the sending end of a link's direction, and which
//! choose the next frame.
//!
//! - **Input:** settings ([`QdiscConfig`]), also as `tc` commands ([`TcCommand`]); numbers of
//!   frames; times; a seed.
//! - **Output:** the frame that leaves, or the time of the next call; dropped frames with the
//!   reasons; congestion marks in frames; statistics.
//!
//! A discipline is a value. Its caller keeps the frames ([`FrameStore`]) and the time, so links of
//! virtual networks and links between real interfaces have the same disciplines.
//!
//! - **Independent of:** clocks, links, hosts, where frames are kept and where they go.

mod bucket;
mod child;
mod codel;
mod config;
mod dualpi2;
mod ecn;
mod fifo;
mod fq;
mod fq_codel;
mod frames;
mod htb;
mod netem;
mod rate_limiter;
mod red;
mod show;
mod slot;
mod stats;
mod tbf;
mod tc;
#[cfg(test)]
mod tests;
mod timed_queue;

use weir_device::Nanos;

use self::codel::Codel;
pub use self::config::{
    CodelConfig, DualPi2Config, FqCodelConfig, FqConfig, Framing, HtbClass, HtbConfig, HtbFilter,
    NetemConfig, NoEffect, PeakRate, QdiscConfig, RedConfig, Slot, TbfConfig,
};
use self::dualpi2::DualPi2;
pub use self::ecn::mark_congestion;
use self::fifo::Fifo;
pub use self::fifo::QUEUE_FULL;
use self::fq::Fq;
use self::fq_codel::FqCodel;
pub use self::frames::{FrameId, FrameStore};
use self::htb::Htb;
use self::netem::Netem;
pub use self::rate_limiter::RateLimiter;
use self::red::Red;
use self::stats::{ClassStats, KindStats};
pub use self::stats::{Counts, Stats};
use self::tbf::Tbf;
pub use self::tc::{TcCommand, TcError, TcInterface};
pub use weir_impair::OutOfRange;

/// The reason for drops when a discipline is replaced by one of another kind.
pub const REPLACED: &str = "queueing discipline replaced";

/// Frames dropped by a discipline, with the reasons. The caller releases them.
pub type Dropped = Vec<(FrameId, &'static str)>;

/// The context of a call: the time, the store of the frames, and the list of dropped frames.
#[derive(Debug)]
pub struct QdiscContext<'a, S> {
    /// The time of the call. It never goes back from one call to the next.
    pub now: Nanos,
    /// The store of the frames.
    pub frames: &'a mut S,
    /// The frames that the discipline has dropped.
    pub dropped: &'a mut Dropped,
    /// The number of frames marked during the call.
    pub marked: u64,
}

impl<'a, S: FrameStore> QdiscContext<'a, S> {
    /// Creates the context of a call at a time.
    pub fn new(now: Nanos, frames: &'a mut S, dropped: &'a mut Dropped) -> Self {
        QdiscContext { now, frames, dropped, marked: 0 }
    }

    fn drop(&mut self, frame: FrameId, reason: &'static str) {
        self.dropped.push((frame, reason));
    }

    /// Returns the flow of a frame, for disciplines that distinguish flows.
    fn flow(&self, waiting: &QueuedFrame) -> u64 {
        if waiting.flow == 0 { weir_filter::flow(self.frames.bytes(waiting.frame)) } else { waiting.flow }
    }

    /// Marks congestion in a frame if its transport is ECN-capable.
    fn mark(&mut self, frame: FrameId) -> bool {
        let marked = self.frames.mark(frame);
        self.marked += u64::from(marked);
        marked
    }
}

/// A frame that waits in a queue, with its length and flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueuedFrame {
    /// The frame's number.
    pub frame: FrameId,
    /// The frame length in bytes.
    pub bytes: u32,
    /// A hash of addresses, protocol and ports; 0 if it must be computed from the frame's bytes.
    pub flow: u64,
    /// The earliest time at which the frame may leave.
    pub earliest: Nanos,
}

/// The result of taking a frame from a discipline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dequeued {
    /// This frame leaves now.
    Frame(QueuedFrame),
    /// Frames are queued, but none leaves before this time, which is in the future.
    At(Nanos),
    /// The queue is empty.
    Empty,
}

/// The operations of a queueing discipline.
trait Discipline {
    /// Adds a frame. Dropped frames, possibly this one, are added to the list of drops.
    fn enqueue(&mut self, waiting: QueuedFrame, context: &mut QdiscContext<'_, impl FrameStore>);
    /// Takes the next frame, or returns when to call again. Frames that are dropped during the call
    /// are added to the list of drops.
    fn dequeue(&mut self, context: &mut QdiscContext<'_, impl FrameStore>) -> Dequeued;
    /// Returns the number of frames in the queue.
    fn packets(&self) -> usize;
    /// Returns the bytes of the frames in the queue.
    fn bytes(&self) -> u64;
    /// Takes all frames, in a deterministic order.
    fn drain(&mut self) -> Vec<FrameId>;
    /// Visits the numbers of all frames, to change them.
    fn visit_frames(&mut self, visit: &mut dyn FnMut(&mut FrameId));
    /// Returns the number of duplicates that the discipline created.
    fn duplicates(&self) -> u64 {
        0
    }
    /// Returns the statistics of the discipline's classes.
    fn classes(&self) -> Vec<ClassStats> {
        Vec::new()
    }
    /// Returns the statistics of the child discipline.
    fn child(&self) -> Option<Box<Stats>> {
        None
    }
    /// Returns the statistics specific to the discipline's kind.
    fn kind_stats(&self) -> KindStats {
        KindStats::None
    }
}

/// A queueing discipline with its state.
#[derive(Debug)]
pub struct Qdisc {
    kind: Kind,
    /// The number of duplicates created by the disciplines that it replaced.
    duplicates: u64,
    /// The counts since the last change of kind.
    counts: Counts,
}

/// The discipline of one of the supported kinds.
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
    DualPi2(Box<DualPi2>),
}

/// Calls the discipline, regardless of its kind.
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
            Kind::DualPi2($it) => $call,
        }
    };
}

impl Qdisc {
    /// Creates an empty discipline. Its randomness comes from the stream `name` of the seed.
    pub fn new(config: &QdiscConfig, seed: u64, name: &str) -> Self {
        let kind = match config {
            QdiscConfig::Fifo { packets, bytes } => Kind::Fifo(Fifo::new(*packets, *bytes)),
            QdiscConfig::Tbf(config) => Kind::Tbf(Tbf::new(config, seed, name)),
            QdiscConfig::Htb(config) => Kind::Htb(Box::new(Htb::new(config, seed, name))),
            QdiscConfig::Fq(config) => Kind::Fq(Box::new(Fq::new(config))),
            QdiscConfig::Netem(config) => Kind::Netem(Box::new(Netem::new(config, seed, name))),
            QdiscConfig::Codel(config) => Kind::Codel(Box::new(Codel::new(config))),
            QdiscConfig::FqCodel(config) => Kind::FqCodel(Box::new(FqCodel::new(config, seed, name))),
            QdiscConfig::Red(config) => Kind::Red(Box::new(Red::new(config, seed, name))),
            QdiscConfig::DualPi2(config) => Kind::DualPi2(Box::new(DualPi2::new(config, seed, name))),
        };
        Qdisc { kind, duplicates: 0, counts: Counts::default() }
    }

    /// Changes the settings. Queued frames stay if the kind of the discipline, class or child that
    /// holds them stays the same; otherwise, they are dropped.
    pub fn replace(&mut self, config: &QdiscConfig, seed: u64, name: &str, dropped: &mut Dropped) {
        match (&mut self.kind, config) {
            (Kind::Fifo(fifo), QdiscConfig::Fifo { packets, bytes }) => fifo.set_limits(*packets, *bytes),
            (Kind::Tbf(tbf), QdiscConfig::Tbf(config)) => tbf.change(config, seed, name, dropped),
            (Kind::Htb(htb), QdiscConfig::Htb(config)) => htb.change(config, seed, name, dropped),
            (Kind::Fq(fq), QdiscConfig::Fq(config)) => fq.change(config),
            (Kind::Netem(netem), QdiscConfig::Netem(config)) => netem.change(config, seed, name, dropped),
            (Kind::Codel(codel), QdiscConfig::Codel(config)) => codel.change(config),
            (Kind::FqCodel(fq), QdiscConfig::FqCodel(config)) => fq.change(config),
            (Kind::Red(red), QdiscConfig::Red(config)) => red.change(config, seed, name, dropped),
            (Kind::DualPi2(dual), QdiscConfig::DualPi2(config)) => dual.change(config),
            _ => {
                dropped.extend(self.drain().into_iter().map(|frame| (frame, REPLACED)));
                *self = Qdisc { duplicates: self.duplicates(), ..Qdisc::new(config, seed, name) };
            }
        }
    }

    /// Returns whether a frame may bypass the discipline if the queue is empty and the transmitter
    /// is idle. This is true if the discipline neither shapes nor reorders frames, and draws no
    /// random numbers.
    #[inline]
    pub fn is_plain(&self) -> bool {
        matches!(self.kind, Kind::Fifo(_))
    }

    /// Adds a frame. Dropped frames, possibly this one, are added to the list of drops.
    pub fn enqueue(&mut self, waiting: QueuedFrame, context: &mut QdiscContext<'_, impl FrameStore>) {
        let before = (context.dropped.len(), context.marked);
        with_discipline!(&mut self.kind, it => it.enqueue(waiting, context));
        self.counts.add_call(before, context);
    }

    /// Takes the next frame, or returns when to call again. Frames that are dropped during the call
    /// are added to the list of drops.
    pub fn dequeue(&mut self, context: &mut QdiscContext<'_, impl FrameStore>) -> Dequeued {
        let before = (context.dropped.len(), context.marked);
        let next = with_discipline!(&mut self.kind, it => it.dequeue(context));
        self.counts.add_call(before, context);
        match (&next, &self.kind) {
            (Dequeued::Frame(waiting), _) => self.counts.add(waiting.bytes),
            (Dequeued::At(_), Kind::Tbf(_) | Kind::Htb(_)) => self.counts.overlimits += 1,
            _ => {}
        }
        next
    }

    /// Returns the number of frames in the queue.
    #[inline]
    pub fn packets(&self) -> usize {
        with_discipline!(&self.kind, it => it.packets())
    }

    /// Returns the bytes of the frames in the queue.
    #[inline]
    pub fn bytes(&self) -> u64 {
        with_discipline!(&self.kind, it => it.bytes())
    }

    /// Takes all frames, in a deterministic order.
    pub fn drain(&mut self) -> Vec<FrameId> {
        with_discipline!(&mut self.kind, it => it.drain())
    }

    /// Visits the numbers of all frames, so that the caller can move the frames to another store.
    pub fn visit_frames(&mut self, visit: &mut dyn FnMut(&mut FrameId)) {
        with_discipline!(&mut self.kind, it => it.visit_frames(visit));
    }

    /// Returns the number of duplicates that the discipline created.
    pub fn duplicates(&self) -> u64 {
        self.duplicates + with_discipline!(&self.kind, it => it.duplicates())
    }

    /// Returns the statistics since the last change of kind.
    pub fn stats(&self) -> Stats {
        let (classes, child, kind_stats) =
            with_discipline!(&self.kind, it => (it.classes(), it.child(), it.kind_stats()));
        let mut counts = self.counts;
        if let KindStats::Red { marked, early, .. } = kind_stats {
            counts.overlimits = marked + early;
        }
        Stats { counts, packets: self.packets(), bytes: self.bytes(), classes, child, kind_stats }
    }
}
