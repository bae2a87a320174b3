//! Reductions that were for nothing: what had seemed lost was late. Seen by timestamps (RFC 3522), or by the peer's word that it
//! got everything twice (RFC 3708).

use super::Connection;
use crate::Nanos;
use crate::info::TraceKind;
use crate::recovery::Phase;
use crate::segment::Segment;
use crate::seq::Seq;

/// What is known of the last reduction.
#[derive(Copy, Clone, Debug)]
pub(super) struct Doubt {
    /// Sent and not acknowledged when it was made: from, to.
    flight: (u64, u64),
    /// Segments sent again since, less those the peer got twice.
    unconfirmed: u32,
    /// The first of them: where it begins, and the timestamp it left with. `None` before it left, and once an acknowledgement of it
    /// was looked at.
    first: Option<(u64, u32)>,
    again: bool,
}

impl Connection {
    /// The window was reduced because of a loss.
    pub(super) fn begin_doubt(&mut self) {
        self.doubt = Some(Doubt { flight: (self.una, self.nxt), unconfirmed: 0, first: None, again: false });
    }

    /// The segment at `start` leaves again.
    pub(super) fn doubt_resent(&mut self, now: Nanos, start: u64) {
        let stamp = self.timestamp(now);
        if let Some(doubt) = &mut self.doubt {
            doubt.unconfirmed += 1;
            if !doubt.again {
                doubt.again = true;
                doubt.first = Some((start, stamp));
            }
        }
    }

    /// An acknowledgement up to `ack`, by which it advanced or not; `duplicate` is what it says arrived twice.
    pub(super) fn judge_doubt(
        &mut self,
        now: Nanos,
        ack: u64,
        duplicate: Option<(u64, u64)>,
        segment: &Segment<'_>,
    ) {
        let agreed = self.agreed.timestamps;
        let Some(doubt) = &mut self.doubt else { return };
        let mut late = false;
        if let Some((left, right)) = duplicate
            && doubt.flight.0 <= left
            && right <= doubt.flight.1
            && doubt.unconfirmed > 0
        {
            doubt.unconfirmed -= 1;
            late = doubt.unconfirmed == 0;
        }
        if let Some((start, stamp)) = doubt.first
            && start < ack
        {
            // What answers the first transmission carries an older timestamp back than the second one's.
            doubt.first = None;
            let echo = segment.options.timestamps.filter(|_| agreed);
            late |= echo.is_some_and(|(_, echo)| Seq(echo).since(Seq(stamp)) < 0);
        }
        if late {
            self.undo(now);
        }
    }

    fn undo(&mut self, now: Nanos) {
        self.doubt = None;
        self.counters.undone += 1;
        self.prr = None;
        self.phase = Phase::Open;
        self.anonymous = 0;
        self.board.none_lost();
        self.controller.undo();
        self.note(now, TraceKind::Undone, self.una, 0);
    }
}
