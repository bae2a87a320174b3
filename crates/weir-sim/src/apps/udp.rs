//! A UDP sender with a fixed rate, and the receiver of all UDP traffic.

use std::net::IpAddr;

use rustc_hash::FxHashMap;
use weir_device::Nanos;

use super::exchange::SharedRows;
use super::flow::{
    DatagramSender, MAX_FLOWS, MAX_PAYLOAD, STAMP_BYTES, SharedRecord, read_stamp, write_stamp,
};
use super::shared::Shared;
use crate::Error;
use crate::host::app::{App, HostContext};
use crate::host::socket::{AppEvent, Binding, SendError};

/// The settings of a UDP sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UdpSenderConfig {
    /// The address and port to send to.
    pub destination: (IpAddr, u16),
    /// The port to send from.
    pub source_port: u16,
    /// The payload in bytes, 16 to 65507: the sequence number from 0 and the sending time in
    /// nanoseconds, 8 bytes each, big-endian; then zeros.
    pub payload_bytes: usize,
    /// The number of nanoseconds between two datagrams, at least 1. The n-th datagram is sent at
    /// exactly start + n · interval.
    pub interval: Nanos,
    /// The number of datagrams.
    pub count: u64,
}

/// Sends datagrams at regular times and counts them.
pub struct UdpSender {
    config: UdpSenderConfig,
    started: Nanos,
    sent: u64,
    refused: u64,
    errors: u64,
    failure: Option<String>,
}

impl UdpSender {
    /// Creates a sender that has not started.
    ///
    /// # Errors
    /// A setting is out of range.
    pub fn new(config: UdpSenderConfig) -> Result<Self, Error> {
        let refused = |reason: String| Err(Error::BadApp { app: "udp sender", reason });
        if !(STAMP_BYTES..=MAX_PAYLOAD).contains(&config.payload_bytes) {
            return refused(format!(
                "{} bytes of payload; expected {STAMP_BYTES} to {MAX_PAYLOAD}",
                config.payload_bytes
            ));
        }
        if config.interval == 0 || config.count == 0 {
            return refused("an interval or count of 0; expected 1 or more".to_owned());
        }
        if config.source_port == 0 || config.destination.1 == 0 {
            return refused("port 0; expected 1 to 65535".to_owned());
        }
        if config.destination.0.is_unspecified() {
            return refused("destination of all zeros; expected an address that can be sent to".to_owned());
        }
        Ok(UdpSender { config, started: 0, sent: 0, refused: 0, errors: 0, failure: None })
    }

    /// Returns the number of datagrams sent.
    pub fn sent(&self) -> u64 {
        self.sent
    }

    /// Returns the number of datagrams that could not be sent because there was no route.
    pub fn refused(&self) -> u64 {
        self.refused
    }

    /// Returns the number of ICMP errors that came back for the datagrams.
    pub fn errors(&self) -> u64 {
        self.errors
    }

    /// Returns the reason why the sender could not start, if it failed: the port was not free.
    pub fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    /// Sends the next datagram.
    fn send(&mut self, host: &mut HostContext<'_>) {
        let number = self.sent + self.refused;
        let (now, UdpSenderConfig { source_port, destination, payload_bytes, .. }) =
            (host.now(), self.config);
        let sent = host.send_udp_with(source_port, destination, payload_bytes, |payload| {
            write_stamp(payload, 0, number, now);
            payload[STAMP_BYTES..].fill(0);
        });
        match sent {
            Ok(()) => self.sent += 1,
            Err(SendError::NoRoute(_)) => self.refused += 1,
            Err(error) => {
                self.failure = Some(error.to_string());
                return;
            }
        }
        let next = number + 1;
        if next < self.config.count {
            host.wake_at(self.started.saturating_add(self.config.interval.saturating_mul(next)), 0);
        }
    }
}

impl App for UdpSender {
    fn start(&mut self, host: &mut HostContext<'_>) {
        self.started = host.now();
        match host.bind(Binding::Udp(self.config.source_port)) {
            Ok(()) => self.send(host),
            Err(error) => self.failure = Some(error.to_string()),
        }
    }

    fn wake(&mut self, _: u64, host: &mut HostContext<'_>) {
        self.send(host);
    }

    fn receive(&mut self, arrival: &AppEvent<'_>, _: &mut HostContext<'_>) {
        if let AppEvent::Error { .. } = arrival {
            self.errors += 1;
        }
    }

    fn is_self_contained(&self) -> bool {
        true
    }

    fn finished(&self) -> bool {
        self.failure.is_some() || self.sent + self.refused == self.config.count
    }
}

/// A UDP flow that is announced to servers.
#[derive(Clone)]
pub(crate) enum AnnouncedFlow {
    /// The server receives and measures this flow.
    Flow(SharedRecord),
    /// The server sends this flow to the first client that contacts one of the servers.
    Reverse {
        /// The sender, at the server that was contacted first.
        sending: Shared<DatagramSender>,
        /// The client that contacted this server.
        to: Option<(IpAddr, u16)>,
    },
    /// The server answers requests; the rows contain the sizes of the responses, which are sent in
    /// this class.
    Requests(SharedRows, u8),
}

/// A flow that was announced to a server, and possibly to others.
struct KnownFlow {
    flow: AnnouncedFlow,
    /// The index of this server.
    place: u32,
    /// The number of servers.
    servers: u32,
}

impl KnownFlow {
    /// Returns whether the client is gone: only servers refer to its record.
    fn is_client_gone(&self) -> bool {
        match &self.flow {
            AnnouncedFlow::Flow(record) => record.holders() <= self.servers as usize,
            AnnouncedFlow::Reverse { sending, .. } => sending.lock().record().is_unshared(),
            AnnouncedFlow::Requests(rows, _) => rows.holders() <= self.servers as usize,
        }
    }
}

/// Counts the datagrams of senders like [`UdpSender`], and serves the flows announced to it: it
/// measures them, sends them, or answers requests ([`crate::Network::start_udp_flow`],
/// [`crate::Network::start_udp_exchanges`]). It counts as finished, because it does not wait for
/// anything by itself.
pub struct UdpReceiver {
    port: u16,
    /// The flows by number. Never iterated where the order matters.
    flows: FxHashMap<usize, KnownFlow>,
    /// The last number that was assigned.
    number: usize,
    /// The number of flows from which finished flows are removed.
    sweep: usize,
    packets: u64,
    bytes: u64,
    reordered: u64,
    next: u64,
    first: Option<Nanos>,
    last: Option<Nanos>,
    failure: Option<String>,
}

impl UdpReceiver {
    /// Creates a receiver on a port from 1 to 65535; with port 0 its start fails.
    pub fn new(port: u16) -> Self {
        UdpReceiver {
            port,
            flows: FxHashMap::default(),
            number: 0,
            sweep: 16,
            packets: 0,
            bytes: 0,
            reordered: 0,
            next: 0,
            first: None,
            last: None,
            failure: None,
        }
    }

    /// Returns the last number that was assigned; `None` if all numbers are in use.
    pub(crate) fn last_number(&mut self) -> Option<usize> {
        if self.flows.len() >= self.sweep {
            self.flows.retain(|_, flow| !flow.is_client_gone());
            self.sweep = (2 * self.flows.len()).max(16);
        }
        (self.flows.len() < MAX_FLOWS).then_some(self.number)
    }

    /// Returns whether a number from 1 to [`MAX_FLOWS`] is free.
    pub(crate) fn is_free(&self, number: usize) -> bool {
        !self.flows.contains_key(&number)
    }

    /// Adds a flow with this number. This receiver is the server with index `place` of `servers`
    /// servers.
    pub(crate) fn expect(&mut self, number: u64, flow: AnnouncedFlow, place: usize, servers: usize) {
        self.number = number as usize;
        self.flows.insert(self.number, KnownFlow { flow, place: place as u32, servers: servers as u32 });
    }

    /// Returns the number of flows with records: at most twice the number of clients, or 16.
    pub fn flows(&self) -> usize {
        self.flows.len()
    }

    /// Handles an ICMP error about a datagram from this port; `original` begins with its UDP
    /// header.
    fn note_error(&self, original: &[u8]) {
        let flow = original.get(8..).and_then(read_stamp).and_then(|(flow, _, _)| self.flows.get(&flow));
        if let Some(KnownFlow { flow: AnnouncedFlow::Reverse { sending, .. }, .. }) = flow {
            sending.lock().record().lock().report.errors += 1;
        }
    }

    /// Sends the datagrams of a flow that are due.
    fn send(&mut self, flow: usize, host: &mut HostContext<'_>) {
        let Some(KnownFlow { flow: AnnouncedFlow::Reverse { sending, to: Some(to) }, .. }) =
            self.flows.get(&flow)
        else {
            return;
        };
        if let Some(next) = sending.lock().send(self.port, *to, host) {
            host.wake_at(next, flow as u64);
        }
    }

    /// Returns the number of datagrams received.
    pub fn packets(&self) -> u64 {
        self.packets
    }

    /// Returns the bytes of the received datagrams, after their UDP headers.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns the number of datagrams of unannounced flows that have a number below an earlier
    /// one. Only meaningful for a single sender.
    pub fn reordered_datagrams(&self) -> u64 {
        self.reordered
    }

    /// Returns the times of the first and the last received datagram in nanoseconds.
    pub fn receive_times(&self) -> Option<(Nanos, Nanos)> {
        self.first.zip(self.last)
    }

    /// Returns the reason why the receiver could not start, if it failed.
    pub fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }
}

impl App for UdpReceiver {
    fn start(&mut self, host: &mut HostContext<'_>) {
        self.failure = host.bind(Binding::Udp(self.port)).err().map(|error| error.to_string());
    }

    fn wake(&mut self, token: u64, host: &mut HostContext<'_>) {
        self.send(token as usize, host);
    }

    fn receive(&mut self, arrival: &AppEvent<'_>, host: &mut HostContext<'_>) {
        let (from, payload) = match *arrival {
            AppEvent::Udp { from, payload, .. } => (from, payload),
            AppEvent::Error { original, .. } => return self.note_error(original),
            _ => return,
        };
        self.packets += 1;
        self.bytes += payload.len() as u64;
        self.first.get_or_insert(host.now());
        self.last = Some(host.now());
        let Some((flow, number, sent)) = read_stamp(payload) else { return };
        let flow_and_place = self
            .flows
            .get_mut(&flow)
            .map(|flow_and_place| (&mut flow_and_place.flow, flow_and_place.place as usize));
        match flow_and_place {
            Some((AnnouncedFlow::Flow(record), place)) => {
                record.lock().note_arrival(number, sent, host.now(), payload.len(), Some(place));
            }
            Some((AnnouncedFlow::Reverse { sending, to }, place)) => {
                let mut answer = sending.lock();
                if answer.is_started() {
                    return;
                }
                *to = Some(from);
                answer.start(host.now());
                answer.record().lock().report.server = Some(place);
                drop(answer);
                self.send(flow, host);
            }
            Some((AnnouncedFlow::Requests(rows, class), place)) => {
                let class = *class;
                let response = rows.lock().get_mut(number as usize).map(|row| {
                    row.record_server(place);
                    row.note_request(host.now())
                });
                if let Some(response) = response {
                    let mut answer = vec![0; response as usize];
                    answer[..STAMP_BYTES].copy_from_slice(&payload[..STAMP_BYTES]);
                    // Without a route back, the client gets no response, as if the response was
                    // lost.
                    let write = |buffer: &mut [u8]| buffer.copy_from_slice(&answer);
                    let sent = host.send_udp_in_class(self.port, from, class, answer.len(), write);
                    if let Err(SendError::NoRoute(_)) = sent {
                        host.drop_unroutable();
                    }
                }
            }
            None if flow > 0 => {}
            None if number < self.next => self.reordered += 1,
            None => self.next = number.saturating_add(1),
        }
    }

    /// Returns true: hosts whose flows share a record are in one part of the network.
    fn is_self_contained(&self) -> bool {
        true
    }

    fn finished(&self) -> bool {
        true
    }
}
