//! Processes acknowledgements: finds the segments that arrived and those that were lost, and
//! informs the congestion control.

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
    /// Processes an acknowledgement of data that was sent. `start` is the position of the segment
    /// itself.
    pub(super) fn acknowledged(&mut self, now: Nanos, start: u64, ack: u64, segment: &Segment<'_>) {
        if self.una == self.nxt && ack == self.una && segment.options.sack_blocks == 0 && self.tail.is_none()
        {
            // No data is outstanding, as at an end that only receives.
            self.probe_answered(segment);
            self.take_window(start, ack, segment);
            return;
        }
        let prior = self.pipe();
        let min_rtt = self.rtt.min_rtt;
        let answered = self.latest_sending_time(now, segment);
        let mut progress = Progress::default();
        let advanced = ack.saturating_sub(self.una);
        self.probe_answered(segment);
        let same_window = u64::from(segment.window) << self.agreed.send_scale == self.window;
        if ack >= self.una {
            let (delivery, progress) = (&mut self.delivery, &mut progress);
            let arrival = &mut Arrival { now, min_rtt, answered, delivery, progress };
            self.board.acknowledge(ack, arrival);
        }
        let (sacked, duplicate) = if self.agreed.sack {
            self.process_sack_blocks(now, ack, segment, &mut progress)
        } else {
            (false, None)
        };
        // This is a duplicate acknowledgement (RFC 5681 section 2).
        let plain = ack == self.una && segment.sequence_length() == 0 && same_window;
        let repeated = plain && self.una < self.nxt;
        self.take_window(start, ack, segment);
        if advanced > 0 {
            self.una = ack;
            self.forward(now, &progress, segment);
        }
        if !self.agreed.sack {
            self.count_dup_acked(advanced, repeated, &mut progress);
        }
        self.check_undo(now, ack, duplicate, segment);
        let lost = self.find_lost(advanced, min_rtt);
        let clean = progress.clean.map(|sent| now.saturating_sub(sent));
        if let Some(rtt) = clean {
            self.rtt.sample(rtt);
        }
        self.change_phase(now, lost, segment);
        if let Some(prr) = &mut self.prr {
            let pipe = self.board.pipe().saturating_sub(self.dup_acked * u64::from(self.mss));
            prr.on_ack(progress.delivered, pipe, u64::from(self.mss));
        }
        if advanced > 0 || sacked || progress.delivered > 0 {
            self.notify_controller(now, advanced, lost, prior, clean, &progress);
            self.record_trace(now, TraceKind::Acked, ack, advanced as u32);
        }
        if self.tail.is_some() {
            self.check_tail_probe(now, ack, duplicate, plain && !sacked);
        }
        if advanced > 0 || sacked {
            self.arm_tail_probe(now);
        }
        if advanced > 0 {
            self.our_fin_may_be_acknowledged(now);
        }
        debug_assert!(
            !self.counters.segments_in.is_multiple_of(64) || self.board.pipe() == self.board.count_pipe(),
            "the running count of bytes in flight is wrong"
        );
    }

    /// Handles the answer to a window probe. A peer may keep its window closed for any time (RFC
    /// 9293 section 3.8.6.1), but not after this end's application is gone (RFC 6429).
    fn probe_answered(&mut self, segment: &Segment<'_>) {
        if !self.released || segment.window > 0 {
            self.probes = 0;
        }
    }

    /// Returns the end of the millisecond in which the acknowledged segment was sent, according to
    /// the timestamp echo (RFC 7323).
    fn latest_sending_time(&self, now: Nanos, segment: &Segment<'_>) -> Nanos {
        let Some((_, echo)) = segment.options.timestamps.filter(|_| self.agreed.timestamps) else {
            return Nanos::MAX;
        };
        let elapsed = Seq(self.timestamp(now)).distance_from(Seq(echo)).max(0) as u64;
        // A paced segment may be stamped slightly before its departure.
        (now / MILLISECOND + 1).saturating_sub(elapsed) * MILLISECOND + self.config.paced_ahead
    }

    /// Processes SACK blocks. Returns whether one of them is new, and a range that arrived twice
    /// (RFC 2883).
    fn process_sack_blocks(
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
            let (min_rtt, delivery) = (self.rtt.min_rtt, &mut self.delivery);
            // A segment that arrives out of order does not change the timestamp that is echoed (RFC
            // 7323 section 4.3), so the echo of this acknowledgement has no meaning.
            let arrival = &mut Arrival { now, min_rtt, answered: Nanos::MAX, delivery, progress };
            news |= self.board.sack(left, right, arrival);
        }
        (news, duplicate)
    }

    fn take_window(&mut self, start: u64, ack: u64, segment: &Segment<'_>) {
        let update_numbers = (start, ack);
        if ack < self.una || self.window_at.0 > start || (self.window_at.0 == start && self.window_at.1 > ack)
        {
            return;
        }
        self.window_at = update_numbers;
        self.window = u64::from(segment.window) << self.agreed.send_scale;
        self.max_window = self.max_window.max(self.window);
        if self.window > 0 && self.persist_at.take().is_some() && self.una == self.nxt {
            // The back-off of window probes must not apply to the data that may be sent now.
            self.rtt.reset_back_off();
        }
    }

    /// Handles an acknowledgement of new data.
    fn forward(&mut self, now: Nanos, progress: &Progress, segment: &Segment<'_>) {
        self.send.release(self.una);
        self.retries = 0;
        self.rtt.reset_back_off();
        if progress.clean.is_none() {
            self.sample_by_timestamp(now, segment);
        }
        self.retransmit_at = (self.una < self.nxt).then(|| now + self.rtt.rto());
        if self.writer_waits && self.send.free_space() >= self.send.limit() / 3 {
            self.writer_waits = false;
            self.events.push_back(Event::Writable);
        }
    }

    /// Takes a sample of the round-trip time from a timestamp echo, which identifies the
    /// transmission that was acknowledged, to the millisecond (RFC 7323 section 4).
    pub(super) fn sample_by_timestamp(&mut self, now: Nanos, segment: &Segment<'_>) {
        if let (true, Some((_, echo))) = (self.agreed.timestamps, segment.options.timestamps)
            && let Ok(elapsed) = Nanos::try_from(Seq(self.timestamp(now)).distance_from(Seq(echo)))
        {
            self.rtt.sample_by_timestamp(elapsed * MILLISECOND);
        }
    }

    /// Counts a duplicate acknowledgement, which means without SACK that some segment has arrived.
    fn count_dup_acked(&mut self, advanced: u64, repeated: bool, progress: &mut Progress) {
        let mss = u64::from(self.mss);
        if advanced > 0 {
            // One of the segments is the segment that was missing; the others had arrived before.
            let counted = self.dup_acked.min(u64::from(progress.segments.saturating_sub(1)));
            self.dup_acked -= counted;
            progress.delivered = progress.delivered.saturating_sub(counted * mss);
            if self.board.is_empty() {
                self.dup_acked = 0;
            }
        } else if repeated {
            self.dup_acked += 1;
            progress.delivered += mss;
        }
    }

    fn find_lost(&mut self, advanced: u64, min_rtt: Nanos) -> u64 {
        let mut lost = 0;
        if self.agreed.sack {
            lost += self.board.mark_lost(self.mss);
            if self.config.rack {
                let window = (min_rtt / 4).saturating_mul(1 + self.counters.undone).min(self.rtt.smoothed);
                lost += self.board.mark_lost_by_time(window);
            }
        } else {
            let partial = matches!(self.phase, Phase::Recovery(point) if advanced > 0 && self.una < point);
            if partial || (self.phase == Phase::Open && self.dup_acked >= 3) {
                lost += self.board.mark_first_lost();
            }
        }
        lost
    }

    fn change_phase(&mut self, now: Nanos, lost: u64, segment: &Segment<'_>) {
        let over = match self.phase {
            Phase::Open => false,
            Phase::Recovery(point) | Phase::TimedOut(point) => self.una >= point,
            // The segment that carries CWR begins at this position, and the echo continues until it
            // has arrived.
            Phase::Marked(point) => self.una > point,
        };
        if over {
            self.phase = Phase::Open;
            self.prr = None;
            self.dup_acked = 0;
            self.controller.on_recovered(now);
            self.record_trace(now, TraceKind::Recovered, self.una, 0);
        }
        let marked =
            self.agreed.ecn && segment.flags.contains(Flags::ECE) && !segment.flags.contains(Flags::SYN);
        let reduced_already = matches!(self.phase, Phase::Marked(_));
        if self.board.has_lost() && matches!(self.phase, Phase::Open | Phase::Marked(_)) {
            self.phase = Phase::Recovery(self.nxt);
            self.counters.recoveries += 1;
            self.force = true;
            self.tail = None;
            self.board.begin_recovery();
            if reduced_already {
                // The mark was not on a late segment.
                self.undo_state = None;
            } else {
                self.begin_undo();
                self.reduce(now, Cause::Loss, lost);
            }
            self.record_trace(now, TraceKind::Recovery, self.una, 0);
        } else if marked && self.phase == Phase::Open && self.una < self.nxt {
            self.phase = Phase::Marked(self.nxt);
            self.counters.ecn_reductions += 1;
            self.reduced = true;
            self.undo_state = None;
            self.reduce(now, Cause::Ecn, lost);
        }
    }

    /// Reduces the window after a loss or a congestion mark.
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

    fn notify_controller(
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
            self.max_in_flight = (self.pipe(), self.max_in_flight.0);
        }
        let rate = self.delivery.take_sample(now, self.rtt.min_rtt);
        self.controller.on_ack(&Acked {
            now,
            delivered: progress.delivered,
            acked: advanced,
            newly_lost: lost,
            rtt,
            srtt: self.rtt.smoothed,
            min_rtt: self.rtt.min_rtt,
            in_flight: self.board.pipe().saturating_sub(self.dup_acked * u64::from(self.mss)),
            prior_in_flight: prior,
            cwnd_limited: limited,
            in_recovery: matches!(self.phase, Phase::Recovery(_) | Phase::Marked(_)),
            round_start,
            rate,
            departure: self.pacer.next_departure(),
        });
    }

    /// Returns whether the window limits sending. Paced segments fill the window only at times; in
    /// slow start, using half of it is enough.
    fn is_cwnd_limited(&self) -> bool {
        let cwnd = self.controller.window();
        let most = self.max_in_flight.0.max(self.max_in_flight.1);
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
