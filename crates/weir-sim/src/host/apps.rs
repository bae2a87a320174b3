//! Applications on a host: their starting, waking, and what arrives for them.

use std::net::{IpAddr, Ipv4Addr};

use smoltcp::phy::ChecksumCapabilities;
use smoltcp::wire::{Icmpv4Packet, Icmpv4Repr, IpProtocol, Ipv4Packet, Ipv4Repr};
use weir_switch::{Nanos, Port};

use super::ip::MAX_PACKET;
use super::{Host, Slot};
use crate::app::{App, Arrival, BindError, Binding, HostContext, IcmpError, SendError};
use crate::{IpPrefix, Random};

/// Bytes of the IPv4 header we write, and of an ICMP echo's header.
const IPV4_HEADER: usize = 20;
const ECHO_HEADER: usize = 8;
const UDP_HEADER: usize = 8;

impl Host {
    pub(crate) fn add_app(&mut self, app: Box<dyn App>) -> usize {
        self.apps.push(Slot { app: Some(app), finished: false });
        self.running += 1;
        self.apps.len() - 1
    }

    /// Applications there have been.
    pub(crate) fn apps_started(&self) -> usize {
        self.apps.len()
    }

    pub(crate) fn app(&self, slot: usize) -> Option<&dyn App> {
        self.apps.get(slot)?.app.as_deref()
    }

    pub(crate) fn app_mut(&mut self, slot: usize) -> Option<&mut Box<dyn App>> {
        self.apps.get_mut(slot)?.app.as_mut()
    }

    /// Applications that have not finished.
    pub(crate) fn apps_running(&self) -> usize {
        self.running
    }

    /// Looks again which applications have finished, after a caller changed one.
    pub(crate) fn recount_apps(&mut self) {
        for slot in &mut self.apps {
            slot.finished = slot.app.as_ref().is_none_or(|app| app.finished());
        }
        self.running = self.apps.iter().filter(|slot| !slot.finished).count();
    }

    pub(crate) fn start_app(&mut self, now: Nanos, slot: usize) {
        self.with_app(now, slot, |app, context| app.start(context));
    }

    pub(crate) fn wake_app(&mut self, now: Nanos, slot: usize, token: u64) {
        self.with_app(now, slot, |app, context| app.wake(token, context));
    }

    /// Runs an application with its host; the application is out of its slot meanwhile. None if there is no such application.
    pub(crate) fn with_app<T>(
        &mut self,
        now: Nanos,
        slot: usize,
        run: impl FnOnce(&mut dyn App, &mut HostContext<'_>) -> T,
    ) -> Option<T> {
        let mut app = self.apps.get_mut(slot).and_then(|place| place.app.take())?;
        let result = run(app.as_mut(), &mut HostContext::new(self, now, slot));
        let finished = app.finished();
        let place = &mut self.apps[slot];
        self.running = self.running + usize::from(place.finished) - usize::from(finished);
        *place = Slot { app: Some(app), finished };
        Some(result)
    }

    /// The application that holds a binding.
    pub(crate) fn bound(&self, binding: Binding) -> Option<usize> {
        self.bindings.get(&binding).copied()
    }

    fn arrive(&mut self, now: Nanos, binding: Binding, arrival: &Arrival<'_>) {
        if let Some(&slot) = self.bindings.get(&binding) {
            self.with_app(now, slot, |app, context| app.receive(arrival, context));
        }
    }

    /// Hands what the IP stack received to the applications it is for.
    pub(super) fn deliver(&mut self, now: Nanos) {
        while let Some(packet) = self.ip.take_icmp() {
            self.deliver_icmp(now, &packet);
        }
        let ports: Vec<_> = self.udp.iter().map(|(port, socket)| (*port, *socket)).collect();
        for (port, socket) in ports {
            while let Some(datagram) = self.ip.take_udp(socket) {
                let arrival = Arrival::Udp {
                    from: (datagram.from.0.into(), datagram.from.1),
                    to: datagram.to.into(),
                    payload: &datagram.payload,
                };
                self.arrive(now, Binding::Udp(port), &arrival);
            }
        }
    }

    fn deliver_icmp(&mut self, now: Nanos, packet: &[u8]) {
        let Ok(packet) = Ipv4Packet::new_checked(packet) else { return };
        let Ok(message) = Icmpv4Packet::new_checked(packet.payload()) else { return };
        let Ok(repr) = Icmpv4Repr::parse(&message, &ChecksumCapabilities::default()) else { return };
        let (icmp_type, code) = (u8::from(message.msg_type()), message.msg_code());
        let error = IcmpError { from: packet.src_addr().into(), icmp_type, code };
        match repr {
            Icmpv4Repr::EchoReply { ident, seq_no, data } => {
                let arrival = Arrival::EchoReply {
                    from: packet.src_addr().into(),
                    sequence: seq_no,
                    ttl: packet.hop_limit(),
                    payload: data,
                };
                self.arrive(now, Binding::Echo(ident), &arrival);
            }
            Icmpv4Repr::DstUnreachable { header, data, .. }
            | Icmpv4Repr::TimeExceeded { header, data, .. }
                if self.owns(header.src_addr.into()) =>
            {
                self.deliver_error(now, error, header.next_header, data);
            }
            // Requests are the stack's to answer; nobody listens for the rest.
            _ => {}
        }
    }

    fn deliver_error(&mut self, now: Nanos, error: IcmpError, protocol: IpProtocol, original: &[u8]) {
        let binding = match (protocol, original) {
            // An echo request: type 8, then code, checksum and identifier (RFC 792).
            (IpProtocol::Icmp, &[8, _, _, _, high, low, ..]) => {
                Binding::Echo(u16::from_be_bytes([high, low]))
            }
            (IpProtocol::Udp, &[high, low, ..]) => Binding::Udp(u16::from_be_bytes([high, low])),
            _ => return,
        };
        self.arrive(now, binding, &Arrival::Error { error, original });
    }

    /// Tells an application that the next hop of a packet of its own does not answer, as Linux does: host unreachable, from the host itself.
    pub(super) fn report_unreachable(&mut self, now: Nanos, port: Port, packet: &[u8]) {
        let Ok(packet) = Ipv4Packet::new_checked(packet) else { return };
        let addresses = &self.config.interfaces[port as usize].addresses;
        let from =
            addresses.first().map_or(Ipv4Addr::UNSPECIFIED.into(), |prefix: &IpPrefix| prefix.address());
        // Later fragments have no transport header.
        if packet.frag_offset() == 0 {
            let error = IcmpError { from, icmp_type: 3, code: 1 };
            self.deliver_error(now, error, packet.next_header(), packet.payload());
        }
    }

    pub(crate) fn bind(&mut self, binding: Binding, slot: usize) -> Result<(), BindError> {
        if self.bindings.contains_key(&binding) {
            return Err(BindError(binding));
        }
        if let Binding::Udp(port) = binding {
            let socket = self.ip.open_udp(port).ok_or(BindError(binding))?;
            self.udp.insert(port, socket);
        }
        self.bindings.insert(binding, slot);
        Ok(())
    }

    pub(crate) fn unbind(&mut self, binding: Binding, slot: usize) {
        if self.bindings.get(&binding) != Some(&slot) {
            return;
        }
        self.bindings.remove(&binding);
        if let Binding::Udp(port) = binding
            && let Some(socket) = self.udp.remove(&port)
        {
            self.ip.close_udp(socket);
        }
    }

    pub(crate) fn random(&mut self) -> &mut Random {
        &mut self.random
    }

    pub(crate) fn send_echo(
        &mut self,
        now: Nanos,
        destination: IpAddr,
        ttl: u8,
        ident: u16,
        sequence: u16,
        payload: &[u8],
    ) -> Result<(), SendError> {
        let most = MAX_PACKET - IPV4_HEADER - ECHO_HEADER;
        if payload.len() > most {
            return Err(SendError::TooLong { bytes: payload.len(), most });
        }
        let no_route = SendError::NoRoute(destination);
        let (Some(IpAddr::V4(source)), IpAddr::V4(destination)) = (self.source_for(destination), destination)
        else {
            return Err(no_route);
        };
        let icmp = Icmpv4Repr::EchoRequest { ident, seq_no: sequence, data: payload };
        let ip = Ipv4Repr {
            src_addr: source,
            dst_addr: destination,
            next_header: IpProtocol::Icmp,
            payload_len: icmp.buffer_len(),
            hop_limit: ttl,
        };
        let checksums = ChecksumCapabilities::default();
        let mut bytes = vec![0; IPV4_HEADER + icmp.buffer_len()];
        ip.emit(&mut Ipv4Packet::new_unchecked(&mut bytes), &checksums);
        icmp.emit(&mut Icmpv4Packet::new_unchecked(&mut bytes[IPV4_HEADER..]), &checksums);
        self.ip.send_icmp(now, &bytes);
        self.flush(now);
        Ok(())
    }

    pub(crate) fn send_udp(
        &mut self,
        now: Nanos,
        port: u16,
        to: (IpAddr, u16),
        payload: &[u8],
    ) -> Result<(), SendError> {
        let most = MAX_PACKET - IPV4_HEADER - UDP_HEADER;
        if payload.len() > most {
            return Err(SendError::TooLong { bytes: payload.len(), most });
        }
        let socket = *self.udp.get(&port).ok_or(SendError::NotBound(port))?;
        let (Some(IpAddr::V4(source)), IpAddr::V4(address)) = (self.source_for(to.0), to.0) else {
            return Err(SendError::NoRoute(to.0));
        };
        if to.1 == 0
            || to.0.is_unspecified()
            || !self.ip.send_udp(now, socket, source, (address, to.1), payload)
        {
            return Err(SendError::BadDestination(to.0, to.1));
        }
        self.flush(now);
        Ok(())
    }
}
