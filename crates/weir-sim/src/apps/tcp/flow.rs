//! The client of a TCP bulk flow.

use weir_tcp::{Algorithm, Closed, Event, Keep};

use super::sender::Sender;
use super::{Announced, ConnectionKey, Expected, ServerRegistry, TcpFlowConfig, TcpReport};
use crate::apps::shared::Shared;
use crate::host::app::{App, HostContext};
use crate::host::socket::{AppEvent, TcpEvent};
use crate::{AppId, Error, Random, SocketId};

/// The client of a flow. Created by [`crate::Network::start_tcp_flow`].
pub struct TcpFlow {
    config: TcpFlowConfig,
    registry: ServerRegistry,
    report: Shared<TcpReport>,
    socket: Option<SocketId>,
    /// The key announced to the servers.
    client: Option<ConnectionKey>,
    /// The sender; `None` in a reverse flow.
    sender: Option<Box<Sender>>,
    /// The sender of a reverse flow, until the connection is opened.
    answer: Option<Box<Sender>>,
    /// The servers, one of which accepts the connection.
    servers: Vec<AppId>,
    /// Whether the flow was stopped before its start.
    stopped: bool,
}

impl TcpFlow {
    pub(crate) fn new(
        config: TcpFlowConfig,
        registry: ServerRegistry,
        servers: Vec<AppId>,
        random: Random,
    ) -> Result<Self, Error> {
        config.check()?;
        let report = Shared::<TcpReport>::default();
        {
            let mut report = report.lock();
            (report.interval, report.traced) = (config.interval, config.trace);
        }
        let sender = Box::new(Sender::new(config.clone(), report.clone(), random));
        let (sender, answer) = if config.reverse { (None, Some(sender)) } else { (Some(sender), None) };
        Ok(TcpFlow {
            config,
            registry,
            report,
            socket: None,
            client: None,
            sender,
            answer,
            servers,
            stopped: false,
        })
    }

    /// Returns the settings of the flow.
    pub fn config(&self) -> &TcpFlowConfig {
        &self.config
    }

    /// Returns the record of this flow, which identifies its sender at the server.
    pub(crate) fn record(&self) -> &Shared<TcpReport> {
        &self.report
    }

    /// Returns the application of the server that accepted the connection.
    pub(crate) fn server(&self) -> Option<AppId> {
        self.servers.get(self.report.lock().server?).copied()
    }

    /// Returns the connection; `None` before its start and after its end.
    pub fn socket(&self) -> Option<SocketId> {
        self.socket
    }

    /// Returns the report of both ends. [`crate::Network::tcp_report`] updates it first.
    pub fn report(&self) -> TcpReport {
        self.report.lock().clone()
    }

    /// Sets the pacing rate, which has been checked.
    pub(crate) fn pace(&mut self, rate: Option<u64>, host: &mut HostContext<'_>) {
        if let Some(sender) = &mut self.sender {
            sender.pace(rate, host);
        }
    }

    /// Updates the report, if the client sends.
    pub(crate) fn update_report(&mut self, host: &mut HostContext<'_>) {
        if let Some(sender) = &self.sender {
            sender.update_report(host);
        }
    }

    /// Reads bytes that the server sent, which count as received in a reverse flow.
    fn read(&mut self, socket: SocketId, host: &mut HostContext<'_>) {
        let bytes = host.tcp_discard(socket);
        if self.config.reverse && bytes > 0 {
            self.report.lock().note_received(host.now(), bytes);
        }
    }
}

impl App for TcpFlow {
    fn start(&mut self, host: &mut HostContext<'_>) {
        let config = self.config.options.apply_to(host.tcp_defaults());
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
        let class = self.config.options.class;
        host.tcp_set_class(socket, class);
        let ends = host.tcp_ends(socket);
        self.report.lock().ends = ends;
        self.client = ConnectionKey::opening(socket, host);
        if let Some(client) = self.client {
            let expected = Expected::Flow(self.report.clone(), self.answer.take());
            self.registry.announce(client, Announced { expected, class });
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

    fn receive(&mut self, arrival: &AppEvent<'_>, host: &mut HostContext<'_>) {
        if let AppEvent::SynOptions { ip_options, .. } = *arrival {
            self.report.lock().ip_options = ip_options.to_vec();
            return;
        }
        let AppEvent::Tcp { socket, event: TcpEvent::Connection(event) } = *arrival else { return };
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
                    sender.handle_end(host);
                }
                self.socket = None;
                let mut report = self.report.lock();
                report.closed = Some(closed);
                report.ended = Some(host.now());
                if let Some(client) = self.client.take() {
                    self.registry.withdraw(&client);
                }
            }
        }
    }

    /// Discards unsent data. In a reverse flow the client closes, and the server then stops.
    fn stop(&mut self, host: &mut HostContext<'_>) {
        self.stopped = true;
        match (&mut self.sender, self.socket) {
            (Some(sender), Some(_)) => sender.stop(host),
            (None, Some(socket)) => host.tcp_close(socket),
            (_, None) => {}
        }
    }

    /// Returns true unless the congestion control is the caller's own. Both ends write different
    /// parts of the report, and neither reads what the other end wrote in the same window. If there
    /// are several servers, all hosts are in one part of the network.
    fn is_self_contained(&self) -> bool {
        !matches!(self.config.options.congestion, Some(Algorithm::Custom(_)))
    }

    fn finished(&self) -> bool {
        let report = self.report.lock();
        report.closed.is_some() || report.failure.is_some()
    }
}
