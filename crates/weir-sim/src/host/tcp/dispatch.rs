//! Processing of connections: events to applications, segments to the network, timers.

use weir_device::Nanos;
use weir_tcp::{Connection, Event, State};

use super::table::SlotState;
use crate::host::ethernet::ETHERNET_HEADER;
use crate::host::ip::{self, ECN_CAPABLE, Header, TCP};
use crate::host::socket::{AppEvent, TcpEvent};
use crate::host::{Host, SegmentInfo};

impl Host {
    /// Processes all connections that are ready; called at the end of each call of the host.
    pub(crate) fn process_ready_connections(&mut self, now: Nanos) {
        while let Some(number) = self.tcp.next_ready() {
            self.process_connection(now, number);
        }
    }

    fn process_connection(&mut self, now: Nanos, number: u32) {
        // Applications are called first, so that acknowledgements carry their responses and the
        // window after their reads.
        while let Some(event) = self.next_event(number) {
            if event == Event::Readable && self.read_later(number) {
                continue;
            }
            self.read_first(now, number);
            self.notify_app(now, number, event);
        }
        // The application's actions during these calls are processed below.
        self.tcp.clear_ready(number);
        let Some(mut connection) = self.tcp.take_connection(number) else { return };
        self.send_segments(now, number, &mut connection);
        match connection.state() {
            State::Closed => self.tcp.remove(number),
            State::TimeWait => match connection.time_wait() {
                Some(record) => {
                    let until = record.until;
                    self.tcp.enter_time_wait(number, record);
                    self.tcp.arm_timer(number, Some(until));
                }
                None => self.tcp.remove(number),
            },
            _ => {
                let deadline = connection.next_deadline();
                self.tcp.slot(number).state = SlotState::Open(connection);
                self.tcp.arm_timer(number, deadline);
            }
        }
    }

    /// Notes that the connection's application reads later; false if applications read at once.
    fn read_later(&mut self, number: u32) -> bool {
        let socket = self.tcp.id(number);
        let Some(unread) = &mut self.unread else { return false };
        unread.add(socket);
        true
    }

    /// Lets the connection's application read its unread data.
    fn read_first(&mut self, now: Nanos, number: u32) {
        let socket = self.tcp.id(number);
        let Some(unread) = &mut self.unread else { return };
        if unread.remove(socket) {
            self.notify_app(now, number, Event::Readable);
        }
    }

    /// Lets applications read all data that has arrived.
    pub(crate) fn read_all(&mut self, now: Nanos) {
        let Some(unread) = &mut self.unread else { return };
        for socket in unread.take_all() {
            if self.tcp.id(socket.number) == socket {
                self.notify_app(now, socket.number, Event::Readable);
                self.tcp.mark_ready(socket.number);
            }
        }
    }

    fn next_event(&mut self, number: u32) -> Option<Event> {
        match &mut self.tcp.slot(number).state {
            SlotState::Open(connection) => connection.next_event(),
            SlotState::Free | SlotState::Busy | SlotState::TimeWait(_) => None,
        }
    }

    fn notify_app(&mut self, now: Nanos, number: u32, event: Event) {
        let socket = self.tcp.id(number);
        let slot = self.tcp.slot(number);
        let (app, ends) = (slot.app, slot.ends);
        let event = match event {
            Event::Connected if slot.half_open => {
                slot.half_open = false;
                if let Some(listener) = self.tcp.listeners.get_mut(&ends.local.1) {
                    listener.half_open = listener.half_open.saturating_sub(1);
                }
                TcpEvent::Accepted { port: ends.local.1, from: ends.remote }
            }
            // The application does not know the connection yet, and never will.
            _ if slot.half_open => return,
            event => TcpEvent::Connection(event),
        };
        let arrival = AppEvent::Tcp { socket, event };
        self.with_app(now, app, |app, context| app.receive(&arrival, context));
    }

    fn send_segments(&mut self, now: Nanos, number: u32, connection: &mut Connection) {
        let opening = matches!(connection.state(), State::SynSent | State::SynReceived);
        let mut next = connection.next_segment(now);
        if next.is_none() {
            return;
        }
        let token = self.tcp.token(number);
        let slot = self.tcp.slot(number);
        let (plain, class) = (slot.ends.header(), slot.class);
        let pseudo = ip::pseudo_header_sum(plain.source, plain.destination, TCP);
        let options = if opening { std::mem::take(&mut slot.ip_options) } else { Vec::new() };
        while let Some(outgoing) = next {
            let class = class | if outgoing.ect { ECN_CAPABLE } else { 0 };
            let header = Header { class, options: &options, ..plain };
            self.sending_segment =
                token.map(|socket| SegmentInfo { socket, earliest: outgoing.earliest, queued: false });
            self.send_ip(now, &header, outgoing.len as usize, |buffer| {
                connection.emit(&outgoing, pseudo, buffer);
            });
            if self.sending_segment.as_ref().is_none_or(|sending| !sending.queued) {
                // The segment was for the host itself or waits for a neighbour, so no interface
                // will report its departure.
                connection.on_departed(outgoing.len);
            }
            next = connection.next_segment(now);
        }
        self.sending_segment = None;
        if opening {
            self.tcp.slot(number).ip_options = options;
        }
    }

    /// Called when a frame of a connection has left the queue of its interface. Returns whether the
    /// connection waited for this departure.
    pub(crate) fn handle_departure(&mut self, token: u32, frame: usize) -> bool {
        let Some((number, header)) = self.tcp.by_token(token) else { return false };
        let waited = match &mut self.tcp.slot(number).state {
            SlotState::Open(connection) => {
                connection.on_departed(frame.saturating_sub(ETHERNET_HEADER + header) as u32)
            }
            SlotState::Free | SlotState::Busy | SlotState::TimeWait(_) => false,
        };
        if waited {
            self.tcp.mark_ready(number);
        }
        waited
    }

    /// Handles the timers that are due.
    pub(in crate::host) fn fire_timers(&mut self, now: Nanos) {
        while let Some(number) = self.tcp.next_expired(now) {
            let deadline = match &mut self.tcp.slot(number).state {
                SlotState::Open(connection) => connection.next_deadline(),
                SlotState::TimeWait(record) => Some(record.until),
                SlotState::Free | SlotState::Busy => None,
            };
            match (deadline, &mut self.tcp.slot(number).state) {
                (Some(deadline), _) if deadline > now => self.tcp.arm_timer(number, Some(deadline)),
                (Some(_), SlotState::Open(connection)) => {
                    connection.on_timer(now);
                    self.tcp.mark_ready(number);
                }
                (Some(_), SlotState::TimeWait(_)) => self.tcp.remove(number),
                _ => {}
            }
        }
    }
}
