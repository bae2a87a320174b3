//! The allocator for Rust code only; Python and other libraries keep their own (decision 21).

use libmimalloc_sys::{_mi_option_last, mi_option_set_default, mi_option_t};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Milliseconds after which free memory goes back to the system; mimalloc's default is 10.
const PURGE_DELAY: mi_option_t = 15;
/// How many allocations off the fast path a thread makes until it collects what other threads have
/// freed; mimalloc's default is 10 000.
const GENERIC_COLLECT: mi_option_t = 36;

/// Both are places in the list that mimalloc 2.3 has (`mi_option_t` in mimalloc.h). If it grows,
/// look there again.
const _: () = assert!(_mi_option_last == 38);

/// Has freed memory go back to the system soon, for a process that runs for months. Variables of
/// the environment (`MIMALLOC_PURGE_DELAY`, `MIMALLOC_GENERIC_COLLECT`) go first.
#[expect(unsafe_code, reason = "mimalloc's settings are in C")]
pub fn give_back_soon() {
    // SAFETY: both are places in mimalloc's array of options. It reads them when it needs them, as
    // plain words that no other thread writes, and any value is valid.
    unsafe {
        mi_option_set_default(PURGE_DELAY, 0);
        mi_option_set_default(GENERIC_COLLECT, 200);
    }
}
