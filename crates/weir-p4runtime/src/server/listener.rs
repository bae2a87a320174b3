//! The sockets on which a server listens.

use std::io;
use std::net::SocketAddr;
#[cfg(unix)]
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use tokio::net::TcpListener;
#[cfg(unix)]
use tokio::net::UnixListener;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use tokio_stream::Stream;
use weir_accept::{Gate, Listener, accept};

use super::connection::Connection;
use super::{Listen, ServerConfig, StartError};
use crate::budget::Budget;

/// Listening sockets.
pub struct Sockets {
    tcp: Vec<TcpListener>,
    unix: Vec<Listener>,
    /// Tasks that accept connections; the sockets close when they end.
    pub accepting: Vec<JoinHandle<()>>,
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
        let (tcp, unix, accepting) = Default::default();
        let mut sockets = Self { tcp, unix, accepting, addresses, files };
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

    #[cfg(not(unix))]
    fn bind_unix(&mut self, _: &Path) -> io::Result<()> {
        Err(io::Error::new(
            io::ErrorKind::Unsupported,
            "this system has no Unix sockets: use an address such as 127.0.0.1:9559",
        ))
    }

    #[cfg(unix)]
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
        self.unix.push(Listener::Unix(socket));
        Ok(())
    }

    /// Accepts connections over TCP and Unix sockets, until the server stops. TCP peers may need a
    /// certificate.
    pub fn accept(
        &mut self,
        gate: &Arc<Gate>,
        needs_certificate: bool,
        budget: &Arc<Budget>,
        stopping: &watch::Receiver<bool>,
    ) -> (Option<Incoming>, Option<Incoming>) {
        let tasks = &mut self.accepting;
        let mut incoming = |listeners: Vec<Listener>, needs_certificate| {
            if listeners.is_empty() {
                return None;
            }
            let (sender, receiver) = mpsc::channel(16);
            for listener in listeners {
                let (gate, budget, sender) = (Arc::clone(gate), Arc::clone(budget), sender.clone());
                let accepting = async move {
                    loop {
                        let accepted = accept(&listener, &gate).await;
                        let connection = Connection::new(accepted, needs_certificate, &budget);
                        if sender.send(connection).await.is_err() {
                            return;
                        }
                    }
                };
                let mut stopping = stopping.clone();
                tasks.push(tokio::spawn(async move {
                    tokio::select! {
                        () = accepting => {}
                        _ = stopping.wait_for(|stops| *stops) => {}
                    }
                }));
            }
            Some(Incoming(receiver))
        };
        let tcp = incoming(self.tcp.drain(..).map(Listener::Tcp).collect(), needs_certificate);
        (tcp, incoming(std::mem::take(&mut self.unix), false))
    }
}

/// Accepted connections.
pub struct Incoming(mpsc::Receiver<Connection>);

impl Stream for Incoming {
    type Item = io::Result<Connection>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.poll_recv(context).map(|connection| connection.map(Ok))
    }
}
