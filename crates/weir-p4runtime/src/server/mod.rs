//! The server: its settings, its sockets, its threads.

mod config;
mod connection;
mod listener;
mod tls;

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::{Semaphore, watch};
use tonic::transport::server::Connected;
use weir_accept::Gate;
use weir_device::Nanos;
use weir_switch::Switch;

pub use config::{KeepAlive, Limits, Listen, ServerConfig, SharedThreads, TlsConfig};
use listener::{Gates, Incoming, SocketFiles, Sockets};
use tls::Tls;

use crate::answer::AnswerCounts;
use crate::budget::Budget;
use crate::device::{Device, Tools};
use crate::entities::ReadLimits;
use crate::metered::Metered;
use crate::owner::{SwitchOwner, Unavailable};
use crate::peer::WINDOW;
use crate::permissions::Permissions;
use crate::proto::v1::p4_runtime_server::P4RuntimeServer;
use crate::reload::{Reload, Reloaded};
use crate::service::Service;
use crate::sessions::{ArbitrationLimits, ClientState, MessageCounts, OutboxLimits};
use crate::shared::Shared;

/// The reason why a server does not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The list of devices is empty.
    #[error("a P4Runtime server needs at least one device")]
    NoDevices,
    /// Two devices have the same number.
    #[error("two devices have the number {0}")]
    RepeatedDevice(u64),
    /// The program of a switch cannot be shown to controllers.
    #[error("the program of device {0}: {1}")]
    Program(u64, String),
    /// No address to listen on was given.
    #[error("a P4Runtime server needs an address to listen on")]
    NoAddress,
    /// The address is reachable from other computers, which could read and change everything
    /// without TLS.
    #[error(
        "{0} is reachable from other computers, and without TLS anybody there could control the \
         switches; give a certificate, or allow it: `--plaintext`, in Python `plaintext=True`"
    )]
    Plaintext(SocketAddr),
    /// The certificate, the key or the authorities cannot be used.
    #[error("TLS cannot be set up: {0}")]
    Tls(String),
    /// The server has permissions but does not verify clients' certificates.
    #[error(
        "roles by certificate need mutual TLS at every address: give the server a certificate, and the \
         authority of the clients' certificates (`--tls-clients`), and listen at no Unix socket"
    )]
    NoCertificates,
    /// The server cannot listen on an address.
    #[error(
        "P4Runtime cannot be served at {address}: {}; choose another address with `--p4runtime`, or \
         `--grpc-server-addr` of simple_switch_grpc",
        why_not_listen(error)
    )]
    Listen {
        /// The address.
        address: String,
        /// The system's error.
        error: std::io::Error,
    },
    /// The system refused to start threads.
    #[error("cannot start the server's threads: {0}")]
    Threads(std::io::Error),
}

/// Explains why the server cannot listen on an address.
pub fn why_not_listen(error: &std::io::Error) -> String {
    match error.kind() {
        ErrorKind::AddrInUse => "another program listens there (`ss -lnp` shows which)".to_owned(),
        ErrorKind::AddrNotAvailable => {
            "no interface has this IP address (`ip address` shows them)".to_owned()
        }
        ErrorKind::PermissionDenied => "only root may listen there".to_owned(),
        ErrorKind::NotFound => "there is no such folder".to_owned(),
        _ => error.to_string(),
    }
}

/// A running server, on threads of its own or of its owner. Dropping it stops it.
pub struct Server {
    _threads: Threads,
    shared: Arc<Shared>,
    gates: Gates,
    tls: Option<Arc<Tls>>,
    stop: watch::Sender<bool>,
    /// Receives a message when all connections have been closed.
    stopped: Mutex<mpsc::Receiver<()>>,
    addresses: Vec<Listen>,
    _files: SocketFiles,
}

/// The threads of a server. When they are dropped, they end in the background: the server may be
/// dropped in asynchronous code, which must not block.
struct Threads {
    shared: SharedThreads,
    runtime: Option<Runtime>,
}

impl Threads {
    /// Uses the shared threads, or starts new ones.
    fn start(shared: Option<SharedThreads>) -> std::io::Result<Self> {
        if let Some(shared) = shared {
            return Ok(Self { shared, runtime: None });
        }
        let mut builder = Builder::new_multi_thread();
        builder
            .worker_threads(2)
            .max_blocking_threads(BLOCKING_THREADS)
            .thread_name("p4runtime")
            .enable_all();
        let runtime = builder.build()?;
        let calls = Arc::new(Semaphore::new(BLOCKING_THREADS));
        let shared = SharedThreads { runtime: runtime.handle().clone(), calls };
        Ok(Self { shared, runtime: Some(runtime) })
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// The time that connections may take to close after the server was asked to stop.
const CLOSING_TIMEOUT: Duration = Duration::from_secs(2);

/// The maximum size of a call's headers in bytes.
const HEADERS: u32 = 8 << 10;

/// The maximum number of concurrent blocking calls. Most wait for a switch.
const BLOCKING_THREADS: usize = 16;

impl Server {
    /// Starts to serve devices, each with its number.
    ///
    /// # Errors
    /// The server did not start. The error says why.
    pub fn start(
        config: ServerConfig,
        devices: Vec<(u64, Arc<dyn SwitchOwner>)>,
    ) -> Result<Self, StartError> {
        let limits = config.limits;
        let arbitration = ArbitrationLimits { clients: limits.streams, roles: limits.roles };
        let mut numbered = BTreeMap::new();
        for (number, owner) in devices {
            let shows_program = owner.shows_program();
            let device = Arc::new(Device::new(number, owner, arbitration));
            if shows_program {
                device.adopt().map_err(|status| StartError::Program(number, status.message().to_owned()))?;
            }
            if numbered.insert(number, device).is_some() {
                return Err(StartError::RepeatedDevice(number));
            }
        }
        if numbered.is_empty() {
            return Err(StartError::NoDevices);
        }
        if config.listen.is_empty() {
            return Err(StartError::NoAddress);
        }
        let mutual = config.tls.as_ref().is_some_and(|tls| tls.client_authority.is_some());
        let has_unix = config.listen.iter().any(|listen| matches!(listen, Listen::Unix(_)));
        if config.permissions.is_some() && (!mutual || has_unix) {
            return Err(StartError::NoCertificates);
        }
        let keep_alive = config.keep_alive;
        let tls = config.tls.as_ref().map(Tls::new).transpose().map_err(StartError::Tls)?.map(Arc::new);
        let threads = Threads::start(config.threads.clone()).map_err(StartError::Threads)?;
        let entered = threads.shared.runtime.enter();
        let mut sockets = Sockets::bind(&config)?;
        let (stop, stopping) = watch::channel(false);
        let shared = Arc::new(Shared {
            devices: numbered,
            permissions: watch::Sender::new(config.permissions.map(Arc::new)),
            tools: Tools { executor: config.executor, files: config.files },
            outbox: OutboxLimits { messages: limits.queued_messages, bytes: limits.queued_bytes },
            answers: Arc::new(AnswerCounts::default()),
            reads: ReadLimits { requests: limits.read_requests, looked_at: limits.read_entries },
            reading: keep_alive.reading,
            calls: Arc::clone(&threads.shared.calls),
            stopping: stopping.clone(),
        });
        let places = weir_accept::Limits {
            newcomers: limits.newcomers,
            opening: keep_alive.opening,
            places: limits.connections,
        };
        let (gate, budget) = (Gate::new("P4Runtime", places), Budget::new(limits.memory));
        let gates = Gates { gate, budget, stopping };
        let mut serving = Vec::new();
        match (sockets.accept_tcp(&gates), &tls) {
            (Some(tcp), Some(tls)) => {
                serving.push(serve(&shared, &limits, keep_alive, tcp.with_tls(tls, &shared)));
            }
            (Some(tcp), None) => serving.push(serve(&shared, &limits, keep_alive, tcp)),
            (None, _) => {}
        }
        if let Some(unix) = sockets.accept_unix(&gates) {
            serving.push(serve(&shared, &limits, keep_alive, unix));
        }
        serving.append(&mut sockets.accepting);
        let (report, stopped) = mpsc::sync_channel(1);
        threads.shared.runtime.spawn(async move {
            for serving in serving {
                let _ended = serving.await;
            }
            let _nobody_waits = report.send(());
        });
        drop(entered);
        let Sockets { addresses, files, .. } = sockets;
        let stopped = Mutex::new(stopped);
        Ok(Self { _threads: threads, shared, gates, tls, stop, stopped, addresses, _files: files })
    }

    /// Returns the addresses on which the server listens. Port 0 of a config is replaced with the
    /// free port that was chosen.
    pub fn addresses(&self) -> &[Listen] {
        &self.addresses
    }

    /// Replaces the certificates for new connections. Open connections keep theirs.
    ///
    /// # Errors
    /// The certificates cannot be used, or the server does not use TLS. Nothing has changed.
    pub fn replace_certificates(&self, new: &TlsConfig) -> Result<(), StartError> {
        let tls =
            self.tls.as_ref().ok_or_else(|| StartError::Tls("the server works without it".to_owned()))?;
        tls.replace(new).map_err(StartError::Tls)
    }

    /// Replaces the permissions. They apply from the next request on each connection. The stream of
    /// a controller ends if the controller may no longer take part in its role.
    ///
    /// # Errors
    /// The server was started without permissions. Nothing has changed.
    pub fn replace_permissions(&self, new: Permissions) -> Result<(), StartError> {
        let new = Arc::new(new);
        let replace = |held: &mut Option<Arc<Permissions>>| held.replace(new).is_some();
        let has_permissions = self.shared.permissions.borrow().is_some();
        (has_permissions && self.shared.permissions.send_if_modified(replace))
            .then_some(())
            .ok_or(StartError::NoCertificates)
    }

    /// Returns the number of bytes of [`Limits::memory`] that are in use.
    pub fn memory(&self) -> usize {
        self.gates.budget.used()
    }

    /// Returns the counts of connections: accepted, closed by reason, open.
    pub fn connections(&self) -> weir_accept::Counts {
        self.gates.gate.counts()
    }

    /// Returns the number of answers that are still being read from a switch, and the number of
    /// answers that wait for their readers.
    pub fn answers(&self) -> (usize, usize) {
        self.shared.answers.counts()
    }

    /// Sends a frame that left a device's CPU port to the device's controllers. The caller may hold
    /// the lock of the switch.
    pub fn packet_in(&self, device: u64, frame: &[u8]) {
        if let Some(device) = self.shared.devices.get(&device) {
            device.packet_in(frame);
        }
    }

    /// Takes the digests and notices of a device's switch, and sends the messages that are due to
    /// its controllers. Must be called when the switch has messages
    /// ([`Device::has_messages`](weir_device::Device::has_messages)) and at
    /// [`Server::next_deadline`]. Must not be called from within [`SwitchOwner::with_switch`]; code
    /// that has access to the switch calls [`Server::deliver_from`] instead.
    ///
    /// # Errors
    /// The network with the switch was closed.
    pub fn deliver(&self, device: u64) -> Result<(), Unavailable> {
        let Some(device) = self.shared.devices.get(&device) else { return Ok(()) };
        device.deliver().map_err(|_| Unavailable)
    }

    /// Does the same as [`Server::deliver`], for an owner that has access to the switch.
    pub fn deliver_from(&self, device: u64, switch: &mut Switch, now: Nanos) {
        if let Some(device) = self.shared.devices.get(&device) {
            device.deliver_from(switch, now);
        }
    }

    /// Reloads the files of a device's owner. The owner calls this while it has access to the
    /// switch.
    ///
    /// # Errors
    /// The state of the switch cannot be read; nothing has changed.
    pub fn reload(
        &self,
        device: u64,
        reload: Reload,
        switch: &mut Switch,
        now: Nanos,
    ) -> Result<Reloaded, String> {
        match self.shared.devices.get(&device) {
            Some(device) => device.reload(reload, switch, now),
            None => reload.apply(switch, now),
        }
    }

    /// Returns the time at which [`Server::deliver`] must be called for a device even if its switch
    /// has no messages, because a list of digests has waited for its `max_timeout_ns`.
    pub fn next_deadline(&self, device: u64) -> Option<Nanos> {
        self.shared.devices.get(&device).and_then(|device| device.next_deadline())
    }

    /// Waits until the controllers of a device have handled all messages that they received. For
    /// each message, a controller sends its arbitration message again. Returns whether that
    /// happened before the timeout. Does not wait if no role has a primary.
    pub fn wait_until_answered(&self, device: u64, timeout: Duration) -> bool {
        self.shared.devices.get(&device).is_none_or(|device| device.wait_until_answered(timeout))
    }

    /// Returns the controllers of a device that take part in a role. The list is empty if there is
    /// no such device.
    pub fn clients(&self, device: u64) -> Vec<ClientState> {
        self.shared.devices.get(&device).map_or_else(Vec::new, |device| device.sessions().clients())
    }

    /// Returns the numbers of messages of a device that its controllers lost because they read too
    /// slowly, or that were lost because there was no primary.
    pub fn lost(&self, device: u64) -> MessageCounts {
        let device = self.shared.devices.get(&device);
        device.map_or_else(MessageCounts::default, |device| device.sessions().lost())
    }

    /// Begins to stop the server without waiting. Its streams end and its sockets close.
    pub fn begin_to_stop(&self) {
        self.stop.send_replace(true);
    }

    /// Stops the server. Ends all streams with `UNAVAILABLE`, lets running calls finish, and closes
    /// the sockets. Closes connections that are still open after two seconds.
    pub fn stop(self) {
        drop(self);
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.begin_to_stop();
        let stopped = self.stopped.get_mut().unwrap_or_else(PoisonError::into_inner);
        let _late = stopped.recv_timeout(CLOSING_TIMEOUT);
    }
}

/// Serves connections on the current runtime.
fn serve<C>(
    shared: &Arc<Shared>,
    limits: &Limits,
    keep_alive: KeepAlive,
    incoming: Incoming<C>,
) -> tokio::task::JoinHandle<()>
where
    C: AsyncRead + AsyncWrite + Connected + Unpin + Send + 'static,
{
    let service = P4RuntimeServer::new(Service(Arc::clone(shared))).max_encoding_message_size(usize::MAX);
    let service = Metered { service, longest: limits.message_bytes };
    let mut server = tonic::transport::Server::builder()
        .max_concurrent_streams(Some(limits.calls))
        .concurrency_limit_per_connection(limits.calls as usize)
        .initial_stream_window_size(Some(WINDOW))
        .initial_connection_window_size(Some(WINDOW))
        .http2_keepalive_interval(Some(keep_alive.interval))
        .http2_keepalive_timeout(Some(keep_alive.timeout))
        .http2_max_header_list_size(Some(HEADERS));
    let mut stopping = shared.stopping.clone();
    let stops = async move {
        let _sender_gone = stopping.wait_for(|stops| *stops).await;
    };
    let serving = server.add_service(service).serve_with_incoming_shutdown(incoming, stops);
    tokio::spawn(async move {
        let _closed = serving.await;
    })
}
