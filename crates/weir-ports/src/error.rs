//! What goes wrong at a port that nobody expects.

use std::io;

use weir_capture::CaptureError;

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
