//! A bulk flow: as many bytes as a time or a number allows.

use std::net::IpAddr;

use weir_device::Nanos;
use weir_tcp::{Closed, Event, Info, Keep, TraceRow};

use super::sender::Sender;
use super::{Client, Expected, Registers, TcpOptions};
use crate::app::flow::Pattern;
use crate::app::held::Held;
use crate::app::{App, Arrival, HostContext, TcpEvent};
use crate::{AppId, Error, Random, SocketId};

/// An application that does not offer all it has to send at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offer {
    /// When it offers some: at the beginning, and whenever the pattern has a departure. What there is no room for waits.
    pub pattern: Pattern,
    /// How many bytes it offers each time, 1 or more.
    pub bytes: usize,
}

/// A flow over TCP.
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
    /// Whether the server sends, and the client, which opens the connection, receives.
    pub reverse: bool,
    /// How the application offers its bytes; all at once if none.
    pub offer: Option<Offer>,
    /// Settings other than the host's; of a flow in reverse, congestion control, window and pacing are the server's.
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
            reverse: false,
            offer: None,
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
        if let Some(offer) = &self.offer {
            offer.pattern.check()?;
            if offer.bytes == 0 {
                return bad("0 bytes offered at a time; expected 1 or more");
            }
        }
        self.options.check("tcp flow")
    }
}

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
    interval: Option<Nanos>,
    traced: bool,
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

/// The client's end of a flow. Made by [`crate::Network::start_tcp_flow`].
pub struct TcpFlow {
    config: TcpFlowConfig,
    registers: Registers,
    report: Held<TcpReport>,
    socket: Option<SocketId>,
    /// What the servers were told of.
    client: Option<Client>,
    /// None if the server sends.
    sender: Option<Box<Sender>>,
    /// Who sends in reverse, until the connection is opened.
    answer: Option<Box<Sender>>,
    /// Those of which one accepts the connection.
    servers: Vec<AppId>,
    /// Ended before it began.
    stopped: bool,
}

impl TcpFlow {
    pub(crate) fn new(
        config: TcpFlowConfig,
        registers: Registers,
        servers: Vec<AppId>,
        random: Random,
    ) -> Result<Self, Error> {
        config.check()?;
        let report = Held::<TcpReport>::default();
        {
            let mut report = report.lock();
            (report.interval, report.traced) = (config.interval, config.trace);
        }
        let sender = Box::new(Sender::new(config.clone(), report.clone(), random));
        let (sender, answer) = if config.reverse { (None, Some(sender)) } else { (Some(sender), None) };
        Ok(TcpFlow {
            config,
            registers,
            report,
            socket: None,
            client: None,
            sender,
            answer,
            servers,
            stopped: false,
        })
    }

    /// How it was set up.
    pub fn config(&self) -> &TcpFlowConfig {
        &self.config
    }

    /// The record of this flow, which tells its sender at the server from others.
    pub(crate) fn record(&self) -> &Held<TcpReport> {
        &self.report
    }

    /// The application of the server that accepted the connection.
    pub(crate) fn server(&self) -> Option<AppId> {
        self.servers.get(self.report.lock().server?).copied()
    }

    /// The connection; none before its start and after its end.
    pub fn socket(&self) -> Option<SocketId> {
        self.socket
    }

    /// What is known of the flow so far, at both its ends. [`crate::Network::tcp_report`] brings it up to now first.
    pub fn report(&self) -> TcpReport {
        self.report.lock().clone()
    }

    /// Paces what is sent from now on; the rate has been checked.
    pub(crate) fn pace(&mut self, rate: Option<u64>, host: &mut HostContext<'_>) {
        if let Some(sender) = &mut self.sender {
            sender.pace(rate, host);
        }
    }

    /// Brings the report up to now, where the client sends.
    pub(crate) fn look(&mut self, host: &mut HostContext<'_>) {
        if let Some(sender) = &self.sender {
            sender.look(host);
        }
    }

    fn read(&mut self, socket: SocketId, host: &mut HostContext<'_>) {
        let bytes = host.tcp_discard(socket);
        if self.config.reverse && bytes > 0 {
            self.report.lock().note_received(host.now(), bytes);
        }
    }
}

impl App for TcpFlow {
    fn start(&mut self, host: &mut HostContext<'_>) {
        let config = self.config.options.applied(host.tcp_defaults());
        let config = weir_tcp::Config { keep: Keep::Count, ..config };
        self.report.lock().started = host.now();
        if self.stopped {
            self.report.lock().closed = Some(Closed::Aborted);
            return;
        }
        let socket = match host.tcp_connect(self.config.destination, config, &self.config.ip_options) {
            Ok(socket) => socket,
            Err(error) => {
                self.report.lock().failure = Some(error.to_string());
                return;
            }
        };
        self.socket = Some(socket);
        let ends = host.tcp_ends(socket);
        self.report.lock().ends = ends;
        self.client = Client::opening(socket, host);
        if let Some(client) = self.client {
            self.registers.announce(client, Expected::Flow(self.report.clone(), self.answer.take()));
        }
        if let Some(sender) = &mut self.sender {
            sender.begin(socket, 0, host);
        }
    }

    fn wake(&mut self, token: u64, host: &mut HostContext<'_>) {
        if let Some(sender) = &mut self.sender {
            sender.wake(token, host);
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
                self.report.lock().connected = Some(host.now());
                if let Some(sender) = &mut self.sender {
                    sender.connected(host);
                }
            }
            Event::Writable => {
                if let Some(sender) = &mut self.sender {
                    sender.write(host);
                }
            }
            Event::Readable => self.read(socket, host),
            Event::PeerClosed => {
                self.read(socket, host);
                if self.config.reverse {
                    host.tcp_close(socket);
                }
            }
            Event::Closed(closed) => {
                self.read(socket, host);
                if let Some(sender) = &mut self.sender {
                    sender.over(host);
                }
                self.socket = None;
                let mut report = self.report.lock();
                report.closed = Some(closed);
                report.ended = Some(host.now());
                if let Some(client) = self.client.take() {
                    self.registers.withdraw(&client);
                }
            }
        }
    }

    /// What has not left is not sent. In reverse the client closes, and the server ends as soon as it hears of that.
    fn stop(&mut self, host: &mut HostContext<'_>) {
        self.stopped = true;
        match (&mut self.sender, self.socket) {
            (Some(sender), Some(_)) => sender.stop(host),
            (None, Some(socket)) => host.tcp_close(socket),
            (_, None) => {}
        }
    }

    fn finished(&self) -> bool {
        let report = self.report.lock();
        report.closed.is_some() || report.failure.is_some()
    }
}
