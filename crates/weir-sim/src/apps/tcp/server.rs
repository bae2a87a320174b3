//! The server's end of traffic over TCP.

use std::collections::BTreeMap;

use weir_tcp::{Event, Keep};

use super::sender::Sender;
use super::{ConnectionKey, Expected, ExpectedConnections, TcpReport};
use crate::SocketId;
use crate::apps::exchange::SharedRows;
use crate::apps::shared::Shared;
use crate::host::app::{App, HostContext};
use crate::host::socket::{AppEvent, Data, TcpEvent};

/// What a connection is for.
enum Purpose {
    /// Its bytes are counted.
    Flow(Shared<TcpReport>),
    /// It is sent to.
    Reverse(Box<Sender>),
    /// Requests are answered.
    Exchanges {
        rows: SharedRows,
        /// The row whose request is coming in, and how much of it has come.
        row: usize,
        received: u64,
    },
    /// Nobody announced it.
    Unknown,
}

struct Served {
    purpose: Purpose,
    /// This server's place among those that expected it.
    place: usize,
    /// Bytes of responses that are still to be written.
    unwritten: u64,
    /// Whether the client has closed.
    closing: bool,
}

/// Takes connections at a port, counts what comes, answers requests, sends to those who want to receive. It is finished from the start: it waits for nobody.
pub struct TcpServer {
    port: u16,
    register: ExpectedConnections,
    served: BTreeMap<SocketId, Served>,
    /// Connections that are sent to, by their place among those accepted: it tells wake-ups apart.
    senders: BTreeMap<u64, SocketId>,
    accepted: u64,
    received: u64,
    reflects: bool,
    failure: Option<String>,
}

impl TcpServer {
    /// A server of a port from 1 to 65535; at port 0 its start fails.
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

    pub(crate) fn register(&self) -> ExpectedConnections {
        self.register.clone()
    }

    /// Whether from now on the IPv4 options of a SYN come back in the SYN-ACK.
    pub fn reflect_options(&mut self, on: bool) {
        self.reflects = on;
    }

    /// Connections taken so far.
    pub fn accepted(&self) -> u64 {
        self.accepted
    }

    /// Connections open now.
    pub fn open(&self) -> usize {
        self.served.len()
    }

    /// Bytes received so far, all connections together.
    pub fn received(&self) -> u64 {
        self.received
    }

    /// Why it could not start, if it could not.
    pub fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    /// The one that sends a flow, which has this record.
    pub(crate) fn sender(&mut self, record: &Shared<TcpReport>) -> Option<&mut Sender> {
        self.served.values_mut().find_map(|served| match &mut served.purpose {
            Purpose::Reverse(sender) if sender.record().same_as(record) => Some(sender.as_mut()),
            _ => None,
        })
    }

    fn accept(&mut self, socket: SocketId, host: &mut HostContext<'_>) {
        self.accepted += 1;
        let expected = ConnectionKey::accepted(socket, host).and_then(|client| self.register.take(&client));
        let (expected, place) = expected.map_or((None, 0), |(expected, place)| (Some(expected), place));
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
                // An answer does not wait for the acknowledgement of its first part, which the client delays.
                host.tcp_set_nagle(socket, false);
                Purpose::Exchanges { rows, row, received: 0 }
            }
            None => Purpose::Unknown,
        };
        self.served.insert(socket, Served { purpose, place, unwritten: 0, closing: false });
    }

    fn read(&mut self, socket: SocketId, host: &mut HostContext<'_>) {
        let mut bytes = host.tcp_discard(socket);
        self.received += bytes;
        let Some(served) = self.served.get_mut(&socket) else { return };
        match &mut served.purpose {
            Purpose::Flow(report) if bytes > 0 => report.lock().note_received(host.now(), bytes),
            Purpose::Exchanges { rows, row, received } => {
                let mut rows = rows.lock();
                // Requests may stand in one segment; one without bytes is answered by the next that has some.
                while let Some(exchange) = rows.get_mut(*row) {
                    let step = bytes.min(exchange.request - *received);
                    *received += step;
                    bytes -= step;
                    if step > 0 {
                        exchange.note_server(served.place);
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

    fn write(&mut self, socket: SocketId, host: &mut HostContext<'_>) {
        let Some(served) = self.served.get_mut(&socket) else { return };
        if let Purpose::Reverse(sender) = &mut served.purpose {
            // A client that closes wants no more.
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
        // Whether it is used is the client's to ask for, as systems have it.
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
            // Options that came in one header fit another.
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
            TcpEvent::Connection(Event::Closed(_)) => {
                if let Some(Served { purpose: Purpose::Reverse(mut sender), .. }) =
                    self.served.remove(&socket)
                {
                    sender.over(host);
                    self.senders.retain(|_, other| *other != socket);
                }
            }
            TcpEvent::Connection(Event::Connected) => {}
        }
    }

    fn finished(&self) -> bool {
        true
    }
}
