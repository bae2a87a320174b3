//! Unexpected errors of ports.

use std::io;

use weir_capture::CaptureError;

use crate::interfaces;

/// An error of a port. A link that is down and a missing interface are not errors: see
/// [`crate::Link`].
#[derive(Debug, thiserror::Error)]
pub enum PortError {
    /// The operating system refused a step.
    #[error("{port}: {step}: {source}")]
    System {
        /// The port's name.
        port: String,
        /// The step that failed, for example `open a packet socket`.
        step: &'static str,
        /// The error of the operating system.
        source: io::Error,
    },
    /// There is no interface of this name in the network namespace.
    #[error("{}", interfaces::no_interface_message(port, there))]
    NoInterface {
        /// The name for which there is no interface.
        port: String,
        /// The names of the existing interfaces.
        there: Vec<String>,
    },
    /// The process or the system does not have the descriptors or the memory to check an interface.
    /// The interface's state may be unchanged.
    #[error("{port}: look for the interface: {source}")]
    NotSeen {
        /// The port's name.
        port: String,
        /// The error of the operating system.
        source: io::Error,
    },
    /// A capture file can't be read or written.
    #[error("{port}: {source}")]
    Capture {
        /// The port's name.
        port: String,
        /// The error of the file.
        source: CaptureError,
    },
    /// The frames are not Ethernet.
    #[error("{port}: link type {link_type}, expected 1 (Ethernet)")]
    NotEthernet {
        /// The port's name.
        port: String,
        /// The link type in the file.
        link_type: u32,
    },
}

impl PortError {
    /// Returns the error that there is no interface of this name.
    pub(crate) fn no_interface(port: &str) -> Self {
        Self::NoInterface { port: port.to_owned(), there: interfaces::names() }
    }

    /// Returns the error of an attempt to check an interface.
    pub(crate) fn check_failed(port: &str, source: io::Error) -> Self {
        let port = port.to_owned();
        if is_out_of_resources(&source) {
            Self::NotSeen { port, source }
        } else {
            Self::System { port, step: "look for the interface", source }
        }
    }
}

/// Returns whether the process or the system has run out of descriptors, memory or threads. After
/// such an error, it is unknown whether the interface exists.
pub fn is_out_of_resources(error: &io::Error) -> bool {
    let number = error.raw_os_error();
    matches!(number, Some(libc::EMFILE | libc::ENFILE | libc::ENOMEM | libc::ENOBUFS | libc::EAGAIN))
}
