//! Gives the server access to a switch that another part of the process owns.

use weir_device::Nanos;
use weir_switch::{Switch, SwitchConfig};

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

    /// Creates a switch with these settings for a program that a client sent, in any form that the
    /// owner accepts.
    ///
    /// # Errors
    /// The owner takes no programs, or this one cannot run. The message says why.
    fn make_switch(&self, _program: &[u8], _settings: SwitchConfig) -> Result<Switch, String> {
        Err("this switch takes no programs from clients: start it with the program".to_owned())
    }

    /// Logs an action of a client.
    fn log(&self, _line: &str) {}
}

/// The owner of the switch has closed it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the switch is gone")]
pub struct Unavailable;
