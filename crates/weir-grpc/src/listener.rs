//! The sockets on which a server listens.

use std::io;
use std::net::SocketAddr;
#[cfg(unix)]
use std::os::{
    fd::AsFd,
    unix::fs::{FileTypeExt, MetadataExt, PermissionsExt},
};
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use tokio::net::TcpListener;
#[cfg(unix)]
use tokio::net::UnixSocket;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use tokio_rustls::server::TlsStream;
use tokio_stream::Stream;
use weir_accept::{Gate, Listener, accept};

use crate::budget::Budget;
use crate::config::Listen;
use crate::connection::Connection;
use crate::peer::Peer;
use crate::tls::Tls;

/// The number of connections to a Unix socket that wait to be accepted, as for other sockets.
#[cfg(unix)]
const BACKLOG: u32 = 1024;

/// The reason why a server cannot listen on an address.
#[derive(Debug, thiserror::Error)]
pub enum ListenError {
    /// The address is reachable from other computers, which could read and change everything
    /// without TLS.
    #[error(
        "{0} is reachable from other computers, and without TLS anybody there could control the \
         switches; give a certificate, or allow it: `--plaintext`, in Python `plaintext=True`"
    )]
    Plaintext(SocketAddr),
    /// The system refused the address.
    #[error("{address}: {}", why_not_listen(error))]
    Refused {
        /// The address.
        address: String,
        /// The system's error.
        error: io::Error,
    },
}

/// Explains why the server cannot listen on an address.
pub fn why_not_listen(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::AddrInUse => "another program listens there (`ss -lnp` shows which)".to_owned(),
        io::ErrorKind::AddrNotAvailable => {
            "no interface has this IP address (`ip address` shows them)".to_owned()
        }
        io::ErrorKind::PermissionDenied => "only root may listen there".to_owned(),
        io::ErrorKind::NotFound => "there is no such folder".to_owned(),
        _ => error.to_string(),
    }
}

/// Listening sockets.
#[derive(Default)]
pub struct Sockets {
    tcp: Vec<TcpListener>,
    unix: Vec<Listener>,
    /// The tasks that accept connections. When they end, the sockets close.
    pub accepting: Vec<JoinHandle<()>>,
    /// The addresses on which the sockets listen.
    pub addresses: Vec<Listen>,
    /// The files of the Unix sockets.
    pub files: SocketFiles,
}

/// The files of Unix sockets, with their devices and inodes. Removes the files when it is dropped,
/// unless another server has replaced them.
#[derive(Debug, Default)]
pub struct SocketFiles(Vec<(PathBuf, Option<(u64, u64)>)>);

impl Drop for SocketFiles {
    fn drop(&mut self) {
        for (path, made) in &self.0 {
            if identity(path) == *made {
                let _gone = std::fs::remove_file(path);
            }
        }
    }
}

/// Returns the device and inode of a file, or `None` if there is no such file.
#[cfg(unix)]
fn identity(path: &Path) -> Option<(u64, u64)> {
    std::fs::symlink_metadata(path).ok().map(|file| (file.dev(), file.ino()))
}

/// Returns `None`, because the system has no Unix sockets.
#[cfg(not(unix))]
fn identity(_: &Path) -> Option<(u64, u64)> {
    None
}

impl Sockets {
    /// Opens sockets on all addresses. `is_safe` says whether the server uses TLS, or the user
    /// allows addresses without TLS that other computers can reach.
    ///
    /// # Errors
    /// The server cannot listen on an address, or an address would give control to other computers
    /// without TLS.
    pub fn bind(addresses: &[Listen], is_safe: bool) -> Result<Self, ListenError> {
        let mut sockets = Self::default();
        for listen in addresses {
            let bound = match listen {
                Listen::Tcp(address) => {
                    if !is_safe && !address.ip().is_loopback() {
                        return Err(ListenError::Plaintext(*address));
                    }
                    sockets.bind_tcp(*address)
                }
                Listen::Unix(path) => sockets.bind_unix(path),
            };
            bound.map_err(|error| ListenError::Refused { address: listen.to_string(), error })?;
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

    #[cfg(not(unix))]
    fn bind_unix(&mut self, _: &Path) -> io::Result<()> {
        Err(io::Error::new(
            io::ErrorKind::Unsupported,
            "this system has no Unix sockets: use an address such as 127.0.0.1:9559",
        ))
    }

    #[cfg(unix)]
    fn bind_unix(&mut self, path: &Path) -> io::Result<()> {
        // If a server is killed, the file of its socket remains.
        match std::fs::symlink_metadata(path) {
            Ok(found) if !found.file_type().is_socket() => {
                let why = "something else has this name; remove it, or choose another one";
                return Err(io::Error::new(io::ErrorKind::AlreadyExists, why));
            }
            Ok(_) if std::os::unix::net::UnixStream::connect(path).is_err() => std::fs::remove_file(path)?,
            _ => {}
        }
        let (socket, own) = (UnixSocket::new_stream()?, std::fs::Permissions::from_mode(0o600));
        if cfg!(target_os = "linux") {
            // The new file takes the mode of the socket, so that other users cannot open it at any
            // time.
            std::fs::File::from(socket.as_fd().try_clone_to_owned()?).set_permissions(own)?;
            socket.bind(path)?;
        } else {
            // Nobody can connect before the socket listens.
            socket.bind(path)?;
            std::fs::set_permissions(path, own)?;
        }
        self.files.0.push((path.to_owned(), identity(path)));
        self.addresses.push(Listen::Unix(path.to_owned()));
        self.unix.push(Listener::Unix(socket.listen(BACKLOG)?));
        Ok(())
    }

    /// Accepts connections over TCP sockets until the server stops. Returns `None` if there are no
    /// TCP sockets.
    pub fn accept_tcp(&mut self, gates: &Gates) -> Option<Incoming<Connection>> {
        let listeners = self.tcp.drain(..).map(Listener::Tcp).collect();
        self.accept(listeners, gates)
    }

    /// Accepts connections over Unix sockets until the server stops. Returns `None` if there are no
    /// Unix sockets.
    pub fn accept_unix(&mut self, gates: &Gates) -> Option<Incoming<Connection>> {
        let listeners = std::mem::take(&mut self.unix);
        self.accept(listeners, gates)
    }

    fn accept(&mut self, listeners: Vec<Listener>, gates: &Gates) -> Option<Incoming<Connection>> {
        if listeners.is_empty() {
            return None;
        }
        let (sender, receiver) = mpsc::channel(16);
        for listener in listeners {
            let (Gates { gate, budget, mut stopping }, sender) = (gates.clone(), sender.clone());
            let accepting = async move {
                loop {
                    let connection = Connection::new(accept(&listener, &gate).await, &budget);
                    if sender.send(connection).await.is_err() {
                        return;
                    }
                }
            };
            self.accepting.push(tokio::spawn(async move {
                tokio::select! {
                    () = accepting => {}
                    _ = stopping.wait_for(|stops| *stops) => {}
                }
            }));
        }
        Some(Incoming(receiver))
    }
}

/// The checks for connections that are accepted.
#[derive(Clone)]
pub struct Gates {
    /// Decides which connections stay open.
    pub gate: Arc<Gate>,
    /// The memory of connections.
    pub budget: Arc<Budget>,
    /// Becomes true when the server stops.
    pub stopping: watch::Receiver<bool>,
}

/// Accepted connections.
pub struct Incoming<C>(mpsc::Receiver<C>);

impl Incoming<Connection> {
    /// Opens TLS on the connections until the server stops, and calls `admit` for each client with
    /// a certificate. The gate of a connection closes it if its handshake takes too long.
    pub fn with_tls(
        mut self,
        tls: &Arc<Tls>,
        stopping: &watch::Receiver<bool>,
        admit: impl Fn(&Peer) + Send + Sync + 'static,
    ) -> Incoming<TlsStream<Connection>> {
        let (tls, admit, stopping) = (Arc::clone(tls), Arc::new(admit), stopping.clone());
        let (sender, receiver) = mpsc::channel(16);
        tokio::spawn(async move {
            while let Some(connection) = self.0.recv().await {
                let (opening, sender) = (tls.open(connection), sender.clone());
                let (admit, mut stopping) = (Arc::clone(&admit), stopping.clone());
                tokio::spawn(async move {
                    let opened = tokio::select! {
                        opened = opening => opened,
                        _ = stopping.wait_for(|stops| *stops) => return,
                    };
                    let opened = match opened {
                        Ok(opened) => opened,
                        Err((why, connection)) => return connection.fail(&why),
                    };
                    let (connection, session) = opened.get_ref();
                    if let Some([certificate, ..]) = session.peer_certificates() {
                        connection.peer().set_certificate(certificate);
                        admit(connection.peer());
                    }
                    let _stopped = sender.send(opened).await;
                });
            }
        });
        Incoming(receiver)
    }
}

impl<C> Stream for Incoming<C> {
    type Item = io::Result<C>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.poll_recv(context).map(|connection| connection.map(Ok))
    }
}
