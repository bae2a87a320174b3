//! `ping`: ICMP echo requests at regular times, with a row of results for each.

mod config;
mod outcome;

use weir_device::Nanos;

pub use self::config::PingConfig;
use self::config::SECOND;
pub use self::outcome::{PingOutcome, PingRow, PingSummary};

use crate::Error;
use crate::host::app::{App, HostContext};
use crate::host::socket::{AppEvent, Binding, SendError};

/// The length of an ICMP echo header.
const ECHO_HEADER_BYTES: usize = 8;

/// The token of the wake-up at which the ping sends.
const SEND_TOKEN: u64 = 0;
/// The token of the wake-up for a reply's time-out.
const TIMEOUT_TOKEN: u64 = 1;
/// The token of the wake-up for the end of the whole ping.
const DEADLINE_TOKEN: u64 = 2;
/// The token of the wake-up for the end without a reply.
const END_TOKEN: u64 = u64::MAX;
/// The first token that stands for requests in flood mode: this token plus the number of the last
/// request means that the next request is due, unless it has been sent.
const FIRST_FLOOD_TOKEN: u64 = 3;

/// The application. It is started by [`crate::Network::start_app`]; its rows can be read at any
/// time.
pub struct Ping {
    config: PingConfig,
    ident: Option<u16>,
    started: Nanos,
    rows: Vec<PingRow>,
    waiting: usize,
    /// The index of the oldest row that may still wait for a reply.
    oldest: usize,
    timer_set: bool,
    sending_done: bool,
    /// When the last request was sent, or the last reply came if that was later.
    last_activity: Nanos,
    longest_rtt: Option<Nanos>,
    quiet_timer_set: bool,
}

impl Ping {
    /// Creates a ping that has not started.
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
            last_activity: 0,
            longest_rtt: None,
            quiet_timer_set: false,
        })
    }

    /// Returns the settings of the ping.
    pub fn config(&self) -> &PingConfig {
        &self.config
    }

    /// Returns a row for each request so far, in the order of sending.
    pub fn rows(&self) -> &[PingRow] {
        &self.rows
    }

    /// Returns the ICMP identifier; `None` before the start. Also `None` if the requested
    /// identifier was not free; the ping then sends nothing.
    pub fn ident(&self) -> Option<u16> {
        self.ident
    }

    /// Returns the summary of all rows.
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

    /// Makes the payload of a request, with the time at which it is sent.
    fn payload(&self, sequence: u64, now: Nanos) -> Vec<u8> {
        let mut payload: Vec<u8> = (0..self.config.payload_bytes).map(|place| place as u8).collect();
        let stamp = now.to_be_bytes().into_iter().chain(sequence.to_be_bytes());
        payload.iter_mut().zip(stamp).for_each(|(byte, value)| *byte = value);
        payload
    }

    /// Sends the next request.
    fn send(&mut self, ident: u16, host: &mut HostContext<'_>) {
        let now = host.now();
        let sequence = self.rows.len() as u64 + 1;
        let payload = self.payload(sequence, now);
        // The row is added first, because the reply to a ping of the host's own address may arrive
        // before the call returns.
        self.rows.push(PingRow { sequence, sent: now, outcome: PingOutcome::Waiting, duplicates: 0 });
        self.waiting += 1;
        self.last_activity = now;
        let (destination, ttl) = (self.config.destination, (self.config.ttl, self.config.class));
        if let Err(error) = host.send_echo_request(destination, ttl, ident, sequence as u16, &payload) {
            debug_assert!(matches!(error, SendError::NoRoute(_)), "sizes are checked when the ping is made");
            self.record_outcome(self.rows.len() - 1, PingOutcome::NoRoute);
        }
        if self.config.count == Some(sequence) {
            self.sending_done = true;
        } else if self.config.flood {
            // The token identifies the request that the next one must not wait for any longer.
            host.wake_at(now.saturating_add(self.config.interval), FIRST_FLOOD_TOKEN + sequence);
        } else {
            host.wake_at(
                self.started.saturating_add(self.config.interval.saturating_mul(sequence)),
                SEND_TOKEN,
            );
        }
        self.set_timer(host);
        self.set_quiet_timer(host);
    }

    /// Returns the time at which the ping ends unless a reply arrives; see
    /// [`PingConfig::ends_when_quiet`].
    fn quiet_deadline(&self) -> Option<Nanos> {
        let rtt = self.longest_rtt.filter(|_| self.config.ends_when_quiet && self.sending_done)?;
        let quiet = rtt.saturating_mul(2).max(self.config.interval).max(SECOND);
        Some(self.last_activity.saturating_add(quiet))
    }

    fn set_quiet_timer(&mut self, host: &mut HostContext<'_>) {
        if let Some(end) = self.quiet_deadline()
            && !self.quiet_timer_set
            && self.waiting > 0
        {
            self.quiet_timer_set = true;
            host.wake_at(end, END_TOKEN);
        }
    }

    /// Sends the next request after an answered one in flood mode.
    fn send_next_in_flood(&mut self, place: usize, host: &mut HostContext<'_>) {
        if self.config.flood && !self.sending_done && place + 1 == self.rows.len() {
            host.wake_at(host.now(), FIRST_FLOOD_TOKEN + place as u64 + 1);
        }
    }

    /// Records the result of a row that waits for a reply.
    fn record_outcome(&mut self, place: usize, outcome: PingOutcome) {
        self.rows[place].outcome = outcome;
        self.waiting -= 1;
    }

    /// Sets the timer for the oldest row that waits for a reply; only one timer runs at a time.
    fn set_timer(&mut self, host: &mut HostContext<'_>) {
        while self.rows.get(self.oldest).is_some_and(|row| row.outcome != PingOutcome::Waiting) {
            self.oldest += 1;
        }
        if let Some(row) = self.rows.get(self.oldest)
            && !self.timer_set
        {
            self.timer_set = true;
            host.wake_at(row.sent.saturating_add(self.config.timeout), TIMEOUT_TOKEN);
        }
    }

    fn expire_rows(&mut self, now: Nanos) {
        for place in self.oldest..self.rows.len() {
            let row = self.rows[place];
            if row.sent.saturating_add(self.config.timeout) > now {
                break;
            }
            if row.outcome == PingOutcome::Waiting {
                self.record_outcome(place, PingOutcome::Lost);
            }
        }
    }

    /// Returns the index of the row with this ICMP sequence number: the last one with these low 16
    /// bits.
    fn row_index(&self, sequence: u16) -> Option<usize> {
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
        // 65536 random tries fail only if nearly all identifiers are taken.
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
            host.wake_at(self.started.saturating_add(deadline), DEADLINE_TOKEN);
        }
        self.send(ident, host);
    }

    fn wake(&mut self, token: u64, host: &mut HostContext<'_>) {
        match token {
            SEND_TOKEN => {
                if let (false, Some(ident)) = (self.sending_done, self.ident) {
                    self.send(ident, host);
                }
            }
            TIMEOUT_TOKEN => {
                self.timer_set = false;
                self.expire_rows(host.now());
                self.set_timer(host);
            }
            DEADLINE_TOKEN => self.stop(host),
            END_TOKEN => {
                self.quiet_timer_set = false;
                match self.quiet_deadline() {
                    Some(end) if end <= host.now() => self.stop(host),
                    _ => self.set_quiet_timer(host),
                }
            }
            token => {
                let next = !self.sending_done && token - FIRST_FLOOD_TOKEN == self.rows.len() as u64;
                if let (true, Some(ident)) = (next, self.ident) {
                    self.send(ident, host);
                }
            }
        }
    }

    fn receive(&mut self, arrival: &AppEvent<'_>, host: &mut HostContext<'_>) {
        match *arrival {
            AppEvent::EchoReply { from, sequence, ttl, payload } => {
                let Some(place) = self.row_index(sequence) else { return };
                let row = &mut self.rows[place];
                let (rtt, bytes) = (host.now() - row.sent, payload.len() + ECHO_HEADER_BYTES);
                self.last_activity = host.now();
                self.longest_rtt = self.longest_rtt.max(Some(rtt));
                match row.outcome {
                    PingOutcome::Waiting => {
                        self.record_outcome(place, PingOutcome::Reply { rtt, ttl, bytes, from });
                        self.send_next_in_flood(place, host);
                    }
                    PingOutcome::Reply { .. } | PingOutcome::Late { .. } => row.duplicates += 1,
                    PingOutcome::Lost | PingOutcome::Error(_) | PingOutcome::NoRoute => {
                        row.outcome = PingOutcome::Late { rtt, ttl, bytes };
                    }
                }
                self.set_quiet_timer(host);
            }
            AppEvent::Error { error, original: &[_, _, _, _, _, _, high, low, ..] } => {
                let Some(place) = self.row_index(u16::from_be_bytes([high, low])) else { return };
                if self.rows[place].outcome == PingOutcome::Waiting {
                    self.record_outcome(place, PingOutcome::Error(error));
                }
            }
            AppEvent::Error { .. }
            | AppEvent::Udp { .. }
            | AppEvent::Tcp { .. }
            | AppEvent::SynOptions { .. } => {}
        }
    }

    /// Stops sending. Requests that wait for a reply count as lost.
    fn stop(&mut self, _: &mut HostContext<'_>) {
        self.sending_done = true;
        for place in self.oldest..self.rows.len() {
            if self.rows[place].outcome == PingOutcome::Waiting {
                self.record_outcome(place, PingOutcome::Lost);
            }
        }
    }

    fn is_self_contained(&self) -> bool {
        true
    }

    fn finished(&self) -> bool {
        self.sending_done && self.waiting == 0
    }
}
