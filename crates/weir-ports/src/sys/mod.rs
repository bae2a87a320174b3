//! The system calls that no library makes safe. All `unsafe` code of this crate is in this module,
//! behind functions that no argument makes unsound.
//!
//! - Pointers that a system call gets are made from live slices inside the function that makes the
//!   call, and are gone when it returns.
//! - Lengths and offsets that the kernel reports are checked before they make a slice.
//! - Memory that the kernel shares is lent while the kernel leaves it alone: from when it says so
//!   to when it gets the memory back, which needs its owner exclusively.

mod bpf;
mod filter;
mod mapping;
mod messages;
mod program_sender;
mod ring;
mod socket;
mod tap;
mod xdp_receiver;
mod xdp_ring;
mod xdp_sender;

pub(crate) use bpf::Attachment;
pub(crate) use filter::Filter;
pub(crate) use messages::{Inbox, Message, send};
pub(crate) use program_sender::ProgramSender;
pub(crate) use ring::{Ring, Slot};
pub(crate) use socket::{PacketSocket, interface, receive_queues};
pub(crate) use tap::{attach_tap, open_tap};
pub(crate) use xdp_receiver::{Attached, XdpReceiver};
pub(crate) use xdp_sender::XdpSender;

use std::io;

/// The result of a system call: an error if it is negative.
fn checked(result: libc::c_int) -> io::Result<libc::c_int> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}
