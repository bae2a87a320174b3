//! Bindings for traffic and its results.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use weir_sim::tcp::{Closed, TraceKind, TraceRow};
use weir_sim::{App, AppId, ExchangeRow, FlowInterval, PingOutcome, PingRow, TcpInterval};

use super::Network;
use crate::errors;

/// A dictionary with some fields of a value.
macro_rules! fields {
    ($py:expr, $of:expr, $($field:ident),+ $(,)?) => {{
        let dict = PyDict::new($py);
        $(dict.set_item(stringify!($field), &$of.$field)?;)+
        dict
    }};
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

    /// Stops the application: it starts nothing new.
    fn stop(&self) -> PyResult<()> {
        self.network.get().state()?.world.stop_app(self.app);
        Ok(())
    }

    /// For a ping: the rows from `start` on, up to the first without a result.
    fn pings(&self, start: usize) -> PyResult<Vec<Ping>> {
        self.look(|ping: &weir_sim::Ping| ping.rows().iter().skip(start).map_while(ping_row).collect())
    }

    /// For a UDP flow: the report of both ends. Times in nanoseconds, bytes after the UDP header.
    fn udp<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (report, port) = self.look(|flow: &weir_sim::UdpFlow| (flow.report(), flow.source_port()))?;
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
        let known = delays.count > 0;
        dict.set_item("delays", known.then(|| (delays.min, delays.mean(), delays.max, delays.deviation())))?;
        let row = |i: &FlowInterval| {
            (i.sent, i.sent_arrived, i.received, i.received_bytes, i.reordered, i.delay_sum, i.jitter)
        };
        dict.set_item("intervals", report.intervals.iter().map(row).collect::<Vec<_>>())?;
        let rows = &report.rows;
        dict.set_item(
            "rows",
            [
                column(py, rows.iter().map(|row| row.number)),
                column(py, rows.iter().map(|row| row.sent)),
                column(py, rows.iter().map(|row| row.arrived)),
            ],
        )?;
        Ok(dict)
    }

    /// For a TCP flow: the report of both ends. Times in nanoseconds.
    fn tcp<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let report = self.network.get().state()?.world.tcp_report(self.app);
        let report = report.ok_or_else(|| errors::network("that is not a TCP flow"))?;
        let dict = fields!(py, report, started, connected, server, received, arrivals, failure);
        dict.set_item("closed", report.closed.map(ending))?;
        dict.set_item("source_port", report.ends.map(|[own, _]| own.1))?;
        dict.set_item("ip_options", PyBytes::new(py, &report.ip_options))?;
        let figures = report.info.as_ref().map(|info| figures(py, info)).transpose()?;
        dict.set_item("figures", figures)?;
        let row = |i: &TcpInterval| (i.received, i.acked, i.retransmits, i.timeouts, i.cwnd, i.srtt);
        dict.set_item("intervals", report.intervals.iter().map(row).collect::<Vec<_>>())?;
        let deliveries = &report.deliveries;
        dict.set_item(
            "deliveries",
            [
                column(py, deliveries.iter().map(|(time, _)| *time)),
                column(py, deliveries.iter().map(|(_, bytes)| *bytes)),
            ],
        )?;
        let of = |value: fn(&TraceRow) -> u64| column(py, report.trace.iter().map(value));
        dict.set_item(
            "trace",
            [
                of(|row| row.time),
                of(|row| kind(row.kind) as u64),
                of(|row| row.seq),
                of(|row| u64::from(row.len)),
                of(|row| row.cwnd),
                of(|row| row.ssthresh),
                of(|row| row.in_flight),
                of(|row| row.srtt),
            ],
        )?;
        Ok(dict)
    }

    /// For exchanges: a row for each so far, and why the last one could not begin.
    fn exchanges(&self) -> PyResult<(Vec<Exchange>, Option<String>)> {
        let (rows, failure) = self
            .look(|app: &weir_sim::TcpExchanges| (app.rows(), app.failure().map(str::to_owned)))
            .or_else(|_| {
                self.look(|app: &weir_sim::UdpExchanges| (app.rows(), app.failure().map(str::to_owned)))
            })?;
        Ok((rows.iter().map(exchange).collect(), failure))
    }

    /// For a replay: the frames sent so far.
    fn replayed(&self) -> PyResult<u64> {
        self.look(weir_sim::Replay::sent)
    }

    /// Sets the pacing rate of a TCP flow in bits of IP packets per second; none leaves pacing to
    /// the congestion control.
    fn pace(&self, rate_bps: Option<u64>) -> PyResult<()> {
        let mut state = self.network.get().state()?;
        state.world.pace_tcp_flow(self.app, rate_bps).map_err(errors::network)
    }
}

impl Traffic {
    pub(super) fn new(network: Py<Network>, app: AppId) -> Self {
        Traffic { network, app }
    }

    fn look<A: App, T>(&self, look: impl FnOnce(&A) -> T) -> PyResult<T> {
        let state = self.network.get().state()?;
        state
            .world
            .app::<A>(self.app)
            .map(look)
            .ok_or_else(|| errors::network("that is traffic of another kind"))
    }
}

impl Drop for Traffic {
    fn drop(&mut self) {
        self.network.get().dropped.note(self.app);
    }
}

/// The metrics of a connection, by name.
pub(super) fn figures<'py>(py: Python<'py>, info: &weir_sim::tcp::Info) -> PyResult<Bound<'py, PyDict>> {
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

/// How a connection ended.
pub(super) fn ending(closed: Closed) -> &'static str {
    match closed {
        Closed::Both => "closed",
        Closed::Reset => "reset",
        Closed::Refused => "refused",
        Closed::TimedOut => "timed out",
        Closed::Aborted => "aborted",
    }
}

/// Numbers as little-endian bytes.
pub(super) fn column(py: Python<'_>, values: impl Iterator<Item = u64>) -> Bound<'_, PyBytes> {
    PyBytes::new(py, &values.flat_map(u64::to_le_bytes).collect::<Vec<u8>>())
}

/// `(sequence, sent, kind, rtt, ttl, bytes, answer)`: `kind` is `reply`, `lost`, `error` or
/// `no_route`; times in nanoseconds; the last is the address of the node that replied or reported
/// the error, the ICMP type and code.
type Ping = (u64, u64, &'static str, Option<u64>, Option<u8>, Option<usize>, Option<(String, u8, u8)>);

/// A request's row; none while it waits for a reply.
fn ping_row(row: &PingRow) -> Option<Ping> {
    let settled = |kind, rtt, ttl, bytes, error| Some((row.sequence, row.sent, kind, rtt, ttl, bytes, error));
    match row.outcome {
        PingOutcome::Waiting => None,
        PingOutcome::Reply { rtt, ttl, bytes, from } => {
            let icmp_type = if from.is_ipv6() { 129 } else { 0 };
            settled("reply", Some(rtt), Some(ttl), Some(bytes), Some((from.to_string(), icmp_type, 0)))
        }
        PingOutcome::Late { .. } | PingOutcome::Lost => settled("lost", None, None, None, None),
        PingOutcome::Error(e) => {
            settled("error", None, None, None, Some((e.from.to_string(), e.icmp_type, e.code)))
        }
        PingOutcome::NoRoute => settled("no_route", None, None, None, None),
    }
}

/// When it started, bytes of request and response, when the request had arrived, when it ended,
/// number of retransmissions of the request, how it failed, index of the server.
type Exchange = (u64, u64, u64, Option<u64>, Option<u64>, u32, Option<&'static str>, Option<usize>);

fn exchange(row: &ExchangeRow) -> Exchange {
    let failed = row.failed.map(ending);
    (row.started, row.request, row.response, row.requested, row.finished, row.repeats, failed, row.server)
}

const KINDS: [(TraceKind, &str); 7] = [
    (TraceKind::Sent, "sent"),
    (TraceKind::Retransmitted, "resent"),
    (TraceKind::Acked, "acked"),
    (TraceKind::Timeout, "timeout"),
    (TraceKind::Recovery, "recovery"),
    (TraceKind::Recovered, "recovered"),
    (TraceKind::Undone, "undone"),
];

fn kind(kind: TraceKind) -> usize {
    KINDS.iter().position(|(known, _)| *known == kind).unwrap_or(KINDS.len())
}

/// The names of the trace's row kinds, by number.
#[pyfunction]
pub fn trace_kinds() -> Vec<&'static str> {
    KINDS.iter().map(|(_, name)| *name).collect()
}
