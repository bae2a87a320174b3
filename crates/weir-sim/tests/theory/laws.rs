//! How windows answer to loss.

use weir_sim::Loss;
use weir_sim::tcp::Algorithm::{Cubic, Reno};
use weir_sim::tcp::Config;

use crate::dumbbell::{Dumbbell, MSS, Path, config, near};
use crate::world::{MS, SECOND};

/// Each n-th frame, the 100th first: slow start ends near where the losses hold the window.
fn every(n: u64) -> Loss {
    Loss::Frames((0..5_000_000 / n).map(|at| 100 + at * n).collect())
}

/// The mean rate of one flow that loses one segment of `n`, in segments a round trip, over `losses` losses after a tenth as many.
fn window(settings: &Config, rtt: u64, loss: Loss, n: u64, losses: u64) -> f64 {
    let mut world = Dumbbell::one(Path::unlimited(rtt * MS, loss), settings);
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

/// What theory has for one segment lost in each `n`: 1.22/√p (Mathis, Semke, Mahdavi, Ott 1997).
fn root(n: u64) -> f64 {
    (1.5 * n as f64).sqrt()
}

/// The same where losses come at random: 1.31 in place of 1.22.
fn random_root(n: u64) -> f64 {
    root(n) * 1.31 / 1.22
}

#[test]
fn the_square_root_law() {
    near(window(&config(&Reno), 100, every(1000), 1000, 60), root(1000), 0.15);
    near(window(&config(&Reno), 100, Loss::Random(1e-3), 1000, 100), random_root(1000), 0.15);
    let books = Config { mss: u16::MAX, send_buffer: 64 << 20, receive_buffer: 64 << 20, ..Config::rfc() };
    near(window(&books, 100, every(1000), 1000, 40), root(1000), 0.15);
}

#[test]
#[ignore = "a million segments each"]
fn the_square_root_law_over_three_hundred_losses() {
    for n in [1000, 3333, 10_000] {
        let periodic = window(&config(&Reno), 100, every(n), n, 300);
        let random = window(&config(&Reno), 100, Loss::Random(1.0 / n as f64), n, 300);
        let (root, random_root) = (root(n), random_root(n));
        eprintln!("p = 1/{n}: 1.22/√p = {root:.1}, {periodic:.1}; 1.31/√p = {random_root:.1}, {random:.1}");
        near(periodic, root, 0.15);
        near(random, random_root, 0.15);
    }
}

/// RFC 9438 section 5.1: 1.054 · (RTT/p)^0.75 segments.
fn response(rtt_ms: u64, n: u64) -> f64 {
    let x = rtt_ms as f64 / 1000.0 * n as f64;
    1.054 * x.sqrt() * x.sqrt().sqrt()
}

/// The first window is the largest of a period: the cubic is flat where the next loss is due, so other windows move there slowly.
fn near_the_law(rtt_ms: u64, n: u64, fast_convergence: bool) -> Config {
    let largest = response(rtt_ms, n) * 4.0 / 3.7;
    let initial_window_segments = largest as u32 - 100;
    Config { initial_window_segments, hystart: Some(false), fast_convergence, ..config(&Cubic) }
}

#[test]
fn cubic_on_a_long_path() {
    let law = response(100, 10_000);
    near(window(&near_the_law(100, 10_000, false), 100, every(10_000), 10_000, 10), law, 0.15);
}

/// RFC 9438 section 4.3: where the cubic would be slower than Reno it grows as Reno does.
#[test]
fn cubic_on_a_short_path() {
    let mean = window(&config(&Cubic), 10, every(1000), 1000, 60);
    near(mean, root(1000), 0.15);
    assert!(mean > 4.0 * response(10, 1000), "the cubic alone would give {:.1}", response(10, 1000));
}

#[test]
#[ignore = "millions of segments"]
fn cubics_response_function() {
    for (rtt, n) in [(100, 10_000), (200, 10_000), (100, 30_000)] {
        let law = response(rtt, n);
        for fast_convergence in [false, true] {
            let settings = near_the_law(rtt, n, fast_convergence);
            let mean = window(&settings, rtt, every(n), n, 60);
            eprintln!(
                "RTT {rtt} ms, p = 1/{n}, fast convergence {fast_convergence}: {law:.1}, periodic {mean:.1}"
            );
            near(mean, law, 0.15);
        }
    }
    for rtt in [100, 200] {
        // As it is by default.
        let settings = near_the_law(rtt, 10_000, true);
        let (law, mean) = (response(rtt, 10_000), window(&settings, rtt, Loss::Random(1e-4), 10_000, 200));
        eprintln!("RTT {rtt} ms, p = 1/10000: {law:.1}, random {mean:.1}");
        near(mean, law, 0.15);
    }
    for (rtt, n) in [(10, 1000), (10, 3333), (20, 1000)] {
        let mean = window(&config(&Cubic), rtt, every(n), n, 300);
        let random = window(&config(&Cubic), rtt, Loss::Random(1.0 / n as f64), n, 300);
        let (root, response) = (root(n), response(rtt, n));
        eprintln!(
            "RTT {rtt} ms, p = 1/{n}: Reno's {root:.1}, the cubic's {response:.1}, periodic {mean:.1}, random {random:.1}"
        );
        near(mean, root, 0.15);
        near(random, random_root(n), 0.15);
    }
}
