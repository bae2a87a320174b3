//! Describes why no server answers at an address, and what to do about it.

use std::error::Error;
use std::io::{self, ErrorKind};

use super::outcome::Refusal;
use crate::proto::chain;

/// Returns the error that no server of a protocol can be reached at an address. `option` starts
/// such a server.
pub(super) fn unreachable(
    protocol: &str,
    option: &str,
    address: &str,
    error: &(dyn Error + 'static),
) -> Refusal {
    let path = address.strip_prefix("unix:");
    let kind = input_output(error).map(io::Error::kind);
    let reason = match (path, kind) {
        (Some(path), Some(ErrorKind::NotFound)) => {
            let hint = "start the server first, or give the path that it listens on";
            format!("there is no socket {path}; {hint}")
        }
        (Some(path), Some(ErrorKind::ConnectionRefused)) => {
            format!("nothing listens on the socket {path}; start the server first")
        }
        (Some(path), Some(ErrorKind::PermissionDenied)) => {
            format!("{path} belongs to another user; run as the user who runs the server")
        }
        (None, Some(ErrorKind::ConnectionRefused)) => {
            format!(
                "nothing listens there; start the server first, for example with {option}, or give its address"
            )
        }
        // The first error of the chain is only "transport error".
        _ => error.source().map_or_else(|| error.to_string(), chain),
    };
    Refusal::new(format!("no {protocol} server answers at {address}: {reason}"))
}

/// Returns the error of the operating system behind an error.
fn input_output<'e>(error: &'e (dyn Error + 'static)) -> Option<&'e io::Error> {
    let mut error = error;
    loop {
        if let Some(found) = error.downcast_ref() {
            return Some(found);
        }
        error = error.source()?;
    }
}
