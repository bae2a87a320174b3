//! Network namespaces.

use std::fmt;
use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};

/// The reason why a thread did not enter a network namespace.
#[derive(Debug)]
pub struct EnterError {
    netns: PathBuf,
    /// The operating system's error.
    pub source: io::Error,
}

impl fmt::Display for EnterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let netns = self.netns.display();
        if self.source.kind() == io::ErrorKind::NotFound {
            return write!(f, "there is no network namespace {netns}; `ip netns` lists those with a name");
        }
        write!(f, "network namespace {netns}: {}", self.source)
    }
}

/// Runs a function in a network namespace. It runs in a new thread, because sockets belong to the
/// namespace of the thread that creates them.
///
/// # Errors
/// The namespace does not exist, this process has no permission to enter it, or no thread can be
/// started.
pub fn run_inside<T: Send>(netns: Option<&Path>, run: impl FnOnce() -> T + Send) -> Result<T, EnterError> {
    let Some(netns) = netns else { return Ok(run()) };
    std::thread::scope(|scope| {
        let body = || enter(netns).map(|()| run());
        let thread = std::thread::Builder::new().spawn_scoped(scope, body);
        match thread.map_err(|source| EnterError { netns: netns.to_owned(), source })?.join() {
            Ok(done) => done,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

/// Moves this thread into a network namespace.
///
/// # Errors
/// The namespace does not exist, or this process has no permission to enter it.
pub fn enter(netns: &Path) -> Result<(), EnterError> {
    let explain = |source| EnterError { netns: netns.to_owned(), source };
    let file = File::open(netns).map_err(explain)?;
    let entered = move_into_link_name_space(file.as_fd(), Some(LinkNameSpaceType::Network));
    entered.map_err(|error| explain(error.into()))
}
