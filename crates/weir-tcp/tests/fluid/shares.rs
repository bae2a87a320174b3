//! Flows with the same congestion control share a bottleneck evenly.

use weir_tcp::Algorithm::{self, Bbr, BbrDraft, Cubic, CubicRfc, Reno};
use weir_tcp::math::SECOND;

use crate::model::{Loss, MS, Path, World, jain};

/// Checks the shares of 2, 4 and 10 flows that begin at different times, over a minute, with three
/// seeds each.
#[track_caller]
fn check_shares(algorithm: &Algorithm) {
    // Linux' BBR counts whole segments when it ends its phases: with windows of five segments, a
    // fifth more or less is in flight.
    let least = if let Bbr = algorithm { 0.97 } else { 0.98 };
    for flows in [2, 4, 10] {
        for seed in 1..=3 {
            // Ten flows with windows of 5 segments each would depend on time-outs, so they get a
            // larger buffer.
            let mut path = Path::bottleneck(20_000_000, 20 * MS, if flows == 10 { 2.0 } else { 1.0 });
            path.jitter = MS;
            let mut world = World::new(path, seed);
            for i in 0..flows {
                world.add(algorithm, i * 97 * MS * seed, false, true);
            }
            world.run(5 * SECOND);
            let rates = world.rates(65 * SECOND);
            assert!(jain(&rates) >= least, "{flows} flows, seed {seed}: {rates:?}");
            let all = rates.iter().sum::<f64>() / world.path.rate as f64;
            assert!(all >= 0.97, "{flows} flows, seed {seed}: {all} of the link");
        }
    }
}

#[test]
fn reno_flows_share() {
    check_shares(&Reno);
}

#[test]
fn cubic_flows_share() {
    check_shares(&Cubic);
    check_shares(&CubicRfc);
}

#[test]
fn bbr_flows_share() {
    check_shares(&Bbr);
    check_shares(&BbrDraft);
}

#[test]
fn an_outage_ends_with_the_link_full_again() {
    for algorithm in [Reno, Cubic, CubicRfc, Bbr, BbrDraft] {
        let mut world = World::single_flow(Path::bottleneck(10_000_000, 40 * MS, 1.0), &algorithm);
        world.run(5 * SECOND);
        world.path.loss = Loss::Random(1.0);
        world.run(7 * SECOND);
        assert!(world.flows[0].timeouts >= 1, "{algorithm:?}");
        world.path.loss = Loss::None;
        world.run(11 * SECOND);
        let rate = world.rates(21 * SECOND)[0];
        assert!(rate >= 9_500_000.0, "{algorithm:?}: {rate}");
    }
}
