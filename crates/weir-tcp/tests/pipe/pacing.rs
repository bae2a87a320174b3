//! Paced segments, with and without a queue that holds them.

use weir_tcp::{Algorithm, Config, Pacing};

use crate::wire::{MS, Wire};
use crate::{ALL, counting_config, info};

#[test]
fn paced_segments_keep_their_distance() {
    let settings = Config { pacing: Pacing::Rate(12_000_000), ..counting_config() };
    let mut wire = Wire::new(settings, counting_config(), 5 * MS);
    wire.send([1_500_000, 0]);
    wire.run_until_closed(60_000 * MS);
    // Segments of 1448 + 52 bytes at 12 Mbit/s take a millisecond each.
    assert!(wire.departures.windows(2).all(|pair| pair[1] - pair[0] >= MS));
    let expected = 1_500_000 / 1448 + 1;
    let took = wire.now / MS;
    assert!((expected..expected + 60).contains(&took), "{took} ms instead of {expected}");
}

#[test]
fn pacing_does_not_keep_the_window_from_growing() {
    for congestion in [Algorithm::Reno, Algorithm::Cubic] {
        let settings =
            Config { pacing: Pacing::Always, hystart: Some(false), congestion, ..counting_config() };
        let mut wire = Wire::new(settings, counting_config(), 10 * MS);
        wire.send([3_000_000, 0]);
        wire.run_until_closed(60_000 * MS);
        let cwnd = info(&wire, 0).cwnd;
        assert!(cwnd > 500_000, "{cwnd}");
        assert!(wire.now < 1000 * MS, "{} ms", wire.now / MS);
    }
}

/// As in Linux, where the interface cuts one piece into segments, PSH is set on the last of several
/// segments that leave together, and on no segment that leaves alone.
#[test]
fn bursts_end_with_a_push() {
    let settings = Config { congestion: Algorithm::Bbr, ..counting_config() };
    let mut wire = Wire::new(settings, counting_config(), 5 * MS);
    wire.ends[0].stays = true;
    wire.send([3_000_000, 0]);
    wire.run_for(1000 * MS);
    let (mut alone, mut bursts) = (0, 0);
    let mut at = 10;
    while let Some(&time) = wire.departures.get(at) {
        let burst = wire.departures[at..].iter().take_while(|other| **other == time).count();
        at += burst;
        alone += usize::from(burst == 1);
        bursts += usize::from(burst > 1);
        let last = at == wire.departures.len();
        assert_eq!(wire.pushed[at - 1], burst > 1 || last, "{burst} before segment {at}");
    }
    assert_eq!(at, wire.departures.len());
    assert!(bursts > 20 && alone < bursts, "{bursts} bursts, {alone} alone");
}

/// The application's rate limits the congestion control's rate, and vice versa.
#[test]
fn the_lower_rate_counts() {
    for congestion in ALL {
        let settings = Config { pacing: Pacing::Rate(3_000_000), congestion, ..counting_config() };
        let mut wire = Wire::new(settings, counting_config(), 5 * MS);
        wire.send([300_000, 0]);
        wire.run_until_closed(60_000 * MS);
        assert!(wire.departures.windows(2).all(|pair| pair[1] - pair[0] >= 4 * MS));
        assert!(info(&wire, 0).pacing_rate.is_some_and(|rate| rate <= 3_000_000));
    }
}

/// A queue that spaces packets gets them up to 10 ms early. The segments are on the wire at the
/// same times, and RTTs are the same. (A congestion control with its own rate chooses the rate
/// earlier by the time in the queue.)
#[test]
fn early_hand_over_keeps_departure_times() {
    for congestion in [Algorithm::Reno, Algorithm::Cubic] {
        let run = |paced_ahead| {
            let pacing = Pacing::Rate(12_000_000);
            let settings =
                Config { pacing, paced_ahead, congestion: congestion.clone(), ..counting_config() };
            let mut wire = Wire::new(settings, counting_config(), 5 * MS);
            wire.spaced = true;
            wire.send([300_000, 0]);
            wire.run_until_closed(60_000 * MS);
            let info = info(&wire, 0);
            (wire.departures.clone(), info.srtt, info.min_rtt, info.retransmits, wire.early)
        };
        let (plain, ahead) = (run(0), run(10 * MS));
        assert_eq!((plain.4, ahead.4), (0, 10 * MS));
        assert_eq!((&plain.0, plain.1, plain.2, plain.3), (&ahead.0, ahead.1, ahead.2, ahead.3));
    }
}
