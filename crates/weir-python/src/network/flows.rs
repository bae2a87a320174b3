//! Measured flows and replays as Python sees them.

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use weir_sim::{FlowInterval, FlowReport, Pattern, UdpFlowConfig};

use super::Network;
use crate::errors;

/// A measured flow of datagrams that was started.
#[pyclass(frozen)]
pub struct UdpFlow {
    pub(super) network: Py<Network>,
    /// Its number among the network's applications.
    #[pyo3(get)]
    pub(super) app: usize,
}

#[pymethods]
impl UdpFlow {
    /// What is known so far, at both ends.
    fn report(&self) -> PyResult<UdpReport> {
        self.with(|flow| UdpReport { report: flow.report() })
    }

    /// The port it sends from; 0 before its start.
    #[getter]
    fn source_port(&self) -> PyResult<u16> {
        self.with(|flow| flow.source_port())
    }

    /// Whether the last datagram was sent and none is waited for any more.
    #[getter]
    fn finished(&self) -> PyResult<bool> {
        let state = self.network.get().state()?;
        Ok(state.world.app_finished(state.find_app(self.app)?))
    }

    /// Ends the sending.
    fn stop(&self) -> PyResult<()> {
        let mut state = self.network.get().state()?;
        let app = state.find_app(self.app)?;
        if let Some(flow) = state.world.app_mut::<weir_sim::UdpFlow>(app) {
            flow.stop();
        }
        Ok(())
    }
}

impl UdpFlow {
    fn with<T>(&self, look: impl FnOnce(&weir_sim::UdpFlow) -> T) -> PyResult<T> {
        let state = self.network.get().state()?;
        let flow = state.world.app::<weir_sim::UdpFlow>(state.find_app(self.app)?);
        flow.map(look).ok_or_else(|| errors::network(format!("application {} is no flow of UDP", self.app)))
    }
}

/// A flow's settings from plain values: a pattern's name and times, as Python has checked them.
pub(super) fn pattern(
    name: &str,
    bits_per_second: u64,
    on_ns: u64,
    off_ns: u64,
    random: bool,
) -> PyResult<Pattern> {
    match name {
        "constant" => Ok(Pattern::Constant { bits_per_second }),
        "poisson" => Ok(Pattern::Poisson { bits_per_second }),
        "on-off" => Ok(Pattern::OnOff { bits_per_second, on: on_ns, off: off_ns, random }),
        other => Err(errors::network(format!(
            "there is no pattern `{other}`; expected constant, poisson or on-off"
        ))),
    }
}

/// Where a flow goes and how, in plain values.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct UdpSettings {
    address: String,
    port: u16,
    source_port: Option<u16>,
    payload_bytes: usize,
    pattern: String,
    bits_per_second: u64,
    on_ns: u64,
    off_ns: u64,
    random: bool,
    duration_ns: Option<u64>,
    datagrams: Option<u64>,
    interval_ns: Option<u64>,
    linger_ns: u64,
    keep_rows: bool,
}

impl UdpSettings {
    pub(super) fn config(self) -> PyResult<UdpFlowConfig> {
        let address: std::net::IpAddr = self.address.parse().map_err(errors::network)?;
        Ok(UdpFlowConfig {
            destination: (address, self.port),
            source_port: self.source_port,
            payload_bytes: self.payload_bytes,
            pattern: pattern(&self.pattern, self.bits_per_second, self.on_ns, self.off_ns, self.random)?,
            duration: self.duration_ns,
            datagrams: self.datagrams,
            interval: self.interval_ns,
            linger: self.linger_ns,
            keep_rows: self.keep_rows,
        })
    }
}

/// What is known of a flow of datagrams. Times in nanoseconds, bytes after the UDP header.
#[pyclass(frozen)]
pub struct UdpReport {
    report: FlowReport,
}

/// Sent, how many of those arrived, received, bytes, reordered, the sum of the delays, the jitter.
type IntervalRow = (u64, u64, u64, u64, u64, u128, f64);

#[pymethods]
impl UdpReport {
    #[getter]
    fn started(&self) -> u64 {
        self.report.started
    }

    #[getter]
    fn last_sent(&self) -> Option<u64> {
        self.report.last_sent
    }

    #[getter]
    fn sent(&self) -> u64 {
        self.report.sent
    }

    #[getter]
    fn sent_bytes(&self) -> u64 {
        self.report.sent_bytes
    }

    #[getter]
    fn refused(&self) -> u64 {
        self.report.refused
    }

    #[getter]
    fn errors(&self) -> u64 {
        self.report.errors
    }

    #[getter]
    fn received(&self) -> u64 {
        self.report.received
    }

    #[getter]
    fn received_bytes(&self) -> u64 {
        self.report.received_bytes
    }

    #[getter]
    fn duplicates(&self) -> u64 {
        self.report.duplicates
    }

    #[getter]
    fn reordered(&self) -> u64 {
        self.report.reordered
    }

    /// When the first and the last arrived.
    #[getter]
    fn arrivals(&self) -> Option<(u64, u64)> {
        self.report.arrivals
    }

    #[getter]
    fn jitter(&self) -> f64 {
        self.report.jitter
    }

    /// The least, mean, greatest one-way delay and the standard deviation; none if nothing arrived.
    #[getter]
    fn delays(&self) -> Option<(u64, f64, u64, f64)> {
        let delays = &self.report.delays;
        (delays.count > 0).then(|| (delays.min, delays.mean(), delays.max, delays.deviation()))
    }

    #[getter]
    fn failure(&self) -> Option<&str> {
        self.report.failure.as_deref()
    }

    fn intervals(&self) -> Vec<IntervalRow> {
        let row = |i: &FlowInterval| {
            (i.sent, i.sent_arrived, i.received, i.received_bytes, i.reordered, i.delay_sum, i.jitter)
        };
        self.report.intervals.iter().map(row).collect()
    }

    /// Each arrival's number, time of sending and of arrival: three columns of 64-bit little-endian numbers.
    fn rows<'py>(&self, py: Python<'py>) -> [Bound<'py, PyBytes>; 3] {
        let rows = &self.report.rows;
        [
            column(py, rows.iter().map(|row| row.number)),
            column(py, rows.iter().map(|row| row.sent)),
            column(py, rows.iter().map(|row| row.arrived)),
        ]
    }
}

/// Numbers as little-endian bytes.
pub(super) fn column(py: Python<'_>, values: impl Iterator<Item = u64>) -> Bound<'_, PyBytes> {
    PyBytes::new(py, &values.flat_map(u64::to_le_bytes).collect::<Vec<u8>>())
}

/// A replay that was started.
#[pyclass(frozen)]
pub struct Replay {
    pub(super) network: Py<Network>,
    /// Its number among the network's applications.
    #[pyo3(get)]
    pub(super) app: usize,
}

#[pymethods]
impl Replay {
    /// Frames sent so far.
    #[getter]
    fn sent(&self) -> PyResult<u64> {
        let state = self.network.get().state()?;
        let replay = state.world.app::<weir_sim::Replay>(state.find_app(self.app)?);
        Ok(replay.map_or(0, weir_sim::Replay::sent))
    }

    /// Whether the last frame was sent.
    #[getter]
    fn finished(&self) -> PyResult<bool> {
        let state = self.network.get().state()?;
        Ok(state.world.app_finished(state.find_app(self.app)?))
    }

    /// Ends it: no more is sent.
    fn stop(&self) -> PyResult<()> {
        let mut state = self.network.get().state()?;
        let app = state.find_app(self.app)?;
        if let Some(replay) = state.world.app_mut::<weir_sim::Replay>(app) {
            replay.stop();
        }
        Ok(())
    }
}
