//! The server: its settings, its sockets, its threads.

mod config;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use weir_device::Nanos;
use weir_grpc::{
    AnswerCounts, Calls, Listen, ListenError, MessageLimits, Peer, ServeConfig, Serving, Threads, Tls,
    TlsConfig,
};
use weir_switch::Switch;
use weir_switch::control::{Digest, IdleNotice};

pub use config::{Limits, ServerConfig};

use crate::device::{Device, Tools};
use crate::entities::ReadLimits;
use crate::owner::{SwitchOwner, Unavailable};
use crate::permissions::Permissions;
use crate::proto::v1;
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
    /// The certificate, the key or the authorities cannot be used.
    #[error("TLS cannot be set up: {0}")]
    Tls(String),
    /// The server has permissions but does not verify clients' certificates.
    #[error(
        "roles by certificate need mutual TLS at every address: give the server a certificate, and the \
         authority of the clients' certificates (`--tls-clients`), and listen at no Unix socket"
    )]
    NoCertificates,
    /// The address is reachable from other computers, which could read and change everything
    /// without TLS.
    #[error(transparent)]
    Plaintext(ListenError),
    /// The server cannot listen on an address.
    #[error(
        "P4Runtime cannot be served at {0}; choose another address with `--p4runtime`, or \
         `--grpc-server-addr` of simple_switch_grpc"
    )]
    Listen(ListenError),
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

/// A running server, on threads of its own or of its owner. Dropping it stops it.
pub struct Server {
    serving: Serving,
    shared: Arc<Shared>,
    tls: Option<Arc<Tls>>,
    _threads: Threads,
}

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
        let threads = Threads::start(config.threads.clone(), "p4runtime").map_err(StartError::Threads)?;
        let (stop, stopping) = watch::channel(false);
        let shared = Arc::new(Shared {
            devices: numbered,
            permissions: watch::Sender::new(config.permissions.map(Arc::new)),
            tools: Tools { executor: config.executor, files: config.files },
            outbox: OutboxLimits { messages: limits.queued_messages, bytes: limits.queued_bytes },
            answers: Arc::new(AnswerCounts::default()),
            reads: ReadLimits { requests: limits.read_requests, looked_at: limits.read_entries },
            reading: keep_alive.reading,
            calls: Calls(Arc::clone(&threads.shared.calls)),
            stopping,
        });
        let places = weir_accept::Limits {
            newcomers: limits.newcomers,
            opening: keep_alive.opening,
            places: limits.connections,
        };
        let bounds = ServeConfig {
            protocol: "P4Runtime",
            listen: &config.listen,
            tls: tls.clone(),
            plaintext: config.plaintext_beyond_loopback,
            keep_alive,
            places,
            calls: limits.calls,
            messages: MessageLimits { longest: limits.message_bytes, part: size_of::<v1::Entity>() },
            memory: limits.memory,
            memory_option: "--p4runtime-memory",
        };
        let service = P4RuntimeServer::new(Service(Arc::clone(&shared)));
        let service = service.max_encoding_message_size(usize::MAX);
        let admits = Arc::clone(&shared);
        // A client without rights stays connected until its first request, which is refused with
        // the reason.
        let admit = move |peer: &Peer| drop(admits.admit(peer));
        let serving = Serving::start(&bounds, &threads.shared, stop, &service, admit)?;
        Ok(Self { serving, shared, tls, _threads: threads })
    }

    /// Returns the addresses on which the server listens. Port 0 of a config is replaced with the
    /// free port that was chosen.
    pub fn addresses(&self) -> &[Listen] {
        self.serving.addresses()
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
        self.serving.memory()
    }

    /// Returns the counts of connections: accepted, closed by reason, open.
    pub fn connections(&self) -> weir_accept::Counts {
        self.serving.connections()
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

    /// Does the same as [`Server::deliver_from`], for an owner that has taken the messages from the
    /// switch, because others receive them, too.
    pub fn deliver_messages(
        &self,
        device: u64,
        switch: &mut Switch,
        now: Nanos,
        digests: &[Digest],
        notices: &[IdleNotice],
    ) {
        if let Some(device) = self.shared.devices.get(&device) {
            device.deliver_messages(switch, now, digests, notices);
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
        self.serving.begin_to_stop();
    }

    /// Stops the server. Ends all streams with `UNAVAILABLE`, lets running calls finish, and closes
    /// the sockets. Closes connections that are still open after two seconds.
    pub fn stop(self) {
        drop(self);
    }
}
