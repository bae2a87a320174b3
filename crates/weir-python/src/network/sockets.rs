//! Bindings for the TCP sockets of Python programs.

use std::net::IpAddr;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use weir_sim::tcp::{Config, Pacing};
use weir_sim::{AppId, HostContext, SocketError, SocketEvent as Event, SocketMessage};

use super::Network;
use super::settings::TcpOptionsOf;
use super::traffic::{end_reason, metrics_dict};
use crate::errors;
use crate::record::records;

/// A program's connections and listeners, by number. The run stops after each event.
#[pyclass(frozen)]
pub struct Sockets {
    pub(super) network: Py<Network>,
    pub(super) app: AppId,
    pub(super) host: String,
}

records! {
    /// An event of a connection.
    SocketEvent {
        /// The virtual time of the event, in nanoseconds.
        time_ns: u64,
        /// The connection's number.
        connection: u64,
        /// `accepted`, `connected`, `received`, `writable`, `ended` or `closed`.
        kind: String,
        /// For `accepted`: the peer's address and port, and the listener's port.
        peer: Option<(String, u16, u16)> = None,
        /// For `received`: the bytes.
        data: Vec<u8> = Vec::new(),
        /// For `closed`: the reason for the end of the connection.
        reason: String = String::new(),
    }
}

impl From<SocketMessage> for SocketEvent {
    fn from(message: SocketMessage) -> Self {
        let event = |kind: &str| Self {
            time_ns: message.time,
            connection: message.connection,
            kind: kind.to_owned(),
            peer: None,
            data: Vec::new(),
            reason: String::new(),
        };
        match message.event {
            Event::Accepted { port, from: (address, peer_port) } => {
                Self { peer: Some((address.to_string(), peer_port, port)), ..event("accepted") }
            }
            Event::Connected => event("connected"),
            Event::Received(data) => Self { data, ..event("received") },
            Event::Writable => event("writable"),
            Event::PeerClosed => event("ended"),
            Event::Closed(closed) => Self { reason: end_reason(closed).to_owned(), ..event("closed") },
        }
    }
}

#[pymethods]
impl Sockets {
    /// Takes the events since the last call.
    fn take(&self) -> PyResult<Vec<SocketEvent>> {
        Ok(self.call(|app, _| app.take_events())?.into_iter().map(SocketEvent::from).collect())
    }

    /// Accepts connections at a port from now on.
    fn listen(&self, port: u16, options: TcpOptionsOf) -> PyResult<()> {
        let options = options.options()?;
        let listening =
            self.call(|app, host| app.listen(port, options.apply_to(host.tcp_defaults()), host))?;
        listening.map_err(|_| {
            errors::network_error(format!("TCP port {port} of {} is in use or invalid", self.host))
        })
    }

    /// Opens a connection and returns its number and local port.
    fn connect(&self, address: &str, port: u16, options: TcpOptionsOf) -> PyResult<(u64, u16)> {
        let address: IpAddr = address.parse().map_err(errors::network_error)?;
        let options = options.options()?;
        let opened = self.call(|app, host| {
            let config: Config = options.apply_to(host.tcp_defaults());
            let connection = app.connect((address, port), config, host)?;
            let port = app.ends(connection, host).map_or(0, |[own, _]| own.1);
            Ok::<_, weir_sim::SendError>((connection, port))
        })?;
        opened.map_err(errors::network_error)
    }

    /// Writes bytes for the peer. Returns how many fit into the buffer.
    fn write(&self, connection: u64, data: &[u8]) -> PyResult<usize> {
        self.try_call(|app, host| app.write(connection, data, host))
    }

    /// Closes the sending direction.
    fn close(&self, connection: u64) -> PyResult<()> {
        self.try_call(|app, host| app.close(connection, host))
    }

    /// Resets a connection.
    fn abort(&self, connection: u64) -> PyResult<()> {
        self.try_call(|app, host| app.abort(connection, host))
    }

    /// Pauses or resumes reading.
    fn pause(&self, connection: u64, paused: bool) -> PyResult<()> {
        self.try_call(|app, host| if paused { app.pause(connection) } else { app.resume(connection, host) })
    }

    /// Sets the pacing rate of a connection in bits of IP packets per second; `None` leaves pacing
    /// to the congestion control.
    fn pace(&self, connection: u64, rate_bps: Option<u64>) -> PyResult<()> {
        self.try_call(|app, host| {
            app.pace(connection, rate_bps.map_or(Pacing::Controller, Pacing::Rate), host)
        })
    }

    /// Returns the metrics of a connection, by name.
    fn info<'py>(&self, py: Python<'py>, connection: u64) -> PyResult<Bound<'py, PyDict>> {
        metrics_dict(py, &self.try_call(|app, host| app.info(connection, host))?)
    }

    /// Stops listening and closes all connections.
    fn release(&self) -> PyResult<()> {
        self.network.get().state()?.world.release_app(self.app);
        Ok(())
    }
}

impl Sockets {
    /// Calls a function with the program's sockets and its host.
    fn call<T>(&self, call: impl FnOnce(&mut weir_sim::Sockets, &mut HostContext<'_>) -> T) -> PyResult<T> {
        let mut state = self.network.get().state()?;
        state.world.call_app(self.app, call).ok_or_else(|| errors::network_error("the program has gone"))
    }

    fn try_call<T>(
        &self,
        call: impl FnOnce(&mut weir_sim::Sockets, &mut HostContext<'_>) -> Result<T, SocketError>,
    ) -> PyResult<T> {
        self.call(call)?.map_err(|_| errors::network_error("the connection is over"))
    }
}
