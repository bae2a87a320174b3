//! Gives the server access to a switch that another part of the process owns.

use std::sync::Arc;

use weir_device::{Nanos, Port};
use weir_switch::Switch;

use crate::texts::Texts;

/// The owner of a switch that the server controls: a virtual network, or the loop that moves
/// packets between real interfaces.
pub trait SwitchOwner: Send + Sync + 'static {
    /// Waits until no other thread uses the switch, and calls `act` with the switch and its current
    /// time. `act` may replace the switch with one that runs another program. The ports stay the
    /// same.
    ///
    /// # Errors
    /// The network with the switch was closed; `act` was not called.
    fn with_switch(&self, act: &mut dyn FnMut(&mut Switch, Nanos)) -> Result<(), Unavailable>;

    /// Injects a frame at a port immediately, as if it had arrived there.
    ///
    /// # Errors
    /// The network with the switch was closed.
    fn receive(&self, port: Port, frame: &[u8]) -> Result<(), Unavailable>;

    /// Returns whether controllers see the switch's program and the contents of its tables from the
    /// start. Otherwise, a controller must send a program first.
    fn shows_program(&self) -> bool {
        false
    }

    /// Returns the port to the controllers, or `None` if the switch has no such port.
    fn cpu_port(&self) -> Option<Port>;

    /// Reports a problem that does not make a request fail.
    fn warn(&self, problem: &str);

    /// Logs an action of controllers, such as the election of a primary.
    fn log(&self, _line: &str) {}

    /// Prepares a switch with a controller's program, which will take the place of the current one.
    fn prepare(&self, _switch: &mut Switch) {}

    /// Returns the texts that stand for numbers of translated types. Every call returns the same
    /// texts.
    fn texts(&self) -> Arc<Texts> {
        Arc::default()
    }
}

/// The network with the switch was closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the switch is gone")]
pub struct Unavailable;
