//! Network namespaces.

use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::path::Path;

use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};

/// Runs something in a network namespace: in a thread of its own, because sockets belong to the
/// namespace of the thread that makes them.
///
/// # Errors
/// The namespace does not exist, or this process may not enter it.
pub fn inside<T: Send>(netns: Option<&Path>, run: impl FnOnce() -> T + Send) -> Result<T, String> {
    let Some(netns) = netns else { return Ok(run()) };
    std::thread::scope(|scope| {
        let thread = scope.spawn(|| enter(netns).map(|()| run()));
        match thread.join() {
            Ok(done) => done,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

/// Moves this thread into a network namespace.
///
/// # Errors
/// The namespace does not exist, or this process may not enter it.
pub fn enter(netns: &Path) -> Result<(), String> {
    let explain = |error: io::Error| format!("network namespace {}: {error}", netns.display());
    let file = File::open(netns).map_err(explain)?;
    let entered = move_into_link_name_space(file.as_fd(), Some(LinkNameSpaceType::Network));
    entered.map_err(|error| explain(error.into()))
}
