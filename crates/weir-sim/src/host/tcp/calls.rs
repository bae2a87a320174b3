//! TCP calls of applications.

use std::net::IpAddr;

use weir_device::Nanos;
use weir_tcp::{Config, Connection, Pacing};

use super::{EPHEMERAL_PORTS, Endpoints, Listener};
use crate::host::Host;
use crate::host::ids::AppKey;
use crate::host::ids::SocketId;
use crate::host::ip::CONGESTION_EXPERIENCED;
use crate::host::socket::{BindError, Binding, SendError};
use weir_filter::is_unicast;

/// The maximum length of IPv4 options in bytes (RFC 791, section 3.1).
const MAX_OPTIONS: usize = 40;

/// Returns IPv4 options padded with zeros (end of options) to a multiple of 4 bytes.
fn pad_options(ip_options: &[u8]) -> Option<Vec<u8>> {
    let mut options = ip_options.to_vec();
    options.resize(options.len().next_multiple_of(4), 0);
    (options.len() <= MAX_OPTIONS).then_some(options)
}

impl Host {
    pub(crate) fn tcp_listen(&mut self, port: u16, config: Config, app: AppKey) -> Result<(), BindError> {
        let binding = Binding::Tcp(port);
        if port == 0 || self.bindings.contains(binding) {
            return Err(BindError(binding));
        }
        self.bindings.insert(binding, app);
        self.tcp.listeners.insert(port, Listener { config, half_open: 0 });
        Ok(())
    }

    pub(crate) fn tcp_connect(
        &mut self,
        now: Nanos,
        to: (IpAddr, u16),
        config: Config,
        ip_options: &[u8],
        app: AppKey,
    ) -> Result<SocketId, SendError> {
        if to.1 == 0 || !is_unicast(to.0) || self.is_broadcast(to.0) {
            return Err(SendError::BadDestination(to.0, to.1));
        }
        let options = pad_options(ip_options).filter(|options| options.is_empty() || to.0.is_ipv4());
        let options = options.ok_or(SendError::BadOptions(ip_options.len()))?;
        let source = self.source_for(to.0).ok_or(SendError::NoRoute(to.0))?;
        let port = self.free_port(source, to).ok_or(SendError::NoPort(to.0, to.1))?;
        let requested_pacing = (config.pacing, config.paced_ahead);
        let config = self.fit_to_path(now, config, to.0);
        let (iss, random) = (self.tcp.random.next_u64() as u32, self.tcp.random.next_u64());
        let connection = Connection::connect(now, config, (port, to.1), iss, random);
        let socket =
            self.tcp.add(Endpoints { local: (source, port), remote: to }, app, requested_pacing, connection);
        self.tcp.slot(socket.number).ip_options = options;
        Ok(socket)
    }

    /// Returns the next ephemeral port without a connection to `to` and without a listener.
    fn free_port(&mut self, source: IpAddr, to: (IpAddr, u16)) -> Option<u16> {
        for _ in EPHEMERAL_PORTS {
            let port = if self.tcp.port == *EPHEMERAL_PORTS.end() {
                *EPHEMERAL_PORTS.start()
            } else {
                self.tcp.port + 1
            };
            self.tcp.port = port;
            let ends = Endpoints { local: (source, port), remote: to };
            if self.tcp.find(&ends).is_none() && !self.bindings.contains(Binding::Tcp(port)) {
                return Some(port);
            }
        }
        None
    }

    /// Returns a connection of an application.
    pub(crate) fn tcp(&self, socket: SocketId, app: AppKey) -> Option<&Connection> {
        self.tcp.get(socket, app)
    }

    /// Returns a connection of an application, for a call that may require processing.
    pub(crate) fn tcp_call(&mut self, socket: SocketId, app: AppKey) -> Option<&mut Connection> {
        self.tcp.get_for_call(socket, app)
    }

    /// Changes how a connection paces its segments.
    pub(crate) fn tcp_set_pacing(&mut self, socket: SocketId, app: AppKey, pacing: Pacing) {
        let Some(slot) = self.tcp.slot_of_app(socket, app) else { return };
        slot.requested_pacing.0 = pacing;
        let (remote, ahead) = (slot.ends.remote.0, slot.requested_pacing.1);
        let (pacing, ahead) = self.effective_pacing(remote, pacing, ahead);
        self.tcp.pace(socket.number, pacing, ahead);
    }

    /// Sets the type of service of a connection's packets, except for the bits of ECN.
    pub(crate) fn tcp_set_class(&mut self, socket: SocketId, app: AppKey, class: u8) {
        if let Some(slot) = self.tcp.slot_of_app(socket, app) {
            slot.class = class & !CONGESTION_EXPERIENCED;
        }
    }

    /// Returns the local and the remote address and port of a connection.
    pub(crate) fn tcp_ends(&mut self, socket: SocketId, app: AppKey) -> Option<[(IpAddr, u16); 2]> {
        self.tcp.slot_of_app(socket, app).map(|slot| [slot.ends.local, slot.ends.remote])
    }

    /// Sets the IPv4 options of the SYN packets that are still to be sent.
    pub(crate) fn tcp_set_ip_options(
        &mut self,
        socket: SocketId,
        app: AppKey,
        ip_options: &[u8],
    ) -> Result<(), SendError> {
        let refused = SendError::BadOptions(ip_options.len());
        let options = pad_options(ip_options).ok_or(refused)?;
        let Some(slot) = self.tcp.slot_of_app(socket, app) else { return Ok(()) };
        if slot.ends.remote.0.is_ipv6() && !options.is_empty() {
            return Err(refused);
        }
        slot.ip_options = options;
        Ok(())
    }
}
