//! Gives the server access to a switch that another part of the process owns.

use weir_device::Nanos;
use weir_switch::Switch;

/// The owner of a switch that the server controls.
pub trait SwitchOwner: Send + Sync + 'static {
    /// Waits until no other thread uses the switch, and calls `act` with the switch and its current
    /// time.
    ///
    /// # Errors
    /// The switch is gone; `act` was not called.
    fn with_switch(&self, act: &mut dyn FnMut(&mut Switch, Nanos)) -> Result<(), Unavailable>;

    /// Returns the name by which clients bind to the switch's program.
    fn program_name(&self) -> String;

    /// Logs an action of a client.
    fn log(&self, _line: &str) {}
}

/// The owner of the switch has closed it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the switch is gone")]
pub struct Unavailable;
