//! The server's end of traffic over TCP.

use std::collections::BTreeMap;

use weir_switch::Nanos;
use weir_tcp::{Event, Keep};

use super::exchanges::ExchangeRow;
use super::{Expected, Held, Register, TcpReport};
use crate::SocketId;
use crate::app::{App, Arrival, Data, HostContext, TcpEvent};

/// What a connection is for.
enum Purpose {
    /// Its bytes are counted.
    Flow(Held<TcpReport>),
    /// Requests are answered.
    Exchanges {
        rows: Held<Vec<ExchangeRow>>,
        /// The row whose request is coming in, and how much of it has come.
        row: usize,
        received: u64,
    },
    /// Nobody announced it.
    Unknown,
}

struct Served {
    purpose: Purpose,
    /// Bytes of responses that are still to be written.
    unwritten: u64,
    /// Whether the client has closed.
    closing: bool,
}

/// Takes connections at a port, counts what comes, answers requests. It is finished from the start: it waits for nobody.
pub struct TcpServer {
    port: u16,
    register: Register,
    served: BTreeMap<SocketId, Served>,
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
            register: Register::default(),
            served: BTreeMap::new(),
            accepted: 0,
            received: 0,
            reflects: false,
            failure: None,
        }
    }

    pub(crate) fn register(&self) -> Register {
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

    fn accept(&mut self, socket: SocketId, from: (std::net::IpAddr, u16)) {
        self.accepted += 1;
        let purpose = match self.register.lock().remove(&from) {
            Some(Expected::Flow(report)) => Purpose::Flow(report),
            Some(Expected::Exchanges(rows, row)) => Purpose::Exchanges { rows, row, received: 0 },
            None => Purpose::Unknown,
        };
        self.served.insert(socket, Served { purpose, unwritten: 0, closing: false });
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
            Purpose::Flow(_) | Purpose::Unknown => {}
        }
        self.write(socket, host);
    }

    fn write(&mut self, socket: SocketId, host: &mut HostContext<'_>) {
        let Some(served) = self.served.get_mut(&socket) else { return };
        if served.unwritten > 0 {
            served.unwritten -= host.tcp_write(socket, Data::Pattern(served.unwritten)).unwrap_or(0);
        }
        if served.closing && served.unwritten == 0 {
            host.tcp_release(socket);
        }
    }
}

impl ExchangeRow {
    /// The request has come in whole; how many bytes are to be answered.
    fn note_request(&mut self, now: Nanos) -> u64 {
        self.requested = Some(now);
        if self.response == 0 {
            self.finished = Some(now);
        }
        self.response
    }
}

impl App for TcpServer {
    fn start(&mut self, host: &mut HostContext<'_>) {
        // Whether it is used is the client's to ask for, as systems have it.
        let config = weir_tcp::Config { keep: Keep::Count, ecn: true, ..host.tcp_defaults() };
        self.failure = host.tcp_listen(self.port, config).err().map(|error| error.to_string());
    }

    fn wake(&mut self, _: u64, _: &mut HostContext<'_>) {}

    fn receive(&mut self, arrival: &Arrival<'_>, host: &mut HostContext<'_>) {
        if let (Arrival::SynOptions { socket, ip_options }, true) = (arrival, self.reflects) {
            // Options that came in one header fit another.
            let _ = host.tcp_set_ip_options(*socket, ip_options);
        }
        let Arrival::Tcp { socket, event } = *arrival else { return };
        match event {
            TcpEvent::Accepted { from, .. } => self.accept(socket, from),
            TcpEvent::Of(Event::Readable) => self.read(socket, host),
            TcpEvent::Of(Event::Writable) => self.write(socket, host),
            TcpEvent::Of(Event::PeerClosed) => {
                self.read(socket, host);
                if let Some(served) = self.served.get_mut(&socket) {
                    served.closing = true;
                }
                self.write(socket, host);
            }
            TcpEvent::Of(Event::Closed(_)) => {
                self.served.remove(&socket);
            }
            TcpEvent::Of(Event::Connected) => {}
        }
    }

    fn finished(&self) -> bool {
        true
    }
}
