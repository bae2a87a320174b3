//! Events to applications, segments to the network, timers.

use weir_device::Nanos;
use weir_tcp::{Connection, Event, State};

use super::table::Kind;
use crate::host::ethernet::ETHERNET_HEADER;
use crate::host::ip::{self, ECN_CAPABLE, Header, TCP};
use crate::host::socket::{AppEvent, TcpEvent};
use crate::host::{Host, Sending};

impl Host {
    /// Lets all connections that have something to do do it: to be called when a call of this host is over.
    pub(crate) fn settle(&mut self, now: Nanos) {
        while let Some(number) = self.tcp.next_ready() {
            self.serve(now, number);
        }
    }

    fn serve(&mut self, now: Nanos, number: u32) {
        // Applications go first, so that acknowledgements leave with their answers and tell the window after their reading.
        while let Some(event) = self.next_event(number) {
            self.tell(now, number, event);
        }
        // What its application called it for is done now.
        self.tcp.served(number);
        let Some(mut connection) = self.tcp.take(number) else { return };
        self.send_segments(now, number, &mut connection);
        match connection.state() {
            State::Closed => self.tcp.remove(number),
            State::TimeWait => match connection.time_wait() {
                Some(record) => {
                    let until = record.until;
                    self.tcp.wait(number, record);
                    self.tcp.arm(number, Some(until));
                }
                None => self.tcp.remove(number),
            },
            _ => {
                let deadline = connection.next_deadline();
                self.tcp.slot(number).kind = Kind::Open(connection);
                self.tcp.arm(number, deadline);
            }
        }
    }

    fn next_event(&mut self, number: u32) -> Option<Event> {
        match &mut self.tcp.slot(number).kind {
            Kind::Open(connection) => connection.next_event(),
            Kind::Free | Kind::Busy | Kind::TimeWait(_) => None,
        }
    }

    fn tell(&mut self, now: Nanos, number: u32, event: Event) {
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
            // The application does not know of it yet, and never will.
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
        let plain = slot.ends.header();
        let pseudo = ip::pseudo(plain.source, plain.destination, TCP);
        let options = if opening { std::mem::take(&mut slot.ip_options) } else { Vec::new() };
        while let Some(outgoing) = next {
            let class = if outgoing.ect { ECN_CAPABLE } else { 0 };
            let header = Header { class, options: &options, ..plain };
            self.sending = token.map(|socket| Sending { socket, earliest: outgoing.earliest, noted: false });
            self.send_ip(now, &header, outgoing.len as usize, |room| {
                connection.emit(&outgoing, pseudo, room);
            });
            if self.sending.as_ref().is_none_or(|sending| !sending.noted) {
                // It went to the host itself or waits for a neighbour: no queue of an interface will tell of its departure.
                connection.departed(outgoing.len);
            }
            next = connection.next_segment(now);
        }
        self.sending = None;
        if opening {
            self.tcp.slot(number).ip_options = options;
        }
    }

    /// A frame of a connection's has left the queue of its interface; whether the connection waited for that.
    pub(crate) fn departed(&mut self, token: u32, frame: usize) -> bool {
        let Some((number, header)) = self.tcp.named(token) else { return false };
        let waited = match &mut self.tcp.slot(number).kind {
            Kind::Open(connection) => {
                connection.departed(frame.saturating_sub(ETHERNET_HEADER + header) as u32)
            }
            Kind::Free | Kind::Busy | Kind::TimeWait(_) => false,
        };
        if waited {
            self.tcp.touch(number);
        }
        waited
    }

    /// Calls the connections whose timers ring.
    pub(in crate::host) fn ring(&mut self, now: Nanos) {
        while let Some(number) = self.tcp.ringing(now) {
            let deadline = match &mut self.tcp.slot(number).kind {
                Kind::Open(connection) => connection.next_deadline(),
                Kind::TimeWait(record) => Some(record.until),
                Kind::Free | Kind::Busy => None,
            };
            match (deadline, &mut self.tcp.slot(number).kind) {
                (Some(deadline), _) if deadline > now => self.tcp.arm(number, Some(deadline)),
                (Some(_), Kind::Open(connection)) => {
                    connection.on_timer(now);
                    self.tcp.touch(number);
                }
                (Some(_), Kind::TimeWait(_)) => self.tcp.remove(number),
                _ => {}
            }
        }
    }
}
