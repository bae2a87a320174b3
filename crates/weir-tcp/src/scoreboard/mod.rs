//! What was sent and is not yet acknowledged.

mod loss;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;

use crate::Nanos;
use crate::rate::{Delivery, SendStamp};

const SACKED: u8 = 1;
const LOST: u8 = 2;
const RESENT: u8 = 4;
const EVER_RESENT: u8 = 8;

/// A segment that was sent. SYN and FIN count as a byte each.
#[derive(Copy, Clone, Debug)]
struct Sent {
    start: u64,
    len: u32,
    stamp: SendStamp,
    flags: u8,
}

impl Sent {
    fn end(&self) -> u64 {
        self.start + u64::from(self.len)
    }

    fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    /// When it left, the last time.
    fn left(&self) -> Nanos {
        self.stamp.sent()
    }

    /// It is thought lost and was not sent again.
    fn waits(&self) -> bool {
        self.flags & (LOST | SACKED | RESENT) == LOST
    }

    /// How many of its bytes are thought to be in the network.
    fn in_flight(&self) -> u64 {
        if self.has(SACKED) || (self.has(LOST) && !self.has(RESENT)) { 0 } else { u64::from(self.len) }
    }
}

/// What an acknowledgement turned out to tell.
#[derive(Default)]
pub(crate) struct Progress {
    /// Bytes known for the first time to have arrived.
    pub delivered: u64,
    /// When the newest of them left, if it left only once (Karn).
    pub clean: Option<Nanos>,
    /// Segments acknowledged cumulatively.
    pub segments: u32,
}

/// An acknowledgement that is being read.
pub(crate) struct Arrival<'a> {
    pub now: Nanos,
    /// The least round trip.
    pub least: Nanos,
    /// What it answers had left before this time, as the timestamp says that it echoes.
    pub answered: Nanos,
    pub delivery: &'a mut Delivery,
    pub progress: &'a mut Progress,
}

/// The segments in flight, ascending.
pub(crate) struct Scoreboard {
    sent: VecDeque<Sent>,
    pipe: u64,
    /// Up to here all that is not selectively acknowledged is marked lost.
    frontier: u64,
    /// Behind the highest byte selectively acknowledged.
    highest: u64,
    /// The same before the acknowledgement that is being read.
    before: u64,
    /// No segment before here waits for being sent again.
    hint: u64,
    waiting: usize,
    /// Ranges in which all segments are known to have arrived, as acknowledgements told of them last; the next to be replaced.
    told: [(u64, u64); 4],
    oldest: usize,
    /// Segments sent again, in the order in which they left.
    resent: VecDeque<(u64, Nanos)>,
    /// When the most recently sent one of the segments known to have arrived left.
    newest_arrived: Nanos,
    /// The same of those that left only once.
    newest_first: Nanos,
    rescued: bool,
    /// DupThresh: so many later segments arrive before one counts as lost.
    threshold: u32,
    /// The most segments that had overtaken one which was sent again and then arrived, in this recovery.
    overtaken: usize,
    adapt: bool,
}

/// RFC 6675 section 2.
const DUP_THRESH: u32 = 3;
/// As far as it may grow, as in Linux (tcp_max_reordering).
const MAX_THRESH: u32 = 300;

impl Scoreboard {
    /// `adapt`: what arrives late raises the number of later segments that mean a loss.
    pub fn new(adapt: bool) -> Self {
        Scoreboard {
            sent: VecDeque::new(),
            pipe: 0,
            frontier: 0,
            highest: 0,
            before: 0,
            hint: 0,
            waiting: 0,
            told: [(0, 0); 4],
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

    pub fn push(&mut self, start: u64, len: u32, stamp: SendStamp) {
        self.pipe += u64::from(len);
        self.sent.push_back(Sent { start, len, stamp, flags: 0 });
    }

    /// Bytes thought to be in the network.
    pub fn pipe(&self) -> u64 {
        self.pipe
    }

    /// The same, counted anew.
    pub fn recount(&self) -> u64 {
        self.sent.iter().map(Sent::in_flight).sum()
    }

    pub fn is_empty(&self) -> bool {
        self.sent.is_empty()
    }

    /// Whether a segment waits for being sent again.
    pub fn has_lost(&self) -> bool {
        self.waiting > 0
    }

    fn find(&self, start: u64) -> usize {
        if self.sent.front().is_none_or(|first| first.end() > start) {
            return 0;
        }
        self.sent.partition_point(|sent| sent.end() <= start)
    }

    fn set(&mut self, at: usize, flags: u8) {
        let sent = &mut self.sent[at];
        self.pipe -= sent.in_flight();
        self.waiting -= usize::from(sent.waits());
        sent.flags = flags;
        self.pipe += sent.in_flight();
        self.waiting += usize::from(sent.waits());
        if sent.waits() {
            self.hint = self.hint.min(sent.start);
        }
    }

    /// `behind` is the place of the segment behind it.
    fn arrived(&mut self, sent: &Sent, behind: usize, at: &mut Arrival<'_>) {
        at.progress.delivered += u64::from(sent.len);
        at.delivery.on_delivered(at.now, &sent.stamp, sent.len);
        let ever = sent.has(EVER_RESENT);
        let left = sent.left();
        if !ever {
            self.newest_first = self.newest_first.max(left);
            at.progress.clean = at.progress.clean.max(Some(left));
        }
        if sent.start < self.before {
            let by = self.find(self.before).saturating_sub(behind);
            if ever {
                self.overtaken = self.overtaken.max(by);
            } else {
                self.learn(by);
            }
        }
        // RFC 8985 section 6.2, step 2: what echoes an older timestamp, or comes sooner than a round trip can be, answers an earlier
        // transmission.
        if !ever || (left < at.answered && at.now.saturating_sub(left) >= at.least) {
            self.newest_arrived = self.newest_arrived.max(left);
        }
    }

    /// A segment that so many others had overtaken arrived all the same.
    fn learn(&mut self, overtaken_by: usize) {
        if self.adapt {
            self.threshold = self.threshold.max((overtaken_by as u32).saturating_add(1).min(MAX_THRESH));
        }
    }

    /// All before `una` has arrived.
    pub fn acknowledge(&mut self, una: u64, at: &mut Arrival<'_>) {
        let mut repaired = false;
        self.before = self.highest;
        while let Some(first) = self.sent.front_mut()
            && first.start < una
        {
            let flying = first.in_flight();
            if first.end() > una {
                // A part: the rest stays as it is.
                let part = (una - first.start) as u32;
                first.start = una;
                first.len -= part;
                self.pipe = self.pipe - flying + first.in_flight();
                if !first.has(SACKED) {
                    at.progress.delivered += u64::from(part);
                    at.delivery.on_delivered(at.now, &first.stamp, part);
                }
                break;
            }
            let Some(first) = self.sent.pop_front() else { break };
            self.pipe -= flying;
            self.waiting -= usize::from(first.waits());
            at.progress.segments += 1;
            repaired |= first.has(EVER_RESENT);
            if !first.has(SACKED) {
                self.arrived(&first, 0, at);
            }
        }
        if repaired {
            // What lay behind the repaired gap may have arrived long ago.
            at.progress.clean = None;
        }
        self.frontier = self.frontier.max(una);
        self.hint = self.hint.max(una);
        if self.sent.is_empty() {
            self.resent.clear();
        }
    }

    /// All from `left` to `right` has arrived. Returns whether that is news.
    pub fn sack(&mut self, left: u64, right: u64, arrival: &mut Arrival<'_>) -> bool {
        // Each acknowledgement of a recovery tells of the same blocks, a little longer: what was told before is not looked at again.
        let known = self.told.iter_mut().find(|told| told.0 <= right && left <= told.1);
        let Some(told) = known else {
            self.told[self.oldest] = (left, right);
            self.oldest = (self.oldest + 1) % self.told.len();
            return self.sack_segments(left, right, right, arrival);
        };
        let (start, end) = *told;
        *told = (start.min(left), end.max(right));
        let before = left < start && self.sack_segments(left, start, right, arrival);
        let behind = end < right && {
            // A segment may have stood across the end.
            let whole = self.sent.partition_point(|sent| sent.end() <= end);
            let from = self.sent.get(whole).map_or(end, |sent| sent.start.max(left));
            self.sack_segments(from, right, right, arrival)
        };
        before | behind
    }

    /// The segments have arrived that begin from `left` on and before `limit`, and end at `right` at the latest; whether that is news.
    fn sack_segments(&mut self, left: u64, limit: u64, right: u64, arrival: &mut Arrival<'_>) -> bool {
        let mut at = self.sent.partition_point(|sent| sent.start < left);
        let mut news = false;
        while let Some(sent) = self.sent.get(at).copied()
            && sent.start < limit
            && sent.end() <= right
        {
            at += 1;
            if !sent.has(SACKED) {
                self.arrived(&sent, at, arrival);
                self.set(at - 1, SACKED | (sent.flags & EVER_RESENT));
                self.highest = self.highest.max(sent.end());
                news = true;
            }
        }
        news
    }

    /// Segments larger than `mss` no longer fit: they are cut and lost (RFC 1191 section 6.5).
    pub fn cut(&mut self, mss: u32) {
        if self.sent.iter().all(|sent| sent.len <= mss) {
            return;
        }
        let old = std::mem::take(&mut self.sent);
        (self.pipe, self.waiting, self.hint) = (0, 0, 0);
        for whole in old {
            let mut piece = whole;
            loop {
                piece.len = ((whole.end() - piece.start).min(u64::from(mss))) as u32;
                let flags = if whole.len > mss && !whole.has(SACKED) {
                    (whole.flags & EVER_RESENT) | LOST
                } else {
                    whole.flags
                };
                self.waiting += usize::from(flags & (LOST | SACKED | RESENT) == LOST);
                self.sent.push_back(Sent { flags, ..piece });
                piece.start = piece.end();
                if piece.start >= whole.end() {
                    break;
                }
            }
        }
        self.pipe = self.recount();
    }
}
