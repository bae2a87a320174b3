//! The system calls for which no library has a safe wrapper. All `unsafe` code of this crate is in
//! this module, in functions that are sound for all arguments.
//!
//! - Pointers for a system call are made from live slices inside the function that makes the call,
//!   and are not kept after it returns.
//! - Lengths and offsets that the kernel reports are checked before they make a slice.
//! - Memory that the kernel shares is lent only while the kernel does not use it: from when the
//!   kernel hands the memory over until it gets the memory back, for which exclusive access to the
//!   owner is needed.

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
pub(crate) use xdp_receiver::{AttachedProgram, XdpReceiver};
pub(crate) use xdp_sender::XdpSender;

use std::io;

/// Returns the result of a system call: an error if it is negative.
fn checked(result: libc::c_int) -> io::Result<libc::c_int> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}
