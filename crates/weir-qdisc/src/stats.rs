//! Statistics of disciplines, for `tc -s qdisc show` and `tc -s class show`.

use weir_device::Nanos;

use super::QdiscContext;

/// The frames and bytes that a discipline or class has counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// The number of frames that have left.
    pub sent_packets: u64,
    /// The bytes of these frames.
    pub sent_bytes: u64,
    /// The number of frames that this discipline, or one below it, dropped.
    pub dropped: u64,
    /// The number of frames that this discipline marked, whether they have left or not.
    pub marked: u64,
    /// The number of times that a queued frame was not yet allowed to leave.
    pub overlimits: u64,
}

impl Counts {
    /// Counts a frame of this many bytes as sent.
    #[inline]
    pub(super) fn add(&mut self, bytes: u32) {
        self.sent_packets += 1;
        self.sent_bytes += u64::from(bytes);
    }

    /// Adds the drops and marks of a call, given the counts before the call.
    pub(super) fn add_call<S>(&mut self, (dropped, marked): (usize, u64), context: &QdiscContext<'_, S>) {
        self.dropped += (context.dropped.len() - dropped) as u64;
        self.marked += context.marked - marked;
    }
}

/// The statistics of a discipline and of those below it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stats {
    /// The frames and bytes that were counted.
    pub counts: Counts,
    /// The number of frames in the queue.
    pub packets: usize,
    /// The bytes of the frames in the queue.
    pub bytes: u64,
    /// The statistics of HTB's classes.
    pub(crate) classes: Vec<ClassStats>,
    /// The statistics of the child discipline.
    pub(crate) child: Option<Box<Stats>>,
    /// The counts that only this kind of discipline has.
    pub(crate) kind_stats: KindStats,
}

/// Statistics specific to one kind of discipline.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) enum KindStats {
    #[default]
    None,
    /// The numbers of known flows, of flows without frames, and of flows that wait for their time;
    /// the number of frames marked because of the threshold.
    Fq { flows: usize, idle: usize, throttled: usize, ce_marked: u64 },
    /// CoDel's state (the drops in this series, the value of this count when the series began, the
    /// last sojourn time), frames marked instead of dropped, frames marked because of the
    /// threshold, and frames dropped because the queue was full.
    Codel {
        count: u32,
        last_count: u32,
        wait: Nanos,
        dropping: bool,
        ecn_marked: u64,
        ce_marked: u64,
        refused: u64,
    },
    /// Frames dropped because of the limits, and how many of these because of the memory limit; how
    /// often an empty queue became active; marks as in CoDel; active queues.
    FqCodel {
        overlimit: u64,
        overmemory: u64,
        activations: u64,
        ecn_marked: u64,
        ce_marked: u64,
        new: usize,
        old: usize,
    },
    /// The base probability; frames in the queue of L4S and of classic packets; frames marked by
    /// the probability and because of the threshold; frames dropped because the queue was full; the
    /// most frames that waited.
    DualPi2 {
        probability: f64,
        l4s: usize,
        classic: usize,
        marked: u64,
        step_marked: u64,
        refused: u64,
        longest: usize,
    },
    /// Frames marked, frames dropped early, and frames dropped because the queue was full; the
    /// probability just below the upper bound.
    Red { marked: u64, early: u64, refused: u64, max_probability: f64 },
}

/// The statistics of a class.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ClassStats {
    pub(crate) id: u32,
    /// The frames sent by the class and its descendants.
    pub(crate) counts: Counts,
    /// The number of packets sent within the class's own rate.
    pub(crate) lent: u64,
    /// The number of packets sent with bandwidth borrowed from an ancestor.
    pub(crate) borrowed: u64,
    /// The contents of the rate bucket, in nanoseconds at that rate; negative in debt.
    pub(crate) tokens: i64,
    /// The contents of the ceil bucket, in nanoseconds at its rate.
    pub(crate) ceil_tokens: i64,
    /// The statistics of the class's queue; `None` for an inner class.
    pub(crate) queue: Option<Box<Stats>>,
}
