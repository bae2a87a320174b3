//! A TCP stream that never ends, and its receiver.

use std::net::IpAddr;

use weir_sim::tcp::{Config, Event, Keep};
use weir_sim::{App, AppEvent, Data, HostContext, SocketId, TcpEvent};

/// An application that writes as much as the connection has room for.
pub struct Sender(pub IpAddr, pub u16);

impl Sender {
    fn write(socket: SocketId, host: &mut HostContext<'_>) {
        // A connection that has ended has no room.
        while host.tcp_write(socket, Data::Pattern(1 << 20)).is_ok_and(|taken| taken > 0) {}
    }
}

impl App for Sender {
    fn start(&mut self, host: &mut HostContext<'_>) {
        let config = host.tcp_defaults();
        host.tcp_connect((self.0, self.1), config, &[]).expect("there is a route to the receiver");
    }

    fn wake(&mut self, _: u64, _: &mut HostContext<'_>) {}

    fn receive(&mut self, arrival: &AppEvent<'_>, host: &mut HostContext<'_>) {
        if let AppEvent::Tcp { socket, event: TcpEvent::Connection(Event::Connected | Event::Writable) } =
            *arrival
        {
            Self::write(socket, host);
        }
    }

    fn is_self_contained(&self) -> bool {
        true
    }

    fn finished(&self) -> bool {
        false
    }
}

/// An application that reads and discards all data.
pub struct Receiver(pub u16);

impl App for Receiver {
    fn start(&mut self, host: &mut HostContext<'_>) {
        let config = Config { keep: Keep::Count, ..host.tcp_defaults() };
        host.tcp_listen(self.0, config).expect("a free port");
    }

    fn wake(&mut self, _: u64, _: &mut HostContext<'_>) {}

    fn receive(&mut self, arrival: &AppEvent<'_>, host: &mut HostContext<'_>) {
        if let AppEvent::Tcp { socket, event: TcpEvent::Connection(Event::Readable) } = *arrival {
            host.tcp_discard(socket);
        }
    }

    fn is_self_contained(&self) -> bool {
        true
    }

    fn finished(&self) -> bool {
        true
    }
}
