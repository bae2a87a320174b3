//! What is thought lost (RFC 6675, the time rule of RFC 8985), and what of it leaves next.

use super::{DUP_THRESH, EVER_RESENT, LOST, RESENT, SACKED, Scoreboard, Sent};
use crate::Nanos;
use crate::rate::SendStamp;

impl Scoreboard {
    /// Marks what RFC 6675's IsLost finds: three runs of later data, or more than two segments' bytes of it, have arrived.
    /// Returns the bytes newly lost.
    pub fn mark_lost(&mut self, mss: u32) -> u64 {
        if self.highest <= self.frontier {
            return 0;
        }
        let mut at = self.find(self.highest);
        let enough = u64::from(mss) * u64::from(self.threshold - 1);
        let (mut bytes, mut runs, mut in_run) = (0_u64, 0, false);
        while at > 0 {
            let sent = &self.sent[at - 1];
            if sent.end() <= self.frontier {
                return 0;
            }
            if sent.has(SACKED) {
                bytes += u64::from(sent.len);
                runs += u32::from(!in_run);
                in_run = true;
                if runs >= self.threshold || bytes > enough {
                    break;
                }
            } else {
                in_run = false;
            }
            at -= 1;
        }
        if at == 0 {
            return 0;
        }
        let limit = self.sent[at - 1].start;
        let mut lost = 0;
        let mut walk = self.find(self.frontier);
        while walk < self.sent.len() && self.sent[walk].end() <= limit {
            lost += self.lose(walk);
            walk += 1;
        }
        self.frontier = self.frontier.max(limit);
        lost
    }

    fn lose(&mut self, at: usize) -> u64 {
        let sent = self.sent[at];
        if sent.flags & (SACKED | LOST) != 0 {
            return 0;
        }
        self.set(at, sent.flags | LOST);
        u64::from(sent.len)
    }

    /// The first segment is lost: without selective acknowledgements nothing more can be known (RFC 6582).
    pub fn lose_first(&mut self) -> u64 {
        if self.sent.is_empty() { 0 } else { self.lose(0) }
    }

    /// A segment is lost if one that left later than it, by more than `window`, has arrived (RFC 8985 section 6.2, step 5): so the
    /// last ones of a flight are found, and those that were lost when they were sent again.
    pub fn mark_lost_by_time(&mut self, window: Nanos) -> u64 {
        let mut lost = 0;
        let newest = self.newest_arrived;
        let late = |left: Nanos| left.saturating_add(window) < newest;
        while let Some(&(start, when)) = self.resent.front() {
            if !late(when) {
                break;
            }
            self.resent.pop_front();
            let at = self.find(start);
            let Some(sent) = self.sent.get(at).copied() else { continue };
            if sent.left() == when && sent.has(LOST) && sent.has(RESENT) && !sent.has(SACKED) {
                self.set(at, sent.flags & !RESENT);
                lost += u64::from(sent.len);
            }
        }
        let mut walk = self.find(self.frontier);
        while let Some(sent) = self.sent.get(walk)
            && late(sent.left())
        {
            self.frontier = sent.end();
            lost += self.lose(walk);
            walk += 1;
        }
        lost
    }

    /// The time-out expired: all that was not selectively acknowledged is lost; if that is said of the first one, the peer has
    /// gone back on its word (RFC 2018 section 8) and nothing is believed.
    pub fn all_lost(&mut self) -> u64 {
        let reneged = self.sent.front().is_some_and(|first| first.has(SACKED));
        let mut lost = 0;
        for at in 0..self.sent.len() {
            let flags = self.sent[at].flags;
            if reneged || flags & SACKED == 0 {
                lost += u64::from(self.sent[at].len);
                self.set(at, (flags & EVER_RESENT) | LOST);
            }
        }
        // What was learnt of the path's reordering may be what kept the loss from being seen (Linux' tcp_enter_loss).
        self.threshold = DUP_THRESH;
        if reneged {
            self.told = [(0, 0); 4];
            (self.highest, self.before) = (0, 0);
        }
        self.frontier = self.sent.back().map_or(self.frontier, Sent::end);
        self.hint = 0;
        self.resent.clear();
        lost
    }

    /// The first segment that waits for being sent again: start and length.
    pub fn next_lost(&mut self) -> Option<(u64, u32)> {
        if self.waiting == 0 {
            return None;
        }
        let mut at = self.find(self.hint);
        while let Some(sent) = self.sent.get(at) {
            if sent.flags & (LOST | SACKED | RESENT) == LOST {
                self.hint = sent.start;
                return Some((sent.start, sent.len));
            }
            at += 1;
        }
        debug_assert!(false, "a lost segment was counted and is not there");
        None
    }

    /// Rules 3 and 4 of RFC 6675's NextSeg: nothing is known to be lost, nothing new may leave, and the window has room. The
    /// first gap below the highest byte that arrived counts as lost; or, once in a recovery, the last segment.
    pub fn rescue(&mut self) -> u64 {
        let top = self.find(self.highest);
        let from = self.find(self.frontier);
        for at in from..top {
            if self.sent[at].flags & (SACKED | LOST) == 0 {
                self.frontier = self.sent[at].end();
                return self.lose(at);
            }
        }
        self.frontier = self.frontier.max(self.highest);
        if self.rescued {
            return 0;
        }
        self.rescued = true;
        (0..self.sent.len())
            .rev()
            .find(|&at| self.sent[at].flags & (SACKED | LOST) == 0)
            .map_or(0, |at| self.lose(at))
    }

    /// A recovery begins: it may rescue once.
    pub fn begin_recovery(&mut self) {
        self.rescued = false;
        self.overtaken = 0;
    }

    /// The last segment not known to have arrived: start and length.
    pub fn last_unheard(&self) -> Option<(u64, u32)> {
        self.sent.iter().rev().find(|sent| !sent.has(SACKED)).map(|sent| (sent.start, sent.len))
    }

    /// Nothing was lost after all: what had seemed so is in the network. What overtook it teaches how much that means.
    pub fn none_lost(&mut self) {
        for at in 0..self.sent.len() {
            let flags = self.sent[at].flags;
            if flags & (LOST | SACKED) == LOST {
                self.set(at, flags & !(LOST | RESENT));
            }
        }
        self.frontier = self.sent.front().map_or(self.frontier, |first| first.start);
        self.resent.clear();
        // What was taken for answers to repetitions were answers to first transmissions.
        self.newest_arrived = self.newest_first;
        self.learn(self.overtaken);
    }

    /// The segment at `start` left again.
    pub fn resend(&mut self, start: u64, stamp: SendStamp) {
        let at = self.find(start);
        let lost = self.sent[at].has(LOST);
        self.set(at, self.sent[at].flags | EVER_RESENT | if lost { RESENT } else { 0 });
        self.sent[at].stamp = stamp;
        if lost {
            self.resent.push_back((start, stamp.sent()));
        }
    }
}
