//! An accepted connection.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpStream, UnixStream};
use tokio::sync::{OwnedSemaphorePermit, oneshot};
use tokio::time::{Sleep, sleep};
use tonic::transport::server::Connected;

use super::WINDOW;
use crate::budget::{Budget, Held};
use crate::peer::Peer;

/// The length of an HTTP/2 connection's preface in bytes.
const PREFACE: usize = 24;

/// The memory of a connection in bytes: what its client may send before it is read, and buffers.
const MEMORY: usize = WINDOW as usize + (64 << 10);

/// A connection. It counts towards the limit until it is dropped.
pub struct Connection {
    socket: Socket,
    peer: Peer,
    /// Present until the connection has begun.
    opening: Option<Opening>,
    /// Receives a message if the memory of the connection is needed for others.
    closes: oneshot::Receiver<()>,
    _window: Held,
    _counted: OwnedSemaphorePermit,
}

/// The state of a connection that has not begun.
struct Opening {
    deadline: Pin<Box<Sleep>>,
    /// The number of bytes that must still arrive.
    wanted: usize,
    /// Receives a message when the connection must make room for another one.
    yields: oneshot::Receiver<()>,
}

/// A socket of either kind.
pub enum Socket {
    /// TCP.
    Tcp(TcpStream),
    /// Unix.
    Unix(UnixStream),
}

impl Connection {
    /// A connection that was just accepted and must begin within a time. If it has not begun when
    /// the sender sends, it makes room for another one.
    pub fn new(
        socket: Socket,
        peer: String,
        opening: Duration,
        counted: OwnedSemaphorePermit,
        budget: &Arc<Budget>,
    ) -> (Self, oneshot::Sender<()>) {
        let (yielding, yields) = oneshot::channel();
        let opening = Opening { deadline: Box::pin(sleep(opening)), wanted: PREFACE, yields };
        let (account, closes) = budget.account(matches!(socket, Socket::Unix(_)));
        let window = account.take_anyway(MEMORY);
        let peer = Peer::new(peer, account);
        let connection =
            Self { socket, peer, opening: Some(opening), closes, _window: window, _counted: counted };
        (connection, yielding)
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
        let Self { socket, opening, closes, .. } = &mut *self;
        if closes.is_terminated() || Pin::new(closes).poll(context).is_ready() {
            let why = "the connection's memory is needed for others";
            return Poll::Ready(Err(io::Error::new(io::ErrorKind::OutOfMemory, why)));
        }
        let before = buffer.filled().len();
        let read = match socket {
            Socket::Tcp(socket) => Pin::new(socket).poll_read(context, buffer),
            Socket::Unix(socket) => Pin::new(socket).poll_read(context, buffer),
        };
        let Some(Opening { deadline, wanted, yields }) = opening else { return read };
        if read.is_ready() {
            *wanted = wanted.saturating_sub(buffer.filled().len() - before);
            if *wanted == 0 {
                *opening = None;
            }
            return read;
        }
        if Pin::new(yields).poll(context).is_pending() {
            ready!(deadline.as_mut().poll(context));
        }
        Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "the connection does not begin")))
    }
}

impl AsyncWrite for Connection {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        match &mut self.socket {
            Socket::Tcp(socket) => Pin::new(socket).poll_write(context, bytes),
            Socket::Unix(socket) => Pin::new(socket).poll_write(context, bytes),
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.socket {
            Socket::Tcp(socket) => Pin::new(socket).poll_flush(context),
            Socket::Unix(socket) => Pin::new(socket).poll_flush(context),
        }
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.socket {
            Socket::Tcp(socket) => Pin::new(socket).poll_shutdown(context),
            Socket::Unix(socket) => Pin::new(socket).poll_shutdown(context),
        }
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        match &mut self.socket {
            Socket::Tcp(socket) => Pin::new(socket).poll_write_vectored(context, bytes),
            Socket::Unix(socket) => Pin::new(socket).poll_write_vectored(context, bytes),
        }
    }

    fn is_write_vectored(&self) -> bool {
        true
    }
}
