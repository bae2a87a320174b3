//! What an application can do on its host.

use std::net::IpAddr;

use weir_device::{Nanos, Port};

use crate::host::Host;
use crate::host::ids::{AppKey, SocketId};
use crate::host::socket::{BindError, Binding, Data, SendError, SocketError};
use crate::qdisc::QdiscConfig;
use crate::{Error, Random};

/// The host as its application sees it during one call.
pub struct HostContext<'a> {
    host: &'a mut Host,
    now: Nanos,
    app: AppKey,
}

impl<'a> HostContext<'a> {
    pub(crate) fn new(host: &'a mut Host, now: Nanos, app: AppKey) -> Self {
        HostContext { host, now, app }
    }

    /// The time, in nanoseconds from the start of the world.
    pub fn now(&self) -> Nanos {
        self.now
    }

    /// The host's first address.
    pub fn address(&self) -> Option<IpAddr> {
        self.host.address()
    }

    /// The host's stream of random numbers.
    pub fn random(&mut self) -> &mut Random {
        self.host.random()
    }

    /// Asks to be woken at a time; one in the past means now, after all that is already due now.
    pub fn wake_at(&mut self, time: Nanos, token: u64) {
        self.host.outbox().wakes.push((time.max(self.now), self.app, token));
    }

    /// Asks the run to stop behind the event at hand ([`crate::StopReason::Requested`]), so that a caller can react at this very time.
    pub fn request_stop(&mut self) {
        self.host.outbox().stop_requested = true;
    }

    /// Binds what to receive.
    ///
    /// # Errors
    /// It is taken, or port 0.
    pub fn bind(&mut self, binding: Binding) -> Result<(), BindError> {
        self.host.bind(binding, self.app)
    }

    /// Gives up a binding of this application; of others it does nothing. Connections of a TCP port stay, handshakes under way are broken
    /// off.
    pub fn unbind(&mut self, binding: Binding) {
        self.host.unbind(binding, self.app);
    }

    /// Sends an ICMP echo request. It leaves at this very nanosecond, or as soon as its next hop's hardware address is known.
    ///
    /// # Errors
    /// There is no route, or the payload exceeds 65507 bytes (65527 of IPv6).
    pub fn send_echo_request(
        &mut self,
        destination: IpAddr,
        ttl: u8,
        ident: u16,
        sequence: u16,
        payload: &[u8],
    ) -> Result<(), SendError> {
        self.host.send_echo(self.now, destination, ttl, ident, sequence, payload)
    }

    /// Sends a UDP datagram from a bound port, with a time to live of 64.
    ///
    /// # Errors
    /// The port is not bound, there is no route, the payload exceeds 65507 bytes (65527 of IPv6), or the destination is no such thing.
    pub fn send_udp(&mut self, port: u16, to: (IpAddr, u16), payload: &[u8]) -> Result<(), SendError> {
        self.send_udp_with(port, to, payload.len(), |room| room.copy_from_slice(payload))
    }

    /// The same with a payload of so many bytes that is written where it is needed: all of them, for they hold anything.
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
        self.host.send_udp(self.now, port, to, bytes, write)
    }

    /// Sends a frame as it is, from its Ethernet header on. One for an interface that is not there or not connected is dropped and counted.
    pub fn send_frame(&mut self, interface: Port, frame: Vec<u8>) {
        self.host.send_raw_frame(interface, frame);
    }

    /// Gives an interface another queueing discipline when this call is over, as `tc` would. Connections that go out by it pace their segments
    /// while it is one that holds frames until their time (FQ).
    ///
    /// # Errors
    /// There is no such interface, no link at it, or a setting is out of its range.
    pub fn set_qdisc(&mut self, interface: Port, config: QdiscConfig) -> Result<(), Error> {
        self.host.change_queue(interface, config)
    }

    /// How the host's TCP behaves where an application does not say. Change what is to be otherwise and hand it to
    /// [`HostContext::tcp_connect`] or [`HostContext::tcp_listen`].
    pub fn tcp_defaults(&self) -> weir_tcp::Config {
        self.host.config().tcp.clone()
    }

    /// Takes connections at a port from now on. `config.mss` bounds the segments beside the MTUs of interface and path.
    ///
    /// # Errors
    /// Another application listens there, or it is port 0.
    pub fn tcp_listen(&mut self, port: u16, config: weir_tcp::Config) -> Result<(), BindError> {
        self.host.tcp_listen(port, config, self.app)
    }

    /// Opens a connection from an ephemeral port. Its SYN leaves when this call of the application is over, in an IPv4 packet with these
    /// options (at most 40 bytes, filled up to a multiple of 4), each time it has to be sent.
    ///
    /// # Errors
    /// There is no route or no free port, the destination is no such thing, or the options do not fit.
    pub fn tcp_connect(
        &mut self,
        to: (IpAddr, u16),
        config: weir_tcp::Config,
        ip_options: &[u8],
    ) -> Result<SocketId, SendError> {
        self.host.tcp_connect(self.now, to, config, ip_options, self.app)
    }

    /// Sets the IPv4 options of SYN packets that are still to be sent: those of a SYN-ACK, at [`AppEvent::SynOptions`].
    ///
    /// # Errors
    /// They have more than 40 bytes, or the connection is over IPv6.
    pub fn tcp_set_ip_options(&mut self, socket: SocketId, ip_options: &[u8]) -> Result<(), SendError> {
        self.host.tcp_set_ip_options(socket, self.app, ip_options)
    }

    /// Bytes for the peer; how many there was room for. After a write cut short, [`weir_tcp::Event::Writable`] tells when there is room.
    ///
    /// # Errors
    /// The connection is over.
    pub fn tcp_write(&mut self, socket: SocketId, data: Data<'_>) -> Result<u64, SocketError> {
        let connection = self.host.tcp_call(socket, self.app).ok_or(SocketError)?;
        Ok(match data {
            Data::Bytes(bytes) => connection.write(bytes) as u64,
            Data::Pattern(bytes) => connection.write_pattern(bytes),
        })
    }

    /// Takes back what was written and has not left yet; how many bytes that were.
    pub fn tcp_take_back(&mut self, socket: SocketId) -> u64 {
        self.host.tcp_call(socket, self.app).map_or(0, weir_tcp::Connection::take_back)
    }

    /// Bytes of the peer, in order; how many were put into `room`. Zeros if the connection was told only to count.
    pub fn tcp_read(&mut self, socket: SocketId, room: &mut [u8]) -> usize {
        self.host.tcp_call(socket, self.app).map_or(0, |connection| connection.read(room))
    }

    /// Reads all there is without looking at it; how many bytes that was.
    pub fn tcp_discard(&mut self, socket: SocketId) -> u64 {
        self.host.tcp_call(socket, self.app).map_or(0, weir_tcp::Connection::discard)
    }

    /// No more bytes follow. Receiving goes on, as long as the peer likes; see [`HostContext::tcp_release`].
    pub fn tcp_close(&mut self, socket: SocketId) {
        if let Some(connection) = self.host.tcp_call(socket, self.app) {
            connection.close();
        }
    }

    /// The application is done with a connection: no more bytes follow, none will be read. What comes all the same is answered by a reset;
    /// once the peer has all that was sent, it has [`weir_tcp::Config::fin_wait`] to close its side, and then the connection is forgotten.
    pub fn tcp_release(&mut self, socket: SocketId) {
        let now = self.now;
        if let Some(connection) = self.host.tcp_call(socket, self.app) {
            connection.release(now);
        }
    }

    /// Breaks a connection off; what was not delivered is lost.
    pub fn tcp_abort(&mut self, socket: SocketId) {
        if let Some(connection) = self.host.tcp_call(socket, self.app) {
            connection.abort();
        }
    }

    /// Spaces a connection's segments in another way from now on.
    pub fn tcp_set_pacing(&mut self, socket: SocketId, pacing: weir_tcp::Pacing) {
        self.host.tcp_set_pacing(socket, self.app, pacing);
    }

    /// Takes another congestion control for a connection, as long as no data has left; whether it did.
    pub fn tcp_set_congestion(&mut self, socket: SocketId, congestion: weir_tcp::Algorithm) -> bool {
        self.host.tcp_call(socket, self.app).is_some_and(|connection| connection.set_congestion(congestion))
    }

    /// Whether the end of what was written waits for acknowledgements (Nagle's rule); systems call the opposite `TCP_NODELAY`.
    pub fn tcp_set_nagle(&mut self, socket: SocketId, on: bool) {
        if let Some(connection) = self.host.tcp_call(socket, self.app) {
            connection.set_nagle(on);
        }
    }

    /// The most of a connection's bytes that may wait here unsent or unacknowledged from now on.
    pub fn tcp_set_send_buffer(&mut self, socket: SocketId, bytes: u32) {
        if let Some(connection) = self.host.tcp_call(socket, self.app) {
            connection.set_send_buffer(bytes);
        }
    }

    /// A connection's figures; none once it is over.
    pub fn tcp_info(&self, socket: SocketId) -> Option<weir_tcp::Info> {
        self.host.tcp(socket, self.app).map(weir_tcp::Connection::info)
    }

    /// A connection's addresses and ports: the host's own, the peer's.
    pub fn tcp_ends(&mut self, socket: SocketId) -> Option<[(IpAddr, u16); 2]> {
        self.host.tcp_ends(socket, self.app)
    }

    /// The sequence numbers that a connection's SYNs have: the host's own, the peer's; 0 where the peer's has not come yet.
    pub fn tcp_first_numbers(&self, socket: SocketId) -> Option<[u32; 2]> {
        self.host.tcp(socket, self.app).map(weir_tcp::Connection::first_numbers)
    }

    /// Whether a connection keeps a trace from now on.
    pub fn tcp_trace(&mut self, socket: SocketId, on: bool) {
        if let Some(connection) = self.host.tcp_call(socket, self.app) {
            connection.trace(on);
        }
    }

    /// The rows of a connection's trace since the last call.
    pub fn tcp_take_trace(&mut self, socket: SocketId) -> Vec<weir_tcp::TraceRow> {
        self.host.tcp_call(socket, self.app).map_or_else(Vec::new, weir_tcp::Connection::take_trace)
    }
}
