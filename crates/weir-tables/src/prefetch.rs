//! Asking the processor to fetch memory ahead of its use.

use std::sync::atomic::AtomicU64;

/// Bytes of a cache line.
const LINE: usize = 64;

/// Starts to bring the cache line of `word` near. Does nothing on processors that we know no instruction of.
#[inline(always)]
pub(crate) fn prefetch(word: &AtomicU64) {
    line(std::ptr::from_ref(word).cast());
}

/// Starts to bring a value near, all lines of a cache that it lies in: of a long one its first `most` bytes. Nobody waits for it. Does nothing on processors that
/// we know no instruction of.
#[inline(always)]
pub fn bring<T: ?Sized>(value: &T, most: usize) {
    let address = std::ptr::from_ref(value).cast::<u8>();
    let bytes = size_of_val(value).min(most);
    let before = address.addr() % LINE;
    for at in (0..before + bytes).step_by(LINE) {
        line(address.wrapping_sub(before).wrapping_add(at));
    }
}

#[inline(always)]
#[allow(unsafe_code, reason = "a hint about an address: no effect on what a program means")]
fn line(address: *const u8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: SSE is part of x86-64, and a prefetch reads nothing that the program could see, whatever the address.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(address.cast());
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: as above; `prfm` never faults.
    unsafe {
        std::arch::asm!("prfm pldl1keep, [{}]", in(reg) address, options(nostack, preserves_flags, readonly));
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    let _ = address;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anything_may_be_brought_near() {
        bring(&(), 100);
        bring("", 100);
        bring(&[7_u8; 1000], 0);
        bring(&[7_u8; 1000][3..], usize::MAX);
    }
}
