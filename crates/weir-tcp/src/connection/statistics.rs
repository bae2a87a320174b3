//! The metrics and the trace of a connection.

use super::{Connection, State};
use crate::Nanos;
use crate::info::{Info, TraceKind, TraceRow};

impl Connection {
    /// Returns the connection's state (RFC 9293 section 3.3.2).
    pub fn state(&self) -> State {
        self.state
    }

    /// Returns the initial sequence numbers (RFC 9293 section 3.4.1) of this end and of the peer.
    /// The peer's is 0 until its SYN has arrived.
    pub fn initial_sequence_numbers(&self) -> [u32; 2] {
        [self.iss.0, self.irs.0]
    }

    /// Returns the statistics of this connection.
    pub fn info(&self) -> Info {
        Info {
            state: self.state,
            mss: self.mss,
            cwnd: self.cwnd(),
            ssthresh: self.controller.slow_start_threshold(),
            srtt: self.rtt.smoothed,
            rttvar: self.rtt.variation,
            min_rtt: self.rtt.min_rtt,
            rto: self.rtt.rto(),
            in_flight: self.pipe(),
            pacing_rate: self.pacing_rate(),
            written: self.send.end() - 1,
            send_space: self.send.free_space(),
            acked: self.una.clamp(1, self.send.end()) - 1,
            received: self.receive.next() - 1 - u64::from(self.receive.finished()),
            segments_out: self.counters.segments_out,
            segments_in: self.counters.segments_in,
            retransmits: self.counters.retransmits,
            timeouts: self.counters.timeouts,
            recoveries: self.counters.recoveries,
            spurious: self.counters.spurious,
            ecn_reductions: self.counters.ecn_reductions,
            undone: self.counters.undone,
            tail_probes: self.counters.tail_probes,
            peer_window: self.window,
        }
    }

    /// Starts or stops recording a trace.
    pub fn trace(&mut self, on: bool) {
        if on != self.trace.is_some() {
            self.trace = on.then(Vec::new);
        }
    }

    /// Returns the events recorded since the last call.
    pub fn take_trace(&mut self) -> Vec<TraceRow> {
        self.trace.as_mut().map(std::mem::take).unwrap_or_default()
    }

    pub(super) fn record_trace(&mut self, time: Nanos, kind: TraceKind, seq: u64, len: u32) {
        if self.trace.is_some() {
            let row = TraceRow {
                time,
                kind,
                seq,
                len,
                cwnd: self.cwnd(),
                ssthresh: self.controller.slow_start_threshold(),
                in_flight: self.pipe(),
                srtt: self.rtt.smoothed,
            };
            if let Some(trace) = &mut self.trace {
                trace.push(row);
            }
        }
    }
}
