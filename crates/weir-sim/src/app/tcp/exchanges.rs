//! Exchanges: requests and their responses, or transfers that need none; how long each takes.

use std::collections::BTreeMap;
use std::net::IpAddr;

use weir_switch::Nanos;
use weir_tcp::{Closed, Event, Keep};

use super::{Expected, Held, Register, TcpOptions};
use crate::app::{App, Arrival, Data, HostContext, TcpEvent};
use crate::{Error, Random, SocketId, math};

/// When exchanges begin. The first does so at the start, but for a Poisson process.
#[derive(Clone, Debug, PartialEq)]
pub enum Arrivals {
    /// Each so many nanoseconds after the end of the one before.
    OneByOne {
        /// Nanoseconds of thinking.
        think: Nanos,
    },
    /// As a Poisson process with this mean of nanoseconds between two, whether or not those before have ended.
    Poisson {
        /// Nanoseconds, above 0.
        mean: f64,
    },
    /// At these times in nanoseconds from the start.
    At(Vec<Nanos>),
}

/// How large requests or responses are, in bytes.
#[derive(Clone, Debug, PartialEq)]
pub enum Sizes {
    /// All alike.
    Fixed(u64),
    /// Exponentially distributed, rounded up to 1 byte at least.
    Exponential {
        /// The mean in bytes.
        mean: f64,
    },
    /// Each drawn from these with equal chances.
    Of(Vec<u64>),
}

impl Arrivals {
    /// When the exchange of this number begins, if that is known by now: one by one it is not. `started` is when the first could.
    pub(crate) fn next(&self, number: u64, started: Nanos, now: Nanos, random: &mut Random) -> Option<Nanos> {
        match self {
            Arrivals::OneByOne { .. } => None,
            Arrivals::Poisson { mean } => {
                Some(now.saturating_add((math::exponential(random) * mean) as Nanos))
            }
            Arrivals::At(times) => times.get(number as usize).map(|time| started.saturating_add(*time)),
        }
    }

    /// What is wrong with them.
    pub(crate) fn fault(&self) -> Option<&'static str> {
        match self {
            Arrivals::At(times) if times.is_empty() => Some("no exchange; expected 1 or more"),
            Arrivals::Poisson { mean } if mean.is_nan() || *mean <= 0.0 => {
                Some("a mean of 0 ns between two exchanges; expected more")
            }
            _ => None,
        }
    }
}

impl Sizes {
    pub(crate) fn draw(&self, random: &mut Random) -> u64 {
        match self {
            Sizes::Fixed(bytes) => *bytes,
            Sizes::Exponential { mean } => (math::exponential(random) * mean) as u64 + 1,
            Sizes::Of(sizes) => sizes[random.up_to(sizes.len() as u64 - 1) as usize],
        }
    }

    fn may_be_none(&self) -> bool {
        match self {
            Sizes::Fixed(bytes) => *bytes == 0,
            Sizes::Exponential { .. } => false,
            Sizes::Of(sizes) => sizes.contains(&0),
        }
    }

    pub(crate) fn check(&self) -> bool {
        match self {
            Sizes::Fixed(_) => true,
            Sizes::Exponential { mean } => *mean > 0.0 && mean.is_finite(),
            Sizes::Of(sizes) => !sizes.is_empty(),
        }
    }
}

/// A series of exchanges.
#[derive(Clone, Debug)]
pub struct ExchangesConfig {
    /// The address and port to connect to.
    pub destination: (IpAddr, u16),
    /// When they begin.
    pub arrivals: Arrivals,
    /// How many there are; of given times as many as these.
    pub count: u64,
    /// What the client sends; 1 byte at least.
    pub request: Sizes,
    /// What the server answers; nothing ends the exchange with the request's arrival.
    pub response: Sizes,
    /// Whether one connection serves all of them; otherwise each has one of its own. Only for [`Arrivals::OneByOne`].
    pub keep_connection: bool,
    /// Settings other than the host's.
    pub options: TcpOptions,
}

impl ExchangesConfig {
    fn check(&self) -> Result<(), Error> {
        let bad = |reason: &str| Err(Error::BadApp { app: "exchanges", reason: reason.to_owned() });
        if self.destination.1 == 0 {
            return bad("port 0; expected 1 to 65535");
        }
        if self.count == 0 {
            return bad("no exchange; expected 1 or more");
        }
        if let Some(fault) = self.arrivals.fault() {
            return bad(fault);
        }
        if self.request.may_be_none() {
            return bad("a request of 0 bytes; expected 1 or more");
        }
        if !self.request.check() || !self.response.check() {
            return bad("sizes of which none can be drawn; expected a mean above 0 or some sizes");
        }
        if self.keep_connection && !matches!(self.arrivals, Arrivals::OneByOne { .. }) {
            return bad("one connection for exchanges that may overlap; expected one for each");
        }
        if self.keep_connection && self.response.may_be_none() {
            return bad(
                "one connection for requests without a response; expected responses of 1 byte or more",
            );
        }
        self.options.check("exchanges")
    }
}

/// One exchange and what became of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExchangeRow {
    /// When it began, in nanoseconds.
    pub started: Nanos,
    /// Bytes of the request.
    pub request: u64,
    /// Bytes of the response.
    pub response: u64,
    /// When the request had come in whole at the server.
    pub requested: Option<Nanos>,
    /// When it was over: when the response had come in whole, or the request if there is none.
    pub finished: Option<Nanos>,
    /// How often the request was sent again, of datagrams.
    pub repeats: u32,
    /// How its connection ended, if it ended before that; of datagrams, that the last answer was waited for in vain.
    pub failed: Option<Closed>,
}

impl ExchangeRow {
    /// One that begins now.
    pub(crate) fn new(started: Nanos, request: u64, response: u64) -> Self {
        ExchangeRow { started, request, response, requested: None, finished: None, repeats: 0, failed: None }
    }

    /// The request has come in whole; how many bytes are to be answered. One that comes again is answered again.
    pub(crate) fn note_request(&mut self, now: Nanos) -> u64 {
        self.requested.get_or_insert(now);
        if self.response == 0 {
            self.finished.get_or_insert(now);
        }
        self.response
    }
}

struct Open {
    row: usize,
    /// The client's address and port.
    own: Option<(IpAddr, u16)>,
    unwritten: u64,
    /// Bytes of the response that are still to come.
    missing: u64,
}

/// The client's end of exchanges. Made by [`crate::Network::start_exchanges`].
pub struct Exchanges {
    config: ExchangesConfig,
    register: Register,
    random: Random,
    rows: Held<Vec<ExchangeRow>>,
    open: BTreeMap<SocketId, Open>,
    kept: Option<SocketId>,
    started: Nanos,
    stopped: bool,
    failure: Option<String>,
}

impl Exchanges {
    pub(crate) fn new(
        mut config: ExchangesConfig,
        register: Register,
        random: Random,
    ) -> Result<Self, Error> {
        config.check()?;
        if let Arrivals::At(times) = &mut config.arrivals {
            times.sort_unstable();
            config.count = times.len() as u64;
        }
        Ok(Exchanges {
            config,
            register,
            random,
            rows: Held::default(),
            open: BTreeMap::new(),
            kept: None,
            started: 0,
            stopped: false,
            failure: None,
        })
    }

    /// A row for each exchange so far, in the order of their beginning.
    pub fn rows(&self) -> Vec<ExchangeRow> {
        self.rows.lock().clone()
    }

    /// Why an exchange could not begin, if one could not: then no other does.
    pub fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    fn begun(&self) -> u64 {
        self.rows.lock().len() as u64
    }

    fn all_begun(&self) -> bool {
        self.stopped || self.failure.is_some() || self.begun() == self.config.count
    }

    /// Asks for the wake-up at which the next begins, if its time is known.
    fn plan(&mut self, host: &mut HostContext<'_>) {
        let begun = self.begun();
        if self.all_begun() {
            return;
        }
        if let Some(next) = self.config.arrivals.next(begun, self.started, host.now(), &mut self.random) {
            host.wake_at(next, begun);
        }
    }

    fn begin(&mut self, host: &mut HostContext<'_>) {
        let (request, response) =
            (self.config.request.draw(&mut self.random), self.config.response.draw(&mut self.random));
        let row = self.begun() as usize;
        let started = host.now();
        let fresh = ExchangeRow::new(started, request, response);
        let mut open = Open { row, own: None, unwritten: request, missing: response };
        if let Some(socket) = self.kept {
            self.rows.lock().push(fresh);
            self.open.insert(socket, open);
            self.write(socket, host);
            return;
        }
        let config = self.config.options.applied(host.tcp_defaults());
        let config = weir_tcp::Config { keep: Keep::Count, nagle: false, ..config };
        match host.tcp_connect(self.config.destination, config, &[]) {
            Ok(socket) => {
                self.rows.lock().push(fresh);
                if let Some([own, _]) = host.tcp_ends(socket) {
                    open.own = Some(own);
                    self.register.lock().insert(own, Expected::Exchanges(self.rows.clone(), row));
                }
                self.open.insert(socket, open);
            }
            Err(error) => self.failure = Some(error.to_string()),
        }
    }

    fn write(&mut self, socket: SocketId, host: &mut HostContext<'_>) {
        let Some(open) = self.open.get_mut(&socket) else { return };
        if open.unwritten > 0 {
            open.unwritten -= host.tcp_write(socket, Data::Pattern(open.unwritten)).unwrap_or(0);
            if open.unwritten == 0 && !self.config.keep_connection {
                if open.missing > 0 { host.tcp_close(socket) } else { host.tcp_release(socket) }
            }
        }
    }

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
        self.rows.lock()[row].finished = Some(host.now());
        if self.config.keep_connection && !self.all_begun() {
            self.kept = Some(socket);
            self.think(host);
        } else {
            host.tcp_release(socket);
        }
    }

    fn think(&mut self, host: &mut HostContext<'_>) {
        if let Arrivals::OneByOne { think } = self.config.arrivals
            && !self.all_begun()
        {
            host.wake_at(host.now().saturating_add(think), self.begun());
        }
    }

    fn closed(&mut self, socket: SocketId, closed: Closed, host: &mut HostContext<'_>) {
        let Some(open) = self.open.remove(&socket) else { return };
        if self.kept == Some(socket) {
            self.kept = None;
        }
        // The server has taken it out, unless it never heard of the connection.
        if let Some(own) = open.own {
            self.register.lock().remove(&own);
        }
        {
            let mut rows = self.rows.lock();
            let row = &mut rows[open.row];
            if row.finished.is_none() {
                row.failed = Some(closed);
            }
        }
        self.think(host);
    }
}

impl App for Exchanges {
    fn start(&mut self, host: &mut HostContext<'_>) {
        self.started = host.now();
        match self.config.arrivals {
            Arrivals::OneByOne { .. } => self.begin(host),
            Arrivals::Poisson { .. } | Arrivals::At(_) => self.plan(host),
        }
    }

    fn wake(&mut self, token: u64, host: &mut HostContext<'_>) {
        if self.all_begun() {
            if let Some(socket) = self.kept {
                host.tcp_release(socket);
            }
            return;
        }
        // The token is the number of the exchange that is due.
        if token == self.begun() {
            self.begin(host);
            self.plan(host);
        }
    }

    fn receive(&mut self, arrival: &Arrival<'_>, host: &mut HostContext<'_>) {
        let Arrival::Tcp { socket, event: TcpEvent::Of(event) } = *arrival else { return };
        match event {
            Event::Connected | Event::Writable => self.write(socket, host),
            Event::Readable => self.read(socket, host),
            Event::PeerClosed => self.read(socket, host),
            Event::Closed(closed) => {
                self.read(socket, host);
                self.closed(socket, closed, host);
            }
        }
    }

    fn stop(&mut self, _: &mut HostContext<'_>) {
        self.stopped = true;
    }

    fn finished(&self) -> bool {
        self.all_begun() && self.open.is_empty()
    }
}
