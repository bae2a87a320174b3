//! `ping`: ICMP echo requests at regular times, with a row of results for each.

use std::net::IpAddr;

use weir_device::Nanos;

use crate::Error;
use crate::address::is_unicast;
use crate::host::app::{App, HostContext};
use crate::host::socket::{AppEvent, Binding, IcmpError, SendError};

/// The maximum payload: an IPv4 packet of 65535 bytes without 20 bytes of IP header and 8 of ICMP
/// header.
const MAX_PAYLOAD: usize = 65507;
/// The length of an ICMP echo header.
const ECHO_HEADER: usize = 8;
const SECOND: Nanos = 1_000_000_000;

/// The tokens of wake-ups.
const SEND: u64 = 0;
const TIMEOUT: u64 = 1;
const DEADLINE: u64 = 2;
/// Plus the number of the last request: the next one is due, unless it has been sent.
const FLOOD: u64 = 3;

/// The settings of a ping.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PingConfig {
    /// The destination.
    pub destination: IpAddr,
    /// The number of requests (`ping -c`); without it only a deadline ends the ping.
    pub count: Option<u64>,
    /// Bytes after the ICMP header (`ping -s`): 0 to 65507, 56 by default. They start with the time
    /// of sending (8 bytes, big-endian nanoseconds) and the sequence number (8 bytes, big-endian)
    /// as far as they fit, followed by each byte's own offset.
    pub payload_bytes: usize,
    /// Nanoseconds between requests (`ping -i`); 1 s by default. The n-th request is sent at
    /// exactly start + n · interval.
    pub interval: Nanos,
    /// Whether the next request is sent as soon as the previous one is answered, and after
    /// `interval` at the latest (`ping -f`, which uses 10 ms).
    pub flood: bool,
    /// The time-out for replies in nanoseconds (`ping -W`); 10 s by default. A later reply is
    /// recorded as late and counts as lost.
    pub timeout: Nanos,
    /// The time in nanoseconds after which the ping ends in any case (`ping -w`).
    pub deadline: Option<Nanos>,
    /// The time to live of requests (`ping -t`); 64 by default.
    pub ttl: u8,
    /// The ICMP identifier (`ping -e`); by default a free random one.
    pub ident: Option<u16>,
}

impl PingConfig {
    /// `count` requests, with defaults for all other settings.
    pub fn new(destination: impl Into<IpAddr>, count: u64) -> Self {
        PingConfig {
            destination: destination.into(),
            count: Some(count),
            payload_bytes: 56,
            interval: SECOND,
            flood: false,
            timeout: 10 * SECOND,
            deadline: None,
            ttl: 64,
            ident: None,
        }
    }

    fn check(&self) -> Result<(), Error> {
        let bad = |reason: &str| Err(Error::BadApp { app: "ping", reason: reason.to_owned() });
        if self.payload_bytes > MAX_PAYLOAD {
            return bad(&format!("{} bytes of payload; expected at most {MAX_PAYLOAD}", self.payload_bytes));
        }
        if self.count == Some(0) {
            return bad("a count of 0; expected 1 or more");
        }
        if self.count.is_none() && self.deadline.is_none() {
            return bad("neither a count nor a deadline; expected one of them, or it would never end");
        }
        if self.flood && self.interval == 0 {
            return bad(
                "an interval of 0 in flood mode; expected the maximum time between two requests, such as 10 ms",
            );
        }
        if self.interval == 0 && self.count.is_none() {
            return bad("an interval of 0 without a count; expected a longer interval or a count");
        }
        if self.timeout == 0 {
            return bad("a timeout of 0 ns; expected 1 or more");
        }
        if self.ttl == 0 {
            return bad("a time to live of 0; expected 1 to 255");
        }
        if !is_unicast(self.destination) {
            return bad(&format!("destination {}; expected a unicast address", self.destination));
        }
        Ok(())
    }
}

/// The result of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PingOutcome {
    /// No reply yet.
    Waiting,
    /// A reply before the time-out.
    Reply {
        /// The round-trip time in nanoseconds, from sending the request to the reply's last bit.
        rtt: Nanos,
        /// The reply's time to live on arrival.
        ttl: u8,
        /// The length of the reply from its ICMP header on, as `ping` prints it.
        bytes: usize,
    },
    /// A reply after the time-out. Counts as lost.
    Late {
        /// The round-trip time in nanoseconds, from sending the request to the reply's last bit.
        rtt: Nanos,
        /// The reply's time to live on arrival.
        ttl: u8,
        /// The length of the reply from its ICMP header on.
        bytes: usize,
    },
    /// No reply before the time-out or the deadline.
    Lost,
    /// An ICMP error came back. Counts as lost.
    Error(IcmpError),
    /// The host has no route to the destination. Counts as lost.
    NoRoute,
}

/// A request and its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PingRow {
    /// The number of the request, from 1. The ICMP sequence number is its lowest 16 bits.
    pub sequence: u64,
    /// When it was sent, in nanoseconds.
    pub sent: Nanos,
    /// The result.
    pub outcome: PingOutcome,
    /// Additional replies.
    pub duplicates: u32,
}

/// The summary that `ping` prints at the end.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PingSummary {
    /// Requests sent, including those without a route.
    pub sent: u64,
    /// Replies before the time-out, one for each request.
    pub received: u64,
    /// Replies after the time-out.
    pub late: u64,
    /// Additional replies to the same request.
    pub duplicates: u64,
    /// ICMP errors that came back.
    pub errors: u64,
    /// Requests without a route.
    pub no_route: u64,
    /// The minimum round-trip time in nanoseconds. This and the following are 0 without replies.
    pub rtt_min: Nanos,
    /// The mean in nanoseconds.
    pub rtt_mean: f64,
    /// The maximum in nanoseconds.
    pub rtt_max: Nanos,
    /// The standard deviation in nanoseconds (`mdev`).
    pub rtt_deviation: f64,
}

impl PingSummary {
    /// Requests without a reply in time, including late replies, errors, missing routes, and
    /// requests that still wait.
    pub fn lost(&self) -> u64 {
        self.sent - self.received
    }
}

/// The application. It is started by [`crate::Network::start_app`]; its rows can be read at any
/// time.
pub struct Ping {
    config: PingConfig,
    ident: Option<u16>,
    started: Nanos,
    rows: Vec<PingRow>,
    waiting: usize,
    /// The index of the oldest row that may still wait.
    oldest: usize,
    timer_set: bool,
    sending_done: bool,
}

impl Ping {
    /// A ping that has not started.
    ///
    /// # Errors
    /// A setting is out of range.
    pub fn new(config: PingConfig) -> Result<Self, Error> {
        config.check()?;
        Ok(Ping {
            config,
            ident: None,
            started: 0,
            rows: Vec::new(),
            waiting: 0,
            oldest: 0,
            timer_set: false,
            sending_done: false,
        })
    }

    /// The settings.
    pub fn config(&self) -> &PingConfig {
        &self.config
    }

    /// A row for each request so far, in the order of sending.
    pub fn rows(&self) -> &[PingRow] {
        &self.rows
    }

    /// The ICMP identifier; none before the start, or if the requested one was not free: then
    /// nothing is sent.
    pub fn ident(&self) -> Option<u16> {
        self.ident
    }

    /// The summary of all rows.
    pub fn summary(&self) -> PingSummary {
        let mut summary = PingSummary { sent: self.rows.len() as u64, ..PingSummary::default() };
        let mut rtts = Vec::with_capacity(self.rows.len());
        for row in &self.rows {
            summary.duplicates += u64::from(row.duplicates);
            match row.outcome {
                PingOutcome::Reply { rtt, .. } => rtts.push(rtt),
                PingOutcome::Late { .. } => summary.late += 1,
                PingOutcome::Error(_) => summary.errors += 1,
                PingOutcome::NoRoute => summary.no_route += 1,
                PingOutcome::Waiting | PingOutcome::Lost => {}
            }
        }
        summary.received = rtts.len() as u64;
        if let (Some(&min), Some(&max)) = (rtts.iter().min(), rtts.iter().max()) {
            let n = rtts.len() as f64;
            let mean = rtts.iter().map(|&rtt| u128::from(rtt)).sum::<u128>() as f64 / n;
            let squares = rtts.iter().map(|&rtt| (rtt as f64 - mean) * (rtt as f64 - mean));
            let variance = squares.sum::<f64>() / n;
            summary = PingSummary {
                rtt_min: min,
                rtt_mean: mean,
                rtt_max: max,
                rtt_deviation: variance.sqrt(),
                ..summary
            };
        }
        summary
    }

    fn payload(&self, sequence: u64, now: Nanos) -> Vec<u8> {
        let mut payload: Vec<u8> = (0..self.config.payload_bytes).map(|place| place as u8).collect();
        let stamp = now.to_be_bytes().into_iter().chain(sequence.to_be_bytes());
        payload.iter_mut().zip(stamp).for_each(|(byte, value)| *byte = value);
        payload
    }

    fn send(&mut self, ident: u16, host: &mut HostContext<'_>) {
        let now = host.now();
        let sequence = self.rows.len() as u64 + 1;
        let payload = self.payload(sequence, now);
        // The row is added first, because the reply to a ping of the host's own address may arrive
        // before the call returns.
        self.rows.push(PingRow { sequence, sent: now, outcome: PingOutcome::Waiting, duplicates: 0 });
        self.waiting += 1;
        let (destination, ttl) = (self.config.destination, self.config.ttl);
        if let Err(error) = host.send_echo_request(destination, ttl, ident, sequence as u16, &payload) {
            debug_assert!(matches!(error, SendError::NoRoute(_)), "sizes are checked when the ping is made");
            self.settle(self.rows.len() - 1, PingOutcome::NoRoute);
        }
        if self.config.count == Some(sequence) {
            self.sending_done = true;
        } else if self.config.flood {
            // The token identifies the request that the next one must not wait for any longer.
            host.wake_at(now.saturating_add(self.config.interval), FLOOD + sequence);
        } else {
            host.wake_at(self.started.saturating_add(self.config.interval.saturating_mul(sequence)), SEND);
        }
        self.set_timer(host);
    }

    /// In flood mode, sends the next request after an answered one.
    fn follow(&mut self, place: usize, host: &mut HostContext<'_>) {
        if self.config.flood && !self.sending_done && place + 1 == self.rows.len() {
            host.wake_at(host.now(), FLOOD + place as u64 + 1);
        }
    }

    /// Records the result of a waiting row.
    fn settle(&mut self, place: usize, outcome: PingOutcome) {
        self.rows[place].outcome = outcome;
        self.waiting -= 1;
    }

    /// Sets the timer for the oldest waiting row; only one timer runs at a time.
    fn set_timer(&mut self, host: &mut HostContext<'_>) {
        while self.rows.get(self.oldest).is_some_and(|row| row.outcome != PingOutcome::Waiting) {
            self.oldest += 1;
        }
        if let Some(row) = self.rows.get(self.oldest)
            && !self.timer_set
        {
            self.timer_set = true;
            host.wake_at(row.sent.saturating_add(self.config.timeout), TIMEOUT);
        }
    }

    fn expire(&mut self, now: Nanos) {
        for place in self.oldest..self.rows.len() {
            let row = self.rows[place];
            if row.sent.saturating_add(self.config.timeout) > now {
                break;
            }
            if row.outcome == PingOutcome::Waiting {
                self.settle(place, PingOutcome::Lost);
            }
        }
    }

    /// The index of the row with this ICMP sequence number: the last one with these low 16 bits.
    fn place(&self, sequence: u16) -> Option<usize> {
        let last = self.rows.len() as u64;
        let back = u64::from((last as u16).wrapping_sub(sequence));
        // Sequence numbers start at 1, indices at 0.
        Some(last.checked_sub(back)?.checked_sub(1)? as usize)
    }
}

impl App for Ping {
    fn start(&mut self, host: &mut HostContext<'_>) {
        if self.sending_done {
            return;
        }
        self.started = host.now();
        // 65536 random tries only fail if nearly all identifiers are taken.
        let tries = if self.config.ident.is_some() { 1 } else { 1 << 16 };
        for _ in 0..tries {
            let ident = self.config.ident.unwrap_or_else(|| host.random().next_u64() as u16);
            if host.bind(Binding::Echo(ident)).is_ok() {
                self.ident = Some(ident);
                break;
            }
        }
        let Some(ident) = self.ident else {
            self.sending_done = true;
            return;
        };
        if let Some(deadline) = self.config.deadline {
            host.wake_at(self.started.saturating_add(deadline), DEADLINE);
        }
        self.send(ident, host);
    }

    fn wake(&mut self, token: u64, host: &mut HostContext<'_>) {
        match token {
            SEND => {
                if let (false, Some(ident)) = (self.sending_done, self.ident) {
                    self.send(ident, host);
                }
            }
            TIMEOUT => {
                self.timer_set = false;
                self.expire(host.now());
                self.set_timer(host);
            }
            DEADLINE => self.stop(host),
            token => {
                let next = !self.sending_done && token - FLOOD == self.rows.len() as u64;
                if let (true, Some(ident)) = (next, self.ident) {
                    self.send(ident, host);
                }
            }
        }
    }

    fn receive(&mut self, arrival: &AppEvent<'_>, host: &mut HostContext<'_>) {
        match *arrival {
            AppEvent::EchoReply { sequence, ttl, payload, .. } => {
                let Some(place) = self.place(sequence) else { return };
                let row = &mut self.rows[place];
                let (rtt, bytes) = (host.now() - row.sent, payload.len() + ECHO_HEADER);
                match row.outcome {
                    PingOutcome::Waiting => {
                        self.settle(place, PingOutcome::Reply { rtt, ttl, bytes });
                        self.follow(place, host);
                    }
                    PingOutcome::Reply { .. } | PingOutcome::Late { .. } => row.duplicates += 1,
                    PingOutcome::Lost | PingOutcome::Error(_) | PingOutcome::NoRoute => {
                        row.outcome = PingOutcome::Late { rtt, ttl, bytes };
                    }
                }
            }
            AppEvent::Error { error, original: &[_, _, _, _, _, _, high, low, ..] } => {
                let Some(place) = self.place(u16::from_be_bytes([high, low])) else { return };
                if self.rows[place].outcome == PingOutcome::Waiting {
                    self.settle(place, PingOutcome::Error(error));
                }
            }
            AppEvent::Error { .. }
            | AppEvent::Udp { .. }
            | AppEvent::Tcp { .. }
            | AppEvent::SynOptions { .. } => {}
        }
    }

    /// Nothing more is sent, and waiting requests count as lost.
    fn stop(&mut self, _: &mut HostContext<'_>) {
        self.sending_done = true;
        for place in self.oldest..self.rows.len() {
            if self.rows[place].outcome == PingOutcome::Waiting {
                self.settle(place, PingOutcome::Lost);
            }
        }
    }

    fn finished(&self) -> bool {
        self.sending_done && self.waiting == 0
    }
}
