//! Applications: programs on hosts, driven by arrivals and wake-ups on the virtual clock.

pub(crate) mod flow;
pub(crate) mod mailbox;
pub(crate) mod ping;
pub(crate) mod replay;
pub(crate) mod udp;

use std::any::Any;
use std::net::IpAddr;

use weir_switch::{Nanos, Port};

use crate::Random;
use crate::host::Host;

/// A program on a host. It never waits: the world calls it at its start, when a wake-up it asked for is due, and when something arrives for
/// what it bound.
pub trait App: Any + Send {
    /// Called once, at the time the application was to start.
    fn start(&mut self, host: &mut HostContext<'_>);

    /// A wake-up asked for with [`HostContext::wake_at`] is due; `token` is what was given there.
    fn wake(&mut self, token: u64, host: &mut HostContext<'_>);

    /// Something arrived for what this application bound.
    fn receive(&mut self, arrival: &Arrival<'_>, host: &mut HostContext<'_>);

    /// Whether it has done what it was started for. It may still be called: for late arrivals, for one.
    fn finished(&self) -> bool;
}

/// What an application receives for. One application holds a binding at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Binding {
    /// ICMP echo replies with this identifier, and ICMP errors about such requests.
    Echo(u16),
    /// UDP datagrams to this port, and ICMP errors about datagrams from it.
    Udp(u16),
}

/// Another application has the binding, or it is UDP port 0.
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
pub enum Arrival<'a> {
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
}

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
}

/// The host as its application sees it during one call.
pub struct HostContext<'a> {
    host: &'a mut Host,
    now: Nanos,
    slot: usize,
}

impl<'a> HostContext<'a> {
    pub(crate) fn new(host: &'a mut Host, now: Nanos, slot: usize) -> Self {
        HostContext { host, now, slot }
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
        self.host.wakes.push((time.max(self.now), self.slot, token));
    }

    /// Asks the run to stop behind the event at hand ([`crate::Stop::Asked`]), so that a caller can react at this very time.
    pub fn ask_stop(&mut self) {
        self.host.asked = true;
    }

    /// Binds what to receive.
    ///
    /// # Errors
    /// It is taken, or UDP port 0.
    pub fn bind(&mut self, binding: Binding) -> Result<(), BindError> {
        self.host.bind(binding, self.slot)
    }

    /// Gives up a binding of this application; of others it does nothing.
    pub fn unbind(&mut self, binding: Binding) {
        self.host.unbind(binding, self.slot);
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
        self.host.send_udp(self.now, port, to, payload)
    }

    /// Sends a frame as it is, from its Ethernet header on. One for an interface that is not there or not connected is dropped and counted.
    pub fn send_frame(&mut self, interface: Port, frame: Vec<u8>) {
        self.host.send_raw_frame(interface, frame);
    }
}
