//! TCP connections of programs outside the simulation. Events are stored, and the run stops so that
//! the program can react at this exact time.

use std::collections::BTreeMap;
use std::net::IpAddr;

use weir_device::Nanos;
use weir_tcp::{Closed, Config, Event, Info, Pacing};

use crate::SocketId;
use crate::host::app::{App, HostContext};
use crate::host::socket::{AppEvent, BindError, Data, SendError, SocketError, TcpEvent};

/// The number of bytes that a program reads at once.
const READ_BYTES: usize = 65_536;

/// An event of a connection, with its time, for a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SocketMessage {
    /// The time in nanoseconds.
    pub time: Nanos,
    /// The number of the connection.
    pub connection: u64,
    /// The event.
    pub event: SocketEvent,
}

/// The kinds of events of a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SocketEvent {
    /// A client has connected to a listening port.
    Accepted {
        /// The listener's port.
        port: u16,
        /// The peer's address and port.
        from: (IpAddr, u16),
    },
    /// The connection is established.
    Connected,
    /// The next bytes from the peer.
    Received(Vec<u8>),
    /// The send buffer has space again after a partial write.
    Writable,
    /// The peer has closed its direction.
    PeerClosed,
    /// The connection has ended; the last event.
    Closed(Closed),
}

/// A connection of the application.
struct Connection {
    socket: SocketId,
    /// Whether the program has paused reading. Bytes then fill the receive buffer until the window
    /// is closed.
    paused: bool,
    /// Whether the peer has closed its direction and this has not been reported yet.
    peer_closed: bool,
    /// The reason for the end of the connection while it was paused, and the unread bytes.
    ended: Option<(Vec<u8>, Closed)>,
}

/// Stores the events of a program's connections. It counts as finished, because it does not wait
/// for anything by itself. When it is released ([`crate::Network::release_app`]), its connections
/// are closed, as for a process that exits.
#[derive(Default)]
pub struct Sockets {
    messages: Vec<SocketMessage>,
    connections: BTreeMap<u64, Connection>,
    numbers: BTreeMap<SocketId, u64>,
    made: u64,
}

impl Sockets {
    /// Takes the stored events in order.
    pub fn take_events(&mut self) -> Vec<SocketMessage> {
        std::mem::take(&mut self.messages)
    }

    /// Accepts connections at a port from now on.
    ///
    /// # Errors
    /// Another application listens there, or the port is 0.
    pub fn listen(&mut self, port: u16, config: Config, host: &mut HostContext<'_>) -> Result<(), BindError> {
        host.tcp_listen(port, config)
    }

    /// Opens a connection and returns its number.
    ///
    /// # Errors
    /// There is no route or no free port, or the destination is not valid.
    pub fn connect(
        &mut self,
        to: (IpAddr, u16),
        config: Config,
        host: &mut HostContext<'_>,
    ) -> Result<u64, SendError> {
        let socket = host.tcp_connect(to, config, &[])?;
        Ok(self.add_connection(socket))
    }

    /// Writes bytes for the peer and returns how many fit. After a partial write,
    /// [`SocketEvent::Writable`] reports when there is space.
    ///
    /// # Errors
    /// The connection is closed.
    pub fn write(
        &mut self,
        connection: u64,
        bytes: &[u8],
        host: &mut HostContext<'_>,
    ) -> Result<usize, SocketError> {
        let socket = self.open_socket(connection)?;
        host.tcp_write(socket, Data::Bytes(bytes)).map(|taken| taken as usize)
    }

    /// Closes the sending direction. Written bytes still arrive, and receiving continues.
    ///
    /// # Errors
    /// The connection is closed.
    pub fn close(&mut self, connection: u64, host: &mut HostContext<'_>) -> Result<(), SocketError> {
        host.tcp_close(self.open_socket(connection)?);
        Ok(())
    }

    /// Resets a connection.
    ///
    /// # Errors
    /// The connection is closed.
    pub fn abort(&mut self, connection: u64, host: &mut HostContext<'_>) -> Result<(), SocketError> {
        host.tcp_abort(self.open_socket(connection)?);
        Ok(())
    }

    /// Pauses reading until [`Sockets::resume`].
    ///
    /// # Errors
    /// The connection is closed.
    pub fn pause(&mut self, connection: u64) -> Result<(), SocketError> {
        self.connections.get_mut(&connection).ok_or(SocketError)?.paused = true;
        Ok(())
    }

    /// Resumes reading, starting with the data that has arrived meanwhile.
    ///
    /// # Errors
    /// The connection is closed; the program has already been notified.
    pub fn resume(&mut self, connection: u64, host: &mut HostContext<'_>) -> Result<(), SocketError> {
        self.connections.get_mut(&connection).ok_or(SocketError)?.paused = false;
        self.read(connection, host);
        Ok(())
    }

    /// Changes how a connection paces its segments from now on.
    ///
    /// # Errors
    /// The connection is closed.
    pub fn pace(
        &mut self,
        connection: u64,
        pacing: Pacing,
        host: &mut HostContext<'_>,
    ) -> Result<(), SocketError> {
        host.tcp_set_pacing(self.open_socket(connection)?, pacing);
        Ok(())
    }

    /// Returns the metrics of a connection.
    ///
    /// # Errors
    /// The connection is closed.
    pub fn info(&self, connection: u64, host: &HostContext<'_>) -> Result<Info, SocketError> {
        host.tcp_info(self.open_socket(connection)?).ok_or(SocketError)
    }

    /// Returns the local and the remote address and port of a connection.
    ///
    /// # Errors
    /// The connection is closed.
    pub fn ends(
        &self,
        connection: u64,
        host: &mut HostContext<'_>,
    ) -> Result<[(IpAddr, u16); 2], SocketError> {
        host.tcp_ends(self.open_socket(connection)?).ok_or(SocketError)
    }

    fn add_connection(&mut self, socket: SocketId) -> u64 {
        self.made += 1;
        self.numbers.insert(socket, self.made);
        let held = Connection { socket, paused: false, peer_closed: false, ended: None };
        self.connections.insert(self.made, held);
        self.made
    }

    fn open_socket(&self, connection: u64) -> Result<SocketId, SocketError> {
        let held = self.connections.get(&connection).filter(|held| held.ended.is_none());
        held.map(|held| held.socket).ok_or(SocketError)
    }

    fn store_event(&mut self, connection: u64, event: SocketEvent, host: &mut HostContext<'_>) {
        self.messages.push(SocketMessage { time: host.now(), connection, event });
        host.request_stop();
    }

    /// Reports unread bytes and the events after them, unless the connection is paused.
    fn read(&mut self, connection: u64, host: &mut HostContext<'_>) {
        let Some(held) = self.connections.get_mut(&connection) else { return };
        if held.paused {
            return;
        }
        let peer_closed = std::mem::take(&mut held.peer_closed);
        let (bytes, closed) = match held.ended.take() {
            Some((bytes, closed)) => (bytes, Some(closed)),
            None => (read_available(held.socket, host), None),
        };
        if !bytes.is_empty() {
            self.store_event(connection, SocketEvent::Received(bytes), host);
        }
        if peer_closed {
            self.store_event(connection, SocketEvent::PeerClosed, host);
        }
        if let Some(closed) = closed {
            self.connections.remove(&connection);
            self.store_event(connection, SocketEvent::Closed(closed), host);
        }
    }
}

/// Reads all bytes that a connection has available.
fn read_available(socket: SocketId, host: &mut HostContext<'_>) -> Vec<u8> {
    let mut bytes = Vec::new();
    loop {
        let read = bytes.len();
        bytes.resize(read + READ_BYTES, 0);
        let more = host.tcp_read(socket, &mut bytes[read..]);
        bytes.truncate(read + more);
        if more < READ_BYTES {
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
            let connection = self.add_connection(socket);
            self.store_event(connection, SocketEvent::Accepted { port, from }, host);
            return;
        }
        let (TcpEvent::Connection(event), Some(&connection)) = (event, self.numbers.get(&socket)) else {
            return;
        };
        match event {
            Event::Connected => self.store_event(connection, SocketEvent::Connected, host),
            Event::Writable => self.store_event(connection, SocketEvent::Writable, host),
            Event::Readable => self.read(connection, host),
            Event::PeerClosed => {
                if let Some(held) = self.connections.get_mut(&connection) {
                    held.peer_closed = true;
                }
                self.read(connection, host);
            }
            Event::Closed(closed) => {
                self.numbers.remove(&socket);
                let bytes = read_available(socket, host);
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
