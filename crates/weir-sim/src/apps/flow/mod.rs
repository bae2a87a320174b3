//! Measured UDP flows: a sender with a departure pattern, and the measurements at the receiver. The
//! client sends. In a reverse flow the server sends, as soon as the client contacts it.
//!
//! Sender and receiver share one record. Only the stamp in each datagram is sent over the network.
//! So the numbers of sent, received and lost datagrams are exact at any time.

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

/// The length of the stamp at the start of each payload: flow number (24 bits) and datagram number
/// (40 bits, from 0) as 8 bytes, then the sending time in nanoseconds as 8 bytes; big-endian.
pub(crate) const STAMP_BYTES: usize = 16;
/// The maximum payload: an IPv4 packet of 65535 bytes without 20 bytes of IP header and 8 of UDP
/// header.
pub(crate) const MAX_PAYLOAD: usize = 65507;
/// The bits of a datagram number; the flow number is above them.
const NUMBER_BITS: u32 = 40;
/// The maximum number of datagrams in a flow.
pub(crate) const MAX_DATAGRAMS: u64 = 1 << NUMBER_BITS;
/// The maximum number of flows at a receiver. Numbers start at 1; 0 marks datagrams of unannounced
/// senders.
pub(crate) const MAX_FLOWS: usize = (1 << (64 - NUMBER_BITS)) - 1;

/// Writes the stamp of a datagram: flow, number and time.
pub(crate) fn write_stamp(payload: &mut [u8], flow: u64, number: u64, now: Nanos) {
    payload[..8].copy_from_slice(&((flow << NUMBER_BITS) | number).to_be_bytes());
    payload[8..STAMP_BYTES].copy_from_slice(&now.to_be_bytes());
}

/// Reads a datagram's stamp: flow number, datagram number, sending time.
pub(crate) fn read_stamp(payload: &[u8]) -> Option<(usize, u64, Nanos)> {
    let mark = u64::from_be_bytes(*payload.first_chunk::<8>()?);
    let sent = u64::from_be_bytes(*payload.get(8..)?.first_chunk::<8>()?);
    Some(((mark >> NUMBER_BITS) as usize, mark & (MAX_DATAGRAMS - 1), sent))
}

/// The measurements of one interval, counted from the flow's start.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FlowInterval {
    /// The number of datagrams sent in the interval.
    pub sent: u64,
    /// The number of these datagrams that have arrived so far.
    pub sent_arrived: u64,
    /// The number of datagrams that arrived in the interval, without duplicates.
    pub received: u64,
    /// The bytes of the received datagrams, after their UDP headers.
    pub received_bytes: u64,
    /// The number of received datagrams that arrived after one with a higher number.
    pub reordered: u64,
    /// The sum of the one-way delays of the received datagrams, in nanoseconds.
    pub delay_sum: u128,
    /// The RFC 3550 jitter after the last received datagram, in nanoseconds.
    pub jitter: f64,
}

/// A row of results: a received datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlowRow {
    /// The datagram number, from 0.
    pub number: u64,
    /// When the datagram was sent, in nanoseconds.
    pub sent: Nanos,
    /// When the datagram arrived, in nanoseconds.
    pub arrived: Nanos,
}

/// The report of a UDP flow.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FlowReport {
    /// When the flow started, in nanoseconds.
    pub started: Nanos,
    /// The time at which the last datagram was sent.
    pub last_sent: Option<Nanos>,
    /// The number of datagrams sent.
    pub sent: u64,
    /// The bytes of the sent datagrams, after their UDP headers.
    pub sent_bytes: u64,
    /// The number of datagrams that could not be sent because there was no route.
    pub refused: u64,
    /// The number of ICMP errors that came back to the sender.
    pub errors: u64,
    /// The number of datagrams that arrived, without duplicates.
    pub received: u64,
    /// The index of the server that received the first datagram, or that sends in a reverse flow.
    pub server: Option<usize>,
    /// With several servers, how many datagrams each server received; empty for a reverse flow.
    pub by_server: Vec<u64>,
    /// The bytes of the received datagrams, after their UDP headers.
    pub received_bytes: u64,
    /// The number of duplicates that arrived.
    pub duplicates: u64,
    /// The number of datagrams that arrived after one with a higher number. They are not lost.
    pub reordered: u64,
    /// The time at which the first and the last datagram arrived.
    pub arrivals: Option<(Nanos, Nanos)>,
    /// The one-way delays of the datagrams.
    pub delays: DelayStats,
    /// The interarrival jitter of RFC 3550 (section 6.4.1) in nanoseconds.
    pub jitter: f64,
    /// The intervals from the start up to the last one with a datagram; empty if not requested.
    pub intervals: Vec<FlowInterval>,
    /// The received datagrams in the order of arrival; empty if not requested.
    pub rows: Vec<FlowRow>,
    /// The reason why the flow could not start, if it failed.
    pub failure: Option<String>,
}

impl FlowReport {
    /// Returns the number of datagrams that have not arrived: lost or in flight.
    pub fn missing(&self) -> u64 {
        self.sent.saturating_sub(self.received)
    }
}

/// The record that both ends of a flow share.
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
    fn interval_at(&mut self, time: Nanos) -> Option<&mut FlowInterval> {
        let place = (time.saturating_sub(self.report.started) / self.interval?) as usize;
        if self.report.intervals.len() <= place {
            self.report.intervals.resize(place + 1, FlowInterval::default());
        }
        Some(&mut self.report.intervals[place])
    }

    /// Records that the sender has finished.
    pub(crate) fn note_all_sent(&mut self) {
        self.sending_done = true;
        self.settled |= self.report.received == self.report.sent;
    }

    /// Records that the flow has failed.
    pub(crate) fn fail(&mut self, failure: String) {
        self.report.failure = Some(failure);
        (self.sending_done, self.settled) = (true, true);
    }

    /// Counts a datagram that was sent.
    pub(crate) fn note_sent(&mut self, now: Nanos, bytes: usize) {
        self.report.sent += 1;
        self.report.sent_bytes += bytes as u64;
        self.report.last_sent = Some(now);
        if let Some(interval) = self.interval_at(now) {
            interval.sent += 1;
        }
    }

    /// Records a datagram that arrived at a server, given by its index, or at the client of a
    /// reverse flow.
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
        report.reordered += u64::from(arrival.is_reordered);
        report.arrivals = Some((report.arrivals.map_or(now, |(first, _)| first), now));
        report.delays = self.meter.delays;
        report.jitter = self.meter.jitter;
        if self.keep_rows {
            report.rows.push(FlowRow { number, sent, arrived: now });
        }
        if let Some(interval) = self.interval_at(now) {
            interval.received += 1;
            interval.received_bytes += bytes as u64;
            interval.reordered += u64::from(arrival.is_reordered);
            interval.delay_sum += u128::from(now - sent);
            interval.jitter = arrival.jitter;
        }
        if let Some(interval) = self.interval_at(sent) {
            interval.sent_arrived += 1;
        }
        self.settled |= self.sending_done && self.report.received == self.report.sent;
    }
}

/// The shared record of a flow.
pub(crate) type SharedRecord = Shared<Record>;
