//! Measured flows of datagrams: a sender with a pattern of departures, and what the receiver's side notes of them. The client sends, or, in
//! reverse, the server as soon as it hears of the client.
//!
//! Sender and receiver share one record, as a person who watches both ends would keep it; nothing of it travels on the network but the
//! stamp in each datagram. So what is sent, received and lost is exact at any time.

mod client;
mod config;
mod datagram_sender;
mod meter;
mod pattern;

use weir_device::Nanos;

pub use self::client::UdpFlow;
pub(crate) use self::client::bind_port;
pub use self::config::UdpFlowConfig;
pub(crate) use self::datagram_sender::DatagramSender;
pub use self::meter::DelayStats;
pub(crate) use self::meter::Meter;
pub(crate) use self::pattern::Departures;
pub use self::pattern::Pattern;
use super::shared::Shared;

/// Bytes of the stamp at the start of each payload: the flow's number at its receivers (24 bits) and the datagram's (40 bits, from 0)
/// together, then the time of sending in nanoseconds; 8 bytes each, big-endian.
pub(crate) const STAMP: usize = 16;
/// Most bytes after the UDP header: an IPv4 packet has at most 65535, its header 20 and the UDP header 8.
pub(crate) const MAX_PAYLOAD: usize = 65507;
/// Bits of a datagram's number; above them stands the flow's.
const NUMBER_BITS: u32 = 40;
/// Datagrams that a flow can number.
pub(crate) const MAX_DATAGRAMS: u64 = 1 << NUMBER_BITS;
/// Flows that a receiver can number, from 1; 0 stands for senders that it does not know.
pub(crate) const MAX_FLOWS: usize = (1 << (64 - NUMBER_BITS)) - 1;

/// Writes a datagram's stamp.
pub(crate) fn stamp(payload: &mut [u8], flow: u64, number: u64, now: Nanos) {
    payload[..8].copy_from_slice(&((flow << NUMBER_BITS) | number).to_be_bytes());
    payload[8..STAMP].copy_from_slice(&now.to_be_bytes());
}

/// Reads a datagram's stamp: the flow's number, the datagram's, the time of sending.
pub(crate) fn read_stamp(payload: &[u8]) -> Option<(usize, u64, Nanos)> {
    let mark = u64::from_be_bytes(*payload.first_chunk::<8>()?);
    let sent = u64::from_be_bytes(*payload.get(8..)?.first_chunk::<8>()?);
    Some(((mark >> NUMBER_BITS) as usize, mark & (MAX_DATAGRAMS - 1), sent))
}

/// What happened in one interval of a flow, counted from its start.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FlowInterval {
    /// Datagrams sent in it.
    pub sent: u64,
    /// How many of those arrived, whenever they did. What is still under way counts as not arrived.
    pub sent_arrived: u64,
    /// Datagrams that arrived in it, each number once.
    pub received: u64,
    /// Their bytes after the UDP header.
    pub received_bytes: u64,
    /// How many of them came behind one with a higher number.
    pub reordered: u64,
    /// The sum of their one-way delays in nanoseconds.
    pub delay_sum: u128,
    /// The jitter of RFC 3550 after the last of them, in nanoseconds.
    pub jitter: f64,
}

/// A datagram that arrived: its number, when it was sent and when it arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlowRow {
    /// From 0.
    pub number: u64,
    /// In nanoseconds from the start of the world.
    pub sent: Nanos,
    /// In nanoseconds from the start of the world.
    pub arrived: Nanos,
}

/// What is known of a flow of datagrams.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FlowReport {
    /// When it started, in nanoseconds.
    pub started: Nanos,
    /// When the last datagram was sent.
    pub last_sent: Option<Nanos>,
    /// Datagrams sent.
    pub sent: u64,
    /// Their bytes after the UDP header.
    pub sent_bytes: u64,
    /// Datagrams that could not be sent, for want of a route.
    pub refused: u64,
    /// ICMP errors that came back to the sender.
    pub errors: u64,
    /// Datagrams that arrived, each number once.
    pub received: u64,
    /// Which of the named servers got the first of them, or, in reverse, sends, by its place among them.
    pub server: Option<usize>,
    /// Where several were named, how many of the received each got, by its place; in reverse none.
    pub by_server: Vec<u64>,
    /// Their bytes after the UDP header.
    pub received_bytes: u64,
    /// Arrivals of a number that had arrived before.
    pub duplicates: u64,
    /// Arrivals behind one with a higher number. Late is not lost.
    pub reordered: u64,
    /// When the first and the last arrived.
    pub arrivals: Option<(Nanos, Nanos)>,
    /// One-way delays.
    pub delays: DelayStats,
    /// The interarrival jitter of RFC 3550 (section 6.4.1) in nanoseconds.
    pub jitter: f64,
    /// By interval from the start, up to the last in which something was sent or arrived; empty if none were asked for.
    pub intervals: Vec<FlowInterval>,
    /// Each datagram that arrived, in that order; empty unless asked for.
    pub rows: Vec<FlowRow>,
    /// Why it could not start, if it could not.
    pub failure: Option<String>,
}

impl FlowReport {
    /// Datagrams that have not arrived: lost, or still under way.
    pub fn missing(&self) -> u64 {
        self.sent.saturating_sub(self.received)
    }
}

/// The record that both ends of a flow write.
#[derive(Debug, Default)]
pub(crate) struct Record {
    pub(crate) report: FlowReport,
    pub(crate) interval: Option<Nanos>,
    pub(crate) keep_rows: bool,
    pub(crate) meter: Meter,
    pub(crate) sending_done: bool,
    pub(crate) settled: bool,
}

impl Record {
    /// The interval that a time lies in.
    fn interval_at(&mut self, time: Nanos) -> Option<&mut FlowInterval> {
        let place = (time.saturating_sub(self.report.started) / self.interval?) as usize;
        if self.report.intervals.len() <= place {
            self.report.intervals.resize(place + 1, FlowInterval::default());
        }
        Some(&mut self.report.intervals[place])
    }

    /// No more is sent.
    pub(crate) fn sent_all(&mut self) {
        self.sending_done = true;
        self.settled |= self.report.received == self.report.sent;
    }

    /// It cannot go on.
    pub(crate) fn fail(&mut self, failure: String) {
        self.report.failure = Some(failure);
        (self.sending_done, self.settled) = (true, true);
    }

    /// A datagram of so many bytes was sent.
    pub(crate) fn note_sent(&mut self, now: Nanos, bytes: usize) {
        self.report.sent += 1;
        self.report.sent_bytes += bytes as u64;
        self.report.last_sent = Some(now);
        if let Some(interval) = self.interval_at(now) {
            interval.sent += 1;
        }
    }

    /// A datagram arrived: at the server of a place, or, in reverse, at the client.
    pub(crate) fn note_arrival(
        &mut self,
        number: u64,
        sent: Nanos,
        now: Nanos,
        bytes: usize,
        server: Option<usize>,
    ) {
        let Some(arrival) = self.meter.arrived(number, sent, now) else {
            self.report.duplicates += 1;
            return;
        };
        let report = &mut self.report;
        if let Some(place) = server {
            report.server.get_or_insert(place);
            if let Some(count) = report.by_server.get_mut(place) {
                *count += 1;
            }
        }
        report.received += 1;
        report.received_bytes += bytes as u64;
        report.reordered += u64::from(arrival.behind);
        report.arrivals = Some((report.arrivals.map_or(now, |(first, _)| first), now));
        report.delays = self.meter.delays;
        report.jitter = self.meter.jitter;
        if self.keep_rows {
            report.rows.push(FlowRow { number, sent, arrived: now });
        }
        if let Some(interval) = self.interval_at(now) {
            interval.received += 1;
            interval.received_bytes += bytes as u64;
            interval.reordered += u64::from(arrival.behind);
            interval.delay_sum += u128::from(now - sent);
            interval.jitter = arrival.jitter;
        }
        if let Some(interval) = self.interval_at(sent) {
            interval.sent_arrived += 1;
        }
        self.settled |= self.sending_done && self.report.received == self.report.sent;
    }
}

/// A flow's record, held by both its ends.
pub(crate) type SharedRecord = Shared<Record>;
