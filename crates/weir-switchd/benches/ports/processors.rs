//! Chooses the processors of the machine on which a program runs.

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// Returns the numbers of the processors that this process may use.
pub fn usable_processors() -> Vec<usize> {
    let set = sched_getaffinity(None).expect("a process may know its processors");
    (0..CpuSet::MAX_CPU).filter(|&number| set.is_set(number)).collect()
}

/// Runs `body` on one processor. Programs that `body` starts stay on this processor.
pub fn run_on_processor<T>(number: usize, body: impl FnOnce() -> T) -> T {
    let all = sched_getaffinity(None).expect("a process may know its processors");
    let mut one = CpuSet::new();
    one.set(number);
    let choose = |set| sched_setaffinity(None, set).expect("it is one of those that this process has");
    choose(&one);
    let value = body();
    choose(&all);
    value
}
