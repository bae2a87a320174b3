//! Receives or sends many frames with one system call.

use std::io;
use std::mem::{MaybeUninit, size_of, zeroed};
use std::os::fd::{AsRawFd, BorrowedFd};
use std::ptr::null_mut;

use crate::vnet::{VNET_BYTES, VnetHeader};

/// The size of the memory for the control messages of one frame, which are auxiliary data and a
/// timestamp, in bytes.
const CONTROL_BYTES: usize = 96;

/// Memory that the kernel fills with frames.
#[derive(Debug)]
pub(crate) struct Inbox {
    memory: Box<[u8]>,
    stride: usize,
    headroom: usize,
    received: Vec<Message>,
}

/// The data that the kernel returned with a frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Message {
    pub vnet: VnetHeader,
    /// The frame's length in bytes. If the frame was too long, the memory holds fewer bytes.
    pub length: usize,
    /// The bytes of control messages.
    control: [u8; CONTROL_BYTES],
    control_length: usize,
}

impl Inbox {
    /// Allocates memory for `frames` frames of up to `longest` bytes, with headroom.
    pub(crate) fn new(frames: usize, headroom: usize, longest: usize) -> Self {
        // An odd number of cache lines: otherwise, all frames would start in the same sets of the
        // processor's cache.
        let stride = ((headroom + longest).div_ceil(64) | 1) * 64;
        let memory = vec![0; frames * stride].into_boxed_slice();
        let empty = Message {
            vnet: VnetHeader::default(),
            length: 0,
            control: [0; CONTROL_BYTES],
            control_length: 0,
        };
        Self { memory, stride, headroom, received: vec![empty; frames] }
    }

    /// Receives up to `limit` frames, each after a virtio-net header, into the slots starting at
    /// `first`. Returns how many were received.
    pub(crate) fn receive(
        &mut self,
        socket: BorrowedFd<'_>,
        first: usize,
        limit: usize,
    ) -> io::Result<usize> {
        let count = limit.min(self.received.len().saturating_sub(first)).min(MAX_MESSAGES);
        let (mut parts, mut messages) = (NO_PARTS, NO_MESSAGES);
        let mut headers = [[0_u8; VNET_BYTES]; MAX_MESSAGES];
        let slots = self.memory.chunks_exact_mut(self.stride).zip(&mut self.received).skip(first);
        for ((((memory, received), header), parts), message) in
            slots.zip(&mut headers).zip(&mut parts).zip(&mut messages).take(count)
        {
            let frame = &mut memory[self.headroom..];
            let message =
                message.write(message_of(parts, header.as_mut_ptr(), (frame.as_mut_ptr(), frame.len())));
            message.msg_hdr.msg_control = received.control.as_mut_ptr().cast();
            message.msg_hdr.msg_controllen = CONTROL_BYTES as _;
        }
        let (descriptor, flags) = (socket.as_raw_fd(), libc::MSG_DONTWAIT | libc::MSG_TRUNC);
        // SAFETY: the first `count` messages point to live memory with the lengths they say: a
        // header, a slot of `memory`, and a slot's control bytes. All of it is borrowed mutably
        // until the function returns, and no two messages share any.
        let received = unsafe {
            libc::recvmmsg(descriptor, messages.as_mut_ptr().cast(), count as u32, flags as _, null_mut())
        };
        if received < 0 {
            return Err(io::Error::last_os_error());
        }
        let received = (received as usize).min(count);
        let slots = &mut self.received[first..];
        for ((message, header), slot) in messages.iter().zip(&headers).zip(slots).take(received) {
            // SAFETY: the first `count` messages were written above, and `received` is not more.
            let message = unsafe { message.assume_init_ref() };
            slot.vnet = VnetHeader::read(header);
            slot.length = (message.msg_len as usize).saturating_sub(VNET_BYTES);
            slot.control_length = message.msg_hdr.msg_controllen as _;
        }
        Ok(received)
    }

    /// Returns the memory of each frame, its message, and where the frame begins.
    pub(crate) fn slots(&mut self) -> impl Iterator<Item = (&mut [u8], &Message, usize)> {
        let headroom = self.headroom;
        self.memory
            .chunks_exact_mut(self.stride)
            .zip(&self.received)
            .map(move |(memory, message)| (memory, message, headroom))
    }
}

impl Message {
    /// Returns the contents of the control message of this level and type, if there is one.
    pub(crate) fn control(&self, level: i32, kind: i32) -> Option<&[u8]> {
        /// The length of a control message's header.
        const HEADER: usize = size_of::<libc::cmsghdr>();
        let mut rest = self.control.get(..self.control_length)?;
        while rest.len() >= HEADER {
            let word = |at: usize| i32::from_ne_bytes([rest[at], rest[at + 1], rest[at + 2], rest[at + 3]]);
            let length = usize::from_ne_bytes(rest[..size_of::<usize>()].try_into().ok()?);
            let contents = rest.get(HEADER..length)?;
            if (word(size_of::<usize>()), word(size_of::<usize>() + 4)) == (level, kind) {
                return Some(contents);
            }
            rest = rest.get(length.next_multiple_of(size_of::<usize>())..)?;
        }
        None
    }
}

/// Sends frames, each after its virtio-net header, up to the first that fails. Returns how many
/// were sent, and an error only if none was.
pub(crate) fn send<'f>(
    socket: BorrowedFd<'_>,
    headers: &[[u8; VNET_BYTES]],
    frames: impl Iterator<Item = &'f [u8]>,
) -> io::Result<usize> {
    let (mut parts, mut messages) = (NO_PARTS, NO_MESSAGES);
    let mut count = 0;
    for (((frame, header), parts), message) in frames.zip(headers).zip(&mut parts).zip(&mut messages) {
        let frame = (frame.as_ptr().cast_mut(), frame.len());
        message.write(message_of(parts, header.as_ptr().cast_mut(), frame));
        count += 1;
    }
    let (descriptor, flags) = (socket.as_raw_fd(), libc::MSG_DONTWAIT);
    // SAFETY: the first `count` messages point to headers and frames that are borrowed until the
    // function returns, with their lengths. The kernel only reads them.
    let sent = unsafe { libc::sendmmsg(descriptor, messages.as_mut_ptr().cast(), count, flags as _) };
    if sent < 0 { Err(io::Error::last_os_error()) } else { Ok(sent as usize) }
}

/// The maximum number of frames in one system call.
const MAX_MESSAGES: usize = 64;

/// Uninitialized messages and their parts. They are not cleared, because that would take as long as
/// receiving a frame.
const NO_MESSAGES: [MaybeUninit<libc::mmsghdr>; MAX_MESSAGES] =
    [const { MaybeUninit::uninit() }; MAX_MESSAGES];
const NO_PARTS: [MaybeUninit<[libc::iovec; 2]>; MAX_MESSAGES] =
    [const { MaybeUninit::uninit() }; MAX_MESSAGES];

/// Returns a message of a virtio-net header and a frame, with their addresses. The parts must not
/// move.
fn message_of(
    parts: &mut MaybeUninit<[libc::iovec; 2]>,
    header: *mut u8,
    (frame, length): (*mut u8, usize),
) -> libc::mmsghdr {
    let parts = parts.write([
        libc::iovec { iov_base: header.cast(), iov_len: VNET_BYTES },
        libc::iovec { iov_base: frame.cast(), iov_len: length },
    ]);
    // SAFETY: all-zero bytes are a valid message.
    let mut message: libc::mmsghdr = unsafe { zeroed() };
    message.msg_hdr.msg_iov = parts.as_mut_ptr();
    message.msg_hdr.msg_iovlen = 2;
    message
}
