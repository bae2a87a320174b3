//! Bindings for hosts.

use std::net::IpAddr;

use pyo3::prelude::*;
use weir_sim::{App, AppId, PingConfig};

use super::Network;
use super::mailbox::Mailbox;
use super::settings::{ExchangeSettings, FlowSettings, TcpOptionsOf, TcpSettings, UdpSettings};
use super::sockets::Sockets;
use super::traffic::Traffic;
use crate::errors;

/// A host of a network.
#[pyclass(frozen)]
pub struct Host {
    network: Py<Network>,
    name: String,
}

#[pymethods]
impl Host {
    #[expect(clippy::too_many_arguments, reason = "the settings of a ping, as Python passes them")]
    fn start_ping(
        &self,
        py: Python<'_>,
        target: &str,
        count: u64,
        size: usize,
        interval_ns: u64,
        timeout_ns: Option<u64>,
        flood: bool,
        ttl: u8,
        tos: u8,
    ) -> PyResult<Traffic> {
        let usual = PingConfig::new(target.parse::<IpAddr>().map_err(errors::network_error)?, count);
        let config = PingConfig {
            payload_bytes: size,
            interval: interval_ns,
            flood,
            timeout: timeout_ns.unwrap_or(usual.timeout),
            ends_when_quiet: timeout_ns.is_none(),
            ttl,
            class: tos,
            ..usual
        };
        self.start(py, |world| world.start_ping(&self.name, config))
    }

    /// Starts a measured UDP flow to another host, or to one of several.
    fn start_udp(
        &self,
        py: Python<'_>,
        to: Vec<String>,
        flow: FlowSettings,
        udp: UdpSettings,
    ) -> PyResult<Traffic> {
        let config = flow.udp(&udp)?;
        self.start(py, |world| world.start_udp_flow(&self.name, to, config))
    }

    /// Starts a TCP flow to another host, or to one of several.
    fn start_tcp(
        &self,
        py: Python<'_>,
        to: Vec<String>,
        flow: FlowSettings,
        tcp: TcpSettings,
        options: TcpOptionsOf,
    ) -> PyResult<Traffic> {
        let config = flow.tcp(tcp, &options)?;
        self.start(py, |world| world.start_tcp_flow(&self.name, to, config))
    }

    /// Starts request-response exchanges over TCP with another host, or with several that share
    /// them.
    fn start_exchanges(
        &self,
        py: Python<'_>,
        to: Vec<String>,
        exchanges: ExchangeSettings,
        options: TcpOptionsOf,
    ) -> PyResult<Traffic> {
        let config = exchanges.tcp(&options)?;
        self.start(py, |world| world.start_tcp_exchanges(&self.name, to, config))
    }

    /// Starts request-response exchanges over UDP with another host, or with several that share
    /// them.
    fn start_udp_exchanges(
        &self,
        py: Python<'_>,
        to: Vec<String>,
        exchanges: ExchangeSettings,
        timeout_ns: u64,
        tries: u32,
    ) -> PyResult<Traffic> {
        let config = exchanges.udp(timeout_ns, tries)?;
        self.start(py, |world| world.start_udp_exchanges(&self.name, to, config))
    }

    /// Starts to send frames, each at a time in nanoseconds from now.
    fn start_replay(&self, py: Python<'_>, interface: u32, frames: Vec<(u64, Vec<u8>)>) -> PyResult<Traffic> {
        self.check_interface(&self.network.get().state()?.world, interface)?;
        let replay = Box::new(weir_sim::Replay::new(interface, frames));
        self.start(py, |world| world.start_app(&self.name, world.now(), replay))
    }

    /// Starts a TCP server at a port; `reflect_options` says whether the SYN-ACK repeats the IPv4
    /// options of the SYN.
    fn serve(&self, port: u16, reflect_options: bool) -> PyResult<()> {
        let mut state = self.network.get().state()?;
        let server = state.world.serve_tcp(&self.name, port).map_err(errors::network_error)?;
        let set = |server: &mut weir_sim::TcpServer, _: &mut weir_sim::HostContext<'_>| {
            server.reflect_options(reflect_options);
        };
        let taken = || errors::network_error(format!("TCP port {port} of {} is in use", self.name));
        state.world.call_app(server, set).ok_or_else(taken)
    }

    /// Sends a raw frame immediately.
    fn send_frame(&self, interface: u32, frame: Vec<u8>) -> PyResult<()> {
        self.network
            .get()
            .state()?
            .world
            .send_frame(&self.name, interface, frame)
            .map_err(errors::network_error)
    }

    /// Binds a UDP port for a Python program.
    fn listen(&self, py: Python<'_>, port: u16) -> PyResult<Mailbox> {
        let app = self.start_program_app(weir_sim::Mailbox::default())?;
        let mailbox = Mailbox { network: self.network.clone_ref(py), app };
        mailbox.listen(port, &self.name)?;
        Ok(mailbox)
    }

    /// Creates an empty set of TCP sockets for a Python program.
    fn sockets(&self, py: Python<'_>) -> PyResult<Sockets> {
        let app = self.start_program_app(weir_sim::Sockets::default())?;
        Ok(Sockets { network: self.network.clone_ref(py), app, host: self.name.clone() })
    }
}

impl Host {
    pub(super) fn new(network: Py<Network>, name: String) -> Self {
        Host { network, name }
    }

    fn start(
        &self,
        py: Python<'_>,
        start: impl FnOnce(&mut weir_sim::Network) -> Result<AppId, weir_sim::Error>,
    ) -> PyResult<Traffic> {
        let app = start(&mut self.network.get().state()?.world).map_err(errors::network_error)?;
        Ok(Traffic::new(self.network.clone_ref(py), app))
    }

    /// Starts the application that represents a program outside the simulation.
    fn start_program_app(&self, app: impl App) -> PyResult<AppId> {
        let mut state = self.network.get().state()?;
        let now = state.world.now();
        state.world.start_app(&self.name, now, Box::new(app)).map_err(errors::network_error)
    }

    fn check_interface(&self, world: &weir_sim::Network, interface: u32) -> PyResult<()> {
        let interfaces = world.host(&self.name).map_err(errors::network_error)?.config().interfaces.len();
        if (interface as usize) < interfaces {
            return Ok(());
        }
        let host = self.name.clone();
        Err(errors::network_error(weir_sim::Error::UnknownInterface { host, port: interface, interfaces }))
    }
}
