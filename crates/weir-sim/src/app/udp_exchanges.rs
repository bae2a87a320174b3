//! Requests and responses in datagrams, one of each: how long each takes, and which are lost.

use std::collections::BTreeSet;
use std::net::IpAddr;

use weir_switch::Nanos;
use weir_tcp::Closed;

use super::flow::{MAX_PAYLOAD, STAMP, bind_port, read_stamp, stamp};
use super::tcp::{Arrivals, ExchangeRow, Held, Sizes};
use super::{App, Arrival, Binding, HostContext};
use crate::{Error, Random};

/// In tokens of wake-ups, above the number of an exchange: how often its request was sent when the time-out began; 0 is for its beginning.
const TRIES: u32 = 40;

/// A series of exchanges.
#[derive(Clone, Debug)]
pub struct UdpExchangesConfig {
    /// The address and port to send to.
    pub destination: (IpAddr, u16),
    /// When they begin.
    pub arrivals: Arrivals,
    /// How many there are; of given times as many as these.
    pub count: u64,
    /// Bytes after the UDP header of a request, 16 to 65507; what is drawn at random is brought into that range.
    pub request: Sizes,
    /// The same of the answer.
    pub response: Sizes,
    /// How long to wait for the end of an exchange, in nanoseconds, before the request is sent again or given up.
    pub timeout: Nanos,
    /// How often a request is sent at most, 1 to 1 000 000.
    pub tries: u32,
}

impl UdpExchangesConfig {
    pub(crate) fn check(&self) -> Result<(), Error> {
        let bad = |reason: &str| Err(Error::BadApp { app: "udp exchanges", reason: reason.to_owned() });
        if self.destination.1 == 0 {
            return bad("port 0; expected 1 to 65535");
        }
        if self.count == 0 {
            return bad("no exchange; expected 1 or more");
        }
        if let Some(fault) = self.arrivals.fault() {
            return bad(fault);
        }
        let fits = |bytes: &u64| (STAMP as u64..=MAX_PAYLOAD as u64).contains(bytes);
        for sizes in [&self.request, &self.response] {
            let good = match sizes {
                Sizes::Fixed(bytes) => fits(bytes),
                Sizes::Exponential { .. } => sizes.check(),
                Sizes::Of(of) => sizes.check() && of.iter().all(fits),
            };
            if !good {
                return bad("a request or response that is no datagram; expected 16 to 65507 bytes");
            }
        }
        if self.timeout == 0 || !(1..=1_000_000).contains(&self.tries) {
            return bad(
                "a time-out or tries of 0, or more than 1000000 tries; expected 1 ns and 1 try or more",
            );
        }
        Ok(())
    }
}

/// The client's end of exchanges. Made by [`crate::Network::start_udp_exchanges`].
pub struct UdpExchanges {
    config: UdpExchangesConfig,
    /// Its number at the server.
    number: u64,
    random: Random,
    rows: Held<Vec<ExchangeRow>>,
    open: BTreeSet<u64>,
    port: u16,
    started: Nanos,
    stopped: bool,
    failure: Option<String>,
}

impl UdpExchanges {
    pub(crate) fn new(mut config: UdpExchangesConfig, number: u64, random: Random) -> Self {
        if let Arrivals::At(times) = &mut config.arrivals {
            times.sort_unstable();
            config.count = times.len() as u64;
        }
        UdpExchanges {
            config,
            number,
            random,
            rows: Held::default(),
            open: BTreeSet::new(),
            port: 0,
            started: 0,
            stopped: false,
            failure: None,
        }
    }

    pub(crate) fn shared(&self) -> Held<Vec<ExchangeRow>> {
        self.rows.clone()
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

    fn draw(&mut self, request: bool) -> u64 {
        let sizes = if request { &self.config.request } else { &self.config.response };
        sizes.draw(&mut self.random).clamp(STAMP as u64, MAX_PAYLOAD as u64)
    }

    fn begin(&mut self, host: &mut HostContext<'_>) {
        let (request, response) = (self.draw(true), self.draw(false));
        let exchange = self.begun();
        self.rows.lock().push(ExchangeRow::new(host.now(), request, response));
        self.open.insert(exchange);
        self.send(exchange, host);
        let begun = self.begun();
        if let (false, Some(next)) =
            (self.all_begun(), self.config.arrivals.next(begun, self.started, host.now(), &mut self.random))
        {
            host.wake_at(next, begun);
        }
    }

    fn send(&mut self, exchange: u64, host: &mut HostContext<'_>) {
        let (bytes, tries) = {
            let row = &self.rows.lock()[exchange as usize];
            (row.request as usize, u64::from(row.repeats) + 1)
        };
        let mut payload = vec![0; bytes];
        stamp(&mut payload, self.number, exchange, host.now());
        if let Err(error) = host.send_udp(self.port, self.config.destination, &payload) {
            self.failure = Some(error.to_string());
            self.open.remove(&exchange);
            return;
        }
        host.wake_at(host.now().saturating_add(self.config.timeout), (tries << TRIES) | exchange);
    }

    /// Nothing came in time for the request that was sent for the `tries`-th time.
    fn expired(&mut self, exchange: u64, tries: u32, host: &mut HostContext<'_>) {
        if !self.open.contains(&exchange) {
            return;
        }
        if tries < self.config.tries && !self.stopped {
            self.rows.lock()[exchange as usize].repeats = tries;
            return self.send(exchange, host);
        }
        self.rows.lock()[exchange as usize].failed = Some(Closed::TimedOut);
        self.ended(exchange, host);
    }

    fn ended(&mut self, exchange: u64, host: &mut HostContext<'_>) {
        self.open.remove(&exchange);
        if let (false, Arrivals::OneByOne { think }) = (self.all_begun(), &self.config.arrivals) {
            host.wake_at(host.now().saturating_add(*think), self.begun());
        }
        if self.finished() {
            host.unbind(Binding::Udp(self.port));
        }
    }
}

impl App for UdpExchanges {
    fn start(&mut self, host: &mut HostContext<'_>) {
        self.started = host.now();
        let Some(port) = bind_port(None, self.number, host) else {
            self.failure = Some("the client's host has no UDP port left".to_owned());
            return;
        };
        self.port = port;
        match self.config.arrivals.next(0, self.started, host.now(), &mut self.random) {
            Some(first) => host.wake_at(first, 0),
            None => self.begin(host),
        }
    }

    fn wake(&mut self, token: u64, host: &mut HostContext<'_>) {
        let (exchange, tries) = (token & ((1 << TRIES) - 1), (token >> TRIES) as u32);
        if tries > 0 {
            self.expired(exchange, tries, host);
        } else if exchange == self.begun() && !self.all_begun() {
            self.begin(host);
        } else if self.finished() {
            host.unbind(Binding::Udp(self.port));
        }
    }

    fn receive(&mut self, arrival: &Arrival<'_>, host: &mut HostContext<'_>) {
        let Arrival::Udp { payload, .. } = *arrival else { return };
        let Some((flow, exchange, _)) = read_stamp(payload) else { return };
        if flow as u64 == self.number && self.open.contains(&exchange) {
            self.rows.lock()[exchange as usize].finished = Some(host.now());
            self.ended(exchange, host);
        }
    }

    fn stop(&mut self, _: &mut HostContext<'_>) {
        self.stopped = true;
    }

    fn finished(&self) -> bool {
        self.all_begun() && self.open.is_empty()
    }
}
