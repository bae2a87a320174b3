//! Filters of sockets: programs of classic BPF, which need no rights (socket(7),
//! `SO_ATTACH_FILTER`).

use std::io;
use std::os::fd::{AsFd, AsRawFd};

use super::{PacketSocket, checked};

/// Which frames a packet socket accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Filter {
    /// The socket accepts no frames.
    Nothing,
    /// Frames that other computers send, but not frames that this computer sends through the
    /// interface.
    Arriving,
}

impl PacketSocket {
    /// Makes the socket accept only these frames from now on.
    pub(crate) fn filter(&self, filter: Filter) -> io::Result<()> {
        let mut instructions: Vec<libc::sock_filter> = match filter {
            Filter::Nothing => vec![accept_bytes(0)],
            Filter::Arriving => {
                vec![load_packet_type(), if_outgoing(1), accept_bytes(u32::MAX), accept_bytes(0)]
            }
        };
        let program =
            libc::sock_fprog { len: instructions.len() as libc::c_ushort, filter: instructions.as_mut_ptr() };
        let (pointer, length) = ((&raw const program).cast(), size_of_val(&program) as u32);
        let descriptor = self.as_fd().as_raw_fd();
        // SAFETY: the program and its instructions live until the call returns, with the length
        // that it says. The kernel only reads them.
        checked(unsafe {
            libc::setsockopt(descriptor, libc::SOL_SOCKET, libc::SO_ATTACH_FILTER, pointer, length)
        })?;
        Ok(())
    }
}

/// Loads the packet's type, for example `PACKET_OUTGOING`.
const fn load_packet_type() -> libc::sock_filter {
    let code = libc::BPF_LD | libc::BPF_W | libc::BPF_ABS;
    instruction(code, 0, (libc::SKF_AD_OFF + libc::SKF_AD_PKTTYPE) as u32)
}

/// Skips `skip` instructions if the computer itself sends the packet.
const fn if_outgoing(skip: u8) -> libc::sock_filter {
    instruction(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, skip, libc::PACKET_OUTGOING as u32)
}

/// Ends the program: the socket gets at most `bytes` bytes, or no packet if `bytes` is zero.
const fn accept_bytes(bytes: u32) -> libc::sock_filter {
    instruction(libc::BPF_RET | libc::BPF_K, 0, bytes)
}

/// Encodes an instruction of a socket filter.
const fn instruction(code: u32, if_true: u8, value: u32) -> libc::sock_filter {
    libc::sock_filter { code: code as u16, jt: if_true, jf: 0, k: value }
}
