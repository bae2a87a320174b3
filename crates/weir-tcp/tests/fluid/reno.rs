use weir_tcp::Algorithm::Reno;
use weir_tcp::math::SECOND;

use crate::model::{Loss, MS, MSS, Path, World, assert_close};

#[test]
fn slow_start_doubles_each_round_trip() {
    let mut world = World::single_flow(Path::unlimited(100 * MS, Loss::None), &Reno);
    for doubled in [10, 20, 40, 80, 160] {
        world.run(world.now + 50 * MS);
        assert_eq!(world.window(), doubled);
        world.run(world.now + 50 * MS);
    }
}

#[test]
fn avoidance_adds_a_segment_each_round_trip() {
    let mut world = World::single_flow(Path::unlimited(100 * MS, Loss::Every(2000)), &Reno);
    // The 100th segment is sent in the fourth round trip; the next loss is much later.
    world.run(650 * MS);
    let first = world.window();
    world.run(750 * MS);
    assert_eq!(world.flows[0].congestions, 1);
    assert_eq!(world.window(), first + 1);
}

/// Returns the constant C in the square-root law: the throughput of one flow, which loses segments
/// with probability `p`, is C·MSS/(RTT·√p).
fn square_root_constant(loss: Loss, p: f64, losses: f64) -> f64 {
    let mut world = World::single_flow(Path::unlimited(100 * MS, loss), &Reno);
    world.run(30 * SECOND);
    let round_trips = losses * p.sqrt() / p / 1.22;
    let rate = world.rates(30 * SECOND + (round_trips * 100.0) as u64 * MS)[0];
    assert_eq!(world.flows[0].timeouts, 0);
    rate / (8.0 * MSS as f64) * 0.1 * p.sqrt()
}

#[test]
fn the_square_root_law_with_periodic_loss() {
    assert_close(square_root_constant(Loss::Every(1000), 1e-3, 100.0), 1.22, 0.15);
    assert_close(square_root_constant(Loss::Every(3333), 3e-4, 40.0), 1.22, 0.15);
}

#[test]
fn the_square_root_law_with_random_loss() {
    assert_close(square_root_constant(Loss::Random(1e-3), 1e-3, 300.0), 1.31, 0.15);
}

#[test]
fn one_bdp_of_buffer_keeps_the_link_busy() {
    let mut world = World::single_flow(Path::bottleneck(10_000_000, 40 * MS, 1.0), &Reno);
    world.run(10 * SECOND);
    let rate = world.rates(60 * SECOND)[0];
    assert!(rate >= 9_900_000.0, "{rate}");
    assert!(world.flows[0].congestions > 5);
}

#[test]
fn marks_reduce_the_window_without_losses() {
    let mut path = Path::bottleneck(10_000_000, 40 * MS, 3.0);
    path.mark = path.bdp_bytes();
    let mut world = World::single_flow(path, &Reno);
    world.run(5 * SECOND);
    (world.dropped, world.marked) = (0, 0);
    let congestions = world.flows[0].congestions;
    let rate = world.rates(60 * SECOND)[0];
    assert!(rate >= 9_900_000.0, "{rate}");
    assert_eq!(world.dropped, 0);
    assert!(world.marked > 0 && world.flows[0].congestions > congestions + 5);
}
