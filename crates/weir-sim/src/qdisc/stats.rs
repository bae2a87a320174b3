//! What disciplines count, for `tc -s qdisc show` and `tc -s class show`.

/// What has left a discipline or class, and what has not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) sent_packets: u64,
    pub(crate) sent_bytes: u64,
    pub(crate) dropped: u64,
    /// How often something waited that was not allowed to leave yet.
    pub(crate) overlimits: u64,
}

impl Counts {
    pub(super) fn add(&mut self, bytes: u32) {
        self.sent_packets += 1;
        self.sent_bytes += u64::from(bytes);
    }
}

/// A discipline's figures, and of what hangs in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Stats {
    pub(crate) counts: Counts,
    /// Waiting.
    pub(crate) packets: usize,
    /// Of those that wait.
    pub(crate) bytes: u64,
    /// Of HTB.
    pub(crate) classes: Vec<ClassStats>,
    /// Of TBF and netem.
    pub(crate) child: Option<Box<Stats>>,
    /// Of FQ: how many flows it knows, of which some hold no frames and some wait for their time.
    pub(crate) flows: Option<(usize, usize, usize)>,
}

/// A class's figures.
#[derive(Clone, Debug, PartialEq, Eq)]
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
