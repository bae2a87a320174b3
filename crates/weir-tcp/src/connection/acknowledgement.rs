//! What an acknowledgement tells: what arrived, what was lost, whether to slow down.

use super::{Closed, Connection, Event, State};
use crate::config::Reduction;
use crate::congestion::{Acked, Cause, Congestion};
use crate::info::TraceKind;
use crate::recovery::{Phase, Prr};
use crate::scoreboard::{Arrival, Progress};
use crate::segment::{Flags, Segment};
use crate::seq::{Seq, unwrap};
use crate::{MILLISECOND, Nanos};

impl Connection {
    /// `ack` lies between what may be old and what was sent; `start` is the segment's own position.
    pub(super) fn acknowledged(&mut self, now: Nanos, start: u64, ack: u64, segment: &Segment<'_>) {
        if self.una == self.nxt && ack == self.una && segment.options.sack_blocks == 0 && self.tail.is_none()
        {
            // Nothing is outstanding, as at the end that only receives.
            self.probe_answered(segment);
            self.take_window(start, ack, segment);
            return;
        }
        let prior = self.pipe();
        let least = self.rtt.least;
        let answered = self.answered_before(now, segment);
        let mut progress = Progress::default();
        let advanced = ack.saturating_sub(self.una);
        self.probe_answered(segment);
        let same_window = u64::from(segment.window) << self.agreed.send_scale == self.window;
        if ack >= self.una {
            let (delivery, progress) = (&mut self.delivery, &mut progress);
            let arrival = &mut Arrival { now, least, answered, delivery, progress };
            self.board.acknowledge(ack, arrival);
        }
        let (sacked, duplicate) =
            if self.agreed.sack { self.take_blocks(now, ack, segment, &mut progress) } else { (false, None) };
        // RFC 5681 section 2.
        let plain = ack == self.una && segment.space() == 0 && same_window;
        let repeated = plain && self.una < self.nxt;
        self.take_window(start, ack, segment);
        if advanced > 0 {
            self.una = ack;
            self.forward(now, &progress, segment);
        }
        if !self.agreed.sack {
            self.count_anonymous(advanced, repeated, &mut progress);
        }
        self.judge_doubt(now, ack, duplicate, segment);
        let lost = self.find_lost(advanced, least);
        let clean = progress.clean.map(|sent| now.saturating_sub(sent));
        if let Some(rtt) = clean {
            self.rtt.sample(rtt);
        }
        self.change_phase(now, lost, segment);
        if let Some(prr) = &mut self.prr {
            let pipe = self.board.pipe().saturating_sub(self.anonymous * u64::from(self.mss));
            prr.on_ack(progress.delivered, pipe, u64::from(self.mss));
        }
        if advanced > 0 || sacked || progress.delivered > 0 {
            self.tell_controller(now, advanced, lost, prior, clean, &progress);
            self.note(now, TraceKind::Acked, ack, advanced as u32);
        }
        if self.tail.is_some() {
            self.judge_tail(now, ack, duplicate, plain && !sacked);
        }
        if advanced > 0 || sacked {
            self.arm_tail(now);
        }
        if advanced > 0 {
            self.our_fin_may_be_acknowledged(now);
        }
        debug_assert!(
            !self.counters.segments_in.is_multiple_of(64) || self.board.pipe() == self.board.recount(),
            "the running count of bytes in flight is wrong"
        );
    }

    /// A peer may keep its window shut as long as it likes (RFC 9293 section 3.8.6.1), but not to an application that is gone (RFC 6429).
    fn probe_answered(&mut self, segment: &Segment<'_>) {
        if !self.released || segment.window > 0 {
            self.probes = 0;
        }
    }

    /// The end of the millisecond in which the segment left that this one answers, as its timestamp says (RFC 7323).
    fn answered_before(&self, now: Nanos, segment: &Segment<'_>) -> Nanos {
        let Some((_, echo)) = segment.options.timestamps.filter(|_| self.agreed.timestamps) else {
            return Nanos::MAX;
        };
        let elapsed = Seq(self.timestamp(now)).since(Seq(echo)).max(0) as u64;
        // A paced segment may be stamped a little ahead of its departure.
        (now / MILLISECOND + 1).saturating_sub(elapsed) * MILLISECOND + self.config.paced_ahead
    }

    /// The blocks of a segment: whether one is news, and what arrived twice (RFC 2883).
    fn take_blocks(
        &mut self,
        now: Nanos,
        ack: u64,
        segment: &Segment<'_>,
        progress: &mut Progress,
    ) -> (bool, Option<(u64, u64)>) {
        let (mut news, mut duplicate) = (false, None);
        let near = self.una.max(ack);
        let first = self.iss;
        let place =
            |(left, right): (Seq, Seq)| Some((unwrap(left, first, near)?, unwrap(right, first, near)?));
        let blocks = segment.options.sack();
        let second = blocks.get(1).copied().and_then(place);
        for (at, block) in blocks.iter().enumerate() {
            let Some((left, right)) = place(*block) else { continue };
            if left >= right || right > self.nxt {
                continue;
            }
            if at == 0 && (right <= ack || second.is_some_and(|(from, to)| from <= left && right <= to)) {
                self.counters.spurious += 1;
                duplicate = Some((left, right));
                continue;
            }
            let (least, delivery) = (self.rtt.least, &mut self.delivery);
            // A segment out of order does not change the timestamp that is echoed (RFC 7323 section 4.3): it says nothing here.
            let arrival = &mut Arrival { now, least, answered: Nanos::MAX, delivery, progress };
            news |= self.board.sack(left, right, arrival);
        }
        (news, duplicate)
    }

    fn take_window(&mut self, start: u64, ack: u64, segment: &Segment<'_>) {
        let at = (start, ack);
        if ack < self.una || self.window_at.0 > start || (self.window_at.0 == start && self.window_at.1 > ack)
        {
            return;
        }
        self.window_at = at;
        self.window = u64::from(segment.window) << self.agreed.send_scale;
        self.max_window = self.max_window.max(self.window);
        if self.window > 0 && self.persist_at.take().is_some() && self.una == self.nxt {
            // The probes' back-off is not that of the data that may leave now.
            self.rtt.forward();
        }
    }

    fn forward(&mut self, now: Nanos, progress: &Progress, segment: &Segment<'_>) {
        self.send.release(self.una);
        self.tries = 0;
        self.rtt.forward();
        if progress.clean.is_none() {
            self.sample_by_timestamp(now, segment);
        }
        self.retransmit_at = (self.una < self.nxt).then(|| now + self.rtt.rto());
        if self.wants_room && self.send.room() >= self.send.limit() / 3 {
            self.wants_room = false;
            self.events.push_back(Event::Writable);
        }
    }

    /// RFC 7323 section 4: a timestamp tells which transmission was acknowledged, to the millisecond.
    pub(super) fn sample_by_timestamp(&mut self, now: Nanos, segment: &Segment<'_>) {
        if let (true, Some((_, echo))) = (self.agreed.timestamps, segment.options.timestamps)
            && let Ok(elapsed) = Nanos::try_from(Seq(self.timestamp(now)).since(Seq(echo)))
        {
            self.rtt.sample_by_timestamp(elapsed * MILLISECOND);
        }
    }

    /// Without selective acknowledgements a repeated acknowledgement means: some segment arrived.
    fn count_anonymous(&mut self, advanced: u64, repeated: bool, progress: &mut Progress) {
        let mss = u64::from(self.mss);
        if advanced > 0 {
            // One of the segments is the one that was missing, the others had arrived before.
            let known = self.anonymous.min(u64::from(progress.segments.saturating_sub(1)));
            self.anonymous -= known;
            progress.delivered = progress.delivered.saturating_sub(known * mss);
            if self.board.is_empty() {
                self.anonymous = 0;
            }
        } else if repeated {
            self.anonymous += 1;
            progress.delivered += mss;
        }
    }

    fn find_lost(&mut self, advanced: u64, least: Nanos) -> u64 {
        let mut lost = 0;
        if self.agreed.sack {
            lost += self.board.mark_lost(self.mss);
            if self.config.rack {
                let window = (least / 4).saturating_mul(1 + self.counters.undone).min(self.rtt.smoothed);
                lost += self.board.mark_lost_by_time(window);
            }
        } else {
            let partial = matches!(self.phase, Phase::Recovery(point) if advanced > 0 && self.una < point);
            if partial || (self.phase == Phase::Open && self.anonymous >= 3) {
                lost += self.board.lose_first();
            }
        }
        lost
    }

    fn change_phase(&mut self, now: Nanos, lost: u64, segment: &Segment<'_>) {
        let over = match self.phase {
            Phase::Open => false,
            Phase::Recovery(point) | Phase::TimedOut(point) => self.una >= point,
            // The segment that says the window is reduced begins at the point: until it has arrived the echo goes on.
            Phase::Marked(point) => self.una > point,
        };
        if over {
            self.phase = Phase::Open;
            self.prr = None;
            self.anonymous = 0;
            self.controller.on_recovered(now);
            self.note(now, TraceKind::Recovered, self.una, 0);
        }
        let marked = self.agreed.ecn && segment.flags.has(Flags::ECE) && !segment.flags.has(Flags::SYN);
        let reduced_already = matches!(self.phase, Phase::Marked(_));
        if self.board.has_lost() && matches!(self.phase, Phase::Open | Phase::Marked(_)) {
            self.phase = Phase::Recovery(self.nxt);
            self.counters.recoveries += 1;
            self.force = true;
            self.tail = None;
            self.board.begin_recovery();
            if reduced_already {
                // The mark was none of a late segment's.
                self.doubt = None;
            } else {
                self.begin_doubt();
                self.reduce(now, Cause::Loss, lost);
            }
            self.note(now, TraceKind::Recovery, self.una, 0);
        } else if marked && self.phase == Phase::Open && self.una < self.nxt {
            self.phase = Phase::Marked(self.nxt);
            self.counters.ecn_reductions += 1;
            self.reduced = true;
            self.doubt = None;
            self.reduce(now, Cause::Ecn, lost);
        }
    }

    fn reduce(&mut self, now: Nanos, cause: Cause, lost: u64) {
        let flight = (self.nxt - self.una).min(self.cwnd().max(u64::from(self.mss)));
        self.reduced |= self.agreed.ecn;
        self.controller.on_congestion(&Congestion {
            now,
            cause,
            in_flight: flight,
            srtt: self.rtt.smoothed,
            lost,
        });
        if self.config.reduction == Reduction::Prr && self.controller.reduces_by_prr() {
            self.prr = Some(Prr::new(self.controller.slow_start_threshold(), flight, self.pipe()));
        }
    }

    fn tell_controller(
        &mut self,
        now: Nanos,
        advanced: u64,
        lost: u64,
        prior: u64,
        rtt: Option<Nanos>,
        progress: &Progress,
    ) {
        let round_start = self.una > self.round_end;
        if round_start {
            self.round_end = self.nxt;
        }
        let limited = self.is_cwnd_limited();
        if round_start {
            self.cwnd_limited = (false, self.cwnd_limited.0);
            self.most_in_flight = (self.pipe(), self.most_in_flight.0);
        }
        let rate = self.delivery.take_sample(now, self.rtt.least);
        self.controller.on_ack(&Acked {
            now,
            delivered: progress.delivered,
            acked: advanced,
            newly_lost: lost,
            rtt,
            srtt: self.rtt.smoothed,
            min_rtt: self.rtt.least,
            in_flight: self.board.pipe().saturating_sub(self.anonymous * u64::from(self.mss)),
            prior_in_flight: prior,
            cwnd_limited: limited,
            in_recovery: matches!(self.phase, Phase::Recovery(_) | Phase::Marked(_)),
            round_start,
            rate,
        });
    }

    /// Paced segments reach the window only now and then, and in slow start half of it in flight is use enough.
    fn is_cwnd_limited(&self) -> bool {
        let cwnd = self.controller.window();
        let most = self.most_in_flight.0.max(self.most_in_flight.1);
        self.cwnd_limited.0
            || self.cwnd_limited.1
            || (cwnd < self.controller.slow_start_threshold() && cwnd < 2 * most)
    }

    fn our_fin_may_be_acknowledged(&mut self, now: Nanos) {
        if self.una <= self.send.end() {
            return;
        }
        match self.state {
            State::FinWait1 => {
                self.state = State::FinWait2;
                if self.released {
                    self.fin_wait_until = Some(now.saturating_add(self.config.fin_wait));
                }
            }
            State::Closing => self.enter_time_wait(now),
            State::LastAck => self.end(Closed::Both),
            _ => {}
        }
    }
}
