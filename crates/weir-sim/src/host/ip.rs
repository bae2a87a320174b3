//! The part of a host above its interfaces: smoltcp's IPv4, ICMP and UDP, with fragmentation and reassembly.

use std::collections::VecDeque;
use std::net::{IpAddr, Ipv4Addr};

use smoltcp::iface::{Config, Interface, SocketHandle, SocketSet};
use smoltcp::phy::{Device, DeviceCapabilities, Medium, RxToken, TxToken};
use smoltcp::socket::{raw, udp};
use smoltcp::time::Instant;
use smoltcp::wire::{HardwareAddress, IpAddress, IpCidr, IpEndpoint, IpProtocol, IpVersion, Ipv4Cidr};
use weir_switch::Nanos;

use crate::IpPrefix;

/// Largest IPv4 packet: its length field has 16 bits.
pub(super) const MAX_PACKET: usize = 65535;
/// One packet is handed up at a time, so these hold one of the largest size.
const BUFFER: usize = MAX_PACKET + 1;
/// Each send leaves at most ceil(65515 / 8) fragments; far more turns than that mean a stack that does not come to rest.
const MAX_TURNS: usize = 20_000;

/// The two queues between smoltcp and the interfaces; both hold whole IPv4 packets.
struct Queues {
    received: VecDeque<Vec<u8>>,
    sent: VecDeque<Vec<u8>>,
    mtu: usize,
}

struct Received(Vec<u8>);

impl RxToken for Received {
    fn consume<R, F: FnOnce(&[u8]) -> R>(self, f: F) -> R {
        f(&self.0)
    }
}

struct Sent<'a>(&'a mut VecDeque<Vec<u8>>);

impl TxToken for Sent<'_> {
    fn consume<R, F: FnOnce(&mut [u8]) -> R>(self, len: usize, f: F) -> R {
        let mut packet = vec![0; len];
        let result = f(&mut packet);
        self.0.push_back(packet);
        result
    }
}

impl Device for Queues {
    type RxToken<'a> = Received;
    type TxToken<'a> = Sent<'a>;

    fn receive(&mut self, _: Instant) -> Option<(Received, Sent<'_>)> {
        Some((Received(self.received.pop_front()?), Sent(&mut self.sent)))
    }

    fn transmit(&mut self, _: Instant) -> Option<Sent<'_>> {
        Some(Sent(&mut self.sent))
    }

    fn capabilities(&self) -> DeviceCapabilities {
        let mut capabilities = DeviceCapabilities::default();
        capabilities.medium = Medium::Ip;
        capabilities.max_transmission_unit = self.mtu;
        capabilities
    }
}

/// A UDP datagram that a socket received.
pub(super) struct Datagram {
    pub(super) from: (Ipv4Addr, u16),
    pub(super) to: Ipv4Addr,
    pub(super) payload: Vec<u8>,
}

pub(super) struct Ip {
    interface: Box<Interface>,
    queues: Queues,
    sockets: SocketSet<'static>,
    icmp: SocketHandle,
}

/// smoltcp counts microseconds; only its time-out for reassembly (60 s) reads the clock.
fn instant(now: Nanos) -> Instant {
    Instant::from_micros((now / 1000).min(i64::MAX as u64) as i64)
}

impl Ip {
    /// A stack with these addresses. `mtu` is at least 68 bytes; there are at most eight addresses, all unicast.
    pub(super) fn new(seed: u64, mtu: usize, addresses: &[IpPrefix]) -> Self {
        let mut queues = Queues { received: VecDeque::new(), sent: VecDeque::new(), mtu };
        let mut config = Config::new(HardwareAddress::Ip);
        config.random_seed = seed;
        let mut interface = Box::new(Interface::new(config, &mut queues, Instant::ZERO));
        interface.update_ip_addrs(|list| {
            for prefix in addresses {
                let IpAddr::V4(address) = prefix.address() else { continue };
                let cidr = IpCidr::Ipv4(Ipv4Cidr::new(address, prefix.length()));
                debug_assert!(!list.is_full(), "checked when the host is made");
                let _ = list.push(cidr);
            }
        });
        let buffer = || raw::PacketBuffer::new(vec![raw::PacketMetadata::EMPTY; 2], vec![0; BUFFER]);
        let mut sockets = SocketSet::new(Vec::new());
        let icmp =
            sockets.add(raw::Socket::new(Some(IpVersion::Ipv4), Some(IpProtocol::Icmp), buffer(), buffer()));
        Ip { interface, queues, sockets, icmp }
    }

    /// Takes an IPv4 packet whose header is well-formed and which is for this host.
    pub(super) fn receive(&mut self, now: Nanos, packet: Vec<u8>) {
        self.queues.received.push_back(packet);
        self.run(now);
    }

    /// Sends an ICMP message in a complete IPv4 packet of at most 65535 bytes.
    pub(super) fn send_icmp(&mut self, now: Nanos, packet: &[u8]) {
        let sent = self.sockets.get_mut::<raw::Socket>(self.icmp).send_slice(packet);
        debug_assert!(sent.is_ok(), "the buffer holds the largest packet and is empty between calls");
        self.run(now);
    }

    /// Packets that are to leave, in order.
    pub(super) fn take_sent(&mut self) -> Option<Vec<u8>> {
        self.queues.sent.pop_front()
    }

    /// An ICMP message that came in, as a complete IPv4 packet.
    pub(super) fn take_icmp(&mut self) -> Option<Vec<u8>> {
        self.sockets.get_mut::<raw::Socket>(self.icmp).recv().ok().map(<[u8]>::to_vec)
    }

    /// Opens a UDP socket for a port of all this host's addresses.
    pub(super) fn open_udp(&mut self, port: u16) -> Option<SocketHandle> {
        let buffer = || udp::PacketBuffer::new(vec![udp::PacketMetadata::EMPTY; 2], vec![0; BUFFER]);
        let mut socket = udp::Socket::new(buffer(), buffer());
        socket.bind(port).ok()?;
        Some(self.sockets.add(socket))
    }

    pub(super) fn close_udp(&mut self, socket: SocketHandle) {
        self.sockets.remove(socket);
    }

    pub(super) fn send_udp(
        &mut self,
        now: Nanos,
        socket: SocketHandle,
        from: Ipv4Addr,
        to: (Ipv4Addr, u16),
        payload: &[u8],
    ) -> bool {
        let metadata = udp::UdpMetadata {
            local_address: Some(IpAddress::Ipv4(from)),
            ..udp::UdpMetadata::from(IpEndpoint::new(IpAddress::Ipv4(to.0), to.1))
        };
        let sent = self.sockets.get_mut::<udp::Socket>(socket).send_slice(payload, metadata).is_ok();
        self.run(now);
        sent
    }

    pub(super) fn take_udp(&mut self, socket: SocketHandle) -> Option<Datagram> {
        let (payload, metadata) = self.sockets.get_mut::<udp::Socket>(socket).recv().ok()?;
        let IpAddress::Ipv4(from) = metadata.endpoint.addr;
        let to = match metadata.local_address {
            Some(IpAddress::Ipv4(address)) => address,
            None => Ipv4Addr::UNSPECIFIED,
        };
        Some(Datagram { from: (from, metadata.endpoint.port), to, payload: payload.to_vec() })
    }

    /// Lets smoltcp work until it rests: one turn sends at most one fragment.
    fn run(&mut self, now: Nanos) {
        let now = instant(now);
        for _ in 0..MAX_TURNS {
            self.interface.poll(now, &mut self.queues, &mut self.sockets);
            if self.interface.poll_at(now, &self.sockets).is_none_or(|at| at > now) {
                return;
            }
        }
        debug_assert!(false, "the IP stack does not come to rest");
    }
}
