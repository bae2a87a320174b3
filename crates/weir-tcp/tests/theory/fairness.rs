//! Flows of one kind share a bottleneck.

use weir_tcp::Algorithm::{self, Cubic, Reno};
use weir_tcp::math::SECOND;

use crate::net::{FRAME, Loss, MS, MSS, Net, Path, jain};
use crate::{ALL, config};

/// Jain's index of `flows` that begin at random within a second, from the 5th second on; and the share of the link in use.
fn shared(algorithm: &Algorithm, flows: u64, rate: u64, seconds: u64, seed: u64) -> (f64, f64) {
    let path = Path { jitter: MS, ..Path::bottleneck(rate, 20 * MS, 1.0) };
    let mut net = Net::new(path, seed);
    for _ in 0..flows {
        let start = net.draw(SECOND);
        net.add(config(algorithm), start);
    }
    net.run(5 * SECOND);
    let rates = net.rates((5 + seconds) * SECOND);
    (jain(&rates), rates.iter().sum::<f64>() / (rate as f64 * MSS as f64 / FRAME as f64))
}

#[test]
fn few_flows_share() {
    for algorithm in ALL {
        for flows in [2, 4] {
            let (index, share) = shared(&algorithm, flows, 20_000_000, 30, 1);
            // BBR version 1 evens out only as round trips are probed together, each ten seconds.
            let least = if matches!(algorithm, Algorithm::Bbr) { 0.85 } else { 0.98 };
            assert!(index >= least, "{flows} of {algorithm:?}: {index:.4}");
            assert!(share >= 0.95, "{flows} of {algorithm:?}: {share:.4} of the link");
        }
    }
}

#[test]
fn a_seed_gives_the_same_run_again_and_another_one_another() {
    for algorithm in ALL {
        let run = |seed| {
            let path =
                Path { jitter: MS, loss: Loss::Random(0.001), ..Path::bottleneck(10_000_000, 20 * MS, 1.0) };
            let mut net = Net::new(path, seed);
            net.add(config(&algorithm), 0);
            net.add(config(&algorithm), SECOND);
            net.run(5 * SECOND);
            (net.sender(0), net.sender(1), net.received(0), net.received(1))
        };
        assert_eq!(run(1), run(1));
        assert_ne!(run(1), run(2));
    }
}

#[test]
#[ignore = "five seeds of a minute at 100 Mbit/s"]
fn two_four_and_ten_flows_share_for_a_minute() {
    for algorithm in [Reno, Cubic] {
        for flows in [2, 4, 10] {
            let all: Vec<f64> =
                (1..=5).map(|seed| shared(&algorithm, flows, 100_000_000, 60, seed).0).collect();
            let mean = all.iter().sum::<f64>() / 5.0;
            eprintln!("{flows} of {algorithm:?}: {mean:.4} in the mean; {all:.4?}");
            assert!(mean >= 0.99, "{flows} of {algorithm:?}: {all:?}");
        }
    }
}
