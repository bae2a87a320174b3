//! A single flow and the utilization of its link.

use weir_sim::Loss;
use weir_sim::tcp::Algorithm::{self, Bbr, BbrDraft, Cubic, Reno};

use crate::ALL;
use crate::dumbbell::{Dumbbell, Path, config};
use crate::world::{MS, SECOND};

/// Returns the fraction of the capacity of a link with an RTT of 20 ms that is delivered from
/// `from` to `until`.
fn goodput_fraction(algorithm: &Algorithm, rate: u64, from: u64, until: u64) -> f64 {
    let mut world = Dumbbell::single_flow(Path::bottleneck(rate, 20 * MS, 1.0), &config(algorithm));
    world.network.run_until(from);
    let share = world.goodput_fraction(until);
    let sender = world.sender(0);
    assert_eq!(sender.timeouts, 0, "{algorithm:?} at {rate} bit/s: {sender:?}");
    world.end();
    share
}

#[test]
fn ten_megabits_are_filled() {
    for algorithm in ALL {
        let share = goodput_fraction(&algorithm, 10_000_000, 2 * SECOND, 15 * SECOND);
        assert!((0.95..1.001).contains(&share), "{algorithm:?}: {share:.4}");
    }
}

/// Measured after slow start, when the first losses are recovered and the window has returned to
/// its size before the first reduction.
#[test]
fn a_gigabit_is_filled() {
    for algorithm in ALL {
        let share = goodput_fraction(&algorithm, 1_000_000_000, 500 * MS, 800 * MS);
        assert!((0.95..1.001).contains(&share), "{algorithm:?}: {share:.4}");
    }
}

#[test]
#[ignore = "a gigabit for ten seconds, each controller"]
fn at_a_gigabit_and_for_a_minute() {
    for algorithm in ALL {
        for (rate, seconds) in [(10_000_000, 60), (1_000_000_000, 10)] {
            let share = goodput_fraction(&algorithm, rate, seconds * SECOND / 2, seconds * SECOND);
            eprintln!("{algorithm:?}, {rate} bit/s, {seconds} s: {:.2} % of the link", share * 100.0);
            assert!((0.95..1.001).contains(&share), "{algorithm:?} at {rate} bit/s: {share:.4}");
        }
    }
}

/// With a buffer of one BDP, Reno's halved window fills the link exactly, and CUBIC's reductions
/// are smaller.
#[test]
fn bdp_buffers_keep_links_busy() {
    for algorithm in [Reno, Cubic] {
        let mut world =
            Dumbbell::single_flow(Path::bottleneck(10_000_000, 40 * MS, 1.0), &config(&algorithm));
        world.network.run_until(5 * SECOND);
        let busy = world.bottleneck_utilization(30 * SECOND);
        let sender = world.sender(0);
        assert!(busy >= 0.99, "{algorithm:?}: {busy:.4}");
        assert!(sender.recoveries >= 3 && sender.timeouts == 0, "{algorithm:?}: {sender:?}");
        world.end();
    }
}

#[test]
fn bbr_fills_the_link_and_not_its_queue() {
    for (algorithm, queue) in [(BbrDraft, 0.0..0.15), (Bbr, 0.15..0.4), (Cubic, 1.0..5.0)] {
        let path = Path::bottleneck(10_000_000, 40 * MS, 5.0);
        let mut world = Dumbbell::single_flow(path, &config(&algorithm));
        world.network.run_until(5 * SECOND);
        let waiting = world.mean_queue(20 * SECOND);
        let share = world.goodput_fraction(30 * SECOND);
        assert!(share >= 0.95 && queue.contains(&waiting), "{algorithm:?}: {share:.4}, {waiting:.3} wait");
    }
}

#[test]
#[ignore = "a minute each"]
fn queues_for_a_minute() {
    for algorithm in ALL {
        let path = Path::bottleneck(10_000_000, 40 * MS, 5.0);
        let mut world = Dumbbell::single_flow(path, &config(&algorithm));
        world.network.run_until(5 * SECOND);
        let waiting = world.mean_queue(60 * SECOND);
        eprintln!("{algorithm:?}: {waiting:.3} products wait");
    }
}

#[test]
fn rate_changes_are_followed() {
    for algorithm in ALL {
        let path = Path::bottleneck(10_000_000, 40 * MS, 2.0);
        let mut world = Dumbbell::single_flow(path, &config(&algorithm));
        world.network.run_until(10 * SECOND);
        for rate in [20_000_000, 5_000_000] {
            world.set_rate(rate);
            world.network.run_for(12 * SECOND);
            let until = world.network.now() + 5 * SECOND;
            let share = world.goodput_fraction(until);
            assert!(share >= 0.95, "{algorithm:?} at {rate} bit/s: {share:.4}");
        }
        let sender = world.sender(0);
        assert_eq!(sender.timeouts, 0, "{algorithm:?}: {sender:?}");
        world.end();
    }
}

/// BBR's purpose: losses that are not caused by queues.
#[test]
fn random_losses_slow_down_reno_but_not_bbr() {
    let share = |algorithm: &Algorithm| {
        let path = Path { loss: Loss::Random(0.01), ..Path::bottleneck(10_000_000, 40 * MS, 2.0) };
        let mut world = Dumbbell::single_flow(path, &config(algorithm));
        world.network.run_until(5 * SECOND);
        world.goodput_fraction(25 * SECOND)
    };
    for bbr in [Bbr, BbrDraft] {
        let share = share(&bbr);
        assert!(share >= 0.9, "{bbr:?}: {share:.4}");
    }
    let reno = share(&Reno);
    // 1.31/√p = 13 segments per round trip, of 33 that the path holds.
    assert!(reno <= 0.5, "{reno:.4}");
}
