//! Logs errors of ports, and interfaces that other programs use.

use weir_device::Nanos;
use weir_ports::{ErrorLog, Link, PortError};

/// Logs an error of a port, unless the error continues and was logged a short while ago.
pub fn report(trouble: &mut ErrorLog, switch: Option<&str>, now: Nanos, error: &PortError) {
    let error = error.to_string();
    if let Some(unlogged) = trouble.should_log(now, &error) {
        tracing::error!(switch, error, unlogged, "a port fails");
    }
}

/// Warns if another program had already claimed the interface of a port when it was opened.
pub fn warn_of_claim(link: &mut dyn Link, switch: Option<&str>) {
    if let Some(already) = link.take_already_claimed() {
        tracing::warn!(switch, "{already}");
    }
}
