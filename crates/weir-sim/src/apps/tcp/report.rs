//! The measurements of a TCP bulk flow.

use std::net::IpAddr;

use weir_device::Nanos;
use weir_tcp::{Closed, Info, TraceRow};

/// The measurements of one interval, counted from the flow's start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TcpInterval {
    /// The number of bytes that the receiving application read in the interval.
    pub received: u64,
    /// The number of bytes acknowledged in the interval.
    pub acked: u64,
    /// The number of retransmitted segments in the interval.
    pub retransmits: u64,
    /// The number of retransmission time-outs in the interval.
    pub timeouts: u64,
    /// The congestion window at the end of the interval in bytes; 0 before the connection was
    /// established.
    pub cwnd: u64,
    /// The smoothed round-trip time at the end of the interval in nanoseconds; 0 before the first
    /// measurement.
    pub srtt: Nanos,
}

/// The report of a TCP bulk flow.
#[derive(Clone, Debug, Default)]
pub struct TcpReport {
    /// When the flow started, with the first SYN.
    pub started: Nanos,
    /// The time at which the handshake was complete.
    pub connected: Option<Nanos>,
    /// The time at which the client's connection ended.
    pub ended: Option<Nanos>,
    /// The reason for the end of the client's connection.
    pub closed: Option<Closed>,
    /// The client's and the server's address and port.
    pub ends: Option<[(IpAddr, u16); 2]>,
    /// The index of the server that accepted the connection.
    pub server: Option<usize>,
    /// The number of bytes that the receiving application read.
    pub received: u64,
    /// The time at which the first and the last of these bytes arrived.
    pub arrivals: Option<(Nanos, Nanos)>,
    /// The last metrics of the sending end.
    pub info: Option<Info>,
    /// The intervals from the start.
    pub intervals: Vec<TcpInterval>,
    /// The IPv4 options of the server's SYN-ACK; empty if there were none.
    pub ip_options: Vec<u8>,
    /// The trace; empty if not requested.
    pub trace: Vec<TraceRow>,
    /// If there is a trace: the times at which the receiving application read, each with the total
    /// number of bytes read by then.
    pub deliveries: Vec<(Nanos, u64)>,
    /// The reason why the flow could not start, if it failed.
    pub failure: Option<String>,
    pub(super) interval: Option<Nanos>,
    pub(super) traced: bool,
}

impl TcpReport {
    fn interval_at(&mut self, time: Nanos) -> Option<&mut TcpInterval> {
        let place = (time.saturating_sub(self.started) / self.interval?) as usize;
        if self.intervals.len() <= place {
            self.intervals.resize(place + 1, TcpInterval::default());
        }
        Some(&mut self.intervals[place])
    }

    /// Records bytes that the receiving application read.
    pub(super) fn note_received(&mut self, now: Nanos, bytes: u64) {
        self.received += bytes;
        if self.traced {
            self.deliveries.push((now, self.received));
        }
        self.arrivals = Some((self.arrivals.map_or(now, |(first, _)| first), now));
        if let Some(interval) = self.interval_at(now) {
            interval.received += bytes;
        }
    }

    /// Records the metrics of the connection in the interval of a time.
    pub(super) fn record_info(&mut self, time: Nanos, info: Info) {
        let last = self.info.as_ref();
        let since = |of: fn(&Info) -> u64| of(&info) - last.map_or(0, of);
        let (acked, retransmits, timeouts) =
            (since(|info| info.acked), since(|info| info.retransmits), since(|info| info.timeouts));
        let (cwnd, srtt) = (info.cwnd, info.srtt);
        if let Some(interval) = self.interval_at(time) {
            interval.acked += acked;
            interval.retransmits += retransmits;
            interval.timeouts += timeouts;
            (interval.cwnd, interval.srtt) = (cwnd, srtt);
        }
        self.info = Some(info);
    }
}
