//! Queueing disciplines: where frames wait at the sending end of a link's direction, and which is next.
//!
//! A discipline is a value: frames and times go in, frames and times come out. It knows neither links nor hosts.

mod bucket;
mod child;
mod config;
mod fifo;
mod fq;
mod htb;
mod netem;
mod show;
mod stats;
mod tbf;
mod tc;
#[cfg(test)]
mod tests;

use weir_switch::Nanos;

pub use self::config::{
    FqConfig, Framing, HtbClass, HtbConfig, HtbFilter, NetemConfig, QdiscConfig, TbfConfig,
};
use self::fifo::Fifo;
pub(crate) use self::fifo::QUEUE_FULL;
use self::fq::Fq;
use self::htb::Htb;
use self::netem::Netem;
pub(crate) use self::stats::{ClassStats, Counts, Stats};
use self::tbf::Tbf;
pub use self::tc::{Tc, TcCommand, TcError};
use crate::frames::{FrameId, Frames};

/// Why frames are dropped that wait when their discipline is replaced by one of another kind.
pub(crate) const REPLACED: &str = "queueing discipline replaced";

/// Frames that a discipline drops, and why. Whoever handed the list in gives them back.
pub(crate) type Dropped = Vec<(FrameId, &'static str)>;

/// What a discipline works with when it is called: the time, all frames, and where those go that it drops.
pub(crate) struct Moment<'a> {
    pub(crate) now: Nanos,
    pub(crate) frames: &'a mut Frames,
    pub(crate) dropped: &'a mut Dropped,
}

impl Moment<'_> {
    fn drop(&mut self, frame: FrameId, reason: &'static str) {
        self.dropped.push((frame, reason));
    }
}

/// A frame that waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Waiting {
    pub(crate) frame: FrameId,
    /// Its bytes as captured.
    pub(crate) bytes: u32,
    /// See [`crate::frames::Meta::flow`]; 0 for frames of devices: a discipline by flows then looks into the frame.
    pub(crate) flow: u64,
    /// Not to leave before.
    pub(crate) earliest: Nanos,
}

/// What leaves a discipline next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// This one, now.
    Frame(Waiting),
    /// Something waits, but nothing leaves before this time, which is later than now.
    At(Nanos),
    /// Nothing waits.
    Empty,
}

/// A queueing discipline at work.
#[derive(Debug)]
pub(crate) struct Qdisc {
    kind: Kind,
    /// Frames made by those that it replaced.
    made: u64,
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
        };
        Qdisc { kind, made: 0, counts: Counts::default() }
    }

    /// Goes on with other settings. What waits stays if the kind does (or the class, the child that it waits in); else it is dropped.
    pub(crate) fn replace(&mut self, config: &QdiscConfig, seed: u64, name: &str, dropped: &mut Dropped) {
        match (&mut self.kind, config) {
            (Kind::Fifo(fifo), QdiscConfig::Fifo { packets, bytes }) => fifo.set_limits(*packets, *bytes),
            (Kind::Tbf(tbf), QdiscConfig::Tbf(config)) => tbf.change(config, seed, name, dropped),
            (Kind::Htb(htb), QdiscConfig::Htb(config)) => htb.change(config, seed, name, dropped),
            (Kind::Fq(fq), QdiscConfig::Fq(config)) => fq.change(config),
            (Kind::Netem(netem), QdiscConfig::Netem(config)) => netem.change(config, seed, name, dropped),
            _ => {
                dropped.extend(self.drain().into_iter().map(|frame| (frame, REPLACED)));
                *self = Qdisc { made: self.made(), ..Qdisc::new(config, seed, name) };
            }
        }
    }

    /// Whether a frame that meets an idle transmitter may leave without waiting here when nothing else waits: nothing is shaped,
    /// ordered or drawn.
    pub(crate) fn is_plain(&self) -> bool {
        matches!(self.kind, Kind::Fifo(_))
    }

    /// Takes a frame in. Frames that are dropped for it, or it itself, are noted with the reason.
    pub(crate) fn enqueue(&mut self, waiting: Waiting, moment: &mut Moment<'_>) {
        let before = moment.dropped.len();
        match &mut self.kind {
            Kind::Fifo(fifo) => fifo.enqueue(waiting, moment),
            Kind::Tbf(tbf) => tbf.enqueue(waiting, moment),
            Kind::Htb(htb) => htb.enqueue(waiting, moment),
            Kind::Fq(fq) => fq.enqueue(waiting, moment),
            Kind::Netem(netem) => netem.enqueue(waiting, moment),
        }
        self.counts.dropped += (moment.dropped.len() - before) as u64;
    }

    /// Takes the next frame out, or says when to ask again. Frames that find no room on the way from one discipline into its child are
    /// noted as dropped.
    pub(crate) fn dequeue(&mut self, moment: &mut Moment<'_>) -> Next {
        let before = moment.dropped.len();
        let next = match &mut self.kind {
            Kind::Fifo(fifo) => fifo.dequeue().map_or(Next::Empty, Next::Frame),
            Kind::Tbf(tbf) => tbf.dequeue(moment),
            Kind::Htb(htb) => htb.dequeue(moment),
            Kind::Fq(fq) => fq.dequeue(moment.now),
            Kind::Netem(netem) => netem.dequeue(moment),
        };
        self.counts.dropped += (moment.dropped.len() - before) as u64;
        match (&next, &self.kind) {
            (Next::Frame(waiting), _) => self.counts.add(waiting.bytes),
            (Next::At(_), Kind::Tbf(_) | Kind::Htb(_)) => self.counts.overlimits += 1,
            _ => {}
        }
        next
    }

    /// Frames waiting.
    pub(crate) fn packets(&self) -> usize {
        match &self.kind {
            Kind::Fifo(fifo) => fifo.packets(),
            Kind::Tbf(tbf) => tbf.packets(),
            Kind::Htb(htb) => htb.packets(),
            Kind::Fq(fq) => fq.packets(),
            Kind::Netem(netem) => netem.packets(),
        }
    }

    /// Their bytes.
    pub(crate) fn bytes(&self) -> u64 {
        match &self.kind {
            Kind::Fifo(fifo) => fifo.bytes(),
            Kind::Tbf(tbf) => tbf.bytes(),
            Kind::Htb(htb) => htb.bytes(),
            Kind::Fq(fq) => fq.bytes(),
            Kind::Netem(netem) => netem.bytes(),
        }
    }

    /// Takes all frames out, in an order that is always the same.
    pub(crate) fn drain(&mut self) -> Vec<FrameId> {
        match &mut self.kind {
            Kind::Fifo(fifo) => fifo.drain(),
            Kind::Tbf(tbf) => tbf.drain(),
            Kind::Htb(htb) => htb.drain(),
            Kind::Fq(fq) => fq.drain(),
            Kind::Netem(netem) => netem.drain(),
        }
    }

    /// Frames it made beside those it was given.
    pub(crate) fn made(&self) -> u64 {
        let own = match &self.kind {
            Kind::Fifo(_) | Kind::Fq(_) => 0,
            Kind::Tbf(tbf) => tbf.made(),
            Kind::Htb(htb) => htb.made(),
            Kind::Netem(netem) => netem.made(),
        };
        self.made + own
    }

    /// What it has done since its kind is what it is.
    pub(crate) fn stats(&self) -> Stats {
        let (classes, child, flows) = match &self.kind {
            Kind::Fifo(_) => (Vec::new(), None, None),
            Kind::Tbf(tbf) => (Vec::new(), tbf.child(), None),
            Kind::Htb(htb) => (htb.classes(), None, None),
            Kind::Fq(fq) => (Vec::new(), None, Some(fq.flows())),
            Kind::Netem(netem) => (Vec::new(), netem.child(), None),
        };
        let (packets, bytes) = (self.packets(), self.bytes());
        Stats { counts: self.counts, packets, bytes, classes, child, flows }
    }
}
