//! A bulk flow: as many bytes as a time or a number allows.

use std::net::IpAddr;

use weir_switch::Nanos;
use weir_tcp::{Closed, Event, Info, Keep, Pacing, TraceRow};

use super::{Expected, Held, Register, TcpOptions};
use crate::app::{App, Arrival, Data, HostContext, TcpEvent};
use crate::{Error, SocketId};

/// Wake-ups' tokens.
const TICK: u64 = 0;
const END: u64 = 1;

/// A bulk flow over TCP.
#[derive(Clone, Debug)]
pub struct TcpFlowConfig {
    /// The address and port to connect to.
    pub destination: (IpAddr, u16),
    /// Nanoseconds from the start after which nothing more is written. What has not left by then is not sent.
    pub duration: Option<Nanos>,
    /// Bytes to send. One of the two must be given.
    pub bytes: Option<u64>,
    /// Length of the report's intervals in nanoseconds, 1 µs or more; none keeps no intervals.
    pub interval: Option<Nanos>,
    /// Settings other than the host's.
    pub options: TcpOptions,
    /// IPv4 options of the SYN.
    pub ip_options: Vec<u8>,
    /// Whether to keep a trace: a row for each segment sent and each acknowledgement.
    pub trace: bool,
}

impl TcpFlowConfig {
    /// A flow of so many nanoseconds with a report a second.
    pub fn new(destination: (IpAddr, u16), duration: Nanos) -> Self {
        TcpFlowConfig {
            destination,
            duration: Some(duration),
            bytes: None,
            interval: Some(1_000_000_000),
            options: TcpOptions::default(),
            ip_options: Vec::new(),
            trace: false,
        }
    }

    fn check(&self) -> Result<(), Error> {
        let bad = |reason: &str| Err(Error::BadApp { app: "tcp flow", reason: reason.to_owned() });
        if self.duration.is_none() && self.bytes.is_none() {
            return bad("neither a duration nor a number of bytes; expected one, or it would never end");
        }
        if self.duration == Some(0) || self.bytes == Some(0) {
            return bad("a duration or number of bytes of 0; expected 1 or more");
        }
        if self.interval.is_some_and(|interval| interval < 1000) {
            return bad("report intervals below 1 µs");
        }
        if self.destination.1 == 0 {
            return bad("port 0; expected 1 to 65535");
        }
        self.options.check("tcp flow")
    }
}

/// What happened in one interval of a flow, counted from its start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TcpInterval {
    /// Bytes that the server's application received in it.
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
    /// Bytes that the server's application received.
    pub received: u64,
    /// When the first and the last of them came.
    pub arrivals: Option<(Nanos, Nanos)>,
    /// The connection's figures as they last were.
    pub info: Option<Info>,
    /// By interval from the start.
    pub intervals: Vec<TcpInterval>,
    /// The IPv4 options of the server's SYN-ACK, as they came; empty if there were none.
    pub ip_options: Vec<u8>,
    /// The trace; empty unless asked for.
    pub trace: Vec<TraceRow>,
    /// Why it could not start, if it could not.
    pub failure: Option<String>,
    interval: Option<Nanos>,
}

impl TcpReport {
    fn interval_at(&mut self, time: Nanos) -> Option<&mut TcpInterval> {
        let place = (time.saturating_sub(self.started) / self.interval?) as usize;
        if self.intervals.len() <= place {
            self.intervals.resize(place + 1, TcpInterval::default());
        }
        Some(&mut self.intervals[place])
    }

    /// The server's application received bytes.
    pub(super) fn note_received(&mut self, now: Nanos, bytes: u64) {
        self.received += bytes;
        self.arrivals = Some((self.arrivals.map_or(now, |(first, _)| first), now));
        if let Some(interval) = self.interval_at(now) {
            interval.received += bytes;
        }
    }

    /// Notes how the connection stands, in the interval of a time.
    fn note_info(&mut self, time: Nanos, info: Info) {
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

/// The client's end of a bulk flow. Made by [`crate::Network::start_tcp_flow`].
pub struct TcpFlow {
    config: TcpFlowConfig,
    register: Register,
    report: Held<TcpReport>,
    socket: Option<SocketId>,
    unwritten: u64,
    connected: bool,
    closing: bool,
}

impl TcpFlow {
    pub(crate) fn new(config: TcpFlowConfig, register: Register) -> Result<Self, Error> {
        config.check()?;
        let report = Held::<TcpReport>::default();
        report.lock().interval = config.interval;
        Ok(TcpFlow {
            unwritten: config.bytes.unwrap_or(u64::MAX),
            config,
            register,
            report,
            socket: None,
            connected: false,
            closing: false,
        })
    }

    /// How it was set up.
    pub fn config(&self) -> &TcpFlowConfig {
        &self.config
    }

    /// The connection; none before its start and after its end.
    pub fn socket(&self) -> Option<SocketId> {
        self.socket
    }

    /// What is known of the flow so far, at both its ends.
    pub fn report(&self) -> TcpReport {
        self.report.lock().clone()
    }

    /// Ends the sending: what has not left is not sent.
    pub fn stop(&mut self, host: &mut HostContext<'_>) {
        self.unwritten = 0;
        self.closing = true;
        if let Some(socket) = self.socket {
            host.tcp_take_back(socket);
            host.tcp_release(socket);
        }
    }

    /// Paces what is sent from now on at this rate, in bits of IP packets per second; none leaves it to the congestion control.
    ///
    /// # Errors
    /// A rate of 0.
    pub fn pace(&mut self, rate: Option<u64>, host: &mut HostContext<'_>) -> Result<(), Error> {
        let options = TcpOptions { pacing: rate, ..self.config.options.clone() };
        options.check("tcp flow")?;
        self.config.options = options;
        if let Some(socket) = self.socket {
            host.tcp_set_pacing(socket, rate.map_or(Pacing::Controller, Pacing::Rate));
        }
        Ok(())
    }

    /// Brings the report up to now.
    pub fn look(&mut self, host: &mut HostContext<'_>) {
        let Some(socket) = self.socket else { return };
        let (now, info) = (host.now(), host.tcp_info(socket));
        let rows = if self.config.trace { host.tcp_take_trace(socket) } else { Vec::new() };
        let mut report = self.report.lock();
        report.trace.extend(rows);
        if let Some(info) = info {
            report.note_info(now, info);
        }
    }

    fn write(&mut self, host: &mut HostContext<'_>) {
        let Some(socket) = self.socket else { return };
        if self.unwritten > 0 {
            self.unwritten -= host.tcp_write(socket, Data::Pattern(self.unwritten)).unwrap_or(0);
        }
        if self.unwritten == 0 && !self.closing {
            self.closing = true;
            host.tcp_release(socket);
        }
    }

    /// An interval ends: how the connection stands belongs to it.
    fn tick(&mut self, host: &mut HostContext<'_>) {
        let (Some(socket), Some(interval)) = (self.socket, self.config.interval) else { return };
        let now = host.now();
        if let Some(info) = host.tcp_info(socket) {
            self.report.lock().note_info(now - 1, info);
        }
        host.wake_at(now.saturating_add(interval), TICK);
    }
}

impl App for TcpFlow {
    fn start(&mut self, host: &mut HostContext<'_>) {
        let now = host.now();
        let config = self.config.options.applied(host.tcp_defaults());
        let config = weir_tcp::Config { keep: Keep::Count, ..config };
        let opened = host.tcp_connect(self.config.destination, config, &self.config.ip_options);
        {
            let mut report = self.report.lock();
            report.started = now;
            match opened {
                Ok(socket) => {
                    self.socket = Some(socket);
                    report.ends = host.tcp_ends(socket);
                    if let Some([own, _]) = report.ends {
                        self.register.lock().insert(own, Expected::Flow(self.report.clone()));
                    }
                    if self.config.trace {
                        host.tcp_trace(socket, true);
                    }
                }
                Err(error) => report.failure = Some(error.to_string()),
            }
        }
        if self.socket.is_some() {
            if let Some(interval) = self.config.interval {
                host.wake_at(now.saturating_add(interval), TICK);
            }
            if let Some(duration) = self.config.duration {
                host.wake_at(now.saturating_add(duration), END);
            }
        }
    }

    fn wake(&mut self, token: u64, host: &mut HostContext<'_>) {
        match token {
            TICK => self.tick(host),
            _ if !self.closing && self.connected => self.stop(host),
            _ => {}
        }
    }

    fn receive(&mut self, arrival: &Arrival<'_>, host: &mut HostContext<'_>) {
        if let Arrival::SynOptions { ip_options, .. } = *arrival {
            self.report.lock().ip_options = ip_options.to_vec();
            return;
        }
        let Arrival::Tcp { socket, event: TcpEvent::Of(event) } = *arrival else { return };
        if Some(socket) != self.socket {
            return;
        }
        match event {
            Event::Connected => {
                self.connected = true;
                let now = host.now();
                let started = {
                    let mut report = self.report.lock();
                    report.connected = Some(now);
                    report.started
                };
                let late =
                    self.config.duration.is_some_and(|duration| now >= started.saturating_add(duration));
                if late { self.stop(host) } else { self.write(host) }
            }
            Event::Writable => self.write(host),
            Event::Closed(closed) => {
                self.look(host);
                self.socket = None;
                let mut report = self.report.lock();
                report.closed = Some(closed);
                report.ended = Some(host.now());
                if let Some([own, _]) = report.ends {
                    self.register.lock().remove(&own);
                }
            }
            Event::Readable => {
                host.tcp_discard(socket);
            }
            Event::PeerClosed => {}
        }
    }

    fn finished(&self) -> bool {
        let report = self.report.lock();
        report.closed.is_some() || report.failure.is_some()
    }
}
