//! Received segments.

use std::collections::BTreeSet;
use std::net::IpAddr;

use weir_device::{Nanos, Port};
use weir_tcp::{Connection, Flags, Reply, Segment, SegmentError, Seq, State, TimeWaitAnswer};

use super::table::SlotState;
use super::{Endpoints, MAX_HALF_OPEN, segment_size};
use crate::host::drops::Discard;
use crate::host::ip::{self, CONGESTION_EXPERIENCED, Packet, TCP};
use crate::host::socket::{AppEvent, Binding};
use crate::host::{Host, HostDrop};

/// Parses a segment and verifies its checksum.
pub(in crate::host) fn parse<'a>(packet: &Packet<'a>) -> Result<Segment<'a>, HostDrop> {
    let pseudo = ip::pseudo_header_sum(packet.source, packet.destination, TCP);
    Segment::parse(packet.payload, pseudo).map_err(|error| match error {
        SegmentError::TruncatedHeader(_) | SegmentError::BadOffset(..) => HostDrop::TruncatedTcp,
        SegmentError::BadChecksum => HostDrop::BadTcpChecksum,
    })
}

impl Host {
    pub(in crate::host) fn receive_tcp(&mut self, now: Nanos, packet: &Packet<'_>, segment: &Segment<'_>) {
        let ends = Endpoints {
            local: (packet.destination, segment.destination),
            remote: (packet.source, segment.source),
        };
        let mut iss = None;
        if let Some(number) = self.tcp.find(&ends) {
            let slot = self.tcp.slot(number);
            match &mut slot.state {
                SlotState::Open(connection) => {
                    let answered = connection.state() == State::SynSent;
                    let ce = packet.class & CONGESTION_EXPERIENCED == CONGESTION_EXPERIENCED;
                    connection.on_segment(now, segment, ce);
                    let answered = answered && connection.state() == State::Established;
                    self.tcp.mark_ready(number);
                    if answered && !packet.options.is_empty() {
                        self.show_options(now, number, packet.options);
                    }
                    return;
                }
                SlotState::TimeWait(record) => match record.on_segment(now, segment) {
                    TimeWaitAnswer::Ignore => return,
                    TimeWaitAnswer::Reply(reply) => return self.reply(now, &ends, &reply),
                    TimeWaitAnswer::Reopen(seq) => {
                        self.tcp.remove(number);
                        iss = Some(seq);
                    }
                },
                SlotState::Free | SlotState::Busy => return,
            }
        }
        // Segments to broadcast addresses are not answered (RFC 1122, section 4.2.3.10).
        if self.has_address(packet.destination) && !self.accept(now, packet, segment, ends, iss) {
            if let Some(reply) = segment.reset_for() {
                self.reply(now, &ends, &reply);
            }
            self.discard(Discard::NoTcpPort);
        }
    }

    /// Accepts a connection if the segment is a SYN for a listener; false if there is no listener
    /// or the segment is not a SYN.
    fn accept(
        &mut self,
        now: Nanos,
        packet: &Packet<'_>,
        segment: &Segment<'_>,
        ends: Endpoints,
        iss: Option<Seq>,
    ) -> bool {
        let port = segment.destination;
        let Some(app) = self.bound(Binding::Tcp(port)) else { return false };
        let Some(listener) = self.tcp.listeners.get_mut(&port) else { return false };
        if segment.flags.contains(Flags::RST)
            || segment.flags.contains(Flags::ACK)
            || !segment.flags.contains(Flags::SYN)
        {
            // A reset, or a segment of a connection that no longer exists.
            return segment.flags.contains(Flags::RST);
        }
        if listener.half_open >= MAX_HALF_OPEN {
            self.discard(Discard::TooManyHalfOpen);
            return true;
        }
        listener.half_open += 1;
        let config = listener.config.clone();
        let requested_pacing = (config.pacing, config.paced_ahead);
        let config = self.fit_to_path(now, config, packet.source);
        let iss = iss.map_or_else(|| self.tcp.random.next_u64() as u32, |seq| seq.0);
        let random = self.tcp.random.next_u64();
        let ect = packet.class & CONGESTION_EXPERIENCED != 0;
        let connection = Connection::accept(now, config, segment, iss, random, ect);
        let socket = self.tcp.add(ends, app, requested_pacing, connection);
        let number = socket.number;
        self.tcp.slot(number).half_open = true;
        if !packet.options.is_empty() {
            self.show_options(now, number, packet.options);
        }
        true
    }

    fn show_options(&mut self, now: Nanos, number: u32, ip_options: &[u8]) {
        let (app, socket) = (self.tcp.slot(number).app, self.tcp.id(number));
        let arrival = AppEvent::SynOptions { socket, ip_options };
        self.with_app(now, app, |app, context| app.receive(&arrival, context));
    }

    /// Sends a reply that belongs to no connection, such as a reset.
    fn reply(&mut self, now: Nanos, ends: &Endpoints, reply: &Reply) {
        let header = ends.header();
        let pseudo = ip::pseudo_header_sum(header.source, header.destination, TCP);
        self.send_ip(now, &header, reply.len(), |buffer| reply.emit(pseudo, buffer));
    }

    /// Returns whether the segment quoted in an error belongs to an existing connection (required
    /// by RFC 5927, section 4.1).
    pub(in crate::host) fn has_connection_of(&self, quoted: &Packet<'_>) -> bool {
        let Some(&[a, b, c, d]) = quoted.payload.first_chunk::<4>() else { return false };
        let ends = Endpoints {
            local: (quoted.source, u16::from_be_bytes([a, b])),
            remote: (quoted.destination, u16::from_be_bytes([c, d])),
        };
        self.tcp.find(&ends).is_some()
    }

    /// Reduces the segment size of all connections to `remote` to a new path MTU.
    pub(in crate::host) fn cut_segments(&mut self, remote: IpAddr, mtu: usize) {
        let size = segment_size(mtu, remote);
        let mut cut = Vec::new();
        for (number, ends, connection) in self.tcp.open_connections() {
            if ends.remote.0 == remote {
                connection.set_mss(size);
                cut.push(number);
            }
        }
        cut.into_iter().for_each(|number| self.tcp.mark_ready(number));
    }

    /// Reduces the segment size of all connections through an interface to its new MTU.
    pub(in crate::host) fn cut_segments_by(&mut self, now: Nanos, port: Port) {
        let remotes: BTreeSet<IpAddr> =
            self.tcp.requested_pacing().map(|(_, ends, _)| ends.remote.0).collect();
        for remote in remotes {
            if let (Some((by, _)), Some(mtu)) = (self.route(remote), self.path_mtu(now, remote))
                && by == port
            {
                self.cut_segments(remote, mtu);
            }
        }
    }
}
