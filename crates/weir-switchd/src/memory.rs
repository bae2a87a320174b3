//! Returns memory that a running switch does not need to the system: freed memory of each thread,
//! unused parts of huge pages, and code that only the start or the compiler needs.
//!
//! Most of a switch's resident memory consists of pages of the executable file. Most of these pages
//! contain the P4 compiler and the code generator, which a running switch does not need. The kernel
//! loads a page again when it is used, usually from its page cache.

use std::fs::read_to_string;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use tokio::runtime::Handle;

/// A range of addresses.
#[derive(Debug, PartialEq, Eq)]
struct Range {
    start: usize,
    end: usize,
}

/// Makes the C library keep freed memory in two arenas instead of one arena per thread. Each
/// thread's arena would grow to the size of a controller's largest request.
pub fn share_freed_memory() {
    #[cfg(target_env = "gnu")]
    // SAFETY: the call sets a number under the lock of the C library's allocator. Other threads
    // read the number as a plain word, and any value is valid.
    let _kept_on_error = unsafe { libc::mallopt(libc::M_ARENA_MAX, 2) };
}

/// Returns the freed memory of the C library's allocator to the system.
pub fn return_freed_memory() {
    #[cfg(target_env = "gnu")]
    // SAFETY: the call takes the locks of the C library's allocator, as every allocation does.
    let _nothing_to_return = unsafe { libc::malloc_trim(0) };
}

/// The number of bytes that controllers must have freed before it is worth while to return them.
const WORTHWHILE: usize = 1 << 20;

/// The maximum time for which a thread waits for the others to return their memory too.
const LONGEST_MEETING: Duration = Duration::from_millis(20);

/// Returns memory that controllers have used to the system. With an allocator that has a heap for
/// each thread, memory that another thread frees returns only when the heap's own thread allocates
/// again, and a thread without controllers does not.
#[derive(Debug)]
pub struct FreedMemory {
    /// Returns the freed memory of the thread that calls it.
    give_back: fn(),
    /// The most bytes that controllers have used since memory was returned.
    most: usize,
    is_due: bool,
}

impl FreedMemory {
    /// Creates a value that calls `give_back` on each thread.
    pub fn new(give_back: fn()) -> Self {
        Self { give_back, most: 0, is_due: false }
    }

    /// Notes the memory that controllers use now, in bytes. If they have freed enough since the
    /// last call, returns the freed memory of the runtime's threads to the system.
    pub async fn note(&mut self, used: usize) {
        self.most = self.most.max(used);
        if self.most - used >= WORTHWHILE {
            (self.most, self.is_due) = (used, true);
        }
        // A thread that was busy is asked again later.
        if self.is_due && on_each_worker(self.give_back).await {
            self.is_due = false;
        }
    }
}

/// Calls a function on each thread that runs the tasks of the current runtime. Returns whether all
/// threads had time.
async fn on_each_worker(work: fn()) -> bool {
    let workers = Handle::current().metrics().num_workers();
    let meeting = Arc::new((Mutex::new(0), Condvar::new()));
    let tasks: Vec<_> = (0..workers)
        .map(|_| {
            let meeting = Arc::clone(&meeting);
            tokio::spawn(async move {
                work();
                // The thread waits here, so that another thread runs the next task.
                let (present, arrived) = &*meeting;
                let mut present = present.lock().unwrap_or_else(PoisonError::into_inner);
                *present += 1;
                arrived.notify_all();
                let waited =
                    arrived.wait_timeout_while(present, LONGEST_MEETING, |present| *present < workers);
                !waited.unwrap_or_else(PoisonError::into_inner).1.timed_out()
            })
        })
        .collect();
    let mut all = true;
    for task in tasks {
        all &= task.await.unwrap_or(false);
    }
    all
}

/// Makes the kernel provide memory in small pages only, so that memory that is returned to the
/// system is really freed, and small allocations do not occupy huge pages of 2 MiB each (decision
/// 21).
pub fn use_small_pages() {
    // SAFETY: the call sets a flag of the process.
    let _kept_on_error = unsafe { libc::prctl(libc::PR_SET_THP_DISABLE, 1_u64, 0_u64, 0_u64, 0_u64) };
}

/// Returns the memory of the compiler's code to the system once a compiled program runs.
#[derive(Clone, Debug, Default)]
pub struct CompilerMemory {
    /// The number of checks until the memory is returned; 0 if there is nothing to return.
    looks: Arc<AtomicU32>,
}

impl CompilerMemory {
    /// Notes that a program is being compiled.
    pub fn note_compilation(&self) {
        self.looks.store(5, Ordering::Relaxed);
    }

    /// Returns the memory to the system if it is time to do so.
    pub fn return_if_due(&self) {
        let before =
            self.looks.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |looks| looks.checked_sub(1));
        if before == Ok(1) {
            return_code_pages();
        }
    }
}

/// Returns the pages of program code to the system. A page that is needed again is loaded at its
/// next use, together with 15 others, while the thread waits. Therefore this should be called only
/// after a program was compiled. Without `/proc`, it does nothing.
pub fn return_code_pages() {
    for Range { start, end } in unchanged_mappings(&read_to_string("/proc/self/smaps").unwrap_or_default()) {
        // SAFETY: according to the kernel, the range is a private, read-only mapping of a file, and
        // no page of it differs from the file, whether in memory or swapped out. So each page will
        // be read from the file again with the same bytes. The range cannot be mapped to something
        // else in the meantime: program code stays mapped until the process ends or closes a
        // library, and this process closes none.
        let _kept_on_error = unsafe {
            libc::madvise(std::ptr::with_exposed_provenance_mut(start), end - start, libc::MADV_DONTNEED)
        };
    }
}

/// Returns the mappings of program code among those that proc_pid_smaps(5) lists: files,
/// executable, and without pages of their own, in memory (`Anonymous`) or swapped out (`Swap`).
/// Relocations, breakpoints and probes create such pages, which are not in the file.
fn unchanged_mappings(smaps: &str) -> Vec<Range> {
    let mut mappings = Vec::new();
    for line in smaps.lines() {
        if let Some(code) = file_range(line) {
            mappings.push((code, [false; 2]));
        } else if let (Some((name, value)), Some((_, [not_in_memory, not_in_swap]))) =
            (line.split_once(':'), mappings.last_mut())
        {
            match name {
                "Anonymous" => *not_in_memory = value.trim() == "0 kB",
                "Swap" => *not_in_swap = value.trim() == "0 kB",
                _ => {}
            }
        }
    }
    mappings.into_iter().filter_map(|(code, none)| code.filter(|_| none == [true; 2])).collect()
}

/// Parses the first line of a mapping. Returns the range if the mapping is program code of a file,
/// and `Some(None)` if it is not; returns `None` if the line is not the first line of a mapping.
fn file_range(line: &str) -> Option<Option<Range>> {
    let mut words = line.split_whitespace();
    let (start, end) = words.next()?.split_once('-')?;
    let [start, end] = [start, end].map(|address| usize::from_str_radix(address, 16).ok());
    let range = Range { start: start?, end: end? };
    let is_code = words.next()? == "r-xp";
    // The fields after the permissions are offset, device, inode and path.
    let is_file = words.nth(3).is_some_and(|path| path.starts_with('/'));
    Some((is_code && is_file).then_some(range))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_code_that_equals_its_file_is_given_back() {
        let smaps = "\
            1000-3000 r-xp 00000000 fe:00 123   /usr/bin/weir-switchd\n\
            Rss: 8 kB\nAnonymous:             0 kB\nSwap:                  0 kB\nSwapPss:  0 kB\n\
            VmFlags: rd ex mr\n\
            3000-4000 r-xp 00002000 fe:00 123   /usr/bin/weir-switchd\nAnonymous:  4 kB\nSwap: 0 kB\n\
            3000-4000 r-xp 00002000 fe:00 123   /usr/bin/weir-switchd\nAnonymous:  0 kB\nSwap: 4 kB\n\
            3000-4000 r-xp 00002000 fe:00 123   /usr/bin/weir-switchd\nAnonymous:  0 kB\n\
            4000-5000 r--p 00003000 fe:00 123   /usr/bin/weir-switchd\nAnonymous:  0 kB\nSwap: 0 kB\n\
            5000-6000 rw-p 00003000 fe:00 123   /usr/bin/weir-switchd\nAnonymous:  0 kB\nSwap: 0 kB\n\
            6000-7000 r-xs 00003000 fe:00 123   /usr/bin/weir-switchd\nAnonymous:  0 kB\nSwap: 0 kB\n\
            7000-8000 r-xp 00000000 00:00 0 \nAnonymous:  0 kB\nSwap: 0 kB\n\
            8000-9000 r-xp 00000000 00:00 0     [vdso]\nAnonymous:  0 kB\nSwap: 0 kB\n";
        assert_eq!(unchanged_mappings(smaps), [Range { start: 0x1000, end: 0x3000 }]);
    }

    /// The threads that [`remember_thread`] has run on.
    static THREADS: Mutex<Vec<std::thread::ThreadId>> = Mutex::new(Vec::new());

    fn remember_thread() {
        THREADS.lock().unwrap().push(std::thread::current().id());
    }

    #[test]
    fn all_threads_return_their_memory_after_controllers_have_freed_it() {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(3).build().unwrap();
        let mut freed = FreedMemory::new(remember_thread);
        let mut threads_after = |used| {
            runtime.block_on(async {
                // A machine without time for three threads gets more calls.
                for _ in 0..100 {
                    freed.note(used).await;
                    if !freed.is_due {
                        break;
                    }
                }
            });
            assert!(!freed.is_due);
            let mut threads = std::mem::take(&mut *THREADS.lock().unwrap());
            threads.sort_unstable_by_key(|thread| format!("{thread:?}"));
            threads.dedup();
            threads.len()
        };
        assert_eq!([0, 8 << 20, (7 << 20) + 1].map(&mut threads_after), [0; 3], "too little is freed");
        assert_eq!(threads_after(7 << 20), 3);
        assert_eq!([7 << 20, (6 << 20) + 1].map(&mut threads_after), [0; 2]);
        assert_eq!(threads_after(0), 3);
    }

    #[test]
    fn pages_are_small() {
        use_small_pages();
        let status = read_to_string("/proc/self/status").unwrap();
        assert!(status.contains("THP_enabled:\t0\n"), "{status}");
    }

    #[test]
    fn code_runs_after_its_pages_are_given_back() {
        let resident = || {
            let status = read_to_string("/proc/self/status").unwrap();
            let line = status.lines().find_map(|line| line.strip_prefix("RssFile:")).unwrap();
            line.trim().trim_end_matches(" kB").parse::<u64>().unwrap()
        };
        let before = resident();
        let compiler = CompilerMemory::default();
        compiler.note_compilation();
        (0..5).for_each(|_| compiler.return_if_due());
        let after = resident();
        assert!(after < before, "{before} KiB of files before, {after} KiB after");
    }
}
