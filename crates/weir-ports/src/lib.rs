//! Packet I/O: a trait for each half of a port, and the kinds of port.
//!
//! - **Input:** frames from interfaces, files and memory; frames to send.
//! - **Output:** batches of [`Frame`]s in memory that the port lends, with their metadata from the
//!   kernel; the state of links; counts.
//! - **Contents:** the traits [`Receive`], [`Transmit`] and [`Link`], the kinds of port, and the
//!   offload rules. docs/decisions/0036-ports.md explains their design.
//! - **Must never know:** P4, switches, tables, the use of a port. The crate starts no thread
//!   and never waits: [`Receive::wait_on`] returns the event that a caller can wait for.

mod arrival;
mod batch;
mod claim;
mod error;
mod error_log;
mod fanout;
pub mod file;
mod interfaces;
mod mailbox;
pub mod memory;
mod metadata;
pub mod offload;
mod packet_ring;
mod packet_sender;
pub mod packet_socket;
mod port;
mod port_claim;
mod send_all;
#[allow(unsafe_code, reason = "system calls take pointers; see the module")]
mod sys;
pub mod tap;
mod vlan;
mod vnet;
mod watch;
pub mod xdp;

pub use batch::Batch;
pub use claim::AlreadyClaimed;
pub use error::{PortError, is_out_of_resources};
pub use error_log::ErrorLog;
pub use fanout::Fanout;
pub use interfaces::is_interface_name;
pub use metadata::{Checksum, Frame, Gso, GsoKind, Metadata};
pub use port::{Link, LinkState, Offloads, Port, Receive, ReceiveCounts, Transmit, TransmitCounts, WaitOn};
pub use send_all::send_all;
