//! Errors of capture files.

use std::io::ErrorKind;

use pcap_file::PcapError;

use crate::ETHERNET;

/// The reason why a capture file can't be read or written. The text is the end of a sentence that
/// begins with the file's name.
#[derive(Debug, thiserror::Error)]
pub enum CaptureError {
    /// The operating system refused the access.
    #[error("{0}")]
    Io(std::io::Error),
    /// The first bytes are those of another format.
    #[error("is neither a pcap nor a pcapng file")]
    Format,
    /// The file was cut off.
    #[error("ends in the middle of packet {0}")]
    Truncated(u64),
    /// The capture contains only the start of a packet.
    #[error("packet {packet} was captured with {captured} of its {length} bytes")]
    Cut {
        /// The packet's number, from 0.
        packet: u64,
        /// The bytes in the file.
        captured: usize,
        /// The length on the wire, in bytes.
        length: u32,
    },
    /// A packet was not captured on Ethernet.
    #[error("packet {packet} has link type {link_type}, expected {ETHERNET} (Ethernet)")]
    NotEthernet {
        /// The packet's number, from 0.
        packet: u64,
        /// The link type, as in the file.
        link_type: u32,
    },
    /// A packet is earlier than the one before it.
    #[error("packet {packet} is {by} ns earlier than the packet before it (reordercap sorts captures)")]
    Backwards {
        /// The packet's number, from 0.
        packet: u64,
        /// The difference from the time of the previous packet, in nanoseconds.
        by: u64,
    },
    /// The contents contradict the format.
    #[error("is damaged at packet {packet}: {problem}")]
    Damaged {
        /// The packet's number, from 0.
        packet: u64,
        /// A description of the mistake.
        problem: String,
    },
}

impl CaptureError {
    /// Returns the error for a failure to read the packet of this number.
    pub(crate) fn reading(packet: u64, error: PcapError) -> Self {
        match error {
            PcapError::IncompleteBuffer => Self::Truncated(packet),
            PcapError::IoError(error) if error.kind() == ErrorKind::UnexpectedEof => Self::Truncated(packet),
            PcapError::IoError(error) => Self::Io(error),
            PcapError::InvalidInterfaceId(interface) => {
                let problem = format!("it names interface {interface}, which the file does not describe");
                Self::Damaged { packet, problem }
            }
            error => Self::Damaged { packet, problem: error.to_string() },
        }
    }

    /// Returns the error for a failure to write.
    pub(crate) fn writing(error: PcapError) -> Self {
        match error {
            PcapError::IoError(error) => Self::Io(error),
            error => Self::Io(std::io::Error::other(error)),
        }
    }
}
