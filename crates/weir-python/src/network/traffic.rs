//! Bindings for traffic and its results.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use weir_sim::tcp::{Closed, TraceKind, TraceRow};
use weir_sim::{App, AppId, ExchangeRow, FlowInterval, PingOutcome, PingRow, TcpInterval};

use super::Network;
use crate::errors;
use crate::record::records;

/// Makes a dictionary of some fields of a value.
macro_rules! fields {
    ($py:expr, $of:expr, $($field:ident),+ $(,)?) => {{
        let dict = PyDict::new($py);
        $(dict.set_item(stringify!($field), &$of.$field)?;)+
        dict
    }};
}

records! {
    /// One echo request and its reply.
    PingReply {
        /// The request's number, from 1.
        seq: u64,
        /// The virtual time at which the request was sent, in nanoseconds.
        time_ns: u64,
        /// The time in nanoseconds from the request to its reply; `None` if no reply arrived in
        /// time.
        rtt_ns: Option<u64>,
        /// The reply's time to live; `None` without a reply.
        ttl: Option<u8>,
        /// The ICMP bytes of the reply (8 bytes of header, and the data), as ping counts them;
        /// `None` without a reply.
        bytes: Option<usize>,
        /// An ICMP error, or an error of the network stack of the host, such as `destination host
        /// unreachable`.
        error: Option<String> = None,
        /// The address that an ICMP error came from.
        error_from: Option<String> = None,
        /// The source address of the reply; it differs from the address of the target if the target
        /// is a group.
        reply_from: Option<String> = None,
    }

    /// An exchange: a request and its response, or a flow without response.
    Exchange {
        /// The start in virtual nanoseconds: the time of the SYN if the exchange has its own
        /// connection.
        start_ns: u64,
        /// The bytes of the request.
        request: u64,
        /// The bytes of the response.
        response: u64,
        /// The virtual time at which the whole request had arrived; `None` if it never did.
        request_ns: Option<u64>,
        /// The virtual time at which the last byte of the response, or of a request without
        /// response, arrived; `None` if it never did.
        end_ns: Option<u64>,
        /// The number of repetitions of a UDP request. Always 0 for TCP, which retransmits segments
        /// itself.
        repeats: u32,
        /// The reason why the exchange failed, such as `timed out`; `None` if it did not fail.
        failure: Option<String>,
        /// The host that received the request. For a repeated datagram, the last host before the
        /// response. `None` if no host received it.
        server: Option<String>,
    }
}

#[pymethods]
impl Exchange {
    /// The time in milliseconds from the start to the end; `None` if the exchange did not finish.
    #[getter]
    fn time_ms(&self) -> Option<f64> {
        self.end_ns.map(|end| (end as f64 - self.start_ns as f64) / 1e6)
    }
}

/// An application that generates traffic. After this object is deleted, the application is removed
/// once it has finished.
#[pyclass(frozen)]
pub struct Traffic {
    network: Py<Network>,
    pub(super) app: AppId,
}

#[pymethods]
impl Traffic {
    /// Whether the application has finished.
    #[getter]
    fn finished(&self) -> PyResult<bool> {
        Ok(self.network.get().state()?.world.app_finished(self.app))
    }

    /// Stops the application, which starts no new traffic.
    fn stop(&self) -> PyResult<()> {
        self.network.get().state()?.world.stop_app(self.app);
        Ok(())
    }

    /// Returns the requests of a ping from number `start` on, up to the first without a result.
    fn pings(&self, start: usize) -> PyResult<Vec<PingReply>> {
        self.with_app(|ping: &weir_sim::Ping| ping.rows().iter().skip(start).map_while(ping_reply).collect())
    }

    /// Returns the report of both ends of a UDP flow, with times in nanoseconds, and sizes in bytes
    /// without the UDP header.
    fn udp<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (report, port) = self.with_app(|flow: &weir_sim::UdpFlow| (flow.report(), flow.source_port()))?;
        let dict = fields!(
            py,
            report,
            started,
            last_sent,
            sent,
            sent_bytes,
            refused,
            errors,
            received,
            server,
            by_server,
            received_bytes,
            duplicates,
            reordered,
            arrivals,
            jitter,
            failure
        );
        dict.set_item("source_port", port)?;
        let delays = &report.delays;
        let has_delays = delays.count > 0;
        dict.set_item(
            "delays",
            has_delays.then(|| (delays.min, delays.mean(), delays.max, delays.deviation())),
        )?;
        let row = |i: &FlowInterval| {
            (i.sent, i.sent_arrived, i.received, i.received_bytes, i.reordered, i.delay_sum, i.jitter)
        };
        dict.set_item("intervals", report.intervals.iter().map(row).collect::<Vec<_>>())?;
        let rows = &report.rows;
        dict.set_item(
            "rows",
            [
                number_column(py, rows.iter().map(|row| row.number)),
                number_column(py, rows.iter().map(|row| row.sent)),
                number_column(py, rows.iter().map(|row| row.arrived)),
            ],
        )?;
        Ok(dict)
    }

    /// Returns the report of both ends of a TCP flow, with times in nanoseconds.
    fn tcp<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let report = self.network.get().state()?.world.tcp_report(self.app);
        let report = report.ok_or_else(|| errors::network_error("that is not a TCP flow"))?;
        let dict = fields!(py, report, started, connected, server, received, arrivals, failure);
        dict.set_item("closed", report.closed.map(end_reason))?;
        dict.set_item("source_port", report.ends.map(|[own, _]| own.1))?;
        dict.set_item("ip_options", PyBytes::new(py, &report.ip_options))?;
        let figures = report.info.as_ref().map(|info| metrics_dict(py, info)).transpose()?;
        dict.set_item("figures", figures)?;
        let row = |i: &TcpInterval| (i.received, i.acked, i.retransmits, i.timeouts, i.cwnd, i.srtt);
        dict.set_item("intervals", report.intervals.iter().map(row).collect::<Vec<_>>())?;
        let deliveries = &report.deliveries;
        dict.set_item(
            "deliveries",
            [
                number_column(py, deliveries.iter().map(|(time, _)| *time)),
                number_column(py, deliveries.iter().map(|(_, bytes)| *bytes)),
            ],
        )?;
        let column = |value: fn(&TraceRow) -> u64| number_column(py, report.trace.iter().map(value));
        dict.set_item(
            "trace",
            [
                column(|row| row.time),
                column(|row| kind_number(row.kind) as u64),
                column(|row| row.seq),
                column(|row| u64::from(row.len)),
                column(|row| row.cwnd),
                column(|row| row.ssthresh),
                column(|row| row.in_flight),
                column(|row| row.srtt),
            ],
        )?;
        Ok(dict)
    }

    /// Returns the exchanges with these servers that have started, and the reason why the last
    /// exchange could not start.
    fn exchanges(&self, servers: Vec<String>) -> PyResult<(Vec<Exchange>, Option<String>)> {
        let (rows, failure) = self
            .with_app(|app: &weir_sim::TcpExchanges| (app.rows(), app.failure().map(str::to_owned)))
            .or_else(|_| {
                self.with_app(|app: &weir_sim::UdpExchanges| (app.rows(), app.failure().map(str::to_owned)))
            })?;
        let exchange = |row: ExchangeRow| Exchange {
            start_ns: row.started,
            request: row.request,
            response: row.response,
            request_ns: row.requested,
            end_ns: row.finished,
            repeats: row.repeats,
            failure: row.failed.map(|closed| end_reason(closed).to_owned()),
            server: row.server.and_then(|number| servers.get(number).cloned()),
        };
        Ok((rows.into_iter().map(exchange).collect(), failure))
    }

    /// Returns the number of frames that a replay has sent.
    fn replayed(&self) -> PyResult<u64> {
        self.with_app(weir_sim::Replay::sent)
    }

    /// Sets the pacing rate of a TCP flow in bits of IP packets per second; `None` leaves pacing to
    /// the congestion control.
    fn pace(&self, rate_bps: Option<u64>) -> PyResult<()> {
        let mut state = self.network.get().state()?;
        state.world.pace_tcp_flow(self.app, rate_bps).map_err(errors::network_error)
    }
}

impl Traffic {
    /// Creates the handle of an application that sends traffic in the network.
    pub(super) fn new(network: Py<Network>, app: AppId) -> Self {
        Traffic { network, app }
    }

    /// Passes the traffic's application to `look`, and returns the result. It is an error if the
    /// application is not of the type `A`.
    fn with_app<A: App, T>(&self, look: impl FnOnce(&A) -> T) -> PyResult<T> {
        let state = self.network.get().state()?;
        state
            .world
            .app::<A>(self.app)
            .map(look)
            .ok_or_else(|| errors::network_error("that is traffic of another kind"))
    }
}

impl Drop for Traffic {
    fn drop(&mut self) {
        self.network.get().dropped.note(self.app);
    }
}

/// Returns the metrics of a connection, by name.
pub(super) fn metrics_dict<'py>(py: Python<'py>, info: &weir_sim::tcp::Info) -> PyResult<Bound<'py, PyDict>> {
    Ok(fields!(
        py,
        info,
        mss,
        cwnd,
        ssthresh,
        srtt,
        rttvar,
        min_rtt,
        rto,
        in_flight,
        pacing_rate,
        written,
        send_space,
        acked,
        received,
        segments_out,
        segments_in,
        retransmits,
        timeouts,
        recoveries,
        spurious,
        ecn_reductions,
        peer_window
    ))
}

/// Describes the reason for the end of a connection.
pub(super) fn end_reason(closed: Closed) -> &'static str {
    match closed {
        Closed::Both => "closed",
        Closed::Reset => "reset",
        Closed::Refused => "refused",
        Closed::TimedOut => "timed out",
        Closed::Aborted => "aborted",
    }
}

/// Converts numbers to little-endian bytes.
pub(super) fn number_column(py: Python<'_>, values: impl Iterator<Item = u64>) -> Bound<'_, PyBytes> {
    PyBytes::new(py, &values.flat_map(u64::to_le_bytes).collect::<Vec<u8>>())
}

/// The error of a request that was not sent because there is no route.
pub const NO_ROUTE: &str = "no route to the target";

/// Describes an ICMP error, given the address of the node that reported it, the type and the code.
#[pyfunction]
pub fn icmp_error(source: &str, icmp_type: u8, code: u8) -> String {
    let unreachable = |what: Option<&&str>| match what {
        Some(what) => format!("destination {what} unreachable"),
        None => format!("destination (code {code}) unreachable"),
    };
    let is_v6 = source.contains(':');
    let what = match (icmp_type, is_v6) {
        (3, false) => unreachable(["network", "host", "protocol", "port"].get(usize::from(code))),
        (1, true) => unreachable(match code {
            0 => Some(&"network"),
            1 => Some(&"prohibited"),
            3 => Some(&"address"),
            4 => Some(&"port"),
            _ => None,
        }),
        (2, true) => "packet too big".to_owned(),
        (11, false) | (3, true) if code == 0 => "time to live exceeded".to_owned(),
        (11, false) | (3, true) => "fragments missing".to_owned(),
        _ => format!("ICMP{} error of type {icmp_type}, code {code}", if is_v6 { "v6" } else { "" }),
    };
    format!("{what}, says {source}")
}

/// Converts a request and its reply. Returns `None` while the request waits for the reply.
fn ping_reply(row: &PingRow) -> Option<PingReply> {
    let lost = PingReply {
        seq: row.sequence,
        time_ns: row.sent,
        rtt_ns: None,
        ttl: None,
        bytes: None,
        error: None,
        error_from: None,
        reply_from: None,
    };
    Some(match row.outcome {
        PingOutcome::Waiting => return None,
        PingOutcome::Reply { rtt, ttl, bytes, from } => PingReply {
            rtt_ns: Some(rtt),
            ttl: Some(ttl),
            bytes: Some(bytes),
            reply_from: Some(from.to_string()),
            ..lost
        },
        PingOutcome::Late { .. } | PingOutcome::Lost => lost,
        PingOutcome::Error(error) => {
            let from = error.from.to_string();
            let text = icmp_error(&from, error.icmp_type, error.code);
            PingReply { error: Some(text), error_from: Some(from), ..lost }
        }
        PingOutcome::NoRoute => PingReply { error: Some(NO_ROUTE.to_owned()), ..lost },
    })
}

/// The kinds of the trace's rows, with their names in Python.
const KINDS: [(TraceKind, &str); 7] = [
    (TraceKind::Sent, "sent"),
    (TraceKind::Retransmitted, "resent"),
    (TraceKind::Acked, "acked"),
    (TraceKind::Timeout, "timeout"),
    (TraceKind::Recovery, "recovery"),
    (TraceKind::Recovered, "recovered"),
    (TraceKind::Undone, "undone"),
];

/// Returns the number of a row's kind, see [`trace_kinds`].
fn kind_number(kind: TraceKind) -> usize {
    KINDS.iter().position(|(known, _)| *known == kind).unwrap_or(KINDS.len())
}

/// Returns the names of the trace's row kinds, by number.
#[pyfunction]
pub fn trace_kinds() -> Vec<&'static str> {
    KINDS.iter().map(|(_, name)| *name).collect()
}
