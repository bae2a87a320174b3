//! The client of a measured UDP flow. It sends, or in a reverse flow it asks the server to send.

use weir_device::Nanos;

use super::datagram_sender::DatagramSender;
use super::{FlowReport, STAMP_BYTES, SharedRecord, UdpFlowConfig, read_stamp, write_stamp};
use crate::Random;
use crate::host::app::{App, HostContext};
use crate::host::socket::{AppEvent, Binding};

/// The token of the wake-up at which the client sends.
const SEND_TOKEN: u64 = 0;
/// The token of the wake-up at which the client checks whether the server has finished.
const FINISH_CHECK_TOKEN: u64 = 1;
/// The token of the wake-up at which the client repeats its request.
const REQUEST_TOKEN: u64 = 2;

/// The number of requests that a client sends to a server that does not answer, and the time
/// between two requests in nanoseconds.
const MAX_REQUESTS: u32 = 10;
const REQUEST_INTERVAL: Nanos = 1_000_000_000;
/// The minimum interval at which a client checks whether the server has finished, in nanoseconds.
const CHECK_INTERVAL: Nanos = 100_000_000;

/// The first dynamic port (RFC 6335, section 6), and the number of dynamic ports.
const FIRST_DYNAMIC_PORT: u16 = 49152;
/// The number of dynamic ports.
const DYNAMIC_PORTS: u16 = 16384;

/// The client of a flow. Created by [`crate::Network::start_udp_flow`].
pub struct UdpFlow {
    config: UdpFlowConfig,
    record: SharedRecord,
    /// The flow number at the servers.
    number: u64,
    /// `None` in a reverse flow.
    sending: Option<DatagramSender>,
    requests_sent: u32,
    port: u16,
}

impl UdpFlow {
    /// Creates a flow with this number at the servers, and its sender for the server in a reverse
    /// flow.
    pub(crate) fn new(
        config: UdpFlowConfig,
        record: SharedRecord,
        number: u64,
        random: Random,
    ) -> (Self, Option<DatagramSender>) {
        {
            let mut record = record.lock();
            record.interval = config.interval;
            record.keep_rows = config.keep_rows;
        }
        let sending = DatagramSender::new(&config, record.clone(), number, random);
        let (sending, answer) = if config.reverse { (None, Some(sending)) } else { (Some(sending), None) };
        (UdpFlow { config, record, number, sending, requests_sent: 0, port: 0 }, answer)
    }

    /// Returns the settings of the flow.
    pub fn config(&self) -> &UdpFlowConfig {
        &self.config
    }

    /// Returns the client's UDP port; 0 before its start.
    pub fn source_port(&self) -> u16 {
        self.port
    }

    /// Returns the current report of both ends.
    pub fn report(&self) -> FlowReport {
        self.record.lock().report.clone()
    }

    /// Unbinds the port if the flow has finished.
    pub(crate) fn release(&self, host: &mut HostContext<'_>) {
        if self.finished() {
            host.unbind(Binding::Udp(self.port));
        }
    }

    /// Binds the flow's source port, or a port that depends on the flow's number.
    fn bind(&mut self, host: &mut HostContext<'_>) -> Result<(), String> {
        let port = bind_port(self.config.source_port, self.number, host);
        self.port = port.ok_or_else(|| match self.config.source_port {
            Some(port) => format!("UDP port {port} of the client's host is in use"),
            None => "the client's host has no free UDP port".to_owned(),
        })?;
        Ok(())
    }

    /// Sends the datagrams that are due.
    fn send(&mut self, host: &mut HostContext<'_>) {
        let Some(sending) = &mut self.sending else { return };
        match sending.send(self.port, self.config.destination, host) {
            Some(next) => host.wake_at(next, SEND_TOKEN),
            None => self.wait_for_missing(host),
        }
    }

    /// Asks the server to send, until the first datagram arrives.
    fn send_request(&mut self, host: &mut HostContext<'_>) {
        {
            let record = self.record.lock();
            if record.report.arrivals.is_some() || record.settled {
                return;
            }
        }
        if self.requests_sent == MAX_REQUESTS {
            return self.fail(format!("no datagram arrived after {MAX_REQUESTS} requests to the server"));
        }
        self.requests_sent += 1;
        let mut payload = [0; STAMP_BYTES];
        write_stamp(&mut payload, self.number, 0, host.now());
        let UdpFlowConfig { destination, class, .. } = self.config;
        let write = |buffer: &mut [u8]| buffer.copy_from_slice(&payload);
        match host.send_udp_in_class(self.port, destination, class, STAMP_BYTES, write) {
            Ok(()) => host.wake_at(host.now().saturating_add(REQUEST_INTERVAL), REQUEST_TOKEN),
            Err(error) => self.fail(error.to_string()),
        }
    }

    /// Records why the flow failed.
    fn fail(&mut self, failure: String) {
        self.record.lock().fail(failure);
    }

    /// Waits for missing datagrams until `linger` after the last one was sent or received.
    fn wait_for_missing(&mut self, host: &mut HostContext<'_>) {
        let mut record = self.record.lock();
        let heard = record.report.arrivals.map(|(_, last)| last).max(record.report.last_sent).unwrap_or(0);
        let until = heard.saturating_add(self.config.linger);
        if !record.settled && (!record.sending_done || host.now() < until) {
            // The client is not notified when the server has finished.
            let again =
                if record.sending_done { until } else { host.now() + self.config.linger.max(CHECK_INTERVAL) };
            host.wake_at(again, FINISH_CHECK_TOKEN);
            return;
        }
        record.settled = true;
        drop(record);
        host.unbind(Binding::Udp(self.port));
    }
}

/// Binds the wanted port, or a free dynamic port; returns `None` if no port is free. Searches with
/// different numbers start at different ports, so that thousands of flows do not all try the same
/// ones.
pub(crate) fn bind_port(wanted: Option<u16>, number: u64, host: &mut HostContext<'_>) -> Option<u16> {
    let candidates = wanted.map_or(FIRST_DYNAMIC_PORT..=u16::MAX, |port| port..=port);
    let count = candidates.len() as u64;
    let first = number % u64::from(DYNAMIC_PORTS).min(count);
    let mut ports = (0..count).map(|step| candidates.start() + ((first + step) % count) as u16);
    ports.find(|port| host.bind(Binding::Udp(*port)).is_ok())
}

impl App for UdpFlow {
    fn start(&mut self, host: &mut HostContext<'_>) {
        let now = host.now();
        self.record.lock().report.started = now;
        if let Err(failure) = self.bind(host) {
            return self.fail(failure);
        }
        match &mut self.sending {
            Some(sending) => {
                sending.start(now);
                self.send(host);
            }
            None => {
                self.send_request(host);
                self.wait_for_missing(host);
            }
        }
    }

    fn wake(&mut self, token: u64, host: &mut HostContext<'_>) {
        match token {
            SEND_TOKEN => self.send(host),
            REQUEST_TOKEN => self.send_request(host),
            _ => self.wait_for_missing(host),
        }
    }

    fn receive(&mut self, arrival: &AppEvent<'_>, host: &mut HostContext<'_>) {
        match *arrival {
            AppEvent::Udp { payload, .. } if self.config.reverse => {
                if let Some((_, number, sent)) =
                    read_stamp(payload).filter(|(flow, _, _)| *flow as u64 == self.number)
                {
                    self.record.lock().note_arrival(number, sent, host.now(), payload.len(), None);
                }
            }
            AppEvent::Error { .. } => self.record.lock().report.errors += 1,
            _ => {}
        }
    }

    fn stop(&mut self, _: &mut HostContext<'_>) {
        self.record.lock().note_all_sent();
    }

    /// Returns true: all hosts of the flow are in one part of the network.
    fn is_self_contained(&self) -> bool {
        true
    }

    fn finished(&self) -> bool {
        self.record.lock().settled
    }
}
