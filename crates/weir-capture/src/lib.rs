//! Reads and writes capture files, which contain frames with their times, in the formats of
//! Wireshark and tshark.
//!
//! - **Input:** frames, and a writer for the file; or a reader of a file.
//! - **Output:** a pcapng or pcap file; or the frames of a pcap or pcapng file.
//! - **Contents:** [`CaptureWriter`], [`PcapCaptureWriter`], [`CaptureReader`], and
//!   [`read_packets`] for packets to send again. Times are nanoseconds from the Unix epoch.
//! - **Independent of:** where frames come from, clocks, the names of files.

mod blocks;
mod error;
mod packets;
mod read;
mod write;

pub use error::CaptureError;
pub use packets::read_packets;
pub use read::{CaptureReader, CapturedFrame};
pub use write::{CaptureWriter, PcapCaptureWriter};

/// The link type of Ethernet in pcap and pcapng files (`LINKTYPE_ETHERNET`).
pub const ETHERNET: u32 = 1;

/// The direction in which a frame passes an interface, from the view of the interface's node. The
/// values are the direction bits of `epb_flags` (pcapng, section 4.3.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// The node on the link receives the frame.
    Inbound = 1,
    /// The node on the link sends the frame.
    Outbound = 2,
}
