//! Sockets that listen, and the connections that they accept.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
#[cfg(unix)]
use tokio::net::{UnixListener, UnixStream};
use tokio::time::sleep;

use crate::gate::Gate;
use crate::guarded::Guarded;
use crate::source::Source;

/// The time to wait after an error, whose most likely cause is that the process has no file
/// descriptors left.
const RETRY_INTERVAL: Duration = Duration::from_millis(50);

/// A socket that listens.
#[derive(Debug)]
pub enum Listener {
    /// A TCP socket.
    Tcp(TcpListener),
    /// A Unix socket.
    #[cfg(unix)]
    Unix(UnixListener),
}

/// A connected socket of either kind.
#[derive(Debug)]
pub enum Socket {
    /// A TCP connection.
    Tcp(TcpStream),
    /// A connection over a Unix socket.
    #[cfg(unix)]
    Unix(UnixStream),
}

/// A connection that was accepted.
#[derive(Debug)]
pub struct Accepted {
    /// The connection.
    pub socket: Guarded<Socket>,
    /// The peer's address or, for a Unix socket, the peer's process.
    pub peer: String,
    /// Whether the connection is over a Unix socket, which only processes of the same user can
    /// reach.
    pub is_unix: bool,
}

impl Listener {
    /// Waits for the next connection. Returns its socket, its source for limits, and its peer as
    /// text.
    async fn connection(&self) -> io::Result<(Socket, Source, String)> {
        match self {
            Self::Tcp(listener) => {
                let (socket, peer) = listener.accept().await?;
                socket.set_nodelay(true)?;
                Ok((Socket::Tcp(socket), peer.ip().into(), peer.to_string()))
            }
            #[cfg(unix)]
            Self::Unix(listener) => {
                let (socket, _) = listener.accept().await?;
                let process = socket.peer_cred().ok().and_then(|peer| peer.pid());
                let peer =
                    process.map_or_else(|| "unix".to_owned(), |process| format!("unix process {process}"));
                Ok((Socket::Unix(socket), Source::Unix, peer))
            }
        }
    }
}

/// Accepts the next connection. While it waits, connections of the gate end when their time has
/// passed.
pub async fn accept(listener: &Listener, gate: &Arc<Gate>) -> Accepted {
    loop {
        let accepted = tokio::select! {
            accepted = listener.connection() => accepted,
            () = gate.run() => continue,
        };
        match accepted {
            Ok((socket, source, peer)) => {
                let is_unix = source == Source::Unix;
                if let Some(socket) = Guarded::enter(gate, socket, source, is_unix) {
                    return Accepted { socket, peer, is_unix };
                }
            }
            // The peer has gone.
            Err(error) if matches!(error.kind(), io::ErrorKind::ConnectionAborted) => {}
            Err(_) => {
                gate.free_descriptor();
                sleep(RETRY_INTERVAL).await;
            }
        }
    }
}

impl AsyncRead for Socket {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match &mut *self {
            Self::Tcp(socket) => Pin::new(socket).poll_read(context, buffer),
            #[cfg(unix)]
            Self::Unix(socket) => Pin::new(socket).poll_read(context, buffer),
        }
    }
}

impl AsyncWrite for Socket {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        match &mut *self {
            Self::Tcp(socket) => Pin::new(socket).poll_write(context, bytes),
            #[cfg(unix)]
            Self::Unix(socket) => Pin::new(socket).poll_write(context, bytes),
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut *self {
            Self::Tcp(socket) => Pin::new(socket).poll_flush(context),
            #[cfg(unix)]
            Self::Unix(socket) => Pin::new(socket).poll_flush(context),
        }
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut *self {
            Self::Tcp(socket) => Pin::new(socket).poll_shutdown(context),
            #[cfg(unix)]
            Self::Unix(socket) => Pin::new(socket).poll_shutdown(context),
        }
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        match &mut *self {
            Self::Tcp(socket) => Pin::new(socket).poll_write_vectored(context, bytes),
            #[cfg(unix)]
            Self::Unix(socket) => Pin::new(socket).poll_write_vectored(context, bytes),
        }
    }

    fn is_write_vectored(&self) -> bool {
        true
    }
}
