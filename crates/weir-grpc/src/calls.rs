//! Calls that may block a thread.

use std::sync::Arc;

use prost::Name;
use tokio::sync::Semaphore;
use tonic::Status;

use crate::received::{Decodable, Received};

/// The maximum length in bytes of a message that is examined without a thread of its own.
const MAX_BYTES_WITHOUT_THREAD: usize = 64 << 10;

/// The permits for calls that block a thread.
#[derive(Clone, Debug)]
pub struct Calls(pub Arc<Semaphore>);

impl Calls {
    /// Runs a function that may wait for a switch or the compiler, on a thread of its own.
    ///
    /// # Errors
    /// The function failed or panicked.
    pub async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, Status> + Send + 'static,
    ) -> Result<T, Status> {
        let turn = Arc::clone(&self.0).acquire_owned().await;
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
}
