//! Hosts and pings as Python sees them.

use std::net::IpAddr;

use pyo3::prelude::*;
use weir_sim::{PingConfig, PingOutcome, PingRow};

use super::Network;
use crate::errors;

/// A host of a network.
#[pyclass(frozen)]
pub struct Host {
    network: Py<Network>,
    name: String,
}

#[pymethods]
impl Host {
    fn start_ping(
        &self,
        py: Python<'_>,
        target: &str,
        count: u64,
        size: usize,
        interval_ns: u64,
        timeout_ns: u64,
    ) -> PyResult<Ping> {
        let config = PingConfig {
            payload_bytes: size,
            interval: interval_ns,
            timeout: timeout_ns,
            ..PingConfig::new(target.parse::<IpAddr>().map_err(errors::network)?, count)
        };
        let mut state = self.network.get().state()?;
        let ping = state.world.start_ping(&self.name, config).map_err(errors::network)?;
        Ok(Ping { network: self.network.clone_ref(py), app: state.keep_app(ping) })
    }
}

impl Host {
    pub(super) fn new(network: Py<Network>, name: String) -> Self {
        Host { network, name }
    }
}

/// A ping that was started.
#[pyclass(frozen)]
pub struct Ping {
    network: Py<Network>,
    /// Its number among the network's applications.
    #[pyo3(get)]
    app: usize,
}

#[pymethods]
impl Ping {
    /// The rows from `start` on, up to the first that is not settled.
    fn rows(&self, start: usize) -> PyResult<Vec<Row>> {
        let state = self.network.get().state()?;
        let ping = state.world.app::<weir_sim::Ping>(state.find_app(self.app)?);
        let rows = ping.map_or(&[][..], |ping| ping.rows());
        Ok(rows.iter().skip(start).map_while(row).collect())
    }

    /// Ends it: nothing more is sent.
    fn stop(&self) -> PyResult<()> {
        let mut state = self.network.get().state()?;
        let ping = state.find_app(self.app)?;
        if let Some(ping) = state.world.app_mut::<weir_sim::Ping>(ping) {
            ping.stop();
        }
        Ok(())
    }
}

/// `(sequence, sent, kind, rtt, ttl, bytes, error)`: `kind` is `reply`, `lost`, `error` or `no_route`; times in nanoseconds; `error` is
/// the reporting host's address, the ICMP type and its code.
type Row = (u64, u64, &'static str, Option<u64>, Option<u8>, Option<usize>, Option<(String, u8, u8)>);

/// A request's row; none while its reply may still come.
fn row(row: &PingRow) -> Option<Row> {
    let settled = |kind, rtt, ttl, bytes, error| Some((row.sequence, row.sent, kind, rtt, ttl, bytes, error));
    match row.outcome {
        PingOutcome::Waiting => None,
        PingOutcome::Reply { rtt, ttl, bytes } => settled("reply", Some(rtt), Some(ttl), Some(bytes), None),
        PingOutcome::Late { .. } | PingOutcome::Lost => settled("lost", None, None, None, None),
        PingOutcome::Error(e) => {
            settled("error", None, None, None, Some((e.from.to_string(), e.icmp_type, e.code)))
        }
        PingOutcome::NoRoute => settled("no_route", None, None, None, None),
    }
}
