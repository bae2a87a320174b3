//! What disciplines count, for `tc -s qdisc show` and `tc -s class show`.

use weir_device::Nanos;

use super::QdiscContext;

/// What has left a discipline or class, and what has not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) sent_packets: u64,
    pub(crate) sent_bytes: u64,
    pub(crate) dropped: u64,
    /// Frames that leave, or left, with a note of congestion from here.
    pub(crate) marked: u64,
    /// How often something waited that was not allowed to leave yet.
    pub(crate) overlimits: u64,
}

impl Counts {
    pub(super) fn add(&mut self, bytes: u32) {
        self.sent_packets += 1;
        self.sent_bytes += u64::from(bytes);
    }

    /// What was dropped and marked since a context's lists had so many.
    pub(super) fn note(&mut self, (dropped, marked): (usize, u64), context: &QdiscContext<'_>) {
        self.dropped += (context.dropped.len() - dropped) as u64;
        self.marked += context.marked - marked;
    }
}

/// A discipline's figures, and of what hangs in it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Stats {
    pub(crate) counts: Counts,
    /// QueuedFrame.
    pub(crate) packets: usize,
    /// Of those that wait.
    pub(crate) bytes: u64,
    /// Of HTB.
    pub(crate) classes: Vec<ClassStats>,
    /// Of those in which one other may hang.
    pub(crate) child: Option<Box<Stats>>,
    pub(crate) kind_stats: KindStats,
}

/// What only disciplines of one kind count.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) enum KindStats {
    #[default]
    None,
    /// Flows it knows, those of them that hold no frames, and those that wait for their time; frames marked by the threshold.
    Fq { flows: usize, silent: usize, throttled: usize, ce_marked: u64 },
    /// Of the control: drops of the series, and as it began; the last frame's wait. Frames marked instead of dropped, and by the threshold; those
    /// that found no room.
    Codel {
        count: u32,
        last_count: u32,
        wait: Nanos,
        dropping: bool,
        ecn_marked: u64,
        ce_marked: u64,
        refused: u64,
    },
    /// Frames dropped for want of room, those of them for want of memory; how often an empty queue got a frame; marks as of CoDel; queues to serve.
    FqCodel {
        overlimit: u64,
        overmemory: u64,
        begun: u64,
        ecn_marked: u64,
        ce_marked: u64,
        new: usize,
        old: usize,
    },
    /// Frames marked, dropped by the mean length, and dropped for want of room; the probability below the upper bound.
    Red { marked: u64, early: u64, refused: u64, most: f64 },
}

/// A class's figures.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ClassStats {
    pub(crate) id: u32,
    /// What it and those below it have sent.
    pub(crate) counts: Counts,
    /// Packets sent by the class's own rate.
    pub(crate) lent: u64,
    /// Packets sent by what an ancestor lent.
    pub(crate) borrowed: u64,
    /// What the bucket of the rate holds, in nanoseconds at that rate; below 0 in debt.
    pub(crate) tokens: i64,
    /// The same of the ceil.
    pub(crate) ceil_tokens: i64,
    /// None of an inner class.
    pub(crate) queue: Option<Box<Stats>>,
}
