//! The types that applications and transport protocols exchange.

use std::net::IpAddr;

use super::ids::SocketId;

/// A binding: the packets that an application receives. Only one application at a time can have a
/// binding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Binding {
    /// ICMP echo replies with this identifier, and ICMP errors about requests with it.
    Echo(u16),
    /// UDP datagrams to this port, and ICMP errors about datagrams from it.
    Udp(u16),
    /// TCP connections to this port, with the host's default settings (for others see
    /// [`HostContext::tcp_listen`](crate::HostContext::tcp_listen)).
    Tcp(u16),
}

/// The error that another application has the binding, or that the port is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is in use or cannot be bound")]
pub struct BindError(pub Binding);

/// An ICMP error (RFC 792) if `from` is an IPv4 address, otherwise an ICMPv6 error (RFC 4443).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IcmpError {
    /// The reporting node; the host itself if a neighbour did not answer.
    pub from: IpAddr,
    /// For ICMP: 3 is destination unreachable, 11 time exceeded. For ICMPv6: 1 is destination
    /// unreachable, 2 packet too big, 3 time exceeded.
    pub icmp_type: u8,
    /// The code, depending on the type. For ICMP type 3: 0 means network, 1 host, 2 protocol, 3
    /// port unreachable. For ICMPv6 type 1: 0 means no route, 3 address, 4 port unreachable.
    pub code: u8,
}

/// An event on a host that an application receives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AppEvent<'a> {
    /// An ICMP echo reply.
    EchoReply {
        /// The node that replied.
        from: IpAddr,
        /// The sequence number.
        sequence: u16,
        /// The time to live on arrival.
        ttl: u8,
        /// The bytes after the ICMP header.
        payload: &'a [u8],
    },
    /// A UDP datagram.
    Udp {
        /// The sender's address and port.
        from: (IpAddr, u16),
        /// The destination address.
        to: IpAddr,
        /// The bytes after the UDP header.
        payload: &'a [u8],
    },
    /// An ICMP error about a packet that this application sent.
    Error {
        /// The error.
        error: IcmpError,
        /// The beginning of that packet, from its ICMP or UDP header on.
        original: &'a [u8],
    },
    /// An event of a TCP connection of this application.
    Tcp {
        /// The connection.
        socket: SocketId,
        /// The event.
        event: TcpEvent,
    },
    /// The peer's SYN or SYN-ACK packet had IPv4 options. Comes before any other event of the
    /// connection. At the accepting end it comes before the SYN-ACK is sent, so that its options
    /// can be set.
    SynOptions {
        /// The connection.
        socket: SocketId,
        /// All bytes between the header's fixed part and its end (RFC 791, section 3.1).
        ip_options: &'a [u8],
    },
}

/// An event of a TCP connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TcpEvent {
    /// The handshake with a listener of this application is complete: a new connection.
    Accepted {
        /// The listener's port.
        port: u16,
        /// The peer's address and port.
        from: (IpAddr, u16),
    },
    /// Any other event. At [`weir_tcp::Event::Closed`] the metrics and unread bytes are available
    /// for the last time.
    Connection(weir_tcp::Event),
}

/// Bytes to write to a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Data<'a> {
    /// Writes these bytes.
    Bytes(&'a [u8]),
    /// This many bytes of [`weir_tcp::pattern`], which take no memory.
    Pattern(u64),
}

/// The error that the connection is closed, or belongs to another application.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the connection is closed")]
pub struct SocketError;

/// The reason why a packet could not be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SendError {
    /// There is no route to the destination.
    #[error("no route to {0}")]
    NoRoute(IpAddr),
    /// The packet would exceed the maximum of 65535 bytes (for IPv6 without its header).
    #[error("a payload of {bytes} bytes does not fit an IP packet; expected at most {max}")]
    TooLong {
        /// The number of bytes of payload.
        bytes: usize,
        /// The maximum payload in bytes.
        max: usize,
    },
    /// The source port is not bound.
    #[error("UDP port {0} is not bound")]
    NotBound(u16),
    /// Not an address and port that can be sent to.
    #[error("{0} port {1} cannot be sent to")]
    BadDestination(IpAddr, u16),
    /// Every ephemeral port already has a connection to this destination, possibly in TIME-WAIT.
    #[error("no free port for a connection to {0} port {1}")]
    NoPort(IpAddr, u16),
    /// The IPv4 options exceed 40 bytes, or the packet is an IPv6 packet.
    #[error("{0} bytes of IP options; expected at most 40, and none over IPv6")]
    BadOptions(usize),
}
