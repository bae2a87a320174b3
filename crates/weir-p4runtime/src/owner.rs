//! Access to a switch that another part of the program owns.

use std::sync::Arc;

use weir_device::{Nanos, Port};
use weir_switch::Switch;

use crate::texts::Texts;

/// Lends a switch to the server: a virtual network, or the loop that moves packets between real
/// interfaces.
pub trait SwitchOwner: Send + Sync + 'static {
    /// Waits until nobody else uses the switch, and calls `act` with the switch and its current
    /// time. `act` may replace the switch with one that runs another program; the ports remain.
    ///
    /// # Errors
    /// The switch is gone; `act` was not called.
    fn with_switch(&self, act: &mut dyn FnMut(&mut Switch, Nanos)) -> Result<(), Unavailable>;

    /// Injects a frame at a port immediately, as if it had arrived there.
    ///
    /// # Errors
    /// The switch is gone.
    fn receive(&self, port: Port, frame: &[u8]) -> Result<(), Unavailable>;

    /// Whether controllers see the switch's program and the contents of its tables from the start.
    /// If not, a controller must send a program first.
    fn shows_program(&self) -> bool {
        false
    }

    /// The controller's port; `None` if the switch has no such port.
    fn cpu_port(&self) -> Option<Port>;

    /// Reports, as a log line or warning, a problem that does not make a request fail.
    fn warn(&self, problem: &str);

    /// Logs what controllers do: who became primary of a role, and who no longer is.
    fn log(&self, _line: &str) {}

    /// Prepares a switch with a controller's program, which will take the place of the current one.
    fn prepare(&self, _switch: &mut Switch) {}

    /// Texts that stand for numbers of translated types. Every call returns the same texts.
    fn texts(&self) -> Arc<Texts> {
        Arc::default()
    }
}

/// The switch is gone: its network was closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the switch is gone")]
pub struct Unavailable;
