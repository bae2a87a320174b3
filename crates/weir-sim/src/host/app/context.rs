//! The interface of a host for its applications.

use std::net::IpAddr;

use weir_device::{Nanos, Port};

use crate::host::Host;
use crate::host::ids::{AppKey, SocketId};
use crate::host::socket::{BindError, Binding, Data, SendError, SocketError};
use crate::{Error, Random};
use weir_qdisc::QdiscConfig;

/// The host as an application sees it during one call.
pub struct HostContext<'a> {
    host: &'a mut Host,
    now: Nanos,
    app: AppKey,
}

impl<'a> HostContext<'a> {
    pub(crate) fn new(host: &'a mut Host, now: Nanos, app: AppKey) -> Self {
        HostContext { host, now, app }
    }

    /// Returns the current time in nanoseconds since the start of the simulation.
    pub fn now(&self) -> Nanos {
        self.now
    }

    /// Returns the host's first address.
    pub fn address(&self) -> Option<IpAddr> {
        self.host.address()
    }

    /// Returns the host's random stream.
    pub fn random(&mut self) -> &mut Random {
        self.host.random()
    }

    /// Requests a wake-up at a time. A time in the past means now, after everything that is already
    /// due now.
    pub fn wake_at(&mut self, time: Nanos, token: u64) {
        self.host.outbox().wakes.push((time.max(self.now), self.app, token));
    }

    /// Requests the run to stop after the current event ([`crate::StopReason::Requested`]), so that
    /// the caller can react at this exact time.
    pub fn request_stop(&mut self) {
        self.host.outbox().stop_requested = true;
    }

    /// Binds a port or identifier.
    ///
    /// # Errors
    /// Another application has the binding, or the port is 0.
    pub fn bind(&mut self, binding: Binding) -> Result<(), BindError> {
        self.host.bind(binding, self.app)
    }

    /// Removes a binding of this application; bindings of others stay. Open connections of a TCP
    /// port stay open; incomplete handshakes are aborted.
    pub fn unbind(&mut self, binding: Binding) {
        self.host.unbind(binding, self.app);
    }

    /// Sends an ICMP echo request with a time to live and a type of service. It leaves at the
    /// current time, or as soon as the next hop's hardware address is resolved.
    ///
    /// # Errors
    /// There is no route, or the payload exceeds 65507 bytes (65527 for IPv6).
    pub fn send_echo_request(
        &mut self,
        destination: IpAddr,
        (ttl, class): (u8, u8),
        ident: u16,
        sequence: u16,
        payload: &[u8],
    ) -> Result<(), SendError> {
        self.host.send_echo(self.now, destination, (ttl, class), ident, sequence, payload)
    }

    /// Sends a UDP datagram from a bound port, with a time to live of 64.
    ///
    /// # Errors
    /// The port is not bound, there is no route, the payload exceeds 65507 bytes (65527 for IPv6),
    /// or the destination is not valid.
    pub fn send_udp(&mut self, port: u16, to: (IpAddr, u16), payload: &[u8]) -> Result<(), SendError> {
        self.send_udp_with(port, to, payload.len(), |buffer| buffer.copy_from_slice(payload))
    }

    /// Like [`HostContext::send_udp`], with a payload of `bytes` bytes that `write` writes in
    /// place. It must write all bytes: their contents are unspecified.
    ///
    /// # Errors
    /// As [`HostContext::send_udp`].
    pub fn send_udp_with(
        &mut self,
        port: u16,
        to: (IpAddr, u16),
        bytes: usize,
        write: impl FnOnce(&mut [u8]),
    ) -> Result<(), SendError> {
        self.send_udp_in_class(port, to, 0, bytes, write)
    }

    /// Like [`HostContext::send_udp_with`], with a type of service (IPv6: traffic class).
    ///
    /// # Errors
    /// As [`HostContext::send_udp`].
    pub fn send_udp_in_class(
        &mut self,
        port: u16,
        to: (IpAddr, u16),
        class: u8,
        bytes: usize,
        write: impl FnOnce(&mut [u8]),
    ) -> Result<(), SendError> {
        self.host.send_udp(self.now, (port, class), to, bytes, write)
    }

    /// Counts a packet as dropped because the host has no route for it, if the drop is not reported
    /// otherwise.
    pub(crate) fn drop_unroutable(&mut self) {
        self.host.drop_unroutable();
    }

    /// Sends a raw frame, starting with its Ethernet header. A frame for an interface that does not
    /// exist or is not connected is dropped and counted.
    pub fn send_frame(&mut self, interface: Port, frame: Vec<u8>) {
        self.host.send_raw_frame(interface, frame);
    }

    /// Changes the queueing discipline of an interface after this call, as `tc` would. Connections
    /// through the interface pace their segments while the discipline holds frames until their
    /// departure times (FQ).
    ///
    /// # Errors
    /// There is no such interface, it has no link, or a setting is out of range.
    pub fn set_qdisc(&mut self, interface: Port, config: QdiscConfig) -> Result<(), Error> {
        self.host.change_queue(interface, config)
    }

    /// Returns the host's default TCP settings. An application changes a copy and passes it to
    /// [`HostContext::tcp_connect`] or [`HostContext::tcp_listen`].
    pub fn tcp_defaults(&self) -> weir_tcp::Config {
        self.host.config().tcp.clone()
    }

    /// Accepts connections at a port from now on. `config.mss` limits the segment size in addition
    /// to the MTUs of interface and path.
    ///
    /// # Errors
    /// Another application listens there, or the port is 0.
    pub fn tcp_listen(&mut self, port: u16, config: weir_tcp::Config) -> Result<(), BindError> {
        self.host.tcp_listen(port, config, self.app)
    }

    /// Opens a connection from an ephemeral port. Its SYN leaves after this call of the
    /// application. Each transmission of the SYN has these IPv4 options (at most 40 bytes, padded
    /// to a multiple of 4).
    ///
    /// # Errors
    /// There is no route or no free port, the destination is not valid, or the options do not fit.
    pub fn tcp_connect(
        &mut self,
        to: (IpAddr, u16),
        config: weir_tcp::Config,
        ip_options: &[u8],
    ) -> Result<SocketId, SendError> {
        self.host.tcp_connect(self.now, to, config, ip_options, self.app)
    }

    /// Sets the IPv4 options of the SYN packets that are still to be sent: for a SYN-ACK, during
    /// [`crate::AppEvent::SynOptions`].
    ///
    /// # Errors
    /// The options exceed 40 bytes, or the connection uses IPv6.
    pub fn tcp_set_ip_options(&mut self, socket: SocketId, ip_options: &[u8]) -> Result<(), SendError> {
        self.host.tcp_set_ip_options(socket, self.app, ip_options)
    }

    /// Sets the type of service (IPv6: traffic class) of a connection's packets from now on. The
    /// two low bits are those of ECN, which TCP sets itself.
    pub fn tcp_set_class(&mut self, socket: SocketId, class: u8) {
        self.host.tcp_set_class(socket, self.app, class);
    }

    /// Writes bytes for the peer and returns how many fit. After a partial write,
    /// [`weir_tcp::Event::Writable`] reports when there is space.
    ///
    /// # Errors
    /// The connection is closed.
    pub fn tcp_write(&mut self, socket: SocketId, data: Data<'_>) -> Result<u64, SocketError> {
        let connection = self.host.tcp_call(socket, self.app).ok_or(SocketError)?;
        Ok(match data {
            Data::Bytes(bytes) => connection.write(bytes) as u64,
            Data::Pattern(bytes) => connection.write_pattern(bytes),
        })
    }

    /// Removes written bytes that have not been sent yet and returns how many there were.
    pub fn tcp_take_back(&mut self, socket: SocketId) -> u64 {
        self.host.tcp_call(socket, self.app).map_or(0, weir_tcp::Connection::remove_unsent)
    }

    /// Reads bytes from the peer, in order, and returns how many were read. They are zeros if the
    /// connection only counts bytes.
    pub fn tcp_read(&mut self, socket: SocketId, buffer: &mut [u8]) -> usize {
        self.host.tcp_call(socket, self.app).map_or(0, |connection| connection.read(buffer))
    }

    /// Reads and discards all available bytes and returns how many there were.
    pub fn tcp_discard(&mut self, socket: SocketId) -> u64 {
        self.host.tcp_call(socket, self.app).map_or(0, weir_tcp::Connection::discard)
    }

    /// Closes the sending direction. Receiving continues as long as the peer sends; see
    /// [`HostContext::tcp_release`].
    pub fn tcp_close(&mut self, socket: SocketId) {
        if let Some(connection) = self.host.tcp_call(socket, self.app) {
            connection.close();
        }
    }

    /// Closes both directions: nothing more is written or read. Bytes that still arrive are
    /// answered by a reset. After everything has been acknowledged, the peer has
    /// [`weir_tcp::Config::fin_wait`] to close its direction; then the connection is deleted.
    pub fn tcp_release(&mut self, socket: SocketId) {
        let now = self.now;
        if let Some(connection) = self.host.tcp_call(socket, self.app) {
            connection.release(now);
        }
    }

    /// Resets a connection; undelivered bytes are lost.
    pub fn tcp_abort(&mut self, socket: SocketId) {
        if let Some(connection) = self.host.tcp_call(socket, self.app) {
            connection.abort();
        }
    }

    /// Changes how a connection paces its segments from now on.
    pub fn tcp_set_pacing(&mut self, socket: SocketId, pacing: weir_tcp::Pacing) {
        self.host.tcp_set_pacing(socket, self.app, pacing);
    }

    /// Changes the congestion control of a connection, if no data has been sent yet. Returns
    /// whether it has changed.
    pub fn tcp_set_congestion(&mut self, socket: SocketId, congestion: weir_tcp::Algorithm) -> bool {
        self.host.tcp_call(socket, self.app).is_some_and(|connection| connection.set_congestion(congestion))
    }

    /// Sets whether Nagle's algorithm delays the last partial segment; the opposite of
    /// `TCP_NODELAY`.
    pub fn tcp_set_nagle(&mut self, socket: SocketId, on: bool) {
        if let Some(connection) = self.host.tcp_call(socket, self.app) {
            connection.set_nagle(on);
        }
    }

    /// Sets the send buffer: the maximum number of bytes that are unsent or unacknowledged.
    pub fn tcp_set_send_buffer(&mut self, socket: SocketId, bytes: u32) {
        if let Some(connection) = self.host.tcp_call(socket, self.app) {
            connection.set_send_buffer(bytes);
        }
    }

    /// Returns the metrics of a connection; `None` after its end.
    pub fn tcp_info(&self, socket: SocketId) -> Option<weir_tcp::Info> {
        self.host.tcp(socket, self.app).map(weir_tcp::Connection::info)
    }

    /// Returns the local and the remote address and port of a connection.
    pub fn tcp_ends(&mut self, socket: SocketId) -> Option<[(IpAddr, u16); 2]> {
        self.host.tcp_ends(socket, self.app)
    }

    /// Returns the local and the remote initial sequence number of a connection. The remote one is
    /// 0 until the peer's SYN has arrived.
    pub fn tcp_first_numbers(&self, socket: SocketId) -> Option<[u32; 2]> {
        self.host.tcp(socket, self.app).map(weir_tcp::Connection::initial_sequence_numbers)
    }

    /// Sets whether to record a trace of a connection from now on.
    pub fn tcp_trace(&mut self, socket: SocketId, on: bool) {
        if let Some(connection) = self.host.tcp_call(socket, self.app) {
            connection.trace(on);
        }
    }

    /// Returns the trace rows since the last call.
    pub fn tcp_take_trace(&mut self, socket: SocketId) -> Vec<weir_tcp::TraceRow> {
        self.host.tcp_call(socket, self.app).map_or_else(Vec::new, weir_tcp::Connection::take_trace)
    }
}
