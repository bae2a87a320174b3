//! Settings of a server.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use weir_exec::Executor;
use weir_grpc::{KeepAlive, Listen, SharedThreads, TlsConfig};
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
