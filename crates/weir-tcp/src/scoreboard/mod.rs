//! The scoreboard: the segments that were sent and are not yet acknowledged.

mod loss;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;

use crate::Nanos;
use crate::rate::{Delivery, SendStamp};

/// The flag of a segment that a SACK block reported.
const SACKED: u8 = 1;
/// The flag of a segment that is considered lost.
const LOST: u8 = 2;
/// The flag of a segment that was sent again.
const RESENT: u8 = 4;
const EVER_RESENT: u8 = 8;

/// A sent segment. SYN and FIN count as one byte each.
#[derive(Copy, Clone, Debug)]
struct SentSegment {
    start: u64,
    len: u32,
    stamp: SendStamp,
    flags: u8,
}

impl SentSegment {
    /// Returns the position after the segment's last byte.
    fn end(&self) -> u64 {
        self.start + u64::from(self.len)
    }

    fn has_flag(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    /// Returns the time at which the segment was last sent.
    fn sent_at(&self) -> Nanos {
        self.stamp.sent()
    }

    /// Returns whether the segment is marked lost and has not been retransmitted.
    fn awaits_retransmission(&self) -> bool {
        self.flags & (LOST | SACKED | RESENT) == LOST
    }

    /// Returns the number of the segment's bytes that are assumed to be in the network.
    fn in_flight(&self) -> u64 {
        if self.has_flag(SACKED) || (self.has_flag(LOST) && !self.has_flag(RESENT)) {
            0
        } else {
            u64::from(self.len)
        }
    }
}

/// The changes that an acknowledgement made.
#[derive(Default)]
pub(crate) struct Progress {
    /// The number of bytes newly known to have arrived.
    pub delivered: u64,
    /// The sending time of the most recently sent segment that arrived, if that segment was not
    /// retransmitted (Karn's algorithm).
    pub clean: Option<Nanos>,
    /// Number of segments acknowledged cumulatively.
    pub segments: u32,
}

/// An acknowledgement that is being processed.
pub(crate) struct Arrival<'a> {
    pub now: Nanos,
    /// The minimum RTT.
    pub min_rtt: Nanos,
    /// According to its timestamp echo, the acknowledgement answers a segment that was sent before
    /// this time.
    pub answered: Nanos,
    pub delivery: &'a mut Delivery,
    pub progress: &'a mut Progress,
}

/// The segments in flight, in order.
pub(crate) struct Scoreboard {
    sent: VecDeque<SentSegment>,
    pipe: u64,
    /// All segments before this position that were not selectively acknowledged are marked lost.
    loss_frontier: u64,
    /// The position after the highest byte that was selectively acknowledged.
    highest: u64,
    /// `highest` before the acknowledgement being processed.
    highest_before: u64,
    /// A position before which no segment waits for retransmission.
    retransmit_hint: u64,
    waiting: usize,
    /// The ranges in which all segments are known to have arrived, from recent acknowledgements,
    /// and the index of the range to replace next.
    recent_blocks: [(u64, u64); 4],
    oldest: usize,
    /// The retransmitted segments in the order of their retransmission.
    resent: VecDeque<(u64, Nanos)>,
    /// The sending time of the most recently sent segment that is known to have arrived.
    newest_arrived: Nanos,
    /// Like `newest_arrived`, but only for segments that were sent once.
    newest_first: Nanos,
    rescued: bool,
    /// DupThresh: the number of later segments that must arrive before a segment counts as lost.
    threshold: u32,
    /// The maximum number of segments that overtook a segment in this recovery, among the segments
    /// that were retransmitted and then arrived.
    overtaken: usize,
    adapt: bool,
}

/// The initial threshold of later segments for a loss (RFC 6675 section 2).
const DUP_THRESH: u32 = 3;
/// The maximum of that threshold, as in Linux (tcp_max_reordering).
const MAX_DUP_THRESH: u32 = 300;

impl Scoreboard {
    /// Creates an empty scoreboard. With `adapt`, late arrivals raise the reordering threshold.
    pub fn new(adapt: bool) -> Self {
        Scoreboard {
            sent: VecDeque::new(),
            pipe: 0,
            loss_frontier: 0,
            highest: 0,
            highest_before: 0,
            retransmit_hint: 0,
            waiting: 0,
            recent_blocks: [(0, 0); 4],
            oldest: 0,
            resent: VecDeque::new(),
            newest_arrived: 0,
            newest_first: 0,
            rescued: false,
            threshold: DUP_THRESH,
            overtaken: 0,
            adapt,
        }
    }

    /// Adds a segment that was just sent.
    pub fn push(&mut self, start: u64, len: u32, stamp: SendStamp) {
        self.pipe += u64::from(len);
        self.sent.push_back(SentSegment { start, len, stamp, flags: 0 });
    }

    /// Returns the bytes that are assumed to be in the network.
    pub fn pipe(&self) -> u64 {
        self.pipe
    }

    /// Returns the bytes assumed to be in the network, counted again from all segments.
    pub fn count_pipe(&self) -> u64 {
        self.sent.iter().map(SentSegment::in_flight).sum()
    }

    pub fn is_empty(&self) -> bool {
        self.sent.is_empty()
    }

    /// Returns whether a segment waits for retransmission.
    pub fn has_lost(&self) -> bool {
        self.waiting > 0
    }

    fn index_of(&self, start: u64) -> usize {
        if self.sent.front().is_none_or(|first| first.end() > start) {
            return 0;
        }
        self.sent.partition_point(|sent| sent.end() <= start)
    }

    fn set_flags(&mut self, at: usize, flags: u8) {
        let sent = &mut self.sent[at];
        self.pipe -= sent.in_flight();
        self.waiting -= usize::from(sent.awaits_retransmission());
        sent.flags = flags;
        self.pipe += sent.in_flight();
        self.waiting += usize::from(sent.awaits_retransmission());
        if sent.awaits_retransmission() {
            self.retransmit_hint = self.retransmit_hint.min(sent.start);
        }
    }

    /// Marks a segment as arrived. `next_index` is the index of the segment after it.
    fn mark_arrived(&mut self, sent: &SentSegment, next_index: usize, at: &mut Arrival<'_>) {
        at.progress.delivered += u64::from(sent.len);
        at.delivery.on_delivered(at.now, &sent.stamp, sent.len);
        let ever = sent.has_flag(EVER_RESENT);
        let left = sent.sent_at();
        if !ever {
            self.newest_first = self.newest_first.max(left);
            at.progress.clean = at.progress.clean.max(Some(left));
        }
        if sent.start < self.highest_before {
            let by = self.index_of(self.highest_before).saturating_sub(next_index);
            if ever {
                self.overtaken = self.overtaken.max(by);
            } else {
                self.raise_threshold(by);
            }
        }
        // RFC 8985 section 6.2, step 2: an acknowledgement that echoes an older timestamp, or that
        // arrives sooner than a round trip, is for an earlier transmission.
        if !ever || (left < at.answered && at.now.saturating_sub(left) >= at.min_rtt) {
            self.newest_arrived = self.newest_arrived.max(left);
        }
    }

    /// Raises the reordering threshold, because a segment arrived after this many segments had
    /// overtaken it.
    fn raise_threshold(&mut self, overtaken_by: usize) {
        if self.adapt {
            self.threshold = self.threshold.max((overtaken_by as u32).saturating_add(1).min(MAX_DUP_THRESH));
        }
    }

    /// Processes a cumulative acknowledgement.
    pub fn acknowledge(&mut self, una: u64, at: &mut Arrival<'_>) {
        let mut repaired = false;
        self.highest_before = self.highest;
        while let Some(first) = self.sent.front_mut()
            && first.start < una
        {
            let flying = first.in_flight();
            if first.end() > una {
                // Only a part of the segment was acknowledged, so the rest stays.
                let part = (una - first.start) as u32;
                first.start = una;
                first.len -= part;
                self.pipe = self.pipe - flying + first.in_flight();
                if !first.has_flag(SACKED) {
                    at.progress.delivered += u64::from(part);
                    at.delivery.on_delivered(at.now, &first.stamp, part);
                }
                break;
            }
            let Some(first) = self.sent.pop_front() else { break };
            self.pipe -= flying;
            self.waiting -= usize::from(first.awaits_retransmission());
            at.progress.segments += 1;
            repaired |= first.has_flag(EVER_RESENT);
            if !first.has_flag(SACKED) {
                self.mark_arrived(&first, 0, at);
            }
        }
        if repaired {
            // The segments after the repaired gap may have arrived long ago.
            at.progress.clean = None;
        }
        self.loss_frontier = self.loss_frontier.max(una);
        self.retransmit_hint = self.retransmit_hint.max(una);
        if self.sent.is_empty() {
            self.resent.clear();
        }
    }

    /// Processes a SACK block from `left` to `right`. Returns whether it is new.
    pub fn sack(&mut self, left: u64, right: u64, arrival: &mut Arrival<'_>) -> bool {
        // In a recovery, each acknowledgement repeats the same blocks, slightly extended. Known
        // parts are not processed again.
        let adjacent = self.recent_blocks.iter_mut().find(|block| block.0 <= right && left <= block.1);
        let Some(block) = adjacent else {
            self.recent_blocks[self.oldest] = (left, right);
            self.oldest = (self.oldest + 1) % self.recent_blocks.len();
            return self.sack_segments(left, right, right, arrival);
        };
        let (start, end) = *block;
        *block = (start.min(left), end.max(right));
        let before = left < start && self.sack_segments(left, start, right, arrival);
        let after = end < right && {
            // A segment may extend beyond the end of the block.
            let whole = self.sent.partition_point(|sent| sent.end() <= end);
            let from = self.sent.get(whole).map_or(end, |sent| sent.start.max(left));
            self.sack_segments(from, right, right, arrival)
        };
        before | after
    }

    /// Marks the segments as arrived that begin in `left..limit` and end at or before `right`.
    /// Returns whether any of them is new.
    fn sack_segments(&mut self, left: u64, limit: u64, right: u64, arrival: &mut Arrival<'_>) -> bool {
        let mut index = self.sent.partition_point(|sent| sent.start < left);
        let mut news = false;
        while let Some(sent) = self.sent.get(index).copied()
            && sent.start < limit
            && sent.end() <= right
        {
            index += 1;
            if !sent.has_flag(SACKED) {
                self.mark_arrived(&sent, index, arrival);
                self.set_flags(index - 1, SACKED | (sent.flags & EVER_RESENT));
                self.highest = self.highest.max(sent.end());
                news = true;
            }
        }
        news
    }

    /// Splits segments larger than `mss` and marks them lost (RFC 1191 section 6.5).
    pub fn split_to_mss(&mut self, mss: u32) {
        if self.sent.iter().all(|sent| sent.len <= mss) {
            return;
        }
        let old = std::mem::take(&mut self.sent);
        (self.pipe, self.waiting, self.retransmit_hint) = (0, 0, 0);
        for whole in old {
            let mut piece = whole;
            loop {
                piece.len = ((whole.end() - piece.start).min(u64::from(mss))) as u32;
                let flags = if whole.len > mss && !whole.has_flag(SACKED) {
                    (whole.flags & EVER_RESENT) | LOST
                } else {
                    whole.flags
                };
                self.waiting += usize::from(flags & (LOST | SACKED | RESENT) == LOST);
                self.sent.push_back(SentSegment { flags, ..piece });
                piece.start = piece.end();
                if piece.start >= whole.end() {
                    break;
                }
            }
        }
        self.pipe = self.count_pipe();
    }
}
