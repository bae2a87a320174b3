//! Loss detection (RFC 6675, and by time as in RFC 8985), and the choice of retransmissions.

use super::{DUP_THRESH, EVER_RESENT, LOST, RESENT, SACKED, Scoreboard, SentSegment};
use crate::Nanos;
use crate::rate::SendStamp;

impl Scoreboard {
    /// Marks lost segments by the rule IsLost of RFC 6675: three separate later ranges have
    /// arrived, or more later data than the bytes of two segments. Returns the number of newly
    /// marked bytes.
    pub fn mark_lost(&mut self, mss: u32) -> u64 {
        if self.highest <= self.loss_frontier {
            return 0;
        }
        let mut index = self.index_of(self.highest);
        let enough = u64::from(mss) * u64::from(self.threshold - 1);
        let (mut bytes, mut runs, mut in_run) = (0_u64, 0, false);
        while index > 0 {
            let sent = &self.sent[index - 1];
            if sent.end() <= self.loss_frontier {
                return 0;
            }
            if sent.has_flag(SACKED) {
                bytes += u64::from(sent.len);
                runs += u32::from(!in_run);
                in_run = true;
                if runs >= self.threshold || bytes > enough {
                    break;
                }
            } else {
                in_run = false;
            }
            index -= 1;
        }
        if index == 0 {
            return 0;
        }
        let limit = self.sent[index - 1].start;
        let mut lost = 0;
        let mut walk = self.index_of(self.loss_frontier);
        while walk < self.sent.len() && self.sent[walk].end() <= limit {
            lost += self.mark_segment_lost(walk);
            walk += 1;
        }
        self.loss_frontier = self.loss_frontier.max(limit);
        lost
    }

    fn mark_segment_lost(&mut self, at: usize) -> u64 {
        let sent = self.sent[at];
        if sent.flags & (SACKED | LOST) != 0 {
            return 0;
        }
        self.set_flags(at, sent.flags | LOST);
        u64::from(sent.len)
    }

    /// Marks the first segment lost. Without SACK, only the first lost segment is known (RFC 6582).
    pub fn mark_first_lost(&mut self) -> u64 {
        if self.sent.is_empty() { 0 } else { self.mark_segment_lost(0) }
    }

    /// Marks a segment lost if a segment that was sent more than `window` later has arrived (RFC
    /// 8985 section 6.2, step 5). This finds the loss of the last segments in flight and of
    /// retransmissions.
    pub fn mark_lost_by_time(&mut self, window: Nanos) -> u64 {
        let mut lost = 0;
        let last_arrived = self.newest_arrived;
        let late = |left: Nanos| left.saturating_add(window) < last_arrived;
        while let Some(&(start, when)) = self.resent.front() {
            if !late(when) {
                break;
            }
            self.resent.pop_front();
            let index = self.index_of(start);
            let Some(sent) = self.sent.get(index).copied() else { continue };
            if sent.sent_at() == when
                && sent.has_flag(LOST)
                && sent.has_flag(RESENT)
                && !sent.has_flag(SACKED)
            {
                self.set_flags(index, sent.flags & !RESENT);
                lost += u64::from(sent.len);
            }
        }
        let mut walk = self.index_of(self.loss_frontier);
        while let Some(sent) = self.sent.get(walk)
            && late(sent.sent_at())
        {
            self.loss_frontier = sent.end();
            lost += self.mark_segment_lost(walk);
            walk += 1;
        }
        lost
    }

    /// Marks as lost, after a time-out, all segments that were not selectively acknowledged. If the
    /// first segment was selectively acknowledged, the peer has reneged (RFC 2018 section 8), and
    /// all SACK information is discarded.
    pub fn mark_all_lost(&mut self) -> u64 {
        let reneged = self.sent.front().is_some_and(|first| first.has_flag(SACKED));
        let mut lost = 0;
        for at in 0..self.sent.len() {
            let flags = self.sent[at].flags;
            if reneged || flags & SACKED == 0 {
                lost += u64::from(self.sent[at].len);
                self.set_flags(at, (flags & EVER_RESENT) | LOST);
            }
        }
        // The reordering threshold may have hidden the loss (tcp_enter_loss in Linux).
        self.threshold = DUP_THRESH;
        if reneged {
            self.recent_blocks = [(0, 0); 4];
            (self.highest, self.highest_before) = (0, 0);
        }
        self.loss_frontier = self.sent.back().map_or(self.loss_frontier, SentSegment::end);
        self.retransmit_hint = 0;
        self.resent.clear();
        lost
    }

    /// Returns the first segment that is waiting for retransmission: start and length.
    pub fn next_lost(&mut self) -> Option<(u64, u32)> {
        if self.waiting == 0 {
            return None;
        }
        let mut index = self.index_of(self.retransmit_hint);
        while let Some(sent) = self.sent.get(index) {
            if sent.flags & (LOST | SACKED | RESENT) == LOST {
                self.retransmit_hint = sent.start;
                return Some((sent.start, sent.len));
            }
            index += 1;
        }
        debug_assert!(false, "a lost segment was counted and is not there");
        None
    }

    /// Applies rules 3 and 4 of NextSeg in RFC 6675, which are for the case that nothing is marked
    /// lost, no new data may be sent, and the window has room. Marks the first gap below the
    /// highest byte that arrived as lost or, once per recovery, the last segment.
    pub fn rescue_retransmission(&mut self) -> u64 {
        let top = self.index_of(self.highest);
        let from = self.index_of(self.loss_frontier);
        for at in from..top {
            if self.sent[at].flags & (SACKED | LOST) == 0 {
                self.loss_frontier = self.sent[at].end();
                return self.mark_segment_lost(at);
            }
        }
        self.loss_frontier = self.loss_frontier.max(self.highest);
        if self.rescued {
            return 0;
        }
        self.rescued = true;
        (0..self.sent.len())
            .rev()
            .find(|&at| self.sent[at].flags & (SACKED | LOST) == 0)
            .map_or(0, |at| self.mark_segment_lost(at))
    }

    /// Notes the start of a recovery, in which one rescue retransmission is allowed.
    pub fn begin_recovery(&mut self) {
        self.rescued = false;
        self.overtaken = 0;
    }

    /// Returns the start and the length of the last segment that is not known to have arrived.
    pub fn last_unsacked(&self) -> Option<(u64, u32)> {
        self.sent.iter().rev().find(|sent| !sent.has_flag(SACKED)).map(|sent| (sent.start, sent.len))
    }

    /// Unmarks all lost segments, because they were only late. The number of segments that had
    /// overtaken them raises the reordering threshold.
    pub fn unmark_lost(&mut self) {
        for at in 0..self.sent.len() {
            let flags = self.sent[at].flags;
            if flags & (LOST | SACKED) == LOST {
                self.set_flags(at, flags & !(LOST | RESENT));
            }
        }
        self.loss_frontier = self.sent.front().map_or(self.loss_frontier, |first| first.start);
        self.resent.clear();
        // The acknowledgements that were attributed to retransmissions were for first
        // transmissions.
        self.newest_arrived = self.newest_first;
        self.raise_threshold(self.overtaken);
    }

    /// Notes that the segment at `start` was retransmitted.
    pub fn note_retransmission(&mut self, start: u64, stamp: SendStamp) {
        let index = self.index_of(start);
        let lost = self.sent[index].has_flag(LOST);
        self.set_flags(index, self.sent[index].flags | EVER_RESENT | if lost { RESENT } else { 0 });
        self.sent[index].stamp = stamp;
        if lost {
            self.resent.push_back((start, stamp.sent()));
        }
    }
}
