//! Request-response exchanges over UDP, with one datagram for each request and response.

use std::collections::BTreeSet;
use std::net::IpAddr;
use std::ops::RangeInclusive;

use weir_device::Nanos;
use weir_tcp::Closed;

use super::exchange::{Arrivals, ExchangeRow, ExchangeSchedule, SharedRows, Sizes, check_exchanges};
use super::flow::{MAX_DATAGRAMS, MAX_PAYLOAD, STAMP_BYTES, bind_port, read_stamp, write_stamp};
use crate::host::app::{App, HostContext};
use crate::host::socket::{AppEvent, Binding};
use crate::{Error, Random};

/// The number of bits of a wake-up token that contain the number of the exchange. The bits above
/// them count how often the request had been sent when the time-out began. They are 0 in the token
/// that begins the exchange.
const TRIES_SHIFT: u32 = 40;
/// The size of a request or response in bytes; it must contain the header stamp.
const DATAGRAM_BYTES: RangeInclusive<u64> = STAMP_BYTES as u64..=MAX_PAYLOAD as u64;

/// The settings of a series of exchanges over UDP.
#[derive(Clone, Debug)]
pub struct UdpExchangesConfig {
    /// The address and port to send to.
    pub destination: (IpAddr, u16),
    /// The start times of exchanges.
    pub arrivals: Arrivals,
    /// The number of exchanges; ignored for given times.
    pub count: u64,
    /// The payload of a request in bytes, 16 to 65507; random sizes are clamped to that range.
    pub request: Sizes,
    /// The payload of a response in bytes, with the same limits.
    pub response: Sizes,
    /// The type of service (IPv6: traffic class) of requests and responses.
    pub class: u8,
    /// The time-out in nanoseconds, after which the request is sent again or abandoned.
    pub timeout: Nanos,
    /// The maximum number of transmissions of a request, 1 to 1 000 000.
    pub tries: u32,
}

impl UdpExchangesConfig {
    /// Checks that the settings are valid.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let refused = |reason: &str| Err(Error::BadApp { app: "udp exchanges", reason: reason.to_owned() });
        let sizes = [&self.request, &self.response];
        if let Some(fault) = check_exchanges(self.destination, &self.arrivals, self.count, sizes) {
            return refused(fault);
        }
        if self.count > MAX_DATAGRAMS {
            return refused("more exchanges than can be numbered; expected 2^40 at most");
        }
        if !sizes.iter().all(|sizes| sizes.all_sizes(|bytes| DATAGRAM_BYTES.contains(&bytes))) {
            return refused("a request or response that does not fit a datagram; expected 16 to 65507 bytes");
        }
        if self.timeout == 0 || !(1..=1_000_000).contains(&self.tries) {
            return refused(
                "a time-out or tries of 0, or more than 1000000 tries; expected 1 ns and 1 try or more",
            );
        }
        Ok(())
    }
}

/// The client of exchanges. Created by [`crate::Network::start_udp_exchanges`].
pub struct UdpExchanges {
    schedule: ExchangeSchedule,
    destination: (IpAddr, u16),
    class: u8,
    timeout: Nanos,
    tries: u32,
    /// The flow number at the servers.
    number: u64,
    open: BTreeSet<u64>,
    port: u16,
}

impl UdpExchanges {
    pub(crate) fn new(config: UdpExchangesConfig, number: u64, random: Random) -> Self {
        let UdpExchangesConfig { destination, arrivals, count, request, response, class, timeout, tries } =
            config;
        UdpExchanges {
            schedule: ExchangeSchedule::new(arrivals, count, [request, response], random),
            destination,
            class,
            timeout,
            tries,
            number,
            open: BTreeSet::new(),
            port: 0,
        }
    }

    /// Returns the rows of all exchanges, which the caller can keep.
    pub(crate) fn shared(&self) -> SharedRows {
        self.schedule.rows().clone()
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

    /// Begins an exchange.
    fn begin(&mut self, host: &mut HostContext<'_>) {
        let mut row = self.schedule.draw(host.now());
        for bytes in [&mut row.request, &mut row.response] {
            *bytes = (*bytes).clamp(*DATAGRAM_BYTES.start(), *DATAGRAM_BYTES.end());
        }
        let exchange = self.schedule.push(row) as u64;
        self.open.insert(exchange);
        self.send(exchange, host);
        self.schedule.schedule_next(host);
    }

    /// Sends the request of an exchange, again if it was sent before.
    fn send(&mut self, exchange: u64, host: &mut HostContext<'_>) {
        let (bytes, tries) = {
            let row = &self.schedule.rows().lock()[exchange as usize];
            (row.request as usize, u64::from(row.repeats) + 1)
        };
        let mut payload = vec![0; bytes];
        write_stamp(&mut payload, self.number, exchange, host.now());
        let write = |buffer: &mut [u8]| buffer.copy_from_slice(&payload);
        if let Err(error) = host.send_udp_in_class(self.port, self.destination, self.class, bytes, write) {
            self.schedule.fail(error.to_string());
            self.open.remove(&exchange);
            return;
        }
        host.wake_at(host.now().saturating_add(self.timeout), (tries << TRIES_SHIFT) | exchange);
    }

    /// Handles the time-out after the `tries`-th transmission of a request.
    fn on_timeout(&mut self, exchange: u64, tries: u32, host: &mut HostContext<'_>) {
        if !self.open.contains(&exchange) {
            return;
        }
        let again = tries < self.tries && !self.schedule.is_stopped();
        {
            let row = &mut self.schedule.rows().lock()[exchange as usize];
            if again {
                row.repeats = tries;
            } else {
                row.failed = Some(Closed::TimedOut);
            }
        }
        if again { self.send(exchange, host) } else { self.on_end(exchange, host) }
    }

    fn on_end(&mut self, exchange: u64, host: &mut HostContext<'_>) {
        self.open.remove(&exchange);
        self.schedule.end_exchange(host);
        if self.finished() {
            host.unbind(Binding::Udp(self.port));
        }
    }
}

impl App for UdpExchanges {
    fn start(&mut self, host: &mut HostContext<'_>) {
        match bind_port(None, self.number, host) {
            Some(port) => self.port = port,
            None => return self.schedule.fail("the client's host has no free UDP port".to_owned()),
        }
        if self.schedule.start(host) {
            self.begin(host);
        }
    }

    fn wake(&mut self, token: u64, host: &mut HostContext<'_>) {
        let (exchange, tries) = (token & ((1 << TRIES_SHIFT) - 1), (token >> TRIES_SHIFT) as u32);
        if tries > 0 {
            self.on_timeout(exchange, tries, host);
        } else if self.schedule.is_due(exchange) {
            self.begin(host);
        } else if self.finished() {
            host.unbind(Binding::Udp(self.port));
        }
    }

    fn receive(&mut self, arrival: &AppEvent<'_>, host: &mut HostContext<'_>) {
        let AppEvent::Udp { payload, .. } = *arrival else { return };
        let Some((flow, exchange, _)) = read_stamp(payload) else { return };
        if flow as u64 == self.number && self.open.contains(&exchange) {
            self.schedule.rows().lock()[exchange as usize].finished = Some(host.now());
            self.on_end(exchange, host);
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
