//! An accepted connection.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::oneshot;
use tonic::transport::server::Connected;
use weir_accept::{Accepted, Guarded, Reason, Socket};

use crate::budget::{Budget, Held};
use crate::peer::Peer;

/// The memory of a connection in bytes before its first request: buffers for TLS and HTTP/2.
const BUFFERS: usize = 64 << 10;

/// A connection, with its place among the connections and its memory account.
pub struct Connection {
    socket: Guarded<Socket>,
    peer: Peer,
    /// Receives a message if the connection must be closed because others need its memory.
    closes: oneshot::Receiver<()>,
    _buffers: Held,
}

impl Connection {
    /// Creates a connection that was just accepted.
    pub fn new(accepted: Accepted, budget: &Arc<Budget>) -> Self {
        let Accepted { socket, peer, is_unix } = accepted;
        let (account, closes) = budget.account_at(Some(socket.place().clone()), is_unix);
        let buffers = account.take_anyway(BUFFERS);
        let peer = Peer::new(peer, account);
        Self { socket, peer, closes, _buffers: buffers }
    }

    /// Returns the client at the other end.
    pub fn peer(&self) -> &Peer {
        &self.peer
    }

    /// Logs that the TLS handshake failed, unless the server itself has closed the connection.
    pub fn fail(&self, why: &io::Error) {
        self.socket.place().fail(&self.peer.name, &why.to_string());
    }

    /// Fails if the connection must be closed because others need its memory.
    fn check(&mut self, context: &mut Context<'_>) -> io::Result<()> {
        if self.closes.is_terminated() || Pin::new(&mut self.closes).poll(context).is_ready() {
            self.socket.place().count_closed(Reason::Memory);
            let why = "the connection's memory is needed for others";
            return Err(io::Error::new(io::ErrorKind::OutOfMemory, why));
        }
        Ok(())
    }
}

impl Connected for Connection {
    type ConnectInfo = Peer;

    fn connect_info(&self) -> Peer {
        self.peer.clone()
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.check(context)?;
        Pin::new(&mut self.socket).poll_read(context, buffer)
    }
}

impl AsyncWrite for Connection {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.socket).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_shutdown(context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.socket).poll_write_vectored(context, bytes)
    }

    fn is_write_vectored(&self) -> bool {
        self.socket.is_write_vectored()
    }
}
