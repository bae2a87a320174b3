//! State that all calls of a server share.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tonic::Status;
use weir_grpc::{AnswerCounts, Calls, Peer};

use crate::device::{Device, Tools};
use crate::entities::ReadLimits;
use crate::permissions::{Permissions, Right};
use crate::sessions::{OutboxLimits, RoleName};

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
    pub calls: Calls,
    /// Becomes true when the server stops.
    pub stopping: watch::Receiver<bool>,
}

impl Shared {
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

    /// Finds the device of a request. The id 0, which the specification does not allow for devices,
    /// stands for the only device if there is exactly one.
    pub fn device(&self, id: u64) -> Result<Arc<Device>, Status> {
        let only = || self.devices.values().next().filter(|_| id == 0 && self.devices.len() == 1);
        self.devices.get(&id).or_else(only).cloned().ok_or_else(|| {
            let ids: Vec<String> = self.devices.keys().take(16).map(u64::to_string).collect();
            Status::not_found(format!("there is no device {id}; this server has {}", ids.join(", ")))
        })
    }
}
