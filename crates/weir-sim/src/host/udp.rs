//! UDP (RFC 768).

use std::net::IpAddr;

use weir_device::Nanos;

use super::drops::Discard;
use super::icmp::ErrorReason;
use super::ip::{self, Header, MAX_PACKET, Packet, UDP, be_u16, v4};
use super::{Host, HostDrop};
use crate::host::socket::{AppEvent, Binding, SendError};

/// The length of the UDP header in bytes.
const HEADER: usize = 8;

/// A received UDP datagram with a correct checksum.
#[derive(Clone, Copy, Debug)]
pub(super) struct Datagram<'a> {
    source: u16,
    destination: u16,
    payload: &'a [u8],
}

/// Parses a UDP datagram and verifies its checksum.
pub(super) fn parse<'a>(packet: &Packet<'a>) -> Result<Datagram<'a>, HostDrop> {
    let bytes = packet.payload;
    if bytes.len() < HEADER {
        return Err(HostDrop::TruncatedUdp);
    }
    let length = usize::from(be_u16(bytes, 4));
    let Some(bytes) = bytes.get(..length).filter(|bytes| bytes.len() >= HEADER) else {
        return Err(HostDrop::TruncatedUdp);
    };
    // IPv4 permits datagrams without a checksum; IPv6 does not (RFC 8200, section 8.1).
    let unchecked = be_u16(bytes, 6) == 0 && packet.source.is_ipv4();
    let pseudo = ip::pseudo_header_sum(packet.source, packet.destination, UDP);
    if !unchecked && (be_u16(bytes, 6) == 0 || ip::checksum(pseudo, bytes) != 0) {
        return Err(HostDrop::BadUdpChecksum);
    }
    Ok(Datagram { source: be_u16(bytes, 0), destination: be_u16(bytes, 2), payload: &bytes[HEADER..] })
}

impl Host {
    pub(super) fn receive_udp(&mut self, now: Nanos, packet: &Packet<'_>, datagram: Datagram<'_>) {
        let arrival = AppEvent::Udp {
            from: (packet.source, datagram.source),
            to: packet.destination,
            payload: datagram.payload,
        };
        if !self.arrive(now, Binding::Udp(datagram.destination), &arrival) {
            self.discard(Discard::NoUdpPort);
            self.send_icmp_error(now, packet, ErrorReason::Port);
        }
    }

    /// Sends a datagram from a port with a type of service. `write` writes the payload of `bytes`
    /// bytes in place. It must write all bytes, because their initial contents are unspecified.
    pub(crate) fn send_udp(
        &mut self,
        now: Nanos,
        (port, class): (u16, u8),
        to: (IpAddr, u16),
        bytes: usize,
        write: impl FnOnce(&mut [u8]),
    ) -> Result<(), SendError> {
        let max = MAX_PACKET - HEADER - if to.0.is_ipv4() { v4::HEADER } else { 0 };
        if bytes > max {
            return Err(SendError::TooLong { bytes, max });
        }
        if !self.bindings.contains(Binding::Udp(port)) {
            return Err(SendError::NotBound(port));
        }
        let source = self.source_for(to.0).ok_or(SendError::NoRoute(to.0))?;
        if to.1 == 0 || to.0.is_unspecified() {
            return Err(SendError::BadDestination(to.0, to.1));
        }
        let header = Header { class, ..Header::new(source, to.0, UDP) };
        self.send_ip(now, &header, HEADER + bytes, |buffer| {
            buffer[..2].copy_from_slice(&port.to_be_bytes());
            buffer[2..4].copy_from_slice(&to.1.to_be_bytes());
            let length = buffer.len() as u16;
            buffer[4..6].copy_from_slice(&length.to_be_bytes());
            buffer[6..HEADER].fill(0);
            write(&mut buffer[HEADER..]);
            // Zero means that there is no checksum; its complement is an equivalent checksum.
            let checksum = match ip::checksum(ip::pseudo_header_sum(source, to.0, UDP), buffer) {
                0 => 0xffff,
                checksum => checksum,
            };
            buffer[6..HEADER].copy_from_slice(&checksum.to_be_bytes());
        });
        Ok(())
    }
}
