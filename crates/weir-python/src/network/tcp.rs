//! Traffic over TCP as Python sees it.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use weir_sim::tcp::{Algorithm, Closed, TraceKind, TraceRow};
use weir_sim::{
    Arrivals, ExchangeRow, ExchangesConfig, Sizes, TcpFlowConfig, TcpInterval, TcpOptions,
    TcpReport as Report,
};

use super::Network;
use super::flows::column;
use crate::errors;

/// Settings of TCP in plain values; what is none is as the host has it.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct TcpSettings {
    address: String,
    port: u16,
    congestion: Option<String>,
    mss: Option<u16>,
    window: Option<u32>,
    pacing_bps: Option<u64>,
    ecn: Option<bool>,
    sack: Option<bool>,
}

impl TcpSettings {
    fn destination(&self) -> PyResult<(std::net::IpAddr, u16)> {
        Ok((self.address.parse().map_err(errors::network)?, self.port))
    }

    fn options(&self) -> PyResult<TcpOptions> {
        let congestion = match self.congestion.as_deref() {
            None => None,
            Some("reno") => Some(Algorithm::Reno),
            Some("cubic") => Some(Algorithm::Cubic),
            Some("bbr") => Some(Algorithm::Bbr),
            Some(other) => {
                return Err(errors::network(format!(
                    "there is no congestion control `{other}`; expected reno, cubic or bbr"
                )));
            }
        };
        Ok(TcpOptions {
            congestion,
            mss: self.mss,
            window: self.window,
            pacing: self.pacing_bps,
            ecn: self.ecn,
            sack: self.sack,
        })
    }

    pub(super) fn flow(
        &self,
        duration: Option<u64>,
        bytes: Option<u64>,
        interval: Option<u64>,
        ip_options: Vec<u8>,
        trace: bool,
    ) -> PyResult<TcpFlowConfig> {
        let (destination, options) = (self.destination()?, self.options()?);
        Ok(TcpFlowConfig { destination, duration, bytes, interval, options, ip_options, trace })
    }
}

/// When exchanges begin and how large they are, in plain values.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct ExchangeSettings {
    /// Nanoseconds of thinking between one and the next; none if they overlap.
    think_ns: Option<u64>,
    /// The mean between two of a Poisson process.
    mean_ns: Option<f64>,
    /// Given times.
    times_ns: Vec<u64>,
    count: u64,
    request: Vec<u64>,
    /// Whether `request` is the mean of an exponential distribution.
    request_exponential: bool,
    response: Vec<u64>,
    response_exponential: bool,
    keep_connection: bool,
}

impl ExchangeSettings {
    pub(super) fn config(self, tcp: &TcpSettings) -> PyResult<ExchangesConfig> {
        let sizes = |sizes: Vec<u64>, exponential: bool| match sizes[..] {
            [mean] if exponential => Sizes::Exponential { mean: mean as f64 },
            [size] => Sizes::Fixed(size),
            _ => Sizes::Of(sizes),
        };
        let arrivals = match (self.think_ns, self.mean_ns) {
            (Some(think), _) => Arrivals::OneByOne { think },
            (None, Some(mean)) => Arrivals::Poisson { mean },
            (None, None) => Arrivals::At(self.times_ns),
        };
        Ok(ExchangesConfig {
            destination: tcp.destination()?,
            arrivals,
            count: self.count,
            request: sizes(self.request, self.request_exponential),
            response: sizes(self.response, self.response_exponential),
            keep_connection: self.keep_connection,
            options: tcp.options()?,
        })
    }
}

fn ending(closed: Closed) -> &'static str {
    match closed {
        Closed::Both => "closed",
        Closed::Reset => "reset",
        Closed::Refused => "refused",
        Closed::TimedOut => "timed out",
        Closed::Aborted => "aborted",
    }
}

/// A bulk flow over TCP that was started.
#[pyclass(frozen)]
pub struct TcpFlow {
    pub(super) network: Py<Network>,
    /// Its number among the network's applications.
    #[pyo3(get)]
    pub(super) app: usize,
}

#[pymethods]
impl TcpFlow {
    /// What is known so far, at both ends.
    fn report(&self) -> PyResult<TcpReport> {
        self.call(|flow, host| {
            flow.look(host);
            TcpReport { report: flow.report() }
        })
    }

    /// Whether its connection is over.
    #[getter]
    fn finished(&self) -> PyResult<bool> {
        let state = self.network.get().state()?;
        Ok(state.world.app_finished(state.find_app(self.app)?))
    }

    /// Paces what is sent from now on, in bits of IP packets per second; none leaves it to the congestion control.
    fn pace(&self, rate_bps: Option<u64>) -> PyResult<()> {
        self.call(|flow, host| flow.pace(rate_bps, host))?.map_err(errors::network)
    }

    /// Ends the sending: what has not left is not sent.
    fn stop(&self) -> PyResult<()> {
        self.call(|flow, host| flow.stop(host))
    }
}

impl TcpFlow {
    fn call<T>(
        &self,
        call: impl FnOnce(&mut weir_sim::TcpFlow, &mut weir_sim::HostContext<'_>) -> T,
    ) -> PyResult<T> {
        let mut state = self.network.get().state()?;
        let app = state.find_app(self.app)?;
        let result = state.world.call_app(app, call);
        result.ok_or_else(|| errors::network(format!("application {} is no flow of TCP", self.app)))
    }
}

/// What is known of a bulk flow. Times in nanoseconds.
#[pyclass(frozen)]
pub struct TcpReport {
    report: Report,
}

/// Received, acknowledged, sent again, time-outs, congestion window, smoothed round trip.
type IntervalRow = (u64, u64, u64, u64, u64, u64);

#[pymethods]
impl TcpReport {
    #[getter]
    fn started(&self) -> u64 {
        self.report.started
    }

    #[getter]
    fn connected(&self) -> Option<u64> {
        self.report.connected
    }

    #[getter]
    fn ended(&self) -> Option<u64> {
        self.report.ended
    }

    /// `closed`, `reset`, `refused`, `timed out` or `aborted`.
    #[getter]
    fn closed(&self) -> Option<&'static str> {
        self.report.closed.map(ending)
    }

    /// The client's port.
    #[getter]
    fn source_port(&self) -> Option<u16> {
        self.report.ends.map(|[own, _]| own.1)
    }

    #[getter]
    fn received(&self) -> u64 {
        self.report.received
    }

    /// When the first and the last byte came.
    #[getter]
    fn arrivals(&self) -> Option<(u64, u64)> {
        self.report.arrivals
    }

    #[getter]
    fn failure(&self) -> Option<&str> {
        self.report.failure.as_deref()
    }

    /// The IPv4 options of the server's SYN-ACK.
    #[getter]
    fn ip_options<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.report.ip_options)
    }

    /// The connection's figures, by name; empty before its start.
    fn figures<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        if let Some(info) = &self.report.info {
            dict.set_item("mss", info.mss)?;
            dict.set_item("cwnd", info.cwnd)?;
            dict.set_item("srtt", info.srtt)?;
            dict.set_item("min_rtt", info.min_rtt)?;
            dict.set_item("rto", info.rto)?;
            dict.set_item("acked", info.acked)?;
            dict.set_item("segments_out", info.segments_out)?;
            dict.set_item("segments_in", info.segments_in)?;
            dict.set_item("retransmits", info.retransmits)?;
            dict.set_item("timeouts", info.timeouts)?;
            dict.set_item("recoveries", info.recoveries)?;
            dict.set_item("spurious", info.spurious)?;
            dict.set_item("ecn_reductions", info.ecn_reductions)?;
        }
        Ok(dict)
    }

    fn intervals(&self) -> Vec<IntervalRow> {
        let row = |i: &TcpInterval| (i.received, i.acked, i.retransmits, i.timeouts, i.cwnd, i.srtt);
        self.report.intervals.iter().map(row).collect()
    }

    /// Times, kinds (by their place in `trace_kinds`), positions, bytes, congestion window, slow start threshold, bytes in flight, smoothed
    /// round trips: columns of 64-bit little-endian numbers.
    fn trace<'py>(&self, py: Python<'py>) -> [Bound<'py, PyBytes>; 8] {
        let of = |value: fn(&TraceRow) -> u64| column(py, self.report.trace.iter().map(value));
        [
            of(|row| row.time),
            of(|row| kind(row.kind) as u64),
            of(|row| row.seq),
            of(|row| u64::from(row.len)),
            of(|row| row.cwnd),
            of(|row| row.ssthresh),
            of(|row| row.in_flight),
            of(|row| row.srtt),
        ]
    }
}

const KINDS: [(TraceKind, &str); 7] = [
    (TraceKind::Sent, "sent"),
    (TraceKind::Resent, "resent"),
    (TraceKind::Acked, "acked"),
    (TraceKind::Timeout, "timeout"),
    (TraceKind::Recovery, "recovery"),
    (TraceKind::Recovered, "recovered"),
    (TraceKind::Undone, "undone"),
];

fn kind(kind: TraceKind) -> usize {
    KINDS.iter().position(|(known, _)| *known == kind).unwrap_or(KINDS.len())
}

/// The kinds of a trace's rows, by their numbers.
#[pyfunction]
pub fn trace_kinds() -> Vec<&'static str> {
    KINDS.iter().map(|(_, name)| *name).collect()
}

/// Exchanges over TCP that were started.
#[pyclass(frozen)]
pub struct Exchanges {
    pub(super) network: Py<Network>,
    /// Its number among the network's applications.
    #[pyo3(get)]
    pub(super) app: usize,
}

/// Started, bytes of request and response, when the request was there, when all was over, how the connection ended before.
type Row = (u64, u64, u64, Option<u64>, Option<u64>, Option<&'static str>);

#[pymethods]
impl Exchanges {
    /// A row for each exchange so far, and why the last could not begin.
    fn rows(&self) -> PyResult<(Vec<Row>, Option<String>)> {
        let state = self.network.get().state()?;
        let exchanges = state.world.app::<weir_sim::Exchanges>(state.find_app(self.app)?);
        let row = |row: ExchangeRow| {
            (row.started, row.request, row.response, row.requested, row.finished, row.failed.map(ending))
        };
        Ok(exchanges.map_or((Vec::new(), None), |exchanges| {
            (exchanges.rows().into_iter().map(row).collect(), exchanges.failure().map(str::to_owned))
        }))
    }

    /// Whether the last is over.
    #[getter]
    fn finished(&self) -> PyResult<bool> {
        let state = self.network.get().state()?;
        Ok(state.world.app_finished(state.find_app(self.app)?))
    }

    /// Begins no more.
    fn stop(&self) -> PyResult<()> {
        let mut state = self.network.get().state()?;
        let app = state.find_app(self.app)?;
        if let Some(exchanges) = state.world.app_mut::<weir_sim::Exchanges>(app) {
            exchanges.stop();
        }
        Ok(())
    }
}
