//! The sending end of a flow: the client, or the server in a reverse flow.

use weir_device::Nanos;
use weir_tcp::Pacing;

use super::TcpFlowConfig;
use super::TcpReport;
use crate::apps::flow::Departures;
use crate::apps::shared::Shared;
use crate::host::app::HostContext;
use crate::host::socket::Data;
use crate::{Random, SocketId};

/// The tokens of wake-ups, relative to the sender's base, a multiple of [`Sender::TOKENS`].
const TICK_TOKEN: u64 = 0;
/// The token of the wake-up at the end of the flow.
const END_TOKEN: u64 = 1;
/// The token of the wake-up at which the application offers more bytes.
const OFFER_TOKEN: u64 = 2;

/// Writes the data of a flow to its connection and records the connection's metrics.
pub(crate) struct Sender {
    config: TcpFlowConfig,
    report: Shared<TcpReport>,
    socket: Option<SocketId>,
    base: u64,
    /// When the application writes, if it does not write all at once, and the bytes it has not
    /// offered yet.
    departures: Option<Departures>,
    unoffered: u64,
    unwritten: u64,
    connected: bool,
    closing: bool,
}

impl Sender {
    /// The number of tokens that a sender uses.
    pub(crate) const TOKENS: u64 = 4;

    pub(crate) fn new(config: TcpFlowConfig, report: Shared<TcpReport>, random: Random) -> Self {
        let all = config.bytes.unwrap_or(u64::MAX);
        let departures = config.offer.map(|offer| Departures::new(offer.pattern, offer.bytes, random));
        let (unoffered, unwritten) = if departures.is_some() { (all, 0) } else { (0, all) };
        Sender {
            config,
            report,
            socket: None,
            base: 0,
            departures,
            unoffered,
            unwritten,
            connected: false,
            closing: false,
        }
    }

    /// Returns the record of the flow.
    pub(crate) fn record(&self) -> &Shared<TcpReport> {
        &self.report
    }

    /// Starts with a connection, whose handshake may be incomplete. Wake-ups have tokens starting
    /// at `base`.
    pub(crate) fn begin(&mut self, socket: SocketId, base: u64, host: &mut HostContext<'_>) {
        (self.socket, self.base) = (Some(socket), base);
        host.tcp_trace(socket, self.config.trace);
        let (now, started) = (host.now(), self.report.lock().started);
        if let Some(interval) = self.config.interval {
            let ticks = (now - started) / interval + 1;
            host.wake_at(started.saturating_add(interval.saturating_mul(ticks)), base + TICK_TOKEN);
        }
        if let Some(duration) = self.config.duration {
            host.wake_at(started.saturating_add(duration), base + END_TOKEN);
        }
    }

    /// Like [`Sender::begin`], for an accepted connection and with the flow's settings for the
    /// sending end.
    pub(crate) fn begin_accepted(&mut self, socket: SocketId, base: u64, host: &mut HostContext<'_>) {
        let options = self.config.options.clone();
        if let Some(congestion) = options.congestion {
            host.tcp_set_congestion(socket, congestion);
        }
        if let Some(window) = options.window {
            host.tcp_set_send_buffer(socket, window);
        }
        if let Some(rate) = options.pacing {
            host.tcp_set_pacing(socket, Pacing::Rate(rate));
        }
        self.begin(socket, base, host);
        self.connected(host);
    }

    /// Called when the handshake is complete.
    pub(crate) fn connected(&mut self, host: &mut HostContext<'_>) {
        self.connected = true;
        let ends = self.config.duration.map(|duration| self.report.lock().started.saturating_add(duration));
        if self.closing || ends.is_some_and(|ends| host.now() >= ends) {
            return self.stop(host);
        }
        match &mut self.departures {
            Some(departures) => {
                departures.start(host.now());
                self.write_due_data(host);
            }
            None => self.write(host),
        }
    }

    /// Offers the data that is due.
    fn write_due_data(&mut self, host: &mut HostContext<'_>) {
        let (Some(departures), Some(offer)) = (&mut self.departures, self.config.offer) else { return };
        loop {
            let bytes = (offer.bytes as u64).min(self.unoffered);
            self.unoffered -= bytes;
            self.unwritten += bytes;
            if self.unoffered == 0 {
                break;
            }
            let next = departures.next();
            if next > host.now() {
                host.wake_at(next, self.base + OFFER_TOKEN);
                break;
            }
        }
        self.write(host);
    }

    /// Writes as many bytes as fit in the send buffer, and closes the connection after the last
    /// byte.
    pub(crate) fn write(&mut self, host: &mut HostContext<'_>) {
        let Some(socket) = self.socket else { return };
        if self.unwritten > 0 {
            self.unwritten -= host.tcp_write(socket, Data::Pattern(self.unwritten)).unwrap_or(0);
        }
        if self.unwritten == 0 && self.unoffered == 0 && !self.closing {
            self.closing = true;
            host.tcp_release(socket);
        }
    }

    /// Stops sending; unsent data is discarded.
    pub(crate) fn stop(&mut self, host: &mut HostContext<'_>) {
        (self.unwritten, self.unoffered, self.closing) = (0, 0, true);
        if let Some(socket) = self.socket {
            host.tcp_take_back(socket);
            host.tcp_release(socket);
        }
    }

    /// Sets the pacing rate, which has been checked.
    pub(crate) fn pace(&mut self, rate: Option<u64>, host: &mut HostContext<'_>) {
        self.config.options.pacing = rate;
        if let Some(socket) = self.socket {
            host.tcp_set_pacing(socket, rate.map_or(Pacing::Controller, Pacing::Rate));
        }
    }

    /// Updates the flow's report from the connection's metrics.
    pub(crate) fn update_report(&self, host: &mut HostContext<'_>) {
        self.update_report_at(host.now(), host);
    }

    fn update_report_at(&self, time: Nanos, host: &mut HostContext<'_>) {
        let Some(socket) = self.socket else { return };
        let info = host.tcp_info(socket);
        let rows = if self.config.trace { host.tcp_take_trace(socket) } else { Vec::new() };
        let mut report = self.report.lock();
        report.trace.extend(rows);
        if let Some(info) = info {
            report.record_info(time, info);
        }
    }

    /// Handles a wake-up; `token` is relative to the base.
    pub(crate) fn wake(&mut self, token: u64, host: &mut HostContext<'_>) {
        match token {
            TICK_TOKEN => {
                let (Some(_), Some(interval)) = (self.socket, self.config.interval) else { return };
                // The metrics at the end of an interval belong to this interval.
                self.update_report_at(host.now() - 1, host);
                host.wake_at(host.now().saturating_add(interval), self.base + TICK_TOKEN);
            }
            OFFER_TOKEN if !self.closing => self.write_due_data(host),
            END_TOKEN if !self.closing && self.connected => self.stop(host),
            _ => {}
        }
    }

    /// Called when the connection has ended.
    pub(crate) fn handle_end(&mut self, host: &mut HostContext<'_>) {
        self.update_report(host);
        self.socket = None;
    }
}
