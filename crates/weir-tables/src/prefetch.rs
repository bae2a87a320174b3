//! Asking the processor to fetch a cache line ahead of its use.

use std::sync::atomic::AtomicU64;

/// Starts to bring the cache line of `word` near. Does nothing on processors that we know no instruction of.
#[inline(always)]
#[allow(
    unsafe_code,
    reason = "a hint about the address of a living reference: no effect on what a program means"
)]
pub(crate) fn prefetch(word: &AtomicU64) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: SSE is part of x86-64, and a prefetch reads nothing that the program could see, whatever the address.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(word).cast());
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: as above; `prfm` never faults.
    unsafe {
        std::arch::asm!("prfm pldl1keep, [{}]", in(reg) std::ptr::from_ref(word), options(nostack, preserves_flags, readonly));
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    let _ = word;
}
