//! How an end point behaves.

use crate::congestion::Algorithm;
use crate::{MILLISECOND, Nanos, SECOND};

/// The settings of a connection. The defaults are those of today's systems, which published measurements ran on.
#[derive(Clone, Debug)]
pub struct Config {
    /// How much may be in flight. Default CUBIC.
    pub congestion: Algorithm,
    /// The largest payload the interface takes, in bytes: MTU less the headers of IP (options included) and TCP. Default 1460.
    pub mss: u16,
    /// What the IP header takes, options included, in bytes: rates of pacing count it. Default 20.
    pub ip_header: u16,
    /// Segments at the start (RFC 6928). Default 10.
    pub initial_window_segments: u32,
    /// Bytes written and not yet acknowledged. Default 4 MiB.
    pub send_buffer: u32,
    /// Bytes received and not yet read: the largest window. Default 6 MiB.
    pub receive_buffer: u32,
    /// Selective acknowledgements (RFC 2018). Default on.
    pub sack: bool,
    /// Timestamps (RFC 7323). Default on.
    pub timestamps: bool,
    /// Windows above 65 535 bytes (RFC 7323). Default on.
    pub window_scaling: bool,
    /// Explicit congestion notification (RFC 3168). Default off.
    pub ecn: bool,
    /// When data is acknowledged.
    pub delayed_ack: DelayedAck,
    /// So many first segments are acknowledged at once. Default 16.
    pub quick_acks: u32,
    /// Nagle's rule (RFC 9293 section 3.7.4). Default on.
    pub nagle: bool,
    /// The least retransmission time-out. Default 200 ms.
    pub min_rto: Nanos,
    /// The time-out before a round trip was measured. Default 1 s (RFC 6298).
    pub initial_rto: Nanos,
    /// The largest time-out. Default 120 s.
    pub max_rto: Nanos,
    /// So many repetitions of a SYN, then the connection is given up. Default 6.
    pub syn_tries: u32,
    /// So many repetitions of data, then the connection is given up. Default 15.
    pub data_tries: u32,
    /// How long TIME-WAIT lasts. Default 60 s.
    pub time_wait: Nanos,
    /// How the window is reduced in recovery.
    pub reduction: Reduction,
    /// Lost retransmissions are found by their times (the time rule of RFC 8985). Default on.
    pub rack: bool,
    /// HyStart++ (RFC 9406); `None`: as the algorithm does by default.
    pub hystart: Option<bool>,
    /// Fast convergence of CUBIC (RFC 9438 section 4.7). Default on.
    pub fast_convergence: bool,
    /// Whether segments are spaced in time.
    pub pacing: Pacing,
    /// Only few bytes wait in the host's own queue: whoever runs the connection reports departures. Default on.
    pub small_queue: bool,
    /// Whether received bytes are kept or only counted. Default kept.
    pub keep: Keep,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            congestion: Algorithm::Cubic,
            mss: 1460,
            ip_header: 20,
            initial_window_segments: 10,
            send_buffer: 4 << 20,
            receive_buffer: 6 << 20,
            sack: true,
            timestamps: true,
            window_scaling: true,
            ecn: false,
            delayed_ack: DelayedAck { every: 2, timeout: 40 * MILLISECOND },
            quick_acks: 16,
            nagle: true,
            min_rto: 200 * MILLISECOND,
            initial_rto: SECOND,
            max_rto: 120 * SECOND,
            syn_tries: 6,
            data_tries: 15,
            time_wait: 60 * SECOND,
            reduction: Reduction::Prr,
            rack: true,
            hystart: None,
            fast_convergence: true,
            pacing: Pacing::Controller,
            small_queue: true,
            keep: Keep::Bytes,
        }
    }
}

/// When in-order data is acknowledged (RFC 5681 section 4.2).
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub struct DelayedAck {
    /// With every so many-th full segment; 1 is at once.
    pub every: u32,
    /// After this time at the latest.
    pub timeout: Nanos,
}

/// Whether segments are spaced in time.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub enum Pacing {
    /// If the congestion control gives a rate.
    Controller,
    /// Always: where the congestion control has no rate, at twice the window a round trip while it is below half of the slow
    /// start threshold, and at 1.2 times after it ([`crate::pacer::rate_of_window`]).
    Always,
    /// At this rate, in bits of IP packets per second, and no faster than the congestion control wants.
    Rate(u64),
}

/// How the window is reduced in recovery.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub enum Reduction {
    /// Proportionally to what arrives (RFC 6937).
    Prr,
    /// At once to the threshold (RFC 6675).
    Rfc6675,
}

/// What becomes of received bytes.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub enum Keep {
    /// They are kept until read.
    Bytes,
    /// They are counted.
    Count,
}
