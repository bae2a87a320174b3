//! Prefetching: asks the processor to load memory into its cache before it is read. Prefetching is
//! a hint that does not change results. It has an effect only on x86-64 and 64-bit Arm.

/// The size of a cache line in bytes.
const LINE: usize = 64;

/// Prefetches all cache lines of a value, or of its first `max_bytes` bytes if it is longer.
#[inline(always)]
pub fn prefetch<T: ?Sized>(value: &T, max_bytes: usize) {
    let address = std::ptr::from_ref(value).cast::<u8>();
    let bytes = size_of_val(value).min(max_bytes);
    let offset = address.addr() % LINE;
    for at in (0..offset + bytes).step_by(LINE) {
        prefetch_line(address.wrapping_sub(offset).wrapping_add(at));
    }
}

/// Prefetches the cache line in which a value begins.
#[inline(always)]
pub fn prefetch_start<T>(value: &T) {
    prefetch_line(std::ptr::from_ref(value).cast());
}

/// Prefetches the cache line of an address, which need not be valid.
#[inline(always)]
#[allow(
    unsafe_code,
    reason = "the prefetch instructions are only available as unsafe intrinsics and assembly"
)]
fn prefetch_line(address: *const u8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the intrinsic needs SSE, which every x86-64 processor has. The instruction accepts
    // any address, valid or not: it never faults and neither reads nor writes memory that a program
    // could observe.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(address.cast());
    }
    #[cfg(all(target_arch = "aarch64", not(miri)))]
    // SAFETY: `prfm` accepts any address, valid or not: it never faults and changes neither memory
    // nor registers nor flags, as the options say.
    unsafe {
        std::arch::asm!(
            "prfm pldl1keep, [{}]",
            in(reg) address,
            options(nostack, preserves_flags, readonly)
        );
    }
    #[cfg(not(any(target_arch = "x86_64", all(target_arch = "aarch64", not(miri)))))]
    let _ = address;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Miri runs this test, too. It prefetches aligned and unaligned values, and values without
    /// bytes.
    #[test]
    fn any_value_can_be_prefetched() {
        prefetch(&(), 100);
        prefetch("", 100);
        prefetch(&[7_u8; 1000], 0);
        prefetch(&[7_u8; 1000][3..], usize::MAX);
        prefetch_start(&7_u8);
        prefetch_start(&());
    }
}
