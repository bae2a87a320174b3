//! State that all calls of a server share.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use prost::Name;
use tokio::sync::{Semaphore, watch};
use tonic::Status;

use crate::answer::AnswerCounts;
use crate::device::{Device, Tools};
use crate::entities::ReadLimits;
use crate::peer::Peer;
use crate::permissions::{Permissions, Right};
use crate::received::{Decodable, Received};
use crate::sessions::{OutboxLimits, RoleName};

/// The maximum length in bytes of a message that is examined without a thread of its own.
const MAX_BYTES_WITHOUT_THREAD: usize = 64 << 10;

/// State that all calls share.
pub struct Shared {
    /// The devices, by number.
    pub devices: BTreeMap<u64, Arc<Device>>,
    /// The rights of clients by their certificates. Without them, all clients may do everything.
    /// They may be replaced while the server runs.
    pub permissions: watch::Sender<Option<Arc<Permissions>>>,
    /// The tools for running programs.
    pub tools: Tools,
    /// The limits on the messages that wait for a controller.
    pub outbox: OutboxLimits,
    /// The answers to reads.
    pub answers: Arc<AnswerCounts>,
    /// The limits of one read.
    pub reads: ReadLimits,
    /// The time for which an answer waits for a reader that takes nothing.
    pub reading: Duration,
    /// Permits for calls that block a thread.
    pub calls: Arc<Semaphore>,
    /// Becomes true when the server stops.
    pub stopping: watch::Receiver<bool>,
}

impl Shared {
    /// Runs a function that may wait for a switch or the compiler, on a thread of its own.
    ///
    /// # Errors
    /// The function failed or panicked.
    pub async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, Status> + Send + 'static,
    ) -> Result<T, Status> {
        let turn = Arc::clone(&self.calls).acquire_owned().await;
        let turn = turn.map_err(|_closed| Status::unavailable("the server stops"))?;
        let work = move || {
            let _turn = turn;
            work()
        };
        match tokio::task::spawn_blocking(work).await {
            Ok(result) => result,
            Err(error) => Err(Status::internal(format!("the server made a mistake: {error}"))),
        }
    }

    /// Admits a client. From then on, its certificate gives it a right to memory and to a place
    /// among the connections.
    ///
    /// # Errors
    /// The file of permissions does not list the client.
    pub fn admit(&self, peer: &Peer) -> Result<(), Status> {
        let permissions = self.permissions.borrow().clone();
        let admitted = permissions.map_or(Ok(()), |permissions| permissions.admit(peer));
        if peer.has_certificate() {
            peer.account.set_trusted(admitted.is_ok());
        }
        admitted
    }

    /// Checks that a client has a right on a device in a role, or in any role if `role` is `None`.
    /// If `right` is `None`, checks that the client may take part in the role.
    ///
    /// # Errors
    /// The client does not have the right.
    pub fn check(
        &self,
        peer: &Peer,
        device: &Device,
        role: Option<&RoleName>,
        right: impl Into<Option<Right>>,
    ) -> Result<(), Status> {
        let permissions = self.permissions.borrow().clone();
        let right = right.into();
        permissions.map_or(Ok(()), |permissions| permissions.check(peer, device.number, role, right))
    }

    /// Reserves memory for the decoded form of a message.
    ///
    /// # Errors
    /// The budget has no room, or the message has too many fields.
    pub async fn decodable<M: Name>(&self, received: Received) -> Result<Decodable, Status> {
        if received.len() <= MAX_BYTES_WITHOUT_THREAD {
            let bytes = received.decoded_bytes::<M>()?;
            return received.decodable(bytes).await;
        }
        let count = move || received.decoded_bytes::<M>().map(|bytes| (received, bytes));
        let (received, bytes) = self.blocking(count).await?;
        received.decodable(bytes).await
    }

    /// Finds the device of a request. The id 0, which the specification does not allow for devices,
    /// stands for the only device if there is exactly one.
    pub fn device(&self, id: u64) -> Result<Arc<Device>, Status> {
        let only = || self.devices.values().next().filter(|_| id == 0 && self.devices.len() == 1);
        self.devices.get(&id).or_else(only).cloned().ok_or_else(|| {
            let known: Vec<String> = self.devices.keys().take(16).map(u64::to_string).collect();
            Status::not_found(format!("there is no device {id}; this server has {}", known.join(", ")))
        })
    }
}
