//! What is measured of a bulk flow over TCP.

use std::net::IpAddr;

use weir_device::Nanos;
use weir_tcp::{Closed, Info, TraceRow};

/// What happened in one interval of a flow, counted from its start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TcpInterval {
    /// Bytes that the receiving application got in it.
    pub received: u64,
    /// Bytes acknowledged in it.
    pub acked: u64,
    /// Segments sent again in it.
    pub retransmits: u64,
    /// Retransmission time-outs in it.
    pub timeouts: u64,
    /// The congestion window at its end in bytes; 0 before the connection stood.
    pub cwnd: u64,
    /// The smoothed round-trip time at its end in nanoseconds; 0 before a first measurement.
    pub srtt: Nanos,
}

/// What is known of a bulk flow.
#[derive(Clone, Debug, Default)]
pub struct TcpReport {
    /// When it started: when its SYN left.
    pub started: Nanos,
    /// When the handshake was complete.
    pub connected: Option<Nanos>,
    /// When the connection was over for the client.
    pub ended: Option<Nanos>,
    /// How it ended.
    pub closed: Option<Closed>,
    /// The client's and the server's address and port.
    pub ends: Option<[(IpAddr, u16); 2]>,
    /// Which of the named servers accepted the connection, by its place among them.
    pub server: Option<usize>,
    /// Bytes that the receiving application got.
    pub received: u64,
    /// When the first and the last of them came.
    pub arrivals: Option<(Nanos, Nanos)>,
    /// The sending end's figures as they last were.
    pub info: Option<Info>,
    /// By interval from the start.
    pub intervals: Vec<TcpInterval>,
    /// The IPv4 options of the server's SYN-ACK, as they came; empty if there were none.
    pub ip_options: Vec<u8>,
    /// The trace; empty unless asked for.
    pub trace: Vec<TraceRow>,
    /// With a trace, each time the receiving application got bytes: when, and how many it had got by then.
    pub deliveries: Vec<(Nanos, u64)>,
    /// Why it could not start, if it could not.
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

    /// The receiving application got bytes.
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

    /// Notes how the connection stands, in the interval of a time.
    pub(super) fn note_info(&mut self, time: Nanos, info: Info) {
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
