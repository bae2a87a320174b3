//! Arbitrary losses, duplicates and delays.

use proptest::prelude::*;
use weir_tcp::Config;

use crate::wire::{Fate, MS, Wire};
use crate::{ALL, config};

fn random_fates() -> impl Strategy<Value = Vec<Fate>> {
    let fate = prop_oneof![
        5 => Just(Fate::Whole),
        3 => Just(Fate::Lost),
        1 => Just(Fate::Twice),
        2 => (1_u64..150).prop_map(|ms| Fate::Late(ms * MS)),
        1 => Just(Fate::Marked),
        1 => (0_usize..16_000).prop_map(Fate::Damaged),
    ];
    prop::collection::vec(fate, 0..150)
}

/// Six of ten segments are lost, for a long time, in both directions.
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
            data_retries: 60,
            syn_retries: 60,
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
        there in random_fates(),
        back in random_fates(),
        sizes in (0_u64..150_000, 0_u64..60_000),
        switches in prop::array::uniform7(any::<bool>()),
        iss in prop::array::uniform2(prop_oneof![any::<u32>(), (u32::MAX - 60_000)..u32::MAX]),
        buffer in 3_000_u32..200_000,
        crossing in prop::bool::weighted(0.2),
        which in 0..3_usize,
    ) {
        let [sack, timestamps, window_scaling, ecn, nagle, rack, tail_loss_probe] = switches;
        // Nobody answers for an end that is gone, so each end stays until the other end has all
        // that it needs.
        let one = Config { time_wait: 20_000_000 * MS, syn_retries: 200, data_retries: 200, max_rto: 5_000 * MS, sack, timestamps, window_scaling, ecn, nagle, rack, tail_loss_probe, congestion: ALL[which].clone(), ..config() };
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
