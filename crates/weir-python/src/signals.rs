//! A look for signals, such as Ctrl-C, while Rust code runs.

use std::cell::{Cell, RefCell};
use std::time::{Duration, Instant};

use pyo3::prelude::*;

/// How often to look.
const LOOK: Duration = Duration::from_millis(10);

/// What signal handlers have raised since it was made.
pub struct Signals {
    looked: Cell<Instant>,
    raised: RefCell<Option<PyErr>>,
}

impl Signals {
    /// Nothing yet.
    pub fn new() -> Self {
        Self { looked: Cell::new(Instant::now()), raised: RefCell::new(None) }
    }

    /// Whether a signal handler has raised something, which is to end what runs.
    pub fn interrupt(&self) -> bool {
        if self.raised.borrow().is_none() && self.looked.get().elapsed() >= LOOK {
            self.looked.set(Instant::now());
            let raised = Python::attach(|py| {
                // Other threads of Python run meanwhile, too.
                py.detach(|| ());
                py.check_signals()
            });
            self.raised.replace(raised.err());
        }
        self.raised.borrow().is_some()
    }

    /// Raises it.
    ///
    /// # Errors
    /// What a signal handler has raised.
    pub fn raise(self) -> PyResult<()> {
        self.raised.into_inner().map_or(Ok(()), Err)
    }
}
