//! Sets the memory allocator of the Rust code. Python and other libraries keep their own allocators
//! (decision 21).

use libmimalloc_sys::{_mi_option_last, mi_option_set_default, mi_option_t};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The mimalloc option for the delay in milliseconds after which free memory is returned to the
/// system. The default is 10.
const PURGE_DELAY: mi_option_t = 15;
/// The mimalloc option for the number of allocations outside the fast path after which a thread
/// collects memory that other threads have freed. The default is 10 000.
const GENERIC_COLLECT: mi_option_t = 36;

/// Both constants are positions in mimalloc 2.3's list of options (`mi_option_t` in mimalloc.h). If
/// the list grows, check them again.
const _: () = assert!(_mi_option_last == 38);

/// Makes mimalloc return freed memory to the system soon, for a process that runs for months.
/// Environment variables (`MIMALLOC_PURGE_DELAY`, `MIMALLOC_GENERIC_COLLECT`) take precedence.
#[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "services between interfaces need Linux"))]
#[expect(unsafe_code, reason = "mimalloc's settings are functions of C")]
pub fn give_back_soon() {
    // SAFETY: both are positions in mimalloc's array of options. It reads them when it needs them,
    // as plain words that no other thread writes, and any value is valid.
    unsafe {
        mi_option_set_default(PURGE_DELAY, 0);
        mi_option_set_default(GENERIC_COLLECT, 200);
    }
}
