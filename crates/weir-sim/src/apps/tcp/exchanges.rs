//! Request-response exchanges over TCP, or transfers without responses.

use std::collections::BTreeMap;
use std::net::IpAddr;

use weir_tcp::{Closed, Event, Keep};

use super::{Announced, ConnectionKey, Expected, ServerRegistry, TcpOptions};
use crate::apps::exchange::{Arrivals, ExchangeRow, ExchangeSchedule, Sizes, check_exchanges};
use crate::host::app::{App, HostContext};
use crate::host::socket::{AppEvent, Data, TcpEvent};
use crate::{Error, Random, SocketId};

/// The settings of a series of exchanges over TCP.
#[derive(Clone, Debug)]
pub struct TcpExchangesConfig {
    /// The address and port to connect to.
    pub destination: (IpAddr, u16),
    /// The start times of exchanges.
    pub arrivals: Arrivals,
    /// The number of exchanges; ignored for given times.
    pub count: u64,
    /// The size of requests; at least 1 byte.
    pub request: Sizes,
    /// The size of responses; with 0 bytes an exchange ends when the request has arrived.
    pub response: Sizes,
    /// Whether all exchanges share one connection, instead of using one connection each. Only for
    /// [`Arrivals::Sequential`].
    pub keep_connection: bool,
    /// TCP settings that differ from the host's.
    pub options: TcpOptions,
}

impl TcpExchangesConfig {
    /// Checks that the settings are valid.
    fn check(&self) -> Result<(), Error> {
        let refused = |reason: &str| Err(Error::BadApp { app: "exchanges", reason: reason.to_owned() });
        let sizes = [&self.request, &self.response];
        if let Some(fault) = check_exchanges(self.destination, &self.arrivals, self.count, sizes) {
            return refused(fault);
        }
        let never_none = |sizes: &Sizes| sizes.all_sizes(|bytes| bytes > 0);
        if !never_none(&self.request) {
            return refused("a request of 0 bytes; expected 1 or more");
        }
        if self.keep_connection && !matches!(self.arrivals, Arrivals::Sequential { .. }) {
            return refused(
                "one connection for exchanges that may overlap; expected one connection for each",
            );
        }
        if self.keep_connection && !never_none(&self.response) {
            return refused(
                "one connection for requests without a response; expected responses of 1 byte or more",
            );
        }
        self.options.check("exchanges")
    }
}

/// An exchange that is not finished.
struct Open {
    row: usize,
    /// The key announced to the servers, if the exchange has its own connection.
    client: Option<ConnectionKey>,
    unwritten: u64,
    /// The number of bytes of the response that have not arrived.
    missing: u64,
}

/// The client of exchanges. Created by [`crate::Network::start_tcp_exchanges`].
pub struct TcpExchanges {
    schedule: ExchangeSchedule,
    destination: (IpAddr, u16),
    keep_connection: bool,
    options: TcpOptions,
    servers: ServerRegistry,
    open: BTreeMap<SocketId, Open>,
    kept: Option<SocketId>,
}

impl TcpExchanges {
    pub(crate) fn new(
        config: TcpExchangesConfig,
        servers: ServerRegistry,
        random: Random,
    ) -> Result<Self, Error> {
        config.check()?;
        let TcpExchangesConfig { destination, arrivals, count, request, response, keep_connection, options } =
            config;
        Ok(TcpExchanges {
            schedule: ExchangeSchedule::new(arrivals, count, [request, response], random),
            destination,
            keep_connection,
            options,
            servers,
            open: BTreeMap::new(),
            kept: None,
        })
    }

    /// Returns the rows of all exchanges so far, in the order of their beginning.
    pub fn rows(&self) -> Vec<ExchangeRow> {
        self.schedule.rows().lock().clone()
    }

    /// Returns the reason why an exchange could not begin, if one could not. No further exchange
    /// begins after that.
    pub fn failure(&self) -> Option<&str> {
        self.schedule.failure()
    }

    /// Begins an exchange on a new connection.
    fn begin(&mut self, host: &mut HostContext<'_>) {
        let fresh = self.schedule.draw(host.now());
        let mut open = Open { row: 0, client: None, unwritten: fresh.request, missing: fresh.response };
        if let Some(socket) = self.kept {
            open.row = self.schedule.push(fresh);
            self.open.insert(socket, open);
            self.write(socket, host);
            return;
        }
        let config = self.options.apply_to(host.tcp_defaults());
        let config = weir_tcp::Config { keep: Keep::Count, nagle: false, ..config };
        match host.tcp_connect(self.destination, config, &[]) {
            Ok(socket) => {
                let class = self.options.class;
                host.tcp_set_class(socket, class);
                open.row = self.schedule.push(fresh);
                open.client = ConnectionKey::opening(socket, host);
                if let Some(client) = open.client {
                    let expected = Expected::Exchanges(self.schedule.rows().clone(), open.row);
                    self.servers.announce(client, Announced { expected, class });
                }
                self.open.insert(socket, open);
            }
            Err(error) => self.schedule.fail(error.to_string()),
        }
    }

    /// Writes the rest of the request, as far as the buffer has space.
    fn write(&mut self, socket: SocketId, host: &mut HostContext<'_>) {
        let Some(open) = self.open.get_mut(&socket) else { return };
        if open.unwritten > 0 {
            open.unwritten -= host.tcp_write(socket, Data::Pattern(open.unwritten)).unwrap_or(0);
            if open.unwritten == 0 && !self.keep_connection {
                if open.missing > 0 { host.tcp_close(socket) } else { host.tcp_release(socket) }
            }
        }
    }

    /// Reads a part of the response.
    fn read(&mut self, socket: SocketId, host: &mut HostContext<'_>) {
        let bytes = host.tcp_discard(socket);
        let Some(open) = self.open.get_mut(&socket) else { return };
        if open.missing == 0 {
            return;
        }
        open.missing = open.missing.saturating_sub(bytes);
        if open.missing > 0 {
            return;
        }
        let row = open.row;
        self.schedule.rows().lock()[row].finished = Some(host.now());
        if self.keep_connection && !self.schedule.all_begun() {
            self.kept = Some(socket);
            self.schedule.end_exchange(host);
        } else {
            host.tcp_release(socket);
        }
    }

    fn end_connection(&mut self, socket: SocketId, closed: Closed, host: &mut HostContext<'_>) {
        let Some(open) = self.open.remove(&socket) else { return };
        if self.kept == Some(socket) {
            self.kept = None;
        }
        // The server that accepted the connection has already removed it; the other servers have
        // not.
        if let Some(client) = open.client {
            self.servers.withdraw(&client);
        }
        self.schedule.rows().lock()[open.row].fail(closed);
        self.schedule.end_exchange(host);
    }
}

impl App for TcpExchanges {
    fn start(&mut self, host: &mut HostContext<'_>) {
        if self.schedule.start(host) {
            self.begin(host);
        }
    }

    fn wake(&mut self, token: u64, host: &mut HostContext<'_>) {
        if self.schedule.is_due(token) {
            self.begin(host);
            self.schedule.schedule_next(host);
        } else if let (true, Some(socket)) = (self.schedule.all_begun(), self.kept) {
            host.tcp_release(socket);
        }
    }

    fn receive(&mut self, arrival: &AppEvent<'_>, host: &mut HostContext<'_>) {
        let AppEvent::Tcp { socket, event: TcpEvent::Connection(event) } = *arrival else { return };
        match event {
            Event::Connected | Event::Writable => self.write(socket, host),
            Event::Readable => self.read(socket, host),
            Event::PeerClosed => self.read(socket, host),
            Event::Closed(closed) => {
                self.read(socket, host);
                self.end_connection(socket, closed, host);
            }
        }
    }

    fn stop(&mut self, _: &mut HostContext<'_>) {
        self.schedule.stop();
    }

    /// Returns true: all hosts of the exchanges are in one part of the network.
    fn is_self_contained(&self) -> bool {
        true
    }

    fn finished(&self) -> bool {
        self.schedule.all_begun() && self.open.is_empty()
    }
}
