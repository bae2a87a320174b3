//! Tests cells and the register lock on two threads.

#![allow(clippy::disallowed_methods, reason = "a test starts threads")]

use super::*;
use crate::externs::counter::CounterValue;
use crate::externs::meter::{Colour, Meter};
use crate::externs::meter_array::MeterArray;
use crate::externs::register::RegisterArray;
use crate::externs::register_lock::{LockHandle, RegisterLock};

const ROUNDS: u64 = 20_000;

/// Runs the work on two threads at once. Each thread gets its number.
fn on_two_threads(work: impl Fn(u64) + Sync) {
    std::thread::scope(|scope| {
        scope.spawn(|| work(0));
        work(1);
    });
}

#[test]
fn no_count_is_lost() {
    let counter = counter::CounterArray::new(2, CounterUnit::PacketsAndBytes);
    on_two_threads(|_| (0..ROUNDS).for_each(|_| counter.count(1, 64)));
    assert_eq!(counter.get(1), Some(CounterValue { packets: 2 * ROUNDS, bytes: 128 * ROUNDS }));
}

#[test]
fn no_thread_sees_half_of_a_wide_cell() {
    let register = register::RegisterArray::new(1, vec![(String::new(), 192)]);
    on_two_threads(|thread| {
        for round in 0..ROUNDS {
            let mut seen = [0; 3];
            register.write_words(0, &[2 * round + thread; 3]);
            register.read_words(0, &mut seen);
            assert!(seen.iter().all(|word| *word == seen[0]), "{seen:?}");
        }
    });
}

#[test]
fn the_burst_of_a_meter_is_shared_by_threads() {
    let config = MeterConfig::per_second(0, ROUNDS, 0, 3 * ROUNDS / 2);
    let meter = MeterArray::new(1, false);
    meter.replace(0, Some(Meter::new(config)));
    let seen = [(); 3].map(|()| AtomicU64::new(0));
    on_two_threads(|_| {
        for now in 0..ROUNDS {
            let colour = meter.execute(0, now, 64, Colour::Green).unwrap_or(Colour::Green);
            seen[colour as usize].fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        }
    });
    assert_eq!(seen.map(AtomicU64::into_inner), [ROUNDS, ROUNDS / 2, ROUNDS / 2]);
    let marked = |packets| CounterValue { packets, bytes: 64 * packets };
    let counts = meter.counts(0).unwrap_or_default();
    assert_eq!([counts.green, counts.yellow, counts.red], [ROUNDS, ROUNDS / 2, ROUNDS / 2].map(marked));
}

#[test]
fn reading_and_writing_under_the_lock_is_atomic() {
    const ROUNDS: u64 = 20_000;
    let register = RegisterArray::new(2, vec![(String::new(), 64)]);
    let lock = Arc::new(RegisterLock::default());
    let count = || {
        let mut handle = LockHandle::default();
        handle.share(Some(Arc::clone(&lock)));
        for _ in 0..ROUNDS {
            let mut cell = [0];
            for index in [0, 1] {
                handle.acquire();
                register.read_words(index, &mut cell);
                cell[0] += 1;
                register.write_words(index, &cell);
            }
            handle.release();
        }
        handle.acquire();
        // A handle that is dropped while it holds the lock releases it.
    };
    std::thread::scope(|scope| {
        scope.spawn(count);
        count();
    });
    let mut cells = [0; 2];
    register.read_words(0, &mut cells[..1]);
    register.read_words(1, &mut cells[1..]);
    assert_eq!(cells, [2 * ROUNDS; 2]);
}
