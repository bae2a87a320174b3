//! AF_XDP sockets that send: frames in memory that the kernel shares, many of them with one system
//! call that copies no messages.
//!
//! The sockets are in copy mode: the kernel makes packets of the frames inside `sendto`, on the
//! caller's thread, and at no other time looks at the ring. No BPF program is needed to send.

use std::io;
use std::mem::{size_of, size_of_val, zeroed};
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd};
use std::ptr::null;
use std::sync::atomic::{AtomicU32, Ordering};

use super::checked;
use super::mapping::Mapping;

/// Bytes of a frame's place, a power of two.
const CHUNK: usize = 2048;
/// Frames that the ring holds, a power of two.
const FRAMES: usize = 64;
/// How often the kernel is called again for frames that it left in the ring.
const ATTEMPTS: usize = 16;

/// The sending half of an AF_XDP socket.
#[derive(Debug)]
pub(crate) struct XdpSender {
    /// The rings and the memory are the socket's, so it is closed after them.
    sending: Ring,
    completed: Ring,
    memory: Mapping,
    /// Free places for frames, by number.
    free: Vec<u32>,
    socket: OwnedFd,
}

/// A ring of descriptors, of which the kernel is at the other end.
#[derive(Debug)]
struct Ring {
    mapping: Mapping,
    offsets: libc::xdp_ring_offset,
}

impl XdpSender {
    /// The longest frame. Older kernels refuse a full chunk.
    pub(crate) const LONGEST: usize = CHUNK - 1;
    /// How many frames can be sent at once.
    pub(crate) const MOST: usize = FRAMES;

    /// Opens a socket that sends by a queue of an interface.
    pub(crate) fn open(index: u32, queue: u32) -> io::Result<Self> {
        let kind = libc::SOCK_RAW | libc::SOCK_CLOEXEC;
        // SAFETY: the call takes no pointers.
        let descriptor = checked(unsafe { libc::socket(libc::AF_XDP, kind, 0) })?;
        // SAFETY: the descriptor is new, so nobody else owns it.
        let socket = unsafe { OwnedFd::from_raw_fd(descriptor) };
        let memory = Mapping::anonymous(FRAMES * CHUNK)?;
        let registration = libc::xdp_umem_reg {
            addr: memory.at(0, FRAMES * CHUNK).expose_provenance() as u64,
            len: (FRAMES * CHUNK) as u64,
            chunk_size: CHUNK as u32,
            headroom: 0,
            flags: 0,
            tx_metadata_len: 0,
        };
        // The kernel keeps the pages of the memory until the socket is closed, even if they are
        // unmapped before.
        set(&socket, libc::XDP_UMEM_REG, &registration)?;
        // A ring for receiving must exist, too.
        for ring in [libc::XDP_UMEM_FILL_RING, libc::XDP_UMEM_COMPLETION_RING, libc::XDP_TX_RING] {
            set(&socket, ring, &(FRAMES as libc::c_int))?;
        }
        let offsets = offsets(&socket)?;
        let map = |offsets: libc::xdp_ring_offset, entry: usize, place: i64| {
            let mapping = Mapping::new(socket.as_fd(), offsets.desc as usize + FRAMES * entry, place)?;
            io::Result::Ok(Ring { mapping, offsets })
        };
        let sending = map(offsets.tx, size_of::<libc::xdp_desc>(), libc::XDP_PGOFF_TX_RING)?;
        let completed = map(offsets.cr, size_of::<u64>(), libc::XDP_UMEM_PGOFF_COMPLETION_RING as i64)?;
        // SAFETY: all-zero bytes are a valid `sockaddr_xdp`.
        let mut address: libc::sockaddr_xdp = unsafe { zeroed() };
        address.sxdp_family = libc::AF_XDP as u16;
        address.sxdp_flags = libc::XDP_COPY;
        (address.sxdp_ifindex, address.sxdp_queue_id) = (index, queue);
        let (pointer, length) = ((&raw const address).cast(), size_of_val(&address) as u32);
        // SAFETY: pointer and length are those of a live value, which the kernel reads only.
        checked(unsafe { libc::bind(socket.as_raw_fd(), pointer, length) })?;
        let free = (0..FRAMES as u32).collect();
        Ok(Self { sending, completed, memory, free, socket })
    }

    /// Sends frames, none of which is longer than [`XdpSender::LONGEST`], up to the first for which
    /// there is no place now. Returns how many it took, and an error only if it took none. What the
    /// kernel leaves in the ring leaves with a later call.
    ///
    /// # Panics
    /// A frame is too long, or there are more than [`XdpSender::MOST`].
    pub(crate) fn send<'f>(&mut self, frames: impl Iterator<Item = &'f [u8]>) -> io::Result<usize> {
        self.reclaim();
        let begin = self.sending.producer().load(Ordering::Relaxed);
        // Then the kernel has nothing in its cache, and reads the producer again.
        let was_empty = self.sending.consumer().load(Ordering::Acquire) == begin;
        let mut count = 0;
        for frame in frames {
            let Some(place) = self.free.pop() else { break };
            let to = self.memory.at(place as usize * CHUNK, CHUNK);
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
                // It did a part, or has no memory until some of what it sent has arrived.
                let goes_on = matches!(new.raw_os_error(), Some(libc::EAGAIN | libc::EBUSY | libc::EINTR));
                let is_refused = matches!(new.raw_os_error(), Some(libc::ENETDOWN | libc::ENXIO));
                if is_refused && attempt == 0 && was_empty {
                    // The kernel says so before it looks at the ring.
                    self.take_back(begin, count);
                    return Err(new);
                }
                error = Some(new);
                if !goes_on {
                    break;
                }
                self.reclaim();
            }
        }
        // What is in the ring stays there: the kernel reads the producer only when it has done all that
        // it knows of, and shows late how far it came.
        match (count, error) {
            (0, Some(error)) if error.raw_os_error() != Some(libc::ENOMEM) => Err(error),
            (0, _) => Err(io::Error::from_raw_os_error(libc::EAGAIN)),
            (count, _) => Ok(count as usize),
        }
    }

    /// Takes frames back that the kernel has not seen.
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
        let end = self.completed.producer().load(Ordering::Acquire);
        let mut at = self.completed.consumer().load(Ordering::Relaxed);
        while at != end {
            // SAFETY: the kernel has written the entry before it moved the producer past it.
            let place = unsafe { self.completed.entry::<u64>(at).read() } as usize / CHUNK;
            debug_assert!(place < FRAMES, "the kernel gives places back that it got");
            self.free.push((place % FRAMES) as u32);
            at = at.wrapping_add(1);
        }
        self.completed.consumer().store(at, Ordering::Release);
    }
}

impl Ring {
    fn producer(&self) -> &AtomicU32 {
        self.index(self.offsets.producer)
    }

    fn consumer(&self) -> &AtomicU32 {
        self.index(self.offsets.consumer)
    }

    fn index(&self, offset: u64) -> &AtomicU32 {
        let place = self.mapping.at(offset as usize, size_of::<u32>()).cast();
        // SAFETY: the place is inside the mapping, which lives as long as the ring; the kernel
        // aligns it and uses it as an atomic.
        unsafe { AtomicU32::from_ptr(place) }
    }

    /// The address of an entry, counted from the socket's first.
    fn entry<T>(&self, number: u32) -> *mut T {
        let place = number as usize % FRAMES * size_of::<T>();
        self.mapping.at(self.offsets.desc as usize + place, size_of::<T>()).cast()
    }
}

fn set<T>(socket: &OwnedFd, option: libc::c_int, value: &T) -> io::Result<()> {
    let (pointer, length) = ((&raw const *value).cast(), size_of::<T>() as u32);
    // SAFETY: pointer and length are those of a live value, which the kernel reads only.
    checked(unsafe { libc::setsockopt(socket.as_raw_fd(), libc::SOL_XDP, option, pointer, length) })?;
    Ok(())
}

/// Where the parts of the rings are.
fn offsets(socket: &OwnedFd) -> io::Result<libc::xdp_mmap_offsets> {
    // SAFETY: all-zero bytes are valid offsets.
    let mut offsets: libc::xdp_mmap_offsets = unsafe { zeroed() };
    let mut length = size_of_val(&offsets) as u32;
    let pointer = (&raw mut offsets).cast();
    let (descriptor, option) = (socket.as_raw_fd(), libc::XDP_MMAP_OFFSETS);
    // SAFETY: the kernel writes at most `length` bytes, which is the size of the value.
    checked(unsafe { libc::getsockopt(descriptor, libc::SOL_XDP, option, pointer, &raw mut length) })?;
    Ok(offsets)
}
