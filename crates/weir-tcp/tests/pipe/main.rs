//! Two connections on a wire of virtual time: whatever the wire does to segments, the streams arrive and both ends close.

mod wire;

use proptest::prelude::*;
use weir_tcp::{Algorithm, Closed, Config, Keep, Reduction, State};
use wire::{Fate, MS, Wire};

const ALL: [Algorithm; 3] = [Algorithm::Reno, Algorithm::Cubic, Algorithm::Bbr];

fn config() -> Config {
    Config { congestion: Algorithm::Reno, ..Config::default() }
}

fn counted() -> Config {
    Config { keep: Keep::Count, ..config() }
}

#[test]
fn a_clean_wire_needs_no_repetition() {
    let mut wire = Wire::new(config(), config(), 10 * MS);
    wire.send([200_000, 50_000]);
    wire.run_until_closed(60_000 * MS);
    for end in &wire.ends {
        let info = end.connection.as_ref().unwrap().info();
        assert_eq!((info.retransmits, info.timeouts, info.spurious), (0, 0, 0));
        assert_eq!(info.srtt / MS, 20);
    }
    assert!(wire.now < 1000 * MS, "took {} ms", wire.now / MS);
}

#[test]
fn one_side_waits_out_old_segments_and_the_other_is_gone() {
    let mut wire = Wire::new(config(), config(), 10 * MS);
    wire.send([1000, 0]);
    wire.run_until_closed(60_000 * MS);
    let states: Vec<State> = wire.ends.iter().map(|end| end.connection.as_ref().unwrap().state()).collect();
    assert!(states.iter().all(|state| matches!(state, State::TimeWait | State::Closed)), "{states:?}");
    wire.run_for(61_000 * MS);
    for end in &wire.ends {
        let connection = end.connection.as_ref().unwrap();
        assert_eq!((connection.state(), connection.next_deadline()), (State::Closed, None));
    }
}

#[test]
fn nobody_answers() {
    let mut wire = Wire::new(config(), config(), MS);
    wire.fates[0] = vec![Fate::Lost; 100];
    wire.send([10, 0]);
    wire.run_for(200_000 * MS);
    assert_eq!(wire.ends[0].closed, Some(Closed::TimedOut));
    // 1 + 2 + 4 + 8 + 16 + 32 + 64 s.
    assert_eq!(wire.carried[0], 7);
    assert_eq!(wire.ended_at[0] / MS, 127_000);
}

#[test]
fn the_peer_falls_silent() {
    let mut wire = Wire::new(Config { data_tries: 5, ..config() }, config(), MS);
    wire.fates[1] = vec![Fate::Whole, Fate::Lost];
    wire.fates[1].extend(vec![Fate::Lost; 1000]);
    wire.send([100_000, 0]);
    wire.run_for(100_000 * MS);
    assert_eq!(wire.ends[0].closed, Some(Closed::TimedOut));
}

/// A window of 40 segments of which any run of up to 30 is lost is repaired without a time-out.
#[test]
fn bursts_are_repaired_without_a_time_out() {
    for (first, run) in (0..36).flat_map(|first| (1..=30).map(move |run| (first, run))) {
        if first + run > 36 {
            continue;
        }
        let settings = Config {
            initial_window_segments: 40,
            send_buffer: 200 * 1448,
            delayed_ack: weir_tcp::DelayedAck { every: 1, timeout: MS },
            ..counted()
        };
        let mut wire = Wire::new(settings.clone(), settings, 50 * MS);
        // SYN and the handshake's ACK are the first two.
        wire.fates[0] = vec![Fate::Whole; 2 + first];
        wire.fates[0].extend(vec![Fate::Lost; run]);
        wire.send([200 * 1448, 0]);
        wire.run_until_closed(60_000 * MS);
        let info = wire.ends[0].connection.as_ref().unwrap().info();
        assert_eq!(
            (info.timeouts, info.retransmits, info.recoveries),
            (0, run as u64, 1),
            "{run} lost from {first} on"
        );
    }
}

#[test]
fn every_second_of_a_window_lost_is_repaired_without_a_time_out() {
    for reduction in [Reduction::Prr, Reduction::Rfc6675] {
        let settings = Config { initial_window_segments: 40, reduction, ..counted() };
        let mut wire = Wire::new(settings.clone(), settings, 50 * MS);
        wire.fates[0] = vec![Fate::Whole; 2];
        for _ in 0..17 {
            wire.fates[0].extend([Fate::Lost, Fate::Whole]);
        }
        wire.send([400 * 1448, 0]);
        wire.run_until_closed(60_000 * MS);
        let info = wire.ends[0].connection.as_ref().unwrap().info();
        assert_eq!((info.timeouts, info.retransmits, info.recoveries), (0, 17, 1));
    }
}

/// RFC 6582: a hole a round trip.
#[test]
fn without_selective_acknowledgements_new_reno_repairs() {
    let settings = Config { initial_window_segments: 40, sack: false, quick_acks: 1000, ..counted() };
    let mut wire = Wire::new(settings.clone(), settings, 50 * MS);
    wire.fates[0] = vec![Fate::Whole; 10];
    wire.fates[0].extend([Fate::Lost, Fate::Whole, Fate::Lost, Fate::Whole, Fate::Lost]);
    wire.send([200 * 1448, 0]);
    wire.run_until_closed(60_000 * MS);
    let info = wire.ends[0].connection.as_ref().unwrap().info();
    assert_eq!((info.timeouts, info.retransmits, info.recoveries), (0, 3, 1));
}

#[test]
fn a_lost_retransmission_is_found_by_its_time() {
    for rack in [true, false] {
        let settings = Config { initial_window_segments: 40, rack, quick_acks: 1000, ..counted() };
        let mut wire = Wire::new(settings.clone(), settings, 50 * MS);
        wire.fates[0] = vec![Fate::Whole; 42];
        wire.fates[0][12] = Fate::Lost;
        // The 40 segments of the first window, then what the first acknowledgements let go; the repetition is the one that is lost.
        wire.lose_resent = 1;
        wire.send([600 * 1448, 0]);
        wire.run_until_closed(60_000 * MS);
        let info = wire.ends[0].connection.as_ref().unwrap().info();
        assert_eq!(info.timeouts > 0, !rack, "{info:?}");
    }
}

#[test]
fn a_full_receiver_stops_the_sender_and_the_lost_update_is_asked_for() {
    let small = Config { receive_buffer: 20_000, ..config() };
    let mut wire = Wire::new(config(), small, 10 * MS);
    wire.ends[1].reads = false;
    wire.send([100_000, 0]);
    wire.run_for(3_000 * MS);
    let sender = wire.ends[0].connection.as_ref().unwrap().info();
    assert!(sender.acked <= 20_000 && sender.acked > 18_000, "{sender:?}");
    assert_eq!((sender.timeouts, sender.retransmits), (0, 0));
    wire.ends[1].reads = true;
    // The update that says so is lost.
    wire.fates[1] = vec![Fate::Whole; wire.carried[1]];
    wire.fates[1].push(Fate::Lost);
    wire.run_until_closed(120_000 * MS);
}

#[test]
fn marks_slow_the_sender_once_a_window() {
    let settings = Config { ecn: true, ..counted() };
    let mut wire = Wire::new(settings.clone(), settings, 20 * MS);
    wire.fates[0] = vec![Fate::Whole; 30];
    wire.fates[0].extend([Fate::Marked, Fate::Marked]);
    wire.send([500_000, 0]);
    wire.run_until_closed(60_000 * MS);
    let info = wire.ends[0].connection.as_ref().unwrap().info();
    assert_eq!((info.ecn_reductions, info.retransmits, info.recoveries), (1, 0, 0), "{info:?}");
}

#[test]
fn both_open_at_once() {
    let mut wire = Wire::crossing(config(), config(), 10 * MS);
    wire.send([5000, 7000]);
    wire.run_until_closed(60_000 * MS);
}

#[test]
fn paced_segments_keep_their_distance() {
    let settings = Config { pacing: weir_tcp::Pacing::Rate(12_000_000), ..counted() };
    let mut wire = Wire::new(settings, counted(), 5 * MS);
    wire.send([1_500_000, 0]);
    wire.run_until_closed(60_000 * MS);
    // 1 500 000 bytes in segments of 1448 + 52 at 12 Mbit/s, a millisecond each.
    let expected = 1_500_000 / 1448 + 1;
    let took = wire.now / MS;
    assert!((expected..expected + 60).contains(&took), "{took} ms instead of {expected}");
}

#[test]
fn pacing_does_not_keep_the_window_from_growing() {
    let settings = Config { pacing: weir_tcp::Pacing::Always, ..counted() };
    let mut wire = Wire::new(settings, counted(), 10 * MS);
    wire.send([3_000_000, 0]);
    wire.run_until_closed(60_000 * MS);
    let cwnd = wire.ends[0].connection.as_ref().unwrap().info().cwnd;
    assert!(cwnd > 500_000, "{cwnd}");
    assert!(wire.now < 1000 * MS, "{} ms", wire.now / MS);
}

#[test]
fn a_window_that_is_not_used_does_not_grow() {
    // BBR has no such rule: its window follows from what it measured.
    for congestion in [Algorithm::Reno, Algorithm::Cubic] {
        let mut wire = Wire::new(Config { send_buffer: 3000, congestion, ..counted() }, counted(), 10 * MS);
        wire.send([300_000, 0]);
        wire.run_until_closed(60_000 * MS);
        assert_eq!(wire.ends[0].connection.as_ref().unwrap().info().cwnd, 14_480);
    }
}

fn fates() -> impl Strategy<Value = Vec<Fate>> {
    let fate = prop_oneof![
        5 => Just(Fate::Whole),
        3 => Just(Fate::Lost),
        1 => Just(Fate::Twice),
        2 => (1_u64..150).prop_map(|ms| Fate::Late(ms * MS)),
        1 => Just(Fate::Marked),
    ];
    prop::collection::vec(fate, 0..150)
}

/// Six segments of ten are lost, for a long time, in both directions.
#[test]
fn a_wire_that_loses_most_still_carries() {
    let mut state = 1_u64;
    let mut draw = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % 10
    };
    for sack in [true, false] {
        let settings = Config {
            time_wait: 30_000_000 * MS,
            sack,
            data_tries: 60,
            syn_tries: 60,
            max_rto: 2_000 * MS,
            ..config()
        };
        let mut wire = Wire::new(settings.clone(), settings, 5 * MS);
        for side in 0..2 {
            wire.fates[side] =
                (0..20_000).map(|_| if draw() < 6 { Fate::Lost } else { Fate::Whole }).collect();
        }
        wire.send([300_000, 100_000]);
        wire.run_until_closed(20_000_000 * MS);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn streams_arrive_whole_and_both_ends_close(
        there in fates(),
        back in fates(),
        sizes in (0_u64..150_000, 0_u64..60_000),
        switches in prop::array::uniform6(any::<bool>()),
        iss in prop::array::uniform2(prop_oneof![any::<u32>(), (u32::MAX - 60_000)..u32::MAX]),
        buffer in 3_000_u32..200_000,
        crossing in prop::bool::weighted(0.2),
        which in 0..3_usize,
    ) {
        let [sack, timestamps, window_scaling, ecn, nagle, rack] = switches;
        // Nobody answers for an end that is gone, so it stays until the other one has what it needs.
        let one = Config { time_wait: 20_000_000 * MS, sack, timestamps, window_scaling, ecn, nagle, rack, congestion: ALL[which].clone(), ..config() };
        let two = Config { receive_buffer: buffer, mss: 700, ..one.clone() };
        let mut wire = if crossing { Wire::crossing(one, two, 20 * MS) } else { Wire::new(one, two, 20 * MS) };
        wire.iss = iss;
        wire.fates = [there, back];
        wire.send([sizes.0, sizes.1]);
        wire.run_until_closed(3_600_000 * MS);
        for end in &wire.ends {
            let info = end.connection.as_ref().unwrap().info();
            prop_assert_eq!(info.in_flight, 0);
            prop_assert_eq!(info.acked, info.written);
        }
    }
}
