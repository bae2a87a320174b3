//! Sends bytes that no controller should send to the real server: mutated messages of all calls,
//! compared with a switch in memory that gets the same bytes, and mutated HTTP/2. Both must survive
//! and have the same state, and memory must stay bounded.
//!
//! The tests use 256 mutants of each kind. `PROPTEST_CASES` sets their number, and
//! `PROPTEST_RNG_SEED` the random numbers.

#![expect(clippy::print_stderr, reason = "the person who runs it with more wants to see the figures")]

#[path = "../entities/bench.rs"]
mod bench;
#[path = "../entities/case.rs"]
mod case;
mod corpus;
mod fields;
mod floods;
#[path = "../../../../fuzz/fuzz_targets/p4runtime.rs"]
mod fuzz_target;
mod http;
mod http_client;
mod mutate;
mod others;
mod raw;
#[path = "../server/bench/mod.rs"]
mod server;
mod twins;

use proptest::test_runner::{Config, TestRng, TestRunner};

/// Returns the number of requests of each kind.
fn count() -> usize {
    Config::default().cases as usize
}

/// Creates the generator of random numbers, from `PROPTEST_RNG_SEED`.
fn random() -> TestRng {
    TestRunner::new(Config::default()).new_rng()
}

/// Returns the resident memory of this process in MB, where the system provides it.
fn resident() -> f64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<f64>().ok());
    kilobytes.unwrap_or(0.0) * 1024.0 / 1e6
}

/// Runs the target of `make fuzz` on its first inputs, and on mutants of them.
#[test]
fn the_fuzz_target_takes_its_first_inputs() {
    let (inputs, mut random) = (fuzz_target::first(), random());
    assert!(inputs.len() > 30, "there are cases");
    inputs.iter().for_each(|(_, input)| fuzz_target::run(input));
    for _ in 0..count() {
        let [one, other] = [(); 2].map(|()| &mutate::pick(&mut random, &inputs).1);
        fuzz_target::run(&mutate::mutate(&mut random, one, other));
    }
}

/// The limit for the growth of memory in MB between the first tenth of the requests and the end.
const GROWTH: f64 = 64.0;

/// Waits until no other test of this process runs, because tests measure the memory of the process.
async fn alone() -> tokio::sync::MutexGuard<'static, ()> {
    static ALONE: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());
    ALONE.lock().await
}

/// The memory of this process after a tenth of the requests. It is compared with the memory at the
/// end.
struct Memory(Option<f64>);

impl Memory {
    fn look(&mut self, done: usize, total: usize) {
        if self.0.is_none() && done * 10 >= total {
            self.0 = Some(resident());
        }
    }

    fn check(self, what: &str) {
        let (before, after) = (self.0.unwrap_or(0.0), resident());
        eprintln!("{what}: {before:.0} MB after a tenth of {}, {after:.0} MB at the end", count());
        assert!(after - before < GROWTH, "{what}: memory grew from {before:.0} to {after:.0} MB");
    }
}
