//! The results of a ping.

use std::net::IpAddr;

use weir_device::Nanos;

use crate::host::socket::IcmpError;

/// The outcome of a ping's request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PingOutcome {
    /// No reply has arrived yet.
    Waiting,
    /// A reply arrived before the time-out.
    Reply {
        /// The round-trip time in nanoseconds, from sending the request to the reply's last bit.
        rtt: Nanos,
        /// The reply's time to live on arrival.
        ttl: u8,
        /// The length of the reply from its ICMP header on, as `ping` prints it.
        bytes: usize,
        /// The address that the reply came from. It differs from the destination if the destination
        /// is a group.
        from: IpAddr,
    },
    /// A reply arrived after the time-out. The request counts as lost.
    Late {
        /// The round-trip time in nanoseconds, from sending the request to the reply's last bit.
        rtt: Nanos,
        /// The reply's time to live on arrival.
        ttl: u8,
        /// The length of the reply from its ICMP header on.
        bytes: usize,
    },
    /// No reply arrived before the time-out or the deadline.
    Lost,
    /// An ICMP error came back. The request counts as lost.
    Error(IcmpError),
    /// The host has no route to the destination. The request counts as lost.
    NoRoute,
}

/// A row of results: a request and its outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PingRow {
    /// The number of the request, from 1. The ICMP sequence number is its lowest 16 bits.
    pub sequence: u64,
    /// When the request was sent, in nanoseconds.
    pub sent: Nanos,
    /// The result of the request.
    pub outcome: PingOutcome,
    /// The number of additional replies.
    pub duplicates: u32,
}

/// The summary that `ping` prints at the end.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PingSummary {
    /// The number of requests sent, including those without a route.
    pub sent: u64,
    /// The number of replies before the time-out, one for each request.
    pub received: u64,
    /// The number of replies after the time-out.
    pub late: u64,
    /// The number of additional replies to the same request.
    pub duplicates: u64,
    /// The number of ICMP errors that came back.
    pub errors: u64,
    /// The number of requests without a route.
    pub no_route: u64,
    /// The minimum round-trip time in nanoseconds. This and the following fields are 0 without
    /// replies.
    pub rtt_min: Nanos,
    /// The mean round-trip time in nanoseconds.
    pub rtt_mean: f64,
    /// The maximum round-trip time in nanoseconds.
    pub rtt_max: Nanos,
    /// The standard deviation of round-trip times in nanoseconds (`mdev`).
    pub rtt_deviation: f64,
}

impl PingSummary {
    /// Returns the number of requests without a reply in time, including late replies, errors,
    /// missing routes, and requests that still wait.
    pub fn lost(&self) -> u64 {
        self.sent - self.received
    }
}
