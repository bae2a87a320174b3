//! The server: its settings, and the devices that it serves.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};

use tokio::sync::watch;
use weir_device::Nanos;
use weir_grpc::{
    AnswerCounts, Calls, KeepAlive, Listen, ListenError, MessageLimits, ServeConfig, Serving, SharedThreads,
    Threads, Tls, TlsConfig,
};
use weir_p4runtime_proto::bfrt;
use weir_p4runtime_proto::bfrt::bf_runtime_server::BfRuntimeServer;
use weir_switch::Switch;
use weir_switch::control::{Digest, IdleNotice};

use crate::device::Device;
use crate::entities::ReadLimits;
use crate::owner::SwitchOwner;
use crate::service::Service;
use crate::sessions::Sessions;
use crate::shared::Shared;

/// The reason why a server does not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// Two devices have the same number.
    #[error("two devices have the number {0}")]
    RepeatedDevice(u32),
    /// The certificate, the key or the authorities cannot be used.
    #[error("TLS cannot be set up: {0}")]
    Tls(String),
    /// The server cannot listen on an address.
    #[error("BfRt cannot be served at {0}; choose another address with `--bfrt`")]
    Listen(ListenError),
    /// The address is reachable from other computers.
    #[error(transparent)]
    Plaintext(ListenError),
    /// The system refused to start threads.
    #[error("cannot start the server's threads: {0}")]
    Threads(std::io::Error),
}

impl From<ListenError> for StartError {
    fn from(error: ListenError) -> Self {
        match error {
            ListenError::Plaintext(_) => Self::Plaintext(error),
            ListenError::Refused { .. } => Self::Listen(error),
        }
    }
}

/// Settings of a server.
#[derive(Clone)]
pub struct ServerConfig {
    /// The addresses on which the server listens.
    pub listen: Vec<Listen>,
    /// The certificates for TCP sockets, if they use TLS. With authorities of clients, only clients
    /// with a certificate are served.
    pub tls: Option<TlsConfig>,
    /// Whether TCP sockets that other computers can reach may work without TLS.
    pub plaintext_beyond_loopback: bool,
    /// The limits on what clients may use.
    pub limits: Limits,
    /// The intervals after which the server closes unresponsive connections.
    pub keep_alive: KeepAlive,
    /// The threads that run the server. If none are given, the server starts its own.
    pub threads: Option<SharedThreads>,
}

impl Default for ServerConfig {
    /// Creates settings for the address that BfRt's clients expect, without TLS.
    fn default() -> Self {
        Self {
            listen: vec![Listen::Tcp(SocketAddr::from((Ipv4Addr::LOCALHOST, 50052)))],
            tls: None,
            plaintext_beyond_loopback: false,
            limits: Limits::default(),
            keep_alive: KeepAlive::default(),
            threads: None,
        }
    }
}

/// The limits on what clients may use. They have the same meaning as P4Runtime's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The memory in bytes for everything that the server stores for clients.
    pub memory: usize,
    /// The maximum size of a message to the server, in bytes; on streams, also at most 1 MiB.
    pub message_bytes: usize,
    /// The maximum number of connections that have sent a request.
    pub connections: usize,
    /// The maximum number of connections that have not sent a request yet.
    pub newcomers: usize,
    /// The maximum number of concurrent calls on one connection, including streams.
    pub calls: u32,
    /// The maximum number of clients with a stream.
    pub clients: usize,
    /// The maximum number of messages that may wait for one client to read them.
    pub queued_messages: usize,
    /// The maximum number of entries and cells that one read examines.
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
            clients: 64,
            queued_messages: 4096,
            read_entries: 1 << 24,
        }
    }
}

/// A running server, on threads of its own or of its owner. Dropping it stops it.
pub struct Server {
    serving: Serving,
    shared: Arc<Shared>,
    _threads: Threads,
}

impl Server {
    /// Starts to serve devices, each with its number.
    ///
    /// # Errors
    /// The server did not start. The error says why.
    pub fn start(
        config: &ServerConfig,
        devices: Vec<(u32, Arc<dyn SwitchOwner>)>,
    ) -> Result<Self, StartError> {
        let limits = config.limits;
        let mut numbered = BTreeMap::new();
        for (number, owner) in devices {
            if numbered.insert(number, Arc::new(Device::new(number, owner))).is_some() {
                return Err(StartError::RepeatedDevice(number));
            }
        }
        let tls = config.tls.as_ref().map(Tls::new).transpose().map_err(StartError::Tls)?.map(Arc::new);
        let threads = Threads::start(config.threads.clone(), "bfrt").map_err(StartError::Threads)?;
        let (stop, stopping) = watch::channel(false);
        let shared = Arc::new(Shared {
            devices: numbered,
            sessions: Mutex::new(Sessions::new(limits.clients)),
            queued_messages: limits.queued_messages,
            answers: Arc::new(AnswerCounts::default()),
            reads: ReadLimits { looked_at: limits.read_entries },
            reading: config.keep_alive.reading,
            calls: Calls(Arc::clone(&threads.shared.calls)),
            stopping,
        });
        let places = weir_accept::Limits {
            newcomers: limits.newcomers,
            opening: config.keep_alive.opening,
            places: limits.connections,
        };
        let bounds = ServeConfig {
            protocol: "BfRt",
            listen: &config.listen,
            tls,
            plaintext: config.plaintext_beyond_loopback,
            keep_alive: config.keep_alive,
            places,
            calls: limits.calls,
            messages: MessageLimits { longest: limits.message_bytes, part: size_of::<bfrt::Entity>() },
            memory: limits.memory,
            memory_option: "--p4runtime-memory",
        };
        let service = BfRuntimeServer::new(Service(Arc::clone(&shared)));
        let service = service.max_encoding_message_size(usize::MAX);
        // Clients whose certificates an authority has signed may do everything.
        let serving = Serving::start(&bounds, &threads.shared, stop, &service, |peer| {
            peer.account.set_trusted(peer.has_certificate());
        })?;
        Ok(Self { serving, shared, _threads: threads })
    }

    /// Returns the addresses on which the server listens. Port 0 of a config is replaced with the
    /// free port that was chosen.
    pub fn addresses(&self) -> &[Listen] {
        self.serving.addresses()
    }

    /// Returns the number of bytes of [`Limits::memory`] that are in use.
    pub fn memory(&self) -> usize {
        self.serving.memory()
    }

    /// Returns the number of clients with a stream.
    pub fn clients(&self) -> usize {
        self.shared.sessions().len()
    }

    /// Returns the number of messages that the current clients have lost because they read too
    /// slowly.
    pub fn lost(&self) -> u64 {
        self.shared.sessions().lost()
    }

    /// Sends digests and notices of a device's switch to its clients, and tells them which ports
    /// went up or down. The caller has access to the switch, from which it took the messages.
    pub fn deliver(
        &self,
        device: u32,
        switch: &mut Switch,
        now: Nanos,
        digests: &[Digest],
        notices: &[IdleNotice],
    ) {
        if let Some(found) = self.shared.devices.get(&device) {
            let wants_active = self.shared.wants_active(device);
            let messages = found.messages(switch, now, digests, notices, wants_active);
            self.shared.tell(device, &messages);
        }
    }

    /// Begins to stop the server without waiting. Its streams end and its sockets close.
    pub fn begin_to_stop(&self) {
        self.serving.begin_to_stop();
    }
}
