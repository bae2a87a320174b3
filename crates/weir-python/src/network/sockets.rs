//! Bindings for the TCP sockets of Python programs.

use std::net::IpAddr;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use weir_sim::tcp::{Config, Pacing};
use weir_sim::{AppId, HostContext, SocketError, SocketEvent};

use super::Network;
use super::settings::TcpOptionsOf;
use super::traffic::{ending, figures};
use crate::errors;

/// A program's connections and listeners, by number. The run stops after each event.
#[pyclass(frozen)]
pub struct Sockets {
    pub(super) network: Py<Network>,
    pub(super) app: AppId,
    pub(super) host: String,
}

/// Time, connection, kind, and depending on the kind: for `accepted` the peer's address and port
/// and the listener's port; for `received` the bytes; for `closed` how it ended.
type Row<'py> =
    (u64, u64, &'static str, Option<(String, u16, u16)>, Option<Bound<'py, PyBytes>>, Option<&'static str>);

#[pymethods]
impl Sockets {
    /// The events since the last call.
    fn take<'py>(&self, py: Python<'py>) -> PyResult<Vec<Row<'py>>> {
        let messages = self.call(|app, _| app.take())?;
        let row = |message: weir_sim::SocketMessage| {
            let (kind, peer, bytes, end) = match message.event {
                SocketEvent::Accepted { port, from } => {
                    ("accepted", Some((from.0.to_string(), from.1, port)), None, None)
                }
                SocketEvent::Connected => ("connected", None, None, None),
                SocketEvent::Received(bytes) => ("received", None, Some(PyBytes::new(py, &bytes)), None),
                SocketEvent::Writable => ("writable", None, None, None),
                SocketEvent::PeerClosed => ("ended", None, None, None),
                SocketEvent::Closed(closed) => ("closed", None, None, Some(ending(closed))),
            };
            (message.time, message.connection, kind, peer, bytes, end)
        };
        Ok(messages.into_iter().map(row).collect())
    }

    /// Accepts connections at a port from now on.
    fn listen(&self, port: u16, options: TcpOptionsOf) -> PyResult<()> {
        let options = options.options()?;
        let listening =
            self.call(|app, host| app.listen(port, options.applied(host.tcp_defaults()), host))?;
        listening
            .map_err(|_| errors::network(format!("TCP port {port} of {} is in use or invalid", self.host)))
    }

    /// Opens a connection and returns its number and local port.
    fn connect(&self, address: &str, port: u16, options: TcpOptionsOf) -> PyResult<(u64, u16)> {
        let address: IpAddr = address.parse().map_err(errors::network)?;
        let options = options.options()?;
        let opened = self.call(|app, host| {
            let config: Config = options.applied(host.tcp_defaults());
            let connection = app.connect((address, port), config, host)?;
            let port = app.ends(connection, host).map_or(0, |[own, _]| own.1);
            Ok::<_, weir_sim::SendError>((connection, port))
        })?;
        opened.map_err(errors::network)
    }

    /// Writes bytes for the peer and returns how many fit.
    fn write(&self, connection: u64, data: &[u8]) -> PyResult<usize> {
        self.of(|app, host| app.write(connection, data, host))
    }

    /// Closes the sending direction.
    fn close(&self, connection: u64) -> PyResult<()> {
        self.of(|app, host| app.close(connection, host))
    }

    /// Resets a connection.
    fn abort(&self, connection: u64) -> PyResult<()> {
        self.of(|app, host| app.abort(connection, host))
    }

    /// Pauses or resumes reading.
    fn pause(&self, connection: u64, paused: bool) -> PyResult<()> {
        self.of(|app, host| if paused { app.pause(connection) } else { app.resume(connection, host) })
    }

    /// Sets the pacing rate of a connection in bits of IP packets per second; none leaves pacing to
    /// the congestion control.
    fn pace(&self, connection: u64, rate_bps: Option<u64>) -> PyResult<()> {
        self.of(|app, host| app.pace(connection, rate_bps.map_or(Pacing::Controller, Pacing::Rate), host))
    }

    /// The metrics of a connection, by name.
    fn info<'py>(&self, py: Python<'py>, connection: u64) -> PyResult<Bound<'py, PyDict>> {
        figures(py, &self.of(|app, host| app.info(connection, host))?)
    }

    /// Stops listening and closes all connections.
    fn release(&self) -> PyResult<()> {
        self.network.get().state()?.world.release_app(self.app);
        Ok(())
    }
}

impl Sockets {
    fn call<T>(&self, call: impl FnOnce(&mut weir_sim::Sockets, &mut HostContext<'_>) -> T) -> PyResult<T> {
        let mut state = self.network.get().state()?;
        state.world.call_app(self.app, call).ok_or_else(|| errors::network("the program has gone"))
    }

    fn of<T>(
        &self,
        call: impl FnOnce(&mut weir_sim::Sockets, &mut HostContext<'_>) -> Result<T, SocketError>,
    ) -> PyResult<T> {
        self.call(call)?.map_err(|_| errors::network("the connection is over"))
    }
}
