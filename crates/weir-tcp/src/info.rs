//! The metrics and trace events of a connection.

use crate::Nanos;
use crate::state::State;

/// The state of a connection. Bytes are bytes of payload, times are in nanoseconds.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Info {
    /// The state (RFC 9293 section 3.3.2).
    pub state: State,
    /// Maximum payload of a segment, without options.
    pub mss: u32,
    /// The congestion window in bytes.
    pub cwnd: u64,
    /// The slow start threshold in bytes; `u64::MAX` before the first congestion.
    pub ssthresh: u64,
    /// Smoothed RTT; 0 before the first measurement.
    pub srtt: Nanos,
    /// The variation of the RTT.
    pub rttvar: Nanos,
    /// Minimum RTT; 0 before the first measurement.
    pub min_rtt: Nanos,
    /// Retransmission time-out, including back-off.
    pub rto: Nanos,
    /// The number of bytes assumed to be in the network ("pipe" in RFC 6675).
    pub in_flight: u64,
    /// Pacing rate in bits of IP packets per second, if segments are paced.
    pub pacing_rate: Option<u64>,
    /// The number of bytes accepted from the application.
    pub written: u64,
    /// Free bytes of the send buffer.
    pub send_space: u64,
    /// The number of bytes acknowledged by the peer.
    pub acked: u64,
    /// The number of bytes received in order.
    pub received: u64,
    /// The number of segments sent.
    pub segments_out: u64,
    /// The number of segments received.
    pub segments_in: u64,
    /// The number of retransmitted segments.
    pub retransmits: u64,
    /// The number of retransmission time-outs.
    pub timeouts: u64,
    /// The number of fast recoveries.
    pub recoveries: u64,
    /// The number of segments that the peer reported as received twice (RFC 2883).
    pub spurious: u64,
    /// Window reductions due to ECN echoes.
    pub ecn_reductions: u64,
    /// Window reductions that were undone because nothing had been lost (RFC 3522, RFC 3708).
    pub undone: u64,
    /// Tail loss probes sent (RFC 8985 section 7).
    pub tail_probes: u64,
    /// The peer's window in bytes.
    pub peer_window: u64,
}

/// The kind of event in a trace.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub enum TraceKind {
    /// New data was sent.
    Sent,
    /// Data was retransmitted.
    Retransmitted,
    /// An acknowledgement arrived for `len` more bytes.
    Acked,
    /// The retransmission time-out expired.
    Timeout,
    /// Recovery began.
    Recovery,
    /// Recovery ended.
    Recovered,
    /// The last window reduction was undone.
    Undone,
}

/// A row of a trace: an event of a connection.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub struct TraceRow {
    /// The time of the event.
    pub time: Nanos,
    /// The kind of the event.
    pub kind: TraceKind,
    /// Position in the sent stream. The first byte of data is 1.
    pub seq: u64,
    /// The length in bytes.
    pub len: u32,
    /// The congestion window in bytes.
    pub cwnd: u64,
    /// The slow start threshold in bytes.
    pub ssthresh: u64,
    /// The bytes in flight.
    pub in_flight: u64,
    /// The smoothed round-trip time in nanoseconds.
    pub srtt: Nanos,
}
