//! What all calls of a server use.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tonic::Status;

use crate::answer::AnswerMemory;
use crate::device::{Device, Tools};
use crate::sessions::OutboxLimits;

/// What all calls use.
pub struct Shared {
    /// By number.
    pub devices: BTreeMap<u64, Arc<Device>>,
    /// What makes programs run.
    pub tools: Tools,
    /// For the messages that wait for a controller.
    pub outbox: OutboxLimits,
    /// For the answers that wait for their readers.
    pub answers: Arc<AnswerMemory>,
    /// How long an answer waits for a reader that does not read.
    pub reading: Duration,
    /// Becomes true when the server stops.
    pub stopping: watch::Receiver<bool>,
}

impl Shared {
    /// The device of a request. 0, which is no number of a device by the specification, stands for
    /// the only one if there is one.
    pub fn device(&self, id: u64) -> Result<Arc<Device>, Status> {
        let only = || self.devices.values().next().filter(|_| id == 0 && self.devices.len() == 1);
        self.devices.get(&id).or_else(only).cloned().ok_or_else(|| {
            let known: Vec<String> = self.devices.keys().take(16).map(u64::to_string).collect();
            Status::not_found(format!("there is no device {id}; this server has {}", known.join(", ")))
        })
    }
}
