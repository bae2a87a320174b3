//! The parts that receiving and sending AF_XDP sockets have in common: the socket with its memory,
//! and its rings.

use std::io;
use std::mem::{size_of, size_of_val, zeroed};
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd};
use std::sync::atomic::{AtomicU32, Ordering};

use super::checked;
use super::mapping::Mapping;

/// Opens a socket, which is not bound yet, with `frames` places of `chunk` bytes for frames.
pub(super) fn open(chunk: usize, frames: usize) -> io::Result<(OwnedFd, Mapping)> {
    let kind = libc::SOCK_RAW | libc::SOCK_CLOEXEC;
    // SAFETY: the call takes no pointers.
    let descriptor = checked(unsafe { libc::socket(libc::AF_XDP, kind, 0) })?;
    // SAFETY: the descriptor is new, so nobody else owns it.
    let socket = unsafe { OwnedFd::from_raw_fd(descriptor) };
    let memory = Mapping::anonymous(frames * chunk)?;
    let registration = libc::xdp_umem_reg {
        addr: memory.address_of(0, frames * chunk).expose_provenance() as u64,
        len: (frames * chunk) as u64,
        chunk_size: chunk as u32,
        headroom: 0,
        flags: 0,
        tx_metadata_len: 0,
    };
    // The kernel keeps the pages of the memory until the socket is closed, even if they are
    // unmapped before.
    set(&socket, libc::XDP_UMEM_REG, &registration)?;
    Ok((socket, memory))
}

/// Binds a socket to a queue of an interface. Frames are copied between its memory and packets of
/// the kernel, with any driver.
pub(super) fn bind(socket: &OwnedFd, index: u32, queue: u32) -> io::Result<()> {
    // SAFETY: all-zero bytes are a valid `sockaddr_xdp`.
    let mut address: libc::sockaddr_xdp = unsafe { zeroed() };
    address.sxdp_family = libc::AF_XDP as u16;
    address.sxdp_flags = libc::XDP_COPY;
    (address.sxdp_ifindex, address.sxdp_queue_id) = (index, queue);
    let (pointer, length) = ((&raw const address).cast(), size_of_val(&address) as u32);
    // SAFETY: pointer and length are those of a live value, which the kernel reads only.
    checked(unsafe { libc::bind(socket.as_raw_fd(), pointer, length) })?;
    Ok(())
}

/// The purpose of a ring of an AF_XDP socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RingKind {
    /// Frames that have arrived.
    Received,
    /// Frames to send.
    Sending,
    /// Places for frames that arrive.
    Free,
    /// Places of frames that have left.
    Completed,
}

/// An entry of a ring.
///
/// # Safety
/// Any bytes are a valid value, and eight bytes are enough for its alignment.
pub(super) unsafe trait Entry: Copy {}

// SAFETY: the types are integers, or consist of integers.
unsafe impl Entry for u64 {}
// SAFETY: as above.
unsafe impl Entry for libc::xdp_desc {}

/// A ring of descriptors, with the kernel at the other end.
#[derive(Debug)]
pub(super) struct Ring {
    mapping: Mapping,
    /// The offsets of the indices and the entries in the mapping.
    producer: usize,
    consumer: usize,
    entries: usize,
    /// The number of entries there that are, a power of two.
    size: usize,
}

impl Ring {
    /// Gives a socket a ring of `size` entries of type `T`, a power of two.
    pub(super) fn new<T: Entry>(socket: &OwnedFd, which: RingKind, size: usize) -> io::Result<Self> {
        request_ring(socket, which, size)?;
        let places @ [producer, consumer, entries] = places(socket, which)?;
        if places.iter().any(|place| place % 8 != 0) {
            return Err(io::ErrorKind::Unsupported.into());
        }
        let place = match which {
            RingKind::Received => libc::XDP_PGOFF_RX_RING,
            RingKind::Sending => libc::XDP_PGOFF_TX_RING,
            RingKind::Free => libc::XDP_UMEM_PGOFF_FILL_RING as i64,
            RingKind::Completed => libc::XDP_UMEM_PGOFF_COMPLETION_RING as i64,
        };
        let mapping = Mapping::new(socket.as_fd(), entries + size * size_of::<T>(), place)?;
        Ok(Self { mapping, producer, consumer, entries, size })
    }

    /// Returns the producer's index, which counts the entries that were added.
    #[inline]
    pub(super) fn producer(&self) -> &AtomicU32 {
        self.index(self.producer)
    }

    /// Returns the consumer's index, which counts the entries that were removed.
    #[inline]
    pub(super) fn consumer(&self) -> &AtomicU32 {
        self.index(self.consumer)
    }

    /// Returns an index of the ring, which the kernel changes too.
    #[inline]
    fn index(&self, offset: usize) -> &AtomicU32 {
        let place = self.mapping.address_of(offset, size_of::<u32>()).cast();
        // SAFETY: the place is inside the mapping, which lives as long as the ring; `new` has
        // looked at its alignment, and the kernel uses it as an atomic.
        unsafe { AtomicU32::from_ptr(place) }
    }

    /// Returns the address of an entry. Entries are numbered from the first one that the socket
    /// ever used.
    #[inline]
    pub(super) fn entry<T: Entry>(&self, number: u32) -> *mut T {
        let place = number as usize % self.size * size_of::<T>();
        self.mapping.address_of(self.entries + place, size_of::<T>()).cast()
    }

    /// Takes the entries that the kernel has added, up to `limit`.
    #[inline]
    pub(super) fn take_entries<T: Entry>(&self, limit: usize, mut each: impl FnMut(T)) -> usize {
        let begin = self.consumer().load(Ordering::Relaxed);
        let ready = self.producer().load(Ordering::Acquire).wrapping_sub(begin);
        let count = ready.min(limit.min(self.size) as u32);
        for number in 0..count {
            // SAFETY: the entry is inside the ring, aligned, any bytes are valid, and the kernel
            // has written it before it moved the producer past it.
            each(unsafe { self.entry::<T>(begin.wrapping_add(number)).read() });
        }
        if count > 0 {
            self.consumer().store(begin.wrapping_add(count), Ordering::Release);
        }
        count as usize
    }
}

/// Requests a ring, which need not be mapped.
pub(super) fn request_ring(socket: &OwnedFd, which: RingKind, size: usize) -> io::Result<()> {
    let option = match which {
        RingKind::Received => libc::XDP_RX_RING,
        RingKind::Sending => libc::XDP_TX_RING,
        RingKind::Free => libc::XDP_UMEM_FILL_RING,
        RingKind::Completed => libc::XDP_UMEM_COMPLETION_RING,
    };
    set(socket, option, &(size as libc::c_int))
}

/// Sets an option of an AF_XDP socket.
fn set<T>(socket: &OwnedFd, option: libc::c_int, value: &T) -> io::Result<()> {
    let (pointer, length) = ((&raw const *value).cast(), size_of::<T>() as u32);
    // SAFETY: pointer and length are those of a live value, which the kernel reads only.
    checked(unsafe { libc::setsockopt(socket.as_raw_fd(), libc::SOL_XDP, option, pointer, length) })?;
    Ok(())
}

/// Reads numbers about a socket from the kernel, and returns how many the kernel provides.
pub(super) fn numbers<const N: usize>(
    socket: &OwnedFd,
    option: libc::c_int,
) -> io::Result<([u64; N], usize)> {
    let mut numbers = [0_u64; N];
    let mut length = size_of_val(&numbers) as u32;
    let pointer = numbers.as_mut_ptr().cast();
    // SAFETY: the kernel writes at most `length` bytes, which is the size of the value.
    checked(unsafe {
        libc::getsockopt(socket.as_raw_fd(), libc::SOL_XDP, option, pointer, &raw mut length)
    })?;
    Ok((numbers, length as usize / size_of::<u64>()))
}

/// Returns the offsets of a ring's producer index, consumer index and entries.
fn places(socket: &OwnedFd, which: RingKind) -> io::Result<[usize; 3]> {
    let (offsets, count) = numbers::<16>(socket, libc::XDP_MMAP_OFFSETS)?;
    // Kernels before 5.4 do not report the place of each ring's flags.
    let field_count = match count {
        16.. => 4,
        12 => 3,
        _ => return Err(io::ErrorKind::Unsupported.into()),
    };
    let first = field_count
        * match which {
            RingKind::Received => 0,
            RingKind::Sending => 1,
            RingKind::Free => 2,
            RingKind::Completed => 3,
        };
    Ok([offsets[first] as usize, offsets[first + 1] as usize, offsets[first + 2] as usize])
}
