//! How windows answer to loss.

use weir_tcp::Algorithm::{Cubic, Reno};
use weir_tcp::math::SECOND;
use weir_tcp::{Config, Keep};

use crate::config;
use crate::net::{Loss, MS, MSS, Net, Path, near};

/// The mean rate of one flow that loses one segment of `n`, in segments a round trip, over `losses` losses after a tenth as many.
fn window(settings: Config, rtt: u64, loss: Loss, n: u64, losses: u64) -> f64 {
    let mut net = Net::one(Path::unlimited(rtt * MS, loss), settings);
    let advance = |net: &mut Net, losses: u64| {
        let (from, before) = (net.now, net.received(0));
        while net.received(0) < before + losses * n * MSS {
            net.run(net.now + SECOND);
        }
        (net.received(0) - before) as f64 / MSS as f64 / ((net.now - from) as f64 / (rtt * MS) as f64)
    };
    advance(&mut net, (losses / 10).max(5));
    let mean = advance(&mut net, losses);
    assert_eq!(net.sender(0).timeouts, 0);
    mean
}

/// What theory has for one segment lost in each `n`: 1.22/√p (Mathis, Semke, Mahdavi, Ott 1997).
fn root(n: u64) -> f64 {
    (1.5 * n as f64).sqrt()
}

#[test]
fn the_square_root_law() {
    near(window(config(&Reno), 100, Loss::Every(1000), 1000, 100), root(1000), 0.15);
    let rfc = Config { send_buffer: 64 << 20, receive_buffer: 64 << 20, keep: Keep::Count, ..Config::rfc() };
    near(window(rfc, 100, Loss::Every(1000), 1000, 100), root(1000), 0.15);
    // Losses at random: 1.31 in place of 1.22.
    near(window(config(&Reno), 100, Loss::Random(1e-3), 1000, 150), root(1000) * 1.31 / 1.22, 0.15);
}

#[test]
#[ignore = "a million segments each"]
fn the_square_root_law_over_three_hundred_losses() {
    for n in [1000, 3333, 10_000] {
        let periodic = window(config(&Reno), 100, Loss::Every(n), n, 300);
        let random = window(config(&Reno), 100, Loss::Random(1.0 / n as f64), n, 300);
        let root = root(n);
        eprintln!("p = 1/{n}: 1.22/√p = {root:.1}; periodic {periodic:.1}, random {random:.1}");
        near(periodic, root, 0.15);
        near(random, root * 1.31 / 1.22, 0.15);
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
    Config {
        initial_window_segments: largest as u32 - 100,
        hystart: Some(false),
        fast_convergence,
        ..config(&Cubic)
    }
}

#[test]
fn cubic_on_a_long_path() {
    let law = response(200, 10_000);
    near(window(near_the_law(200, 10_000, false), 200, Loss::Every(10_000), 10_000, 20), law, 0.15);
}

/// RFC 9438 section 4.3: where the cubic would be slower than Reno it grows as Reno does.
#[test]
fn cubic_on_a_short_path() {
    let mean = window(config(&Cubic), 10, Loss::Every(1000), 1000, 100);
    near(mean, root(1000), 0.15);
    assert!(mean > 4.0 * response(10, 1000), "the cubic alone would give {:.1}", response(10, 1000));
}

#[test]
#[ignore = "millions of segments"]
fn cubics_response_function() {
    for (rtt, n) in [(100, 10_000), (200, 10_000), (100, 30_000)] {
        for fast_convergence in [false, true] {
            let law = response(rtt, n);
            let mean = window(near_the_law(rtt, n, fast_convergence), rtt, Loss::Every(n), n, 60);
            eprintln!(
                "RTT {rtt} ms, p = 1/{n}, fast convergence {fast_convergence}: law {law:.1}, measured {mean:.1}"
            );
            near(mean, law, 0.15);
        }
    }
    for (rtt, n) in [(10, 1000), (10, 3333), (20, 1000)] {
        let mean = window(config(&Cubic), rtt, Loss::Every(n), n, 300);
        eprintln!(
            "RTT {rtt} ms, p = 1/{n}: Reno's law {:.1}, the cubic's {:.1}, measured {mean:.1}",
            root(n),
            response(rtt, n)
        );
        near(mean, root(n), 0.15);
    }
}
