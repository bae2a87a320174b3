//! Settings of a server: addresses, certificates, threads, intervals.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::Semaphore;

/// Threads that servers share with their owner.
#[derive(Clone)]
pub struct SharedThreads {
    /// The runtime that owns the threads.
    pub runtime: Handle,
    /// The permits for blocking threads of the runtime, which the calls of all servers share.
    /// Further calls wait. The owner's other work on the runtime needs additional threads.
    pub calls: Arc<Semaphore>,
}

/// An address on which a server listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Listen {
    /// A TCP socket. Port 0 stands for any free port.
    Tcp(SocketAddr),
    /// A Unix socket, for processes of the same user.
    Unix(PathBuf),
}

/// The maximum length in bytes of a Unix socket's path (`sun_path` in unix(7), without the final
/// zero byte).
const LONGEST_SOCKET_PATH: usize = 107;

impl std::str::FromStr for Listen {
    type Err = String;

    /// Parses an address that a user wrote: `IP:PORT`, or `unix:PATH`.
    fn from_str(address: &str) -> Result<Self, String> {
        if let Some(path) = address.strip_prefix("unix:") {
            if path.is_empty() || path.len() > LONGEST_SOCKET_PATH {
                return Err(format!(
                    "\"{address}\" is not an address to listen on: expected unix:PATH with a path of 1 to \
                     {LONGEST_SOCKET_PATH} bytes, such as unix:/run/p4.sock"
                ));
            }
            return Ok(Self::Unix(PathBuf::from(path)));
        }
        address.parse().map(Self::Tcp).map_err(|_| {
            format!(
                "\"{address}\" is not an address to listen on: expected IP:PORT, such as 127.0.0.1:9559, or unix:PATH"
            )
        })
    }
}

impl std::fmt::Display for Listen {
    /// Writes the address in the form that clients use: `127.0.0.1:9559`, `unix:/run/p4.sock`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Tcp(address) => address.fmt(f),
            Self::Unix(path) => write!(f, "unix:{}", path.display()),
        }
    }
}

/// Certificates in PEM. Connections use TLS 1.2 or 1.3.
#[derive(Clone)]
pub struct TlsConfig {
    /// The server's certificate, with the intermediate certificates up to its authority.
    pub certificate: Vec<u8>,
    /// The certificate's private key.
    pub key: Vec<u8>,
    /// The authorities of clients' certificates. If they are given, each client needs a certificate
    /// that one of them has signed.
    pub client_authority: Option<Vec<u8>>,
}

impl std::fmt::Debug for TlsConfig {
    /// Writes the settings without the private key.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mutual = self.client_authority.is_some();
        f.debug_struct("TlsConfig").field("mutual", &mutual).finish_non_exhaustive()
    }
}

/// The intervals after which the server closes unresponsive connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeepAlive {
    /// The time between pings on each connection.
    pub interval: Duration,
    /// The time to wait for the answer to a ping, after which the connection is closed.
    pub timeout: Duration,
    /// The maximum time from accepting a connection until its TLS session exists and its first
    /// request has arrived.
    pub opening: Duration,
    /// The time for which the answer to a read waits for a reader that takes nothing.
    pub reading: Duration,
}

impl Default for KeepAlive {
    /// Pings every 10 s, and waits 10 s for the answer. A connection has 10 s for its first
    /// request. A reader has 60 s to continue reading.
    fn default() -> Self {
        Self {
            interval: Duration::from_secs(10),
            timeout: Duration::from_secs(10),
            opening: Duration::from_secs(10),
            reading: Duration::from_secs(60),
        }
    }
}
