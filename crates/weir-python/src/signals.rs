//! Checks for signals, such as Ctrl-C, while Rust code runs.

use std::cell::{Cell, RefCell};
use std::time::{Duration, Instant};

use pyo3::prelude::*;

/// The interval between checks.
const CHECK_INTERVAL: Duration = Duration::from_millis(10);

/// Collects the exceptions that signal handlers have raised since this value was created.
pub struct Signals {
    looked: Cell<Instant>,
    raised: RefCell<Option<PyErr>>,
}

impl Signals {
    /// Starts to collect exceptions.
    pub fn new() -> Self {
        Self { looked: Cell::new(Instant::now()), raised: RefCell::new(None) }
    }

    /// Returns whether a signal handler has raised an exception, which must end the current run.
    pub fn interrupt(&self) -> bool {
        if self.raised.borrow().is_none() && self.looked.get().elapsed() >= CHECK_INTERVAL {
            self.looked.set(Instant::now());
            let raised = Python::attach(|py| {
                // Releasing the interpreter lock also lets other Python threads run.
                py.detach(|| ());
                py.check_signals()
            });
            self.raised.replace(raised.err());
        }
        self.raised.borrow().is_some()
    }

    /// Raises the exception of a signal handler, if there is one.
    ///
    /// # Errors
    /// A signal handler has raised an exception.
    pub fn raise(self) -> PyResult<()> {
        self.raised.into_inner().map_or(Ok(()), Err)
    }
}
