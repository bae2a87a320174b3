//! Connections that end when another connection needs their place.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::oneshot;

use crate::gate::{Gate, Place};
use crate::source::Source;

/// A connection in a [`Gate`](crate::Gate). Reading and writing fail once the connection must
/// close. Dropping this value frees the connection's place.
#[derive(Debug)]
pub struct Guarded<S> {
    socket: S,
    place: Place,
    closes: oneshot::Receiver<()>,
}

impl<S> Guarded<S> {
    /// Guards a connection; returns `None` if it must be closed at once. `has_right` says whether
    /// the peer has a right from the start.
    pub fn enter(gate: &Arc<Gate>, socket: S, source: Source, has_right: bool) -> Option<Self> {
        let (place, closes) = gate.arrive(source, has_right)?;
        Some(Self { socket, place, closes })
    }

    /// Returns the connection's place.
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// Fails if the connection must close.
    fn fail_if_closing(&mut self, context: &mut Context<'_>) -> io::Result<()> {
        if self.closes.is_terminated() || Pin::new(&mut self.closes).poll(context).is_ready() {
            let why = "the connection's place is needed for others";
            return Err(io::Error::new(io::ErrorKind::ConnectionAborted, why));
        }
        Ok(())
    }
}

impl<S> Drop for Guarded<S> {
    fn drop(&mut self) {
        self.place.leave();
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Guarded<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.fail_if_closing(context)?;
        Pin::new(&mut self.socket).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Guarded<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.fail_if_closing(context)?;
        Pin::new(&mut self.socket).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.fail_if_closing(context)?;
        Pin::new(&mut self.socket).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.fail_if_closing(context)?;
        Pin::new(&mut self.socket).poll_shutdown(context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.fail_if_closing(context)?;
        Pin::new(&mut self.socket).poll_write_vectored(context, bytes)
    }

    fn is_write_vectored(&self) -> bool {
        self.socket.is_write_vectored()
    }
}
