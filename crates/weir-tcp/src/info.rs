//! What a connection tells of itself.

use crate::Nanos;
use crate::state::State;

/// A connection as it stands. Bytes are bytes of payload, times nanoseconds.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Info {
    /// State (RFC 9293 section 3.3.2).
    pub state: State,
    /// The largest payload of a segment, options taken off.
    pub mss: u32,
    /// Congestion window, bytes.
    pub cwnd: u64,
    /// Slow start threshold, bytes; `u64::MAX`: none yet.
    pub ssthresh: u64,
    /// Smoothed round trip time; 0 before a first measurement.
    pub srtt: Nanos,
    /// Its variation.
    pub rttvar: Nanos,
    /// The least round trip time seen; 0 before a first measurement.
    pub min_rtt: Nanos,
    /// Retransmission time-out, back-off included.
    pub rto: Nanos,
    /// Bytes thought to be in the network ("pipe" of RFC 6675).
    pub in_flight: u64,
    /// Bits of IP packets per second, where segments are paced.
    pub pacing_rate: Option<u64>,
    /// Bytes taken from the application.
    pub written: u64,
    /// Bytes more that there is room for to write.
    pub room: u64,
    /// Bytes of those written that the peer has acknowledged.
    pub acked: u64,
    /// Bytes received in order.
    pub received: u64,
    /// Segments sent.
    pub segments_out: u64,
    /// Segments received.
    pub segments_in: u64,
    /// Segments sent again.
    pub retransmits: u64,
    /// Retransmission time-outs.
    pub timeouts: u64,
    /// Recoveries begun by fast retransmit.
    pub recoveries: u64,
    /// Segments the peer reported as received twice (RFC 2883).
    pub spurious: u64,
    /// Reductions because of ECN echoes.
    pub ecn_reductions: u64,
    /// Reductions taken back because nothing had been lost (RFC 3522, RFC 3708).
    pub undone: u64,
    /// Tail loss probes sent (RFC 8985 section 7).
    pub tail_probes: u64,
    /// The peer's window, bytes.
    pub peer_window: u64,
}

/// What a row of a trace tells of.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub enum TraceKind {
    /// New data left.
    Sent,
    /// Data left again.
    Resent,
    /// An acknowledgement arrived; `len` bytes more.
    Acked,
    /// The retransmission time-out expired.
    Timeout,
    /// Recovery began.
    Recovery,
    /// Recovery ended.
    Recovered,
    /// The last reduction was taken back.
    Undone,
}

/// A row of a trace.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub struct TraceRow {
    /// When.
    pub time: Nanos,
    /// What.
    pub kind: TraceKind,
    /// Position in the stream of bytes sent (1: the first byte of data).
    pub seq: u64,
    /// Bytes.
    pub len: u32,
    /// Congestion window, bytes.
    pub cwnd: u64,
    /// Slow start threshold, bytes.
    pub ssthresh: u64,
    /// Bytes in flight.
    pub in_flight: u64,
    /// Smoothed round trip time, nanoseconds.
    pub srtt: Nanos,
}
