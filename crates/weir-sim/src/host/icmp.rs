//! ICMP (RFC 792) and ICMPv6 (RFC 4443): echo messages and errors.

use std::net::IpAddr;

use weir_device::{Nanos, Port};
use weir_tcp::{fold, sum};

use super::drops::Discard;
use super::ip::path_mtu::plateau_below;
use super::ip::{
    self, CONGESTION_EXPERIENCED, Header, ICMP, ICMPV6, MAX_PACKET, Packet, TCP, UDP, be_u16, v4, v6,
};
use super::{Host, HostDrop};
use crate::host::socket::{AppEvent, Binding, IcmpError, SendError};
use weir_filter::is_unicast;

/// The length of the ICMP header in bytes.
pub(super) const HEADER: usize = 8;
/// The maximum length of a packet with an error in IPv4 and IPv6. Every path takes a packet of this
/// length (RFC 1812, section 4.3.2.3; RFC 4443, section 2.4).
const MAX_ERROR_BYTES: [usize; 2] = [576, 1280];

/// The rate limit for errors: one per millisecond on average, bursts of 50.
const ERROR_INTERVAL: Nanos = 1_000_000;
const ERROR_BURST: u64 = 50;

/// The ICMP type of an echo reply.
const ECHO_REPLY: u8 = 0;
/// The ICMP type of destination unreachable.
const UNREACHABLE: u8 = 3;
/// The ICMP type of an echo request.
const ECHO: u8 = 8;
/// The ICMP type of time exceeded.
const TIME_EXCEEDED: u8 = 11;
const PARAMETER_PROBLEM: u8 = 12;
/// The code of [`UNREACHABLE`] for "fragmentation needed", with the MTU of the next link in the
/// last two bytes (RFC 1191, section 4).
const FRAGMENTATION_NEEDED: u8 = 4;
/// The ICMPv6 type of destination unreachable; types below 128 are errors.
const V6_UNREACHABLE: u8 = 1;
/// The ICMPv6 type of packet too big.
const V6_TOO_BIG: u8 = 2;
/// The ICMPv6 type of time exceeded.
const V6_TIME_EXCEEDED: u8 = 3;
/// The ICMPv6 type of parameter problem.
const V6_PARAMETER_PROBLEM: u8 = 4;
/// The ICMPv6 type of an echo request.
const V6_ECHO: u8 = 128;
/// The ICMPv6 type of an echo reply.
const V6_ECHO_REPLY: u8 = 129;

/// The reason why a host sends an ICMP error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ErrorReason {
    /// No application is bound to the port.
    Port,
    /// The protocol is not supported.
    Protocol,
    /// Fragments were still missing at the time-out.
    Reassembly,
}

/// A received ICMP message with a correct checksum.
#[derive(Clone, Copy, Debug)]
pub(super) struct IcmpMessage<'a> {
    kind: u8,
    code: u8,
    /// The last four bytes of the header.
    rest: [u8; 4],
    body: &'a [u8],
}

/// Parses an ICMP message and verifies its checksum.
pub(super) fn parse<'a>(packet: &Packet<'a>) -> Result<IcmpMessage<'a>, HostDrop> {
    let bytes = packet.payload;
    let Some(&[kind, code, _, _, a, b, c, d]) = bytes.first_chunk::<HEADER>() else {
        return Err(HostDrop::TruncatedIcmp);
    };
    let checksum = match packet.protocol {
        ICMP => fold(sum(bytes)),
        _ => ip::checksum(ip::pseudo_header_sum(packet.source, packet.destination, ICMPV6), bytes),
    };
    if checksum != 0 {
        return Err(HostDrop::BadIcmpChecksum);
    }
    Ok(IcmpMessage { kind, code, rest: [a, b, c, d], body: &bytes[HEADER..] })
}

impl IcmpMessage<'_> {
    pub(super) fn is_ndp(&self) -> bool {
        matches!(self.kind, super::ndp::SOLICITATION | super::ndp::ADVERTISEMENT)
    }
}

/// Writes a message; `buffer` has the length of header and body together.
fn emit(header: &Header<'_>, kind: u8, code: u8, rest: [u8; 4], body: &[u8], buffer: &mut [u8]) {
    buffer[..4].copy_from_slice(&[kind, code, 0, 0]);
    buffer[4..HEADER].copy_from_slice(&rest);
    buffer[HEADER..].copy_from_slice(body);
    let checksum = match header.protocol {
        ICMP => fold(sum(buffer)),
        _ => ip::checksum(ip::pseudo_header_sum(header.source, header.destination, ICMPV6), buffer),
    };
    buffer[2..4].copy_from_slice(&checksum.to_be_bytes());
}

/// The token bucket that limits the rate of ICMP errors.
#[derive(Default)]
pub(super) struct ErrorRateLimiter {
    /// The time at which the bucket will be full if nothing more is taken from it.
    until: Nanos,
}

impl ErrorRateLimiter {
    fn allow_error(&mut self, now: Nanos) -> bool {
        if self.until > now.saturating_add((ERROR_BURST - 1) * ERROR_INTERVAL) {
            return false;
        }
        self.until = self.until.max(now).saturating_add(ERROR_INTERVAL);
        true
    }
}

impl Host {
    pub(super) fn receive_icmp(&mut self, now: Nanos, packet: &Packet<'_>, message: IcmpMessage<'_>) {
        let [high, low, second_high, second_low] = message.rest;
        match (packet.protocol, message.kind) {
            (ICMP, ECHO) => self.answer_echo(now, packet, message, ECHO_REPLY),
            (ICMPV6, V6_ECHO) => self.answer_echo(now, packet, message, V6_ECHO_REPLY),
            (ICMP, ECHO_REPLY) | (ICMPV6, V6_ECHO_REPLY) => {
                let arrival = AppEvent::EchoReply {
                    from: packet.source,
                    sequence: u16::from_be_bytes([second_high, second_low]),
                    ttl: packet.ttl,
                    payload: message.body,
                };
                self.arrive(now, Binding::Echo(u16::from_be_bytes([high, low])), &arrival);
            }
            (ICMP, UNREACHABLE | TIME_EXCEEDED | PARAMETER_PROBLEM)
            | (ICMPV6, V6_UNREACHABLE | V6_TOO_BIG | V6_TIME_EXCEEDED | V6_PARAMETER_PROBLEM) => {
                self.receive_error(now, packet, message);
            }
            // No application listens for other messages.
            _ => {}
        }
    }

    fn answer_echo(&mut self, now: Nanos, packet: &Packet<'_>, request: IcmpMessage<'_>, kind: u8) {
        // A message sent to a group is answered from an address of the host.
        let source = if self.has_address(packet.destination) {
            Some(packet.destination)
        } else {
            self.source_for(packet.source)
        };
        let Some(source) = source.filter(|_| is_unicast(packet.source)) else { return };
        // The reply has the class of the request, as in Linux.
        let class = packet.class & !CONGESTION_EXPERIENCED;
        let header = Header { class, ..Header::new(source, packet.source, packet.protocol) };
        self.send_ip(now, &header, HEADER + request.body.len(), |buffer| {
            emit(&header, kind, 0, request.rest, request.body, buffer);
        });
    }

    fn receive_error(&mut self, now: Nanos, packet: &Packet<'_>, message: IcmpMessage<'_>) {
        let quoted = if packet.protocol == ICMP {
            v4::parse_quoted(message.body)
        } else {
            v6::parse_quoted(message.body)
        };
        let Some(quoted) = quoted.filter(|quoted| self.has_address(quoted.source)) else { return };
        if quoted.protocol == TCP && !self.has_connection_of(&quoted) {
            return;
        }
        let next_mtu = match (packet.protocol, message.kind, message.code) {
            (ICMP, UNREACHABLE, FRAGMENTATION_NEEDED) => match usize::from(be_u16(&message.rest, 2)) {
                0 => Some(plateau_below(usize::from(be_u16(message.body, 2)))),
                mtu => Some(mtu),
            },
            (ICMPV6, V6_TOO_BIG, _) => usize::try_from(u32::from_be_bytes(message.rest)).ok(),
            _ => None,
        };
        if let Some(mtu) = next_mtu {
            self.lower_path_mtu(now, &quoted, mtu);
        }
        let error = IcmpError { from: packet.source, icmp_type: message.kind, code: message.code };
        self.deliver_error(now, error, &quoted);
    }

    /// Handles a router's report that a path has this MTU.
    fn lower_path_mtu(&mut self, now: Nanos, quoted: &Packet<'_>, mtu: usize) {
        let min = if quoted.source.is_ipv4() { 68 } else { super::config::MIN_MTU_V6 };
        let known_mtu = self.path_mtu(now, quoted.destination);
        // RFC 8201, section 4: values below the minimum, or not below the known one, are ignored.
        if mtu >= min && known_mtu.is_some_and(|known_mtu| mtu < known_mtu) {
            self.paths.record_mtu(now, quoted.destination, mtu);
            self.path_cache.clear();
            self.cut_segments(quoted.destination, mtu);
        }
    }

    /// Reports an error about a packet to the application that sent it.
    fn deliver_error(&mut self, now: Nanos, error: IcmpError, quoted: &Packet<'_>) {
        let original = quoted.payload;
        // Only the first fragment has a transport header.
        let binding = match (quoted.protocol, original) {
            _ if quoted.fragment.is_some_and(|fragment| fragment.offset > 0) => return,
            (ICMP, &[ECHO, _, _, _, high, low, ..]) | (ICMPV6, &[V6_ECHO, _, _, _, high, low, ..]) => {
                Binding::Echo(u16::from_be_bytes([high, low]))
            }
            (UDP, &[high, low, ..]) => Binding::Udp(u16::from_be_bytes([high, low])),
            _ => return,
        };
        self.arrive(now, binding, &AppEvent::Error { error, original });
    }

    /// Reports to an application that the next hop of its packet does not answer, as Linux does:
    /// host or address unreachable, from the host itself.
    pub(super) fn report_unreachable(&mut self, now: Nanos, port: Port, packet: &[u8]) {
        let Ok(packet) = ip::parse(packet) else { return };
        let Some(from) = self.interface_address(port, packet.destination) else { return };
        let (icmp_type, code) = if from.is_ipv4() { (UNREACHABLE, 1) } else { (V6_UNREACHABLE, 3) };
        self.deliver_error(now, IcmpError { from, icmp_type, code }, &packet);
    }

    /// Sends an error about a packet, unless there must be none (RFC 1122, section 3.2.2; RFC 4443,
    /// section 2.4).
    pub(super) fn send_icmp_error(&mut self, now: Nanos, packet: &Packet<'_>, reason: ErrorReason) {
        let is_error = match packet.protocol {
            ICMP => !matches!(packet.payload.first(), Some(&(ECHO | ECHO_REPLY))),
            ICMPV6 => packet.payload.first().is_none_or(|kind| *kind < 128),
            _ => false,
        };
        if is_error || !self.has_address(packet.destination) || !is_unicast(packet.source) {
            return;
        }
        if !self.error_limiter.allow_error(now) {
            self.discard(Discard::IcmpLimit);
            return;
        }
        let family = usize::from(packet.source.is_ipv6());
        let protocol = [ICMP, ICMPV6][family];
        let (kind, code) = match reason {
            ErrorReason::Port => [(UNREACHABLE, 3), (V6_UNREACHABLE, 4)][family],
            ErrorReason::Protocol => [(UNREACHABLE, 2), (V6_PARAMETER_PROBLEM, 1)][family],
            ErrorReason::Reassembly => [(TIME_EXCEEDED, 1), (V6_TIME_EXCEEDED, 1)][family],
        };
        // The offset of the unknown next-header field: in the fixed header, because all known
        // extension headers were skipped.
        let rest = if kind == V6_PARAMETER_PROBLEM && family == 1 { [0, 0, 0, 6] } else { [0; 4] };
        let header = Header::new(packet.destination, packet.source, protocol);
        let max = MAX_ERROR_BYTES[family] - header.len() - HEADER;
        let body = &packet.whole[..packet.whole.len().min(max)];
        self.send_ip(now, &header, HEADER + body.len(), |buffer| {
            emit(&header, kind, code, rest, body, buffer);
        });
    }

    pub(crate) fn send_echo(
        &mut self,
        now: Nanos,
        destination: IpAddr,
        (ttl, class): (u8, u8),
        ident: u16,
        sequence: u16,
        payload: &[u8],
    ) -> Result<(), SendError> {
        let (protocol, kind, fixed) = match destination {
            IpAddr::V4(_) => (ICMP, ECHO, v4::HEADER),
            IpAddr::V6(_) => (ICMPV6, V6_ECHO, 0),
        };
        let max = MAX_PACKET - fixed - HEADER;
        if payload.len() > max {
            return Err(SendError::TooLong { bytes: payload.len(), max });
        }
        // As in Linux, an echo request to an IPv4 group needs a route.
        let no_route =
            destination.is_ipv4() && destination.is_multicast() && self.routes.lookup(destination).is_none();
        let source = self.source_for(destination).filter(|_| !no_route);
        let source = source.ok_or(SendError::NoRoute(destination))?;
        let header = Header { ttl, class, ..Header::new(source, destination, protocol) };
        let ([a, b], [c, d]) = (ident.to_be_bytes(), sequence.to_be_bytes());
        self.send_ip(now, &header, HEADER + payload.len(), |buffer| {
            emit(&header, kind, 0, [a, b, c, d], payload, buffer);
        });
        Ok(())
    }
}
