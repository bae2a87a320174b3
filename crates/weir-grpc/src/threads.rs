//! The threads of a server.

use std::sync::Arc;

use tokio::runtime::{Builder, Runtime};
use tokio::sync::Semaphore;

use crate::config::SharedThreads;

/// The maximum number of concurrent blocking calls. Most wait for a switch.
const BLOCKING_THREADS: usize = 16;

/// The threads of a server. When they are dropped, they end in the background: the server may be
/// dropped in asynchronous code, which must not block.
pub struct Threads {
    /// The runtime and the permits of the threads.
    pub shared: SharedThreads,
    runtime: Option<Runtime>,
}

impl Threads {
    /// Uses the shared threads, or starts new ones with this name.
    ///
    /// # Errors
    /// The system refused to start threads.
    pub fn start(shared: Option<SharedThreads>, name: &str) -> std::io::Result<Self> {
        if let Some(shared) = shared {
            return Ok(Self { shared, runtime: None });
        }
        let mut builder = Builder::new_multi_thread();
        builder.worker_threads(2).max_blocking_threads(BLOCKING_THREADS).thread_name(name).enable_all();
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
