//! Memory that a running switch does not need: freed memory of each thread, unused parts of huge
//! pages, and code that only the start or the compiler needs.
//!
//! Most of a switch's resident memory is pages of the program file, and most of these hold the P4
//! compiler and the code generator, which are no longer needed. The kernel reads pages again when
//! they are used, usually from its cache of files.

use std::fs::read_to_string;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// A range of addresses.
#[derive(Debug, PartialEq, Eq)]
struct Range {
    start: usize,
    end: usize,
}

/// Makes the C library keep freed memory in two arenas instead of one per thread. Each arena would
/// grow to the size of the largest request of a controller.
pub fn share_freed() {
    #[cfg(target_env = "gnu")]
    // SAFETY: the call sets a number under the lock of the C library's allocator. Other threads
    // read the number as a plain word, and any value is valid.
    let _kept_on_error = unsafe { libc::mallopt(libc::M_ARENA_MAX, 2) };
}

/// Makes the kernel provide memory in small pages only, so that returned memory is really freed,
/// and each little-used piece of memory does not grow to 2 MiB (decision 21).
pub fn use_small_pages() {
    // SAFETY: the call sets a flag of the process.
    let _kept_on_error = unsafe { libc::prctl(libc::PR_SET_THP_DISABLE, 1_u64, 0_u64, 0_u64, 0_u64) };
}

/// The memory of the compiler's code, which is given back once a compiled program runs.
#[derive(Clone, Debug, Default)]
pub struct CompilerMemory {
    /// The number of looks until the memory is given back; 0 if there is nothing to give back.
    looks: Arc<AtomicU32>,
}

impl CompilerMemory {
    /// Notes that a program is being compiled.
    pub fn used(&self) {
        self.looks.store(5, Ordering::Relaxed);
    }

    /// Gives memory back to the system if it is time to do so.
    pub fn look(&self) {
        let before =
            self.looks.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |looks| looks.checked_sub(1));
        if before == Ok(1) {
            give_back();
        }
    }
}

/// Gives back the pages of program code. Pages that are needed again are loaded at their next use,
/// 16 at a time, while the thread waits; so call this after a program was compiled. Without `/proc`
/// nothing happens.
pub fn give_back() {
    for Range { start, end } in unchanged_mappings(&read_to_string("/proc/self/smaps").unwrap_or_default()) {
        // SAFETY: the kernel says that the range is a private mapping of a file, that it cannot be
        // written, and that no page differs from the file, in memory or swapped out. Each page will
        // be read from the file again, with the same bytes. Nothing else can take the range's place
        // meanwhile: program code stays mapped until the process ends or closes a library, which
        // this process does not do.
        let _kept_on_error = unsafe {
            libc::madvise(std::ptr::with_exposed_provenance_mut(start), end - start, libc::MADV_DONTNEED)
        };
    }
}

/// The mappings of program code among those that proc_pid_smaps(5) lists: files, executable, and
/// without pages of their own, in memory (`Anonymous`) or swapped out (`Swap`). Relocations,
/// breakpoints and probes create such pages, which are not in the file.
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

/// The range of a mapping's first line, if the mapping is program code of a file; none if the line
/// is not the first line of a mapping.
fn file_range(line: &str) -> Option<Option<Range>> {
    let mut words = line.split_whitespace();
    let (start, end) = words.next()?.split_once('-')?;
    let [start, end] = [start, end].map(|address| usize::from_str_radix(address, 16).ok());
    let range = Range { start: start?, end: end? };
    let is_code = words.next()? == "r-xp";
    // After the permissions: offset, device, inode, path.
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
        compiler.used();
        (0..5).for_each(|_| compiler.look());
        let after = resident();
        assert!(after < before, "{before} KiB of files before, {after} KiB after");
    }
}
