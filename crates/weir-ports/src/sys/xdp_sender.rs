//! AF_XDP sockets that send frames from memory that the kernel shares: many frames with one system
//! call, which copies no messages.
//!
//! The sockets are in copy mode: the kernel makes packets from the frames inside `sendto`, on the
//! caller's thread, and does not look at the ring at any other time. No BPF program is needed to
//! send.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::ptr::null;
use std::sync::atomic::Ordering;

use super::mapping::Mapping;
use super::xdp_ring::{Ring, RingKind, bind, open, request_ring};

/// The size of the memory for a frame in bytes, a power of two.
const CHUNK: usize = 2048;
/// The number of frames that the ring holds, a power of two.
const FRAMES: usize = 64;
/// The number of times that the kernel is called again for frames that it left in the ring.
const ATTEMPTS: usize = 16;

/// The sending half of an AF_XDP socket.
#[derive(Debug)]
pub(crate) struct XdpSender {
    /// The rings and the memory belong to the socket, so the socket is closed after them.
    sending: Ring,
    completed: Ring,
    memory: Mapping,
    /// The free places for frames, by number.
    free: Vec<u32>,
    socket: OwnedFd,
}

impl XdpSender {
    /// The longest frame. Older kernels refuse a full chunk.
    pub(crate) const MAX_FRAME_BYTES: usize = CHUNK - 1;

    /// Opens a socket that sends through a queue of an interface.
    pub(crate) fn open(index: u32, queue: u32) -> io::Result<Self> {
        let (socket, memory) = open(CHUNK, FRAMES)?;
        // A ring for receiving must also exist.
        request_ring(&socket, RingKind::Free, FRAMES)?;
        let completed = Ring::new::<u64>(&socket, RingKind::Completed, FRAMES)?;
        let sending = Ring::new::<libc::xdp_desc>(&socket, RingKind::Sending, FRAMES)?;
        bind(&socket, index, queue)?;
        let free = (0..FRAMES as u32).collect();
        Ok(Self { sending, completed, memory, free, socket })
    }

    /// Sends frames of at most [`XdpSender::MAX_FRAME_BYTES`] bytes until there is no free place.
    /// Returns how many frames were taken, and an error only if none was. Frames that the kernel
    /// leaves in the ring are sent by a later call.
    ///
    /// # Panics
    /// A frame is too long, or there are more than 64.
    pub(crate) fn send<'f>(&mut self, frames: impl Iterator<Item = &'f [u8]>) -> io::Result<usize> {
        self.reclaim();
        let begin = self.sending.producer().load(Ordering::Relaxed);
        // If the ring is empty, the kernel has no frames in its cache, and reads the producer
        // again.
        let was_empty = self.sending.consumer().load(Ordering::Acquire) == begin;
        let mut count = 0;
        for frame in frames {
            let Some(place) = self.free.pop() else { break };
            let to = self.memory.address_of(place as usize * CHUNK, CHUNK);
            assert!(frame.len() <= CHUNK && (count as usize) < FRAMES, "a frame of {} bytes", frame.len());
            // SAFETY: the place has room, nobody refers to it, and the kernel has given it back.
            unsafe { std::ptr::copy_nonoverlapping(frame.as_ptr(), to, frame.len()) };
            let addr = u64::from(place) * CHUNK as u64;
            let descriptor = libc::xdp_desc { addr, len: frame.len() as u32, options: 0 };
            let entry = self.sending.entry::<libc::xdp_desc>(begin.wrapping_add(count));
            // SAFETY: the entry is inside the ring, aligned, and the kernel reads it only after the
            // producer has passed it.
            unsafe { entry.write(descriptor) };
            count += 1;
        }
        let end = begin.wrapping_add(count);
        self.sending.producer().store(end, Ordering::Release);
        let mut error = None;
        for attempt in 0..ATTEMPTS {
            if self.sending.consumer().load(Ordering::Acquire) == end {
                break;
            }
            // SAFETY: the call gets no memory.
            let sent =
                unsafe { libc::sendto(self.socket.as_raw_fd(), null(), 0, libc::MSG_DONTWAIT, null(), 0) };
            if sent < 0 {
                let new = io::Error::last_os_error();
                // The kernel sent a part, or has no memory until some of the sent frames have
                // arrived.
                let continues = matches!(new.raw_os_error(), Some(libc::EAGAIN | libc::EBUSY | libc::EINTR));
                let is_refused = matches!(new.raw_os_error(), Some(libc::ENETDOWN | libc::ENXIO));
                if is_refused && attempt == 0 && was_empty {
                    // The kernel returns these errors before it reads the ring.
                    self.take_back(begin, count);
                    return Err(new);
                }
                error = Some(new);
                if !continues {
                    break;
                }
                self.reclaim();
            }
        }
        // The frames in the ring stay there: the kernel reads the producer only after it has sent
        // all frames that it knows, and publishes its progress late.
        match (count, error) {
            (0, Some(error)) if error.raw_os_error() != Some(libc::ENOMEM) => Err(error),
            (0, _) => Err(io::Error::from_raw_os_error(libc::EAGAIN)),
            (count, _) => Ok(count as usize),
        }
    }

    /// Takes back frames that the kernel has not seen.
    fn take_back(&mut self, begin: u32, count: u32) {
        for number in 0..count {
            let entry = self.sending.entry::<libc::xdp_desc>(begin.wrapping_add(number));
            // SAFETY: `send` has written the entry before.
            let place = unsafe { entry.read() }.addr as usize / CHUNK;
            self.free.push(place as u32);
        }
        self.sending.producer().store(begin, Ordering::Release);
    }

    /// Takes back the places of frames that have left.
    fn reclaim(&mut self) {
        let Self { completed, free, .. } = self;
        completed.take_entries(FRAMES, |address: u64| {
            let place = address as usize / CHUNK;
            debug_assert!(place < FRAMES, "the kernel gives back only places that it got");
            free.push((place % FRAMES) as u32);
        });
    }
}
