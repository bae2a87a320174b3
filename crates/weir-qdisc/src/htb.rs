//! Hierarchical token buckets (tc-htb; M. Devera 2002): each class has its own rate and borrows
//! unused bandwidth from its ancestors, up to its ceil.
//!
//! Classes that are within their own rate are served first, then classes that borrow from the
//! lowest ancestor. Among these, classes with the lowest priority number come first, and classes
//! with equal numbers are served by deficit round robin with the quantum. A class may send a frame
//! while its tokens are not negative, and goes into debt for the rest of the frame.

use weir_device::Nanos;

use super::bucket::Bucket;
use super::child::ChildQdisc;
use super::config::HTB_DEPTH;
use super::fifo::Fifo;
use super::{
    ClassStats, Counts, Dequeued, Discipline, Dropped, FrameId, FrameStore, HtbConfig, QdiscContext,
    QueuedFrame,
};
use weir_filter::Filter;

/// A class's place in the round robin of the classes that borrow at one level.
#[derive(Clone, Copy, Debug, Default)]
struct Round {
    /// The remaining deficit in bytes.
    deficit: i64,
    /// The order in the round robin, lowest first.
    turn: u64,
}

/// A class of HTB with its buckets.
#[derive(Debug)]
struct Class {
    id: u32,
    parent: Option<usize>,
    /// The level in the tree: 0 for a leaf; for an inner class, 8 at the root and one less for each
    /// step down.
    level: usize,
    rate: Bucket,
    ceil: Bucket,
    priority: u8,
    quantum: i64,
    /// The class's queue; empty for an inner class.
    queue: ChildQdisc,
    /// If the queue has frames, none of them may leave before this time.
    not_before: Nanos,
    /// The rounds, indexed by the level of the lender.
    rounds: [Round; HTB_DEPTH + 1],
    counts: Counts,
    lent: u64,
    borrowed: u64,
}

/// A filter and its target class.
#[derive(Debug)]
struct ClassFilter {
    /// The class whose frames the filter classifies; `None` for the root.
    class: Option<usize>,
    filter: Filter,
    /// The target class; `None` if the frames bypass all classes and are not shaped.
    target: Option<usize>,
}

/// The HTB queueing discipline.
#[derive(Debug)]
pub(crate) struct Htb {
    classes: Vec<Class>,
    default: Option<usize>,
    /// The filters, sorted by priority.
    filters: Vec<ClassFilter>,
    /// Frames without a class.
    direct: Fifo,
    /// The last position that was assigned in a round robin.
    turn: u64,
    /// The number of duplicates created by queues that were removed.
    duplicates: u64,
}

/// The queue of HTB into which a frame goes.
enum Place {
    Class(usize),
    Direct,
}

/// The class whose tokens the next frame of a class uses.
enum Lender {
    Class(usize),
    /// No class has tokens for the frame before this time.
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
                queue: ChildQdisc::new(
                    (!inner).then_some(&class.queue),
                    seed,
                    &format!("{name} class {:x}", class.id),
                ),
                not_before: 0,
                rounds: Default::default(),
                counts: Counts::default(),
                lent: 0,
                borrowed: 0,
            }
        };
        let mut filters: Vec<_> = config.filters.iter().collect();
        filters.sort_by_key(|filter| filter.priority);
        let filters = filters.into_iter().map(|f| ClassFilter {
            class: f.parent.and_then(position),
            filter: f.filter.clone(),
            target: position(f.class),
        });
        Htb {
            classes: config.classes.iter().enumerate().map(class).collect(),
            default: config.default.filter(|id| !config.is_inner(*id)).and_then(position),
            filters: filters.collect(),
            direct: Fifo::new(Some(1000), None),
            turn: 0,
            duplicates: 0,
        }
    }

    /// Changes the settings. Classes that still exist keep their tokens, and also their queue
    /// unless its kind changes.
    pub(super) fn change(&mut self, config: &HtbConfig, seed: u64, name: &str, dropped: &mut Dropped) {
        let old = std::mem::replace(self, Htb::new(config, seed, name));
        (self.direct, self.turn, self.duplicates) = (old.direct, old.turn, old.duplicates);
        for mut class in old.classes {
            let Some(index) = self.classes.iter().position(|new| new.id == class.id) else {
                class.queue.drop_child(dropped);
                self.duplicates += class.queue.duplicates();
                continue;
            };
            let new = &mut self.classes[index];
            new.rate.take_tokens_of(&class.rate);
            new.ceil.take_tokens_of(&class.ceil);
            (new.rounds, new.counts) = (class.rounds, class.counts);
            (new.lent, new.borrowed) = (class.lent, class.borrowed);
            let (settings, name) = (&config.classes[index], format!("{name} class {:x}", class.id));
            let wanted = (!config.is_inner(settings.id)).then_some(&settings.queue);
            class.queue.replace(wanted, seed, &name, dropped);
            new.queue = class.queue;
        }
    }

    /// Classifies a frame. The root's filters select a class. If this is an inner class, its own
    /// filters select one of its descendants.
    #[inline]
    fn classify(&self, frame: &[u8]) -> Place {
        let mut class = None;
        // The number of steps is limited to the depth of the tree, because filters may form a
        // cycle.
        for _ in 0..=HTB_DEPTH {
            let matching =
                self.filters.iter().find(|filter| filter.class == class && filter.filter.matches(frame));
            match matching.map(|filter| filter.target) {
                None => break,
                Some(None) => return Place::Direct,
                Some(Some(class)) if self.classes[class].queue.exists() => return Place::Class(class),
                Some(inner) => class = inner,
            }
        }
        self.default.map_or(Place::Direct, Place::Class)
    }

    /// Returns the class to serve and its lender, or the time at which the next class may send.
    #[inline]
    fn next_class(&mut self, now: Nanos) -> Result<(usize, usize), Option<Nanos>> {
        let mut best: Option<((usize, u8, u64), usize, usize)> = None;
        let mut earliest: Option<Nanos> = None;
        for leaf in 0..self.classes.len() {
            let class = &self.classes[leaf];
            if class.queue.packets() == 0 {
                continue;
            }
            let lender = if class.not_before > now {
                Lender::NotBefore(class.not_before)
            } else {
                self.find_lender(leaf, now)
            };
            if let Lender::NotBefore(_) = lender {
                self.classes[leaf].counts.overlimits += 1;
            }
            match lender {
                Lender::Class(lender) => {
                    let level = self.classes[lender].level;
                    let class = &self.classes[leaf];
                    let rank = (level, class.priority, class.rounds[level].turn);
                    if best.is_none_or(|(least, ..)| rank < least) {
                        best = Some((rank, leaf, lender));
                    }
                }
                Lender::NotBefore(time) => {
                    earliest = Some(earliest.map_or(time, |earliest| earliest.min(time)));
                }
            }
        }
        best.map(|(_, leaf, lender)| (leaf, lender)).ok_or(earliest)
    }

    /// Returns the nearest of a class and its ancestors that has tokens, unless a class between
    /// them has reached its ceil.
    #[inline]
    fn find_lender(&mut self, leaf: usize, now: Nanos) -> Lender {
        let mut earliest = Nanos::MAX;
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
            earliest = earliest.min(time);
            next = class.parent;
        }
        Lender::NotBefore(earliest)
    }

    /// Removes the tokens for a sent frame: from the rate buckets of the lender and its ancestors,
    /// and from the ceil buckets of the class and all its ancestors.
    #[inline]
    fn remove_tokens(&mut self, leaf: usize, lender: usize, bytes: u32) {
        let mut pays = false;
        let mut next = Some(leaf);
        while let Some(index) = next {
            pays |= index == lender;
            let class = &mut self.classes[index];
            class.counts.add(bytes);
            if index == lender {
                class.lent += 1;
            } else if !pays {
                class.borrowed += 1;
            }
            class.ceil.take_tokens(bytes);
            if pays {
                class.rate.take_tokens(bytes);
            }
            next = class.parent;
        }
    }

    /// Iterates over the queues of the classes.
    fn queues(&self) -> impl Iterator<Item = &ChildQdisc> {
        self.classes.iter().map(|class| &class.queue)
    }
}

impl Discipline for Htb {
    fn enqueue(&mut self, waiting: QueuedFrame, context: &mut QdiscContext<'_, impl FrameStore>) {
        let place = self.classify(context.frames.bytes(waiting.frame));
        let Place::Class(class) = place else { return self.direct.enqueue(waiting, context) };
        let Class { queue, not_before, counts, .. } = &mut self.classes[class];
        let before = (context.dropped.len(), context.marked);
        queue.enqueue(waiting, context);
        counts.add_call(before, context);
        *not_before = 0;
    }

    fn dequeue(&mut self, context: &mut QdiscContext<'_, impl FrameStore>) -> Dequeued {
        let now = context.now;
        if let Some(waiting) = self.direct.pop_front() {
            return Dequeued::Frame(waiting);
        }
        loop {
            let (leaf, lender) = match self.next_class(now) {
                Ok(chosen) => chosen,
                Err(earliest) => return earliest.map_or(Dequeued::Empty, Dequeued::At),
            };
            let level = self.classes[lender].level;
            let class = &mut self.classes[leaf];
            let round = &mut class.rounds[level];
            // Classes with a used-up deficit get a new quantum. This ends, because each round adds
            // to some deficit.
            if round.deficit <= 0 {
                round.deficit += class.quantum;
                self.turn += 1;
                round.turn = self.turn;
                continue;
            }
            let before = (context.dropped.len(), context.marked);
            let next = class.queue.dequeue(context);
            class.counts.add_call(before, context);
            match next {
                Dequeued::Frame(waiting) => {
                    round.deficit -= i64::from(waiting.bytes);
                    self.remove_tokens(leaf, lender, waiting.bytes);
                    return Dequeued::Frame(waiting);
                }
                Dequeued::At(time) => class.not_before = time.max(now.saturating_add(1)),
                Dequeued::Empty => class.not_before = Nanos::MAX,
            }
        }
    }

    fn packets(&self) -> usize {
        self.direct.packets() + self.queues().map(ChildQdisc::packets).sum::<usize>()
    }

    fn bytes(&self) -> u64 {
        self.direct.bytes() + self.queues().map(ChildQdisc::bytes).sum::<u64>()
    }

    fn drain(&mut self) -> Vec<FrameId> {
        let mut all = self.direct.drain();
        self.classes.iter_mut().for_each(|class| all.append(&mut class.queue.drain()));
        all
    }

    fn visit_frames(&mut self, visit: &mut dyn FnMut(&mut FrameId)) {
        self.direct.visit_frames(visit);
        self.classes.iter_mut().for_each(|class| class.queue.visit_frames(visit));
    }

    fn duplicates(&self) -> u64 {
        self.duplicates + self.queues().map(ChildQdisc::duplicates).sum::<u64>()
    }

    fn classes(&self) -> Vec<ClassStats> {
        let stats = |class: &Class| ClassStats {
            id: class.id,
            counts: class.counts,
            lent: class.lent,
            borrowed: class.borrowed,
            tokens: class.rate.contents(),
            ceil_tokens: class.ceil.contents(),
            queue: class.queue.stats(),
        };
        self.classes.iter().map(stats).collect()
    }
}
