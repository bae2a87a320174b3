//! Memory that this process shares with the kernel.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, RawFd};
use std::ptr::{NonNull, null_mut};

/// A mapping of a descriptor's memory. It is unmapped when this value is dropped.
#[derive(Debug)]
pub(super) struct Mapping {
    start: NonNull<u8>,
    length: usize,
}

// SAFETY: a mapping belongs to the process, not to a thread, and this value is its only owner.
unsafe impl Send for Mapping {}

impl Mapping {
    /// Maps `length` bytes of the descriptor's memory or file from `offset` on, for reading and
    /// writing.
    pub(super) fn new(descriptor: BorrowedFd<'_>, length: usize, offset: i64) -> io::Result<Self> {
        Self::map(length, libc::MAP_SHARED, descriptor.as_raw_fd(), offset)
    }

    /// Maps memory of this process, at page boundaries.
    pub(super) fn anonymous(length: usize) -> io::Result<Self> {
        Self::map(length, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, -1, 0)
    }

    /// Maps memory of a file or socket, or anonymous memory.
    fn map(length: usize, flags: i32, descriptor: RawFd, offset: i64) -> io::Result<Self> {
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: without an address the kernel chooses one that is free, so no other memory
        // changes.
        let start = unsafe { libc::mmap(null_mut(), length, protection, flags, descriptor, offset) };
        match NonNull::new(start.cast::<u8>()) {
            Some(start) if start.as_ptr().cast() != libc::MAP_FAILED => Ok(Self { start, length }),
            _ => Err(io::Error::last_os_error()),
        }
    }

    /// Returns the address of `bytes` bytes at `offset`.
    ///
    /// # Panics
    /// The bytes are not all inside the mapping.
    #[inline]
    pub(super) fn address_of(&self, offset: usize, bytes: usize) -> *mut u8 {
        let end = offset.checked_add(bytes);
        assert!(end.is_some_and(|end| end <= self.length), "{offset} + {bytes} of {}", self.length);
        // SAFETY: the offset is inside the mapping.
        unsafe { self.start.as_ptr().add(offset) }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: this value owns the mapping. Slices of it borrow its owner, so none is left.
        let result = unsafe { libc::munmap(self.start.as_ptr().cast(), self.length) };
        debug_assert_eq!(result, 0, "a mapping can be unmapped");
    }
}
