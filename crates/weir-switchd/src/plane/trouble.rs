//! Errors of ports in the log.

use weir_device::Nanos;
use weir_ports::{PortError, Trouble};

/// Logs an error of a port, unless the error continues and was logged a short while ago.
pub fn report(trouble: &mut Trouble, switch: Option<&str>, now: Nanos, error: &PortError) {
    let error = error.to_string();
    if let Some(unlogged) = trouble.note(now, &error) {
        tracing::error!(switch, error, unlogged, "a port fails");
    }
}
