//! AF_XDP sockets that receive, and the program that passes the frames of an interface to them.

use std::io;
use std::mem::size_of;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::sync::atomic::Ordering;

use super::bpf::{self, Attachment, Kind, address_of, call, exit, load, set};
use super::checked;
use super::mapping::Mapping;
use super::xdp_ring::{Ring, RingKind, bind, numbers, open, request_ring};

/// The size of the memory for a frame in bytes, a power of two.
const CHUNK: usize = 4096;
/// The number of places for frames that arrive, a power of two.
const FRAMES: usize = 512;
/// The bytes that the kernel leaves free in front of a frame.
const HEADROOM_BYTES: usize = 256;

/// The socket that receives from a queue of an interface.
#[derive(Debug)]
pub(crate) struct XdpReceiver {
    /// The rings and the memory belong to the socket, so the socket is closed after them.
    received: Ring,
    free: Ring,
    memory: Mapping,
    lent: Vec<Place>,
    theirs: Chunks,
    socket: OwnedFd,
}

/// The place of a frame in the memory.
#[derive(Clone, Copy, Debug)]
struct Place {
    chunk: usize,
    start: usize,
    end: usize,
}

/// A set of the places that the kernel owns, with one bit for each place.
#[derive(Debug, Default)]
struct Chunks([u64; FRAMES / 64]);

impl Chunks {
    fn add(&mut self, chunk: usize) {
        self.0[chunk / 64] |= 1 << (chunk % 64);
    }

    /// Takes a place back from the kernel; returns whether the kernel owned it.
    #[inline]
    fn remove(&mut self, chunk: usize) -> bool {
        let Some(word) = self.0.get_mut(chunk / 64) else { return false };
        let bit = 1 << (chunk % 64);
        let had = *word & bit != 0;
        *word &= !bit;
        had
    }
}

impl XdpReceiver {
    /// The longest frame that fits, in bytes.
    pub(crate) const MAX_FRAME_BYTES: usize = CHUNK - HEADROOM_BYTES;

    /// Opens a socket for a queue of an interface. The socket gets frames once a program is
    /// attached for it.
    pub(crate) fn open(index: u32, queue: u32) -> io::Result<Self> {
        let (socket, memory) = open(CHUNK, FRAMES)?;
        let free = Ring::new::<u64>(&socket, RingKind::Free, FRAMES)?;
        // A ring for sending must also exist.
        request_ring(&socket, RingKind::Completed, FRAMES)?;
        let received = Ring::new::<libc::xdp_desc>(&socket, RingKind::Received, FRAMES)?;
        bind(&socket, index, queue)?;
        let all = (0..FRAMES).map(|chunk| Place { chunk, start: 0, end: 0 }).collect();
        let mut receiver = Self { received, free, memory, lent: all, theirs: Chunks::default(), socket };
        receiver.give_back();
        Ok(receiver)
    }

    /// Gives back the lent frames, then lends up to `limit` new ones, and returns their number.
    pub(crate) fn take_frames(&mut self, limit: usize) -> usize {
        self.give_back();
        let Self { received, lent, theirs, .. } = self;
        received.take_entries(limit, |descriptor: libc::xdp_desc| {
            let (chunk, start) = (descriptor.addr as usize / CHUNK, descriptor.addr as usize % CHUNK);
            let end = (start + descriptor.len as usize).min(CHUNK);
            let is_theirs = theirs.remove(chunk);
            debug_assert!(is_theirs, "the kernel gives back only places that it got");
            if is_theirs {
                lent.push(Place { chunk, start, end });
            }
        });
        lent.len()
    }

    fn give_back(&mut self) {
        let Self { free, lent, theirs, .. } = self;
        if lent.is_empty() {
            return;
        }
        let begin = free.producer().load(Ordering::Relaxed);
        for (number, place) in lent.drain(..).enumerate() {
            theirs.add(place.chunk);
            let entry = free.entry::<u64>(begin.wrapping_add(number as u32));
            // SAFETY: the entry is inside the ring and aligned. There are as many entries as
            // places, and each place is either lent or with the kernel, so this entry is free.
            unsafe { entry.write((place.chunk * CHUNK) as u64) };
            free.producer().store(begin.wrapping_add(number as u32 + 1), Ordering::Release);
        }
    }

    /// Returns the frames that are lent: memory, start, end.
    pub(crate) fn frames(&mut self) -> impl Iterator<Item = (&mut [u8], usize, usize)> {
        let Self { memory, lent, .. } = self;
        let memory = &*memory;
        lent.iter().map(move |place| {
            let pointer = memory.address_of(place.chunk * CHUNK, CHUNK);
            // SAFETY: the place is inside the mapping, was zero at first, and nobody else uses it:
            // the kernel gave it with this frame, waits until it gets it back, which needs the
            // receiver exclusively, places do not overlap, and `take` lends none twice.
            let memory = unsafe { std::slice::from_raw_parts_mut(pointer, CHUNK) };
            (memory, place.start, place.end)
        })
    }

    /// Returns the number of frames so far for which there was no free memory, or that were too
    /// long.
    pub(crate) fn missed(&self) -> io::Result<u64> {
        // The kernel's counts: dropped frames, two counts of wrong descriptors, and, since Linux
        // 5.9, full rings.
        let (counts, _) = numbers::<6>(&self.socket, libc::XDP_STATISTICS)?;
        Ok(counts[0] + counts[3])
    }

    /// Clears the socket's pending error, for example that the interface is gone.
    pub(crate) fn clear_error(&self) -> io::Result<()> {
        let (mut error, mut length): (libc::c_int, _) = (0, size_of::<libc::c_int>() as u32);
        let (option, pointer) = (libc::SO_ERROR, (&raw mut error).cast());
        let descriptor = self.socket.as_raw_fd();
        // SAFETY: the kernel writes at most `length` bytes, which is the size of the value.
        checked(unsafe { libc::getsockopt(descriptor, libc::SOL_SOCKET, option, pointer, &raw mut length) })?;
        Ok(())
    }
}

impl AsFd for XdpReceiver {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

/// A program on an interface. It is detached when this value is dropped or the process ends.
#[derive(Debug)]
pub(crate) struct AttachedProgram {
    _link: OwnedFd,
}

impl AttachedProgram {
    /// Passes the frames of an interface to the sockets of its queues, by number.
    pub(crate) fn new(index: u32, sockets: &[XdpReceiver], attachment: Attachment) -> io::Result<Self> {
        let sockets: Vec<&OwnedFd> = sockets.iter().map(|receiver| &receiver.socket).collect();
        let map = bpf::socket_map(&sockets)?;
        let [first, second] = address_of(1, &map);
        // The number of the queue is at byte 16. A frame of another queue goes to the kernel.
        let instructions = [load(2, 1, 16), first, second, set(3, PASS), call(REDIRECT_MAP), exit()];
        let program = bpf::program(Kind::Xdp, &instructions)?;
        Ok(Self { _link: bpf::attach(&program, index, attachment)? })
    }
}

/// The function that gives a frame to a socket of a map.
const REDIRECT_MAP: i32 = 51;
/// The result for frames that the kernel should get (`XDP_PASS`).
const PASS: i32 = 2;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_lent_once_and_only_if_there_is_one() {
        let mut theirs = Chunks::default();
        for chunk in 0..FRAMES {
            assert!(!theirs.remove(chunk), "{chunk}");
            theirs.add(chunk);
            assert!(theirs.remove(chunk) && !theirs.remove(chunk), "{chunk}");
        }
        (0..FRAMES).for_each(|chunk| theirs.add(chunk));
        assert!(!theirs.remove(FRAMES) && !theirs.remove(usize::MAX / CHUNK));
        assert!((0..FRAMES).all(|chunk| theirs.remove(chunk)));
    }
}
