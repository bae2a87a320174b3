//! One flow and the link it has to fill.

use weir_tcp::Algorithm::{self, Bbr, Cubic, Reno};
use weir_tcp::Config;
use weir_tcp::math::SECOND;

use crate::net::{FRAME, Loss, MS, MSS, Net, Path};
use crate::{ALL, config};

/// The share of what a link can carry that arrives in the second half of the time.
fn filled(algorithm: &Algorithm, rate: u64, seconds: u64) -> f64 {
    let mut net = Net::one(Path::bottleneck(rate, 20 * MS, 1.0), config(algorithm));
    net.run(seconds * SECOND / 2);
    net.rates(seconds * SECOND)[0] / (rate as f64 * MSS as f64 / FRAME as f64)
}

#[test]
fn a_buffer_of_one_product_is_enough_to_fill_the_link() {
    for algorithm in ALL {
        for (rate, seconds) in [(10_000_000, 20), (100_000_000, 4)] {
            let share = filled(&algorithm, rate, seconds);
            assert!(share >= 0.95, "{algorithm:?} at {rate} bit/s: {share:.4}");
        }
    }
}

#[test]
#[ignore = "a gigabit for ten seconds, each controller"]
fn at_a_gigabit_and_for_a_minute() {
    for algorithm in ALL {
        for (rate, seconds) in [(10_000_000, 60), (1_000_000_000, 10)] {
            let share = filled(&algorithm, rate, seconds);
            eprintln!("{algorithm:?}, {rate} bit/s, {seconds} s: {:.2} % of the link", share * 100.0);
            assert!(share >= 0.95, "{algorithm:?} at {rate} bit/s: {share:.4}");
        }
    }
}

#[test]
fn a_link_that_changes_its_rate_is_filled_again() {
    for algorithm in ALL {
        let mut net = Net::one(Path::bottleneck(10_000_000, 40 * MS, 2.0), config(&algorithm));
        net.run(10 * SECOND);
        for rate in [20_000_000, 5_000_000] {
            net.path.rate = rate;
            net.run(net.now + 12 * SECOND);
            let share = net.rates(net.now + 10 * SECOND)[0] / (rate as f64 * MSS as f64 / FRAME as f64);
            assert!(share >= 0.95, "{algorithm:?} at {rate} bit/s: {share:.4}");
        }
        assert_eq!(net.sender(0).timeouts, 0, "{algorithm:?}: {:?}", net.sender(0));
    }
}

#[test]
fn marks_replace_losses() {
    for algorithm in [Reno, Cubic] {
        let mut path = Path::bottleneck(10_000_000, 40 * MS, 4.0);
        path.mark = path.product() as u64;
        let hystart = Some(true);
        let mut net = Net::one(path, Config { ecn: true, hystart, ..config(&algorithm) });
        net.run(5 * SECOND);
        (net.dropped, net.busy) = (0, 0);
        net.run(45 * SECOND);
        let sender = net.sender(0);
        let busy = net.busy as f64 / (40 * SECOND) as f64;
        assert!(busy >= 0.99, "{algorithm:?}: {busy:.4}, {sender:?}");
        assert_eq!((net.dropped, sender.timeouts), (0, 0), "{algorithm:?}: {sender:?}");
        assert!(sender.ecn_reductions >= 5, "{algorithm:?}: {sender:?}");
    }
}

/// What BBR is for: losses that no queue made.
#[test]
fn random_losses_slow_bbr_little_and_reno_much() {
    let share = |algorithm: &Algorithm| {
        let path = Path { loss: Loss::Random(0.01), ..Path::bottleneck(10_000_000, 40 * MS, 2.0) };
        let mut net = Net::one(path, config(algorithm));
        net.run(5 * SECOND);
        net.rates(35 * SECOND)[0] / (10e6 * MSS as f64 / FRAME as f64)
    };
    let (bbr, reno) = (share(&Bbr), share(&Reno));
    assert!(bbr >= 0.9, "{bbr:.4}");
    // 1.31/√p = 13 segments a round trip, of 33 that the path holds.
    assert!(reno <= 0.5, "{reno:.4}");
}

/// Reno with a buffer of one product halves to exactly what fills the link.
#[test]
fn the_link_is_never_idle() {
    let mut net = Net::one(Path::bottleneck(10_000_000, 40 * MS, 1.0), config(&Reno));
    net.run(10 * SECOND);
    net.busy = 0;
    net.run(40 * SECOND);
    let busy = net.busy as f64 / (30 * SECOND) as f64;
    assert!(busy >= 0.995, "{busy:.4}");
    assert!(net.sender(0).recoveries >= 3 && net.sender(0).timeouts == 0, "{:?}", net.sender(0));
}

/// The share of the link and the mean queue in products of bandwidth and delay.
fn queue(algorithm: &Algorithm, seconds: u64) -> (f64, f64) {
    let path = Path::bottleneck(10_000_000, 40 * MS, 5.0);
    let product = path.product();
    let mut net = Net::one(path, config(algorithm));
    net.run(5 * SECOND);
    let before = net.received(0);
    let queue = net.mean_queue(seconds * SECOND) / product;
    let span = (seconds - 5) as f64;
    let share = (net.received(0) - before) as f64 * 8.0 / span / (10e6 * MSS as f64 / FRAME as f64);
    (share, queue)
}

#[test]
fn bbr_fills_the_link_and_not_its_queue() {
    let (share, waiting) = queue(&Bbr, 35);
    assert!(share >= 0.95 && waiting < 0.15, "{share:.4} of the link, {waiting:.3} products wait");
    let (share, waiting) = queue(&Cubic, 35);
    assert!(share >= 0.95 && waiting > 1.0, "{share:.4} of the link, {waiting:.3} products wait");
}

#[test]
#[ignore = "a minute each, to be told"]
fn queues_for_a_minute() {
    for algorithm in ALL {
        let (share, waiting) = queue(&algorithm, 60);
        eprintln!("{algorithm:?}: {:.2} % of the link, {waiting:.3} products wait", share * 100.0);
    }
}
