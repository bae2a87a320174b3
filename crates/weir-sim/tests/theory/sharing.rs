//! Sharing of a bottleneck by flows of one kind.

use weir_sim::tcp::Algorithm::{self, Bbr, BbrDraft, Cubic, Reno};
use weir_sim::{Nanos, Random};

use crate::ALL;
use crate::dumbbell::{Dumbbell, Path, config};
use crate::response::{Victim, windows_that_share};
use crate::world::{MS, SECOND};

/// Computes Jain's fairness index: 1 for equal shares, 1/n if one flow has everything.
fn jain_index(rates: &[f64]) -> f64 {
    let sum: f64 = rates.iter().sum();
    sum * sum / (rates.len() as f64 * rates.iter().map(|rate| rate * rate).sum::<f64>())
}

/// Returns the time before flows are measured. Flows that halve their windows need a few
/// reductions; BBR's flows converge when they see the path without a queue, every ten seconds.
fn warm_up(algorithm: &Algorithm) -> Nanos {
    match algorithm {
        Bbr | BbrDraft => 60 * SECOND,
        _ => 30 * SECOND,
    }
}

/// Computes Jain's index of `flows` flows over a minute. The flows begin at random times within a
/// second.
fn fairness_of_flows(algorithm: &Algorithm, flows: u8, path: Path, seed: u64) -> f64 {
    let mut random = Random::new(seed, "starts");
    let mut starts: Vec<Nanos> = (0..flows).map(|_| random.up_to(SECOND)).collect();
    starts.sort_unstable();
    let mut world = Dumbbell::new(seed, flows, path, &config(algorithm));
    starts.into_iter().for_each(|start| world.start(start));
    let begin = warm_up(algorithm);
    let warm = world.goodput_fraction(begin);
    let rates = world.rates(begin + 60 * SECOND);
    let carried = rates.iter().sum::<f64>() / world.max_goodput();
    assert!(warm > 0.9 && (0.95..1.001).contains(&carried), "{algorithm:?}: {warm:.4}, {carried:.4}");
    jain_index(&rates)
}

#[test]
fn four_flows_share_for_a_minute() {
    for algorithm in ALL {
        let index = fairness_of_flows(&algorithm, 4, Path::bottleneck(10_000_000, 20 * MS, 1.0), 1);
        // Linux' BBR sends bursts of two segments. With four for each flow, shares are coarse.
        let least = if let Bbr = algorithm { 0.95 } else { 0.99 };
        assert!(index >= least, "{algorithm:?}: {index:.4}");
    }
}

#[test]
fn runs_depend_on_the_seed() {
    let run = |seed| {
        let path = Path { processing: MS, ..Path::bottleneck(10_000_000, 20 * MS, 1.0) };
        let mut world = Dumbbell::new(seed, 2, path, &config(&Cubic));
        world.start(0);
        world.start(SECOND);
        world.network.run_until(3 * SECOND);
        (world.sender(0), world.sender(1), world.received(0), world.received(1))
    };
    assert_eq!(run(1), run(1));
    assert_ne!(run(1), run(2));
}

/// A row of the table in docs/explanation/tcp.md, with five seeds each: the mean index of every
/// case is at least `least`.
fn print_row(algorithm: &Algorithm, processing: Nanos, least: f64) {
    for (rate, flows) in [(10, 2), (10, 4), (100, 2), (100, 4), (100, 10)] {
        let path = || Path { processing, ..Path::bottleneck(rate * 1_000_000, 20 * MS, 1.0) };
        let mut all: Vec<f64> =
            (1..=5).map(|seed| fairness_of_flows(algorithm, flows, path(), seed)).collect();
        all.sort_by(f64::total_cmp);
        let mean = all.iter().sum::<f64>() / 5.0;
        let noise = processing / MS;
        eprintln!("{algorithm:?}, noise of {noise} ms, {rate} Mbit/s, {flows} flows: {mean:.4}; {all:.4?}");
        assert!(mean >= least, "{flows} of {algorithm:?} at {rate} Mbit/s: {mean:.4}");
    }
}

#[test]
#[ignore = "25 runs of a minute and a half"]
fn flows_of_reno_share() {
    print_row(&Reno, 0, 0.99);
}

/// Shows why CUBIC flows at 100 Mbit/s need noise. Reductions are seconds apart. Without
/// randomness, an overflow drops one segment of one flow, as often of a small flow as of a large
/// one. In theory, a minute is then too short for convergence. It is long enough if overflows hit
/// flows in proportion to their windows.
#[test]
fn flows_converge_within_a_minute() {
    let mean = |rate: f64, flows, victim| {
        let product = rate * 0.02 / 8.0 / 1514.0;
        let index = |seed| jain_index(&windows_that_share(flows, product, 0.02, victim, seed));
        (1..=100).map(index).sum::<f64>() / 100.0
    };
    for flows in [2, 4] {
        let (any, by_size) = (mean(1e8, flows, Victim::Any), mean(1e8, flows, Victim::BySize));
        assert!((0.975..0.988).contains(&any) && by_size > 0.993, "{flows} flows: {any:.4}, {by_size:.4}");
        eprintln!("{flows} flows of CUBIC in theory: any {any:.4}, by size {by_size:.4}");
        let slow = mean(1e7, flows, Victim::Any);
        assert!(slow > 0.995, "{flows} flows at 10 Mbit/s: {slow:.4}");
    }
}

#[test]
#[ignore = "25 runs of a minute and a half"]
fn flows_of_cubic_share_with_noise() {
    print_row(&Cubic, MS, 0.99);
}

/// Measured after a minute. BBR flows converge because they see the same minimum round-trip time,
/// which noise hides.
#[test]
#[ignore = "25 runs of two minutes"]
fn flows_of_bbr_share() {
    print_row(&BbrDraft, 0, 0.99);
}

#[test]
#[ignore = "75 runs, the table's other rows"]
fn print_the_remaining_rows() {
    print_row(&Reno, MS, 0.99);
    print_row(&Cubic, 0, 0.96);
    print_row(&BbrDraft, MS, 0.98);
}
