//! The server of TCP traffic.

use std::collections::BTreeMap;

use weir_tcp::{Closed, Event, Keep};

use super::sender::Sender;
use super::{Announced, ConnectionKey, Expected, ExpectedConnections, TcpReport};
use crate::SocketId;
use crate::apps::exchange::SharedRows;
use crate::apps::shared::Shared;
use crate::host::app::{App, HostContext};
use crate::host::socket::{AppEvent, Data, TcpEvent};

/// The purpose of a connection of the server.
enum Purpose {
    /// The server receives a flow.
    Flow(Shared<TcpReport>),
    /// The server sends a reverse flow.
    Reverse(Box<Sender>),
    /// The server answers requests.
    Exchanges {
        rows: SharedRows,
        /// The row of the connection's first request.
        first: usize,
        /// The row of the current request, and the number of its bytes that have arrived.
        row: usize,
        received: u64,
    },
    /// The connection was not announced.
    Unknown,
}

struct ServedConnection {
    purpose: Purpose,
    /// The index of this server.
    place: usize,
    /// The number of response bytes that have not been written.
    unwritten: u64,
    /// Whether the client has closed its direction.
    closing: bool,
}

/// Accepts connections at a port, receives flows, sends reverse flows, and answers requests. It
/// counts as finished, because it only reacts to clients.
pub struct TcpServer {
    port: u16,
    register: ExpectedConnections,
    served: BTreeMap<SocketId, ServedConnection>,
    /// The connections with a sender, by the order of acceptance, which selects the tokens of
    /// wake-ups.
    senders: BTreeMap<u64, SocketId>,
    accepted: u64,
    received: u64,
    reflects: bool,
    failure: Option<String>,
}

impl TcpServer {
    /// Creates a server at a port from 1 to 65535; at port 0 its start fails.
    pub fn new(port: u16) -> Self {
        TcpServer {
            port,
            register: ExpectedConnections::default(),
            served: BTreeMap::new(),
            senders: BTreeMap::new(),
            accepted: 0,
            received: 0,
            reflects: false,
            failure: None,
        }
    }

    /// Returns the registry of connections that the server expects.
    pub(crate) fn register(&self) -> ExpectedConnections {
        self.register.clone()
    }

    /// Whether the SYN-ACK repeats the IPv4 options of the SYN from now on.
    pub fn reflect_options(&mut self, on: bool) {
        self.reflects = on;
    }

    /// Returns the number of connections accepted so far.
    pub fn accepted(&self) -> u64 {
        self.accepted
    }

    /// Returns the number of open connections.
    pub fn open_connections(&self) -> usize {
        self.served.len()
    }

    /// Returns the number of bytes received so far on all connections.
    pub fn received(&self) -> u64 {
        self.received
    }

    /// Returns the reason why the server could not start, if it failed.
    pub fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    /// Returns the sender of the flow with this record.
    pub(crate) fn sender(&mut self, record: &Shared<TcpReport>) -> Option<&mut Sender> {
        self.served.values_mut().find_map(|served| match &mut served.purpose {
            Purpose::Reverse(sender) if sender.record().same_as(record) => Some(sender.as_mut()),
            _ => None,
        })
    }

    /// Accepts a connection, for the purpose that its client registered.
    fn accept(&mut self, socket: SocketId, host: &mut HostContext<'_>) {
        self.accepted += 1;
        let expected =
            ConnectionKey::of_accepted(socket, host).and_then(|client| self.register.take(&client));
        let (expected, place) = expected.map_or((None, 0), |(Announced { expected, class }, place)| {
            host.tcp_set_class(socket, class);
            (Some(expected), place)
        });
        if let Some(Expected::Flow(report, _)) = &expected {
            report.lock().server = Some(place);
        }
        let purpose = match expected {
            Some(Expected::Flow(report, None)) => Purpose::Flow(report),
            Some(Expected::Flow(_, Some(mut sender))) => {
                self.senders.insert(self.accepted, socket);
                sender.begin_accepted(socket, self.accepted * Sender::TOKENS, host);
                Purpose::Reverse(sender)
            }
            Some(Expected::Exchanges(rows, row)) => {
                // Responses must not wait for acknowledgements that the client delays.
                host.tcp_set_nagle(socket, false);
                Purpose::Exchanges { rows, first: row, row, received: 0 }
            }
            None => Purpose::Unknown,
        };
        self.served.insert(socket, ServedConnection { purpose, place, unwritten: 0, closing: false });
    }

    /// Reads the bytes that a client sent.
    fn read(&mut self, socket: SocketId, host: &mut HostContext<'_>) {
        let mut bytes = host.tcp_discard(socket);
        self.received += bytes;
        let Some(served) = self.served.get_mut(&socket) else { return };
        match &mut served.purpose {
            Purpose::Flow(report) if bytes > 0 => report.lock().note_received(host.now(), bytes),
            Purpose::Exchanges { rows, row, received, .. } => {
                let mut rows = rows.lock();
                // One segment may contain several requests; a request without bytes is answered
                // with the next one.
                while let Some(exchange) = rows.get_mut(*row) {
                    let step = bytes.min(exchange.request - *received);
                    *received += step;
                    bytes -= step;
                    if step > 0 {
                        exchange.record_server(served.place);
                    }
                    if *received < exchange.request {
                        break;
                    }
                    served.unwritten += exchange.note_request(host.now());
                    (*row, *received) = (*row + 1, 0);
                    if bytes == 0 {
                        break;
                    }
                }
            }
            Purpose::Flow(_) | Purpose::Reverse(_) | Purpose::Unknown => {}
        }
        self.write(socket, host);
    }

    /// Writes more of the data that a client receives.
    fn write(&mut self, socket: SocketId, host: &mut HostContext<'_>) {
        let Some(served) = self.served.get_mut(&socket) else { return };
        if let Purpose::Reverse(sender) = &mut served.purpose {
            // A client that has closed its direction expects no more data.
            return if served.closing { sender.stop(host) } else { sender.write(host) };
        }
        if served.unwritten > 0 {
            served.unwritten -= host.tcp_write(socket, Data::Pattern(served.unwritten)).unwrap_or(0);
        }
        if served.closing && served.unwritten == 0 {
            host.tcp_release(socket);
        }
    }
}

impl App for TcpServer {
    fn start(&mut self, host: &mut HostContext<'_>) {
        // Servers accept ECN if the client requests it, as common systems do.
        let config = weir_tcp::Config { keep: Keep::Count, ecn: true, ..host.tcp_defaults() };
        self.failure = host.tcp_listen(self.port, config).err().map(|error| error.to_string());
    }

    fn wake(&mut self, token: u64, host: &mut HostContext<'_>) {
        let socket = self.senders.get(&(token / Sender::TOKENS));
        if let Some(served) = socket.and_then(|socket| self.served.get_mut(socket))
            && let Purpose::Reverse(sender) = &mut served.purpose
        {
            sender.wake(token % Sender::TOKENS, host);
        }
    }

    fn receive(&mut self, arrival: &AppEvent<'_>, host: &mut HostContext<'_>) {
        if let (AppEvent::SynOptions { socket, ip_options }, true) = (arrival, self.reflects) {
            // Options that fit the received header also fit the sent one.
            let _ = host.tcp_set_ip_options(*socket, ip_options);
        }
        let AppEvent::Tcp { socket, event } = *arrival else { return };
        match event {
            TcpEvent::Accepted { .. } => self.accept(socket, host),
            TcpEvent::Connection(Event::Readable) => self.read(socket, host),
            TcpEvent::Connection(Event::Writable) => self.write(socket, host),
            TcpEvent::Connection(Event::PeerClosed) => {
                self.read(socket, host);
                if let Some(served) = self.served.get_mut(&socket) {
                    served.closing = true;
                }
                self.write(socket, host);
            }
            TcpEvent::Connection(Event::Closed(closed)) => {
                match self.served.remove(&socket).map(|served| served.purpose) {
                    Some(Purpose::Reverse(mut sender)) => {
                        sender.handle_end(host);
                        self.senders.retain(|_, other| *other != socket);
                    }
                    Some(Purpose::Exchanges { rows, first, row, received }) if closed == Closed::TimedOut => {
                        // The client would only learn that the connection no longer exists.
                        let answering = if received == 0 { row.saturating_sub(1).max(first) } else { row };
                        if let Some(row) = rows.lock().get_mut(answering) {
                            row.fail(closed);
                        }
                    }
                    _ => {}
                }
            }
            TcpEvent::Connection(Event::Connected) => {}
        }
    }

    /// Returns true, because nobody reads the reports of flows during a run.
    /// Other hosts that share data are in one part of the network.
    fn is_self_contained(&self) -> bool {
        true
    }

    fn finished(&self) -> bool {
        true
    }
}
