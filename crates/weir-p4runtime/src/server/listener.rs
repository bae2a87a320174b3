//! The sockets on which a server listens.

use std::collections::VecDeque;
use std::io;
use std::net::SocketAddr;
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::net::{TcpListener, UnixListener};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot, watch};
use tokio::time::{sleep, timeout};
use tokio_stream::Stream;

use super::connection::{Connection, Socket};
use super::{Listen, ServerConfig, StartError};
use crate::budget::Budget;

/// Listening sockets.
pub struct Sockets {
    tcp: Vec<TcpListener>,
    unix: Vec<UnixListener>,
    /// The addresses on which the sockets listen.
    pub addresses: Vec<Listen>,
    /// The files of the Unix sockets.
    pub files: SocketFiles,
}

/// The files of Unix sockets, which are removed when this value is dropped.
#[derive(Debug, Default)]
pub struct SocketFiles(Vec<PathBuf>);

impl Drop for SocketFiles {
    fn drop(&mut self) {
        for file in &self.0 {
            let _gone = std::fs::remove_file(file);
        }
    }
}

impl Sockets {
    /// Listens on all addresses of a config.
    ///
    /// # Errors
    /// The server cannot listen on an address, or an address would give control to other computers
    /// without TLS.
    pub fn bind(config: &ServerConfig) -> Result<Self, StartError> {
        let (addresses, files) = (Vec::new(), SocketFiles::default());
        let mut sockets = Self { tcp: Vec::new(), unix: Vec::new(), addresses, files };
        for listen in &config.listen {
            let bound = match listen {
                Listen::Tcp(address) => {
                    let is_safe = address.ip().is_loopback() || config.tls.is_some();
                    if !is_safe && !config.plaintext_beyond_loopback {
                        return Err(StartError::Plaintext(*address));
                    }
                    sockets.bind_tcp(*address)
                }
                Listen::Unix(path) => sockets.bind_unix(path),
            };
            bound.map_err(|error| StartError::Listen { address: listen.to_string(), error })?;
        }
        Ok(sockets)
    }

    fn bind_tcp(&mut self, address: SocketAddr) -> io::Result<()> {
        let socket = std::net::TcpListener::bind(address)?;
        socket.set_nonblocking(true)?;
        self.addresses.push(Listen::Tcp(socket.local_addr()?));
        self.tcp.push(TcpListener::from_std(socket)?);
        Ok(())
    }

    fn bind_unix(&mut self, path: &Path) -> io::Result<()> {
        // A server that was killed leaves the file of its socket behind.
        let is_socket = std::fs::symlink_metadata(path).is_ok_and(|file| file.file_type().is_socket());
        if is_socket && std::os::unix::net::UnixStream::connect(path).is_err() {
            std::fs::remove_file(path)?;
        }
        let socket = UnixListener::bind(path)?;
        self.files.0.push(path.to_owned());
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600))?;
        self.addresses.push(Listen::Unix(path.to_owned()));
        self.unix.push(socket);
        Ok(())
    }

    /// Accepts at most `limit` connections at a time, over TCP and Unix sockets, until the server
    /// stops. Each must begin within `opening`.
    pub fn accept(
        &mut self,
        limit: usize,
        opening: Duration,
        budget: &Arc<Budget>,
        stopping: &watch::Receiver<bool>,
    ) -> (Option<Incoming>, Option<Incoming>) {
        let count = Arc::new(Semaphore::new(limit.min(Semaphore::MAX_PERMITS)));
        let accept = |listeners: Vec<Listener>| {
            if listeners.is_empty() {
                return None;
            }
            let (sender, receiver) = mpsc::channel(16);
            for listener in listeners {
                let accepting =
                    accept(listener, opening, Arc::clone(&count), Arc::clone(budget), sender.clone());
                let mut stopping = stopping.clone();
                tokio::spawn(async move {
                    tokio::select! {
                        () = accepting => {}
                        _ = stopping.wait_for(|stops| *stops) => {}
                    }
                });
            }
            Some(Incoming(receiver))
        };
        let tcp = accept(self.tcp.drain(..).map(Listener::Tcp).collect());
        (tcp, accept(self.unix.drain(..).map(Listener::Unix).collect()))
    }
}

/// How long to wait until a connection has made room for another one.
const YIELDING: Duration = Duration::from_secs(1);

enum Listener {
    Tcp(TcpListener),
    Unix(UnixListener),
}

impl Listener {
    async fn accept(&self) -> io::Result<(Socket, String)> {
        match self {
            Self::Tcp(listener) => {
                let (socket, peer) = listener.accept().await?;
                socket.set_nodelay(true)?;
                Ok((Socket::Tcp(socket), peer.to_string()))
            }
            Self::Unix(listener) => {
                let (socket, _) = listener.accept().await?;
                let process = socket.peer_cred().ok().and_then(|peer| peer.pid());
                let peer =
                    process.map_or_else(|| "unix".to_owned(), |process| format!("unix process {process}"));
                Ok((Socket::Unix(socket), peer))
            }
        }
    }
}

/// Accepts connections as long as the receiver exists.
async fn accept(
    listener: Listener,
    opening: Duration,
    count: Arc<Semaphore>,
    budget: Arc<Budget>,
    sender: mpsc::Sender<Connection>,
) {
    let mut begin = VecDeque::new();
    loop {
        match listener.accept().await {
            Ok((socket, peer)) => {
                let Some(counted) = admit(&count, &mut begin).await else { continue };
                let (connection, yielding) = Connection::new(socket, peer, opening, counted, &budget);
                begin.push_back(yielding);
                if sender.send(connection).await.is_err() {
                    return;
                }
            }
            // Most likely, the process has no file descriptors left: other connections must close
            // first.
            Err(_) => sleep(Duration::from_millis(50)).await,
        }
    }
}

/// Admits another connection. If there are too many, the oldest one that has not begun is closed,
/// or the new one if all have begun.
async fn admit(
    count: &Arc<Semaphore>,
    begin: &mut VecDeque<oneshot::Sender<()>>,
) -> Option<OwnedSemaphorePermit> {
    begin.retain(|connection| !connection.is_closed());
    if let Ok(counted) = Arc::clone(count).try_acquire_owned() {
        return Some(counted);
    }
    while let Some(oldest) = begin.pop_front() {
        if oldest.send(()).is_ok() {
            return timeout(YIELDING, Arc::clone(count).acquire_owned()).await.ok()?.ok();
        }
    }
    None
}

/// Accepted connections.
pub struct Incoming(mpsc::Receiver<Connection>);

impl Stream for Incoming {
    type Item = io::Result<Connection>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.poll_recv(context).map(|connection| connection.map(Ok))
    }
}
