//! Undoes window reductions if segments were late instead of lost. This is detected by timestamps
//! (RFC 3522), or because the peer reports all retransmissions as received twice (RFC 3708).

use super::Connection;
use crate::Nanos;
use crate::info::TraceKind;
use crate::recovery::Phase;
use crate::segment::Segment;
use crate::seq::Seq;

/// The state that tells whether the last reduction was necessary.
#[derive(Copy, Clone, Debug)]
pub(super) struct UndoState {
    /// The start and the end of the data that was outstanding at the reduction.
    flight: (u64, u64),
    /// The number of segments that were retransmitted since then, minus those that the peer
    /// received twice.
    unconfirmed: u32,
    /// The start of the first retransmitted segment, and the timestamp with which it was sent.
    /// `None` before it was sent, and after it was acknowledged.
    first: Option<(u64, u32)>,
    again: bool,
}

impl Connection {
    /// Called when the window is reduced because of a loss.
    pub(super) fn begin_undo(&mut self) {
        self.undo_state =
            Some(UndoState { flight: (self.una, self.nxt), unconfirmed: 0, first: None, again: false });
    }

    /// Called when the segment at `start` is retransmitted.
    pub(super) fn undo_retransmitted(&mut self, now: Nanos, start: u64) {
        let stamp = self.timestamp(now);
        if let Some(undo_state) = &mut self.undo_state {
            undo_state.unconfirmed += 1;
            if !undo_state.again {
                undo_state.again = true;
                undo_state.first = Some((start, stamp));
            }
        }
    }

    /// Processes an acknowledgement up to `ack`. `duplicate` is the range that it reports as
    /// received twice.
    pub(super) fn check_undo(
        &mut self,
        now: Nanos,
        ack: u64,
        duplicate: Option<(u64, u64)>,
        segment: &Segment<'_>,
    ) {
        let agreed = self.agreed.timestamps;
        let Some(undo_state) = &mut self.undo_state else { return };
        let mut late = false;
        if let Some((left, right)) = duplicate
            && undo_state.flight.0 <= left
            && right <= undo_state.flight.1
            && undo_state.unconfirmed > 0
        {
            undo_state.unconfirmed -= 1;
            late = undo_state.unconfirmed == 0;
        }
        if let Some((start, stamp)) = undo_state.first
            && start < ack
        {
            // The acknowledgement of the first transmission echoes an older timestamp than the
            // timestamp of the retransmission.
            undo_state.first = None;
            let echo = segment.options.timestamps.filter(|_| agreed);
            late |= echo.is_some_and(|(_, echo)| Seq(echo).distance_from(Seq(stamp)) < 0);
        }
        if late {
            self.undo(now);
        }
    }

    /// Undoes a reduction that turned out to be unnecessary.
    fn undo(&mut self, now: Nanos) {
        self.undo_state = None;
        self.counters.undone += 1;
        self.prr = None;
        self.phase = Phase::Open;
        self.dup_acked = 0;
        self.board.unmark_lost();
        self.controller.undo();
        self.record_trace(now, TraceKind::Undone, self.una, 0);
    }
}
