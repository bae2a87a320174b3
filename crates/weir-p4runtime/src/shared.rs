//! What all calls of a server use.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Semaphore, watch};
use tonic::Status;

use crate::answer::AnswerMemory;
use crate::device::{Device, Tools};
use crate::entities::ReadLimits;
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
    /// For one read.
    pub reads: ReadLimits,
    /// How long an answer waits for a reader that does not read.
    pub reading: Duration,
    /// Calls that may have a thread to wait in.
    pub calls: Arc<Semaphore>,
    /// Becomes true when the server stops.
    pub stopping: watch::Receiver<bool>,
}

impl Shared {
    /// Runs what may wait for a switch or for a compiler, on a thread of its own.
    ///
    /// # Errors
    /// What it returns, or that it panicked.
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
