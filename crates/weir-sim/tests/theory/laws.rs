//! The response of congestion windows to loss.

use weir_sim::Loss;
use weir_sim::tcp::Algorithm::{Cubic, Reno};
use weir_sim::tcp::Config;

use crate::dumbbell::{Dumbbell, MSS, Path, assert_close, config};
use crate::response::{Losses, cubic, random_root, response, root};
use crate::world::{MS, SECOND};

/// Loses every n-th frame, beginning with the 100th, so that slow start ends near the window that
/// the losses allow.
fn lose_every(n: u64) -> Loss {
    Loss::Frames((0..5_000_000 / n).map(|at| 100 + at * n).collect())
}

/// Returns the mean rate of one flow that loses one segment in `n`, in segments per round trip,
/// over `losses` losses after a warm-up of a tenth as many.
fn window(settings: &Config, rtt: u64, loss: Loss, n: u64, losses: u64) -> f64 {
    window_of(1, settings, rtt, loss, n, losses)
}

/// Returns the same with random losses.
fn window_of(seed: u64, settings: &Config, rtt: u64, loss: Loss, n: u64, losses: u64) -> f64 {
    let mut world = Dumbbell::new(seed, 1, Path::unlimited(rtt * MS, loss), settings);
    world.start(0);
    let advance = |world: &mut Dumbbell, losses: u64| {
        let (from, before) = (world.network.now(), world.received(0));
        while world.received(0) < before + losses * n * MSS {
            world.network.run_for(SECOND);
        }
        let round_trips = (world.network.now() - from) as f64 / (rtt * MS) as f64;
        (world.received(0) - before) as f64 / MSS as f64 / round_trips
    };
    advance(&mut world, (losses / 10).max(5));
    let mean = advance(&mut world, losses);
    let sender = world.sender(0);
    assert_eq!(sender.timeouts, 0, "{sender:?}");
    mean
}

#[test]
fn the_square_root_law() {
    assert_close(window(&config(&Reno), 100, lose_every(1000), 1000, 60), root(1000), 0.15);
    assert_close(window(&config(&Reno), 100, Loss::Random(1e-3), 1000, 100), random_root(1000), 0.15);
    let books = Config { mss: u16::MAX, send_buffer: 64 << 20, receive_buffer: 64 << 20, ..Config::rfc() };
    assert_close(window(&books, 100, lose_every(1000), 1000, 40), root(1000), 0.15);
}

#[test]
#[ignore = "a million segments each"]
fn throughput_follows_the_square_root_law() {
    for n in [1000, 3333, 10_000] {
        let periodic = window(&config(&Reno), 100, lose_every(n), n, 300);
        let random = window(&config(&Reno), 100, Loss::Random(1.0 / n as f64), n, 300);
        let (root, random_root) = (root(n), random_root(n));
        eprintln!("p = 1/{n}: 1.22/√p = {root:.1}, {periodic:.1}; 1.31/√p = {random_root:.1}, {random:.1}");
        assert_close(periodic, root, 0.15);
        assert_close(random, random_root, 0.15);
    }
}

/// Settings whose first window is the maximum of a period. Other windows converge slowly, because
/// the cubic function is flat where the next loss is due.
fn near_the_expected_window(rtt_ms: u64, n: u64, fast_convergence: bool) -> Config {
    let largest = response(rtt_ms, n) * 4.0 / 3.7;
    let initial_window_segments = largest as u32 - 100;
    Config { initial_window_segments, hystart: Some(false), fast_convergence, ..config(&Cubic) }
}

#[test]
fn cubic_on_a_long_path() {
    let law = response(100, 10_000);
    assert_close(
        window(&near_the_expected_window(100, 10_000, false), 100, lose_every(10_000), 10_000, 10),
        law,
        0.15,
    );
}

/// RFC 9438 section 4.3: where the cubic function would be slower than Reno, the window grows as
/// with Reno.
#[test]
fn cubic_on_a_short_path() {
    let mean = window(&config(&Cubic), 10, lose_every(1000), 1000, 60);
    assert_close(mean, root(1000), 0.15);
    assert!(mean > 4.0 * response(10, 1000), "the cubic alone would give {:.1}", response(10, 1000));
}

#[test]
#[ignore = "millions of segments"]
fn cubics_response_function() {
    for (rtt, n) in [(100, 10_000), (200, 10_000), (100, 30_000)] {
        let law = response(rtt, n);
        for fast_convergence in [false, true] {
            let settings = near_the_expected_window(rtt, n, fast_convergence);
            let mean = window(&settings, rtt, lose_every(n), n, 60);
            eprintln!(
                "RTT {rtt} ms, p = 1/{n}, fast convergence {fast_convergence}: {law:.1}, periodic {mean:.1}"
            );
            assert_close(mean, law, 0.15);
        }
    }
    for (rtt, n) in [(10, 1000), (10, 3333), (20, 1000)] {
        let mean = window(&config(&Cubic), rtt, lose_every(n), n, 300);
        let random = window(&config(&Cubic), rtt, Loss::Random(1.0 / n as f64), n, 300);
        let (root, response) = (root(n), response(rtt, n));
        eprintln!(
            "RTT {rtt} ms, p = 1/{n}: Reno's {root:.1}, the cubic's {response:.1}, periodic {mean:.1}, random {random:.1}"
        );
        assert_close(mean, root, 0.15);
        assert_close(random, random_root(n), 0.15);
    }
}

/// The model for random losses gives the response function for periodic losses, except for the
/// round trips of recovery. Its window is larger by the same factor for any RTT and p, because a
/// cubic function has no scale of its own.
#[test]
fn random_losses_hurt_less_than_periodic() {
    for (rtt, n) in [(100, 10_000), (200, 10_000), (100, 30_000), (100, 300_000)] {
        let law = response(rtt, n);
        assert_close(cubic(rtt, n, Losses::Periodic, false, 300), law, 0.03);
        assert_close(cubic(rtt, n, Losses::Random, true, 50_000), 1.145 * law, 0.02);
        assert_close(cubic(rtt, n, Losses::Random, false, 50_000), 1.24 * law, 0.02);
    }
}

#[test]
#[ignore = "twenty million segments"]
fn cubics_response_to_random_losses() {
    for (rtt, n, losses) in [(100, 10_000, 200), (200, 10_000, 60), (100, 30_000, 50)] {
        // Fast convergence is on by default.
        let settings = near_the_expected_window(rtt, n, true);
        let loss = || Loss::Random(1.0 / n as f64);
        let all: Vec<f64> = (1..=5).map(|seed| window_of(seed, &settings, rtt, loss(), n, losses)).collect();
        let (mean, theory) = (all.iter().sum::<f64>() / 5.0, cubic(rtt, n, Losses::Random, true, 50_000));
        let law = response(rtt, n);
        eprintln!(
            "RTT {rtt} ms, p = 1/{n}: {law:.1} for periodic losses, {theory:.1} for random ones: {mean:.1}; {all:.1?}"
        );
        assert_close(mean, theory, 0.15);
    }
}
