//! The sending end of a measured flow.

use std::net::IpAddr;

use weir_switch::Nanos;

use super::pattern::Departures;
use super::{FlowReport, MAX_PAYLOAD, MOST_DATAGRAMS, Pattern, STAMP, Shared, stamp};
use crate::app::{App, Arrival, Binding, HostContext, SendError};
use crate::{Error, Random};

/// Wake-ups' tokens.
const SEND: u64 = 0;
const LINGER: u64 = 1;

/// First of the ports that senders get who ask for none (RFC 6335, section 6), and how many there are.
const FIRST_DYNAMIC: u16 = 49152;
const DYNAMIC: u16 = 16384;

/// A measured flow of datagrams.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UdpFlowConfig {
    /// The address and port to send to.
    pub destination: (IpAddr, u16),
    /// The port to send from; by default one of the dynamic ports that is free.
    pub source_port: Option<u16>,
    /// Bytes after the UDP header, 16 to 65507.
    pub payload_bytes: usize,
    /// When datagrams leave. The first does so at the start.
    pub pattern: Pattern,
    /// Nanoseconds from the start after which none leaves any more.
    pub duration: Option<Nanos>,
    /// Most datagrams to send.
    pub datagrams: Option<u64>,
    /// Length of the report's intervals in nanoseconds, 1 µs or more; none keeps no intervals.
    pub interval: Option<Nanos>,
    /// How long, after the last datagram was sent or one arrived, to wait for those that are missing before the flow counts as finished.
    pub linger: Nanos,
    /// Whether to keep a row for each datagram that arrives.
    pub keep_rows: bool,
}

impl UdpFlowConfig {
    /// Datagrams of 1470 bytes at a rate of payload for a time, with a report a second, as iperf has it.
    pub fn new(destination: (IpAddr, u16), bits_per_second: u64, duration: Nanos) -> Self {
        UdpFlowConfig {
            destination,
            source_port: None,
            payload_bytes: 1470,
            pattern: Pattern::Constant { bits_per_second },
            duration: Some(duration),
            datagrams: None,
            interval: Some(1_000_000_000),
            linger: 2_000_000_000,
            keep_rows: false,
        }
    }

    fn check(&self) -> Result<(), Error> {
        let bad = |reason: String| Err(Error::BadApp { app: "udp flow", reason });
        self.pattern.check()?;
        if !(STAMP..=MAX_PAYLOAD).contains(&self.payload_bytes) {
            return bad(format!(
                "{} bytes of payload; expected {STAMP} to {MAX_PAYLOAD}",
                self.payload_bytes
            ));
        }
        if self.duration.is_none() && self.datagrams.is_none() {
            return bad(
                "neither a duration nor a number of datagrams; expected one, or it would never end".into()
            );
        }
        if self.duration == Some(0) || self.datagrams == Some(0) {
            return bad("a duration or number of datagrams of 0; expected 1 or more".into());
        }
        if self.datagrams.is_some_and(|most| most > MOST_DATAGRAMS) {
            return bad(format!("more than {MOST_DATAGRAMS} datagrams"));
        }
        if self.interval.is_some_and(|interval| interval < 1000) {
            return bad("report intervals below 1 µs".into());
        }
        if self.source_port == Some(0) || self.destination.1 == 0 {
            return bad("port 0; expected 1 to 65535".into());
        }
        if self.destination.0.is_unspecified() {
            return bad(format!(
                "destination {}; expected an address that can be sent to",
                self.destination.0
            ));
        }
        Ok(())
    }
}

/// Sends a flow. Made by [`crate::Network::start_udp_flow`].
pub struct UdpFlow {
    config: UdpFlowConfig,
    record: Shared,
    /// Its number at the receiver.
    number: u64,
    departures: Departures,
    port: u16,
    ends: Nanos,
}

impl UdpFlow {
    pub(crate) fn new(config: UdpFlowConfig, record: Shared, random: Random) -> Result<Self, Error> {
        config.check()?;
        {
            let mut record = record.lock();
            record.interval = config.interval;
            record.keep_rows = config.keep_rows;
        }
        Ok(UdpFlow {
            departures: Departures::new(config.pattern, config.payload_bytes, random),
            ends: Nanos::MAX,
            port: 0,
            number: 0,
            record,
            config,
        })
    }

    /// The flow with its number at the receiver.
    pub(crate) fn numbered(self, number: u64) -> Self {
        UdpFlow { number, ..self }
    }

    /// How it was set up.
    pub fn config(&self) -> &UdpFlowConfig {
        &self.config
    }

    /// The port it sends from; 0 before its start.
    pub fn source_port(&self) -> u16 {
        self.port
    }

    /// What is known of the flow so far, at both its ends.
    pub fn report(&self) -> FlowReport {
        self.record.lock().report.clone()
    }

    /// Ends the sending.
    pub fn stop(&mut self) {
        self.config.datagrams = Some(0);
        let mut record = self.record.lock();
        record.sending_done = true;
        record.settled |= record.report.received == record.report.sent;
    }

    /// Gives up the port if the flow has finished.
    pub(crate) fn release(&self, host: &mut HostContext<'_>) {
        if self.finished() {
            host.unbind(Binding::Udp(self.port));
        }
    }

    fn bind(&mut self, host: &mut HostContext<'_>) -> Result<(), String> {
        let candidates = match self.config.source_port {
            Some(port) => port..=port,
            None => FIRST_DYNAMIC..=u16::MAX,
        };
        let count = candidates.len() as u64;
        // Flows to one receiver start their search apart, so that thousands do not all try the same ports.
        let first = self.number % u64::from(DYNAMIC).min(count);
        for step in 0..count {
            let port = candidates.start() + ((first + step) % count) as u16;
            if host.bind(Binding::Udp(port)).is_ok() {
                self.port = port;
                return Ok(());
            }
        }
        Err(match self.config.source_port {
            Some(port) => format!("UDP port {port} is taken on the sending host"),
            None => "the sending host has no UDP port left".to_owned(),
        })
    }

    fn send(&mut self, host: &mut HostContext<'_>) {
        let now = host.now();
        loop {
            let tried = {
                let report = &self.record.lock().report;
                report.sent + report.refused
            };
            let most = self.config.datagrams.unwrap_or(MOST_DATAGRAMS);
            if tried >= most || now >= self.ends {
                return self.done(host);
            }
            let (flow, bytes) = (self.number, self.config.payload_bytes);
            let sent = host.send_udp_with(self.port, self.config.destination, bytes, |payload| {
                stamp(payload, flow, tried, now);
                payload[STAMP..].fill(0);
            });
            match sent {
                Ok(()) => self.record.lock().note_sent(now, bytes),
                Err(SendError::NoRoute(_)) => self.record.lock().report.refused += 1,
                Err(error) => return self.fail(error.to_string()),
            }
            let next = self.departures.next();
            if tried + 1 >= most || next >= self.ends {
                return self.done(host);
            }
            if next > now {
                host.wake_at(next, SEND);
                return;
            }
        }
    }

    fn fail(&mut self, failure: String) {
        let mut record = self.record.lock();
        record.report.failure = Some(failure);
        (record.sending_done, record.settled) = (true, true);
    }

    /// The last datagram has been sent.
    fn done(&mut self, host: &mut HostContext<'_>) {
        {
            let mut record = self.record.lock();
            record.sending_done = true;
            record.settled |= record.report.received == record.report.sent;
        }
        self.linger(host);
    }

    /// Waits for what is missing, from the last that was heard of the flow on.
    fn linger(&mut self, host: &mut HostContext<'_>) {
        let mut record = self.record.lock();
        let heard = record.report.arrivals.map(|(_, last)| last).max(record.report.last_sent).unwrap_or(0);
        let until = heard.saturating_add(self.config.linger);
        if !record.settled && host.now() < until {
            host.wake_at(until, LINGER);
            return;
        }
        record.settled = true;
        drop(record);
        host.unbind(Binding::Udp(self.port));
    }
}

impl App for UdpFlow {
    fn start(&mut self, host: &mut HostContext<'_>) {
        let now = host.now();
        self.record.lock().report.started = now;
        self.ends = self.config.duration.map_or(Nanos::MAX, |duration| now.saturating_add(duration));
        match self.bind(host) {
            Ok(()) => {
                self.departures.start(now);
                self.send(host);
            }
            Err(failure) => self.fail(failure),
        }
    }

    fn wake(&mut self, token: u64, host: &mut HostContext<'_>) {
        match token {
            SEND => self.send(host),
            _ => self.linger(host),
        }
    }

    fn receive(&mut self, arrival: &Arrival<'_>, _: &mut HostContext<'_>) {
        if let Arrival::Error { .. } = arrival {
            self.record.lock().report.errors += 1;
        }
    }

    fn finished(&self) -> bool {
        self.record.lock().settled
    }
}
