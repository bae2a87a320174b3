//! A hand-written loop that copies frames between two interfaces with `recvmmsg` and `sendmmsg`.

#![allow(unsafe_code, reason = "system calls as one makes them by hand")]

use std::mem::zeroed;
use std::ptr::null_mut;

/// The maximum number of frames in a system call.
const BATCH: usize = 64;
/// The longest frame, after the virtio-net header of a GSO frame.
const MAX_FRAME_BYTES: usize = 65_536 + 128;

/// Copies frames in both directions until the process is killed. With `vnet`, frames have
/// virtio-net headers, so that GSO frames are forwarded uncut.
pub fn run(left: &str, right: &str, vnet: bool) {
    let sockets = [open(left, vnet), open(right, vnet)];
    let longest = if vnet { MAX_FRAME_BYTES } else { 2048 };
    let mut memory = vec![0_u8; BATCH * longest];
    // SAFETY: all-zero bytes are valid for both structures.
    let (mut parts, mut messages): ([libc::iovec; BATCH], [libc::mmsghdr; BATCH]) =
        unsafe { (zeroed(), zeroed()) };
    for ((memory, part), message) in memory.chunks_mut(longest).zip(&mut parts).zip(&mut messages) {
        part.iov_base = memory.as_mut_ptr().cast();
        message.msg_hdr.msg_iov = part;
        message.msg_hdr.msg_iovlen = 1;
    }
    loop {
        let mut copied = false;
        for (from, to) in [(sockets[0], sockets[1]), (sockets[1], sockets[0])] {
            parts.iter_mut().for_each(|part| part.iov_len = longest);
            // SAFETY: the messages point to the parts, and the parts to memory with the right
            // lengths. All of these live as long as the loop.
            let count = unsafe {
                libc::recvmmsg(from, messages.as_mut_ptr(), BATCH as u32, libc::MSG_DONTWAIT as _, null_mut())
            };
            let Ok(count) = usize::try_from(count) else { continue };
            copied |= count > 0;
            for (part, message) in parts.iter_mut().zip(&messages).take(count) {
                part.iov_len = message.msg_len as usize;
            }
            let mut sent = 0;
            while sent < count {
                // SAFETY: as above; the rest of the messages is within the array.
                let more =
                    unsafe { libc::sendmmsg(to, messages.as_mut_ptr().add(sent), (count - sent) as u32, 0) };
                // A frame that the kernel refuses is lost.
                sent += usize::try_from(more).unwrap_or(1);
            }
        }
        if !copied {
            let mut waits = sockets.map(|fd| libc::pollfd { fd, events: libc::POLLIN, revents: 0 });
            // SAFETY: the array has two elements.
            unsafe { libc::poll(waits.as_mut_ptr(), 2, -1) };
        }
    }
}

/// Returns a packet socket on an interface, with as much memory as Weir asks for.
fn open(interface: &str, vnet: bool) -> i32 {
    let name = std::ffi::CString::new(interface).expect("a name has no zeros");
    // SAFETY: these calls get pointers to live values with the right sizes, and only read the
    // values.
    unsafe {
        let socket = libc::socket(libc::AF_PACKET, libc::SOCK_RAW, 0);
        let set = |level, option, value: i32| {
            let result = libc::setsockopt(socket, level, option, (&raw const value).cast(), 4);
            assert_eq!(result, 0, "option {option}: {}", std::io::Error::last_os_error());
        };
        set(libc::SOL_PACKET, libc::PACKET_IGNORE_OUTGOING, 1);
        set(libc::SOL_PACKET, libc::PACKET_VNET_HDR, i32::from(vnet));
        set(libc::SOL_SOCKET, libc::SO_RCVBUF, 8 << 20);
        set(libc::SOL_SOCKET, libc::SO_SNDBUF, 8 << 20);
        let mut address: libc::sockaddr_ll = zeroed();
        address.sll_family = libc::AF_PACKET as u16;
        address.sll_protocol = (libc::ETH_P_ALL as u16).to_be();
        address.sll_ifindex = libc::if_nametoindex(name.as_ptr()) as i32;
        let result = libc::bind(socket, (&raw const address).cast(), size_of_val(&address) as u32);
        assert_eq!(result, 0, "{interface}: {}", std::io::Error::last_os_error());
        socket
    }
}

/// Stops a process or lets it continue.
pub fn set_running(process: u32, runs: bool) {
    let signal = if runs { libc::SIGCONT } else { libc::SIGSTOP };
    // SAFETY: the call takes no pointers.
    let result = unsafe { libc::kill(process as i32, signal) };
    assert_eq!(result, 0, "{}", std::io::Error::last_os_error());
}
