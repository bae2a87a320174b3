//! Hierarchical token buckets (tc-htb; M. Devera's theory of 2002): classes with a rate of their own each, which borrow from their
//! parents what others do not use, up to their ceil.
//!
//! At each moment the frames of the classes go first that lend to nobody but themselves, then those that borrow from the lowest
//! ancestor; among these, the lowest priority number; among equals in turn, by quantum (deficit round robin). A class may send while
//! its tokens are not below 0, and then owes what it sent more.

use weir_switch::Nanos;

use super::bucket::Bucket;
use super::config::HTB_DEPTH;
use super::fifo::Fifo;
use super::{Dropped, HtbConfig, Next, Qdisc, Waiting};
use crate::Filter;
use crate::frames::{FrameId, Frames};

/// A class's turn among those that borrow at one level.
#[derive(Clone, Copy, Debug, Default)]
struct Round {
    /// Bytes left of its turn.
    deficit: i64,
    /// Lowest first.
    turn: u64,
}

#[derive(Debug)]
struct Class {
    id: u32,
    parent: Option<usize>,
    /// 0 for a class without children, else 8 for one at the root and one less for each step down.
    level: usize,
    rate: Bucket,
    ceil: Bucket,
    priority: u8,
    quantum: i64,
    /// None if it is inner.
    queue: Option<Qdisc>,
    /// Its queue holds frames, but gives none before this time.
    asleep: Nanos,
    /// By the level of who lends.
    rounds: [Round; HTB_DEPTH + 1],
}

#[derive(Debug)]
pub(crate) struct Htb {
    classes: Vec<Class>,
    default: Option<usize>,
    /// By priority.
    filters: Vec<(Filter, usize)>,
    /// For frames of no class.
    direct: Fifo,
    /// The last turn given.
    turn: u64,
    /// Frames made by queues that are gone.
    made: u64,
}

/// Who pays for a class's next frame.
enum Lender {
    Class(usize),
    /// Nobody before this time.
    NotBefore(Nanos),
}

impl Htb {
    pub(super) fn new(config: &HtbConfig, seed: u64, name: &str) -> Self {
        let position = |id: u32| config.classes.iter().position(|class| class.id == id);
        let parents: Vec<Option<usize>> =
            config.classes.iter().map(|class| class.parent.and_then(position)).collect();
        let class = |(index, class): (usize, &super::HtbClass)| {
            let inner = config.is_inner(class.id);
            let above = std::iter::successors(parents[index], |parent| parents[*parent]).count();
            Class {
                id: class.id,
                parent: parents[index],
                level: if inner { HTB_DEPTH.saturating_sub(above) } else { 0 },
                rate: Bucket::new(class.rate, class.burst),
                ceil: Bucket::new(class.ceil, class.cburst),
                priority: class.priority,
                quantum: class.quantum.into(),
                queue: (!inner)
                    .then(|| Qdisc::new(&class.queue, seed, &format!("{name} class {:x}", class.id))),
                asleep: 0,
                rounds: Default::default(),
            }
        };
        let mut filters: Vec<_> = config.filters.iter().collect();
        filters.sort_by_key(|filter| filter.priority);
        let filters =
            filters.into_iter().filter_map(|f| Some((f.filter.clone(), position(f.class)?))).collect();
        Htb {
            classes: config.classes.iter().enumerate().map(class).collect(),
            default: config.default.filter(|id| !config.is_inner(*id)).and_then(position),
            filters,
            direct: Fifo::new(Some(1000), None),
            turn: 0,
            made: 0,
        }
    }

    /// Classes that stay keep their tokens and, as far as its kind stays, their queue.
    pub(super) fn change(&mut self, config: &HtbConfig, seed: u64, name: &str, dropped: &mut Dropped) {
        let old = std::mem::replace(self, Htb::new(config, seed, name));
        (self.direct, self.turn, self.made) = (old.direct, old.turn, old.made);
        for mut class in old.classes {
            let Some(index) = self.classes.iter().position(|new| new.id == class.id) else {
                self.lose(class.queue, dropped);
                continue;
            };
            let new = &mut self.classes[index];
            new.rate.take_over(&class.rate);
            new.ceil.take_over(&class.ceil);
            new.rounds = class.rounds;
            let (Some(queue), Some(mut kept)) = (&mut new.queue, class.queue.take()) else {
                self.lose(class.queue, dropped);
                continue;
            };
            kept.replace(
                &config.classes[index].queue,
                seed,
                &format!("{name} class {:x}", class.id),
                dropped,
            );
            *queue = kept;
        }
    }

    fn lose(&mut self, queue: Option<Qdisc>, dropped: &mut Dropped) {
        if let Some(mut queue) = queue {
            self.made += queue.made();
            dropped.extend(queue.drain().into_iter().map(|frame| (frame, super::REPLACED)));
        }
    }

    pub(super) fn enqueue(
        &mut self,
        now: Nanos,
        waiting: Waiting,
        frames: &mut Frames,
        dropped: &mut Dropped,
    ) {
        let bytes = frames.bytes(waiting.frame);
        let found = self.filters.iter().find(|(filter, _)| filter.matches(bytes)).map(|(_, class)| *class);
        match found.or(self.default).map(|class| &mut self.classes[class]) {
            Some(Class { queue: Some(queue), asleep, .. }) => {
                queue.enqueue(now, waiting, frames, dropped);
                *asleep = 0;
            }
            _ => self.direct.enqueue(waiting, dropped),
        }
    }

    pub(super) fn dequeue(&mut self, now: Nanos, frames: &mut Frames, dropped: &mut Dropped) -> Next {
        if let Some(waiting) = self.direct.dequeue() {
            return Next::Frame(waiting);
        }
        loop {
            let (leaf, lender) = match self.choose(now) {
                Ok(chosen) => chosen,
                Err(soonest) => return soonest.map_or(Next::Empty, Next::At),
            };
            let level = self.classes[lender].level;
            let class = &mut self.classes[leaf];
            let round = &mut class.rounds[level];
            // A new turn for whoever has used up its own; ends, for each adds a quantum to some class's deficit.
            if round.deficit <= 0 {
                round.deficit += class.quantum;
                self.turn += 1;
                round.turn = self.turn;
                continue;
            }
            let Some(queue) = &mut class.queue else { return Next::Empty };
            match queue.dequeue(now, frames, dropped) {
                Next::Frame(waiting) => {
                    round.deficit -= i64::from(waiting.bytes);
                    self.charge(leaf, lender, waiting.bytes);
                    return Next::Frame(waiting);
                }
                Next::At(time) => class.asleep = time.max(now.saturating_add(1)),
                Next::Empty => class.asleep = Nanos::MAX,
            }
        }
    }

    /// The class whose turn it is, and who lends to it; or when the next one may send.
    fn choose(&mut self, now: Nanos) -> Result<(usize, usize), Option<Nanos>> {
        let mut best: Option<((usize, u8, u64), usize, usize)> = None;
        let mut soonest: Option<Nanos> = None;
        for leaf in 0..self.classes.len() {
            let class = &self.classes[leaf];
            if class.queue.as_ref().is_none_or(|queue| queue.packets() == 0) {
                continue;
            }
            let lender =
                if class.asleep > now { Lender::NotBefore(class.asleep) } else { self.lender(leaf, now) };
            match lender {
                Lender::Class(lender) => {
                    let level = self.classes[lender].level;
                    let class = &self.classes[leaf];
                    let rank = (level, class.priority, class.rounds[level].turn);
                    if best.is_none_or(|(least, ..)| rank < least) {
                        best = Some((rank, leaf, lender));
                    }
                }
                Lender::NotBefore(time) => soonest = Some(soonest.map_or(time, |soonest| soonest.min(time))),
            }
        }
        best.map(|(_, leaf, lender)| (leaf, lender)).ok_or(soonest)
    }

    /// The nearest of a class and its ancestors that has tokens, if none on the way is at its ceil.
    fn lender(&mut self, leaf: usize, now: Nanos) -> Lender {
        let mut soonest = Nanos::MAX;
        let mut open = now;
        let mut next = Some(leaf);
        while let Some(index) = next {
            let class = &mut self.classes[index];
            class.rate.refill(now);
            class.ceil.refill(now);
            open = open.max(class.ceil.ready_at(now, 0));
            let time = open.max(class.rate.ready_at(now, 0));
            if time <= now {
                return Lender::Class(index);
            }
            soonest = soonest.min(time);
            next = class.parent;
        }
        Lender::NotBefore(soonest)
    }

    /// The lender and all above it pay from their rates; all from the class up have sent.
    fn charge(&mut self, leaf: usize, lender: usize, bytes: u32) {
        let mut pays = false;
        let mut next = Some(leaf);
        while let Some(index) = next {
            pays |= index == lender;
            let class = &mut self.classes[index];
            class.ceil.take(bytes);
            if pays {
                class.rate.take(bytes);
            }
            next = class.parent;
        }
    }

    fn queues(&self) -> impl Iterator<Item = &Qdisc> {
        self.classes.iter().filter_map(|class| class.queue.as_ref())
    }

    pub(super) fn packets(&self) -> usize {
        self.direct.packets() + self.queues().map(Qdisc::packets).sum::<usize>()
    }

    pub(super) fn bytes(&self) -> u64 {
        self.direct.bytes() + self.queues().map(Qdisc::bytes).sum::<u64>()
    }

    pub(super) fn drain(&mut self) -> Vec<FrameId> {
        let mut all = self.direct.drain();
        for queue in self.classes.iter_mut().filter_map(|class| class.queue.as_mut()) {
            all.append(&mut queue.drain());
        }
        all
    }

    pub(super) fn made(&self) -> u64 {
        self.made + self.queues().map(Qdisc::made).sum::<u64>()
    }
}
