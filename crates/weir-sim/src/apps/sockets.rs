//! Connections of TCP of a program that lives outside the world: what happens to them is kept, and the run stops so that the program can
//! react at this very time.

use std::collections::BTreeMap;
use std::net::IpAddr;

use weir_device::Nanos;
use weir_tcp::{Closed, Config, Event, Info, Pacing};

use crate::SocketId;
use crate::host::app::{App, HostContext};
use crate::host::socket::{AppEvent, BindError, Data, SendError, SocketError, TcpEvent};

/// Bytes asked of a connection at a time.
const READ: usize = 65_536;

/// Something that happened to a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SocketMessage {
    /// When, in nanoseconds.
    pub time: Nanos,
    /// The connection's number.
    pub connection: u64,
    /// What happened.
    pub event: SocketEvent,
}

/// What can happen to a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SocketEvent {
    /// It is new: somebody connected to this port.
    Accepted {
        /// The listener's port.
        port: u16,
        /// The peer's address and port.
        from: (IpAddr, u16),
    },
    /// The peer has answered.
    Connected,
    /// Bytes of the peer, the next in order.
    Received(Vec<u8>),
    /// There is room again after a write was cut short.
    Writable,
    /// The peer sends no more.
    PeerClosed,
    /// It is over. Nothing follows.
    Closed(Closed),
}

struct Connection {
    socket: SocketId,
    /// Nothing is read: what comes fills the receive buffer, and then closes the peer's window.
    paused: bool,
    /// The peer has closed, which the program does not know yet.
    peer_closed: bool,
    /// How it ended while it was paused, and what had not been read.
    ended: Option<(Vec<u8>, Closed)>,
}

/// Keeps what happens to a program's connections. It waits for nothing, so it counts as finished. When it is released
/// ([`crate::Network::release_app`]), the connections close as those of a process that has ended.
#[derive(Default)]
pub struct Sockets {
    messages: Vec<SocketMessage>,
    connections: BTreeMap<u64, Connection>,
    numbers: BTreeMap<SocketId, u64>,
    made: u64,
}

impl Sockets {
    /// Takes what has happened, in that order.
    pub fn take(&mut self) -> Vec<SocketMessage> {
        std::mem::take(&mut self.messages)
    }

    /// Takes connections at a port from now on.
    ///
    /// # Errors
    /// Something listens there, or it is port 0.
    pub fn listen(&mut self, port: u16, config: Config, host: &mut HostContext<'_>) -> Result<(), BindError> {
        host.tcp_listen(port, config)
    }

    /// Opens a connection; its number.
    ///
    /// # Errors
    /// There is no route or no free port, or the destination cannot be connected to.
    pub fn connect(
        &mut self,
        to: (IpAddr, u16),
        config: Config,
        host: &mut HostContext<'_>,
    ) -> Result<u64, SendError> {
        let socket = host.tcp_connect(to, config, &[])?;
        Ok(self.hold(socket))
    }

    /// Bytes for the peer; how many there was room for. After a write cut short, [`SocketEvent::Writable`] tells when there is room.
    ///
    /// # Errors
    /// The connection is over.
    pub fn write(
        &mut self,
        connection: u64,
        bytes: &[u8],
        host: &mut HostContext<'_>,
    ) -> Result<usize, SocketError> {
        let socket = self.open(connection)?;
        host.tcp_write(socket, Data::Bytes(bytes)).map(|taken| taken as usize)
    }

    /// Sends no more; what was written still arrives, and receiving goes on.
    ///
    /// # Errors
    /// The connection is over, as in the following.
    pub fn close(&mut self, connection: u64, host: &mut HostContext<'_>) -> Result<(), SocketError> {
        host.tcp_close(self.open(connection)?);
        Ok(())
    }

    /// Breaks a connection off.
    ///
    /// # Errors
    /// The connection is over.
    pub fn abort(&mut self, connection: u64, host: &mut HostContext<'_>) -> Result<(), SocketError> {
        host.tcp_abort(self.open(connection)?);
        Ok(())
    }

    /// Reads no more from now on, until [`Sockets::resume`].
    ///
    /// # Errors
    /// The connection is over.
    pub fn pause(&mut self, connection: u64) -> Result<(), SocketError> {
        self.connections.get_mut(&connection).ok_or(SocketError)?.paused = true;
        Ok(())
    }

    /// Reads again, first what has come meanwhile.
    ///
    /// # Errors
    /// The connection is over, and the program has been told so.
    pub fn resume(&mut self, connection: u64, host: &mut HostContext<'_>) -> Result<(), SocketError> {
        self.connections.get_mut(&connection).ok_or(SocketError)?.paused = false;
        self.read(connection, host);
        Ok(())
    }

    /// Spaces a connection's segments in another way from now on.
    ///
    /// # Errors
    /// The connection is over.
    pub fn pace(
        &mut self,
        connection: u64,
        pacing: Pacing,
        host: &mut HostContext<'_>,
    ) -> Result<(), SocketError> {
        host.tcp_set_pacing(self.open(connection)?, pacing);
        Ok(())
    }

    /// A connection's figures.
    ///
    /// # Errors
    /// The connection is over.
    pub fn info(&self, connection: u64, host: &HostContext<'_>) -> Result<Info, SocketError> {
        host.tcp_info(self.open(connection)?).ok_or(SocketError)
    }

    /// A connection's addresses and ports: the host's own, the peer's.
    ///
    /// # Errors
    /// The connection is over.
    pub fn ends(
        &self,
        connection: u64,
        host: &mut HostContext<'_>,
    ) -> Result<[(IpAddr, u16); 2], SocketError> {
        host.tcp_ends(self.open(connection)?).ok_or(SocketError)
    }

    fn hold(&mut self, socket: SocketId) -> u64 {
        self.made += 1;
        self.numbers.insert(socket, self.made);
        let held = Connection { socket, paused: false, peer_closed: false, ended: None };
        self.connections.insert(self.made, held);
        self.made
    }

    fn open(&self, connection: u64) -> Result<SocketId, SocketError> {
        let held = self.connections.get(&connection).filter(|held| held.ended.is_none());
        held.map(|held| held.socket).ok_or(SocketError)
    }

    fn tell(&mut self, connection: u64, event: SocketEvent, host: &mut HostContext<'_>) {
        self.messages.push(SocketMessage { time: host.now(), connection, event });
        host.request_stop();
    }

    /// Hands on what there is to read, and what came behind it, unless the connection is paused.
    fn read(&mut self, connection: u64, host: &mut HostContext<'_>) {
        let Some(held) = self.connections.get_mut(&connection) else { return };
        if held.paused {
            return;
        }
        let peer_closed = std::mem::take(&mut held.peer_closed);
        let (bytes, closed) = match held.ended.take() {
            Some((bytes, closed)) => (bytes, Some(closed)),
            None => (unread(held.socket, host), None),
        };
        if !bytes.is_empty() {
            self.tell(connection, SocketEvent::Received(bytes), host);
        }
        if peer_closed {
            self.tell(connection, SocketEvent::PeerClosed, host);
        }
        if let Some(closed) = closed {
            self.connections.remove(&connection);
            self.tell(connection, SocketEvent::Closed(closed), host);
        }
    }
}

/// Reads all that there is.
fn unread(socket: SocketId, host: &mut HostContext<'_>) -> Vec<u8> {
    let mut bytes = Vec::new();
    loop {
        let read = bytes.len();
        bytes.resize(read + READ, 0);
        let more = host.tcp_read(socket, &mut bytes[read..]);
        bytes.truncate(read + more);
        if more < READ {
            return bytes;
        }
    }
}

impl App for Sockets {
    fn start(&mut self, _: &mut HostContext<'_>) {}

    fn wake(&mut self, _: u64, _: &mut HostContext<'_>) {}

    fn receive(&mut self, arrival: &AppEvent<'_>, host: &mut HostContext<'_>) {
        let AppEvent::Tcp { socket, event } = *arrival else { return };
        if let TcpEvent::Accepted { port, from } = event {
            let connection = self.hold(socket);
            self.tell(connection, SocketEvent::Accepted { port, from }, host);
            return;
        }
        let (TcpEvent::Connection(event), Some(&connection)) = (event, self.numbers.get(&socket)) else {
            return;
        };
        match event {
            Event::Connected => self.tell(connection, SocketEvent::Connected, host),
            Event::Writable => self.tell(connection, SocketEvent::Writable, host),
            Event::Readable => self.read(connection, host),
            Event::PeerClosed => {
                if let Some(held) = self.connections.get_mut(&connection) {
                    held.peer_closed = true;
                }
                self.read(connection, host);
            }
            Event::Closed(closed) => {
                self.numbers.remove(&socket);
                let bytes = unread(socket, host);
                if let Some(held) = self.connections.get_mut(&connection) {
                    held.ended = Some((bytes, closed));
                }
                self.read(connection, host);
            }
        }
    }

    fn finished(&self) -> bool {
        true
    }
}
