use weir_tcp::Algorithm::{self, Cubic, CubicRfc};
use weir_tcp::math::SECOND;

use crate::model::{Loss, MS, MSS, Path, World, assert_close};

/// Returns the mean window in segments of one flow that loses every n-th segment, over `periods`
/// losses after a warm-up of as many. `first` is the window in segments at the first loss.
fn mean_window(rtt_ms: u64, n: u64, periods: u64, fast_convergence: bool, first: f64) -> f64 {
    let mut world = World::new(Path::unlimited(rtt_ms * MS, Loss::Every(n)), 1);
    world.initial_window = (first as u64 - 100) * MSS;
    world.add(&Cubic, 0, false, fast_convergence);
    let advance = |world: &mut World| {
        let (from, before) = (world.now, world.flows[0].delivered);
        while world.flows[0].delivered < before + periods * n * MSS {
            world.run(world.now + rtt_ms * MS);
        }
        let round_trips = (world.now - from) as f64 / (rtt_ms * MS) as f64;
        (world.flows[0].delivered - before) as f64 / MSS as f64 / round_trips
    };
    advance(&mut world);
    let mean = advance(&mut world);
    assert_eq!(world.flows[0].timeouts, 0);
    mean
}

/// Returns the window by RFC 9438, section 5.1: 1.054 · (RTT/p)^0.75 segments.
fn expected_window(rtt: f64, p: f64) -> f64 {
    let x = rtt / p;
    1.054 * x.sqrt() * x.sqrt().sqrt()
}

#[test]
fn the_response_function_on_long_paths() {
    let law = expected_window(0.2, 1e-4);
    // The largest window of a period is 4/(3 + β) times the mean.
    let largest = law * 4.0 / 3.7;
    assert_close(mean_window(200, 10_000, 20, false, largest), law, 0.05);
    // The cubic is flat where the next loss occurs, so other windows converge slowly, by a fraction
    // of a percent per period. They do not converge while the curve is less than a whole segment
    // away.
    let (below, above) = (
        mean_window(200, 10_000, 25, false, 0.7 * largest),
        mean_window(200, 10_000, 25, false, 1.4 * largest),
    );
    assert_close(below, law, 0.2);
    assert_close(above, law, 0.15);
    assert!(below < above);
    assert_close(mean_window(200, 10_000, 25, true, largest), law, 0.15);
    assert_close(
        mean_window(100, 10_000, 25, true, expected_window(0.1, 1e-4) * 4.0 / 3.7),
        expected_window(0.1, 1e-4),
        0.15,
    );
}

#[test]
fn on_short_paths_cubic_is_as_fast_as_reno() {
    // In RFC 9438, section 4.3, the mean window is that of Reno, although the cubic alone would
    // give 5.9 segments.
    assert_close(mean_window(10, 1000, 100, true, 110.0), 1.22 / 1e-3_f64.sqrt(), 0.15);
}

/// Returns the number of segments that the first slow start loses with a buffer of this many BDPs,
/// and the window in BDPs at the end of slow start.
fn first_slow_start(algorithm: &Algorithm, rate: u64, rtt: u64, buffer: f64, hystart: bool) -> (u64, f64) {
    let mut world = World::new(Path::bottleneck(rate, rtt * MS, buffer), 1);
    world.add(algorithm, 0, hystart, true);
    while world.flows[0].controller.slow_start_threshold() == u64::MAX {
        world.run(world.now + MS);
    }
    let window = (world.window() * MSS) as f64 / world.path.bdp_bytes() as f64;
    world.run(world.now + rtt * MS);
    (world.dropped, window)
}

#[test]
fn hystart_plus_plus_ends_slow_start_before_overflow() {
    for (rate, rtt) in [(10_000_000, 40), (50_000_000, 100), (100_000_000, 20)] {
        // Five conservative rounds triple a window that is up to four BDPs large at their start.
        // RFC 9406 promises fewer losses, and no losses only with deep buffers.
        let (dropped, window) = first_slow_start(&CubicRfc, rate, rtt, 13.0, true);
        assert_eq!(dropped, 0, "{rate} {rtt}");
        assert!((1.0..14.0).contains(&window), "{rate} {rtt}: it left at {window:.2} of the path's product");
        assert!(
            first_slow_start(&CubicRfc, rate, rtt, 13.0, false).0 > 500,
            "{rate} {rtt}: there is something to prevent"
        );
        let (with, without) = (
            first_slow_start(&CubicRfc, rate, rtt, 3.0, true).0,
            first_slow_start(&CubicRfc, rate, rtt, 3.0, false).0,
        );
        assert!(2 * with < without, "{rate} {rtt}: {with} losses against {without}");
    }
}

/// Linux leaves slow start at once when the acknowledgements of a round trip arrive over half of
/// the minimum RTT. By then the window has reached about a BDP, so a buffer of one BDP is enough.
/// At 5 Mbit/s acknowledgements do not form a train, and growing RTTs end slow start a round trip
/// later.
#[test]
fn hystart_ends_slow_start_at_about_one_bdp() {
    for (rate, rtt) in [(10_000_000, 40), (50_000_000, 100), (100_000_000, 20), (100_000_000, 100)] {
        let (dropped, window) = first_slow_start(&Cubic, rate, rtt, 1.0, true);
        assert_eq!(dropped, 0, "{rate} {rtt}");
        assert!((0.4..1.6).contains(&window), "{rate} {rtt}: it left at {window:.2} of the path's product");
        assert!(first_slow_start(&CubicRfc, rate, rtt, 1.0, true).0 > 20, "{rate} {rtt}: HyStart++ is late");
    }
    let (dropped, window) = first_slow_start(&Cubic, 5_000_000, 100, 3.0, true);
    assert_eq!(dropped, 0);
    assert!((1.0..2.5).contains(&window), "{window:.2}");
}

#[test]
fn one_bdp_of_buffer_keeps_the_link_busy() {
    let mut world = World::single_flow(Path::bottleneck(10_000_000, 40 * MS, 1.0), &Cubic);
    world.run(10 * SECOND);
    let rate = world.rates(60 * SECOND)[0];
    assert!(rate >= 9_900_000.0, "{rate}");
}

#[test]
fn marks_reduce_the_window_without_losses() {
    let mut path = Path::bottleneck(10_000_000, 40 * MS, 3.0);
    path.mark = path.bdp_bytes();
    let mut world = World::single_flow(path, &Cubic);
    world.run(5 * SECOND);
    (world.dropped, world.marked) = (0, 0);
    let rate = world.rates(60 * SECOND)[0];
    assert!(rate >= 9_900_000.0, "{rate}");
    assert_eq!(world.dropped, 0);
    assert!(world.marked > 0);
}
