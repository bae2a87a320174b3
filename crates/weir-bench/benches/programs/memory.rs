//! Counts allocated memory.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

static ALLOCATED: AtomicUsize = AtomicUsize::new(0);
static FREED: AtomicUsize = AtomicUsize::new(0);

/// The system's allocator, counting the bytes that are allocated.
pub struct Counting;

/// Returns the total numbers of bytes that have been allocated and freed.
pub fn counted() -> (usize, usize) {
    (ALLOCATED.load(Relaxed), FREED.load(Relaxed))
}

#[expect(unsafe_code, reason = "an allocator is unsafe by its interface")]
// SAFETY: every call is passed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATED.fetch_add(layout.size(), Relaxed);
        // SAFETY: the caller upholds the contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        ALLOCATED.fetch_add(layout.size(), Relaxed);
        // SAFETY: the caller upholds the contract. Zeroed pages come from the kernel untouched.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        FREED.fetch_add(layout.size(), Relaxed);
        // SAFETY: the caller upholds the contract.
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATED.fetch_add(size, Relaxed);
        FREED.fetch_add(layout.size(), Relaxed);
        // SAFETY: the caller upholds the contract.
        unsafe { System.realloc(memory, layout, size) }
    }
}
