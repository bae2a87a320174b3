//! Hosts and pings as Python sees them.

use std::net::IpAddr;

use pyo3::prelude::*;
use weir_sim::{PingConfig, PingOutcome, PingRow};

use super::Network;
use super::flows::{Replay, UdpFlow, UdpSettings};
use super::mailbox::Mailbox;
use super::tcp::{ExchangeSettings, Exchanges, TcpFlow, TcpSettings};
use crate::errors;

/// A host of a network.
#[pyclass(frozen)]
pub struct Host {
    network: Py<Network>,
    name: String,
}

#[pymethods]
impl Host {
    #[expect(clippy::too_many_arguments, reason = "what a ping can be told, as Python gives it")]
    fn start_ping(
        &self,
        py: Python<'_>,
        target: &str,
        count: u64,
        size: usize,
        interval_ns: u64,
        timeout_ns: u64,
        flood: bool,
    ) -> PyResult<Ping> {
        let config = PingConfig {
            payload_bytes: size,
            interval: interval_ns,
            flood,
            timeout: timeout_ns,
            ..PingConfig::new(target.parse::<IpAddr>().map_err(errors::network)?, count)
        };
        let mut state = self.network.get().state()?;
        let ping = state.world.start_ping(&self.name, config).map_err(errors::network)?;
        Ok(Ping { network: self.network.clone_ref(py), app: state.keep_app(ping) })
    }

    /// Starts a measured flow of datagrams to another host.
    fn start_udp(&self, py: Python<'_>, to: &str, settings: UdpSettings) -> PyResult<UdpFlow> {
        let config = settings.config()?;
        let mut state = self.network.get().state()?;
        let flow = state.world.start_udp_flow(&self.name, to, config).map_err(errors::network)?;
        Ok(UdpFlow { network: self.network.clone_ref(py), app: state.keep_app(flow) })
    }

    /// Starts a bulk flow over TCP to another host.
    #[expect(clippy::too_many_arguments, reason = "what a flow can be told, as Python gives it")]
    fn start_tcp(
        &self,
        py: Python<'_>,
        to: &str,
        settings: TcpSettings,
        duration_ns: Option<u64>,
        bytes: Option<u64>,
        interval_ns: Option<u64>,
        ip_options: Vec<u8>,
        trace: bool,
    ) -> PyResult<TcpFlow> {
        let config = settings.flow(duration_ns, bytes, interval_ns, ip_options, trace)?;
        let mut state = self.network.get().state()?;
        let flow = state.world.start_tcp_flow(&self.name, to, config).map_err(errors::network)?;
        Ok(TcpFlow { network: self.network.clone_ref(py), app: state.keep_app(flow) })
    }

    /// Has the host take connections at a port; `reflect_options` says whether the IPv4 options of a SYN come back in the SYN-ACK.
    fn serve(&self, port: u16, reflect_options: bool) -> PyResult<()> {
        let mut state = self.network.get().state()?;
        let server = state.world.serve_tcp(&self.name, port).map_err(errors::network)?;
        let set = |server: &mut weir_sim::TcpServer, _: &mut weir_sim::HostContext<'_>| {
            server.reflect_options(reflect_options);
        };
        let taken = || errors::network(format!("TCP port {port} of {} is taken", self.name));
        state.world.call_app(server, set).ok_or_else(taken)
    }

    /// Starts exchanges over TCP with another host.
    fn start_exchanges(
        &self,
        py: Python<'_>,
        to: &str,
        settings: TcpSettings,
        exchanges: ExchangeSettings,
    ) -> PyResult<Exchanges> {
        let config = exchanges.config(&settings)?;
        let mut state = self.network.get().state()?;
        let app = state.world.start_exchanges(&self.name, to, config).map_err(errors::network)?;
        Ok(Exchanges { network: self.network.clone_ref(py), app: state.keep_app(app) })
    }

    /// Starts to send frames, each so many nanoseconds from now.
    fn start_replay(&self, py: Python<'_>, interface: u32, frames: Vec<(u64, Vec<u8>)>) -> PyResult<Replay> {
        let mut state = self.network.get().state()?;
        self.check_interface(&state.world, interface)?;
        let (now, replay) = (state.world.now(), Box::new(weir_sim::Replay::new(interface, frames)));
        let replay = state.world.start_app(&self.name, now, replay).map_err(errors::network)?;
        Ok(Replay { network: self.network.clone_ref(py), app: state.keep_app(replay) })
    }

    /// Sends a frame as it is, now.
    fn send_frame(&self, interface: u32, frame: Vec<u8>) -> PyResult<()> {
        self.network.get().state()?.world.send_frame(&self.name, interface, frame).map_err(errors::network)
    }

    /// Listens on a UDP port for a program.
    fn listen(&self, py: Python<'_>, port: u16) -> PyResult<Mailbox> {
        let mut state = self.network.get().state()?;
        let now = state.world.now();
        let mailbox = Box::new(weir_sim::Mailbox::default());
        let app = state.world.start_app(&self.name, now, mailbox).map_err(errors::network)?;
        let bound =
            state.world.call_app(app, |mailbox: &mut weir_sim::Mailbox, host| mailbox.listen(port, host));
        if let Some(Err(_)) = bound {
            return Err(errors::network(format!("UDP port {port} of {} is taken or no port", self.name)));
        }
        Ok(Mailbox { network: self.network.clone_ref(py), app: state.keep_app(app) })
    }
}

impl Host {
    pub(super) fn new(network: Py<Network>, name: String) -> Self {
        Host { network, name }
    }

    fn check_interface(&self, world: &weir_sim::Network, interface: u32) -> PyResult<()> {
        let interfaces = world.host(&self.name).map_err(errors::network)?.config().interfaces.len();
        if (interface as usize) < interfaces {
            return Ok(());
        }
        let host = self.name.clone();
        Err(errors::network(weir_sim::Error::UnknownInterface { host, port: interface, interfaces }))
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
    /// Whether nothing more is sent or waited for.
    #[getter]
    fn finished(&self) -> PyResult<bool> {
        let state = self.network.get().state()?;
        Ok(state.world.app_finished(state.find_app(self.app)?))
    }

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
