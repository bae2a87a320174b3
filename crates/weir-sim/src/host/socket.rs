//! What passes between applications and the transport protocols of their host.

use std::net::IpAddr;

use super::ids::SocketId;

/// What an application receives for. One application holds a binding at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Binding {
    /// ICMP echo replies with this identifier, and ICMP errors about such requests.
    Echo(u16),
    /// UDP datagrams to this port, and ICMP errors about datagrams from it.
    Udp(u16),
    /// TCP connections to this port, with the host's settings ([`HostContext::tcp_listen`] takes others).
    Tcp(u16),
}

/// Another application has the binding, or it is port 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is taken or cannot be bound")]
pub struct BindError(pub Binding);

/// An ICMP error message: of ICMP (RFC 792) if `from` is an IPv4 address, else of ICMPv6 (RFC 4443).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IcmpError {
    /// Who reports it; the host itself if a neighbour did not answer.
    pub from: IpAddr,
    /// Of ICMP 3 is destination unreachable, 11 time exceeded; of ICMPv6 1 is destination unreachable, 2 packet too big, 3 time exceeded.
    pub icmp_type: u8,
    /// What exactly, by type: of ICMP's 3, 0 is network, 1 host, 2 protocol, 3 port unreachable; of ICMPv6's 1, 0 is no route, 3 address,
    /// 4 port unreachable.
    pub code: u8,
}

/// Something that came in for an application.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AppEvent<'a> {
    /// An ICMP echo reply.
    EchoReply {
        /// Who replied.
        from: IpAddr,
        /// Its sequence number.
        sequence: u16,
        /// Its time to live on arrival.
        ttl: u8,
        /// What follows the ICMP header.
        payload: &'a [u8],
    },
    /// A UDP datagram.
    Udp {
        /// Sender's address and port.
        from: (IpAddr, u16),
        /// The address it was sent to.
        to: IpAddr,
        /// What follows the UDP header.
        payload: &'a [u8],
    },
    /// An ICMP error about something this application sent.
    Error {
        /// The error.
        error: IcmpError,
        /// The beginning of what was sent, from its ICMP or UDP header on.
        original: &'a [u8],
    },
    /// Something happened to a TCP connection of this application.
    Tcp {
        /// The connection.
        socket: SocketId,
        /// What.
        event: TcpEvent,
    },
    /// The SYN or SYN-ACK packet of a connection's peer had IPv4 options. Comes before any event of the connection; at the answering end
    /// before the SYN-ACK leaves, whose options may be set now.
    SynOptions {
        /// The connection.
        socket: SocketId,
        /// All bytes between the header's fixed part and its end (RFC 791, section 3.1).
        ip_options: &'a [u8],
    },
}

/// What happens to a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TcpEvent {
    /// A handshake with a listener of this application is complete: here is a new connection.
    Accepted {
        /// The listener's port.
        port: u16,
        /// The peer's address and port.
        from: (IpAddr, u16),
    },
    /// Anything else. At [`weir_tcp::Event::Closed`] its figures and unread bytes are there for the last time.
    Connection(weir_tcp::Event),
}

/// Bytes to write to a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Data<'a> {
    /// These.
    Bytes(&'a [u8]),
    /// So many of [`weir_tcp::pattern`], which take no memory.
    Pattern(u64),
}

/// The connection is over, or not this application's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no such connection any more")]
pub struct SocketError;

/// Why a packet could not be sent at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SendError {
    /// No route leads there.
    #[error("no route to {0}")]
    NoRoute(IpAddr),
    /// An IP packet has at most 65535 bytes; of IPv6 without its header.
    #[error("a payload of {bytes} bytes does not fit an IP packet; expected at most {most}")]
    TooLong {
        /// Bytes of payload.
        bytes: usize,
        /// Most bytes that fit.
        most: usize,
    },
    /// The port to send from was not bound before.
    #[error("UDP port {0} is not bound")]
    NotBound(u16),
    /// Not an address and port that datagrams can be sent to.
    #[error("{0} port {1} cannot be sent to")]
    BadDestination(IpAddr, u16),
    /// All ephemeral ports have connections to there, some of them in TIME-WAIT.
    #[error("no port is left to connect to {0} port {1} from")]
    NoPort(IpAddr, u16),
    /// A packet's IPv4 options have at most 40 bytes; IPv6 packets have none.
    #[error("{0} bytes of IP options; expected at most 40, and none over IPv6")]
    BadOptions(usize),
}
