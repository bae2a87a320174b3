//! Sets the memory allocator of the Rust code. Python and other libraries keep their own allocators
//! (decision 21).

use libmimalloc_sys::{_mi_option_last, mi_collect, mi_option_set_default, mi_option_t};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The mimalloc option for the delay in milliseconds after which free memory is returned to the
/// system. The default is 10.
const PURGE_DELAY: mi_option_t = 15;
/// The mimalloc option for the number of allocations outside the fast path after which a thread
/// collects memory that other threads have freed. The default is 10 000.
const GENERIC_COLLECT: mi_option_t = 36;

/// The mimalloc option that makes it take large pieces of memory from the system one by one, and
/// return them, instead of cutting them from an arena. Memory from an arena that was used before is
/// not zeroed, so zeroed memory takes physical memory at once, for example for unused cells of
/// registers. The default is 0.
const DISALLOW_ARENA_ALLOC: mi_option_t = 27;

/// These constants are positions in mimalloc 2.3's list of options (`mi_option_t` in mimalloc.h).
/// If the list grows, check them again.
const _: () = assert!(_mi_option_last == 38);

/// Makes mimalloc return freed memory to the system soon, for a process that runs for months.
/// Environment variables (`MIMALLOC_PURGE_DELAY`, `MIMALLOC_GENERIC_COLLECT`) take precedence.
#[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "services between interfaces need Linux"))]
#[expect(unsafe_code, reason = "mimalloc's settings are functions of C")]
pub fn give_back_soon() {
    // SAFETY: these are positions in mimalloc's array of options. It reads them when it needs them,
    // as plain words that no other thread writes, and any value is valid.
    unsafe {
        mi_option_set_default(PURGE_DELAY, 0);
        mi_option_set_default(GENERIC_COLLECT, 200);
        mi_option_set_default(DISALLOW_ARENA_ALLOC, 1);
    }
}

/// Returns the memory that other threads have freed in this thread's heap to the system. Otherwise,
/// mimalloc returns it when the thread allocates again.
#[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "services between interfaces need Linux"))]
#[expect(unsafe_code, reason = "mimalloc's functions are functions of C")]
pub fn give_back_now() {
    // SAFETY: the call concerns only the heap of the thread that makes it, and any thread may make
    // it at any time, as it may allocate.
    unsafe { mi_collect(false) };
}
