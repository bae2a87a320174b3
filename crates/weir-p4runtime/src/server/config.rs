//! Settings of a server.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use weir_exec::Executor;
use weir_ir::ValidProgram;

use crate::device::MakeExecutor;
use crate::device_config::ProgramFiles;
use crate::permissions::Permissions;

/// Settings of a server.
pub struct ServerConfig {
    /// The addresses on which the server listens.
    pub listen: Vec<Listen>,
    /// The settings of TLS, which all TCP sockets use. Unix sockets do not use TLS.
    pub tls: Option<TlsConfig>,
    /// The rights of clients by the names in their certificates, which mutual TLS verifies. Without
    /// permissions, every client may do everything.
    pub permissions: Option<Permissions>,
    /// Whether TCP sockets that other computers can reach may work without TLS.
    pub plaintext_beyond_loopback: bool,
    /// The limits on what controllers may use.
    pub limits: Limits,
    /// The intervals after which the server closes unresponsive connections.
    pub keep_alive: KeepAlive,
    /// The threads that run the server. If none are given, the server starts its own.
    pub threads: Option<SharedThreads>,
    /// Makes an executor for a program that a controller sends.
    pub executor: Box<MakeExecutor>,
    /// The files that programs of controllers may use.
    pub files: Box<dyn ProgramFiles>,
}

impl ServerConfig {
    /// Creates default settings: the server listens without TLS at `127.0.0.1:9559`, the address
    /// that P4Runtime's clients expect.
    pub fn new(
        executor: impl Fn(ValidProgram) -> Result<Arc<dyn Executor>, String> + Send + Sync + 'static,
        files: impl ProgramFiles,
    ) -> Self {
        Self {
            listen: vec![Listen::Tcp(SocketAddr::from((Ipv4Addr::LOCALHOST, 9559)))],
            tls: None,
            permissions: None,
            plaintext_beyond_loopback: false,
            limits: Limits::default(),
            keep_alive: KeepAlive::default(),
            threads: None,
            executor: Box::new(executor),
            files: Box::new(files),
        }
    }
}

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

/// The limits on what controllers may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The memory in bytes for everything that the server stores for controllers: arriving
    /// messages, their decoded form, messages that wait for controllers, and answers that wait for
    /// their readers. A connection gets at most half of what other connections leave. An update of
    /// a table entry with one key and one argument takes about 1600 bytes until it is made, and the
    /// entry takes about 40 bytes in an answer.
    pub memory: usize,
    /// The maximum size of a message to the server, in bytes; on streams, also at most 1 MiB.
    pub message_bytes: usize,
    /// The maximum number of connections that have sent a request. A quarter of them is reserved
    /// for peers with a right, and a single address gets at most three quarters.
    pub connections: usize,
    /// The maximum number of connections that have not sent a request yet or have not found a
    /// place. For each further connection, the oldest is closed.
    pub newcomers: usize,
    /// The maximum number of concurrent calls on one connection, including streams.
    pub calls: u32,
    /// The maximum number of streams that take part in one role of a device. At most half of them
    /// may have no election id, and a quarter on one connection. If the role is full, a controller
    /// that will be primary takes the place of a backup.
    pub streams: usize,
    /// The maximum number of roles of a device. One connection may take part in an eighth of them.
    /// A role with a name is forgotten when its last stream ends.
    pub roles: usize,
    /// The maximum number of messages that may wait for one controller to read them. Further
    /// messages are lost and counted.
    pub queued_messages: usize,
    /// The maximum size of the messages that wait for one controller, in bytes.
    pub queued_bytes: usize,
    /// The maximum number of requests in one read.
    pub read_requests: usize,
    /// The maximum number of entries and cells that one read examines, even if its answer contains
    /// none of them. The request that exceeds the limit is the last that is answered. A read blocks
    /// the switch until it ends.
    pub read_entries: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            memory: 256 << 20,
            message_bytes: 64 << 20,
            connections: 256,
            newcomers: 256,
            calls: 256,
            streams: 64,
            roles: 256,
            queued_messages: 4096,
            queued_bytes: 16 << 20,
            read_requests: 1 << 20,
            read_entries: 1 << 24,
        }
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
