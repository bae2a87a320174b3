//! What goes wrong at a port that nobody expects.

use std::io;

use weir_capture::CaptureError;

use crate::interfaces;

/// What went wrong at a port. A link that is down and an interface that is gone are no errors: see
/// [`crate::Link`].
#[derive(Debug, thiserror::Error)]
pub enum PortError {
    /// The operating system refused a step.
    #[error("{port}: {step}: {source}")]
    System {
        /// The port's name.
        port: String,
        /// What we tried, for example `open a packet socket`.
        step: &'static str,
        /// What the operating system says.
        source: io::Error,
    },
    /// There is no interface of this name in the network namespace.
    #[error("{}", interfaces::missing(port, there))]
    NoInterface {
        /// The name.
        port: String,
        /// The interfaces that there are.
        there: Vec<String>,
    },
    /// The process or the system has too few descriptors or too little memory left to look at an
    /// interface. Its state may be the same as before.
    #[error("{port}: look for the interface: {source}")]
    NotSeen {
        /// The port's name.
        port: String,
        /// What the operating system says.
        source: io::Error,
    },
    /// A capture file can't be read or written.
    #[error("{port}: {source}")]
    Capture {
        /// The port's name.
        port: String,
        /// What is wrong.
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
    /// There is no interface of this name.
    pub(crate) fn no_interface(port: &str) -> Self {
        Self::NoInterface { port: port.to_owned(), there: interfaces::names() }
    }

    /// An interface could not be looked at.
    pub(crate) fn looking(port: &str, source: io::Error) -> Self {
        let port = port.to_owned();
        if is_shortage(&source) {
            Self::NotSeen { port, source }
        } else {
            Self::System { port, step: "look for the interface", source }
        }
    }
}

/// Whether the process or the system has run out of descriptors, memory or threads: it says nothing
/// of the interface that was asked for.
pub fn is_shortage(error: &io::Error) -> bool {
    let number = error.raw_os_error();
    matches!(number, Some(libc::EMFILE | libc::ENFILE | libc::ENOMEM | libc::ENOBUFS | libc::EAGAIN))
}
