//! State that all calls of a server share.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::watch;
use tonic::Status;
use weir_grpc::{AnswerCounts, Calls};
use weir_p4runtime_proto::bfrt::idle_timeout_notification::NotificationType;
use weir_p4runtime_proto::bfrt::stream_message_response::Update;
use weir_p4runtime_proto::bfrt::subscribe::Notifications;

use crate::device::Device;
use crate::entities::ReadLimits;
use crate::sessions::Sessions;

/// State that all calls share.
pub struct Shared {
    /// The devices, by number.
    pub devices: BTreeMap<u32, Arc<Device>>,
    /// The clients.
    pub sessions: Mutex<Sessions>,
    /// The maximum number of messages that wait for a client.
    pub queued_messages: usize,
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
    /// Locks and returns the clients.
    pub fn sessions(&self) -> MutexGuard<'_, Sessions> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Finds a device.
    ///
    /// # Errors
    /// There is no such device.
    pub fn device(&self, number: u32) -> Result<Arc<Device>, Status> {
        self.devices.get(&number).cloned().ok_or_else(|| {
            let known: Vec<String> = self.devices.keys().take(16).map(u32::to_string).collect();
            Status::not_found(format!("there is no device {number}; this server has {}", known.join(", ")))
        })
    }

    /// Returns the device of a request. A client with a stream uses the device to whose program it
    /// is bound; other clients name the program.
    ///
    /// # Errors
    /// The client is not bound, or there is no such program or device.
    pub fn device_of(&self, client: u32, target: Option<u32>, p4_name: &str) -> Result<Arc<Device>, Status> {
        if !p4_name.is_empty() {
            let device = self.device(target.unwrap_or(0))?;
            return check_name(&device, p4_name).map(|()| device);
        }
        let bound = self.sessions().bound(client)?;
        match target {
            Some(target) if target != bound => Err(Status::invalid_argument(format!(
                "the client {client} is bound to the program of the device {bound}, not {target}"
            ))),
            _ => self.device(bound),
        }
    }

    /// Returns whether a client of a device wants to know which idle entries packets hit again.
    pub fn wants_active(&self, device: u32) -> bool {
        let sessions = self.sessions();
        let mut clients = sessions.of_device(device);
        clients.any(|client| client.is_bound && client.wants.enable_entry_active_notifications)
    }

    /// Sends messages of a device to the clients that want them. Digests and idle entries are for
    /// the client that is bound to the program.
    pub fn tell(&self, device: u32, messages: &[Update]) {
        if messages.is_empty() {
            return;
        }
        let sessions = self.sessions();
        for client in sessions.of_device(device) {
            let Notifications {
                enable_learn_notifications: learns,
                enable_idletimeout_notifications: idle,
                enable_port_status_change_notifications: ports,
                enable_entry_active_notifications: active,
                ..
            } = client.wants;
            let wants = |message: &&Update| match message {
                Update::Digest(_) => client.is_bound && learns,
                Update::IdleTimeoutNotification(notice)
                    if notice.r#type() == NotificationType::EntryActive =>
                {
                    client.is_bound && active
                }
                Update::IdleTimeoutNotification(_) => client.is_bound && idle,
                Update::PortStatusChangeNotification(_) => ports,
                _ => true,
            };
            for message in messages.iter().filter(wants) {
                let _lost = client.outbox.send(message.clone());
            }
        }
    }
}

/// Checks that a device has a program with this name.
///
/// # Errors
/// It has another program.
pub fn check_name(device: &Device, name: &str) -> Result<(), Status> {
    let known = device.program_name();
    if known == name {
        return Ok(());
    }
    let number = device.number;
    Err(Status::not_found(format!("the device {number} has no program {name:?}; it has {known:?}")))
}
